#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: tests the crates: formatter, linter, documentation, their tests, and that their packages build with an
# empty CARGO_HOME, without a network.  All that it makes lies in BUILD/rust.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/rust"
build=$(realpath "$2")
work=$build/rust
rust=$tree/bindings/rust
export CARGO_TARGET_DIR="$work/target" TMPDIR="$work/tmp" CARGO_TERM_COLOR=never FRAZIL_HOST_DIR="$work/host"
rm -rf "$work/tmp" "$work/host" "$work/packages" "$work/stranger"
mkdir -p "$work/tmp"
[ ! -x "$build/bin/frazil" ] || export FRAZIL_COMMAND="$build/bin/frazil"

step() {
    echo "== $*"
}

# Cargo before 1.68, Debian's among them, knows crates.io as a git repository on GitHub alone.
minor=$(cargo --version | sed 's/^cargo 1\.\([0-9]*\).*/\1/')
if [ "$minor" -lt 68 ]; then
    echo "left out: $(cargo --version) cannot read the index of crates.io; put cargo 1.68 or later into the PATH to test the crates"
    exit 0
fi

cd "$rust"
step formatter
cargo fmt --all -- --check
step linter
cargo clippy --locked --workspace --all-targets -- -D warnings
step tests
LD_LIBRARY_PATH="$build/parts" cargo test --locked --workspace --quiet
step documentation
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet

if [ -e "$build/cmake_install.cmake" ]; then
    step with the library that is installed
    rm -rf "$work/root"
    DESTDIR=$work/root cmake --install "$build" >/dev/null
    pc=$(dirname "$(find "$work/root" -name frazil.pc)")
    # pkg-config knows where it would be installed, not where it is.
    (
        export PKG_CONFIG_PATH="$pc" PKG_CONFIG_SYSROOT_DIR="$work/root" LD_LIBRARY_PATH="${pc%/pkgconfig}"
        export CARGO_TARGET_DIR="$work/linked"
        cargo test --locked --workspace --no-default-features --quiet
        ldd "$work/linked/debug/examples/cost" | grep -q "libfrazil.so.* => $LD_LIBRARY_PATH/" ||
            { ldd "$work/linked/debug/examples/cost" && exit 1; }
    )
fi

# sfid's pids come from a Redis, which frazil asks by a part of its own.
step beside sfid, serde and sqlx
if [ -e "$build/parts/libfrazil-redis.so.1" ] && command -v redis-server >/dev/null; then
    set --
else
    echo "left out: pids from Redis, as frazil was built without that part, or redis-server is not installed"
    set -- --no-default-features
fi
# Of what has no version here, the newest that this Rust can build.
export CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback
(cd against && cargo fmt -- --check && LD_LIBRARY_PATH="$build/parts" cargo test --quiet "$@")

version=$(sh "$tree/tools/version")

# stranger CARGO: a program somewhere else takes the packages, and finds nothing of this machine's.
stranger() {
    rm -rf "$work/stranger"
    mkdir -p "$work/stranger/src" "$work/stranger/home"
    for crate in "$work"/packages/*.crate; do
        tar -C "$work/stranger" -xzf "$crate"
    done
    cat >"$work/stranger/Cargo.toml" <<END
[package]
name = "stranger"
version = "0.1.0"
edition = "2021"

[dependencies]
frazil = "$version"

[patch.crates-io]
frazil = { path = "frazil-$version" }
frazil-sys = { path = "frazil-sys-$version" }
END
    cat >"$work/stranger/src/main.rs" <<'END'
fn main() {
    let generator = frazil::Generator::open("worker=fixed:7 state=memory").unwrap();
    assert!(generator.next().unwrap() < generator.next().unwrap());
    let flake = frazil::compat::sfid::Snowflake::new(frazil::compat::sfid::EPOCH, 3);
    std::env::set_var("FRAZIL_STATE", "memory");
    println!("pid {}", frazil::compat::sfid::parse(flake.next()).pid);
}
END
    (cd "$work/stranger" &&
        CARGO_HOME="$work/stranger/home" CARGO_TARGET_DIR="$work/stranger/target" "$1" run --quiet --offline) >"$work/stranger.out"
    [ "$(cat "$work/stranger.out")" = "pid 3" ] || { cat "$work/stranger.out" && exit 1; }
}

step packages, without a network
CARGO_HOME=$work/nothing sh "$rust/package.sh" "$tree" "$work/packages" >/dev/null
stranger cargo
# Debian's, which is the oldest that works.
old=${TEST_OLD_CARGO:-/usr/bin/cargo}
if [ -x "$old" ]; then
    step "the same with $("$old" --version)"
    PATH=$(dirname "$old"):$PATH stranger "$old"
fi
echo "the crates for Rust hold"
