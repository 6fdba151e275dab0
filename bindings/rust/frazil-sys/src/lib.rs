// SPDX-License-Identifier: MIT
//! The C functions of frazil, which makes unique, time-ordered ids. The crate `frazil` is their safe interface.
//!
//! The headers and the manual pages, such as `man frazil_open`, describe what each function expects and promises. Names, types
//! and layouts are those of the headers; a test compares them with the library's exports.

#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_int, c_void};

// ---- numbers of the headers --------------------------------------------------------------

/// The code of an error, `FRAZIL_E*`, or `FRAZIL_OK`.
pub type frazil_err = c_int;
pub const FRAZIL_OK: frazil_err = 0;
pub const FRAZIL_EINVAL: frazil_err = -1;
pub const FRAZIL_ESPEC: frazil_err = -2;
pub const FRAZIL_ELAYOUT: frazil_err = -3;
pub const FRAZIL_ERANGE: frazil_err = -4;
pub const FRAZIL_EPARSE: frazil_err = -5;
pub const FRAZIL_ECHECKSUM: frazil_err = -6;
pub const FRAZIL_EBUFFER: frazil_err = -7;
pub const FRAZIL_ENOWORKER: frazil_err = -8;
pub const FRAZIL_EWORKER: frazil_err = -9;
pub const FRAZIL_ESHORTLIFE: frazil_err = -10;
pub const FRAZIL_EKIND: frazil_err = -11;
pub const FRAZIL_ENOTBUILT: frazil_err = -12;
pub const FRAZIL_EREFUSED: frazil_err = -13;
pub const FRAZIL_ENAMESPACE: frazil_err = -14;
pub const FRAZIL_EAGAIN: frazil_err = -20;
pub const FRAZIL_EFULL: frazil_err = -21;
pub const FRAZIL_ECLOCK: frazil_err = -22;
pub const FRAZIL_EUNREACHABLE: frazil_err = -23;
pub const FRAZIL_EPOOL: frazil_err = -24;
pub const FRAZIL_ELEASE: frazil_err = -30;
pub const FRAZIL_EEXHAUSTED: frazil_err = -40;
pub const FRAZIL_ENOMEM: frazil_err = -41;
pub const FRAZIL_ESYS: frazil_err = -42;
pub const FRAZIL_ESTATE: frazil_err = -44;
pub const FRAZIL_ESTOPPED: frazil_err = -45;

/// What the caller can do about an error, `FRAZIL_CLASS_*`.
pub type frazil_err_class = c_int;
pub const FRAZIL_CLASS_NONE: frazil_err_class = 0;
pub const FRAZIL_CLASS_USAGE: frazil_err_class = 1;
pub const FRAZIL_CLASS_RETRY: frazil_err_class = 2;
pub const FRAZIL_CLASS_FENCED: frazil_err_class = 3;
pub const FRAZIL_CLASS_FATAL: frazil_err_class = 4;

/// A text form of 64-bit ids, `FRAZIL_TEXT_*`.
pub type frazil_text = c_int;
pub const FRAZIL_TEXT_DEC: frazil_text = 0;
pub const FRAZIL_TEXT_DEC_PADDED: frazil_text = 1;
pub const FRAZIL_TEXT_HEX: frazil_text = 2;
pub const FRAZIL_TEXT_CROCKFORD: frazil_text = 3;
pub const FRAZIL_TEXT_BASE36: frazil_text = 4;
pub const FRAZIL_TEXT_BASE58: frazil_text = 5;
pub const FRAZIL_TEXT_BASE62: frazil_text = 6;
pub const FRAZIL_TEXT_BASE64URL: frazil_text = 7;
pub const FRAZIL_TEXT_BIN: frazil_text = 8;
pub const FRAZIL_TEXT_BYTES: frazil_text = 9;
pub const FRAZIL_TEXT_HEX0X: frazil_text = 10;
pub const FRAZIL_TEXT_HEX_SHORT: frazil_text = 11;
pub const FRAZIL_TEXT_SIGNED: frazil_text = 12;

/// Which environment variables count, `FRAZIL_ENVIRONMENT_*`.
pub type frazil_environment = c_int;
pub const FRAZIL_ENVIRONMENT_BY_KEY: frazil_environment = 0;
pub const FRAZIL_ENVIRONMENT_NONE: frazil_environment = 1;
pub const FRAZIL_ENVIRONMENT_ALL: frazil_environment = 2;

/// The type of ids, in `frazil_layout.kind`.
pub const FRAZIL_LAYOUT_64: u32 = 0;
pub const FRAZIL_LAYOUT_SNO: u32 = 1;

/// The state of a generator, in `frazil_health.state`.
pub const FRAZIL_HEALTH_SERVING: i32 = 0;
pub const FRAZIL_HEALTH_NEEDS_GRANT: i32 = 1;
pub const FRAZIL_HEALTH_BEHIND: i32 = 2;
pub const FRAZIL_HEALTH_FENCED: i32 = 3;
pub const FRAZIL_HEALTH_EXHAUSTED: i32 = 4;
pub const FRAZIL_HEALTH_STOPPED: i32 = 5;

/// Where the state of a generator is kept, in `frazil_info.state`.
pub const FRAZIL_STATE_MEMORY: i32 = 0;
pub const FRAZIL_STATE_FILE: i32 = 1;
pub const FRAZIL_STATE_GRANT: i32 = 2;
pub const FRAZIL_STATE_SLOTS: i32 = 3;

/// The positions of counters in the array that `frazil_get_stats` fills.
pub const FRAZIL_STAT_ISSUED: usize = 0;
pub const FRAZIL_STAT_FULL: usize = 1;
pub const FRAZIL_STAT_BACKWARD_STEPS: usize = 2;
pub const FRAZIL_STAT_BACKWARD_MAX_US: usize = 3;
pub const FRAZIL_STAT_LEAD_US: usize = 4;
pub const FRAZIL_STAT_LEAD_MAX_US: usize = 5;
pub const FRAZIL_STAT_WAITS: usize = 6;
pub const FRAZIL_STAT_WAITED_US: usize = 7;
pub const FRAZIL_STAT_TICKTOCKS: usize = 8;
pub const FRAZIL_STAT_EXTENSIONS: usize = 9;
pub const FRAZIL_STAT_MOVES: usize = 10;
pub const FRAZIL_STATS_MOST: usize = 64;

/// How a `frazil_fast_path` is used, in its `form`.
pub const FRAZIL_FAST_NONE: u32 = 0;
pub const FRAZIL_FAST_X86_TSC: u32 = 1;
pub const FRAZIL_FAST_ARM_CNTVCT: u32 = 2;

/// What happened, in `frazil_event.kind`.
pub const FRAZIL_EVENT_MOVED: u32 = 1;
pub const FRAZIL_EVENT_LOST: u32 = 2;
pub const FRAZIL_EVENT_EXTENSION_FAILED: u32 = 3;
pub const FRAZIL_EVENT_CLOCK_BACK: u32 = 4;
pub const FRAZIL_EVENT_OVERFLOW: u32 = 5;
pub const FRAZIL_EVENT_WARN_COLLISION: u32 = 6;
pub const FRAZIL_EVENT_WARN_SHORT_LIFE: u32 = 7;
pub const FRAZIL_EVENT_WARN_EARLY_CLOCK: u32 = 8;
pub const FRAZIL_EVENT_WARN_UNCLAIMED: u32 = 9;

/// Returns the number with these digits.
const fn number(digits: &str) -> u32 {
    let bytes = digits.as_bytes();
    let (mut value, mut i) = (0, 0);
    while i < bytes.len() {
        value = value * 10 + (bytes[i] - b'0') as u32;
        i += 1;
    }
    value
}

/// The version of these declarations, which is this crate's.
pub const FRAZIL_VERSION_NUMBER: u32 = number(env!("CARGO_PKG_VERSION_MAJOR")) * 1_000_000
    + number(env!("CARGO_PKG_VERSION_MINOR")) * 1000
    + number(env!("CARGO_PKG_VERSION_PATCH"));
pub const FRAZIL_CLOCK_FROZEN: u32 = 1;
pub const FRAZIL_WAIT_DEFAULT: u64 = u64::MAX - 1;
pub const FRAZIL_WAIT_FOREVER: u64 = u64::MAX;
pub const FRAZIL_NO_POSITION: i64 = -1;
pub const FRAZIL_LEASE_ALL_USED: i64 = i64::MAX;
pub const FRAZIL_OPTIONS_WITH_SECRETS: u32 = 1;

// Bytes, terminators included where there are any.
pub const FRAZIL_ERROR_MESSAGE_SIZE: usize = 968;
pub const FRAZIL_LAYOUT_NAME_SIZE: usize = 16;
pub const FRAZIL_FINGERPRINT_SIZE: usize = 96;
pub const FRAZIL_TEXT_SIZE: usize = 80;
pub const FRAZIL_TIME_SIZE: usize = 40;
pub const FRAZIL_BYTES_SIZE: usize = 8;
pub const FRAZIL_SNO_SIZE: usize = 10;
pub const FRAZIL_SNO_LEN: usize = 16;
pub const FRAZIL_SNO_PARTITION_SIZE: usize = 8;
pub const FRAZIL_SNO_JSON_SIZE: usize = 19;
pub const FRAZIL_SNO_SNAPSHOT_SIZE: usize = 256;
pub const FRAZIL_UUID_SIZE: usize = 16;
pub const FRAZIL_UUID_LEN: usize = 36;
pub const FRAZIL_KASUMI_LEN: usize = 14;
pub const FRAZIL_KASUMI_CHECKED_LEN: usize = 19;
pub const FRAZIL_KASUMI_CHECKED: u32 = 1;

// ---- objects of the library --------------------------------------------------------------

/// Opaque.
#[repr(C)]
pub struct frazil {
    _private: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct frazil_local {
    _private: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct frazil_lease {
    _private: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct frazil_options {
    _private: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct frazil_manual_clock {
    _private: [u8; 0],
}

/// Opaque.
#[repr(C)]
pub struct frazil_coordinator {
    _private: [u8; 0],
}

// ---- structs -----------------------------------------------------------------------------

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_instant {
    pub unix_ms: i64,
    pub ns: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_clock {
    pub size: usize,
    pub ctx: *mut c_void,
    pub now: Option<unsafe extern "C" fn(ctx: *mut c_void, ret: *mut frazil_instant)>,
    pub monotonic_ns: Option<unsafe extern "C" fn(ctx: *mut c_void) -> u64>,
    pub sleep_until: Option<unsafe extern "C" fn(ctx: *mut c_void, monotonic_ns: u64)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_random {
    pub size: usize,
    pub ctx: *mut c_void,
    pub next: Option<unsafe extern "C" fn(ctx: *mut c_void) -> u64>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_error {
    pub code: i32,
    pub err_class: i32,
    pub sys_errno: i32,
    pub length: u32,
    pub position: i64,
    pub behind_us: i64,
    pub retry_ns: u64,
    pub reserved: [u64; 2],
    pub message: [c_char; FRAZIL_ERROR_MESSAGE_SIZE],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_info {
    pub layout: *const frazil_layout,
    pub id_size: u32,
    pub worker: u32,
    pub datacenter: u32,
    pub worker_in_datacenter: u32,
    pub sequence_min: u32,
    pub sequence_max: u32,
    pub sequence: u32,
    pub state: u32,
    pub capacity: u64,
    pub available: u64,
    pub counter_in_use: u32,
    pub state_is_new: u32,
    pub collision_ppm: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_health {
    pub state: i32,
    pub last_code: i32,
    pub worker: u32,
    pub needs_grant: u32,
    pub grant_end_unix_ms: i64,
    pub horizon_ns: u64,
    pub next_keep_ns: u64,
    pub failures: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_constant {
    pub name: *const c_char,
    pub value: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_fast_path {
    pub form: u32,
    pub shift: u32,
    pub capacity: u64,
    pub word: *mut u64,
    pub anchor: *const u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_event {
    pub kind: u32,
    pub code: i32,
    pub worker: u32,
    pub reserved: u32,
    pub unix_ms: i64,
    pub value: u64,
    pub missed: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_overflow {
    pub unix_ms: i64,
    pub waiting: u32,
    pub ticks: u32,
    pub reserved: [u64; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_grant {
    pub worker: u32,
    pub reserved: [u32; 5],
    pub from_unix_ms: i64,
    pub end_unix_ms: i64,
    pub token: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_granter {
    pub size: usize,
    pub ctx: *mut c_void,
    pub acquire: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            now_unix_ms: i64,
            ret: *mut frazil_grant,
            reterr: *mut frazil_error,
        ) -> frazil_err,
    >,
    pub extend: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            now_unix_ms: i64,
            held: *const frazil_grant,
            ret: *mut frazil_grant,
            reterr: *mut frazil_error,
        ) -> frazil_err,
    >,
    pub release: Option<unsafe extern "C" fn(ctx: *mut c_void, held: *const frazil_grant, used_end_unix_ms: i64)>,
    pub after_fork: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_layout {
    pub name: [c_char; FRAZIL_LAYOUT_NAME_SIZE],
    pub epoch_unix_ms: i64,
    pub kind: u32,
    pub tick_ms: u32,
    pub time_bits: u8,
    pub worker_bits: u8,
    pub datacenter_bits: u8,
    pub sequence_bits: u8,
    pub sequence_above_worker: u8,
    pub reserved: [u8; 27],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_fields {
    pub unix_ms: i64,
    pub worker: u32,
    pub sequence: u32,
    pub datacenter: u32,
    pub worker_in_datacenter: u32,
    pub reserved: [u32; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_layout_info {
    pub workers: u64,
    pub ids_per_tick: u64,
    pub ids_per_second: u64,
    pub first_unix_ms: i64,
    pub last_unix_ms: i64,
    pub max_id: u64,
    pub sign_bit_unix_ms: i64,
    pub total_bits: u32,
    pub reaches_sign_bit: u8,
    pub fits_53_bits: u8,
    pub reserved: [u8; 2],
    pub datacenters: u64,
    pub workers_in_datacenter: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_overlap {
    pub old_last: u64,
    pub new_first: u64,
    pub safe_unix_ms: i64,
    pub can_collide: u8,
    pub can_missort: u8,
    pub ever_safe: u8,
    pub reserved: [u8; 5],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_lease_info {
    pub worker: u32,
    pub reserved: u32,
    pub from_unix_ms: i64,
    pub end_unix_ms: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_sno {
    pub bytes: [u8; FRAZIL_SNO_SIZE],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_sno_fields {
    pub unix_ms: i64,
    pub ticktock: u8,
    pub meta: u8,
    pub partition: u16,
    pub sequence: u16,
    pub reserved: [u8; 10],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct frazil_stat {
    pub name: *const c_char,
    pub value: u64,
}

/// The function that `frazil_on_overflow` sets.
pub type frazil_overflow_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, overflow: *const frazil_overflow)>;

// ---- functions ---------------------------------------------------------------------------

extern "C" {
    pub fn frazil_bytes_read(
        bytes: *const c_void,
        len: usize,
        ret_id: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_bytes_write(id: u64, ret_bytes: *mut u8);
    pub fn frazil_close(gen: *mut frazil);
    pub fn frazil_close_within(gen: *mut frazil, wait_ns: u64) -> frazil_err;
    pub fn frazil_coordinator_load(
        ret: *mut *const frazil_coordinator,
        part: *const c_char,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_err_class_name(err_class: frazil_err_class) -> *const c_char;
    pub fn frazil_err_classify(err: frazil_err) -> frazil_err_class;
    pub fn frazil_err_name(err: frazil_err) -> *const c_char;
    pub fn frazil_event_fd(gen: *mut frazil, ret_fd: *mut c_int, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_event_name(kind: u32) -> *const c_char;
    pub fn frazil_get_constants(ret: *mut frazil_constant, n: usize) -> usize;
    pub fn frazil_get_fast_path(gen: *mut frazil, ret: *mut frazil_fast_path, size: usize);
    pub fn frazil_get_health(gen: *mut frazil, ret: *mut frazil_health, size: usize, ret_failure: *mut frazil_error);
    pub fn frazil_get_info(gen: *mut frazil, ret: *mut frazil_info, size: usize);
    pub fn frazil_get_stats(gen: *mut frazil, ret: *mut frazil_stat, n: usize) -> usize;
    pub fn frazil_id_compose(
        layout: *const frazil_layout,
        fields: *const frazil_fields,
        ret_id: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_id_decompose(
        layout: *const frazil_layout,
        id: u64,
        ret: *mut frazil_fields,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_id_first(layout: *const frazil_layout, unix_ms: i64) -> u64;
    pub fn frazil_id_format(
        form: frazil_text,
        id: u64,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
    ) -> frazil_err;
    pub fn frazil_id_parse(
        form: frazil_text,
        text: *const c_char,
        len: usize,
        ret_id: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_id_range(
        layout: *const frazil_layout,
        from_unix_ms: i64,
        to_unix_ms: i64,
        ret_first: *mut u64,
        ret_last: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_kasumi(salt: u64, id: u64, ret: *mut u64) -> frazil_err;
    pub fn frazil_keep(gen: *mut frazil, wait_ns: u64, ret_next_ns: *mut u64, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_layout_get_info(layout: *const frazil_layout, ret: *mut frazil_layout_info, size: usize);
    pub fn frazil_layout_equal(a: *const frazil_layout, b: *const frazil_layout) -> bool;
    pub fn frazil_layout_fingerprint(
        layout: *const frazil_layout,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
    ) -> frazil_err;
    pub fn frazil_layout_overlap(
        before: *const frazil_layout,
        after: *const frazil_layout,
        since_unix_ms: i64,
        ret: *mut frazil_overlap,
        size: usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_layout_parse(
        text: *const c_char,
        len: usize,
        ret: *mut frazil_layout,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_layout_preset(i: usize) -> *const frazil_layout;
    pub fn frazil_layout_validate(layout: *const frazil_layout, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_lease_close(lease: *mut frazil_lease, used_unix_ms: i64);
    pub fn frazil_lease_get_info(
        lease: *mut frazil_lease,
        ret: *mut frazil_lease_info,
        size: usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_lease_keep(
        lease: *mut frazil_lease,
        wait_ns: u64,
        ret_next_ns: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_lease_open(ret: *mut *mut frazil_lease, spec: *const c_char, reterr: *mut frazil_error)
        -> frazil_err;
    pub fn frazil_lease_open_with(
        ret: *mut *mut frazil_lease,
        options: *const frazil_options,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_local_close(local: *mut frazil_local);
    pub fn frazil_local_next(local: *mut frazil_local, ret_id: *mut u64) -> frazil_err;
    pub fn frazil_local_open(ret: *mut *mut frazil_local, gen: *mut frazil, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_local_take(
        local: *mut frazil_local,
        ret_ids: *mut u64,
        n: usize,
        wait_ns: u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_local_try_take(
        local: *mut frazil_local,
        ret_ids: *mut u64,
        n: usize,
        ret_taken: *mut usize,
        ret_retry_ns: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_manual_clock_advance(clock: *mut frazil_manual_clock, ns: u64);
    pub fn frazil_manual_clock_close(clock: *mut frazil_manual_clock);
    pub fn frazil_manual_clock_open(
        ret: *mut *mut frazil_manual_clock,
        unix_ms: i64,
        flags: u32,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_manual_clock_port(clock: *mut frazil_manual_clock, ret: *mut frazil_clock, size: usize);
    pub fn frazil_manual_clock_set(clock: *mut frazil_manual_clock, unix_ms: i64);
    pub fn frazil_next(gen: *mut frazil, ret_id: *mut u64) -> frazil_err;
    pub fn frazil_next_at(gen: *mut frazil, unix_ms: i64, ret_id: *mut u64, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_next_event(gen: *mut frazil, cursor: *mut u64, ret: *mut frazil_event, size: usize) -> bool;
    pub fn frazil_on_overflow(gen: *mut frazil, callback: frazil_overflow_fn, ctx: *mut c_void);
    pub fn frazil_open(ret: *mut *mut frazil, spec: *const c_char, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_open_with(
        ret: *mut *mut frazil,
        options: *const frazil_options,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_open_shared(ret: *mut *mut frazil, spec: *const c_char, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_open_shared_with(
        ret: *mut *mut frazil,
        options: *const frazil_options,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_check(options: *const frazil_options, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_options_clock(
        options: *mut frazil_options,
        clock: *const frazil_clock,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_coordinator(
        options: *mut frazil_options,
        coordinator: *const frazil_coordinator,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_environment(
        options: *mut frazil_options,
        which: frazil_environment,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_close(options: *mut frazil_options);
    pub fn frazil_options_get(
        options: *const frazil_options,
        key: *const c_char,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_granter(
        options: *mut frazil_options,
        granter: *const frazil_granter,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_open(ret: *mut *mut frazil_options, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_options_random(
        options: *mut frazil_options,
        random: *const frazil_random,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_set(
        options: *mut frazil_options,
        key: *const c_char,
        value: *const c_char,
        len: usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_snapshot(
        options: *mut frazil_options,
        text: *const c_char,
        len: usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_spec(
        options: *mut frazil_options,
        spec: *const c_char,
        len: usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_options_text(
        options: *const frazil_options,
        flags: u32,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_salt_new(random: *const frazil_random, ret_salt: *mut u64, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_scramble(
        salt: u64,
        flags: u32,
        id: u64,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
    ) -> frazil_err;
    pub fn frazil_shard(id: u64, shards: u32, ret: *mut u32) -> frazil_err;
    pub fn frazil_sno_compose(
        fields: *const frazil_sno_fields,
        ret: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_decode(
        text: *const c_char,
        len: usize,
        ret_id: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_decompose(id: *const frazil_sno, ret: *mut frazil_sno_fields);
    pub fn frazil_sno_encode(id: *const frazil_sno, ret_text: *mut c_char);
    pub fn frazil_sno_from_column(
        data: *const c_void,
        len: usize,
        ret: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_from_json(
        text: *const c_char,
        len: usize,
        ret: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_from_uuid(
        bytes: *const c_void,
        len: usize,
        ret: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_next(gen: *mut frazil, meta: u8, ret_id: *mut frazil_sno) -> frazil_err;
    pub fn frazil_sno_next_at(
        gen: *mut frazil,
        unix_ms: i64,
        meta: u8,
        ret_id: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_partition_format(
        partition: u16,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
    ) -> frazil_err;
    pub fn frazil_sno_partition_parse(
        text: *const c_char,
        len: usize,
        ret_partition: *mut u16,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_range(
        from_unix_ms: i64,
        to_unix_ms: i64,
        ret_first: *mut frazil_sno,
        ret_last: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_snapshot(gen: *mut frazil, buf: *mut c_char, size: usize, ret_len: *mut usize) -> frazil_err;
    pub fn frazil_sno_take(
        gen: *mut frazil,
        meta: u8,
        ret_ids: *mut frazil_sno,
        n: usize,
        wait_ns: u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_to_json(id: *const frazil_sno, buf: *mut c_char, size: usize, ret_len: *mut usize) -> frazil_err;
    pub fn frazil_sno_to_uuid(id: *const frazil_sno, ret_uuid: *mut u8);
    pub fn frazil_sno_try_take(
        gen: *mut frazil,
        meta: u8,
        ret_ids: *mut frazil_sno,
        n: usize,
        ret_taken: *mut usize,
        ret_retry_ns: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_sno_uuid_format(
        id: *const frazil_sno,
        buf: *mut c_char,
        size: usize,
        ret_len: *mut usize,
    ) -> frazil_err;
    pub fn frazil_sno_uuid_parse(
        text: *const c_char,
        len: usize,
        ret: *mut frazil_sno,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_stop(gen: *mut frazil);
    pub fn frazil_strerror(err: frazil_err) -> *const c_char;
    pub fn frazil_take(
        gen: *mut frazil,
        ret_ids: *mut u64,
        n: usize,
        wait_ns: u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_text_by_name(name: *const c_char, ret: *mut frazil_text, reterr: *mut frazil_error) -> frazil_err;
    pub fn frazil_text_name(form: frazil_text) -> *const c_char;
    pub fn frazil_time_format(unix_ms: i64, buf: *mut c_char, size: usize, ret_len: *mut usize) -> frazil_err;
    pub fn frazil_time_parse(
        text: *const c_char,
        len: usize,
        ret_unix_ms: *mut i64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_try_take(
        gen: *mut frazil,
        ret_ids: *mut u64,
        n: usize,
        ret_taken: *mut usize,
        ret_retry_ns: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_unscramble(
        salt: u64,
        flags: u32,
        text: *const c_char,
        len: usize,
        ret_id: *mut u64,
        reterr: *mut frazil_error,
    ) -> frazil_err;
    pub fn frazil_version() -> *const c_char;
    pub fn frazil_version_number() -> u32;
    pub fn frazil_worker_collision(hosts: u32, workers: u64, ret_ppm: *mut u32) -> frazil_err;
    pub fn frazil_worker_hash(text: *const c_char, len: usize, workers: u32, ret: *mut u32) -> frazil_err;
}
