// SPDX-License-Identifier: MIT
//! The names of sfid 0.1.1: replace `use sfid::` with `use frazil::compat::sfid::`.
//!
//! ```
//! use frazil::compat::sfid::{parse, Snowflake, EPOCH};
//!
//! static SNOWFLAKE: Snowflake = Snowflake::new(EPOCH, 1);
//! # std::env::set_var("FRAZIL_STATE", "memory");
//!
//! let id = SNOWFLAKE.next();
//! assert_eq!(parse(id).pid, 1);
//! ```
//!
//! It needs no tokio: the futures of [`allocate`] and [`Snowflake::auto`] run on any executor. It finds Redis as sfid does, by
//! the environment variables `R_NODE` (`host:port`, or the path of a socket), `R_USER`, `R_PASSWORD` and `R_DB`. It refuses
//! sentinels and clusters. The part `libfrazil-redis` must be installed.
//!
//! Five things differ from sfid, to prevent duplicates:
//!
//! - State is kept on the host: [`Snowflake`]s with the same pid share one sequence, within a process and across processes, also
//!   after a restart. `FRAZIL_STATE=memory` in the environment turns that off; another process is then refused the pid.
//! - [`Snowflake::auto`] gives up its pid before its key can have expired; [`Snowflake::next`] then continues with
//!   another pid.
//! - A pid above 1023 is refused; sfid drops its high bits.
//! - [`Snowflake::next`] can fail: it waits up to ten seconds, and then panics with a sentence.
//! - A dropped [`Pid`] is free at once; sfid leaves its key to expire.
//!
//! [`allocate`] returns a number alone, as sfid's does. A [`Snowflake::new`] with that number does not learn that its key is lost,
//! or that it expired while the process was stopped. Then both it and the next owner make the same ids.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use frazil_sys as sys;

use crate::{Class, Code, Generator, Lease};

const SEQ_BITS: u32 = 12;

/// Bits of a pid.
pub const PID_BITS: u32 = 10;

/// How many pids there are.
pub const MAX_PID: u32 = 1 << PID_BITS;

/// The epoch that sfid suggests: 2025-12-22T00:00:00Z.
pub const EPOCH: u64 = 1766361600000;

/// How long a call waits for an id before it panics.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest pause between two tries to open a generator.
const PAUSE: Duration = Duration::from_millis(20);

/// The result of functions that ask Redis.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why there is no pid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// Redis does not answer, refuses, or has unusable keys.
    Redis(crate::Error),
    /// All pids are taken; the value is how many there are.
    NoAvailablePid(u32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Redis(why) => write!(f, "Redis error: {}", why),
            Error::NoAvailablePid(slots) => write!(f, "No available process ID, all {} slots are occupied", slots),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Redis(why) => Some(why),
            Error::NoAvailablePid(_) => None,
        }
    }
}

impl From<crate::Error> for Error {
    fn from(why: crate::Error) -> Error {
        if why.code() == Code::EPOOL {
            Error::NoAvailablePid(MAX_PID)
        } else {
            Error::Redis(why)
        }
    }
}

// ---- ids ------------------------------------------------------------------------------

/// A generator of ids.
pub struct Snowflake {
    epoch: u64,
    pid: u16,
    /// The generator, opened by the first call, as a constant cannot open anything; NULL until then.
    generator: AtomicPtr<Generator>,
}

/// The generators whose pid the caller chose, each with its pid and epoch. A dropped [`Snowflake`] leaves its generator open, so
/// that the next one costs as little as in sfid. Giving back the [`Pid`] closes it.
static OPENED: Mutex<Vec<(u16, u64, Generator)>> = Mutex::new(Vec::new());

/// Returns the list, if no thread holds it. It never waits: a fork can have left the lock held forever.
fn opened() -> Option<MutexGuard<'static, Vec<(u16, u64, Generator)>>> {
    match OPENED.try_lock() {
        Ok(list) => Some(list),
        Err(TryLockError::Poisoned(list)) => Some(list.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Returns the generator of a pid and an epoch.
fn generator_of(epoch: u64, pid: u16) -> crate::Result<Generator> {
    let of_list = |list: &[(u16, u64, Generator)]| {
        let found = list.iter().find(|each| each.0 == pid && each.1 == epoch);
        found.map(|each| each.2.clone())
    };
    if let Some(generator) = opened().and_then(|list| of_list(&list)) {
        return Ok(generator);
    }
    // All openings of the process share one generator, so it does no harm if two threads come here.
    let spec = format!("layout=sfid epoch={} behaviour=sfid worker=fixed:{}", epoch, pid);
    let generator = Generator::open_shared(&spec)?;
    if let Some(mut list) = opened() {
        if of_list(&list).is_none() {
            list.push((pid, epoch, generator.clone()));
        }
    }
    Ok(generator)
}

/// Retries [`generator_of`] for as long as a call waits for an id: processes that start together open one after the other.
fn generator_in_time(epoch: u64, pid: u16) -> crate::Result<Generator> {
    let until = Instant::now() + PATIENCE;
    loop {
        match generator_of(epoch, pid) {
            Err(why) if why.class() == Class::Retry && Instant::now() < until => {
                std::thread::sleep(why.retry().unwrap_or(PAUSE).min(PAUSE));
            }
            result => return result,
        }
    }
}

impl Snowflake {
    /// Creates a generator with the given pid. Panics for a pid above 1023; in a constant the compiler reports it.
    pub const fn new(epoch: u64, pid: u16) -> Self {
        assert!((pid as u32) < MAX_PID, "a pid of sfid is 0 to 1023");
        Snowflake {
            epoch,
            pid,
            generator: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Returns the next id. Panics if there is none for ten seconds: if a grant of the pid has ended and Redis is unreachable,
    /// or if the state directory cannot be used.
    pub fn next(&self) -> i64 {
        let generator = self.generator();
        match generator.next() {
            Ok(id) => id as i64,
            Err(_) => Self::insist(generator),
        }
    }

    #[cold]
    fn insist(generator: &Generator) -> i64 {
        let mut id = [0];
        match generator.take(&mut id, PATIENCE) {
            Ok(()) => id[0] as i64,
            Err(why) => panic!("sfid: there is no id: {}", why),
        }
    }

    #[inline]
    fn generator(&self) -> &Generator {
        let at = self.generator.load(Ordering::Acquire);
        // SAFETY: it was a box's, and stays until self is dropped.
        match unsafe { at.as_ref() } {
            Some(generator) => generator,
            None => self.open(),
        }
    }

    #[cold]
    fn open(&self) -> &Generator {
        let generator = generator_in_time(self.epoch, self.pid)
            .unwrap_or_else(|why| panic!("sfid: the generator of pid {} cannot be opened: {}", self.pid, why));
        let mine = Box::into_raw(Box::new(generator));
        match self
            .generator
            .compare_exchange(ptr::null_mut(), mine, Ordering::AcqRel, Ordering::Acquire)
        {
            // SAFETY: it stays until self is dropped.
            Ok(_) => unsafe { &*mine },
            Err(others) => {
                // SAFETY: no thread has seen ours; the other one stays until self is dropped.
                unsafe {
                    drop(Box::from_raw(mine));
                    &*others
                }
            }
        }
    }

    /// Creates a generator with a pid of this app from Redis.
    pub async fn auto(app: impl AsRef<[u8]>, epoch: u64) -> Result<Self> {
        let spec = format!(
            "layout=sfid epoch={} behaviour=sfid worker={}",
            epoch,
            quoted(&url(app.as_ref())?)
        );
        let generator = Task::start(move || Generator::open(&spec)).await?;
        let pid = u16::try_from(generator.info().worker).unwrap_or_default();
        Ok(Snowflake {
            epoch,
            pid,
            generator: AtomicPtr::new(Box::into_raw(Box::new(generator))),
        })
    }
}

impl fmt::Debug for Snowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snowflake")
            .field("epoch", &self.epoch)
            .field("pid", &self.pid)
            .finish_non_exhaustive()
    }
}

impl Drop for Snowflake {
    fn drop(&mut self) {
        let at = *self.generator.get_mut();
        if !at.is_null() {
            // SAFETY: it came from a box, and has no other owner.
            drop(unsafe { Box::from_raw(at) });
        }
    }
}

// ---- pids -----------------------------------------------------------------------------

/// A pid that Redis reserves for this process. It is extended while this value exists, and given back when it is dropped.
#[derive(Debug)]
pub struct Pid {
    id: u16,
    lease: Option<Lease>,
}

impl Pid {
    /// Returns the pid as a number.
    #[inline]
    pub fn id(&self) -> u16 {
        self.id
    }
}

impl Drop for Pid {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.close(used_until(self.id));
        }
    }
}

/// Returns the last instant that generators of this process can have stamped with a pid, as they may run ahead of the clock.
/// Closes generators that nothing uses any more.
fn used_until(pid: u16) -> i64 {
    let mut list = match opened() {
        Some(list) => list,
        None => return sys::FRAZIL_LEASE_ALL_USED,
    };
    let leads = list
        .iter()
        .filter(|each| each.0 == pid)
        .map(|each| each.2.stats().lead_us);
    let ahead = Duration::from_micros(leads.max().unwrap_or(0)) + Duration::from_millis(1);
    list.retain(|each| each.0 != pid);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from((now + ahead).as_millis()).unwrap_or(sys::FRAZIL_LEASE_ALL_USED)
}

/// Allocates a pid of this app from Redis.
pub async fn allocate(app: impl AsRef<[u8]>) -> Result<Pid> {
    let spec = format!("layout=sfid worker={}", quoted(&url(app.as_ref())?));
    let (id, lease) = Task::start(move || {
        let lease = Lease::open(&spec)?;
        // Another process may have had the pid until a moment ago: wait until its time has passed.
        loop {
            match lease.get() {
                Ok(info) => return Ok((info.worker, lease)),
                Err(why) => match why.retry() {
                    Some(wait) if wait < PATIENCE => std::thread::sleep(wait),
                    _ => return Err(why),
                },
            }
        }
    })
    .await?;
    Ok(Pid {
        id: u16::try_from(id).unwrap_or_default(),
        lease: Some(lease),
    })
}

/// Returns the URL of the app in the Redis that sfid's environment variables name.
fn url(app: &[u8]) -> Result<String> {
    let refuse = |sentence: String| Err(Error::Redis(crate::Error::new(Code::ESPEC, sentence)));
    let said = |name: &str| {
        let value = std::env::var(name).unwrap_or_default();
        Some(value.trim().to_string()).filter(|value| !value.is_empty())
    };
    let app = match std::str::from_utf8(app) {
        Ok(app) => app,
        Err(_) => return refuse("the name of the app is no UTF-8: use letters, digits, '.', '_', '-'".to_string()),
    };
    let node = match said("R_NODE") {
        Some(node) if node.split_whitespace().count() == 1 => node,
        Some(_) => return refuse("R_NODE names several nodes: frazil takes one Redis, no cluster".to_string()),
        None => return refuse("R_NODE is not set: write the Redis into it, as 127.0.0.1:6379".to_string()),
    };
    if said("R_SENTINEL_NAME").is_some() {
        return refuse("R_SENTINEL_NAME is set: frazil asks no sentinels, name the master in R_NODE".to_string());
    }
    let access = match (said("R_USER"), said("R_PASSWORD")) {
        (_, None) => String::new(),
        (user, Some(password)) => format!("{}:{}@", escaped(&user.unwrap_or_default()), escaped(&password)),
    };
    let database = said("R_DB").map_or(String::new(), |number| format!("?db={}", number));
    Ok(if node.starts_with('/') {
        format!(
            "sfid+redis+unix://{}{}/{}{}",
            access,
            escaped_path(&node),
            app,
            database
        )
    } else {
        format!("sfid+redis://{}{}/{}{}", access, node, app, database)
    })
}

fn escaped_but(text: &str, plain: &[u8]) -> String {
    let mut escaped = String::new();
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            escaped.push(byte as char);
        } else {
            escaped.push_str(&format!("%{:02X}", byte));
        }
    }
    escaped
}

fn escaped(text: &str) -> String {
    escaped_but(text, b"-._~")
}

fn escaped_path(text: &str) -> String {
    escaped_but(text, b"-._~/")
}

/// Returns a value for a spec, quoted as it may hold spaces.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

// ---- parts of an id -------------------------------------------------------------------

/// The parts of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedId {
    /// Milliseconds since the epoch.
    pub ts: u64,
    /// The pid.
    pub pid: u16,
    /// The number within the millisecond.
    pub seq: u16,
}

/// Returns the parts of an id; any number is accepted.
pub fn parse(id: i64) -> ParsedId {
    let bits = id as u64;
    ParsedId {
        ts: bits >> (PID_BITS + SEQ_BITS),
        pid: (bits >> SEQ_BITS) as u16 & (MAX_PID as u16 - 1),
        seq: bits as u16 & ((1 << SEQ_BITS) - 1),
    }
}

// ---- waiting --------------------------------------------------------------------------

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A future of a thread's answer, for calls to Redis, which must not block an executor.
struct Task<T> {
    shared: Arc<Mutex<Answer<T>>>,
}

struct Answer<T> {
    result: Option<crate::Result<T>>,
    waker: Option<Waker>,
}

impl<T: Send + 'static> Task<T> {
    fn start<F>(work: F) -> Task<T>
    where
        F: FnOnce() -> crate::Result<T> + Send + 'static,
    {
        let shared = Arc::new(Mutex::new(Answer {
            result: None,
            waker: None,
        }));
        let theirs = shared.clone();
        std::thread::spawn(move || {
            let result = work();
            let mut answer = lock(&theirs);
            answer.result = Some(result);
            if let Some(waker) = answer.waker.take() {
                waker.wake();
            }
        });
        Task { shared }
    }
}

impl<T> Future for Task<T> {
    type Output = crate::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut answer = lock(&self.shared);
        match answer.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                answer.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
