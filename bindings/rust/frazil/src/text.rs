// SPDX-License-Identifier: MIT
//! 64-bit ids as text: forms, shards, hashed worker numbers, and the kasumi scrambler.

use std::fmt;
use std::ops::Deref;
use std::os::raw::c_char;

use frazil_sys as sys;

use crate::error::{Error, Reason, Result};

/// A text of the library, without heap memory. It dereferences to [`str`].
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; sys::FRAZIL_TEXT_SIZE],
    len: usize,
}

impl Text {
    /// Returns the text that `write` leaves in a buffer, with its length.
    #[inline]
    pub(crate) fn written<F>(write: F) -> Result<Text>
    where
        F: FnOnce(*mut c_char, usize, *mut usize) -> sys::frazil_err,
    {
        let mut text = Text {
            bytes: [0; sys::FRAZIL_TEXT_SIZE],
            len: 0,
        };
        match write(text.bytes.as_mut_ptr().cast(), text.bytes.len(), &mut text.len) {
            sys::FRAZIL_OK => Ok(text),
            code => Err(Error::of(code)),
        }
    }

    /// Returns the text.
    #[inline]
    pub fn as_str(&self) -> &str {
        // SAFETY: the library writes ASCII.
        unsafe { std::str::from_utf8_unchecked(&self.bytes[..self.len]) }
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

macro_rules! forms {
    ($($name:ident = $number:ident: $sentence:literal,)*) => {
        /// A text form of 64-bit ids. Forms of fixed width sort as the numbers do, except [`Form::Base64Url`].
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum Form {
            $(#[doc = $sentence] $name = sys::$number,)*
        }

        impl Form {
            /// All forms, in the order of the library.
            pub const ALL: &'static [Form] = &[$(Form::$name),*];
        }
    };
}

// `make update-lists` writes the rows.
forms! {
    Dec = FRAZIL_TEXT_DEC: "Decimal, no leading zero: up to 20 digits.",
    DecPadded = FRAZIL_TEXT_DEC_PADDED: "Decimal, 20 digits.",
    Hex = FRAZIL_TEXT_HEX: "16 hex digits, lower case; read in either case, and as 0x with 1 to 16 digits.",
    Crockford = FRAZIL_TEXT_CROCKFORD: "13 of 0-9A-HJKMNP-TV-Z (Crockford's base 32); read in either case, I and L as 1, O as 0.",
    Base36 = FRAZIL_TEXT_BASE36: "0-9a-z, no padding.",
    Base58 = FRAZIL_TEXT_BASE58: "1-9a-km-zA-HJ-NP-Z (lower case first, as Flickr's), no padding; needs a case-sensitive collation.",
    Base62 = FRAZIL_TEXT_BASE62: "11 of 0-9A-Za-z; needs a case-sensitive collation.",
    Base64Url = FRAZIL_TEXT_BASE64URL: "11: RFC 4648 section 5 without padding, of the 8 big-endian bytes; needs a case-sensitive collation.",
    Bin = FRAZIL_TEXT_BIN: "64 binary digits in groups of four, separated by spaces.",
    Bytes = FRAZIL_TEXT_BYTES: "The 8 big-endian bytes, as 16 hex digits; read also with a space between bytes.",
    Hex0x = FRAZIL_TEXT_HEX0X: "0x and hex digits, lower case, no padding; the digits are read in either case.",
    HexShort = FRAZIL_TEXT_HEX_SHORT: "Hex digits, lower case, no padding; read in either case.",
    Signed = FRAZIL_TEXT_SIGNED: "Decimal of the same 64 bits as a signed number, as in BIGINT and Java's long: from 2^63 on, the id less 2^64. No leading zero, no +.",
}

impl Form {
    /// Returns the form's name in the frazil command, such as `"crockford"`.
    pub fn name(self) -> &'static str {
        // SAFETY: names are never freed.
        unsafe { crate::error::text(sys::frazil_text_name(self as sys::frazil_text)) }
    }

    /// Returns the form with this name.
    pub fn by_name(name: &str) -> Result<Form> {
        Form::ALL
            .iter()
            .copied()
            .find(|form| form.name() == name)
            .ok_or_else(|| Error::new(crate::Code::EINVAL, format!("there is no text form {:?}", name)))
    }

    /// Writes an id.
    #[inline]
    pub fn format(self, id: u64) -> Text {
        // SAFETY: the buffer has room for every form.
        Text::written(|buf, size, len| unsafe { sys::frazil_id_format(self as sys::frazil_text, id, buf, size, len) })
            .expect("the buffer has room for every form")
    }

    /// Reads an id. Returns [`Code::EPARSE`](crate::Code::EPARSE) for text that the form would not write.
    pub fn parse(self, text: &str) -> Result<u64> {
        let mut id = 0;
        let mut why = Reason::new();
        // SAFETY: the text is of that length; outputs are ours.
        let code = unsafe {
            sys::frazil_id_parse(
                self as sys::frazil_text,
                text.as_ptr().cast(),
                text.len(),
                &mut id,
                why.as_mut_ptr(),
            )
        };
        why.check(code).map(|()| id)
    }
}

fn checked<T>(value: T, code: sys::frazil_err) -> Result<T> {
    if code == sys::FRAZIL_OK {
        Ok(value)
    } else {
        Err(Error::of(code))
    }
}

/// Returns the shard of an id as konayuki computes it: CRC-32 of the decimal text, modulo shards.
pub fn shard(id: u64, shards: u32) -> Result<u32> {
    let mut shard = 0;
    // SAFETY: the output is ours.
    let code = unsafe { sys::frazil_shard(id, shards, &mut shard) };
    checked(shard, code)
}

/// Returns a worker number for a host name or address as konayuki computes it. Two hosts can get the same number.
pub fn worker_hash(text: &str, workers: u32) -> Result<u32> {
    let mut worker = 0;
    // SAFETY: the text is of that length; the output is ours.
    let code = unsafe { sys::frazil_worker_hash(text.as_ptr().cast(), text.len(), workers, &mut worker) };
    checked(worker, code)
}

/// Returns the probability that two hosts share a hashed worker number, in parts per million, rounded up.
pub fn worker_collision(hosts: u32, workers: u64) -> Result<u32> {
    let mut ppm = 0;
    // SAFETY: the output is ours.
    let code = unsafe { sys::frazil_worker_collision(hosts, workers, &mut ppm) };
    checked(ppm, code)
}

fn flags(check_digits: bool) -> u32 {
    if check_digits {
        sys::FRAZIL_KASUMI_CHECKED
    } else {
        0
    }
}

/// The kasumi scrambler, its own inverse. It hides nothing from an attacker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kasumi {
    salt: u64,
}

/// Leaves the salt out.
impl fmt::Debug for Kasumi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kasumi").finish_non_exhaustive()
    }
}

impl Kasumi {
    /// Creates a scrambler with a salt, which must be odd.
    pub fn new(salt: u64) -> Result<Kasumi> {
        let kasumi = Kasumi { salt };
        kasumi.scramble(0).map(|_| kasumi)
    }

    /// Returns a new salt from the kernel's random numbers. Keep it: scrambled ids cannot be read without it.
    pub fn new_salt() -> Result<u64> {
        let mut salt = 0;
        let mut why = Reason::new();
        // SAFETY: NULL stands for the kernel's random numbers.
        let code = unsafe { sys::frazil_salt_new(std::ptr::null(), &mut salt, why.as_mut_ptr()) };
        why.check(code).map(|()| salt)
    }

    /// Scrambles an id, or unscrambles a scrambled one.
    pub fn scramble(self, id: u64) -> Result<u64> {
        let mut scrambled = 0;
        // SAFETY: the output is ours.
        let code = unsafe { sys::frazil_kasumi(self.salt, id, &mut scrambled) };
        checked(scrambled, code)
    }

    /// Returns the scrambled id as 14 characters, or as 19 with check digits.
    pub fn format(self, id: u64, check_digits: bool) -> Text {
        // SAFETY: the buffer has room for both.
        Text::written(|buf, size, len| unsafe {
            sys::frazil_scramble(self.salt, flags(check_digits), id, buf, size, len)
        })
        .expect("the salt is odd and the buffer has room")
    }

    /// Returns the id of a text that [`Kasumi::format`] has written.
    pub fn parse(self, text: &str, check_digits: bool) -> Result<u64> {
        let mut id = 0;
        let mut why = Reason::new();
        // SAFETY: the text is of that length; outputs are ours.
        let code = unsafe {
            sys::frazil_unscramble(
                self.salt,
                flags(check_digits),
                text.as_ptr().cast(),
                text.len(),
                &mut id,
                why.as_mut_ptr(),
            )
        };
        why.check(code).map(|()| id)
    }
}
