// SPDX-License-Identifier: MIT
//! A spec as an object.

use std::fmt;
use std::os::raw::c_void;
use std::ptr::NonNull;

use frazil_sys as sys;

use crate::clock::ManualClock;
use crate::error::{Code, Error, Reason, Result};
use crate::generator::{Generator, Handle, OverflowFn};
use crate::layout::Layout;
use crate::observe::Overflow;
use crate::sno::Snapshot;

/// Which environment variables supply keys that the options do not set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Environment {
    /// Variables that describe where the program runs; others only if the options set nothing at all.
    ByKey,
    /// No variables.
    None,
    /// All variables.
    All,
}

/// The options of a generator, for programs that have separate values or need more than a spec can express.
///
/// ```
/// use frazil::Options;
///
/// let generator = Options::new()?
///     .set("layout", "41/10/12")?
///     .set("worker", "fixed:7")?
///     .set("state", "memory")?
///     .open()?;
/// assert_eq!(generator.info().worker, 7);
/// # Ok::<(), frazil::Error>(())
/// ```
pub struct Options {
    raw: NonNull<sys::frazil_options>,
    clock: Option<ManualClock>,
    overflow: Option<OverflowFn>,
}

// SAFETY: options belong to one thread at a time, to any.
unsafe impl Send for Options {}

/// Shows the meaning as a spec, without passwords.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Options").field(&self.text()).finish()
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: made by frazil_options_open, freed once.
        unsafe { sys::frazil_options_close(self.raw.as_ptr()) }
    }
}

impl Options {
    /// Creates empty options.
    pub fn new() -> Result<Options> {
        crate::check_version()?;
        let mut raw = std::ptr::null_mut();
        let mut why = Reason::new();
        // SAFETY: outputs are ours.
        let code = unsafe { sys::frazil_options_open(&mut raw, why.as_mut_ptr()) };
        why.check(code)?;
        let raw = NonNull::new(raw).ok_or_else(|| Error::of(sys::FRAZIL_ENOMEM))?;
        Ok(Options {
            raw,
            clock: None,
            overflow: None,
        })
    }

    fn with<F>(self, call: F) -> Result<Options>
    where
        F: FnOnce(*mut sys::frazil_options, *mut sys::frazil_error) -> sys::frazil_err,
    {
        let mut why = Reason::new();
        let code = call(self.raw.as_ptr(), why.as_mut_ptr());
        why.check(code).map(|()| self)
    }

    /// Sets a key to a value, which is taken literally, without quotes.
    pub fn set(self, key: &str, value: &str) -> Result<Options> {
        let key = crate::terminated(key, Code::ESPEC)?;
        // SAFETY: the key has a terminator, the value is of that length.
        self.with(|raw, why| unsafe {
            sys::frazil_options_set(raw, key.as_ptr(), value.as_ptr().cast(), value.len(), why)
        })
    }

    /// Sets all pairs of a spec.
    pub fn spec(self, spec: &str) -> Result<Options> {
        // SAFETY: the spec is of that length.
        self.with(|raw, why| unsafe { sys::frazil_options_spec(raw, spec.as_ptr().cast(), spec.len(), why) })
    }

    /// Sets the key `layout` to the layout's fingerprint.
    pub fn layout(self, layout: &Layout) -> Result<Options> {
        self.set("layout", &layout.fingerprint())
    }

    /// Sets the clock that the generator reads.
    pub fn clock(self, clock: &ManualClock) -> Result<Options> {
        let port = clock.port();
        // SAFETY: the port is copied, and the generator holds the clock.
        let mut options = self.with(|raw, why| unsafe { sys::frazil_options_clock(raw, &port, why) })?;
        options.clock = Some(clock.clone());
        Ok(options)
    }

    /// Sets the snapshot from which a sno generator continues.
    pub fn snapshot(self, snapshot: &Snapshot) -> Result<Options> {
        let text = snapshot.as_str();
        // SAFETY: the text is of that length, and is read at once.
        self.with(|raw, why| unsafe { sys::frazil_options_snapshot(raw, text.as_ptr().cast(), text.len(), why) })
    }

    /// Sets which environment variables count.
    pub fn environment(self, which: Environment) -> Result<Options> {
        let which = match which {
            Environment::ByKey => sys::FRAZIL_ENVIRONMENT_BY_KEY,
            Environment::None => sys::FRAZIL_ENVIRONMENT_NONE,
            Environment::All => sys::FRAZIL_ENVIRONMENT_ALL,
        };
        // SAFETY: one of them.
        self.with(|raw, why| unsafe { sys::frazil_options_environment(raw, which, why) })
    }

    /// Sets a function to call when ticks overflow: once per tick while callers wait, and once at the end. One of the waiting
    /// callers calls it. It must not call the generator. If it panics, the process aborts.
    pub fn on_overflow<F>(mut self, told: F) -> Options
    where
        F: Fn(Overflow) + Send + Sync + 'static,
    {
        self.overflow = Some(Box::new(told));
        self
    }

    /// Returns an error if the options are not valid today: it reads the clock, and refuses a layout that ends within ten years.
    /// It opens nothing.
    pub fn check(&self) -> Result<()> {
        let mut why = Reason::new();
        // SAFETY: open.
        let code = unsafe { sys::frazil_options_check(self.raw.as_ptr(), why.as_mut_ptr()) };
        why.check(code)
    }

    /// Returns the meaning of the options as a spec; `...` replaces passwords.
    pub fn text(&self) -> Result<String> {
        let mut bytes = vec![0u8; 512];
        loop {
            let mut len = 0;
            let mut why = Reason::new();
            // SAFETY: the buffer is of that size.
            let code = unsafe {
                let at = bytes.as_mut_ptr().cast();
                sys::frazil_options_text(self.raw.as_ptr(), 0, at, bytes.len(), &mut len, why.as_mut_ptr())
            };
            if code == sys::FRAZIL_EBUFFER && len >= bytes.len() {
                bytes.resize(len + 1, 0);
                continue;
            }
            why.check(code)?;
            bytes.truncate(len);
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
    }

    /// Opens a generator that all calls of this process share if their options mean the same, as [`Generator::open_shared`]
    /// does. Returns [`Code::EINVAL`] if the options have a clock, a snapshot or an overflow function, as another call could
    /// not name them to find the generator.
    pub fn open_shared(self) -> Result<Generator> {
        if self.overflow.is_some() {
            let sentence = "a function that is told of overflows needs a generator of its own: use open";
            return Err(Error::new(Code::EINVAL, sentence.to_string()));
        }
        let mut raw = std::ptr::null_mut();
        let mut why = Reason::new();
        // SAFETY: outputs are ours.
        let code = unsafe { sys::frazil_open_shared_with(&mut raw, self.raw.as_ptr(), why.as_mut_ptr()) };
        why.check(code)?;
        Ok(Generator::new(Handle::new(raw, None, None)))
    }

    /// Opens a generator.
    pub fn open(mut self) -> Result<Generator> {
        let mut raw = std::ptr::null_mut();
        let mut why = Reason::new();
        // SAFETY: outputs are ours.
        let code = unsafe { sys::frazil_open_with(&mut raw, self.raw.as_ptr(), why.as_mut_ptr()) };
        why.check(code)?;
        let overflow = self.overflow.take().map(Box::new);
        if let Some(told) = &overflow {
            let ctx: *const OverflowFn = &**told;
            // SAFETY: the handle keeps the box until the generator is closed, which no thread uses yet.
            unsafe { sys::frazil_on_overflow(raw, Some(tell), ctx as *mut c_void) };
        }
        Ok(Generator::new(Handle::new(raw, self.clock.take(), overflow)))
    }
}

/// Passes an overflow to the program's function.
unsafe extern "C" fn tell(ctx: *mut c_void, overflow: *const sys::frazil_overflow) {
    let told = &*(ctx as *const OverflowFn);
    let overflow = Overflow::from_raw(&*overflow);
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| told(overflow))).is_err() {
        std::process::abort();
    }
}
