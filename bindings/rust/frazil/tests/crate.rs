// SPDX-License-Identifier: MIT
//! Goal of this test: the crate's own types do what they say, and the names of sfid answer as sfid's documentation has it.

mod common;

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use frazil::compat::sfid::{self, parse, ParsedId, Snowflake, EPOCH, MAX_PID, PID_BITS};
use frazil::{
    Class, Code, Environment, EventKind, Form, Generator, HealthState, Id, Kasumi, Layout, ManualClock, Options,
    Snapshot, Sno, StateKind,
};

const NOW: i64 = 1_777_636_800_000;

#[test]
fn an_error_has_code_class_sentence_and_place() {
    let why = "41/10/".parse::<Layout>().unwrap_err();
    assert_eq!((why.code(), why.class()), (Code::ELAYOUT, Class::Usage));
    assert_eq!(
        format!("{:?} {}", why.code(), why.code()),
        "FRAZIL_ELAYOUT FRAZIL_ELAYOUT"
    );
    assert_eq!(why.to_string(), why.sentence());
    assert!(format!("{:?}", why).starts_with("FRAZIL_ELAYOUT (usage): "));
    assert_eq!((why.retry(), why.behind()), (None, None));

    let why = Form::Dec.parse("12x").unwrap_err();
    assert_eq!((why.code(), why.position()), (Code::EPARSE, Some(2)));
    assert_eq!(Generator::open("worker=fixed:1\0").unwrap_err().code(), Code::ESPEC);
    assert_eq!(Form::by_name("dozen").unwrap_err().code(), Code::EINVAL);
}

#[test]
fn keys_that_no_spec_can_hold_are_refused_and_passwords_in_them_are_not_shown() {
    let long = "a b ".repeat(1 << 18);
    let keys = [
        "a b",
        " ",
        "",
        "\t",
        "max batch",
        "'a b'",
        "a\\ b",
        "\"",
        "a\nb",
        "\x1b[2J",
        "größe x",
        "a=b c=d",
        &long,
    ];
    let urls = [
        "redis://me:hun ter2@h/n",
        "x redis://me:ter2@h/n",
        "token=a/b&x y://:ter2@h",
    ];
    for key in keys.iter().chain(&urls) {
        let why = Options::new().unwrap().set(key, "x").err().unwrap();
        assert_eq!((why.code(), why.class()), (Code::ESPEC, Class::Usage), "{}", key);
        assert!(!why.sentence().contains("ter2"), "{}", why.sentence());
    }
    let with_zero = Options::new().unwrap().set("a b\0c", "x").err().unwrap();
    assert_eq!(with_zero.code(), Code::ESPEC);
    let value = Options::new().unwrap().set("worker", "a b\0c").err().unwrap();
    assert_eq!(value.code(), Code::ESPEC);
}

fn open_at(spec: &str, clock: &ManualClock) -> frazil::Result<Generator> {
    Options::new().unwrap().spec(spec).unwrap().clock(clock).unwrap().open()
}

#[test]
fn a_clock_that_went_back_is_said() {
    let clock = ManualClock::new(NOW).unwrap();
    let generator = open_at("worker=fixed:1 state=memory on_backward=error", &clock).unwrap();
    generator.next().unwrap();
    clock.set(NOW - 5000);
    let why = generator.next().unwrap_err();
    assert_eq!((why.code(), why.class()), (Code::ECLOCK, Class::Retry));
    assert!(why.behind().unwrap() >= Duration::from_secs(5), "{:?}", why.behind());
    assert_eq!(generator.stats().backward_steps, 1);
    clock.advance(Duration::from_secs(6));
    generator.next().unwrap();
    assert!(generator.stats().iter().any(|stat| stat == ("issued", 2)));
}

#[test]
fn an_id_is_a_type() {
    let id = Id(9223372036854775808);
    assert_eq!(id.to_string(), "9223372036854775808");
    assert_eq!(id.to_string().parse(), Ok(id));
    let why = id.to_i64().unwrap_err();
    assert_eq!(why.code(), Code::ERANGE);
    assert!(why.sentence().contains("text"));
    assert_eq!(Id::from_i64(-1).unwrap_err().code(), Code::ERANGE);
    assert_eq!(Id::from_i64(7), Ok(Id(7)));
    assert_eq!(Id::try_from(7i64), Ok(Id(7)));
    assert_eq!(Id::try_from(-7i64).unwrap_err().code(), Code::ERANGE);
    assert_eq!(i64::try_from(Id(7)), Ok(7));
    assert_eq!(i64::try_from(id).unwrap_err().code(), Code::ERANGE);
    assert_eq!(Id::from_bytes(&id.to_bytes()), Ok(id));
    assert_eq!("".parse::<Id>().unwrap_err().code(), Code::EPARSE);
    assert!(Id(2) > Id(1) && Id::from(3) == Id(3) && u64::from(Id(3)) == 3);
    assert_eq!(format!("{:>25}", id.text(Form::Dec)), "      9223372036854775808");
}

#[test]
fn options_say_what_they_mean_and_hide_passwords() {
    let options = Options::new().unwrap().environment(Environment::None).unwrap();
    let options = options.set("worker", "redis://:secret@127.0.0.1/orders").unwrap();
    let text = options.text().unwrap();
    assert!(text.contains("worker=") && !text.contains("secret"), "{}", text);
    let why = Options::new().unwrap().set("colour", "red").err().unwrap();
    assert_eq!(why.code(), Code::ESPEC);
    for len in 300..600 {
        let place = "/".repeat(len);
        let options = Options::new().unwrap().environment(Environment::None).unwrap();
        let options = options.spec(&format!("worker=fixed:1 state_dir={}", place)).unwrap();
        assert!(options.text().unwrap().contains(&place), "{} characters", len);
    }
    let options = Options::new().unwrap().environment(Environment::None).unwrap();
    assert_eq!(options.check().unwrap_err().code(), Code::ENOWORKER);
}

#[test]
fn a_generator_can_be_looked_at() {
    let generator = Generator::open("layout=twitter worker=fixed:33 state=memory").unwrap();
    let (info, health) = (generator.info(), generator.health());
    assert_eq!((info.worker, info.capacity), (33, 4096));
    assert_eq!(format!("{} {}", info.state, StateKind::Slots), "memory slots");
    assert_eq!((health.state, health.worker), (frazil::HealthState::Serving, 33));
    assert_eq!((health.grant_end_unix_ms, health.last_failure), (None, None));
    assert_eq!(
        format!("{} {}", health.state, frazil::HealthState::NeedsGrant),
        "serving needs_grant"
    );
    assert!(generator.last_failure().is_none() && generator.available() > 0);
    assert_eq!(generator.layout().name(), "twitter");
    assert_eq!(generator.keep(Duration::ZERO), Ok(None));
    let at = generator.next_at(NOW).unwrap();
    assert_eq!(generator.layout().decompose(at).unwrap().unix_ms, NOW);
    assert!(generator.next_text(Form::Crockford).unwrap().len() == 13);
    assert!(generator.next_id().unwrap() > Id(at));
    let mut some = [0; 10];
    assert!(generator.try_take(&mut some).unwrap() >= 1);
    assert_eq!(generator.next_sno(0).unwrap_err().code(), Code::EKIND);
    assert_eq!(frazil::version(), env!("CARGO_PKG_VERSION"));
    assert!(Layout::presets().any(|layout| layout == generator.layout()));
}

#[test]
fn what_happens_is_heard() {
    let spec = "layout='38/10/12 epoch=2022-01-01' allow_short_life=yes worker=fixed:34 state=memory";
    let generator = Generator::open(spec).unwrap();
    let mut events = generator.events();
    let event = events.next().unwrap();
    assert_eq!(
        (event.kind, event.worker, event.code, event.missed),
        (EventKind::WarnShortLife, 34, None, 0)
    );
    assert!(
        event.to_string().starts_with("warn-short-life worker=34 value="),
        "{}",
        event
    );
    assert_eq!(events.next(), None);
    assert!(events.as_fd().unwrap() > 2);
    assert_eq!(generator.events().count(), 1);
    drop(generator);
    assert_eq!(events.next(), None);
}

#[test]
fn a_clock_of_ones_own_needs_a_state() {
    let scratch = common::Scratch::new();
    let clock = ManualClock::new(NOW).unwrap();
    let open = |spec: &str| open_at(spec, &clock);
    let why = open("worker=fixed:1").unwrap_err();
    assert_eq!(why.code(), Code::ESPEC);
    assert!(why.sentence().contains("state=memory"), "{}", why);
    let memory = open("worker=fixed:1 state=memory").unwrap();
    assert_eq!(memory.info().state, StateKind::Memory);
    let mut ids = std::collections::HashSet::new();
    for back in 0..3 {
        clock.set(NOW - back * 1000);
        let generator = open(&scratch.spec("worker=fixed:1 state=file max_wait=1h")).unwrap();
        assert_eq!(generator.info().state, StateKind::File);
        ids.extend((0..1000).map(|_| generator.next().unwrap()));
    }
    assert_eq!(ids.len(), 3000);
}

/// A health check that takes a host out of service while its coordinator is silent would take out all of them.
#[test]
fn a_generator_whose_grant_is_due_still_serves() {
    let scratch = common::Scratch::new();
    let clock = ManualClock::new(NOW).unwrap();
    let options = Options::new().unwrap();
    let options = options.spec(&scratch.spec("worker=fixed:1 state=file keeper=hook"));
    let generator = options.unwrap().clock(&clock).unwrap().open().unwrap();
    for _ in 0..10_000 {
        if generator.health().state != HealthState::Serving {
            break;
        }
        assert!(generator.health().is_serving());
        clock.advance(Duration::from_millis(100));
    }
    assert_eq!(generator.health().state, HealthState::NeedsGrant);
    assert!(generator.health().is_serving());
    generator.next().unwrap();
    generator.stop();
    assert!(!generator.health().is_serving());
}

#[test]
fn a_snapshot_is_opened_when_its_generator_is_closed() {
    let generator = Generator::open("layout=sno worker=fixed:78 state=memory").unwrap();
    generator.next_sno(1).unwrap();
    let snapshot = generator.snapshot().unwrap();
    let again = || Options::new().unwrap().snapshot(&snapshot).unwrap().open();
    assert_eq!(again().unwrap_err().code(), Code::EWORKER);
    drop(generator);
    again().unwrap().next_sno(1).unwrap();
}

#[test]
fn the_cause_of_an_error_is_that_of_the_system() {
    let why = Generator::open("worker=fixed:1 run_dir=/dev/null/nowhere").unwrap_err();
    assert_eq!(why.code(), Code::ESYS);
    let cause = std::error::Error::source(&why).expect("a cause");
    let os = cause.downcast_ref::<std::io::Error>().expect("the system's");
    assert_eq!(os.raw_os_error(), why.os_error().unwrap().raw_os_error());
    assert!(std::error::Error::source(&"41/10/".parse::<Layout>().unwrap_err()).is_none());
}

#[test]
fn a_sno_generator_goes_on_from_a_snapshot() {
    let clock = ManualClock::new(NOW).unwrap();
    let options = || {
        Options::new()
            .unwrap()
            .environment(Environment::None)
            .unwrap()
            .clock(&clock)
            .unwrap()
    };
    let generator = options()
        .spec("layout=sno partition=A,10 state=memory")
        .unwrap()
        .open()
        .unwrap();
    let mut snos = [Sno::default(); 3];
    generator.fill_snos(7, &mut snos).unwrap();
    assert_eq!((snos[2].fields().meta, snos[2].fields().sequence), (7, 2));
    let text = generator.snapshot().unwrap().to_string();
    assert!(text.contains("\"sequenceMin\""), "{}", text);
    drop(generator);

    let snapshot: Snapshot = text.parse().unwrap();
    assert_eq!(snapshot.to_string(), text);
    assert!(text.starts_with("{\"partition\":[65,10],"), "{text}");
    let wrong = "{\"partition\":[65,256]}".parse::<Snapshot>().unwrap_err();
    assert_eq!(wrong.code(), Code::EPARSE);
    let again = options()
        .spec("state=memory")
        .unwrap()
        .snapshot(&snapshot)
        .unwrap()
        .open()
        .unwrap();
    let next = again.next_sno(7).unwrap();
    assert!(next > snos[2] && next.fields().partition == u16::from_be_bytes([b'A', 10]));
    assert_eq!(again.next().unwrap_err().code(), Code::EKIND);
}

// ---- sfid -----------------------------------------------------------------------------

/// Where the generators of sfid's names keep their state; the same for all tests of this program.
fn environment() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let folder = std::env::temp_dir().join(format!("frazil-rust-sfid-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::env::set_var("FRAZIL_RUN_DIR", folder.join("run"));
        std::env::set_var("FRAZIL_STATE_DIR", folder.join("state"));
        std::env::set_var("FRAZIL_HOST_DIR", folder.join("host"));
    });
}

#[test]
fn sfid_has_its_constants_and_takes_ids_apart() {
    assert_eq!((EPOCH, MAX_PID, PID_BITS), (1766361600000, 1024, 10));
    let id = (123_456_789u64 << 22 | 1023 << 12 | 4095) as i64;
    assert_eq!(
        parse(id),
        ParsedId {
            ts: 123_456_789,
            pid: 1023,
            seq: 4095
        }
    );
    assert_eq!(
        parse(-1),
        ParsedId {
            ts: (1 << 42) - 1,
            pid: 1023,
            seq: 4095
        }
    );
}

#[test]
fn sfid_makes_ids_with_a_pid_and_two_with_one_pid_share_a_sequence() {
    static FIRST: Snowflake = Snowflake::new(EPOCH, 17);
    environment();
    let second = Snowflake::new(EPOCH, 17);
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let mut seen = HashSet::new();
    for _ in 0..10_000 {
        assert!(seen.insert(FIRST.next()) && seen.insert(second.next()));
    }
    let parsed = parse(FIRST.next());
    assert!(parsed.pid == 17 && parsed.ts + EPOCH >= before);
    let threads: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(|| (0..5000).map(|_| FIRST.next()).collect::<Vec<_>>()))
        .collect();
    for thread in threads {
        for id in thread.join().unwrap() {
            assert!(seen.insert(id));
        }
    }
}

#[test]
fn sfid_is_made_seventy_thousand_times() {
    environment();
    let mut seen = HashSet::new();
    for i in 0..70_000 {
        let each = Snowflake::new(EPOCH, 18);
        if i % 10 == 0 {
            assert!(seen.insert(each.next()));
        }
    }
    assert_eq!(seen.len(), 7000);
}

#[test]
#[should_panic(expected = "0 to 1023")]
fn sfid_refuses_a_pid_that_does_not_fit() {
    let _ = Snowflake::new(EPOCH, 1024);
}

#[test]
fn sfid_says_which_redis_is_missing() {
    environment();
    std::env::remove_var("R_NODE");
    let why = block_on(sfid::allocate("shop")).err().unwrap();
    assert!(
        matches!(why, sfid::Error::Redis(_)) && why.to_string().contains("R_NODE"),
        "{}",
        why
    );
    // What a password holds does not end the address: frazil finds nobody there, or not the part for Redis.
    std::env::set_var("R_NODE", "127.0.0.1:1");
    std::env::set_var("R_PASSWORD", "p@ss/w?x#%zz");
    let why = block_on(sfid::allocate("shop")).err().unwrap();
    std::env::remove_var("R_PASSWORD");
    std::env::remove_var("R_NODE");
    match &why {
        sfid::Error::Redis(why) => assert_ne!(why.code(), Code::ESPEC, "{}", why),
        other => panic!("{}", other),
    }
    assert_eq!(
        sfid::Error::NoAvailablePid(1024).to_string(),
        "No available process ID, all 1024 slots are occupied"
    );
}

/// Runs a future to its end, without a runtime.
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    use std::task::{Context, Poll, Wake};
    struct Thread(std::thread::Thread);
    impl Wake for Thread {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut future = Box::pin(future);
    let waker = std::sync::Arc::new(Thread(std::thread::current())).into();
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn what_holds_a_secret_prints_without_it() {
    let options = Options::new().unwrap();
    let options = options.set("worker", "redis://user:geheim@127.0.0.1/ids").unwrap();
    let text = format!("{:?}", options);
    assert!(
        text.starts_with("Options(Ok(\"") && text.contains("127.0.0.1") && !text.contains("geheim"),
        "{}",
        text
    );
    assert_eq!(format!("{:?}", Kasumi::new(12345).unwrap()), "Kasumi { .. }");
}

#[test]
fn a_local_generator_prints_as_its_generator_does() {
    let generator = Generator::open("worker=fixed:7 state=memory").unwrap();
    assert_eq!(
        format!("{:?}", generator.local().unwrap()),
        format!("Local{:?}", generator)
    );
}

#[test]
fn a_snowflake_of_sfid_prints_what_it_was_made_of() {
    assert_eq!(
        format!("{:?}", Snowflake::new(EPOCH, 17)),
        "Snowflake { epoch: 1766361600000, pid: 17, .. }"
    );
}

#[test]
fn ids_stay_at_their_end() {
    struct Keeper<'a>(frazil::Ids<'a>); // a type that a struct can name
    fn is_fused<T: std::iter::FusedIterator + std::fmt::Debug>(_: &T) {}
    let generator = Generator::open("worker=fixed:7 state=memory").unwrap();
    let mut keeper = Keeper(generator.ids());
    assert!(keeper.0.next().unwrap().is_ok());
    generator.stop();
    let mut ids = generator.ids();
    is_fused(&ids);
    assert!(ids.next().unwrap().is_err());
    assert!(ids.next().is_none() && ids.next().is_none());
}
