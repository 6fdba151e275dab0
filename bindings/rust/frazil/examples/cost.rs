// SPDX-License-Identifier: MIT
//! The cost of an id, for bindings/costs.sh. A line each: name, TAB, nanoseconds for an id.

use std::time::Instant;

use frazil::{Form, Generator};

const IDS: usize = 10_000;
const ROUNDS: usize = 15;
const CALLS: usize = 300_000;

/// Prints the shortest time of one of `calls` calls.
fn least<F: FnMut()>(calls: usize, mut call: F) -> f64 {
    let one = |call: &mut F| {
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        begin.elapsed().as_nanos() as f64 / calls as f64
    };
    (0..ROUNDS).map(|_| one(&mut call)).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), frazil::Error> {
    let spec = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "worker=fixed:1 state=memory".to_string());
    let generator = Generator::open(&spec)?;
    let local = generator.local()?;
    let mut ids = [0; IDS];
    let unwrap = |result: Result<u64, frazil::Error>| result.expect("an id");
    println!(
        "Rust, a call\t{:.2}",
        least(CALLS, || {
            unwrap(generator.next());
        })
    );
    println!(
        "Rust, a call of a LocalGenerator\t{:.2}",
        least(CALLS, || {
            unwrap(local.next());
        })
    );
    println!(
        "Rust, a call as text\t{:.2}",
        least(CALLS, || {
            generator.next_text(Form::Crockford).expect("an id");
        })
    );
    let batch = least(CALLS / IDS * 10, || generator.fill(&mut ids).expect("ids"));
    println!("Rust, batches of {}\t{:.3}", IDS, batch / IDS as f64);
    Ok(())
}
