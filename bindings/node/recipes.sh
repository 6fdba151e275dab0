#!/bin/sh
# SPDX-License-Identifier: MIT
# recipes.sh TREE BUILD: packs the package, and runs the examples with the packages of npm that they are for.  Everything that it
# makes lies in BUILD/bindings/recipes.  It is no part of make check: npm may have to compile SQLite for a minute.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/bindings/recipes"
work=$(realpath "$2/bindings/recipes")
# shellcheck disable=SC2046 # a list of names
unset $(env | sed -n 's/^\(FRAZIL_[A-Z_]*\)=.*/\1/p')
# What is compiled finds the headers of this Node, where they are installed, and fetches none.
if [ -z "${npm_config_nodedir:-}" ]; then
    npm_config_nodedir=$(node -p 'require("path").resolve(fs.realpathSync(process.execPath), "../..")')
    [ ! -e "$npm_config_nodedir/include/node/node_api.h" ] || export npm_config_nodedir
fi

sh "$tree/tools/amalgamate" "$work/amalgamation" >/dev/null
tarball=$(AMALGAMATION=$work/amalgamation sh "$tree/bindings/node/package.sh" "$tree" "$work/packages")

# The packages stay as long as the list of them is the same.
if ! cmp -s "$tree/bindings/node/examples/package.json" "$work/packages.json"; then
    rm -rf "$work/project"
    mkdir "$work/project"
    cp "$tree/bindings/node/examples/package.json" "$work/project"
    cd "$work/project"
    # Of the scripts that they would run, few are needed: Prisma's fetches what only migrations use.
    npm install --loglevel=error --no-audit --no-fund --ignore-scripts
    npm rebuild --loglevel=error better-sqlite3 bun deno
    cp "$tree/bindings/node/examples/package.json" "$work/packages.json"
fi
cd "$work/project"
cp "$tree/bindings/node/examples"/*.js "$tree/bindings/node/examples"/*.mjs "$tree/bindings/node/examples/schema.prisma" .
npm install --loglevel=error --no-audit --no-fund --no-save --ignore-scripts "$tarball"
TARBALL=$tarball node --test .
