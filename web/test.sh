#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: builds the page and tries it in Debian's Chromium, beside the command and with a daemon; and the manual, where
# pandoc and mandoc are.
# Everything that it makes lies in BUILD/web.
set -eu

tree=$(realpath "$1")
build=$(realpath "$2")
mkdir -p "$build/web"
work=$build/web

# shellcheck disable=SC2046 # a list of names
unset $(env | sed -n 's/^\(FRAZIL_[A-Z_]*\)=.*/\1/p')

rm -rf "$work/project"
mkdir "$work/project"
cp -R "$tree/web/test/." "$work/project"
cp "$tree/web/command.js" "$tree/web/page.js" "$tree/web/page.css" "$work/project"
cd "$work/project"
npm ci --silent --no-audit --no-fund
npx --no-install eslint .
npx --no-install prettier --log-level warn --check .

if command -v pandoc >/dev/null && command -v mandoc >/dev/null; then
    (cd "$tree" && sh tools/manual "$work/manual" >"$work/manual.log")
    export MANUAL_FOLDER="$work/manual"
elif [ -n "${TEST_SKIP_NOTHING:-}" ]; then
    echo "the manual cannot be built: pandoc and mandoc are missing" >&2
    exit 1
fi

CLANG=clang sh "$tree/web/build.sh" "$work"

export TEST_SOURCES="$tree" TEST_PAGE_FILE="$work/frazil.html" TEST_BIN="$build/bin"
node --test --test-reporter=spec --test-concurrency=1 .
