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
    assert!(exported.len() > 90);
    assert_eq!(declared().keys().map(String::as_str).collect::<Vec<_>>(), exported);
}

#[test]
fn each_function_has_its_types() {
    let declared = declared();
    let mut compared = 0;
    for line in read("conformance/shapes.txt").lines() {
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
        frazil_constant { name value }
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

/// The constants that are declared, but for those of `frazil_get_constants` that are parts of the version.
fn declared_constants() -> BTreeMap<String, i64> {
    include_str!("../src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("pub const "))
        .filter(|line| !line.starts_with("FRAZIL_VERSION_NUMBER"))
        .map(|line| {
            let (name, rest) = line.split_once(": ").expect("a name and a type");
            let value = rest
                .split_once(" = ")
                .expect("a value")
                .1
                .trim_end_matches(';')
                .replace('_', "");
            let number = match value.as_str() {
                "u64::MAX" => -1,
                "u64::MAX - 1" => -2,
                "u64::MAX - 2" => -3,
                "i64::MAX" => i64::MAX,
                literal => literal.parse().expect("a number"),
            };
            (name.to_string(), number)
        })
        .collect()
}

#[test]
fn constants_are_those_of_the_library() {
    // SAFETY: there is room for all rows, and names are never freed.
    let theirs: BTreeMap<String, i64> = unsafe {
        let none = frazil_constant {
            name: std::ptr::null(),
            value: 0,
        };
        let mut rows = vec![none; frazil_get_constants(std::ptr::null_mut(), 0)];
        frazil_get_constants(rows.as_mut_ptr(), rows.len());
        let name_of = |row: &frazil_constant| std::ffi::CStr::from_ptr(row.name).to_str().unwrap().to_string();
        rows.iter().map(|row| (name_of(row), row.value)).collect()
    };
    let ours = declared_constants();
    for (name, value) in theirs.iter().filter(|(name, _)| !name.starts_with("FRAZIL_VERSION_")) {
        assert_eq!(ours.get(name), Some(value), "{}", name);
    }
    for name in ours.keys() {
        assert!(theirs.contains_key(name), "{} is no constant of the library", name);
    }
    assert_eq!(i64::from(FRAZIL_VERSION_NUMBER), theirs["FRAZIL_VERSION_NUMBER"]);
    // SAFETY: functions without effects.
    unsafe {
        assert_eq!(i64::from(frazil_version_number()), theirs["FRAZIL_VERSION_NUMBER"]);
        assert_eq!(
            std::ffi::CStr::from_ptr(frazil_text_name(FRAZIL_TEXT_HEX_SHORT)).to_str(),
            Ok("hexshort")
        );
    }
}
