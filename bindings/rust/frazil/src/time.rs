// SPDX-License-Identifier: MIT
//! Instants as text: RFC 3339 in UTC, and Unix milliseconds.

use frazil_sys as sys;

use crate::error::{Reason, Result};
use crate::text::Text;

/// Writes a time such as `2026-01-01T00:00:00.000Z`. Returns [`Code::ERANGE`](crate::Code::ERANGE) before the year 0.
pub fn format(unix_ms: i64) -> Result<Text> {
    // SAFETY: the buffer is of that size.
    Text::written(|buf, size, len| unsafe { sys::frazil_time_format(unix_ms, buf, size, len) })
}

/// Reads RFC 3339, a date alone, or Unix milliseconds.
pub fn parse(text: &str) -> Result<i64> {
    let mut unix_ms = 0;
    let mut why = Reason::new();
    // SAFETY: the text is of that length; outputs are ours.
    let code = unsafe { sys::frazil_time_parse(text.as_ptr().cast(), text.len(), &mut unix_ms, why.as_mut_ptr()) };
    why.check(code).map(|()| unix_ms)
}
