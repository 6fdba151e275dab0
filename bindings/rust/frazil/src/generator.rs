// SPDX-License-Identifier: MIT
//! Generators, and handles for single threads.

use std::cell::Cell;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use frazil_sys as sys;

use crate::clock::ManualClock;
use crate::error::{Class, CloseError, Code, Error, Reason, Result};
use crate::events::Events;
use crate::id::Id;
use crate::layout::Layout;
use crate::observe::{Health, Info, Overflow, StateKind, Stats};
use crate::sno::{Snapshot, Sno};
use crate::text::{Form, Text};

pub(crate) type OverflowFn = Box<dyn Fn(Overflow) + Send + Sync>;

/// An open generator, and what must outlive it.
pub(crate) struct Handle {
    raw: NonNull<sys::frazil>,
    _clock: Option<ManualClock>,
    _overflow: Option<Box<OverflowFn>>,
}

// SAFETY: every function of the library but closing may be called by any thread, several at once, and closing is the last
// call: it is that of the last owner. The overflow function is Send and Sync.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes over a generator that was just opened.
    pub(crate) fn new(raw: *mut sys::frazil, clock: Option<ManualClock>, overflow: Option<Box<OverflowFn>>) -> Handle {
        let raw = NonNull::new(raw).expect("an opening that succeeds gives a generator");
        Handle {
            raw,
            _clock: clock,
            _overflow: overflow,
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it has no other owner any more.
        unsafe { sys::frazil_close(self.raw.as_ptr()) }
    }
}

/// Returns a duration in the library's nanoseconds. [`Duration::MAX`] means no limit.
pub(crate) fn nanoseconds(wait: Duration) -> u64 {
    // The two largest numbers have special meanings in the library.
    match u64::try_from(wait.as_nanos()) {
        Ok(ns) if ns < sys::FRAZIL_WAIT_DEFAULT => ns,
        _ => sys::FRAZIL_WAIT_FOREVER,
    }
}

/// Returns the time until the next call of `keep`; `None` means never. Only an answer that cannot come is an error.
pub(crate) fn kept(result: Result<()>, next_ns: u64) -> Result<Option<Duration>> {
    match result {
        Err(why) if why.class() != Class::Retry => Err(why),
        _ => Ok(Some(next_ns)
            .filter(|&ns| ns != sys::FRAZIL_WAIT_FOREVER)
            .map(Duration::from_nanos)),
    }
}

/// A generator of ids. Any number of threads may use it at once. Clones are the same generator, which is closed when the last
/// clone and the last [`LocalGenerator`] are dropped.
///
/// After a fork parent and child share the generator, and never issue duplicates.
///
/// ```
/// use frazil::Generator;
///
/// let generator = Generator::open("layout=twitter worker=fixed:7 state=memory")?;
/// let first = generator.next()?;
/// assert!(generator.next()? > first);
/// # Ok::<(), frazil::Error>(())
/// ```
#[derive(Clone)]
pub struct Generator {
    raw: NonNull<sys::frazil>,
    handle: Arc<Handle>,
}

// SAFETY: as Handle, which lives as long.
unsafe impl Send for Generator {}
unsafe impl Sync for Generator {}

/// An iterator over ids, which ends after the first error: [`Generator::ids`].
#[derive(Debug)]
pub struct Ids<'a> {
    generator: &'a Generator,
    failed: bool,
}

impl Iterator for Ids<'_> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Result<u64>> {
        if self.failed {
            return None;
        }
        let id = self.generator.next();
        self.failed = id.is_err();
        Some(id)
    }
}

impl FusedIterator for Ids<'_> {}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generator({}, worker {})", self.layout(), self.info().worker)
    }
}

impl Generator {
    pub(crate) fn new(handle: Handle) -> Generator {
        Generator {
            raw: handle.raw,
            handle: Arc::new(handle),
        }
    }

    fn open_by(
        open: unsafe extern "C" fn(
            *mut *mut sys::frazil,
            *const std::os::raw::c_char,
            *mut sys::frazil_error,
        ) -> sys::frazil_err,
        spec: &str,
    ) -> Result<Generator> {
        crate::check_version()?;
        let spec = crate::terminated(spec, Code::ESPEC)?;
        let mut raw = std::ptr::null_mut();
        let mut why = Reason::new();
        // SAFETY: the spec has a terminator; outputs are ours.
        let code = unsafe { open(&mut raw, spec.as_ptr(), why.as_mut_ptr()) };
        why.check(code)?;
        Ok(Generator::new(Handle::new(raw, None, None)))
    }

    /// Opens a generator. The spec is a text of `key=value` pairs; `man frazil.spec` lists all keys.
    pub fn open(spec: &str) -> Result<Generator> {
        Generator::open_by(sys::frazil_open, spec)
    }

    /// Opens a generator that all calls of this process share if their specs mean the same. It is for libraries that open a
    /// generator wherever they need an id.
    pub fn open_shared(spec: &str) -> Result<Generator> {
        Generator::open_by(sys::frazil_open_shared, spec)
    }

    // ---- 64-bit ids ----------------------------------------------------------------------

    /// Returns one id. Waits at most as long as the key `max_wait` allows.
    #[inline]
    #[allow(clippy::should_implement_trait)] // not an iterator: it takes &self, and can fail
    pub fn next(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: open; the output is ours.
        let code = unsafe { sys::frazil_next(self.raw.as_ptr(), &mut id) };
        if code == sys::FRAZIL_OK {
            Ok(id)
        } else {
            self.explain(code)
        }
    }

    /// Returns the reason why there was no id, or an id that has become free meanwhile.
    #[cold]
    fn explain(&self, code: sys::frazil_err) -> Result<u64> {
        // With a URL as state a call that never waits would ask the coordinator, for as long as the URL's timeout; in a
        // nanosecond it says what came of the last request.
        let wait = match self.info().state {
            StateKind::Slots => Duration::from_nanos(1),
            _ => Duration::ZERO,
        };
        let mut id = 0;
        match self.take(std::slice::from_mut(&mut id), wait) {
            Ok(()) => Ok(id),
            Err(why) => Err(Error::explained(code, why)),
        }
    }

    /// Returns one id as an [`Id`].
    #[inline]
    pub fn next_id(&self) -> Result<Id> {
        self.next().map(Id)
    }

    /// Returns one id as text.
    #[inline]
    pub fn next_text(&self, form: Form) -> Result<Text> {
        self.next().map(|id| form.format(id))
    }

    /// Returns an iterator over ids, which ends after the first error.
    ///
    /// ```
    /// let generator = frazil::Generator::open("worker=fixed:7 state=memory")?;
    /// let ids = generator.ids().take(3).collect::<Result<Vec<u64>, _>>()?;
    /// assert!(ids[0] < ids[2]);
    ///
    /// generator.stop();
    /// assert_eq!(generator.ids().count(), 1);
    /// # Ok::<(), frazil::Error>(())
    /// ```
    pub fn ids(&self) -> Ids<'_> {
        Ids {
            generator: self,
            failed: false,
        }
    }

    /// Fills the slice with increasing ids, or returns an error and takes none. The ids may span several ticks.
    #[inline]
    pub fn fill(&self, ids: &mut [u64]) -> Result<()> {
        self.take_within(ids, sys::FRAZIL_WAIT_DEFAULT)
    }

    /// Fills the slice as [`Generator::fill`] does, but waits at most `wait`: [`Duration::ZERO`] never waits,
    /// [`Duration::MAX`] waits without a limit.
    pub fn take(&self, ids: &mut [u64], wait: Duration) -> Result<()> {
        self.take_within(ids, nanoseconds(wait))
    }

    #[inline]
    fn take_within(&self, ids: &mut [u64], wait_ns: u64) -> Result<()> {
        let mut why = Reason::new();
        // SAFETY: open; room for that many.
        let code = unsafe {
            sys::frazil_take(
                self.raw.as_ptr(),
                ids.as_mut_ptr(),
                ids.len(),
                wait_ns,
                why.as_mut_ptr(),
            )
        };
        why.check(code)
    }

    /// Returns one id without waiting, for event loops. After [`Code::EAGAIN`], [`Error::retry`] tells when to retry. With a URL as
    /// state it asks the coordinator if no slot is in hand, within the URL's timeout.
    #[inline]
    pub fn try_next(&self) -> Result<u64> {
        let mut id = 0;
        self.try_take(std::slice::from_mut(&mut id)).map(|_| id)
    }

    /// Takes the ids that are free now, at least 1 and at most all that fit, without waiting. Returns their number.
    #[inline]
    pub fn try_take(&self, ids: &mut [u64]) -> Result<usize> {
        let (mut taken, mut retry_ns) = (0, 0);
        let mut why = Reason::new();
        // SAFETY: open; room for that many.
        let code = unsafe {
            sys::frazil_try_take(
                self.raw.as_ptr(),
                ids.as_mut_ptr(),
                ids.len(),
                &mut taken,
                &mut retry_ns,
                why.as_mut_ptr(),
            )
        };
        why.check(code).map(|()| taken)
    }

    /// Returns an id for the given time, to import old records. The caller must keep such ids apart from live ones.
    pub fn next_at(&self, unix_ms: i64) -> Result<u64> {
        let mut id = 0;
        let mut why = Reason::new();
        // SAFETY: open; outputs are ours.
        let code = unsafe { sys::frazil_next_at(self.raw.as_ptr(), unix_ms, &mut id, why.as_mut_ptr()) };
        why.check(code).map(|()| id)
    }

    /// Returns a handle for one thread at a time. It takes ids in blocks, and issues them without an atomic operation.
    pub fn local(&self) -> Result<LocalGenerator> {
        let mut raw = std::ptr::null_mut();
        let mut why = Reason::new();
        // SAFETY: open; the output is ours, and holds the generator.
        let code = unsafe { sys::frazil_local_open(&mut raw, self.raw.as_ptr(), why.as_mut_ptr()) };
        why.check(code)?;
        Ok(LocalGenerator {
            raw: NonNull::new(raw).expect("it succeeded"),
            generator: self.clone(),
            one_thread: PhantomData,
        })
    }

    // ---- snos ----------------------------------------------------------------------------

    /// Returns one sno with this metabyte; the generator must have `layout=sno`.
    #[inline]
    pub fn next_sno(&self, meta: u8) -> Result<Sno> {
        let mut sno = Sno::default();
        let at: *mut Sno = &mut sno;
        // SAFETY: open; a Sno is a frazil_sno.
        let code = unsafe { sys::frazil_sno_next(self.raw.as_ptr(), meta, at.cast()) };
        if code == sys::FRAZIL_OK {
            Ok(sno)
        } else {
            self.explain_sno(code, meta)
        }
    }

    #[cold]
    fn explain_sno(&self, code: sys::frazil_err, meta: u8) -> Result<Sno> {
        let mut sno = Sno::default();
        match self.take_snos(meta, std::slice::from_mut(&mut sno), Duration::ZERO) {
            Ok(()) => Ok(sno),
            Err(why) => Err(Error::explained(code, why)),
        }
    }

    /// Fills the slice with increasing snos, as [`Generator::fill`] does with ids.
    pub fn fill_snos(&self, meta: u8, snos: &mut [Sno]) -> Result<()> {
        self.take_snos_within(meta, snos, sys::FRAZIL_WAIT_DEFAULT)
    }

    /// Fills the slice with increasing snos, and waits as [`Generator::take`] does.
    pub fn take_snos(&self, meta: u8, snos: &mut [Sno], wait: Duration) -> Result<()> {
        self.take_snos_within(meta, snos, nanoseconds(wait))
    }

    fn take_snos_within(&self, meta: u8, snos: &mut [Sno], wait_ns: u64) -> Result<()> {
        let mut why = Reason::new();
        // SAFETY: open; room for that many.
        let code = unsafe {
            sys::frazil_sno_take(
                self.raw.as_ptr(),
                meta,
                snos.as_mut_ptr().cast(),
                snos.len(),
                wait_ns,
                why.as_mut_ptr(),
            )
        };
        why.check(code)
    }

    /// Returns one sno without waiting, as [`Generator::try_next`] does for ids.
    pub fn try_next_sno(&self, meta: u8) -> Result<Sno> {
        let mut sno = Sno::default();
        let at: *mut Sno = &mut sno;
        let (mut taken, mut retry_ns) = (0, 0);
        let mut why = Reason::new();
        // SAFETY: open; a Sno is a frazil_sno.
        let code = unsafe {
            sys::frazil_sno_try_take(
                self.raw.as_ptr(),
                meta,
                at.cast(),
                1,
                &mut taken,
                &mut retry_ns,
                why.as_mut_ptr(),
            )
        };
        why.check(code).map(|()| sno)
    }

    /// Returns a sno for the given time, as [`Generator::next_at`] does for ids; the tick-tock bit is 0.
    pub fn next_sno_at(&self, unix_ms: i64, meta: u8) -> Result<Sno> {
        let mut sno = Sno::default();
        let at: *mut Sno = &mut sno;
        let mut why = Reason::new();
        // SAFETY: open; a Sno is a frazil_sno.
        let code = unsafe { sys::frazil_sno_next_at(self.raw.as_ptr(), unix_ms, meta, at.cast(), why.as_mut_ptr()) };
        why.check(code).map(|()| sno)
    }

    /// Returns the state of a sno generator, from which [`Options::snapshot`](crate::Options::snapshot) continues.
    pub fn snapshot(&self) -> Result<Snapshot> {
        // SAFETY: open; the buffer is of that size.
        Snapshot::written(|buf, size, len| unsafe { sys::frazil_sno_snapshot(self.raw.as_ptr(), buf, size, len) })
    }

    // ---- lifetime ------------------------------------------------------------------------

    /// Extends the grant of the worker id if it is due, for `keeper=hook`. Returns the time until the next call is due; `None`
    /// means never. While the coordinator does not answer, the present grant stands and this is no error:
    /// [`Generator::last_failure`] says why.
    pub fn keep(&self, wait: Duration) -> Result<Option<Duration>> {
        let mut next_ns = 0;
        let mut why = Reason::new();
        // SAFETY: open; outputs are ours.
        let code = unsafe { sys::frazil_keep(self.raw.as_ptr(), nanoseconds(wait), &mut next_ns, why.as_mut_ptr()) };
        kept(why.check(code), next_ns)
    }

    /// Stops the generator in this process: each waiting call and each later one fails with [`Code::ESTOPPED`].
    pub fn stop(&self) {
        // SAFETY: open.
        unsafe { sys::frazil_stop(self.raw.as_ptr()) }
    }

    /// Closes the generator, and waits at most `wait` until the worker id is given back. Returns [`Code::EINVAL`] if a clone, a
    /// local handle or an [`Events`] still exists: the generator stays open then, and the error contains it.
    pub fn close_within(self, wait: Duration) -> Result<(), CloseError> {
        let Generator { raw, handle, .. } = self;
        let mut handle = Arc::try_unwrap(handle).map_err(|handle| {
            let sentence = "a clone, a local handle or an Events of the generator is in use: drop it first".to_string();
            CloseError {
                why: Error::new(Code::EINVAL, sentence),
                generator: Some(Generator { raw, handle }),
            }
        })?;
        let raw = handle.raw;
        let (clock, overflow) = (handle._clock.take(), handle._overflow.take());
        std::mem::forget(handle);
        // SAFETY: it has no other owner, and is closed once: the handle is forgotten.
        let code = unsafe { sys::frazil_close_within(raw.as_ptr(), nanoseconds(wait)) };
        drop((clock, overflow));
        if code == sys::FRAZIL_OK {
            return Ok(());
        }
        Err(CloseError {
            why: Error::of(code),
            generator: None,
        })
    }

    /// Returns a reader of the generator's events. It keeps the generator open, as a clone does.
    pub fn events(&self) -> Events {
        Events::new(self.clone())
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::frazil {
        self.raw.as_ptr()
    }

    // ---- state ---------------------------------------------------------------------------

    /// Returns the layout of the ids.
    pub fn layout(&self) -> Layout {
        // SAFETY: open; the layout is there as long as the generator.
        Layout(unsafe { *self.raw_info().layout })
    }

    /// Returns how many ids are left in this tick.
    pub fn available(&self) -> u64 {
        self.raw_info().available
    }

    /// Returns the properties of the generator.
    pub fn info(&self) -> Info {
        Info::from_raw(&self.raw_info())
    }

    fn raw_info(&self) -> sys::frazil_info {
        // SAFETY: open; zeros are a value of the struct.
        unsafe {
            let mut raw: sys::frazil_info = std::mem::zeroed();
            sys::frazil_get_info(self.raw.as_ptr(), &mut raw, std::mem::size_of_val(&raw));
            raw
        }
    }

    /// Returns the counters of the generator.
    pub fn stats(&self) -> Stats {
        // SAFETY: open; zeros are a value of the struct.
        unsafe {
            let mut rows: [sys::frazil_stat; sys::FRAZIL_STATS_MOST] = std::mem::zeroed();
            sys::frazil_get_stats(self.raw.as_ptr(), rows.as_mut_ptr(), rows.len());
            Stats::from_rows(&rows)
        }
    }

    /// Returns the state of the generator now. Accesses neither disk nor coordinator.
    pub fn health(&self) -> Health {
        Health::from_raw(&self.raw_health(std::ptr::null_mut()))
    }

    /// Returns why extending the grant last failed; `None` after a success.
    pub fn last_failure(&self) -> Option<Error> {
        let mut why = Reason::new();
        let raw = self.raw_health(why.as_mut_ptr());
        why.check(raw.last_code).err()
    }

    fn raw_health(&self, failure: *mut sys::frazil_error) -> sys::frazil_health {
        // SAFETY: open; zeros are a value of the struct; the failure is the caller's or null.
        unsafe {
            let mut raw: sys::frazil_health = std::mem::zeroed();
            sys::frazil_get_health(self.raw.as_ptr(), &mut raw, std::mem::size_of_val(&raw), failure);
            raw
        }
    }
}

/// A handle on a generator for one thread at a time. The ids of one handle increase; those of several handles interleave.
///
/// ```
/// # let generator = frazil::Generator::open("worker=fixed:7 state=memory")?;
/// let local = generator.local()?;
/// std::thread::spawn(move || local.next()).join().unwrap()?;
/// # Ok::<(), frazil::Error>(())
/// ```
///
/// Two threads cannot share it:
///
/// ```compile_fail
/// fn shared<T: Sync>(_: T) {}
/// # let generator = frazil::Generator::open("worker=fixed:7 state=memory").unwrap();
/// shared(generator.local().unwrap());
/// ```
pub struct LocalGenerator {
    raw: NonNull<sys::frazil_local>,
    generator: Generator,
    one_thread: PhantomData<Cell<()>>,
}

// SAFETY: it belongs to one thread at a time, to any.
unsafe impl Send for LocalGenerator {}

impl fmt::Debug for LocalGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Local{:?}", self.generator)
    }
}

impl LocalGenerator {
    /// Returns one id.
    #[inline]
    #[allow(clippy::should_implement_trait)] // as Generator::next
    pub fn next(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: open, and of this thread; the output is ours.
        let code = unsafe { sys::frazil_local_next(self.raw.as_ptr(), &mut id) };
        if code == sys::FRAZIL_OK {
            Ok(id)
        } else {
            self.generator.explain(code)
        }
    }

    /// Returns one id without waiting.
    #[inline]
    pub fn try_next(&self) -> Result<u64> {
        let (mut id, mut taken, mut retry_ns) = (0, 0, 0);
        let mut why = Reason::new();
        // SAFETY: open, and of this thread; outputs are ours.
        let code = unsafe {
            sys::frazil_local_try_take(
                self.raw.as_ptr(),
                &mut id,
                1,
                &mut taken,
                &mut retry_ns,
                why.as_mut_ptr(),
            )
        };
        why.check(code).map(|()| id)
    }

    /// Fills the slice with increasing ids, or returns an error and takes none. Waits at most `max_wait`.
    pub fn fill(&self, ids: &mut [u64]) -> Result<()> {
        let mut why = Reason::new();
        // SAFETY: open, and of this thread; room for that many.
        let code = unsafe {
            sys::frazil_local_take(
                self.raw.as_ptr(),
                ids.as_mut_ptr(),
                ids.len(),
                sys::FRAZIL_WAIT_DEFAULT,
                why.as_mut_ptr(),
            )
        };
        why.check(code)
    }
}

impl Drop for LocalGenerator {
    fn drop(&mut self) {
        // SAFETY: closed once, before the generator.
        unsafe { sys::frazil_local_close(self.raw.as_ptr()) }
    }
}
