// SPDX-License-Identifier: MIT
//! frazil makes unique, time-ordered ids of any Snowflake layout, and 80-bit snos. It never issues a duplicate: not after a
//! restart, a crash or a fork, and not after the clock went back.
//!
//! ```
//! use frazil::{Form, Generator};
//!
//! let generator = Generator::open("worker=fixed:7 state=memory")?;
//! let id: u64 = generator.next()?;
//! let text = generator.next_text(Form::Crockford)?;
//! let mut batch = [0; 1000];
//! generator.fill(&mut batch)?;
//! # let _ = (id, text);
//! # Ok::<(), frazil::Error>(())
//! ```
//!
//! [`compat::sfid`] has the names of sfid 0.1.1. The README describes deployment and costs.

#![warn(missing_debug_implementations, missing_docs)]

use std::ffi::CString;

use frazil_sys as sys;

mod clock;
pub mod compat;
#[cfg(feature = "diesel")]
mod diesel;
mod error;
mod events;
mod generator;
mod id;
mod layout;
mod lease;
mod observe;
mod options;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "serde")]
mod serde;
mod sno;
#[cfg(feature = "sqlx")]
mod sqlx;
pub mod text;
pub mod time;

pub use clock::ManualClock;
pub use error::{Class, CloseError, Code, Error, Result};
pub use events::{Event, EventKind, Events};
pub use generator::{Generator, Ids, LocalGenerator};
pub use id::Id;
pub use layout::{Fields, Layout, LayoutInfo, Overlap};
pub use lease::{Lease, LeaseInfo};
pub use observe::{Health, HealthState, Info, Overflow, StateKind, Stats};
pub use options::{Environment, Options};
pub use sno::{format_partition, parse_partition, Snapshot, Sno, SnoFields};
pub use text::{Form, Kasumi, Text};

/// Returns the version of the loaded library, such as `"1.2.3"`.
pub fn version() -> &'static str {
    // SAFETY: never freed.
    unsafe { error::text(sys::frazil_version()) }
}

/// The lines of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compares as `FRAZIL_VERSION_FITS` of the header: same major version, and same or newer minor one.
fn fits(there: u32, ours: u32) -> bool {
    there / 1_000_000 == ours / 1_000_000 && there / 1000 >= ours / 1000
}

#[cfg(test)]
#[test]
fn a_newer_minor_version_fits() {
    let fitting = [(1_002_000, 1_002_000), (1_002_000, 1_002_009), (1_002_000, 1_030_000)];
    for (ours, there) in fitting {
        assert!(fits(there, ours), "{} for {}", there, ours);
    }
    let others = [(1_002_000, 1_001_009), (1_002_000, 2_002_000), (1_002_000, 2_000)];
    for (ours, there) in others {
        assert!(!fits(there, ours), "{} for {}", there, ours);
    }
}

/// Refuses an installed library of another version, which may have other structs.
fn check_version() -> Result<()> {
    // SAFETY: a number.
    let there = unsafe { sys::frazil_version_number() };
    if fits(there, sys::FRAZIL_VERSION_NUMBER) {
        return Ok(());
    }
    let sentence = format!(
        "this crate is for frazil {}.{}, and libfrazil is {}: install that version, or use the feature \"bundled\"",
        sys::FRAZIL_VERSION_NUMBER / 1_000_000,
        sys::FRAZIL_VERSION_NUMBER / 1000 % 1000,
        version()
    );
    Err(Error::new(Code::ENOTBUILT, sentence))
}

/// Returns the text with a terminator. Refuses a zero byte, which would truncate it.
fn terminated(text: &str, code: Code) -> Result<CString> {
    CString::new(text).map_err(|error| {
        let place = error.nul_position();
        Error::new(code, format!("there is a zero byte behind {} bytes of the text", place))
    })
}
