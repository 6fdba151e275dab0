#!/bin/sh
# SPDX-License-Identifier: MIT
# selftest.sh FRAZIL [FRAZIL-FLEET]: count.sh --compare finds what it exists for, and lets pass what it should; the tables show what
# was measured, and say what was not; servers are started, measured and stopped.  Never what was measured.
set -eu

frazil=$1
fleet=${2:-}
here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect STATUS TEXT COUNTED: of a file that says 100, a count gives this status and this text.
expect() {
    printf 'm gcc-1 next 100\nm gcc-8 try 50\n# m gcc-9 next 1\n' >"$scratch/file"
    printf '%s\n' "$3" >"$scratch/counts"
    status=0
    sh "$here/instructions/count.sh" --compare "$scratch/counts" "$scratch/file" >"$scratch/output" || status=$?
    if [ "$status" -ne "$1" ] || { [ -n "$2" ] && ! grep -qF -- "$2" "$scratch/output"; }; then
        echo "selftest: \"$3\" gave $status, not $1, or not \"$2\" but:" >&2
        cat "$scratch/output" >&2
        exit 1
    fi
}

expect 0 "" "m gcc-1 next 100"
expect 0 "" "m gcc-1 next 102.9"
expect 1 "3.1 % more" "m gcc-1 next 103.1"
expect 1 "not in the file" "m gcc-1 local 5"
expect 0 "keeps it so" "m gcc-1 next 90"
expect 77 "m gcc-2" "m gcc-2 next 100"
expect 77 "m gcc-9" "m gcc-9 next 1"
expect 77 "n gcc-1" "n gcc-1 next 100"
expect 1 "nothing was counted" ""
expect 1 "gcc-1 next: in the file, and not counted" "m gcc-1 local 5"

# shows TEXT: the output has a line with it.
shows() {
    grep -qF -- "$1" "$scratch/output" || { echo "selftest: not \"$1\" but:" >&2 && cat "$scratch/output" >&2 && exit 1; }
}

# row KEY MEMBERS: of what frazil bench --json prints.
row() {
    printf '{"group":"Two","key":"%s","name":"the %s","unit":"ns",%s},\n' "$1" "$1" "$2"
}

{
    echo '{"frazil":"1","compiler":"c","cpu":"p","cpus":2,"system":"s","clock_path":"counter","spec":"s","spec_clock_path":"clock","limit_rounds":5,"rounds":9,"rows":['
    row clock '"rounds":9,"min":1,"q1":2.0000,"median":4.0000,"q3":6.0000,"max":9,"targets":[]'
    row next '"rounds":9,"min":8,"q1":8.0000,"median":8.0000,"q3":8.0000,"max":8,"targets":[{"value":2.0000,"limit":3.0000,"sense":"at most","times":"clock","ok":true},{"value":8.0000,"limit":7.0000,"sense":"at most","ok":false}]'
    row seen '"rounds":9,"min":8,"q1":8.0000,"median":8.0000,"q3":8.0000,"max":8,"targets":[{"value":2.0000,"times":"clock"}]'
    row lone '"rounds":0,"min":null,"q1":null,"median":null,"q3":null,"max":null,"missed":9,"note":"they did not meet","targets":[]'
    echo ']}'
} >"$scratch/json"
awk -f "$here/page/rows.awk" "$scratch/json" >"$scratch/frazil.tsv"
printf 'Redis\t600\t500\t700\t300\t50\n-\tetcd\tit is not installed\n' >"$scratch/coordinators.tsv"
printf 'another\t16\t15\t17\t7\n-\tnpm\tno network\n' >"$scratch/rivals.tsv"
awk -f "$here/page/tables.awk" "$scratch/frazil.tsv" "$scratch/coordinators.tsv" "$scratch/rivals.tsv" >"$scratch/output"
shows 'Measured on: p, 2 processors, s; c; frazil 1, 9 rounds, of threads 5; time from the counter.'
shows '| the clock | 4.00 ns | 2.00–6.00 | 1.00 |  |'
shows '| the next | 8.00 ns |  | 2.00 | ✓ 2 × the clock, at most 3; **missed** 8 ns, at most 7 |'
shows '| the seen | 8.00 ns |  | 2.00 | 2 × the clock |'
shows '| the lone | – |  |  | they did not meet (9 of 9 rounds) |'
shows '| Redis | 600 us (12.0) | 500–700 | 300 us (6.00) | 50.0 us |'
shows 'Not measured here: etcd: it is not installed.'
shows '| another | 16.0 ns | 15.0–17.0 | 2.00 |'
shows 'Not measured here: npm: no network.'

# Figures replace what is between the markers, and nothing replaces them.
page() {
    printf 'a\n<!-- figures: written by make bench -->\n%s\n<!-- end of figures -->\nb\n' "$1"
    printf '<!-- figures: written by make another -->\nold\n<!-- end of figures -->\n'
}
page old >"$scratch/page"
echo new | sh "$here/../tools/put-figures" bench "$scratch/page"
! sh "$here/../tools/put-figures" bench "$scratch/page" </dev/null 2>"$scratch/output" || { echo "selftest: nothing was put" >&2 && exit 1; }
shows "there are none"
page new | cmp - "$scratch/page"
printf '### b\n\nnew\n\n' | sh "$here/../tools/put-figures" bench "$scratch/page" "### b" # one that was not there
printf '### b\n\nnewer\n\n' | sh "$here/../tools/put-figures" bench "$scratch/page" "### b"
page "$(printf 'new\n### b\n\nnewer\n ')" | sed 's/^ $//' | cmp - "$scratch/page"

# A fleet's tables judge each aim, and say what was not measured.
{
    printf 'Redis\topenings\t10000\t1500\t2000\t1000\t8000\t12001\t16384\t3\t3.00\t4\t0\t321\t4\n'
    printf 'Redis\textensions\t10000\t9000\t500\t100.4\t200\t300\t179.4\t1.00\t95\n'
    printf 'files\topenings\t10000\t100\t100\t100\t0\t0\t0\t3\t3.00\t4\t0\t-\t3\n'
    printf 'files\textensions\t10000\t9000\t500\t-\t200\t300\t0\t1.00\t-\n'
    printf -- '-\tetcd\tit is not installed\n'
} >"$scratch/fleet.tsv"
awk -v busy=0.25 -f "$here/page/fleet.awk" "$scratch/fleet.tsv" >"$scratch/output"
shows 'The load average of this machine was 0.25 before this measurement.'
shows '| 16,384 in 4 | 3.00 | 4 | 321 us | ✓ at most 16,384 bytes; **missed** last 1.50 × first, at most 1.5; ✓ at least 1,500 a second |'
shows '| Redis | 9,000 | 500 | 100 us | 5.0 % | 200 us | 300 us | 179 | 1.00 | 95 MiB |'
shows '| files | 10,000 | 100 | 100 | 100 | – | – | – | 3.00 | 4 | – |  |'
shows '| files | 9,000 | 500 | – | – | 200 us | 300 us | – | 1.00 | – |'
shows 'Not measured here: etcd: it is not installed.'
awk -f "$here/page/load.awk" "$scratch/fleet.tsv" >"$scratch/output"
shows '| Redis | 0.04 % | 4 % | 44 % | 3 s |'

# The page names what is not installed: here there are none but the tools that every system has.
mkdir "$scratch/tools" "$scratch/servers"
chmod 755 "$scratch" "$scratch/servers" # for the server of PostgreSQL, which does not run as root
for tool in sh awk dirname realpath sed seq; do
    ln -s "$(command -v $tool)" "$scratch/tools"
done
PATH=$scratch/tools sh "$here/others/coordinators.sh" "$scratch/servers" "$frazil" 1 redis etcd >"$scratch/output"
printf -- '-\tRedis\tit is not installed\n-\tetcd\tit is not installed\n' | cmp - "$scratch/output"

# measures KIND LOG: a coordinator has five times and a name.
measures() {
    sh "$here/others/coordinators.sh" "$scratch/servers" "$frazil" 1 "$1" >"$scratch/output" ||
        { echo "selftest: measuring $1 failed" >&2 && exit 1; }
    awk -F '\t' 'NF != 6 || $2 + 0 <= 0 || $5 + 0 <= 0 || $6 + 0 <= 0 { bad = 1 } END { exit bad || NR != 1 }' "$scratch/output" ||
        shows "five times of $1"
    cat "$scratch/servers/$1"-*/log >"$scratch/output"
    shows "$2"
}

# Of a fleet too: each opening is counted, none is released, and each extension is answered.
fleet_measures() {
    mkdir -p "$scratch/fleets"
    chmod 755 "$scratch/fleets"
    TEST_BENCH_QUICK=1 sh "$here/others/fleet.sh" "$scratch/fleets" "$frazil" "$fleet" "$1" >"$scratch/output" ||
        { echo "selftest: measuring a fleet over $1 failed" >&2 && exit 1; }
    awk -F '\t' -v kind="$1" '
        $2 == "openings" { opened = NF == 15 && $15 >= 2 && $3 == 50 && (kind == "file" || $8 > 100) && $11 >= 2 }
        $2 == "extensions" { extended = NF == 11 && $3 == 50 && $10 >= 1 }
        END { exit !(opened && extended) }' "$scratch/output" || shows "the figures of a fleet over $1"
}
if [ -n "$fleet" ]; then
    fleet_measures file
fi

# Everything that is installed is measured, and the servers that were started for it end.
"$frazil" version >"$scratch/version"
if command -v redis-server >/dev/null && grep -q '^redis: hiredis' "$scratch/version"; then
    measures redis "bye bye"
    [ -z "$fleet" ] || fleet_measures redis
fi
# shellcheck source=bench/others/servers.sh
if [ -n "$(. "$here/others/servers.sh" && postgresql_programs)" ] && grep -q '^postgresql: libpq' "$scratch/version"; then
    measures postgresql "database system is shut down"
fi
if [ -x /usr/sbin/mariadbd ] && grep -q '^mysql: libmariadb' "$scratch/version"; then
    measures mysql "Shutdown complete"
    [ -z "$fleet" ] || fleet_measures mysql
fi
