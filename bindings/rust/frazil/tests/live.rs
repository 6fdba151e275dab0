// SPDX-License-Identifier: MIT
//! Goal of this test: no id comes twice, whatever the program does: threads, forks, other programs that share the worker
//! number, kills and restarts, openings by the thousand, exits in the midst of a wait.

mod common;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::io::{AsRawFd, FromRawFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use common::Scratch;
use frazil::compat::sfid::{Snowflake, EPOCH};
use frazil::{Class, Code, Generator, Lease, LocalGenerator, ManualClock, Options};

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn pipe(ends: *mut i32) -> i32;
    fn flock(fd: i32, operation: i32) -> i32;
    fn _exit(status: i32) -> !;
}

/// Counts ids, and ends the test at the first that comes twice.
#[derive(Default)]
struct Seen(HashSet<u64>);

impl Seen {
    fn add<I: IntoIterator<Item = u64>>(&mut self, ids: I) {
        for id in ids {
            assert!(self.0.insert(id), "{} comes twice", id);
        }
    }

    fn count(&self) -> usize {
        self.0.len()
    }
}

fn take(generator: &Generator, n: usize) -> Vec<u64> {
    (0..n).map(|_| generator.next().expect("an id")).collect()
}

// ---- this program again, as a child ---------------------------------------------------

const ROLE: &str = "TEST_ROLE";
const SPEC: &str = "TEST_SPEC";

/// This program as a child that plays a role of `child()`.
fn role(role: &str, spec: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["child", "--exact", "--nocapture", "--test-threads", "1"])
        .env(ROLE, role)
        .env(SPEC, spec)
        .stdout(Stdio::piped());
    command
}

/// Starts it.
fn start(name: &str, spec: &str) -> Child {
    role(name, spec).spawn().expect("this program starts")
}

/// The ids that a child has printed, in whole lines: "id NUMBER".
fn printed(output: impl Read) -> impl Iterator<Item = u64> {
    BufReader::new(output)
        .split(b'\n')
        .map_while(|line| line.ok())
        .filter_map(|line| String::from_utf8(line).ok()?.strip_prefix("id ")?.parse().ok())
}

/// Not a test: it is nothing unless it is a child.
#[test]
fn child() {
    let (role, spec) = match (std::env::var(ROLE), std::env::var(SPEC)) {
        (Ok(role), Ok(spec)) => (role, spec),
        _ => return,
    };
    if role == "sfid" {
        return play_sfid();
    }
    let generator = Generator::open(&spec).expect("the child's generator opens");
    let mut out = std::io::stdout();
    out.write_all(b"\n").unwrap(); // ends the line of the harness
    match role.as_str() {
        "some" => {
            for id in take(&generator, 5000) {
                writeln!(out, "id {}", id).unwrap();
            }
        }
        "endless" => loop {
            // One write a line: a kill leaves no half of one. An id is printed before the next one is taken.
            out.write_all(format!("id {}\n", generator.next().unwrap()).as_bytes())
                .unwrap();
            out.flush().unwrap();
        },
        "waits" => {
            let (waits, waiting) = mpsc::channel();
            let theirs = generator.clone();
            thread::spawn(move || {
                take(&theirs, 2);
                waits.send(()).unwrap();
                theirs.take(&mut [0], Duration::MAX)
            });
            waiting.recv().unwrap();
            std::process::exit(7);
        }
        other => panic!("no role {}", other),
    }
}

// ---- threads --------------------------------------------------------------------------

#[test]
fn threads_share_a_generator_and_their_handles_repeat_nothing() {
    fn of_threads<T: Send + Sync>(_: &T) {}
    fn of_one_thread<T: Send>(_: &T) {}

    let scratch = Scratch::new();
    let generator = Generator::open(&scratch.spec("layout=41/6/16 worker=fixed:3")).unwrap();
    of_threads(&generator);
    let workers: Vec<_> = (0..6)
        .map(|i| {
            let generator = generator.clone();
            thread::spawn(move || {
                let local: LocalGenerator = generator.local().unwrap();
                of_one_thread(&local);
                let mut ids: Vec<u64> = (0..20_000).map(|_| local.next().unwrap()).collect();
                assert!(
                    ids.windows(2).all(|pair| pair[0] < pair[1]),
                    "those of a handle increase"
                );
                ids.extend(take(&generator, 20_000));
                let mut batch = vec![0; 3000 + i];
                generator.fill(&mut batch).unwrap();
                ids.extend(batch);
                ids
            })
        })
        .collect();
    let mut seen = Seen::default();
    for worker in workers {
        seen.add(worker.join().unwrap());
    }
    assert!(seen.count() > 250_000);
}

#[test]
fn generators_come_and_go_while_others_take_ids() {
    let scratch = Scratch::new();
    let spec = scratch.spec("layout=41/6/16 worker=fixed:4");
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let spec = spec.clone();
            thread::spawn(move || {
                let mut ids = Vec::new();
                for _ in 0..300 {
                    let generator = Generator::open_shared(&spec).unwrap();
                    ids.extend(take(&generator, 50));
                }
                ids
            })
        })
        .collect();
    let mut seen = Seen::default();
    for worker in workers {
        seen.add(worker.join().unwrap());
    }
}

#[test]
fn seventy_thousand_openings_share_one_generator() {
    let scratch = Scratch::new();
    let spec = scratch.spec("worker=fixed:5");
    let descriptors = || fs::read_dir("/proc/self/fd").map_or(0, |files| files.count());
    let mut seen = Seen::default();
    let first = Generator::open_shared(&spec).unwrap();
    let before = descriptors();
    let all: Vec<Generator> = (0..70_000).map(|_| Generator::open_shared(&spec).unwrap()).collect();
    // Other tests of this program open some meanwhile; 70,000 would be seen.
    assert!(descriptors() < before + 1000);
    seen.add(all.iter().step_by(7).map(|generator| generator.next().unwrap()));
    seen.add(take(&first, 10));
    assert_eq!(seen.count(), 10_010);
}

#[test]
fn options_find_the_generator_of_all_who_mean_the_same() {
    let scratch = Scratch::new();
    let spec = scratch.spec("worker=fixed:6 state=memory"); // of which there cannot be two
    let options = || Options::new().unwrap().spec(&spec).unwrap();
    let mut seen = Seen::default();
    let one = Generator::open_shared(&spec).unwrap();
    let other = options().open_shared().unwrap();
    seen.add(take(&one, 10));
    seen.add(take(&other, 10));
    assert_eq!(options().open().err().unwrap().code(), Code::EWORKER);
    let told = options().on_overflow(|_| ()).open_shared();
    assert_eq!(told.err().unwrap().code(), Code::EINVAL);
    let clock = ManualClock::new(0).unwrap();
    let clocked = options().clock(&clock).unwrap().open_shared();
    assert_eq!(clocked.err().unwrap().code(), Code::EINVAL);
}

// ---- processes ------------------------------------------------------------------------

#[test]
fn forked_children_repeat_nothing() {
    const EACH: usize = 4000;
    let scratch = Scratch::new();
    let generator = Generator::open(&scratch.spec("layout=41/6/16 worker=fixed:6")).unwrap();
    let local = generator.local().unwrap();
    let mut seen = Seen::default();
    seen.add([local.next().unwrap()]); // the handle holds a block now
    let mut children = Vec::new();
    for _ in 0..3 {
        let mut ends = [0; 2];
        // SAFETY: the child makes ids and writes them into the pipe, and ends without the program's other threads.
        unsafe {
            assert_eq!(pipe(ends.as_mut_ptr()), 0);
            let pid = fork();
            assert!(pid >= 0);
            if pid == 0 {
                let mut out = File::from_raw_fd(ends[1]);
                for i in 0..EACH {
                    let id = if i % 2 == 0 { generator.next() } else { local.next() };
                    match id {
                        Ok(id) if out.write_all(&id.to_be_bytes()).is_ok() => {}
                        _ => _exit(1),
                    }
                }
                _exit(0);
            }
            drop(File::from_raw_fd(ends[1]));
            children.push((pid, File::from_raw_fd(ends[0])));
        }
    }
    seen.add((0..EACH).map(|i| if i % 2 == 0 { generator.next() } else { local.next() }.unwrap()));
    for (pid, mut output) in children {
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).unwrap();
        let mut status = -1;
        // SAFETY: it is our child.
        assert_eq!(unsafe { waitpid(pid, &mut status, 0) }, pid);
        assert_eq!((status, bytes.len()), (0, 8 * EACH));
        seen.add(
            bytes
                .chunks(8)
                .map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap())),
        );
    }
    assert_eq!(seen.count(), 4 * EACH + 1);
}

#[test]
fn programs_that_share_a_worker_number_repeat_nothing() {
    let scratch = Scratch::new();
    let spec = scratch.spec("layout=41/6/16 worker=fixed:7");
    let generator = Generator::open(&spec).unwrap();
    let mut seen = Seen::default();
    let children: Vec<Child> = (0..3).map(|_| start("some", &spec)).collect();
    seen.add(take(&generator, 5000));
    for mut child in children {
        seen.add(printed(child.stdout.take().unwrap()));
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(seen.count(), 20_000);
}

/// The command is C. FRAZIL_COMMAND says where it is.
#[test]
fn two_languages_share_a_worker_number() {
    let command = match std::env::var("FRAZIL_COMMAND") {
        Ok(command) => command,
        Err(_) => return eprintln!("left out: FRAZIL_COMMAND does not say where the command is"),
    };
    let scratch = Scratch::new();
    let spec = scratch.spec("layout=41/6/16 worker=fixed:8");
    let generator = Generator::open(&spec).unwrap();
    let mut theirs = Command::new(command)
        .args(["next", "-n", "20000", &spec])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut seen = Seen::default();
    seen.add(take(&generator, 20_000));
    let mut text = String::new();
    theirs.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(theirs.wait().unwrap().success());
    seen.add(text.lines().map(|line| line.parse().unwrap()));
    assert_eq!(seen.count(), 40_000);
}

#[test]
fn a_killed_program_starts_again_and_repeats_nothing() {
    let scratch = Scratch::new();
    let spec = scratch.spec("layout=41/6/16 worker=fixed:9");
    let mut seen = Seen::default();
    for _ in 0..4 {
        let mut child = start("endless", &spec);
        let mut ids = printed(child.stdout.take().unwrap());
        seen.add(ids.by_ref().take(500));
        child.kill().unwrap(); // SIGKILL
        seen.add(ids); // what was in the pipe
        child.wait().unwrap();
    }
    assert!(seen.count() >= 2000);
}

// ---- waiting --------------------------------------------------------------------------

/// A call for the third id of an hour waits longer than any test. Each test has a worker and a host of its own: the process and
/// the host know which ids of this hour others have taken.
fn two_an_hour(host: &Scratch, worker: u32) -> String {
    format!(
        "layout=41/21/1 tick=1h worker=fixed:{worker} start=zero state=memory max_lead=0s max_wait=unlimited host_dir={}/host",
        host.path()
    )
}

#[test]
fn a_program_can_end_while_a_thread_waits() {
    let host = Scratch::new();
    assert_eq!(start("waits", &two_an_hour(&host, 1)).wait().unwrap().code(), Some(7));
}

#[test]
fn a_wait_ends_when_the_generator_is_stopped() {
    let host = Scratch::new();
    let generator = Generator::open(&two_an_hour(&host, 2)).unwrap();
    take(&generator, 2);
    let (waits, waiting) = mpsc::channel();
    let theirs = generator.clone();
    let waiter = thread::spawn(move || {
        waits.send(()).unwrap();
        theirs.next()
    });
    waiting.recv().unwrap();
    generator.stop();
    assert_eq!(waiter.join().unwrap().unwrap_err().code(), Code::ESTOPPED);
}

#[test]
fn a_call_that_may_not_wait_says_when_to_come_back() {
    let host = Scratch::new();
    let generator = Generator::open(&two_an_hour(&host, 3)).unwrap();
    take(&generator, 2);
    for why in [
        generator.try_next().unwrap_err(),
        generator.take(&mut [0], Duration::ZERO).unwrap_err(),
    ] {
        assert_eq!(why.code(), Code::EAGAIN);
        assert_eq!(why.class(), frazil::Class::Retry);
        assert!(why.retry().unwrap() <= Duration::from_secs(3600));
    }
    let why = generator.take(&mut [0], Duration::from_micros(10)).unwrap_err();
    assert_eq!(why.code(), Code::EFULL);
    assert!(!why.sentence().is_empty() && why.retry().is_some());
}

#[test]
fn the_longest_wait_is_not_that_of_max_wait() {
    let spec = "layout=36/26/1 tick=1s worker=fixed:9 state=memory max_lead=0ms max_wait=1ms";
    let generator = Generator::open(spec).unwrap();
    for nanoseconds in [u64::MAX, u64::MAX - 1] {
        let mut ids = [0; 4]; // two ticks of a second
        generator.take(&mut ids, Duration::from_nanos(nanoseconds)).unwrap();
    }
}

#[test]
fn an_overflow_is_told() {
    let (tells, told) = mpsc::channel();
    let tells = std::sync::Mutex::new(tells);
    let generator = Options::new()
        .unwrap()
        .spec("layout=41/21/1 worker=fixed:1 start=zero state=memory max_lead=0s max_wait=10s")
        .unwrap()
        .on_overflow(move |overflow| tells.lock().unwrap().send(overflow).unwrap())
        .open()
        .unwrap();
    generator.fill(&mut [0; 20]).unwrap();
    let first = told.recv().unwrap();
    assert!(first.waiting == 1 && first.unix_ms > 0);
    drop(generator);
    assert_eq!(
        told.iter().last().unwrap().waiting,
        0,
        "the end is told, at the latest when it is closed"
    );
}

/// A child that ends with its owner, also where an assertion fails.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A Redis of the test's own, on a socket. None: there is no redis-server, or the library has no part for it.
fn redis(scratch: &Scratch) -> Option<Owned> {
    let libraries = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    if !libraries
        .split(':')
        .any(|folder| Path::new(folder).join("libfrazil-redis.so.1").exists())
    {
        return None;
    }
    Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--unixsocket"])
        .arg(format!("{}/s", scratch.path()))
        .args(["--dir", scratch.path()])
        .stdout(Stdio::null())
        .spawn()
        .ok()
        .map(Owned)
}

/// The URL's timeout is far above the wait: a call that asks the server once more for the reason takes as long as that.
#[test]
fn a_silent_server_is_waited_for_no_longer_than_max_wait() {
    let scratch = Scratch::new();
    let server = match redis(&scratch) {
        Some(server) => server,
        None => return eprintln!("left out: there is no Redis, or no part for it"),
    };
    let spec = format!(
        "worker=fixed:3 batch=1 max_wait=200ms open_wait=5m state=redis+unix://{}/s/slots?timeout=60s",
        scratch.path()
    );
    let generator = Generator::open(&spec).unwrap();
    let local = generator.local().unwrap();
    let server = server; // ends before the generators, whose ends would wait for its answers
    generator.take(&mut [0], Duration::from_secs(100)).unwrap(); // new slots begin a little ahead
    let stopped = Command::new("kill")
        .args(["-STOP", &server.0.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    let begun = Instant::now();
    for result in [generator.next(), local.next()] {
        let why = result.unwrap_err();
        assert_eq!(why.code(), Code::EUNREACHABLE);
        assert!(why.sentence().contains("did not answer"), "{}", why);
    }
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn keeping_over_a_silent_server_is_no_error() {
    let scratch = Scratch::new();
    let (server, command) = match (redis(&scratch), std::env::var("FRAZIL_COMMAND")) {
        (Some(server), Ok(command)) => (server, command),
        _ => return eprintln!("left out: there is no Redis, no part for it, or no FRAZIL_COMMAND"),
    };
    let url = format!("worker=redis+unix://{}/s/kept?timeout=100ms", scratch.path());
    let begun = Instant::now();
    while !Command::new(&command)
        .args(["lease", "init", "--never-used", "horizon=4s", &url])
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
    {
        assert!(begun.elapsed() < Duration::from_secs(300));
    }
    let generator = Generator::open(&format!("{} keeper=hook", url)).unwrap();
    let lease = Lease::open(&format!("{} keeper=hook", url)).unwrap();
    let server = server; // ends before the generator and the lease, whose ends would wait for its answers
    let stopped = Command::new("kill")
        .args(["-STOP", &server.0.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    while generator.last_failure().is_none() {
        assert!(generator.keep(Duration::from_millis(1)).unwrap().is_some());
    }
    let is_over = |why: frazil::Error| why.code() == Code::ELEASE;
    while !lease.get().map_or_else(is_over, |_| false) {
        if let Err(why) = lease.keep(Duration::from_millis(1)) {
            assert_eq!(why.code(), Code::ELEASE, "{}", why);
        }
    }
}

#[test]
fn a_lease_is_kept_by_its_program() {
    let scratch = Scratch::new();
    let _server = match redis(&scratch) {
        Some(server) => server,
        None => return eprintln!("left out: there is no Redis, or no part for it"),
    };
    let spec = format!(
        "layout=sfid keeper=hook worker=sfid+redis+unix://{}/s/shop",
        scratch.path()
    );
    let begun = Instant::now();
    let again = |why: &frazil::Error| why.class() == Class::Retry && begun.elapsed() < Duration::from_secs(300);
    let lease = loop {
        match Lease::open(&spec) {
            Err(why) if again(&why) => thread::yield_now(),
            opened => break opened.unwrap(),
        }
    };
    let next = lease.keep(Duration::from_secs(100)).unwrap().expect("it ends");
    assert!(next > Duration::ZERO && next < Duration::from_secs(3600), "{:?}", next);
    // The worker id of somebody else is not used before the clocks of both agree.
    let grant = loop {
        match lease.get() {
            Err(why) if again(&why) => thread::yield_now(),
            got => break got.unwrap(),
        }
    };
    assert!(grant.worker < 1024);
}

// ---- sfid's names ---------------------------------------------------------------------

/// Opens by sfid's names as soon as its input ends, and prints some ids.
fn play_sfid() {
    let snowflake = Snowflake::new(EPOCH, 7);
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    println!();
    for _ in 0..100 {
        println!("id {}", snowflake.next());
    }
}

/// Starts one. A single opening has little time, so all else is what sfid's names add.
fn start_sfid(host: &Scratch) -> Child {
    role("sfid", "")
        .env("FRAZIL_STATE", "file")
        .env("FRAZIL_RUN_DIR", format!("{}/run", host.path()))
        .env("FRAZIL_STATE_DIR", format!("{}/state", host.path()))
        .env("FRAZIL_HOST_DIR", format!("{}/host", host.path()))
        .env("FRAZIL_OPEN_WAIT", "1ms")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this program starts")
}

#[test]
fn a_dozen_programs_open_by_the_names_of_sfid_at_once() {
    let host = Scratch::new();
    let mut seen = Seen::default();
    let mut children: Vec<_> = (0..12).map(|_| start_sfid(&host)).collect();
    for child in &mut children {
        child.stdin.take();
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        seen.add(printed(&output.stdout[..]));
    }
    assert_eq!(seen.count(), 1200);
}

/// Takes all guards below a folder, and holds them as long as the files live.
fn hold_guards(folder: &Path, held: &mut Vec<File>) {
    const LOCK_EX: i32 = 2;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            hold_guards(&path, held);
        } else if path.extension().map_or(false, |end| end == "lock") {
            let file = File::open(&path).unwrap();
            // SAFETY: the descriptor is the file's, which is open.
            assert_eq!(unsafe { flock(file.as_raw_fd(), LOCK_EX) }, 0);
            held.push(file);
        }
    }
}

#[test]
fn who_opens_by_the_names_of_sfid_waits_ten_seconds_for_a_guard() {
    let host = Scratch::new();
    assert!(start_sfid(&host).wait_with_output().unwrap().status.success()); // makes the guards
    let mut held = Vec::new();
    hold_guards(Path::new(host.path()), &mut held);
    assert!(!held.is_empty());
    let child = start_sfid(&host);
    let begun = Instant::now();
    let output = child.wait_with_output().unwrap(); // which ends its input first
    let took = begun.elapsed();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("the generator of pid 7 cannot be opened"), "{}", words);
    assert!(!output.status.success() && took >= Duration::from_secs(9), "{:?}", took);
    assert!(took < Duration::from_secs(300), "{:?}", took);
}
