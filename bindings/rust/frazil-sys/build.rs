// SPDX-License-Identifier: MIT
//! Compiles `frazil.c` with the C compiler, or asks pkg-config for the library that is installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        bundled();
    } else {
        installed();
    }
}

/// Ends the build with a sentence.
fn fail(sentence: String) -> ! {
    eprintln!("frazil-sys: {}", sentence);
    exit(1);
}

/// Returns a variable that may be set for one target: NAME_x86_64-unknown-linux-gnu, with _ in place of -, TARGET_NAME, NAME.
fn variable(name: &str) -> Option<String> {
    let target = env::var("TARGET").unwrap_or_default();
    let native = env::var("HOST").map_or(true, |host| host == target);
    let mut names = vec![
        format!("{}_{}", name, target),
        format!("{}_{}", name, target.replace('-', "_")),
        format!("{}_{}", if native { "HOST" } else { "TARGET" }, name),
    ];
    if native {
        names.push(name.to_string());
    }
    for each in &names {
        println!("cargo:rerun-if-env-changed={}", each);
    }
    names
        .iter()
        .filter_map(|each| env::var(each).ok())
        .find(|value| !value.trim().is_empty())
}

/// Returns the command in a variable, which may have arguments as in "ccache cc", or else the usual command.
fn tool(name: &str, usual: &str) -> (String, Command) {
    let text = variable(name).unwrap_or_else(|| usual.to_string());
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(usual));
    command.args(words);
    (text, command)
}

/// Runs a command to its end, and returns what it printed.
fn run(what: &str, name: &str, command: &mut Command) -> String {
    match command.output() {
        Err(error) => fail(format!(
            "{} cannot be run: {}: install it, or name another one in {}",
            what, error, name
        )),
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => fail(format!(
            "{:?} failed:\n{}",
            command,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

// ---- compiled along -------------------------------------------------------------------

/// Returns the folder of frazil.c: in the crate, or made now from the surrounding source tree.
fn sources(out: &Path) -> PathBuf {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let vendor = here.join("vendor");
    if vendor.join("frazil.c").exists() {
        println!("cargo:rerun-if-changed=vendor");
        return vendor;
    }
    let tree = here.join("../../..");
    let amalgamate = tree.join("tools/amalgamate");
    if !amalgamate.exists() {
        fail("vendor/frazil.c is missing from this crate: run bindings/rust/package.sh of frazil".to_string());
    }
    for watched in ["src", "include", "tools"] {
        println!("cargo:rerun-if-changed={}", tree.join(watched).display());
    }
    let made = out.join("amalgamation");
    run("sh", "PATH", Command::new("sh").arg(amalgamate).arg(&made));
    made
}

fn bundled() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let folder = sources(&out);
    let target = env::var("TARGET").unwrap_or_default();
    let musl = target.contains("-musl") && env::var("HOST").map_or(false, |host| host != target);
    let (cc, mut compile) = tool("CC", if musl { "musl-gcc" } else { "cc" });
    let (ar, mut pack) = tool("AR", "ar");
    let object = out.join("frazil.o");
    let library = out.join("libfrazil.a");

    // Hidden symbols cannot clash with those of another frazil in the process.
    compile.args(["-O2", "-g", "-fPIC", "-fvisibility=hidden", "-DFRAZIL_API="]);
    if let Some(flags) = variable("CFLAGS") {
        compile.args(flags.split_whitespace());
    }
    compile.arg("-c").arg(folder.join("frazil.c")).arg("-o").arg(&object);
    run(&cc, "CC", &mut compile);
    let _ = std::fs::remove_file(&library);
    run(&ar, "AR", pack.arg("crs").arg(&library).arg(&object));

    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=frazil");
    // Newer C libraries contain both, and keep empty ones for programs that name them.
    println!("cargo:rustc-link-lib=pthread");
    println!("cargo:rustc-link-lib=dl");
    println!("cargo:include={}", folder.display());
}

// ---- installed ------------------------------------------------------------------------

/// Returns the versions of the library that fit these declarations: at least the first one, and below the second one. They
/// are those of the crate's major version.
fn versions() -> [String; 2] {
    let number = |text: &str| text.parse::<u32>().expect("cargo sets numbers");
    let major = number(env!("CARGO_PKG_VERSION_MAJOR"));
    let minor = number(env!("CARGO_PKG_VERSION_MINOR"));
    [format!("{}.{}", major, minor), format!("{}", major + 1)]
}

fn installed() {
    for name in ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    let ask = |arguments: &[&str]| {
        let (name, mut command) = tool("PKG_CONFIG", "pkg-config");
        run(&name, "PKG_CONFIG", command.args(arguments)).trim().to_string()
    };
    let [from, below] = versions();
    ask(&[
        "--exists",
        "--print-errors",
        &format!("frazil >= {}", from),
        &format!("frazil < {}", below),
    ]);
    for flag in ask(&["--libs", "frazil", "frazil-extras"]).split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={}", folder);
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={}", library);
        }
    }
    println!("cargo:include={}", ask(&["--variable=includedir", "frazil"]));
}
