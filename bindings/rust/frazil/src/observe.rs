// SPDX-License-Identifier: MIT
//! The properties, counters and health of a generator.

use std::fmt;
use std::time::Duration;

use frazil_sys as sys;

use crate::error::Code;

/// The properties of a generator, and its place in the current tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Info {
    /// The worker id; for snos the partition.
    pub worker: u32,
    /// The lowest sequence number that the generator uses.
    pub sequence_min: u32,
    /// The highest sequence number that the generator uses.
    pub sequence_max: u32,
    /// The sequence number of the next id, if it were taken now.
    pub sequence: u32,
    /// How many sequence numbers of this tick are used.
    pub length: u64,
    /// How many sequence numbers a tick has.
    pub capacity: u64,
    /// Whether the processor's counter replaces clock reads.
    pub counter_in_use: bool,
    /// Whether no generator has used this worker on this host since it booted.
    pub state_is_new: bool,
    /// Where the state is kept.
    pub state: StateKind,
    /// For hashed worker ids: the probability that two of the expected hosts share one, in parts per million.
    pub collision_ppm: u32,
}

/// Where the state of a generator is kept. A newer library may have more kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StateKind {
    /// In this process: no other or later process knows it.
    Memory,
    /// In files of this host.
    File,
    /// With the coordinator or granter that gives the worker id.
    Grant,
    /// With the coordinator that gives the slots.
    Slots,
    /// A kind of a newer library.
    Unknown(u32),
}

impl StateKind {
    fn from_raw(raw: u32) -> StateKind {
        match raw as i32 {
            sys::FRAZIL_STATE_MEMORY => StateKind::Memory,
            sys::FRAZIL_STATE_FILE => StateKind::File,
            sys::FRAZIL_STATE_GRANT => StateKind::Grant,
            sys::FRAZIL_STATE_SLOTS => StateKind::Slots,
            _ => StateKind::Unknown(raw),
        }
    }
}

/// Writes the word for the kind, such as `file`, which is the same in all of frazil.
impl fmt::Display for StateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateKind::Memory => "memory",
            StateKind::File => "file",
            StateKind::Grant => "grant",
            StateKind::Slots => "slots",
            StateKind::Unknown(_) => "unknown",
        })
    }
}

impl Info {
    pub(crate) fn from_raw(raw: &sys::frazil_info) -> Info {
        Info {
            worker: raw.worker,
            sequence_min: raw.sequence_min,
            sequence_max: raw.sequence_max,
            sequence: raw.sequence,
            length: raw.capacity - raw.available,
            capacity: raw.capacity,
            counter_in_use: raw.counter_in_use != 0,
            state_is_new: raw.state_is_new != 0,
            state: StateKind::from_raw(raw.state),
            collision_ppm: raw.collision_ppm,
        }
    }
}

macro_rules! stats {
    ($($(#[$doc:meta])* $name:ident = $number:ident,)*) => {
        /// The counters of a generator and of all processes that share it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Stats {
            pub(crate) fn from_rows(rows: &[sys::frazil_stat]) -> Stats {
                Stats { $($name: rows[sys::$number].value,)* }
            }

            /// Returns names and values, for exporters.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
                vec![$((stringify!($name), self.$name),)*].into_iter()
            }
        }
    };
}

stats! {
    /// Ids taken.
    issued = FRAZIL_STAT_ISSUED,
    /// Ticks of the clock that had no id left for a call; each tick counts once.
    full = FRAZIL_STAT_FULL,
    /// How often the clock went back.
    backward_steps = FRAZIL_STAT_BACKWARD_STEPS,
    /// The largest step back.
    backward_max_us = FRAZIL_STAT_BACKWARD_MAX_US,
    /// How far the next id is ahead of the clock now.
    lead_us = FRAZIL_STAT_LEAD_US,
    /// The furthest that any id was ahead of the clock.
    lead_max_us = FRAZIL_STAT_LEAD_MAX_US,
    /// Calls that had to wait.
    waits = FRAZIL_STAT_WAITS,
    /// How long these calls waited in total.
    waited_us = FRAZIL_STAT_WAITED_US,
    /// How often the tick-tock bit was toggled.
    ticktocks = FRAZIL_STAT_TICKTOCKS,
    /// Grants that continued the previous one.
    extensions = FRAZIL_STAT_EXTENSIONS,
    /// Grants that did not continue the previous one: another worker id, or a gap in time.
    moves = FRAZIL_STAT_MOVES,
}

/// The state of a generator now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HealthState {
    /// The generator issues ids, as its policies allow.
    Serving,
    /// The generator issues ids, but little of its grant is left.
    NeedsGrant,
    /// The clock is before the grant or the layout's epoch.
    Behind,
    /// The grant has ended: the generator issues no ids until it has another.
    Fenced,
    /// The layout's last tick is over.
    Exhausted,
    /// The generator was stopped in this process.
    Stopped,
    /// A state of a newer library.
    Unknown(i32),
}

/// Writes the word for the state, such as `needs_grant`, which is the same in all of frazil.
impl fmt::Display for HealthState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HealthState::Serving => "serving",
            HealthState::NeedsGrant => "needs_grant",
            HealthState::Behind => "behind",
            HealthState::Fenced => "fenced",
            HealthState::Exhausted => "exhausted",
            HealthState::Stopped => "stopped",
            HealthState::Unknown(_) => "unknown",
        })
    }
}

/// The state of a generator, for health checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Health {
    /// The state now.
    pub state: HealthState,
    /// Why extending the grant last failed.
    pub last_failure: Option<Code>,
    /// The worker id; for snos the partition.
    pub worker: u32,
    /// The end of the grant: no id is issued for this time or later. `None` if the worker id is not limited in time.
    pub grant_end_unix_ms: Option<i64>,
    /// How far a fresh grant reaches.
    pub horizon: Duration,
    /// The time until the next extension of the grant; `None` without a grant.
    pub next_keep: Option<Duration>,
    /// How often in a row extending the grant has failed.
    pub failures: u64,
}

impl Health {
    /// Returns whether the generator issues ids, as its policies allow.
    pub fn is_serving(&self) -> bool {
        matches!(self.state, HealthState::Serving | HealthState::NeedsGrant)
    }

    pub(crate) fn from_raw(raw: &sys::frazil_health) -> Health {
        let granted = raw.needs_grant != 0;
        Health {
            state: match raw.state {
                sys::FRAZIL_HEALTH_SERVING => HealthState::Serving,
                sys::FRAZIL_HEALTH_NEEDS_GRANT => HealthState::NeedsGrant,
                sys::FRAZIL_HEALTH_BEHIND => HealthState::Behind,
                sys::FRAZIL_HEALTH_FENCED => HealthState::Fenced,
                sys::FRAZIL_HEALTH_EXHAUSTED => HealthState::Exhausted,
                sys::FRAZIL_HEALTH_STOPPED => HealthState::Stopped,
                other => HealthState::Unknown(other),
            },
            last_failure: Some(Code(raw.last_code)).filter(|code| code.0 != sys::FRAZIL_OK),
            worker: raw.worker,
            grant_end_unix_ms: Some(raw.grant_end_unix_ms).filter(|_| granted),
            horizon: Duration::from_nanos(raw.horizon_ns),
            next_keep: Some(raw.next_keep_ns)
                .filter(|&ns| granted && ns != sys::FRAZIL_WAIT_FOREVER)
                .map(Duration::from_nanos),
            failures: raw.failures,
        }
    }
}

/// The argument of an overflow callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Overflow {
    /// The time now.
    pub unix_ms: i64,
    /// Callers that wait for a sequence number; 0 if the overflow has ended.
    pub waiting: u32,
    /// For how many ticks the overflow has lasted.
    pub ticks: u32,
}

impl Overflow {
    pub(crate) fn from_raw(raw: &sys::frazil_overflow) -> Overflow {
        Overflow {
            unix_ms: raw.unix_ms,
            waiting: raw.waiting,
            ticks: raw.ticks,
        }
    }
}
