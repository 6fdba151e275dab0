// SPDX-License-Identifier: MIT
//! A worker id without a generator.

use std::fmt;
use std::ptr::NonNull;
use std::time::Duration;

use frazil_sys as sys;

use crate::error::{Code, Error, Reason, Result};
use crate::generator::{kept, nanoseconds};

/// A leased worker id, for programs that make their ids themselves. It holds for a limited time only: use a
/// [`Generator`](crate::Generator) where you can.
pub struct Lease {
    raw: NonNull<sys::frazil_lease>,
}

/// The number of a lease, and the time for which it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LeaseInfo {
    /// The worker id; for snos the partition.
    pub worker: u32,
    /// Nothing may be stamped before this time.
    pub from_unix_ms: i64,
    /// Nothing may be stamped at this time or later; an extension moves it.
    pub end_unix_ms: i64,
}

// SAFETY: every function but closing may be called by any thread, and closing is the last call.
unsafe impl Send for Lease {}
unsafe impl Sync for Lease {}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&self.get()).finish()
    }
}

impl Lease {
    /// Leases a worker id. The spec's `worker=` is the URL of a coordinator.
    pub fn open(spec: &str) -> Result<Lease> {
        crate::check_version()?;
        let spec = crate::terminated(spec, Code::ESPEC)?;
        let mut raw = std::ptr::null_mut();
        let mut why = Reason::new();
        // SAFETY: the spec has a terminator; outputs are ours.
        let code = unsafe { sys::frazil_lease_open(&mut raw, spec.as_ptr(), why.as_mut_ptr()) };
        why.check(code)?;
        let raw = NonNull::new(raw).ok_or_else(|| Error::of(sys::FRAZIL_ENOMEM))?;
        Ok(Lease { raw })
    }

    /// Returns the lease as it is now. Success means that the program holds the number at this instant, by its own clock.
    pub fn get(&self) -> Result<LeaseInfo> {
        let mut why = Reason::new();
        // SAFETY: open; zeros are a value of the struct.
        let (code, info) = unsafe {
            let mut info: sys::frazil_lease_info = std::mem::zeroed();
            let size = std::mem::size_of_val(&info);
            (
                sys::frazil_lease_get_info(self.raw.as_ptr(), &mut info, size, why.as_mut_ptr()),
                info,
            )
        };
        why.check(code).map(|()| LeaseInfo {
            worker: info.worker,
            from_unix_ms: info.from_unix_ms,
            end_unix_ms: info.end_unix_ms,
        })
    }

    /// Extends the lease if it is due, for `keeper=hook`. Returns the time until the next call is due; `None` means never. While the
    /// coordinator does not answer, the lease stands and this is no error: [`Lease::get`] says when it has ended, and why.
    pub fn keep(&self, wait: Duration) -> Result<Option<Duration>> {
        let mut next_ns = 0;
        let mut why = Reason::new();
        // SAFETY: open; outputs are ours.
        let code =
            unsafe { sys::frazil_lease_keep(self.raw.as_ptr(), nanoseconds(wait), &mut next_ns, why.as_mut_ptr()) };
        kept(why.check(code), next_ns)
    }

    /// Gives the number back. The program has stamped nothing later than `used_unix_ms`. After a drop instead, the number stays
    /// unused until the end of the lease, as any time before it may have been stamped.
    pub fn close(self, used_unix_ms: i64) {
        // SAFETY: closed once: it is forgotten.
        unsafe { sys::frazil_lease_close(self.raw.as_ptr(), used_unix_ms) };
        std::mem::forget(self);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // SAFETY: closed once.
        unsafe { sys::frazil_lease_close(self.raw.as_ptr(), sys::FRAZIL_LEASE_ALL_USED) }
    }
}
