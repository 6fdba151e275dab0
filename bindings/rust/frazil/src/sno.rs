// SPDX-License-Identifier: MIT
//! Snos: 80-bit ids of ten bytes, or of sixteen characters that sort in the same order.

use std::fmt;
use std::str::FromStr;

use frazil_sys as sys;

use crate::error::{Code, Error, Reason, Result};
use crate::text::Text;

/// An 80-bit id. Its text has 16 characters of `2-9a-x`.
///
/// ```
/// use frazil::Sno;
///
/// let sno: Sno = "brpk4q72xwf2m63l".parse()?;
/// assert_eq!(sno.to_string(), "brpk4q72xwf2m63l");
/// assert_eq!(Sno::compose(&sno.fields())?, sno);
/// # Ok::<(), frazil::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "diesel", derive(diesel::AsExpression, diesel::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Binary))]
#[repr(transparent)]
pub struct Sno(pub [u8; 10]);

/// The fields of a sno.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SnoFields {
    /// Start of the unit of 4 ms.
    pub unix_ms: i64,
    /// 0 or 1: toggled when the clock went back.
    pub ticktock: u8,
    /// The metabyte, chosen by the caller.
    pub meta: u8,
    /// The partition; its first byte is the high one.
    pub partition: u16,
    /// The number within the unit.
    pub sequence: u16,
}

impl Sno {
    fn raw(&self) -> *const sys::frazil_sno {
        (self as *const Sno).cast()
    }

    fn raw_mut(&mut self) -> *mut sys::frazil_sno {
        (self as *mut Sno).cast()
    }

    /// Returns the sno that `read` fills in.
    fn read<F>(read: F) -> Result<Sno>
    where
        F: FnOnce(*mut sys::frazil_sno, *mut sys::frazil_error) -> sys::frazil_err,
    {
        let mut sno = Sno::default();
        let mut why = Reason::new();
        let code = read(sno.raw_mut(), why.as_mut_ptr());
        why.check(code).map(|()| sno)
    }

    /// Returns the sno with the given fields; the time is rounded down to its unit.
    pub fn compose(fields: &SnoFields) -> Result<Sno> {
        let fields = sys::frazil_sno_fields {
            unix_ms: fields.unix_ms,
            ticktock: fields.ticktock,
            meta: fields.meta,
            partition: fields.partition,
            sequence: fields.sequence,
            reserved: [0; 10],
        };
        // SAFETY: outputs are ours.
        Sno::read(|sno, why| unsafe { sys::frazil_sno_compose(&fields, sno, why) })
    }

    /// Returns the fields of the sno.
    pub fn fields(&self) -> SnoFields {
        // SAFETY: every ten bytes are a sno.
        let fields = unsafe {
            let mut fields: sys::frazil_sno_fields = std::mem::zeroed();
            sys::frazil_sno_decompose(self.raw(), &mut fields);
            fields
        };
        SnoFields {
            unix_ms: fields.unix_ms,
            ticktock: fields.ticktock,
            meta: fields.meta,
            partition: fields.partition,
            sequence: fields.sequence,
        }
    }

    /// Returns whether this is the zero sno (ten zero bytes), which means "none".
    pub fn is_zero(&self) -> bool {
        *self == Sno::default()
    }

    /// Returns the 16 characters of the sno.
    pub fn text(&self) -> Text {
        Text::written(|buf, _, len| {
            // SAFETY: the buffer has room for 16 characters and the length is ours.
            unsafe {
                sys::frazil_sno_encode(self.raw(), buf);
                *len = sys::FRAZIL_SNO_LEN;
            }
            sys::FRAZIL_OK
        })
        .expect("it cannot fail")
    }

    /// Returns the sno of a database column, which holds ten bytes, sixteen characters, or nothing for the zero sno.
    pub fn from_column(bytes: &[u8]) -> Result<Sno> {
        // SAFETY: the length is that of the slice; outputs are ours.
        Sno::read(|sno, why| unsafe { sys::frazil_sno_from_column(bytes.as_ptr().cast(), bytes.len(), sno, why) })
    }

    /// Returns the JSON value: a string, or null for the zero sno.
    pub fn to_json(&self) -> Text {
        // SAFETY: the buffer is of that size.
        Text::written(|buf, size, len| unsafe { sys::frazil_sno_to_json(self.raw(), buf, size, len) })
            .expect("the buffer has room")
    }

    /// Reads a JSON value: a string, or null for the zero sno.
    pub fn from_json(text: &str) -> Result<Sno> {
        // SAFETY: the text is of that length; outputs are ours.
        Sno::read(|sno, why| unsafe { sys::frazil_sno_from_json(text.as_ptr().cast(), text.len(), sno, why) })
    }

    /// Returns the sno as a UUID of version 8, in 36 characters.
    pub fn to_uuid_text(&self) -> Text {
        // SAFETY: the buffer is of that size.
        Text::written(|buf, size, len| unsafe { sys::frazil_sno_uuid_format(self.raw(), buf, size, len) })
            .expect("the buffer has room")
    }

    /// Reads a UUID that [`Sno::to_uuid_text`] has written.
    pub fn from_uuid_text(text: &str) -> Result<Sno> {
        // SAFETY: the text is of that length; outputs are ours.
        Sno::read(|sno, why| unsafe { sys::frazil_sno_uuid_parse(text.as_ptr().cast(), text.len(), sno, why) })
    }

    /// Returns the sno as a UUID of version 8, in 16 bytes.
    pub fn to_uuid(&self) -> [u8; 16] {
        let mut uuid = [0; sys::FRAZIL_UUID_SIZE];
        // SAFETY: 16 bytes.
        unsafe { sys::frazil_sno_to_uuid(self.raw(), uuid.as_mut_ptr()) };
        uuid
    }

    /// Reads the bytes of a UUID that [`Sno::to_uuid`] has returned.
    pub fn from_uuid(bytes: &[u8]) -> Result<Sno> {
        // SAFETY: the length is that of the slice; outputs are ours.
        Sno::read(|sno, why| unsafe { sys::frazil_sno_from_uuid(bytes.as_ptr().cast(), bytes.len(), sno, why) })
    }

    /// Returns the smallest and the largest sno of the units from one instant to another, both included.
    pub fn range(from_unix_ms: i64, to_unix_ms: i64) -> Result<(Sno, Sno)> {
        let mut last = Sno::default();
        let at = last.raw_mut();
        // SAFETY: outputs are ours.
        let first = Sno::read(|first, why| unsafe { sys::frazil_sno_range(from_unix_ms, to_unix_ms, first, at, why) })?;
        Ok((first, last))
    }
}

impl fmt::Display for Sno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl fmt::Debug for Sno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sno({})", self.text())
    }
}

impl FromStr for Sno {
    type Err = Error;
    fn from_str(text: &str) -> Result<Sno> {
        // SAFETY: the text is of that length; outputs are ours.
        Sno::read(|sno, why| unsafe { sys::frazil_sno_decode(text.as_ptr().cast(), text.len(), sno, why) })
    }
}

impl From<[u8; 10]> for Sno {
    fn from(bytes: [u8; 10]) -> Sno {
        Sno(bytes)
    }
}

impl AsRef<[u8]> for Sno {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Writes a partition as two bytes with a comma between them, such as `A,10`.
pub fn format_partition(partition: u16) -> Text {
    // SAFETY: the buffer is of that size.
    Text::written(|buf, size, len| unsafe { sys::frazil_sno_partition_format(partition, buf, size, len) })
        .expect("the buffer has room")
}

/// Reads a partition: a number, or two bytes with a comma between them.
pub fn parse_partition(text: &str) -> Result<u16> {
    let mut partition = 0;
    let mut why = Reason::new();
    // SAFETY: the text is of that length; outputs are ours.
    let code =
        unsafe { sys::frazil_sno_partition_parse(text.as_ptr().cast(), text.len(), &mut partition, why.as_mut_ptr()) };
    why.check(code).map(|()| partition)
}

/// The state of a sno generator, as the JSON object of sno's snapshots. Two are equal if their texts are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot(String);

impl Snapshot {
    /// Returns the snapshot that a function of the library writes.
    pub(crate) fn written(
        write: impl FnOnce(*mut std::os::raw::c_char, usize, *mut usize) -> sys::frazil_err,
    ) -> Result<Snapshot> {
        let mut bytes = [0u8; sys::FRAZIL_SNO_SNAPSHOT_SIZE];
        let mut len = 0;
        match write(bytes.as_mut_ptr().cast(), bytes.len(), &mut len) {
            sys::FRAZIL_OK => Ok(Snapshot(String::from_utf8_lossy(&bytes[..len]).into_owned())),
            code => Err(Error::of(code)),
        }
    }

    /// Returns the JSON text of the snapshot.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Snapshot {
    type Err = Error;
    fn from_str(text: &str) -> Result<Snapshot> {
        let snapshot = Snapshot(text.to_owned());
        // Options::snapshot parses the text, and reports what is wrong with it.
        crate::Options::new()?.snapshot(&snapshot)?;
        Ok(snapshot)
    }
}

impl TryFrom<&[u8]> for Sno {
    type Error = Error;
    fn try_from(bytes: &[u8]) -> Result<Sno> {
        let exact: [u8; 10] = bytes
            .try_into()
            .map_err(|_| Error::new(Code::EPARSE, format!("a sno has 10 bytes, not {}", bytes.len())))?;
        Ok(Sno(exact))
    }
}
