#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: packs the package, installs it elsewhere, and tests it there: with node:test, tsc, eslint, prettier.
# Everything that it makes lies in BUILD/bindings/node.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/bindings/node"
work=$(realpath "$2/bindings/node")
build=$(realpath "$2")
binding=$tree/bindings/node

# Neither settings of whoever runs this nor those of another test reach the generators.
# shellcheck disable=SC2046 # a list of names
unset $(env | sed -n 's/^\(FRAZIL_[A-Z_]*\)=.*/\1/p')

sh "$tree/tools/amalgamate" "$work/amalgamation" >/dev/null
export AMALGAMATION="$work/amalgamation"
tarball=$(sh "$binding/package.sh" "$tree" "$work/packages")

# A stranger's project, with what the tests need beside it.
rm -rf "$work/project"
mkdir "$work/project"
cp -R "$binding/test/." "$work/project"

cd "$work/project"
npm ci --silent --no-audit --no-fund
npm install --silent --no-audit --no-fund --no-save --ignore-scripts "$tarball"

mkdir package
cp -R "$binding"/*.js "$binding"/*.ts "$binding/lib" "$binding/bench" package
cp -R "$binding/examples" package
npx --no-install eslint .
npx --no-install prettier --log-level warn --check .
npx --no-install tsc --noEmit --strict --module node16 --target es2022 --lib es2022,esnext.disposable types.ts
rm -r package

export FRAZIL_CASES="$tree/bindings/conformance/cases.jsonl" FRAZIL_VECTORS="$tree/tests/vectors"
export FRAZIL_SOURCES="$tree" FRAZIL_BUILD="$build"
node --expose-gc --test --test-reporter=spec .
