// SPDX-License-Identifier: MIT
//! Errors: a code of the library's table, a class, and a sentence.

use std::ffi::CStr;
use std::fmt;
use std::mem::MaybeUninit;
use std::os::raw::c_char;
use std::sync::Arc;
use std::time::Duration;

use frazil_sys as sys;

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller can do about an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Class {
    /// Correct the call or the configuration.
    Usage,
    /// The same call can succeed later: [`Error::retry`] tells when, if that is known.
    Retry,
    /// This generator cannot issue ids now: use another one, or wait.
    Fenced,
    /// The error will not go away by itself.
    Fatal,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Usage => "usage",
            Class::Retry => "retry",
            Class::Fenced => "fenced",
            Class::Fatal => "fatal",
        })
    }
}

/// The number of an error in the library's table. Its meaning never changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

macro_rules! codes {
    ($($name:ident = $number:ident: $sentence:literal,)*) => {
        impl Code {
            $(#[doc = $sentence] pub const $name: Code = Code(sys::$number);)*
        }
    };
}

codes! {
    EINVAL = FRAZIL_EINVAL: "An argument is outside what the function accepts.",
    ESPEC = FRAZIL_ESPEC: "The spec cannot be understood.",
    ELAYOUT = FRAZIL_ELAYOUT: "The layout is not valid.",
    ERANGE = FRAZIL_ERANGE: "The value does not fit its field.",
    EPARSE = FRAZIL_EPARSE: "The text is not in the stated form.",
    ECHECKSUM = FRAZIL_ECHECKSUM: "The check digits do not match: altered text, or another salt or key.",
    EBUFFER = FRAZIL_EBUFFER: "The buffer is too small.",
    ENOWORKER = FRAZIL_ENOWORKER: "No worker id was given, and none is ever guessed.",
    EWORKER = FRAZIL_EWORKER: "The source of the worker id gave no usable number.",
    ESHORTLIFE = FRAZIL_ESHORTLIFE: "The layout has less than ten years left.",
    EKIND = FRAZIL_EKIND: "The call does not suit this kind of layout (64-bit ids or snos).",
    ENOTBUILT = FRAZIL_ENOTBUILT: "This part was not built into the library, or is not installed.",
    EREFUSED = FRAZIL_EREFUSED: "The coordinator refuses: a permission, a password, or a setting of its own.",
    ENAMESPACE = FRAZIL_ENAMESPACE: "The namespace is missing, was wiped, or was created for something else.",
    EAGAIN = FRAZIL_EAGAIN: "No id is free right now.",
    EFULL = FRAZIL_EFULL: "The tick is full and the call may not wait long enough for the next.",
    ECLOCK = FRAZIL_ECLOCK: "The clock is behind ids already issued, or before the layout's epoch.",
    EUNREACHABLE = FRAZIL_EUNREACHABLE: "The coordinator does not answer.",
    EPOOL = FRAZIL_EPOOL: "All worker ids are taken.",
    ELEASE = FRAZIL_ELEASE: "The grant of the worker id has ended.",
    EEXHAUSTED = FRAZIL_EEXHAUSTED: "The layout has no tick left.",
    ENOMEM = FRAZIL_ENOMEM: "Out of memory.",
    ESYS = FRAZIL_ESYS: "A system call failed.",
    ESTATE = FRAZIL_ESTATE: "A state file is damaged, or is of another layout, worker or version.",
    ESTOPPED = FRAZIL_ESTOPPED: "The generator was stopped or closed.",
}

impl Code {
    /// Returns the name of the code, such as `"FRAZIL_EFULL"`.
    pub fn name(self) -> &'static str {
        // SAFETY: any number has a name, which is never freed.
        unsafe { text(sys::frazil_err_name(self.0)) }
    }

    /// Returns the sentence of the code in the table.
    pub fn sentence(self) -> &'static str {
        // SAFETY: any number has a sentence, which is never freed.
        unsafe { text(sys::frazil_strerror(self.0)) }
    }

    /// Returns the class of the code, which tells what the caller can do.
    pub fn class(self) -> Class {
        // SAFETY: any number has a class.
        match unsafe { sys::frazil_err_classify(self.0) } {
            sys::FRAZIL_CLASS_USAGE => Class::Usage,
            sys::FRAZIL_CLASS_RETRY => Class::Retry,
            sys::FRAZIL_CLASS_FENCED => Class::Fenced,
            _ => Class::Fatal,
        }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns a text of the library that is never freed.
///
/// # Safety
/// `at` is NULL or a terminated text that is never freed.
pub(crate) unsafe fn text(at: *const c_char) -> &'static str {
    if at.is_null() {
        return "?";
    }
    CStr::from_ptr(at).to_str().unwrap_or("?")
}

/// The error of a call that failed.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    detail: Box<Detail>,
}

#[derive(Clone, PartialEq, Eq)]
struct Detail {
    code: Code,
    sentence: String,
    retry_ns: u64,
    behind_us: i64,
    position: i64,
    os: Option<OsError>,
}

/// The operating system's error behind an error, as its source.
#[derive(Clone)]
struct OsError(Arc<std::io::Error>);

impl OsError {
    fn of(number: i32) -> Option<OsError> {
        match number {
            0 => None,
            number => Some(OsError(Arc::new(std::io::Error::from_raw_os_error(number)))),
        }
    }

    fn number(&self) -> Option<i32> {
        self.0.raw_os_error()
    }
}

impl PartialEq for OsError {
    fn eq(&self, other: &OsError) -> bool {
        self.number() == other.number()
    }
}

impl Eq for OsError {}

impl Error {
    /// Returns the number of the error in the table.
    pub fn code(&self) -> Code {
        self.detail.code
    }

    /// Returns the class of the error, which tells what the caller can do.
    pub fn class(&self) -> Class {
        self.detail.code.class()
    }

    /// Returns one sentence: what failed, where, and what to do next.
    pub fn sentence(&self) -> &str {
        &self.detail.sentence
    }

    /// Returns the time after which the call can succeed, for class [`Class::Retry`] and if known.
    pub fn retry(&self) -> Option<Duration> {
        match self.detail.retry_ns {
            0 => None,
            ns => Some(Duration::from_nanos(ns)),
        }
    }

    /// Returns how far the clock is behind the highest time seen, for [`Code::ECLOCK`].
    pub fn behind(&self) -> Option<Duration> {
        u64::try_from(self.detail.behind_us)
            .ok()
            .filter(|&us| us > 0)
            .map(Duration::from_micros)
    }

    /// Returns the offset of the first wrong byte, for a parse error.
    pub fn position(&self) -> Option<usize> {
        usize::try_from(self.detail.position).ok()
    }

    /// Returns the error of the operating system, for [`Code::ESYS`].
    pub fn os_error(&self) -> Option<std::io::Error> {
        let number = self.detail.os.as_ref()?.number()?;
        Some(std::io::Error::from_raw_os_error(number))
    }

    /// Returns an error that the binding itself finds.
    pub(crate) fn new(code: Code, sentence: String) -> Error {
        Error {
            detail: Box::new(Detail {
                code,
                sentence,
                retry_ns: 0,
                behind_us: 0,
                position: sys::FRAZIL_NO_POSITION,
                os: None,
            }),
        }
    }

    /// Returns the error of a function that returns only a code.
    pub(crate) fn of(code: sys::frazil_err) -> Error {
        Error::new(Code(code), Code(code).sentence().to_string())
    }

    /// Returns the error of a call, with the reason that another call has given.
    pub(crate) fn explained(code: sys::frazil_err, why: Error) -> Error {
        let mut error = why;
        if error.detail.code.0 != code {
            error.detail.code = Code(code);
            error.detail.sentence = format!("{}: {}", Code(code).sentence(), error.detail.sentence);
        }
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({}): {}", self.code(), self.class(), self.sentence())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let os = self.detail.os.as_ref()?;
        Some(os.0.as_ref())
    }
}

/// The error of [`Generator::close_within`](crate::Generator::close_within), with the generator if it is still open.
pub struct CloseError {
    pub(crate) why: Error,
    pub(crate) generator: Option<crate::Generator>,
}

impl CloseError {
    /// Returns the number of the error in the table.
    pub fn code(&self) -> Code {
        self.why.code()
    }

    /// Returns the error.
    pub fn error(&self) -> &Error {
        &self.why
    }

    /// Returns the generator, unchanged, if close was refused.
    pub fn into_generator(self) -> Option<crate::Generator> {
        self.generator
    }
}

impl From<CloseError> for Error {
    fn from(error: CloseError) -> Error {
        error.why
    }
}

impl fmt::Display for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl fmt::Debug for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.why, f)
    }
}

impl std::error::Error for CloseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.why.source()
    }
}

/// Room for an error, which the library fills on failure only.
pub(crate) struct Reason(MaybeUninit<sys::frazil_error>);

impl Reason {
    pub(crate) fn new() -> Reason {
        Reason(MaybeUninit::uninit())
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut sys::frazil_error {
        self.0.as_mut_ptr()
    }

    /// Returns the result of a call that was given this room and has returned this code.
    #[inline]
    pub(crate) fn check(&self, code: sys::frazil_err) -> Result<()> {
        if code == sys::FRAZIL_OK {
            return Ok(());
        }
        // SAFETY: the call has failed, so it has filled the room.
        Err(unsafe { self.read() })
    }

    /// # Safety
    /// The call has failed.
    #[cold]
    pub(crate) unsafe fn read(&self) -> Error {
        // Behind the message's terminator there is nothing: no reference to all of it is made.
        let at = self.0.as_ptr();
        let message = CStr::from_ptr(std::ptr::addr_of!((*at).message).cast());
        Error {
            detail: Box::new(Detail {
                code: Code((*at).code),
                sentence: message.to_string_lossy().into_owned(),
                retry_ns: (*at).retry_ns,
                behind_us: (*at).behind_us,
                position: (*at).position,
                os: OsError::of((*at).sys_errno),
            }),
        }
    }
}
