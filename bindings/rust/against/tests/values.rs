// SPDX-License-Identifier: MIT
//! Goal of this test: sfid and frazil::compat::sfid give equal values for equal inputs, whatever the clock does.
//!
//! Both ask the C library for the time, so this program has a clock of its own in its place.

use std::os::raw::{c_int, c_long};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

#[repr(C)]
pub struct TimeSpec {
    sec: i64,
    nsec: i64,
}

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

const REALTIME: [c_int; 2] = [0, 5]; // CLOCK_REALTIME, CLOCK_REALTIME_COARSE

/// The wall clock in milliseconds, and half of one: sfid counts in parts of 2^32, and at the start of a millisecond reads the
/// one before.
static WALL: AtomicI64 = AtomicI64::new(1_777_636_800_000);

/// Stands for the C library's.
///
/// # Safety
/// As that one.
#[no_mangle]
pub unsafe extern "C" fn clock_gettime(clock: c_int, ret: *mut TimeSpec) -> c_int {
    if REALTIME.contains(&clock) {
        let ms = WALL.load(Ordering::SeqCst);
        *ret = TimeSpec {
            sec: ms.div_euclid(1000),
            nsec: ms.rem_euclid(1000) * 1_000_000 + 500_000,
        };
        return 0;
    }
    #[cfg(target_arch = "x86_64")]
    const NUMBER: c_long = 228;
    #[cfg(target_arch = "aarch64")]
    const NUMBER: c_long = 113;
    syscall(NUMBER, clock, ret) as c_int
}

/// Within a tick frazil trusts the processor's counter, and does not ask for the time again.
fn pass_a_tick() {
    let before = Instant::now();
    while before.elapsed() < Duration::from_millis(3) {
        std::hint::spin_loop();
    }
}

/// Alone in its program, as the clock is everybody's.
#[test]
fn equal_inputs_have_equal_values() {
    std::env::set_var("FRAZIL_STATE", "memory");
    assert_eq!(sfid::EPOCH, frazil::compat::sfid::EPOCH);
    assert_eq!(sfid::MAX_PID, frazil::compat::sfid::MAX_PID);
    assert_eq!(sfid::PID_BITS, frazil::compat::sfid::PID_BITS);

    let start = WALL.load(Ordering::SeqCst);
    let mut compared = 0;
    for (epoch, pid) in [(sfid::EPOCH, 0), (sfid::EPOCH, 1023), (1_577_836_800_000, 341), (0, 7)] {
        WALL.store(start, Ordering::SeqCst);
        let theirs = sfid::Snowflake::new(epoch, pid);
        let ours = frazil::compat::sfid::Snowflake::new(epoch, pid);
        // A tick that is full, one that is not, steps forward, back by a little and by much, and on again.
        for (step, calls) in [
            (0, 9000),
            (1, 5),
            (1, 5),
            (500, 4097),
            (-1, 10),
            (-3000, 6000),
            (20, 3),
            (90_000, 4096),
        ] {
            WALL.fetch_add(step, Ordering::SeqCst);
            pass_a_tick();
            for call in 0..calls {
                let (their_id, our_id) = (theirs.next(), ours.next());
                assert_eq!(
                    (sfid::parse(their_id).ts, sfid::parse(their_id).seq, their_id),
                    (sfid::parse(our_id).ts, sfid::parse(our_id).seq, our_id),
                    "epoch {}, pid {}, step {}, call {}",
                    epoch,
                    pid,
                    step,
                    call
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 90_000);
}

#[test]
fn equal_numbers_have_equal_parts() {
    let mut number = 1u64;
    let mut numbers = vec![0, -1, 1, i64::MAX, i64::MIN];
    for _ in 0..100_000 {
        number = number
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        numbers.push(number as i64);
    }
    for number in numbers {
        let (theirs, ours) = (sfid::parse(number), frazil::compat::sfid::parse(number));
        assert_eq!(
            (theirs.ts, theirs.pid, theirs.seq),
            (ours.ts, ours.pid, ours.seq),
            "{}",
            number
        );
        assert_eq!(format!("{:?}", theirs), format!("{:?}", ours));
    }
}
