// SPDX-License-Identifier: MIT
//! The type of 64-bit ids.

use std::fmt;
use std::str::FromStr;

use frazil_sys as sys;

use crate::error::{Code, Error, Reason, Result};
use crate::text::{Form, Text};

/// A 64-bit id. Its text is decimal; [`Id::text`] has the other forms.
///
/// ```
/// use frazil::{Form, Id};
///
/// let id: Id = "43667737804828672".parse()?;
/// assert_eq!(id.to_string(), "43667737804828672");
/// assert_eq!(id.text(Form::Crockford), "016S3JE000W00");
/// assert_eq!(Id::parse(Form::Crockford, "016s3je000w00")?, id);
/// # Ok::<(), frazil::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "diesel", derive(diesel::AsExpression, diesel::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::BigInt))]
#[repr(transparent)]
pub struct Id(pub u64);

impl Id {
    /// Returns the id in one of the text forms.
    #[inline]
    pub fn text(self, form: Form) -> Text {
        form.format(self.0)
    }

    /// Reads an id in one of the text forms.
    pub fn parse(form: Form, text: &str) -> Result<Id> {
        form.parse(text).map(Id)
    }

    /// Returns the id for a column of signed 64-bit numbers. Returns [`Code::ERANGE`] above `i64::MAX`; store such ids as text.
    pub fn to_i64(self) -> Result<i64> {
        i64::try_from(self.0).map_err(|_| {
            let sentence = format!(
                "the id {} does not fit a signed 64-bit number: keep it as text, such as Id::text(Form::Crockford)",
                self.0
            );
            Error::new(Code::ERANGE, sentence)
        })
    }

    /// Returns the id of a column of signed 64-bit numbers. Returns [`Code::ERANGE`] for a negative number.
    pub fn from_i64(number: i64) -> Result<Id> {
        u64::try_from(number)
            .map(Id)
            .map_err(|_| Error::new(Code::ERANGE, format!("{} is no id, as it is negative", number)))
    }

    /// Returns the 8 bytes, big-endian: they sort as the numbers do.
    pub fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the id of 8 bytes, big-endian. Returns [`Code::EPARSE`] for another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Id> {
        let mut id = 0;
        let mut why = Reason::new();
        // SAFETY: the length is that of the slice; outputs are ours.
        let code = unsafe { sys::frazil_bytes_read(bytes.as_ptr().cast(), bytes.len(), &mut id, why.as_mut_ptr()) };
        why.check(code).map(|()| Id(id))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.0)
    }
}

impl FromStr for Id {
    type Err = Error;
    fn from_str(text: &str) -> Result<Id> {
        Id::parse(Form::Dec, text)
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id(number)
    }
}

impl From<Id> for u64 {
    fn from(id: Id) -> u64 {
        id.0
    }
}

impl TryFrom<i64> for Id {
    type Error = Error;
    fn try_from(number: i64) -> Result<Id> {
        Id::from_i64(number)
    }
}

impl TryFrom<Id> for i64 {
    type Error = Error;
    fn try_from(id: Id) -> Result<i64> {
        id.to_i64()
    }
}
