#!/bin/sh
# SPDX-License-Identifier: MIT
# recipes.sh TREE BUILD: runs the README's lines for ORMs, also those that need packages of npm.  These lie in
# BUILD/databases/recipes.  It is no part of make check.
set -eu

tree=$(realpath "$1")
build=$(realpath "$2")
work=$build/databases/recipes
packages="typeorm@0.3.31 pg@8 prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0"

# The packages stay as long as the list of them is the same.
mkdir -p "$work"
if [ "$(cat "$work/packages" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$work/node_modules" "$work/packages"
    # Of the scripts that they would run none is needed: Prisma's fetches what only migrations use.
    # shellcheck disable=SC2086 # a list
    npm install --prefix "$work" --silent --no-audit --no-fund --ignore-scripts $packages
    echo "$packages" >"$work/packages"
fi
TEST_NODE_MODULES=$work/node_modules sh "$tree/databases/postgresql/test.sh" "$tree" "$build" t/033_orms.pl
