#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: the extension is built as its README says, and does what it says there; its functions answer what the
# command answers; no id comes twice.
set -eu

tree=$1
here=$tree/databases/sqlite
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cc=${CC:-cc}
warnings="-std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror"

fail() {
    echo "$1" >&2
    exit 1
}

cd "$scratch"
sh "$tree/tools/amalgamate" . >/dev/null
sh "$here/amalgamate" . >/dev/null
mkdir run state
export FRAZIL_RUN_DIR="$scratch/run" FRAZIL_STATE_DIR="$scratch/state" FRAZIL_HOST_DIR="$scratch/host"
unset FRAZIL_STATE FRAZIL_WORKER

echo "-- no warning, loaded and linked"
# shellcheck disable=SC2086 # a list of flags
for compiler in "$cc" clang; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" $warnings -fsyntax-only frazil_sqlite.c
    "$compiler" $warnings -DSQLITE_CORE -fsyntax-only frazil_sqlite.c
    # Programs put all that they link into one file, as SQLite itself is.
    printf '#include "%s"\n' frazil.c frazil_sqlite.c >all.c
    "$compiler" $warnings -DSQLITE_CORE -fsyntax-only all.c
    for part in "$here"/*.c; do # each of which stands alone, too
        "$compiler" $warnings -I. -fsyntax-only "$part"
    done
done

echo "-- the README"
mkdir readme
cp frazil.[ch] frazil_sqlite.[ch] readme
CC=$cc bash -euc '
    . "$1/tests/cli/transcripts.bash"
    cc() { command "$CC" "$@"; }
    cd readme
    blocks "console sqlite" "$2/README.md" >../shown
    replay <../shown >../printed
' - "$tree" "$here"
diff shown printed || fail "README.md shows something else than what happens"
[ "$(grep -c '^\$ ' shown)" -ge 12 ] || fail "README.md has fewer commands than it had"
exported=$(nm -D --defined-only readme/frazil.so | awk '{print $3}' | sort | tr '\n' ' ')
[ "$exported" = "frazil_sqlite_config sqlite3_frazil_init " ] || fail "frazil.so exports $exported"

export FRAZIL_WORKER=fixed:7
sql() {
    sqlite3 -batch :memory: ".load $scratch/readme/frazil" "$@"
}

echo "-- answers"
# answers SQL EXPECTED
answers() {
    answer=$(sql "SELECT $1" 2>&1) || true
    [ "$answer" = "$2" ] || fail "SELECT $1: $answer, and not $2"
}
answers "frazil_sequence(43667737804828674)" 2
answers "frazil_parts(1541815603606036480, 'twitter')" \
    '{"time":"2022-06-28T16:07:40.105Z","unix_ms":1656432460105,"datacenter":11,"worker":378,"sequence":0}'
answers "json_extract(json_object('parts', frazil_parts(1541815603606036480, 'twitter')), '\$.parts.worker')" 378
answers "frazil_time('1541815603606036480', 'twitter')" 2022-06-28T16:07:40.105Z
answers "frazil_first('2026-05-01')" 43486543872000000
answers "frazil_first(1777593600000)" 43486543872000000
answers "frazil_first('2020-01-01')" 0
answers "frazil_time(frazil_first('2026-05-01T00:00:00.005Z', 'sonyflake'), 'sonyflake')" 2026-05-01T00:00:00.010Z
answers "frazil_within(frazil_first('2026-05-01', 'sonyflake'), '2026-05-01', '2026-05-01T00:00:00.001Z', 'sonyflake')" 1
answers "frazil_first('9000-01-01')" 9223372036854775807
answers "frazil_within(43667737804828673, '2026-05-01', '2026-05-02')" 1
answers "frazil_within(43667737804828673, '2026-05-01', '2026-05-01T12:00:00Z')" 0
answers "frazil_within('18446744073709551615', '2026-05-01', '9999-01-01', 'flake')" 1
answers "frazil_first(strftime('%Y-%m-%dT%H:%M:%fZ', '2026-05-01 12:00:00'))" 43667737804800000
answers "frazil_id('6SZcqCEQPK', 'base58')" 43667737804828673
answers "frazil_id('43667737804828673')" 43667737804828673
answers "frazil_time(NULL) IS NULL AND frazil_id(NULL) IS NULL AND frazil_within(1, NULL, 2) IS NULL" 1
answers "count(DISTINCT id) || ' ' || (min(id) < max(id)) FROM frazil_series(10000)" "10000 1"
answers "count(*) FROM frazil_series(0)" 0
answers "frazil_version()" "$(sed -n 's/^#define FRAZIL_VERSION "\(.*\)"/\1/p' "$tree/include/frazil.h")"
tail -n +2 "$tree/tests/vectors/public.tsv" | while IFS='	' read -r layout id time worker sequence _; do
    answers "frazil_time('$id', '$layout') || ' ' || frazil_worker('$id', '$layout') || ' ' || frazil_sequence('$id', '$layout')" \
        "$time $worker $sequence"
done
tail -n +2 "$tree/tests/vectors/text.tsv" | head -n 50 | while IFS='	' read -r id hex _ _ _ base62 _; do
    answers "frazil_text('$id', 'hex') || ' ' || frazil_text('$id', 'base62')" "$hex $base62"
done

echo "-- errors"
# refused SQL SENTENCE: it fails with a sentence that has these words.
refused() {
    if answer=$(sql "SELECT $1" 2>&1); then
        fail "SELECT $1: $answer, and no error"
    fi
    case $answer in
    *"$2"*) ;;
    *) fail "SELECT $1: $answer, and not: $2" ;;
    esac
}
refused "frazil_next(NULL)" "the name of the generator is NULL"
refused "frazil_next('Orders')" "is not a generator's name"
refused "frazil_time(-1)" "an id is not negative"
refused "frazil_time(1.5)" "not a REAL"
refused "frazil_time('12x')" "frazil: "
for call in "frazil_time(1, 'sno')" "frazil_first('2026-05-01', 'sno')" "frazil_within(1, 2, 3, 'sno')"; do
    refused "$call" "name a layout of 64-bit ids"
done
refused "frazil_time(1, 'nonsense')" "frazil: "
refused "frazil_time(1, NULL)" "the layout is NULL"
refused "frazil_first('yesterday')" "frazil: "
refused "frazil_first(datetime('2026-05-01'))" "for SQLite's own times use strftime('%Y-%m-%dT%H:%M:%fZ', ...)"
refused "frazil_first(unixepoch('2026-05-01'))" "looks like seconds: multiply it by 1000"
refused "frazil_within(43667737804828673, 1777593600, 1777680000)" "looks like seconds"
answers "frazil_first(0) || ' ' || frazil_first(-1) || ' ' || frazil_first(100000000000, 'twitter')" "0 0 0"
refused "frazil_first(1.5)" "a time is RFC 3339 text"
refused "frazil_text(1, 'base99')" "there is no text form 'base99'"
refused "frazil_id('1', 'base99')" "there is no text form 'base99'"
refused "frazil_id('18446744073709551615')" "keep it as text"
refused "id FROM frazil_series" "needs a number of ids"
refused "id FROM frazil_series(-1)" "0 or more"
refused "id FROM frazil_series('10')" "CAST(... AS INTEGER)"
refused "id FROM frazil_series(1, 'Orders')" "'Orders' is not a generator's name"
refused "id FROM frazil_series(1, NULL)" "the name of the generator is NULL"
export FRAZIL_SQLITE_SNO='layout=sno worker=fixed:1 state=memory'
refused "frazil_next('sno')" "choose a layout of 64-bit ids"
refused "id FROM frazil_series(1, 'sno')" "choose a layout of 64-bit ids"
unset FRAZIL_WORKER
refused "frazil_next()" "in the environment it is FRAZIL_WORKER"
export FRAZIL_WORKER=fixed:7
FRAZIL_SQLITE_LATE='layout=flake worker=fixed:0 state=memory clock=frozen:2040-01-01'
export FRAZIL_SQLITE_LATE
refused "frazil_next('late')" "move to a layout of 63 bits"
# shellcheck disable=SC2046,SC2089 # a list of numbers; quotes and backslashes are parts of the key
for key in 'max batch' '"a b"' "$(printf 'a\tb')" "$(printf 'max\nbatch')" "'a b'" 'a\ b' 'größe x' "$(printf 'a b %.0s' $(seq 1000))"; do
    FRAZIL_SQLITE_ODD="$key=10 worker=fixed:7"
    # shellcheck disable=SC2090 # likewise
    export FRAZIL_SQLITE_ODD
    refused "frazil_next('odd')" "unknown key"
done
for key in 'redis://me:tell nobody@h/x' 'x redis://me:nobody@h/x' 'token=a/b&x y://:nobody@h'; do
    FRAZIL_SQLITE_ODD="$key=10"
    # shellcheck disable=SC2090 # likewise
    export FRAZIL_SQLITE_ODD
    refused "frazil_next('odd')" "frazil: "
    case $answer in *nobody*) fail "a secret is shown: $answer" ;; esac
done
if FRAZIL_WORKER='redis://user:tellnobody@127.0.0.1:1/orders' sql 'SELECT frazil_next()' >secret 2>&1; then
    fail "no Redis, and no error"
fi
if grep -q tellnobody secret; then
    fail "a secret is shown: $(cat secret)"
fi

echo "-- ids of another layout are never misread without a word"
for call in 'time(1)' 'worker(1)' 'sequence(1)' 'parts(1)' "first('2026-05-01')" "within(1, '2026-05-01', '2026-06-01')"; do
    for variable in FRAZIL_LAYOUT=twitter "FRAZIL_SQLITE_MAIN=layout=twitter" "FRAZIL_LAYOUT=frazil epoch=2020-01-01"; do
        export "${variable%%=*}=${variable#*=}"
        worker=$FRAZIL_WORKER
        unset FRAZIL_WORKER # a program that only reads needs none
        refused "frazil_$call" "without a layout ids are read as frazil, and those of the generator 'main' are of another one"
        unset "${variable%%=*}"
        export FRAZIL_WORKER="$worker"
    done
done
export FRAZIL_SQLITE_AUDIT='layout=twitter worker=fixed:9'
answers "frazil_worker(id, 'twitter') FROM frazil_series(1, 'audit')" 9
refused "frazil_worker(frazil_next('audit'))" "those of the generator 'audit' are of another one"
FRAZIL_LAYOUT=twitter
export FRAZIL_LAYOUT
answers "frazil_worker(43667737804828673, 'frazil')" 7
unset FRAZIL_LAYOUT
FRAZIL_LAYOUT=41/10/12 # which is the default one
export FRAZIL_LAYOUT
answers "frazil_worker(43667737804828673)" 7
unset FRAZIL_LAYOUT

echo "-- nothing twice"
# shellcheck disable=SC2086 # a list of flags
"$cc" $warnings -O2 -DSQLITE_CORE -I. -o embedded "$here/tests/embedded.c" frazil_sqlite.c frazil.c -lsqlite3 -lpthread -ldl
./embedded embedded.db

echo "-- a layout that SQLite does not keep"
# shellcheck disable=SC2086 # a list of flags
"$cc" $warnings -O2 -DSQLITE_CORE -I. -o unkept "$here/tests/unkept.c" frazil_sqlite.c frazil.c -lsqlite3 -lpthread -ldl
./unkept

echo "-- from other languages, at once"
printf '%s\n' 'import sqlite3' 'db = sqlite3.connect(":memory:")' 'db.enable_load_extension(True)' 'db.load_extension("readme/frazil")' \
    'for (id,) in db.execute("SELECT id FROM frazil_series(10000)"): print(id)' >take.py
# shellcheck disable=SC2016 # variables of PHP
printf '%s\n' '<?php' '$db = new SQLite3(":memory:");' '$db->loadExtension("frazil.so");' \
    '$ids = $db->query("SELECT id FROM frazil_series(10000)");' 'while ($row = $ids->fetchArray()) echo $row[0], "\n";' >take.php
takers=
for python in python3 /usr/bin/python3; do
    "$python" -c 'import sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null || continue
    "$python" take.py >taken.python &
    takers="$takers $!"
    break
done
if php -r 'exit(class_exists("SQLite3") ? 0 : 1);' 2>/dev/null; then
    php -d "sqlite3.extension_dir=$PWD/readme" take.php >taken.php &
    takers="$takers $!"
fi
sql 'SELECT id FROM frazil_series(10000)' >taken.sqlite3
for taker in $takers; do
    wait "$taker" || fail "a program in another language cannot take ids"
done
[ -z "$(sort taken.* | uniq -d)" ] || fail "two languages took the same id"
wc -l taken.*
set -- taken.*
[ "$(cat "$@" | wc -l)" -eq "$(($# * 10000))" ] || fail "a program took other than 10000 ids"

echo "-- loads that fail"
# shellcheck disable=SC2086 # a list of flags
"$cc" $warnings -o loading "$here/tests/loading.c" -lsqlite3
./loading readme/frazil.so

echo "-- what measures"
ROUNDS=1 ROWS=1000 sh "$here/bench.sh" "$tree" readme/frazil.so >measured
[ "$(grep -c '^| .* ns |' measured)" -eq 7 ] || fail "bench.sh: $(cat measured)"
