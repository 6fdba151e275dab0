#!/bin/sh
# SPDX-License-Identifier: MIT
# costs.sh TREE BUILD: measures what an id costs in Rust and in Go, beside plain C and the modules and crates that they stand in
# for, in one run on one machine.  It prints a table for docs/performance.md: nanoseconds for an id, and how many times that of C.
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

# The programs take turns, so a slow moment of the machine hits all of them; each row keeps its least.
: >"$work/rows"
for _ in 1 2 3 4 5; do
    {
        "$work/c" "$spec"
        "$work/target/release/examples/cost" "$spec"
        "$work/against/release/examples/cost"
        "$work/gocost" "$spec"
    } >>"$work/rows"
done
awk -F '\t' '
    BEGIN {
        limit["Rust, a call"] = 1.05
        limit["Go, batches of 10000"] = 1.2
        print "| | per id | × C | target |\n|---|---:|---:|---|"
    }
    !($1 in least) { names[++n] = $1 }
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END {
        for (i = 1; i <= n; i++) {
            name = names[i]
            ratio = least[name] / (name ~ /batches/ ? least["C, batches of 10000"] : least["C, a call"])
            verdict = ""
            if (name in limit)
                verdict = (ratio <= limit[name] ? "✓ " : "**missed** ") sprintf("%.3f × C, at most %g", ratio, limit[name])
            printf "| %s | %.*f ns | %.2f | %s |\n", name, (least[name] < 1 ? 3 : 1), least[name], ratio, verdict
        }
    }' "$work/rows"
