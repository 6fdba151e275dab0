#!/bin/sh
# SPDX-License-Identifier: MIT
# costs.sh TREE BUILD [LANGUAGE]...: measures what an id costs in these languages (rust, go, node, python, php; without any, in rust
# and go), beside plain C and what stands in their registries, in one run on one machine.  It prints a table for
# docs/performance.md: nanoseconds for an id, and how many times that of C.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/costs"
work=$(realpath "$2")/costs
shift 2
[ $# -gt 0 ] || set -- rust go
# Ids to spare: no call waits for the next millisecond.
spec='layout=39/1/24 worker=fixed:1 state=memory'
export CARGO_TARGET_DIR="$work/target" GOCACHE="$work/cache"
export FRAZIL_RUN_DIR="$work/run" FRAZIL_STATE_DIR="$work/state" FRAZIL_HOST_DIR="$work/host" AMALGAMATION="$work"

prepare_c() {
    sh "$tree/tools/amalgamate" "$work" >/dev/null
    cc -O2 -I "$work" -o "$work/c" "$tree/bindings/costs.c" "$work/frazil.c" -lpthread -ldl
}

run_c() {
    "$work/c" "$spec"
}

prepare_rust() {
    (cd "$tree/bindings/rust" && cargo build --quiet --release --locked -p frazil --example cost)
    (cd "$tree/bindings/rust/against" &&
        CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback CARGO_TARGET_DIR="$work/against" cargo build --quiet --release --no-default-features --example cost)
}

run_rust() {
    "$work/target/release/examples/cost" "$spec"
    "$work/against/release/examples/cost"
}

prepare_go() {
    [ ! -e "$work/go" ] || chmod -R u+w "$work/go"
    rm -rf "$work/go"
    mkdir -p "$work/go"
    sh "$tree/bindings/go/package.sh" "$tree" "$work" >/dev/null
    tar -C "$work/go" --strip-components=1 -xzf "$work"/frazil-go-*.tar.gz
    cp -R "$tree/bindings/go/against" "$work/go/against"
    (cd "$work/go/against" && go build -o "$work/gocost" ./cost)
}

run_go() {
    "$work/gocost" "$spec"
}

prepare_node() {
    rm -rf "$work/node"
    cp -R "$tree/bindings/node/bench" "$work/node"
    tarball=$(sh "$tree/bindings/node/package.sh" "$tree" "$work")
    (cd "$work/node" && npm ci --silent --no-audit --no-fund &&
        npm install --silent --no-audit --no-fund --no-save --ignore-scripts "$tarball")
}

run_node() {
    node "$work/node/cost.js" "$spec"
}

prepare_python() {
    rm -rf "$work/venv" "$work/python"
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r "$tree/bindings/python/bench/requirements.txt" \
        "$(grep '^setuptools==' "$tree/bindings/python/tests/requirements.txt")"
    PYTHON=$work/venv/bin/python sh "$tree/bindings/python/package.sh" "$tree" "$work" >/dev/null
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index "$work"/python/frazil-*.whl
}

run_python() {
    "$work/venv/bin/python" "$tree/bindings/python/bench/bench.py" 50 "$spec"
}

prepare_php() {
    rm -rf "$work/php"
    mkdir -p "$work/php"
    sh "$tree/bindings/php/package.sh" "$tree" "$work" >/dev/null
    tar -C "$work/php" --strip-components=1 -xzf "$work"/frazil-php-*.tgz
    (cd "$work/php" && phpize && ./configure && make) >"$work/php.log" 2>&1 || { tail -n 20 "$work/php.log" >&2; return 1; }
}

# php_with NAME OPTION...
php_with() {
    name=$1
    shift
    php -n -d "extension=$work/php/modules/frazil.so" -d extension=apcu -d apc.enable_cli=1 "$@" \
        "$tree/bindings/php/bench.php" "$spec" "$name"
}

run_php() {
    php_with PHP
    php_with "PHP with JIT" -d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M
}

for language in c "$@"; do
    "prepare_$language"
done
# The programs take turns, so a slow moment of the machine hits all of them; each row keeps its least.
: >"$work/rows"
for _ in 1 2 3 4 5; do
    for language in c "$@"; do
        "run_$language" >>"$work/rows"
    done
done
awk -F '\t' '
    BEGIN {
        limit["Rust, a call"] = 1.05
        limit["Rust, compat::sfid, full ticks"] = 1.3
        limit["Go, a call"] = 2
        limit["Go, batches of 10000"] = 1.2
        limit["Node, a call"] = 1.5
        limit["Node, batches of 10000"] = 1.2
        limit["Python, a call"] = 2.9
        limit["Python, batches of 10000"] = 1.2
        most["PHP, a call"] = 25
        print "| | per id | × C | target |\n|---|---:|---:|---|"
    }
    !($1 in least) { names[++n] = $1 }
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END {
        for (i = 1; i <= n; i++) {
            name = names[i]
            ratio = least[name] / (name ~ /batches|loop over/ ? least["C, batches of 10000"] : least["C, a call"])
            verdict = ""
            if (name in limit)
                verdict = (ratio <= limit[name] ? "✓ " : "**missed** ") sprintf("%.3f × C, at most %g", ratio, limit[name])
            if (name in most)
                verdict = (least[name] <= most[name] ? "✓ " : "**missed** ") sprintf("at most %g ns", most[name])
            printf "| %s | %.*f ns | %.2f | %s |\n", name, (least[name] < 1 ? 3 : 1), least[name], ratio, verdict
        }
    }' "$work/rows"
