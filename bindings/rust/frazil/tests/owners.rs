// SPDX-License-Identifier: MIT
//! Goal of this test: a generator gives its worker number back when its last owner goes, and not before.
//!
//! A program of its own: a child that another test starts at that moment would hold the number until it has executed
//! its program, as forked children do.

mod common;

use std::time::Duration;

use common::Scratch;
use frazil::{Code, Generator};

#[test]
fn a_generator_is_closed_with_its_last_owner() {
    let scratch = Scratch::new();
    let spec = scratch.spec("layout=41/6/16 worker=file-lock count=1 open_wait=0s");
    let generator = Generator::open(&spec).unwrap();
    let local = generator.local().unwrap();
    let clone = generator.clone();
    let refused = generator.close_within(Duration::from_secs(1)).unwrap_err();
    assert_eq!(refused.code(), Code::EINVAL);
    let generator = refused.into_generator().expect("it was not closed");
    let before = generator.next().unwrap();
    drop(generator);
    drop(clone);
    assert_eq!(
        Generator::open(&spec).unwrap_err().code(),
        Code::EPOOL,
        "the handle still has it"
    );
    let mut ids = vec![before, local.next().unwrap()];
    drop(local);
    let again = Generator::open(&spec).unwrap();
    ids.extend((0..100).map(|_| again.next().unwrap()));
    let events = again.events();
    let refused = again.close_within(Duration::from_secs(1)).unwrap_err();
    assert!(refused.to_string().contains("Events"), "{}", refused);
    let again = refused.into_generator().expect("it was not closed");
    drop(events);
    again.close_within(Duration::from_secs(300)).unwrap();
    let last = Generator::open(&spec).unwrap();
    ids.extend((0..100).map(|_| last.next().unwrap()));
    assert!(
        ids.windows(2).all(|pair| pair[0] < pair[1]),
        "each id is above the one before"
    );
}
