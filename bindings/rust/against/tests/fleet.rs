// SPDX-License-Identifier: MIT
//! Goal of this test: generators of sfid and of frazil::compat::sfid share one Redis, and no pid and no id comes twice.
#![cfg(feature = "redis")]

use std::collections::HashSet;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use frazil::compat::sfid as ours;

/// A Redis of the test's own, on a socket in a folder that goes away with it.
struct Redis {
    server: Child,
    folder: PathBuf,
}

impl Redis {
    fn start() -> Redis {
        let folder = std::env::temp_dir().join(format!("frazil-fleet-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let server = Command::new("redis-server")
            .args([
                "--port",
                "0",
                "--save",
                "",
                "--maxmemory-policy",
                "noeviction",
                "--unixsocket",
            ])
            .arg(folder.join("socket"))
            .arg("--dir")
            .arg(&folder)
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server starts");
        let redis = Redis { server, folder };
        let patience = Instant::now() + Duration::from_secs(300);
        while UnixStream::connect(redis.socket()).is_err() {
            assert!(Instant::now() < patience, "redis-server does not listen");
            std::thread::yield_now();
        }
        redis
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// The answer to a command, as Redis writes it.
    fn ask(&self, command: &str) -> String {
        let mut connection = UnixStream::connect(self.socket()).unwrap();
        connection
            .write_all(format!("{}\r\nQUIT\r\n", command).as_bytes())
            .unwrap();
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// How many keys of an app there are.
    fn keys(&self, app: &str) -> usize {
        self.ask(&format!("KEYS sfid:{}:*", app))
            .matches(&format!("sfid:{}:", app))
            .count()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn add(seen: &mut HashSet<i64>, next: impl Fn() -> i64) {
    for _ in 0..5000 {
        let id = next();
        assert!(seen.insert(id), "{} comes twice", id);
    }
}

#[tokio::test]
async fn one_fleet_of_both_repeats_nothing() {
    let redis = Redis::start();
    std::env::set_var("R_NODE", redis.socket());
    std::env::set_var("FRAZIL_RUN_DIR", redis.folder.join("run"));
    std::env::set_var("FRAZIL_STATE_DIR", redis.folder.join("state"));
    std::env::set_var("FRAZIL_HOST_DIR", redis.folder.join("host"));
    xboot::init().await.expect("sfid's Redis is there");

    let mut pids = HashSet::new();
    let mut seen = HashSet::new();
    let (mut theirs, mut mine) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        theirs.push(sfid::Snowflake::auto("shop", sfid::EPOCH).await.unwrap());
        mine.push(ours::Snowflake::auto("shop", ours::EPOCH).await.unwrap());
    }
    for (their, my) in theirs.iter().zip(&mine) {
        add(&mut seen, || their.next());
        add(&mut seen, || my.next());
        assert!(pids.insert(sfid::parse(their.next()).pid));
        assert!(pids.insert(ours::parse(my.next()).pid));
    }
    assert_eq!((pids.len(), seen.len(), redis.keys("shop")), (16, 80_000, 16));

    // Pids without a generator come from the same pool.
    let their_pid = sfid::allocate("shop").await.unwrap();
    let my_pid = ours::allocate("shop").await.unwrap();
    assert!(pids.insert(their_pid.id()) && pids.insert(my_pid.id()));
    let flake = ours::Snowflake::new(ours::EPOCH, my_pid.id());
    add(&mut seen, || flake.next());
    assert_eq!(redis.keys("shop"), 18);

    let taken = redis.keys("shop");
    drop(my_pid);
    drop(mine);
    // A key stays until its last id is older than max_skew.
    let patience = Instant::now() + Duration::from_secs(300);
    while redis.keys("shop") != taken - 9 {
        assert!(Instant::now() < patience, "{} keys are left", redis.keys("shop"));
        tokio::task::yield_now().await;
    }

    // An app without a free pid is said as sfid says it.
    for pid in 0..1024u16 {
        let [low, high] = pid.to_le_bytes();
        let command = format!("SET \"sfid:full:\\x{:02x}\\x{:02x}\" somebody EX 600", low, high);
        assert!(redis.ask(&command).starts_with("+OK"));
    }
    let (their_why, my_why) = (
        sfid::allocate("full").await.err().unwrap(),
        ours::allocate("full").await.err().unwrap(),
    );
    assert_eq!(my_why, ours::Error::NoAvailablePid(1024));
    assert_eq!(my_why.to_string(), their_why.to_string());
}
