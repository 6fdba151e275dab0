#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: builds the packages, installs the wheel elsewhere, and runs there all tests of the binding; then builds
# against the installed library as well.  BUILD is a build folder of frazil, which has the command.
set -eu

tree=$(realpath "$1")
build=$(realpath "$2")
here=$tree/bindings/python
mkdir -p "$build/python"
work=$(realpath "$build/python")
unset PYTHONPATH PYTHONHOME FRAZIL_SYSTEM 2>/dev/null || :
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# say WHAT: a heading, with the time.
say() {
    echo "== $1 ($(date +%T))"
}

# The tools stay in the build folder as long as the list of them is the same.
say tools
if ! cmp -s "$here/tests/requirements.txt" "$work/venv/requirements.txt"; then
    rm -rf "$work/venv"
    python3 -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet --no-deps --no-compile -r "$here/tests/requirements.txt"
    cp "$here/tests/requirements.txt" "$work/venv"
fi
python=$work/venv/bin/python

say "formatter, linter"
cd "$here"
"$work/venv/bin/ruff" check --no-cache .
"$work/venv/bin/ruff" format --no-cache --check .

say packages
rm -rf "$work/packages" "$work/away"
PYTHON=$python sh "$here/package.sh" "$tree" "$work/packages"
# Nothing but the package: no copy of the source is in reach of the tests.
mkdir -p "$work/away"
cp -R "$here/tests" "$here/examples" "$here/pyproject.toml" "$work/away"
"$python" -m pip install --quiet --no-deps --no-index --force-reinstall "$work"/packages/python/frazil-*.whl
# An index takes it, it has its licence, as the source package has, and no symbols for debuggers.
wheel=$(ls "$work"/packages/python/frazil-*.whl)
tag=$(expr "$wheel" : '.*-abi3-\(.*\)\.whl')
"$work/venv/bin/auditwheel" show "$wheel" | tr '\n' ' ' | grep -q "consistent with the *following platform tag: \"$tag\"" ||
    { echo "auditwheel: $wheel is not $tag" && exit 1; }
"$python" - "$wheel" <<'END'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
assert any(name.endswith("/licenses/LICENSE") for name in names), names
END
tar tzf "$work"/packages/python/frazil-*.tar.gz | grep -x 'frazil-[^/]*/LICENSE' || { echo "the source package has no LICENSE" && exit 1; }
! readelf -SW "$("$python" -c 'import frazil._frazil as f; print(f.__file__)')" | grep -q '\.symtab' || { echo "it is not stripped" && exit 1; }
cd "$work/away"

say types
"$work/venv/bin/mypy" --cache-dir "$work/mypy" --config-file pyproject.toml -p frazil
"$work/venv/bin/mypy" --cache-dir "$work/mypy" --config-file pyproject.toml tests/typed.py
# A module for Django needs settings where it is looked at.
DJANGO_SETTINGS_MODULE=django.conf.global_settings "$work/venv/bin/stubtest" --mypy-config-file pyproject.toml frazil --allowlist tests/stubtest.txt

say tests
export TEST_TREE="$tree"
[ ! -x "$build/bin/frazil" ] || export FRAZIL_COMMAND="$build/bin/frazil"
# TEST_PYTEST adds options: a test's name, for example.
# shellcheck disable=SC2086 # several options
"$work/venv/bin/pytest" -c pyproject.toml ${TEST_PYTEST:-} tests

say "no compiler"
if CC=/nonexistent/cc "$python" -m pip install --quiet --no-deps --no-index --no-build-isolation --target "$work/none" \
    "$work"/packages/python/frazil-*.tar.gz >"$work/refusal" 2>&1; then
    echo "it was built without a compiler"
    exit 1
fi
grep -q 'it needs a C compiler, which CC may name' "$work/refusal" || { cat "$work/refusal"; exit 1; }

say "the installed library"
if [ ! -e "$build/libfrazil.so" ] && [ -z "$(find "$build" -name 'libfrazil.so*' -print -quit)" ]; then
    echo "left out: libfrazil is not in $build"
    exit
fi
rm -rf "$work/system" "$work/root"
DESTDIR=$work/root cmake --install "$build" >/dev/null
prefix=$work/root$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
lib=$(dirname "$(find "$work/root" -name libfrazil.so | head -n 1)")
mkdir -p "$work/system/source"
tar xzf "$work"/packages/python/frazil-*.tar.gz -C "$work/system/source" --strip-components 1
cd "$work/system/source"
# pkg-config knows where it would be installed, not where it is.
FRAZIL_SYSTEM=1 PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root CFLAGS="-I$prefix/include" LDFLAGS="-L$lib" \
    "$python" -m pip install --quiet --no-deps --no-index --no-build-isolation --target "$work/system/site" .
cd "$work/away"
readelf -d "$work"/system/site/frazil/_frazil*.so | grep -q '(NEEDED).*libfrazil' || { echo "it is not linked with libfrazil"; exit 1; }
LD_LIBRARY_PATH=$lib PYTHONPATH=$work/system/site "$work/venv/bin/pytest" -c pyproject.toml tests/test_conformance.py tests/test_vectors.py

# The wheel loads the parts of coordinators from the system.
if [ -e "$lib/libfrazil-redis.so.1" ]; then
    TEST_PARTS=$lib "$work/venv/bin/pytest" -c pyproject.toml tests/test_live.py tests/test_signals.py -k 'silent or leases'
fi

# A library of another version is refused.
printf '#include <stdint.h>\nuint32_t frazil_version_number(void) { return 9000000; }\n' >"$work/system/other.c"
${CC:-cc} -shared -fPIC -o "$work/system/other.so" "$work/system/other.c"
if LD_PRELOAD=$work/system/other.so LD_LIBRARY_PATH=$lib PYTHONPATH=$work/system/site "$python" -c 'import frazil' 2>"$work/system/refusal"; then
    echo "a library of version 9.0 was not refused"
    exit 1
fi
grep -q 'ImportError: this package was built for frazil' "$work/system/refusal" || { cat "$work/system/refusal"; exit 1; }
