// SPDX-License-Identifier: MIT
//! The cost of an id of sfid and of frazil::compat::sfid, for bindings/costs.sh. A line each: name, TAB, nanoseconds for an id.

use std::time::Instant;

const ROUNDS: usize = 15;
const CALLS: usize = 300_000;

fn least<F: FnMut() -> i64>(mut call: F) -> f64 {
    let mut one = || {
        let begin = Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(call());
        }
        begin.elapsed().as_nanos() as f64 / CALLS as f64
    };
    (0..ROUNDS).map(|_| one()).fold(f64::INFINITY, f64::min)
}

fn main() {
    std::env::set_var("FRAZIL_STATE", "memory");
    let theirs = sfid::Snowflake::new(sfid::EPOCH, 1);
    let ours = frazil::compat::sfid::Snowflake::new(sfid::EPOCH, 1);
    println!("sfid, a call\t{:.2}", least(|| theirs.next()));
    println!("Rust, compat::sfid, full ticks\t{:.2}", least(|| ours.next()));
}
