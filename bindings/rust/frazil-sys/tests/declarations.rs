// SPDX-License-Identifier: MIT
//! Goal of this test: the declarations are those of the C library, one by one: names, types, sizes and places.
//!
//! It reads the lists that the library's own tests keep, so it runs in the source tree of frazil alone.

use std::collections::BTreeMap;
use std::fs;
use std::mem::size_of;
use std::ptr::addr_of;

use frazil_sys::*;

fn read(path: &str) -> String {
    let path = format!("{}/../../../tests/{}", env!("CARGO_MANIFEST_DIR"), path);
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {}", path, why))
}

/// The declared functions: name and signature, blanks as one.
fn declared() -> BTreeMap<String, String> {
    let source = include_str!("../src/lib.rs");
    let block = source
        .split("extern \"C\" {\n")
        .last()
        .expect("there is a block of functions");
    let flat = block
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("( ", "(")
        .replace(", )", ")");
    flat.split("pub fn ")
        .skip(1)
        .map(|function| {
            let end = function.find(';').expect("each declaration ends");
            let name_end = function.find('(').expect("each declaration has arguments");
            (function[..name_end].to_string(), function[name_end..end].to_string())
        })
        .collect()
}

/// A type of C in Rust's words.
fn type_of(c: &str) -> String {
    let c = c.trim();
    if let Some(inner) = c.strip_suffix("* const *") {
        return format!("*const {}", type_of(&format!("{} *", inner.trim())));
    }
    if let Some(inner) = c.strip_suffix('*') {
        let inner = inner.trim();
        return match inner.strip_prefix("const ") {
            Some(pointee) if !inner.ends_with('*') => format!("*const {}", type_of(pointee)),
            _ => format!("*mut {}", type_of(inner)),
        };
    }
    let known = [
        ("uint64_t", "u64"),
        ("int64_t", "i64"),
        ("uint32_t", "u32"),
        ("uint16_t", "u16"),
        ("uint8_t", "u8"),
        ("size_t", "usize"),
        ("char", "c_char"),
        ("void", "c_void"),
        ("int", "c_int"),
        ("unsigned", "c_uint"),
    ];
    known
        .iter()
        .find(|pair| pair.0 == c)
        .map_or(c, |pair| pair.1)
        .to_string()
}

/// An argument of C; an array is a pointer.
fn argument_of(c: &str) -> String {
    let (c, array) = c.split_once('[').map_or((c, false), |(before, _)| (before, true));
    let at = c
        .rfind(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .expect("a type and a name");
    let (mut kind, mut name) = (c[..=at].trim().to_string(), &c[at + 1..]);
    if array {
        kind.push_str(" *");
    }
    if name == "fn" {
        name = "callback"; // a word of Rust
    }
    format!("{}: {}", name, type_of(&kind))
}

fn signature_of(arguments: &str, result: &str) -> String {
    let arguments: Vec<_> = arguments
        .split(',')
        .filter(|each| *each != "void")
        .map(argument_of)
        .collect();
    let result = if result == "void" {
        String::new()
    } else {
        format!(" -> {}", type_of(result))
    };
    format!("({}){}", arguments.join(", "), result)
}

#[test]
fn each_exported_function_is_declared_and_no_other() {
    let exported = read("api/exported-symbols.txt") + &read("api/exported-symbols-extras.txt");
    let mut exported: Vec<_> = exported.lines().collect();
    exported.sort_unstable();
    assert!(exported.len() > 100);
    assert_eq!(declared().keys().map(String::as_str).collect::<Vec<_>>(), exported);
}

#[test]
fn each_function_has_its_types() {
    let declared = declared();
    let mut compared = 0;
    for line in read("conformance/shapes.txt").lines() {
        let line = line.trim_start_matches("FRAZIL_BEGIN_DECLS ");
        if line.starts_with(' ') || line.starts_with("struct ") {
            continue;
        }
        let open = line.find('(').expect("a function");
        let (before, arguments) = (&line[..open], &line[open + 1..line.len() - 1]);
        let at = before.rfind(' ').expect("a result and a name");
        if let Some(ours) = declared.get(&before[at + 1..]) {
            assert_eq!(ours, &signature_of(arguments, before[..at].trim()), "{}", line);
            compared += 1;
        }
    }
    assert_eq!(compared, declared.len());
}

/// The lines of shapes.txt for a struct.
macro_rules! shape {
    ($shapes:ident: $($name:ident { $($member:ident)* })*) => {
        $({
            let place = std::mem::MaybeUninit::<$name>::uninit();
            let at = place.as_ptr();
            let mut text = format!("struct {}, {} bytes\n", stringify!($name), size_of::<$name>());
            $({
                // SAFETY: it only computes an address.
                let member = unsafe { addr_of!((*at).$member) };
                let offset = member as usize - at as usize;
                let size = { fn size<T>(_: *const T) -> usize { size_of::<T>() } size(member) };
                text += &format!("    {} at {}, {} bytes\n", stringify!($member), offset, size);
            })*
            $shapes.push((stringify!($name), text));
        })*
    };
}

#[test]
fn each_struct_has_its_size_and_its_members_their_places() {
    let mut ours = Vec::new();
    shape! { ours:
        frazil_instant { unix_ms ns reserved }
        frazil_clock { size ctx now monotonic_ns sleep_until }
        frazil_random { size ctx next }
        frazil_error { code err_class sys_errno length position behind_us retry_ns reserved message }
        frazil_info { layout id_size worker datacenter worker_in_datacenter sequence_min sequence_max sequence state
            capacity available counter_in_use state_is_new collision_ppm reserved }
        frazil_health { state last_code worker needs_grant grant_end_unix_ms horizon_ns next_keep_ns failures }
        frazil_fast_path { form shift capacity word anchor }
        frazil_event { kind code worker reserved unix_ms value missed }
        frazil_overflow { unix_ms waiting ticks reserved }
        frazil_grant { worker reserved from_unix_ms end_unix_ms token }
        frazil_granter { size ctx acquire extend release after_fork }
        frazil_layout { name epoch_unix_ms kind tick_ms time_bits worker_bits datacenter_bits sequence_bits
            sequence_above_worker reserved }
        frazil_fields { unix_ms worker sequence datacenter worker_in_datacenter reserved }
        frazil_layout_info { workers ids_per_tick ids_per_second first_unix_ms last_unix_ms max_id sign_bit_unix_ms
            total_bits reaches_sign_bit fits_53_bits reserved datacenters workers_in_datacenter }
        frazil_overlap { old_last new_first safe_unix_ms can_collide can_missort ever_safe reserved }
        frazil_lease_info { worker reserved from_unix_ms end_unix_ms }
        frazil_sno { bytes }
        frazil_sno_fields { unix_ms ticktock meta partition sequence reserved }
        frazil_stat { name value }
    }
    let shapes = read("conformance/shapes.txt");
    let mut missing = 0;
    for part in shapes.split("struct ").skip(1) {
        // Behind the last struct functions follow.
        let lines: Vec<_> = part
            .lines()
            .enumerate()
            .take_while(|(i, line)| *i == 0 || line.starts_with("    "))
            .collect();
        let theirs = format!(
            "struct {}\n",
            lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
        );
        let name = part.split(',').next().expect("a name");
        match ours.iter().find(|each| each.0 == name) {
            Some(found) => assert_eq!(found.1, theirs),
            None if name.starts_with("frazil_admin") || name.starts_with("frazil_opaque") => missing += 1,
            None => panic!("{} is not declared", name),
        }
    }
    assert!(missing > 0 && ours.len() > 15);
}

#[test]
fn numbers_are_those_of_the_library() {
    // SAFETY: functions without arguments.
    unsafe {
        assert_eq!(frazil_version_number() / 1000, FRAZIL_VERSION_NUMBER / 1000);
        assert_eq!(frazil_wait_default(), FRAZIL_WAIT_DEFAULT);
        assert_eq!(frazil_wait_forever(), FRAZIL_WAIT_FOREVER);
        assert_eq!(frazil_wait_uncounted(), FRAZIL_WAIT_UNCOUNTED);
        assert_eq!(frazil_no_position(), FRAZIL_NO_POSITION);
        assert_eq!(frazil_lease_all_used(), FRAZIL_LEASE_ALL_USED);
        assert_eq!(frazil_error_message_size(), FRAZIL_ERROR_MESSAGE_SIZE);
        assert_eq!(frazil_layout_name_size(), FRAZIL_LAYOUT_NAME_SIZE);
        assert_eq!(frazil_fingerprint_size(), FRAZIL_FINGERPRINT_SIZE);
        assert_eq!(frazil_text_size(), FRAZIL_TEXT_SIZE);
        assert_eq!(frazil_time_size(), FRAZIL_TIME_SIZE);
        assert_eq!(frazil_sno_size(), FRAZIL_SNO_SIZE);
        assert_eq!(frazil_sno_len(), FRAZIL_SNO_LEN);
        assert_eq!(frazil_sno_partition_size(), FRAZIL_SNO_PARTITION_SIZE);
        assert_eq!(frazil_sno_snapshot_size(), FRAZIL_SNO_SNAPSHOT_SIZE);
    }
}

#[test]
fn errors_and_text_forms_have_the_numbers_of_the_headers() {
    let source = include_str!("../src/lib.rs");
    let constant = |name: &str, kind: &str, number: i32| format!("pub const {}: {} = {};", name, kind, number);
    // SAFETY: names are never freed, and NULL past the end is not reached.
    unsafe {
        for i in 0..frazil_err_count() {
            let err = frazil_err_at(i);
            let name = std::ffi::CStr::from_ptr(frazil_err_name(err)).to_str().unwrap();
            assert!(source.contains(&constant(name, "frazil_err", err)), "{}", name);
        }
        assert_eq!(source.matches(": frazil_err = ").count(), frazil_err_count());
        let forms = (0..).take_while(|form| !frazil_text_name(*form).is_null()).count();
        assert_eq!(source.matches(": frazil_text = ").count(), forms);
        for (form, name) in [
            (FRAZIL_TEXT_DEC, "dec"),
            (FRAZIL_TEXT_CROCKFORD, "crockford"),
            (FRAZIL_TEXT_HEX_SHORT, "hexshort"),
            (FRAZIL_TEXT_SIGNED, "signed"),
        ] {
            assert_eq!(std::ffi::CStr::from_ptr(frazil_text_name(form)).to_str(), Ok(name));
        }
    }
}
