#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: builds the source package, and from it the wheel, into OUT/python.  PYTHON names the interpreter, which
# has setuptools; python3 by default.  TARGETS are further machines, of each of which there will be a wheel, as zig calls them:
# x86_64-linux-gnu.2.28 aarch64-linux-gnu.2.28 x86_64-linux-musl aarch64-linux-musl.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/python"
out=$(realpath "$2/python")
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A copy: setuptools leaves its files where it builds.
cp -R "$tree/bindings/python" "$scratch/source"
cp "$tree/LICENSE" "$scratch/source"
cd "$scratch/source"
sh "$tree/tools/amalgamate" "$scratch/source/csrc" >/dev/null
if ! "$python" -c 'import setuptools, sys; sys.exit(int(setuptools.__version__.split(".")[0]) < 77)' 2>/dev/null; then
    "$python" -m venv "$scratch/venv"
    python=$scratch/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$(grep '^setuptools==' tests/requirements.txt)"
fi
rm -f "$out"/frazil-*.tar.gz "$out"/frazil-*.whl
"$python" -c 'import setuptools.build_meta as build; build.build_sdist("'"$scratch"'")' >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; exit 1; }
cd "$scratch"
tar xzf frazil-*.tar.gz
cd frazil-*/
# Symbols for a debugger are four fifths of it.
LDFLAGS="${LDFLAGS:--Wl,-s}" "$python" -c 'import setuptools.build_meta as build; build.build_wheel("'"$scratch"'")' >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; exit 1; }
mv "$scratch"/frazil-*.tar.gz "$out"
case " ${TARGETS:-} " in
*" $(uname -m)-linux-gnu"*) ;; # it will be compiled for an older C library
*) "$python" wheel_tag.py "$scratch"/frazil-*.whl "$out" >/dev/null ;;
esac

# The limited API is the same on each machine, so that the headers of this one do.
if [ -n "${TARGETS:-}" ]; then
    "$python" -c 'import shutil, sysconfig, sys
shutil.copytree(sysconfig.get_path("include"), sys.argv[1])
shutil.copy(sysconfig.get_config_h_filename(), sys.argv[1] + "/pyconfig.h")' "$scratch/headers"
fi
for target in ${TARGETS:-}; do
    zig="$tree/bindings/zig.sh"
    rm -rf "$scratch/objects"
    mkdir "$scratch/objects"
    (cd "$scratch/objects" && sh "$zig" "$target" -std=c11 -D_GNU_SOURCE -O3 -fPIC -fvisibility=hidden -DFRAZIL_API= \
        -DPy_LIMITED_API=0x03090000 -isystem "$scratch/headers" -I"$OLDPWD/csrc" -c "$OLDPWD"/csrc/*.c)
    set --
    case $target in
    *-musl) # its C library by the name that it has where Python is built with musl, and that auditwheel expects
        sh "$zig" "$target" -shared -nostdlib -Wl,-soname,"libc.musl-${target%%-*}.so.1" -o "$scratch/stub.so" -x c /dev/null
        set -- -nostdlib -Wl,--no-as-needed "$scratch/stub.so"
        ;;
    esac
    sh "$zig" "$target" -shared -s -Wl,-z,undefs -o "$scratch/_frazil.abi3.so" "$scratch"/objects/*.o "$@"
    "$python" wheel_tag.py "$scratch"/frazil-*.whl "$out" "$scratch/_frazil.abi3.so" >/dev/null
done
ls "$out"/frazil-*
