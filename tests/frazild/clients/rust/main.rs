// SPDX-License-Identifier: MIT

//! redis-rs: PORT TOKEN

fn main() -> redis::RedisResult<()> {
    let words: Vec<String> = std::env::args().collect();
    let client = redis::Client::open(format!("redis://:{}@127.0.0.1:{}/", words[2], words[1]))?;
    let mut connection = client.get_connection()?;
    for _ in 0..20 {
        let id: String = redis::cmd("NEXT").arg("main").query(&mut connection)?;
        println!("{id}");
    }
    let ids: Vec<String> = redis::cmd("NEXT").arg("main").arg(50).query(&mut connection)?;
    println!("{}", ids.join("\n"));
    for _ in 0..20 {
        let id: i64 = redis::cmd("INCR").arg("orders:id").query(&mut connection)?;
        println!("{id}");
    }
    for atomic in [false, true] {
        let mut pipeline = redis::pipe();
        if atomic {
            pipeline.atomic();
        }
        for _ in 0..10 {
            pipeline.cmd("NEXT").arg("main");
        }
        let ids: Vec<String> = pipeline.query(&mut connection)?;
        println!("{}", ids.join("\n"));
    }
    Ok(())
}
