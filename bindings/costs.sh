#!/bin/sh
# SPDX-License-Identifier: MIT
# costs.sh TREE BUILD: measures what an id costs in Rust and in Go, beside plain C and the modules and crates that they stand in
# for, in one run on one machine.  It prints a table: nanoseconds for an id, and how many times that of C.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/costs"
work=$(realpath "$2")/costs
spec='layout=35/1/27 tick=100ms worker=fixed:1 state=memory'
export CARGO_TARGET_DIR="$work/target" GOCACHE="$work/cache"
chmod -R u+w "$work"
rm -rf "$work/go"
mkdir -p "$work/go"

sh "$tree/tools/amalgamate" "$work" >/dev/null
cc -O2 -I "$work" -o "$work/c" "$tree/bindings/costs.c" "$work/frazil.c" -lpthread -ldl
(cd "$tree/bindings/rust" && cargo build --quiet --release --locked -p frazil --example cost)
(cd "$tree/bindings/rust/against" &&
    CARGO_TARGET_DIR="$work/against" cargo build --quiet --release --locked --no-default-features --example cost)
sh "$tree/bindings/go/package.sh" "$tree" "$work" >/dev/null
tar -C "$work/go" --strip-components=1 -xzf "$work"/frazil-go-*.tar.gz
cp -R "$tree/bindings/go/against" "$work/go/against"
(cd "$work/go/against" && go build -o "$work/gocost" ./cost)

{
    "$work/c" "$spec"
    "$work/target/release/examples/cost" "$spec"
    "$work/against/release/examples/cost"
    "$work/gocost" "$spec"
} >"$work/rows"
awk -F '\t' '
    $1 == "C, a call" { call = $2 }
    $1 ~ /^C, batches/ { batch = $2 }
    { printf "%-34s %10.3f ns  %8.2f x C\n", $1, $2, $2 / ($1 ~ /batches/ ? batch : call) }' "$work/rows"
