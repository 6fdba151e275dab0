// SPDX-License-Identifier: MIT
//! Events of a generator, for a program's log.

use std::fmt;
use std::os::unix::io::RawFd;

use frazil_sys as sys;

use crate::error::{text, Code, Reason, Result};
use crate::generator::Generator;

/// The kind of an event. A newer library may have more kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// The worker id changed; the value is the previous one.
    Moved,
    /// The worker id is lost or its grant has ended, without a replacement yet; the code tells why.
    Lost,
    /// Extending the grant failed; the code tells why.
    ExtensionFailed,
    /// The clock went back; the value is the step in microseconds.
    ClockBack,
    /// A call waited because the tick was full, for the first time in a second.
    Overflow,
    /// At opening: two hosts may have one worker id; the value is in parts per million.
    WarnCollision,
    /// At opening: the layout ends within ten years; the value is its last millisecond.
    WarnShortLife,
    /// At opening: the clock is before the layout's epoch; the value is the difference in milliseconds.
    WarnEarlyClock,
    /// At opening: nothing prevents another generator from using the worker id.
    WarnUnclaimed,
    /// A kind of a newer library.
    Unknown(u32),
}

impl EventKind {
    fn from_raw(raw: u32) -> EventKind {
        match raw {
            sys::FRAZIL_EVENT_MOVED => EventKind::Moved,
            sys::FRAZIL_EVENT_LOST => EventKind::Lost,
            sys::FRAZIL_EVENT_EXTENSION_FAILED => EventKind::ExtensionFailed,
            sys::FRAZIL_EVENT_CLOCK_BACK => EventKind::ClockBack,
            sys::FRAZIL_EVENT_OVERFLOW => EventKind::Overflow,
            sys::FRAZIL_EVENT_WARN_COLLISION => EventKind::WarnCollision,
            sys::FRAZIL_EVENT_WARN_SHORT_LIFE => EventKind::WarnShortLife,
            sys::FRAZIL_EVENT_WARN_EARLY_CLOCK => EventKind::WarnEarlyClock,
            sys::FRAZIL_EVENT_WARN_UNCLAIMED => EventKind::WarnUnclaimed,
            other => EventKind::Unknown(other),
        }
    }
}

/// An event of a generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The kind of the event.
    pub kind: EventKind,
    /// The reason, for kinds that have one.
    pub code: Option<Code>,
    /// The worker id after the event; for snos the partition.
    pub worker: u32,
    /// The time of the event, on the generator's clock.
    pub unix_ms: i64,
    /// The value that the kind describes; otherwise 0.
    pub value: u64,
    /// How many events were lost since the one read before.
    pub missed: u64,
    number: u32,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: any number has a name, which is never freed.
        let name = unsafe { text(sys::frazil_event_name(self.number)) };
        write!(f, "{} worker={}", name, self.worker)?;
        if self.value != 0 {
            write!(f, " value={}", self.value)?;
        }
        match self.code {
            Some(code) => write!(f, ": {}", code.sentence()),
            None => Ok(()),
        }
    }
}

/// A reader of a generator's events, from the oldest one that is kept. The iterator ends when no more events are there; call it
/// again later for new ones.
///
/// ```
/// # let generator = frazil::Generator::open("worker=fixed:7 state=memory")?;
/// let mut events = generator.events();
/// for event in &mut events {
///     println!("{}", event);
/// }
/// # Ok::<(), frazil::Error>(())
/// ```
#[derive(Debug)]
pub struct Events {
    generator: Generator,
    cursor: u64,
}

impl Events {
    pub(crate) fn new(generator: Generator) -> Events {
        Events { generator, cursor: 0 }
    }

    /// Returns a descriptor for event loops, such as tokio's `AsyncFd`. It becomes readable with an event, and stays readable
    /// until `next` returns `None`. It belongs to the generator: only wait for it, in one thread.
    pub fn as_fd(&self) -> Result<RawFd> {
        let mut fd = -1;
        let mut why = Reason::new();
        // SAFETY: open; outputs are ours.
        let code = unsafe { sys::frazil_event_fd(self.generator.as_ptr(), &mut fd, why.as_mut_ptr()) };
        why.check(code).map(|()| fd)
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        // SAFETY: open; zeros are a value of the struct.
        let raw = unsafe {
            let mut raw: sys::frazil_event = std::mem::zeroed();
            let size = std::mem::size_of_val(&raw);
            if !sys::frazil_next_event(self.generator.as_ptr(), &mut self.cursor, &mut raw, size) {
                return None;
            }
            raw
        };
        Some(Event {
            kind: EventKind::from_raw(raw.kind),
            code: Some(Code(raw.code)).filter(|code| code.0 != sys::FRAZIL_OK),
            worker: raw.worker,
            unix_ms: raw.unix_ms,
            value: raw.value,
            missed: raw.missed,
            number: raw.kind,
        })
    }
}
