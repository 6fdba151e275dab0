#!/bin/sh
# SPDX-License-Identifier: MIT
# How many instructions an id costs, counted by callgrind, against bench/instructions/counts.txt: a count does not depend on how
# busy or how fast the machine is.  More than 3 % above what stands there fails, and so does a path that stands there
# and was not counted.  A compiler that does not stand there is skipped (exit 77), and so is a machine without a counter, or without valgrind unless TEST_SKIP_NOTHING is set.
#
#   count.sh PROGRAM FILE             counts and compares
#   count.sh --update PROGRAM FILE    counts and writes the lines of this compiler
#   count.sh --compare COUNTS FILE    compares what was counted before
#
# A line is: machine, compiler, path, instructions an id.
set -eu

# count PROGRAM: the lines of this machine and compiler.
count() {
    out=$scratch/callgrind.out
    status=0
    # Names of functions are enough, and not every valgrind reads every compiler's debug information.
    objcopy --strip-debug "$1" "$scratch/stripped"
    valgrind --tool=callgrind --callgrind-out-file="$out" "$scratch/stripped" >"$scratch/program" 2>"$scratch/valgrind" ||
        status=$?
    [ "$status" -ne 77 ] || { echo "skipped: this machine has no counter, so no fast path" >&2 && exit 77; }
    [ "$status" -eq 0 ] || { cat "$scratch/program" "$scratch/valgrind" >&2 && exit 1; }
    read -r compiler rounds <"$scratch/program"
    callgrind_annotate --inclusive=yes --threshold=100 --show-percs=no "$out" |
        awk -v key="$(uname -m) $compiler" -v rounds="$rounds" '
            # "   800,010  bench/instructions/paths.c:measure_next [PROGRAM]"
            /:measure_[a-z0-9_]+ \[/ {
                total = $1
                gsub(/,/, "", total)
                name = $0
                sub(/.*:measure_/, "", name)
                sub(/ .*/, "", name)
                count[name] = total / rounds
            }
            END {
                if (!("nothing" in count)) { print "nothing was counted" > "/dev/stderr"; exit 1 }
                for (name in count) {
                    ids_of_a_round = name ~ /_256$/ ? 256 : 1
                    if (name != "nothing")
                        printf "%s %s %.2f\n", key, name, count[name] - count["nothing"] / ids_of_a_round
                }
            }' | sort
}

# compare COUNTS FILE
compare() {
    awk '
        { sub(/#.*/, "") }
        NF != 4 { next }
        FNR == NR { counted[$1 " " $2 " " $3] = $4; n++; next }
        { known[$1 " " $2]; expected[$1 " " $2 " " $3] = $4 }
        END {
            if (n == 0) { print "nothing was counted"; exit 1 }
            for (path in counted) {
                split(path, word, " ")
                key = word[1] " " word[2]
                if (!(key in known)) {
                    print "skipped: counts by " key " are not known; make update-instructions adds them"
                    exit 77
                }
                if (!(path in expected)) {
                    print path ": not in the file: make update-instructions"
                    bad = 1
                } else if (counted[path] > expected[path] * 1.03) {
                    printf "%s: %.2f instructions, %.2f expected: %.1f %% more\n", path, counted[path], expected[path],
                        100 * (counted[path] / expected[path] - 1)
                    bad = 1
                } else if (counted[path] < expected[path] * 0.97) {
                    printf "%s: %.2f instructions, %.2f expected: make update-instructions keeps it so\n", path,
                        counted[path], expected[path]
                }
            }
            for (path in expected) {
                split(path, word, " ")
                if (word[1] " " word[2] == key && !(path in counted)) {
                    print path ": in the file, and not counted: make update-instructions"
                    bad = 1
                }
            }
            exit bad
        }' "$1" "$2"
}

# update COUNTS FILE
update() {
    read -r machine compiler _ <"$1"
    { grep '^#' "$2" || true
      { grep -v "^#\|^$machine $compiler " "$2" || true; cat "$1"; } | sort; } >"$scratch/updated"
    cp "$scratch/updated" "$2"
}

mode=check
case $1 in
--*) mode=${1#--} && shift ;;
esac
if [ "$mode" = compare ]; then
    compare "$1" "$2"
    exit
fi
if ! command -v valgrind >/dev/null; then
    echo "skipped: there is no valgrind"
    [ -n "${TEST_SKIP_NOTHING:-}" ] && exit 1
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
count "$1" >"$scratch/counts" || status=$?
[ "$status" -eq 0 ] || { cat "$scratch/counts" && exit "$status"; }
if [ "$mode" = update ]; then
    update "$scratch/counts" "$2"
else
    compare "$scratch/counts" "$2"
fi
