#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh BUILD_DIR VERSION: what is installed is all that a stranger's program needs, through pkg-config and through
# CMake, with the shared and with the static library, wherever the tree was put.
set -eu

here=$(dirname "$(realpath "$0")")
build=$1
version=$2
cc=${CC:-cc}
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# The list of an installation by root is made anew, not written into: its next user may not do that.
: >>"$build/install_manifest.txt"
ln -f "$build/install_manifest.txt" "$build/install_manifest.before"
DESTDIR="$stage" cmake --install "$build" >/dev/null
root=$stage$prefix
lib=$(dirname "$(find "$root" -name libfrazil.a)")

fail() {
    echo "$1" >&2
    exit 1
}

[ "$(stat -c %h "$build/install_manifest.before")" -eq 1 ] || fail "install_manifest.txt of another user would be written into"
rm "$build/install_manifest.before"

# expect_file PATH...: each is there, below the prefix, and not empty.
expect_file() {
    for path in "$@"; do
        [ -s "$root/$path" ] || fail "not installed: $path"
    done
}

# needs PROGRAM LIBRARY: whether the dynamic linker will look for it.
needs() {
    readelf -d "$1" | grep -q "(NEEDED).*\[$2"
}

# runs PROGRAM: says a line, and ends well.
runs() {
    LD_LIBRARY_PATH=$lib "$1" || fail "$(basename "$1") failed"
}

expect_file include/frazil.h include/frazil/generator.h include/frazil/observe.h share/man/man3/libfrazil.3 share/man/man3/frazil_next.3
expect_file include/frazil/admin.h share/man/man3/frazil_admin_leases_open.3
expect_file share/man/man5/frazil.spec.5 share/man/man7/frazil.7
expect_file share/doc/frazil/README.md share/doc/frazil/docs/README.md share/doc/frazil/examples/one_id.c
expect_file share/doc/frazil/contrib/systemd/frazil-lease@.service
grep -qx '\.so man3/frazil_next\.3' "$root/share/man/man3/frazil_take.3" || fail "frazil_take(3) is not frazil_next(3)"
[ "$(readlink "$lib/libfrazil.so")" = libfrazil.so.1 ] || fail "libfrazil.so is not a link to libfrazil.so.1"
[ "$(readlink "$lib/libfrazil.so.1")" = "libfrazil.so.$version" ] || fail "libfrazil.so.1 does not lead to $version"
if [ -e "$build/bin/frazil" ]; then
    expect_file bin/frazil share/man/man1/frazil.1 share/bash-completion/completions/frazil share/zsh/site-functions/_frazil \
        share/fish/vendor_completions.d/frazil.fish
    [ "$("$root/bin/frazil" version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)" = "$version" ] ||
        fail "frazil version is not $version"
    if needs "$root/bin/frazil" libfrazil; then
        fail "the command needs a libfrazil.so"
    fi
fi

echo "-- pkg-config"
export PKG_CONFIG_SYSROOT_DIR="$stage"
export PKG_CONFIG_PATH="$lib/pkgconfig"
[ "$(pkg-config --modversion frazil)" = "$version" ] || fail "frazil.pc is not of version $version"
# shellcheck disable=SC2046 # lists of flags
{
    "$cc" -o "$stage/shared" "$here/foreign/foreign.c" $(pkg-config --cflags --libs frazil)
    "$cc" -static -o "$stage/static" "$here/foreign/foreign.c" $(pkg-config --static --cflags --libs frazil)
}
needs "$stage/shared" 'libfrazil\.so\.1\]' || fail "the shared program does not need libfrazil.so.1"
if needs "$stage/static" ''; then
    fail "the static program needs a shared library"
fi
runs "$stage/shared"
runs "$stage/static"
# Its libc is not that of the part: to load it would end in errors that say nothing of the cause.
# shellcheck disable=SC2046
"$cc" -static -o "$stage/lease" "$here/foreign/lease.c" $(pkg-config --static --cflags --libs frazil)
! said=$(LD_LIBRARY_PATH=$lib "$stage/lease") || fail "a static program has loaded a part"
case $said in
*"a statically linked program cannot load the part of frazil for redis: "*"link libfrazil-redis.a "*) ;;
*) fail "a static program that needs a part says: $said" ;;
esac
# Not static is a program whose linker does not show it to the library.
# shellcheck disable=SC2046
"$cc" -o "$stage/namespace" "$here/foreign/namespace.c" $(pkg-config --cflags frazil) -ldl
! said=$(LD_LIBRARY_PATH=$lib "$stage/namespace") || fail "a library in a namespace of its own: $said"
case $said in
*"statically linked"*) fail "a library in a namespace of its own says: $said" ;;
esac
# shellcheck disable=SC2046
"$cc" -D_POSIX_C_SOURCE=200809L -o "$stage/admin" "$here/foreign/admin.c" $(pkg-config --cflags --libs frazil-admin)
needs "$stage/admin" 'libfrazil-admin\.so\.1\]' || fail "the program does not need libfrazil-admin.so.1"
runs "$stage/admin"
# shellcheck disable=SC2046
{
    "$cc" -o "$stage/extras" "$here/foreign/extras.c" $(pkg-config --cflags --libs frazil-extras frazil)
    "$cc" -static -o "$stage/extras_static" "$here/foreign/extras.c" $(pkg-config --static --cflags --libs frazil-extras frazil)
}
needs "$stage/extras" 'libfrazil-extras\.so\.1\]' || fail "the program does not need libfrazil-extras.so.1"
runs "$stage/extras"
runs "$stage/extras_static"
if [ -e "$lib/pkgconfig/frazil-zookeeper.pc" ]; then # whose client has no file for pkg-config
    pkg-config --static --libs frazil-zookeeper | grep -q -e '-lzookeeper_st' || fail "frazil-zookeeper.pc names no client"
fi
if [ -e "$lib/libfrazil-opaque.so" ]; then
    # pkg-config's system root goes in front of libcrypto's paths too; -isystem and -L of the real ones stay the default.
    # shellcheck disable=SC2046
    "$cc" -o "$stage/opaque" "$here/foreign/opaque.c" $(pkg-config --cflags --libs frazil-opaque) "-Wl,-rpath-link,$lib"
    runs "$stage/opaque"
fi

echo "-- CMake"
cmake -S "$here/foreign" -B "$stage/foreign" -DCMAKE_PREFIX_PATH="$root" -DCMAKE_C_COMPILER="$cc" \
    -DFRAZIL_WANTED="$version" >"$stage/log" || { cat "$stage/log" && fail "find_package(frazil) failed"; }
cmake --build "$stage/foreign" >"$stage/log" || { cat "$stage/log" && fail "the foreign project does not build"; }
needs "$stage/foreign/foreign_shared" 'libfrazil\.so\.1\]' || fail "frazil::frazil is not the shared library"
if needs "$stage/foreign/foreign_static" libfrazil; then
    fail "frazil::frazil_static is not the static library"
fi
for program in "$stage"/foreign/foreign_*; do
    runs "$program"
done

components='file;admin;extras'
if [ -e "$lib/libfrazil-opaque.so" ]; then
    components="file;admin;extras;opaque"
fi
cmake -S "$here/foreign" -B "$stage/components" -DCMAKE_PREFIX_PATH="$root" \
    -DFRAZIL_WANTED="$version;COMPONENTS;$components" >"$stage/log" || { cat "$stage/log" && fail "no $components"; }

echo "-- wrong versions; a component that there is not"
for wanted in 9.9 0.0 "$version;COMPONENTS;nosuch"; do
    if cmake -S "$here/foreign" -B "$stage/wrong" -DCMAKE_PREFIX_PATH="$root" -DFRAZIL_WANTED="$wanted" >/dev/null 2>&1; then
        fail "find_package(frazil $wanted) finds version $version"
    fi
done
