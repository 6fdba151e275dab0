// SPDX-License-Identifier: MIT
//! Goal of this test: what bindings/conformance/cases.jsonl says of frazil is so through the crate, too.
//!
//! A member that nobody has asked for is an error, so that a slip in a case never passes for a check.

mod common;

use std::time::Duration;

use common::{tree, Json, Scratch};
use frazil::{
    format_partition, parse_partition, text, time, Error, Fields, Form, Generator, Id, Kasumi, Layout, LocalGenerator,
    ManualClock, Options, Result, Sno, SnoFields,
};

/// One call, or the head of a case: its members are taken one by one.
struct Step {
    left: Vec<(String, Json)>,
    compared: usize,
    wrong: Option<String>,
}

impl Step {
    fn new(members: &Json) -> Step {
        match members {
            Json::Object(members) => Step {
                left: members.clone(),
                compared: 0,
                wrong: None,
            },
            _ => panic!("it is no object"),
        }
    }

    fn wrong(&mut self, sentence: String) {
        self.wrong.get_or_insert(sentence);
    }

    fn has(&self, key: &str) -> bool {
        self.left.iter().any(|member| member.0 == key)
    }

    fn take(&mut self, key: &str) -> Option<Json> {
        let at = self.left.iter().position(|member| member.0 == key)?;
        Some(self.left.remove(at).1)
    }

    /// After the last question.
    fn finish(&mut self, succeeded: bool) {
        if let Some((key, _)) = self.left.first().cloned() {
            self.wrong(format!("it has a member {:?} that this call does not know", key));
        } else if succeeded && self.compared == 0 {
            self.wrong("nothing is expected of it".to_string());
        }
    }

    // ---- inputs ----

    fn text(&mut self, key: &str) -> String {
        match self.take(key) {
            Some(Json::Text(text)) => text,
            _ => {
                self.wrong(format!("it needs a text {:?}", key));
                String::new()
            }
        }
    }

    fn number<T: std::str::FromStr + Default>(&mut self, key: &str) -> T {
        let text = self.text(key);
        text.parse().unwrap_or_else(|_| {
            self.wrong(format!("its member {:?} is no number in decimal digits", key));
            T::default()
        })
    }

    fn small<T: TryFrom<i64> + Default>(&mut self, key: &str) -> T {
        match self.take(key) {
            Some(Json::Number(number)) => T::try_from(number).unwrap_or_else(|_| {
                self.wrong(format!("its member {:?} is too large", key));
                T::default()
            }),
            _ => {
                self.wrong(format!("it needs a number {:?}", key));
                T::default()
            }
        }
    }

    fn boolean(&mut self, key: &str) -> bool {
        let value = self.take(key);
        if !matches!(value, Some(Json::Bool(_))) {
            self.wrong(format!("it needs a member {:?}, true or false", key));
        }
        value == Some(Json::Bool(true))
    }

    fn bytes(&mut self, key: &str) -> Vec<u8> {
        let text = self.text(key);
        let bytes: Option<Vec<u8>> = (0..text.len())
            .step_by(2)
            .map(|at| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect();
        bytes.unwrap_or_else(|| {
            self.wrong(format!("its member {:?} is not in pairs of hex digits", key));
            Vec::new()
        })
    }

    fn sno(&mut self, key: &str) -> Sno {
        let bytes = self.bytes(key);
        Sno::try_from(bytes.as_slice()).unwrap_or_else(|why| {
            self.wrong(format!("its member {:?}: {}", key, why));
            Sno::default()
        })
    }

    // ---- outputs: compared if the case names them ----

    fn is(&mut self, key: &str, answer: Json) {
        if let Some(expected) = self.take(key) {
            self.compared += 1;
            if expected != answer {
                self.wrong(format!("{:?} is {:?}, expected was {:?}", key, answer, expected));
            }
        }
    }

    fn is_text<T: ToString>(&mut self, key: &str, answer: T) {
        self.is(key, Json::Text(answer.to_string()));
    }

    fn is_small<T: Into<i64>>(&mut self, key: &str, answer: T) {
        self.is(key, Json::Number(answer.into()));
    }

    fn is_sno(&mut self, key: &str, sno: &Sno) {
        self.is_text(key, hex(&sno.0));
    }

    fn is_between(&mut self, key: &str, answer: u32) {
        let (low, high) = (format!("{}_from", key), format!("{}_to", key));
        if self.has(&low) || self.has(&high) {
            self.compared += 1;
            let (low, high): (u32, u32) = (self.small(&low), self.small(&high));
            if answer < low || answer > high {
                self.wrong(format!("{:?} is {}, expected was {} to {}", key, answer, low, high));
            }
        }
    }

    fn is_error(&mut self, result: &Result<()>) {
        match result {
            Ok(()) if self.has("error") => self.wrong("it succeeds, expected was an error".to_string()),
            Ok(()) => {}
            Err(why) if !self.has("error") => self.wrong(format!("{:?}", why)),
            Err(why) => {
                if !self.has("class") {
                    self.wrong("it needs a member \"class\" beside \"error\"".to_string());
                }
                self.is_text("error", why.code().name());
                self.is_text("class", why.class());
                self.is_text("position", why.position().map_or(-1, |position| position as i64));
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{:02x}", byte)).collect()
}

/// A case is made on these.
#[derive(Default)]
struct Subject {
    local: Option<LocalGenerator>,
    generator: Option<Generator>,
    _beside: Option<Generator>,
    clock: Option<ManualClock>,
    layout: Option<Layout>,
}

impl Subject {
    fn generator(&self) -> &Generator {
        self.generator.as_ref().expect("the case has a spec")
    }

    fn layout(&self) -> &Layout {
        self.layout.as_ref().expect("the case has a spec or a layout")
    }

    fn clock(&self) -> &ManualClock {
        self.clock.as_ref().expect("the case has a clock")
    }
}

/// The id, or where its sequence number is left to chance, its fields.
fn is_id(subject: &Subject, step: &mut Step, id: u64) {
    step.is_text("id", id);
    if let Ok(fields) = subject.layout().decompose(id) {
        step.is_text("unix_ms", fields.unix_ms);
        step.is_small("worker", fields.worker);
        step.is_between("sequence", fields.sequence);
    }
}

fn is_ids(step: &mut Step, key: &str, ids: Vec<String>) {
    step.is(key, Json::List(ids.into_iter().map(Json::Text).collect()));
}

fn call_of_generator(subject: &mut Subject, name: &str, step: &mut Step) -> Option<Result<()>> {
    let answer = |subject: &Subject, step: &mut Step, id: Result<u64>| id.map(|id| is_id(subject, step, id));
    Some(match name {
        "next" => answer(subject, step, subject.generator().next()),
        "try_next" => answer(subject, step, subject.generator().try_next()),
        "local_next" => {
            if subject.local.is_none() {
                subject.local = match subject.generator().local() {
                    Ok(local) => Some(local),
                    Err(why) => return Some(Err(why)),
                };
            }
            let id = subject.local.as_ref().unwrap().next();
            answer(subject, step, id)
        }
        "next_at" => {
            let at = step.number("at");
            answer(subject, step, subject.generator().next_at(at))
        }
        "next_n" | "take" => {
            let mut ids = vec![0; step.small("n")];
            let taken = if name == "take" {
                let wait = match step.number("wait_ns") {
                    u64::MAX => Duration::MAX,
                    ns => Duration::from_nanos(ns),
                };
                subject.generator().take(&mut ids, wait)
            } else {
                subject.generator().fill(&mut ids)
            };
            taken.map(|()| is_ids(step, "ids", ids.iter().map(u64::to_string).collect()))
        }
        "sno_next" => {
            let meta = step.small("meta");
            subject.generator().next_sno(meta).map(|sno| step.is_sno("sno", &sno))
        }
        "sno_try_next" => {
            let meta = step.small("meta");
            subject
                .generator()
                .try_next_sno(meta)
                .map(|sno| step.is_sno("sno", &sno))
        }
        "sno_next_n" => {
            let meta = step.small("meta");
            let mut snos = vec![Sno::default(); step.small("n")];
            let taken = subject.generator().fill_snos(meta, &mut snos);
            taken.map(|()| is_ids(step, "snos", snos.iter().map(|sno| hex(&sno.0)).collect()))
        }
        "sno_next_at" => {
            let (meta, at) = (step.small("meta"), step.number("at"));
            subject
                .generator()
                .next_sno_at(at, meta)
                .map(|sno| step.is_sno("sno", &sno))
        }
        "info" => {
            let info = subject.generator().info();
            step.is_small("worker", info.worker);
            step.is_small("sequence_min", info.sequence_min);
            step.is_small("sequence_max", info.sequence_max);
            step.is_text("capacity", info.capacity);
            step.is_small("collision_ppm", info.collision_ppm);
            step.is_text("fingerprint", subject.layout().fingerprint());
            Ok(())
        }
        "available" => {
            step.is_text("available", subject.generator().available());
            Ok(())
        }
        "stats" => {
            for (name, value) in subject.generator().stats().iter() {
                step.is_text(name, value);
            }
            Ok(())
        }
        "stop" => {
            subject.generator().stop();
            step.compared += 1; // it has no answer
            Ok(())
        }
        "set_clock" => {
            let at = step.number("at");
            subject.clock().set(at);
            step.compared += 1;
            Ok(())
        }
        "advance_clock" => {
            let ns = step.number("ns");
            subject.clock().advance(Duration::from_nanos(ns));
            step.compared += 1;
            Ok(())
        }
        _ => return None,
    })
}

fn call_of_layout(subject: &Subject, name: &str, step: &mut Step) -> Option<Result<()>> {
    Some(match name {
        "compose" => {
            let fields = Fields {
                unix_ms: step.number("unix_ms"),
                worker: step.small("worker"),
                sequence: step.small("sequence"),
            };
            subject.layout().compose(&fields).map(|id| step.is_text("id", id))
        }
        "decompose" => {
            let id = step.number("id");
            let layout = subject.layout();
            layout.decompose(id).map(|fields| {
                step.is_text("unix_ms", fields.unix_ms);
                step.is_small("worker", fields.worker);
                step.is_small("sequence", fields.sequence);
                step.is_small("datacenter", layout.datacenter_of(fields.worker));
                step.is_small("worker_in_datacenter", layout.worker_in_datacenter(fields.worker));
            })
        }
        "range" => {
            let (from, to) = (step.number("from_unix_ms"), step.number("to_unix_ms"));
            subject.layout().range(from, to).map(|(first, last)| {
                step.is_text("first", first);
                step.is_text("last", last);
            })
        }
        "describe" => {
            let info = subject.layout().info();
            step.is_small("total_bits", info.total_bits);
            step.is_text("workers", info.workers);
            step.is_text("ids_per_tick", info.ids_per_tick);
            step.is_text("ids_per_second", info.ids_per_second);
            step.is_text("first_unix_ms", info.first_unix_ms);
            step.is_text("last_unix_ms", info.last_unix_ms);
            step.is_text("max_id", info.max_id);
            step.is("reaches_sign_bit", Json::Bool(info.reaches_sign_bit));
            step.is_text("sign_bit_unix_ms", info.sign_bit_unix_ms);
            step.is("fits_53_bits", Json::Bool(info.fits_53_bits));
            Ok(())
        }
        "fingerprint" => {
            step.is_text("text", subject.layout().fingerprint());
            Ok(())
        }
        "overlap" => {
            let (after, since) = (step.text("after"), step.number("since_unix_ms"));
            let found = after.parse().and_then(|after| subject.layout().overlap(&after, since));
            found.map(|found| {
                step.is("can_collide", Json::Bool(found.can_collide));
                step.is("can_missort", Json::Bool(found.can_missort));
                step.is("ever_safe", Json::Bool(found.ever_safe));
                step.is_text("old_last", found.old_last);
                step.is_text("new_first", found.new_first);
                step.is_text("safe_unix_ms", found.safe_unix_ms);
            })
        }
        _ => return None,
    })
}

fn call_of_text(name: &str, step: &mut Step) -> Option<Result<()>> {
    Some(match name {
        "format" => {
            let (form, id) = (step.text("form"), step.number("id"));
            Form::by_name(&form).map(|form| step.is_text("text", form.format(id)))
        }
        "parse" => {
            let (form, text) = (step.text("form"), step.text("text"));
            Form::by_name(&form)
                .and_then(|form| form.parse(&text))
                .map(|id| step.is_text("id", id))
        }
        "bytes_write" => {
            let id = Id(step.number("id"));
            step.is_text("bytes", hex(&id.to_bytes()));
            Ok(())
        }
        "bytes_read" => {
            let bytes = step.bytes("bytes");
            Id::from_bytes(&bytes).map(|id| step.is_text("id", id))
        }
        "shard" => {
            let (id, shards) = (step.number("id"), step.small("shards"));
            text::shard(id, shards).map(|shard| step.is_small("shard", shard))
        }
        "worker_hash" => {
            let (hint, workers) = (step.text("text"), step.small("workers"));
            text::worker_hash(&hint, workers).map(|worker| step.is_small("worker", worker))
        }
        "collision" => {
            let (hosts, workers) = (step.small("hosts"), step.number("workers"));
            text::worker_collision(hosts, workers).map(|ppm| step.is_small("ppm", ppm))
        }
        "kasumi" => {
            let (salt, id) = (step.number("salt"), step.number("id"));
            Kasumi::new(salt)
                .and_then(|kasumi| kasumi.scramble(id))
                .map(|id| step.is_text("scrambled", id))
        }
        "scramble" => {
            let (salt, checked, id) = (step.number("salt"), step.boolean("checked"), step.number("id"));
            Kasumi::new(salt).map(|kasumi| step.is_text("text", kasumi.format(id, checked)))
        }
        "unscramble" => {
            let (salt, checked, text) = (step.number("salt"), step.boolean("checked"), step.text("text"));
            Kasumi::new(salt)
                .and_then(|kasumi| kasumi.parse(&text, checked))
                .map(|id| step.is_text("id", id))
        }
        "time_format" => {
            let unix_ms = step.number("unix_ms");
            time::format(unix_ms).map(|text| step.is_text("text", text))
        }
        "time_parse" => {
            let text = step.text("text");
            time::parse(&text).map(|unix_ms| step.is_text("unix_ms", unix_ms))
        }
        _ => return None,
    })
}

fn call_of_sno(name: &str, step: &mut Step) -> Option<Result<()>> {
    let is_sno = |step: &mut Step, sno: Result<Sno>| sno.map(|sno| step.is_sno("sno", &sno));
    Some(match name {
        "sno_compose" => {
            let fields = SnoFields {
                unix_ms: step.number("unix_ms"),
                ticktock: step.small("ticktock"),
                meta: step.small("meta"),
                partition: step.small("partition"),
                sequence: step.small("sequence"),
            };
            is_sno(step, Sno::compose(&fields))
        }
        "sno_decompose" => {
            let fields = step.sno("sno").fields();
            step.is_text("unix_ms", fields.unix_ms);
            step.is_small("ticktock", fields.ticktock);
            step.is_small("meta", fields.meta);
            step.is_small("partition", fields.partition);
            step.is_small("sequence", fields.sequence);
            Ok(())
        }
        "sno_encode" => {
            let sno = step.sno("sno");
            step.is_text("text", sno);
            Ok(())
        }
        "sno_decode" => {
            let text = step.text("text");
            is_sno(step, text.parse())
        }
        "sno_range" => {
            let (from, to) = (step.number("from_unix_ms"), step.number("to_unix_ms"));
            Sno::range(from, to).map(|(first, last)| {
                step.is_sno("first", &first);
                step.is_sno("last", &last);
            })
        }
        "uuid_format" => {
            let sno = step.sno("sno");
            step.is_text("text", sno.to_uuid_text());
            Sno::from_uuid(&sno.to_uuid()).map(|read| assert_eq!(read, sno))
        }
        "uuid_parse" => {
            let text = step.text("text");
            is_sno(step, Sno::from_uuid_text(&text))
        }
        "uuid_read" => {
            let bytes = step.bytes("bytes");
            is_sno(step, Sno::from_uuid(&bytes))
        }
        "sno_to_json" => {
            let sno = step.sno("sno");
            step.is_text("text", sno.to_json());
            Ok(())
        }
        "sno_from_json" => {
            let text = step.text("text");
            is_sno(step, Sno::from_json(&text))
        }
        "sno_from_column" => {
            let bytes = step.bytes("bytes");
            is_sno(step, Sno::from_column(&bytes))
        }
        "partition_format" => {
            let partition = step.small("partition");
            step.is_text("text", format_partition(partition));
            Ok(())
        }
        "partition_parse" => {
            let text = step.text("text");
            parse_partition(&text).map(|partition| step.is_small("partition", partition))
        }
        _ => return None,
    })
}

fn make_call(subject: &mut Subject, members: &Json) -> Option<String> {
    let mut step = Step::new(members);
    let name = step.text("call");
    let result = call_of_generator(subject, &name, &mut step)
        .or_else(|| call_of_layout(subject, &name, &mut step))
        .or_else(|| call_of_text(&name, &mut step))
        .or_else(|| call_of_sno(&name, &mut step));
    match result {
        None => step.wrong("there is no such call".to_string()),
        Some(result) => {
            step.is_error(&result);
            step.finish(result.is_ok());
        }
    }
    step.wrong.map(|wrong| format!("{}: {}", name, wrong))
}

fn open(step: &mut Step, scratch: &Scratch) -> Result<Subject, Error> {
    let mut subject = Subject::default();
    if step.has("spec") {
        let spec = step.text("spec").replace("SCRATCH", scratch.path());
        if step.has("beside") {
            subject._beside = Some(Generator::open(
                &step.text("beside").replace("SCRATCH", scratch.path()),
            )?);
        }
        let mut options = Options::new()?.spec(&spec)?;
        if step.has("clock_unix_ms") {
            let clock = ManualClock::new(step.number("clock_unix_ms"))?;
            options = options.clock(&clock)?;
            subject.clock = Some(clock);
        }
        let generator = options.open()?;
        subject.layout = Some(generator.layout());
        subject.generator = Some(generator);
    } else if step.has("layout") {
        subject.layout = Some(step.text("layout").parse()?);
    }
    Ok(subject)
}

/// The first thing that is not as the case says.
fn run_case(line: &str, scratch: &Scratch) -> Option<String> {
    let case = Json::parse(line).unwrap_or_else(|why| panic!("{}", why));
    let mut step = Step::new(&case);
    let name = step.text("name");
    let calls = match step.take("calls") {
        Some(Json::List(calls)) => calls,
        _ => Vec::new(),
    };
    let environment = match step.take("environment") {
        Some(Json::Object(variables)) => variables,
        _ => Vec::new(),
    };
    for (variable, value) in &environment {
        match value {
            Json::Text(value) => std::env::set_var(variable, value),
            _ => panic!("a variable is a text"),
        }
    }
    let opened = open(&mut step, scratch);
    for (variable, _) in &environment {
        std::env::remove_var(variable);
    }
    let (subject, result) = match opened {
        Ok(subject) => (Some(subject), Ok(())),
        Err(why) => (None, Err(why)),
    };
    step.is_error(&result);
    step.finish(false);
    if subject.is_some() && calls.is_empty() {
        step.wrong("the case makes no call".to_string());
    }
    if let (Some(mut subject), None) = (subject, &step.wrong) {
        for (i, call) in calls.iter().enumerate() {
            if let Some(wrong) = make_call(&mut subject, call) {
                return Some(format!("{}: call {}, {}", name, i + 1, wrong));
            }
        }
    }
    step.wrong.map(|wrong| format!("{}: {}", name, wrong))
}

/// Alone in its program, as cases change the environment.
#[test]
fn all_cases_hold_and_the_runner_finds_what_is_wrong() {
    let names: Vec<String> = std::env::vars()
        .map(|pair| pair.0)
        .filter(|name| name.starts_with("FRAZIL_"))
        .collect();
    for name in &names {
        std::env::remove_var(name);
    }
    let scratch = Scratch::new();
    std::env::set_var("FRAZIL_HOST_DIR", format!("{}/host", scratch.path()));
    let cases = tree("bindings/conformance/cases.jsonl");
    let wrong: Vec<String> = cases.lines().filter_map(|line| run_case(line, &scratch)).collect();
    assert!(cases.lines().count() > 300, "there are {} cases", cases.lines().count());
    assert!(wrong.is_empty(), "{} cases fail:\n{}", wrong.len(), wrong.join("\n"));

    for (line, word) in [
        (
            r#"{"name": "a", "layout": "frazil", "calls": [{"call": "compose", "unix_ms": "1767225600000", "worker": 0, "sequence": 0, "id": "1"}]}"#,
            "expected",
        ),
        (
            r#"{"name": "a", "layout": "frazil", "calls": [{"call": "fingerprint"}]}"#,
            "nothing is expected",
        ),
        (
            r#"{"name": "a", "layout": "frazil", "calls": [{"call": "fly", "id": "1"}]}"#,
            "no such call",
        ),
        (
            r#"{"name": "a", "layout": "frazil", "calls": [{"call": "fingerprint", "texts": "41"}]}"#,
            "does not know",
        ),
        (r#"{"name": "a", "layout": "frazil", "calls": []}"#, "makes no call"),
        (r#"{"name": "a", "layout": "no", "error": "FRAZIL_ELAYOUT"}"#, "class"),
        (
            r#"{"name": "a", "layout": "no", "error": "FRAZIL_ESPEC", "class": "usage"}"#,
            "expected",
        ),
        (
            r#"{"name": "a", "layout": "frazil", "error": "FRAZIL_ELAYOUT", "class": "usage"}"#,
            "succeeds",
        ),
    ] {
        let found = run_case(line, &scratch).unwrap_or_else(|| panic!("nothing is found in {}", line));
        assert!(found.contains(word), "{}: {}", line, found);
    }
}
