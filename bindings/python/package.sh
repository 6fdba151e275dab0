#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: builds the source package, and from it the wheel, into OUT/python.  PYTHON names the interpreter, which
# has setuptools; python3 by default.
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
"$python" -c 'import setuptools.build_meta as build; build.build_wheel("'"$scratch"'")' >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; exit 1; }
mv "$scratch"/frazil-*.tar.gz "$scratch"/frazil-*.whl "$out"
ls "$out"/frazil-*
