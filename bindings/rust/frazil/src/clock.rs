// SPDX-License-Identifier: MIT
//! A clock for tests that moves only when told to.

use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use frazil_sys as sys;

use crate::error::{Error, Result};

/// A clock for [`Options::clock`](crate::Options::clock) that moves only when told to. Sleeps on it take no time: they advance
/// it. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct ManualClock {
    handle: Arc<Handle>,
}

#[derive(Debug)]
struct Handle(NonNull<sys::frazil_manual_clock>);

// SAFETY: the library's functions on it may be called by any thread, several at once.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: every generator that uses it holds it, so there is none any more.
        unsafe { sys::frazil_manual_clock_close(self.0.as_ptr()) }
    }
}

impl ManualClock {
    /// Creates a clock that shows this time.
    pub fn new(unix_ms: i64) -> Result<ManualClock> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the output is ours.
        let code = unsafe { sys::frazil_manual_clock_open(&mut raw, unix_ms, 0, std::ptr::null_mut()) };
        match NonNull::new(raw) {
            Some(raw) if code == sys::FRAZIL_OK => Ok(ManualClock {
                handle: Arc::new(Handle(raw)),
            }),
            _ => Err(Error::of(code)),
        }
    }

    /// Sets the wall time: a step. Monotonic time stays.
    pub fn set(&self, unix_ms: i64) {
        // SAFETY: it is open.
        unsafe { sys::frazil_manual_clock_set(self.handle.0.as_ptr(), unix_ms) }
    }

    /// Advances both wall and monotonic time.
    pub fn advance(&self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: it is open.
        unsafe { sys::frazil_manual_clock_advance(self.handle.0.as_ptr(), ns) }
    }

    pub(crate) fn port(&self) -> sys::frazil_clock {
        // SAFETY: it is open; the call fills all of the port.
        unsafe {
            let mut port: sys::frazil_clock = std::mem::zeroed();
            sys::frazil_manual_clock_port(self.handle.0.as_ptr(), &mut port, std::mem::size_of_val(&port));
            port
        }
    }
}
