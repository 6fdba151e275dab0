// SPDX-License-Identifier: MIT

//! Ids of frazild in blocks, with redis-rs: FRAZILD_URL=redis://127.0.0.1:6380 cargo run
use redis::{Client, Connection, RedisResult};
use std::process;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Ids of one generator, for all threads: a request fetches 1,000 of them, for a second at most, and a fork begins without any.
pub struct Ids {
    client: Client,
    generator: String,
    block: Mutex<Block>,
}

struct Block {
    connection: Connection,
    ids: Vec<String>, // the next one is the last
    filled: Instant,
    pid: u32, // of the process that has connected
}

const SIZE: u32 = 1000;
const LIFE: Duration = Duration::from_secs(1);

impl Ids {
    pub fn new(client: Client, generator: &str) -> RedisResult<Ids> {
        let block = Mutex::new(Block::new(&client)?);
        let generator = generator.to_owned();
        Ok(Ids {
            client,
            generator,
            block,
        })
    }

    pub fn next(&self) -> RedisResult<i64> {
        let mut block = self.block.lock().expect("no thread panics with the lock");
        if block.pid != process::id() {
            *block = Block::new(&self.client)?;
        }
        if block.ids.is_empty() || block.filled.elapsed() > LIFE {
            let mut command = redis::cmd("NEXT");
            command.arg(&self.generator).arg(SIZE);
            block.ids = command.query(&mut block.connection)?;
            block.ids.reverse();
            block.filled = Instant::now();
        }
        let id = block
            .ids
            .pop()
            .expect("an answer has as many ids as were asked for");
        Ok(id.parse().expect("an id is a decimal number"))
    }
}

impl Block {
    fn new(client: &Client) -> RedisResult<Block> {
        Ok(Block {
            connection: client.get_connection()?,
            ids: Vec::new(),
            filled: Instant::now(),
            pid: process::id(),
        })
    }
}

fn main() -> RedisResult<()> {
    let url = std::env::var("FRAZILD_URL").expect("FRAZILD_URL names the daemon");
    let ids = Ids::new(Client::open(url)?, "main")?;
    for _ in 0..2500 {
        println!("{}", ids.next()?);
    }
    Ok(())
}
