// SPDX-License-Identifier: MIT
//! Pieces that several tests have in common: files of the source tree, scratch folders, and JSON as the cases need it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file of the source tree of frazil.
pub fn tree(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {}", path.display(), why))
}

/// The rows of a file of golden vectors, below its header.
pub fn vectors(name: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = tree(&format!("tests/vectors/{}", name))
        .lines()
        .skip(1)
        .map(|line| line.split('\t').map(str::to_string).collect())
        .collect();
    assert!(!rows.is_empty(), "{} has rows", name);
    rows
}

/// A folder of the test's own, which goes away with it.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "frazil-rust-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The keys of a spec that keep its state in here.
    pub fn spec(&self, keys: &str) -> String {
        format!(
            "{0} run_dir={1}/run state_dir={1}/state host_dir={1}/host",
            keys,
            self.path()
        )
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A JSON value. Numbers of the cases are whole.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value, to the end. A member given twice is an error.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
        };
        let value = reader.value()?;
        reader.blanks();
        if reader.at == text.len() {
            Ok(value)
        } else {
            Err(format!("something follows at {}", reader.at))
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.bytes.get(self.at).map_or(false, u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The next byte that is no blank, without taking it.
    fn peek(&mut self) -> u8 {
        self.blanks();
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != byte {
            return Err(format!("no {:?} at {}", byte as char, self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// Takes a byte if it is the next one.
    fn took(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(format!("no {} at {}", word, self.at));
        }
        self.at += word.len();
        Ok(value)
    }

    fn value(&mut self) -> Result<Json, String> {
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => self.text().map(Json::Text),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .map_or(false, |byte| byte.is_ascii_digit() || *byte == b'-')
        {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap();
        text.parse()
            .map(Json::Number)
            .map_err(|why| format!("{} at {}", why, start))
    }

    fn list(&mut self) -> Result<Json, String> {
        let mut values = Vec::new();
        self.expect(b'[')?;
        if self.took(b']') {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value()?);
            if !self.took(b',') {
                self.expect(b']')?;
                return Ok(Json::List(values));
            }
        }
    }

    fn object(&mut self) -> Result<Json, String> {
        let mut members: Vec<(String, Json)> = Vec::new();
        self.expect(b'{')?;
        if self.took(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.peek();
            let key = self.text()?;
            self.expect(b':')?;
            if members.iter().any(|member| member.0 == key) {
                return Err(format!("{:?} is given twice", key));
            }
            members.push((key, self.value()?));
            if !self.took(b',') {
                self.expect(b'}')?;
                return Ok(Json::Object(members));
            }
        }
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect(b'"')?;
        let mut text = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at).ok_or("a string has no end")?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(text).map_err(|why| why.to_string()),
                b'\\' => text.extend(self.escape()?.to_string().bytes()),
                _ => text.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let byte = *self.bytes.get(self.at).ok_or("an escape has no end")?;
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let digits = self.bytes.get(self.at..self.at + 4).ok_or("an escape has no end")?;
                self.at += 4;
                let number = u32::from_str_radix(std::str::from_utf8(digits).map_err(|why| why.to_string())?, 16);
                let number = number.map_err(|why| why.to_string())?;
                char::from_u32(number).ok_or("half of a character: the cases have none")?
            }
            b'"' | b'\\' | b'/' => byte as char,
            _ => return Err(format!("no escape at {}", self.at)),
        })
    }
}
