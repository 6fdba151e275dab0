#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: each file answers in a real server what the command frazil answers, for every preset.
set -eu

tree=$1
here=$tree/databases/sql
frazil=$2/bin/frazil
scratch=$(mktemp -d)
chmod 755 "$scratch"
servers=
cleanup() {
    for server in $servers; do
        kill "$server" 2>/dev/null || continue
        wait "$server" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap cleanup EXIT

fail() {
    echo "$1" >&2
    exit 1
}

# as USER COMMAND...: servers refuse to run as root.
as() {
    user=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then
        exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
    else
        exec "$@"
    fi
}

# answered COMMAND...: waits until it succeeds.
answered() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 3000 ] || fail "no answer: $*"
        sleep 0.1
    done
}

# owned USER FOLDER: makes a folder of that user's.
owned() {
    mkdir "$2"
    [ "$(id -u)" -ne 0 ] || chown "$1:" "$2"
}

start_postgresql() {
    bindir=$(dirname "$(find /usr/lib/postgresql -path '*/bin/initdb' | sort -V | tail -n 1)")
    owned postgres "$scratch/pg"
    (as postgres "$bindir/initdb" -D "$scratch/pg/data" -U owner -A trust -N >"$scratch/initdb.log")
    (as postgres "$bindir/postgres" -D "$scratch/pg/data" -k "$scratch/pg" -c listen_addresses= -F >"$scratch/pg.log" 2>&1) &
    servers="$servers $!"
    export PGHOST="$scratch/pg" PGUSER=owner PGDATABASE=postgres PGTZ=UTC
    unset PGPORT
    answered psql -c 'SELECT 1'
}

mariadb() {
    command mariadb --defaults-file="$scratch/my.cnf" "$@"
}

start_mariadb() {
    owned mysql "$scratch/my"
    (as mysql mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db \
        --datadir="$scratch/my/data" --tmpdir="$scratch/my" >"$scratch/install.log" 2>&1) || { cat "$scratch/install.log" >&2; exit 1; }
    (as mysql mariadbd --no-defaults --datadir="$scratch/my/data" --socket="$scratch/my/socket" --skip-networking \
        --tmpdir="$scratch/my" --pid-file="$scratch/my/pid" >"$scratch/my.log" 2>&1) &
    servers="$servers $!"
    printf '[client]\nuser=root\nsocket=%s\n' "$scratch/my/socket" >"$scratch/my.cnf"
    answered mariadb -e 'SELECT 1'
    mariadb -e 'CREATE DATABASE app'
}

# Times, workers and sequences: the ends of the presets' fields, and some by chance, the same ones each time.
fields() {
    for time in 2026-05-01T12:00:00.123Z 2031-02-28T23:59:59.999Z; do
        for numbers in "0 0" "1 1" "31 127" "777 200"; do
            echo "$time $numbers"
        done
    done
    awk 'BEGIN {
        srand(1)
        for (n = 0; n < 60; n++) print int(rand() * 2 ^ 42), int(rand() * 2 ^ int(rand() * 17)), int(rand() * 2 ^ int(rand() * 17))
    }'
}

# Ids of each preset, with what the command says of them: layout, id, Unix milliseconds, worker, sequence.  Not all fields
# fit each, nor all ids bigint.
expected() {
    fields >"$scratch/fields"
    "$frazil" layout | awk 'NR > 1 && $1 != "sno" { print $1 }' | while read -r layout; do
        while read -r time worker sequence; do
            id=$("$frazil" compose -l "$layout" --time "$time" -w "$worker" -s "$sequence" 2>/dev/null) || continue
            [ "$id" -ge 0 ] 2>/dev/null || continue
            echo "$id"
        done <"$scratch/fields" | xargs "$frazil" inspect --layout "$layout" --json |
            sed 's/.*"id":"\([0-9]*\)","layout":"\([^"]*\)".*"unix_ms":\([0-9]*\),.*"worker":\([0-9]*\),.*"sequence":\([0-9]*\).*/\2 \1 \3 \4 \5/'
    done
}

# compare WHAT QUERY...: QUERY LAYOUT ID prints Unix milliseconds, worker and sequence for the ids on standard input.
compare() {
    diff "$scratch/expected" "$scratch/$1" >"$scratch/difference" || { head -n 10 "$scratch/difference" >&2; fail "$1 says something else than the command"; }
}

echo "-- the READMEs"
start_postgresql
start_mariadb
mkdir "$scratch/readme"
cp "$here"/*.sql "$scratch/readme"
(cd "$scratch/readme" && awk '/^\$ cat / { file = $3; next } /^[$`]/ { file = "" } file { print > file }' "$here/README.md")
for kind in postgresql mariadb sqlite; do
    bash -euc '
        . "$1/tests/cli/transcripts.bash"
        client=$3/my.cnf
        mariadb() { command mariadb --defaults-file="$client" "$@"; }
        cd "$3/readme"
        blocks "console $4" "$2/README.md" >../shown
        replay <../shown >../printed
    ' - "$tree" "$here" "$scratch" "$kind"
    [ "$(grep -c '^\$ ' "$scratch/shown")" -ge 3 ] || fail "README.md shows nothing of $kind"
    diff "$scratch/shown" "$scratch/printed" || fail "README.md shows something else than $kind does"
done

echo "-- run again, also after it was removed"
mariadb app <"$here/mariadb.sql"
mariadb app -e "CREATE USER reader; GRANT EXECUTE ON FUNCTION app.frazil_time TO reader"
for n in 1 2; do
    psql -q -v ON_ERROR_STOP=1 -f "$here/postgresql.sql" || fail "PostgreSQL: run $n fails"
    mariadb app <"$here/mariadb.sql" || fail "MariaDB: run $n fails"
    sqlite3 -bail "$scratch/readme/app.db" <"$here/sqlite.sql" || fail "SQLite: run $n fails"
    mariadb app -e "REPLACE INTO frazil_layout SELECT 'ours', epoch, tick, bits, time_shift, worker_shift, worker_bits, sequence_shift, sequence_bits FROM frazil_layout WHERE name = 'frazil'"
done
[ "$(mariadb -N app -e "SELECT frazil_worker(43667737804828673, 'ours')")" = 7 ] || fail "MariaDB: a layout of one's own is gone"
mariadb -e 'SHOW GRANTS FOR reader' | grep -q 'EXECUTE ON FUNCTION' || fail "MariaDB: a grant is gone"

echo "-- the file as MySQL reads it, twice, and the query of its bounds"
sed 's|/[*]M![^*]*[*]/||; s|/[*]!80000 \([^*]*\)[*]/|\1|' "$here/mariadb.sql" >"$scratch/mysql.sql"
grep 'CREATE *OR *REPLACE' "$scratch/mysql.sql" && fail "MySQL replaces no function"
mariadb -e 'CREATE DATABASE as_mysql; CREATE TABLE as_mysql.orders SELECT * FROM app.orders'
for n in 1 2; do
    mariadb as_mysql <"$scratch/mysql.sql" || fail "as MySQL reads it, run $n fails"
done
awk '/^```/ { inside = $0 == "```sql"; next } inside' "$here/README.md" >"$scratch/bounds.sql"
[ "$(mariadb -N as_mysql <"$scratch/bounds.sql")" = 43667737804828673 ] || fail "MySQL: the query of the README finds something else"

echo "-- the answers of the command"
expected >"$scratch/expected"
[ "$(wc -l <"$scratch/expected")" -ge 200 ] || fail "too few ids: $(wc -l <"$scratch/expected")"
while read -r layout id _; do
    printf "SELECT '%s', %s, (extract(epoch FROM frazil_time(%s, '%s')) * 1000)::bigint, frazil_worker(%s, '%s'), frazil_sequence(%s, '%s');\n" \
        "$layout" "$id" "$id" "$layout" "$id" "$layout" "$id" "$layout"
done <"$scratch/expected" | psql -AtqF ' ' >"$scratch/PostgreSQL"
compare PostgreSQL
while read -r layout id _; do
    printf "SELECT CONCAT_WS(' ', '%s', %s, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', frazil_time(%s, '%s')) DIV 1000, frazil_worker(%s, '%s'), frazil_sequence(%s, '%s'));\n" \
        "$layout" "$id" "$id" "$layout" "$id" "$layout" "$id" "$layout"
done <"$scratch/expected" | mariadb -N app >"$scratch/MariaDB"
compare MariaDB
while read -r layout id _; do
    printf "SELECT name, %s, (%s >> time_shift) * tick + epoch, (%s >> worker_shift) & ((1 << worker_bits) - 1), (%s >> sequence_shift) & ((1 << sequence_bits) - 1) FROM frazil_layout WHERE name = '%s';\n" \
        "$id" "$id" "$id" "$id" "$layout"
done <"$scratch/expected" | sqlite3 -separator ' ' "$scratch/readme/app.db" >"$scratch/SQLite"
compare SQLite

echo "-- the first id of a time"
awk '{ print $1 }' "$scratch/expected" | sort -u >"$scratch/layouts"
while read -r layout; do
    first=$("$frazil" range --layout "$layout" 2026-05-01 2026-05-01 | head -n 1)
    [ "$(psql -Atc "SELECT frazil_first('2026-05-01Z', '$layout')")" = "$first" ] || fail "PostgreSQL: frazil_first of $layout"
    [ "$(mariadb -N app -e "SELECT frazil_first('2026-05-01', '$layout')")" = "$first" ] || fail "MariaDB: frazil_first of $layout"
done <"$scratch/layouts"
# postgresql SQL ANSWER, mariadb_says SQL ANSWER: what a query answers; errors count as answers.
postgresql() {
    answer=$(psql -Atqc "SELECT $1" 2>&1) || true
    [ "$answer" = "$2" ] || fail "PostgreSQL: SELECT $1: $answer, and not $2"
}
mariadb_says() {
    answer=$(mariadb -N app -e "SELECT $1" 2>&1 | tr '\t' '|')
    [ "$answer" = "$2" ] || fail "MariaDB: SELECT $1: $answer, and not $2"
}
postgresql "frazil_first('infinity'), frazil_first('-infinity'), frazil_first('1969-01-01Z')" '9223372036854775807|0|0'
postgresql "frazil_first('9999-01-01Z'), frazil_first('9999-01-01Z', 'js53')" '9223372036854775807|9007199254740992'
mariadb_says "frazil_first('1969-01-01', 'frazil'), frazil_first(NULL, 'frazil')" '0|NULL'
mariadb_says "frazil_first('9999-12-31', 'frazil'), frazil_first('9999-12-31', 'flake'), frazil_first('9999-12-31', 'js53')" \
    '9223372036854775808|18446744073709551615|9007199254740992'
# What is no date is no end, which would bound all ids; a NULL bounds none.
for mode in '' @@GLOBAL.sql_mode; do
    for time in "'0000-00-00'" "'2026-05-00'" 0 "''" "'garbage'" "'2026-02-30'" "'2026-13-01'" "CAST('garbage' AS DATETIME)"; do
        for call in "frazil_first($time, 'frazil')" "frazil_within(1, '2026-05-01', $time, 'frazil')"; do
            # In a statement that changes rows, as there the mode of strict tables counts.
            mariadb -N app -e "SET sql_mode = ${mode:-''}; CREATE OR REPLACE TABLE kept AS SELECT 1 AS id; DELETE FROM kept WHERE id < $call" >"$scratch/out" 2>&1 || true
            [ "$(mariadb -N app -e 'SELECT count(*) FROM kept')" = 1 ] || fail "MariaDB, sql_mode ${mode:-none}: $call is an end: $(cat "$scratch/out")"
        done
    done
done
mariadb app -e "SELECT frazil_first('0000-00-00', 'frazil')" >"$scratch/out" 2>&1 && fail "MariaDB: 0000-00-00 has a first id"
grep -q 'the time is no date' "$scratch/out" || fail "MariaDB: $(cat "$scratch/out")"
mariadb_says "frazil_within(43667737804828673, NULL, '2026-05-02', 'frazil'), frazil_within(43667737804828673, '2026-05-01', NULL, 'frazil')" 'NULL|NULL'
postgresql "frazil_first(NULL), frazil_within(frazil_first('2026-05-01Z'), '2026-05-01Z', NULL)" '|'
psql -c "SELECT frazil_first('2026-02-30')" >"$scratch/out" 2>&1 && fail "PostgreSQL: 2026-02-30 has a first id"
# sqlite_range FROM TO: how many rows the query of the README finds between these times.
sqlite_range() {
    sed "s/'2026-05-01'/$1/; s/'2026-05-02'/$2/" "$scratch/readme/range.sql" | sqlite3 "$scratch/readme/app.db" | wc -l
}
while read -r from to rows; do
    [ "$(sqlite_range "$from" "$to")" = "$rows" ] || fail "SQLite: from $from to $to: $(sqlite_range "$from" "$to") rows, and not $rows"
done <<'END'
'2026-05-01' '2026-05-02' 1
'1900-01-01' '9999-01-01' 1
'9999-01-01' '9999-02-01' 0
NULL '2026-05-02' 0
'2026-05-01' 'garbage' 0
'2026-05-01' '2026-05-00' 0
'2026-04-31' '2026-05-02' 1
'2026' '2026-05-02' 1
END
# Names of the user's own table do not meet those of the view.
sqlite3 "$scratch/readme/app.db" 'ALTER TABLE orders ADD COLUMN name' 'ALTER TABLE orders ADD COLUMN epoch' 'ALTER TABLE orders ADD COLUMN tick'
[ "$(sqlite3 "$scratch/readme/app.db" <"$scratch/readme/fields.sql")" = '2026-05-01T12:00:00.000Z|7|1' ] || fail "SQLite: a column of the user's is taken for the layout's"
# A time within a tick has the first id of the next one.
postgresql "frazil_time(frazil_first('2026-05-01 00:00:00.000001Z'), 'frazil')" '2026-05-01 00:00:00.001+00'
mariadb_says "frazil_time(frazil_first('2026-05-01 00:00:00.000001', 'frazil'), 'frazil')" '2026-05-01 00:00:00.001'
postgresql "frazil_time(frazil_first('2026-05-01 00:00:00.001Z', 'sonyflake'), 'sonyflake')" '2026-05-01 00:00:00.01+00'
mariadb_says "frazil_time(frazil_first('2026-05-01 00:00:00.001', 'sonyflake'), 'sonyflake')" '2026-05-01 00:00:00.010'
# The time zone of the session changes nothing.
postgresql "frazil_first('2026-05-01 09:00:00+09') FROM set_config('TimeZone', 'Asia/Tokyo', false)" 43486543872000000
mariadb -N app -e "SET time_zone = '+09:00'; SELECT frazil_first('2026-05-01', 'frazil')" | grep -qx 43486543872000000 ||
    fail "MariaDB: the first id is another in another time zone"

echo "-- far times, and what is no id of the layout"
postgresql "frazil_time(9223372036854775807, 'mastodon')" '6429-10-17 02:45:55.327+00'
mariadb_says "frazil_time(9223372036854775807, 'mastodon')" '6429-10-17 02:45:55.327'
# refused POSTGRESQL|MARIADB WORDS: each of the three functions says so of that id.
refused() {
    for function in frazil_time frazil_worker frazil_sequence; do
        case $1 in
        postgresql) psql -c "SELECT $function($2)" ;;
        mariadb) mariadb app -e "SELECT $function($2)" ;;
        esac >"$scratch/out" 2>&1 && fail "$1: $function($2) answers"
        grep -q "$3" "$scratch/out" || fail "$1: $function($2): $(cat "$scratch/out")"
    done
}
refused postgresql -1 'an id is not negative'
refused postgresql "9007199254740992, 'js53'" 'has bits above the fields of the layout js53'
refused mariadb "-1, 'frazil'" 'Out of range'
refused mariadb "9223372036854775808, 'twitter'" 'has bits above the fields of the layout'
refused mariadb "9007199254740992, 'js53'" 'has bits above the fields of the layout'

echo "-- PostgreSQL: in parallel queries, and in generated columns and indexes that are dumped and restored"
psql -q <<'END'
CREATE TABLE many AS SELECT frazil_first('2026-05-01Z') + n AS id FROM generate_series(0, 9999) AS n;
ANALYZE many;
CREATE TABLE kept (id bigint PRIMARY KEY, at timestamptz GENERATED ALWAYS AS (frazil_time(id)) STORED);
INSERT INTO kept VALUES (43667737804828673);
CREATE INDEX ON kept (frazil_worker(id), frazil_sequence(id));
CREATE INDEX ON kept (id) WHERE frazil_within(id, '2026-05-01Z', '2026-05-02Z');
CREATE DATABASE restored;
END
parallel="SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0"
psql -qAtc "$parallel; EXPLAIN SELECT count(*) FROM many WHERE frazil_worker(id) = 1" | grep -q 'Parallel Seq Scan' ||
    fail "PostgreSQL does not run the query in parallel"
[ "$(psql -qAtc "$parallel; SELECT count(*) FROM many WHERE frazil_worker(id) = 1" 2>&1)" = 4096 ] ||
    fail "PostgreSQL: a parallel query: $(psql -qAtc "$parallel; SELECT count(*) FROM many WHERE frazil_worker(id) = 1" 2>&1)"
pg_dump postgres >"$scratch/dump.sql"
psql -q -v ON_ERROR_STOP=1 -d restored -f "$scratch/dump.sql" >"$scratch/out" 2>&1 || fail "PostgreSQL: a dump is not restored: $(cat "$scratch/out")"
[ "$(psql -Atd restored -c 'SELECT id, at FROM kept')" = '43667737804828673|2026-05-01 12:00:00+00' ] || fail "PostgreSQL: the restored table has other rows"
psql -qAtc "SET search_path = ''; SET enable_bitmapscan = off; EXPLAIN SELECT FROM public.orders WHERE public.frazil_within(id, '2026-05-01Z', '2026-05-02Z')" >/dev/null ||
    fail "PostgreSQL does not find frazil_first without a search path"

echo "-- PostgreSQL: in a schema of the user's own, which is another one for each caller"
psql -q -c 'CREATE DATABASE shared' -c 'CREATE ROLE maker LOGIN' -c 'CREATE ROLE caller LOGIN'
psql -qd shared -c 'CREATE SCHEMA maker AUTHORIZATION maker' -c 'GRANT USAGE ON SCHEMA maker TO caller'
psql -qd shared -U maker -v ON_ERROR_STOP=1 -f "$here/postgresql.sql" || fail "PostgreSQL: the file fails in a schema of the user's own"
called=$(psql -Atd shared -U caller -c "SELECT maker.frazil_worker(43667737804828673), maker.frazil_within(43667737804828673, '2026-05-01Z', '2026-05-02Z')" 2>&1) || true
[ "$called" = '7|t' ] || fail "PostgreSQL: another user calls the functions: $called"

echo "-- where the extension is, PostgreSQL makes nothing"
psql -qc 'CREATE DATABASE extended'
psql -qd extended -c 'SET allow_system_table_mods = on' -c "INSERT INTO pg_extension SELECT 99999, 'frazil', 10, 2200, false, '1.0'"
psql -qd extended -f "$here/postgresql.sql" >"$scratch/out" 2>&1 || true
grep -q 'this database has the extension frazil' "$scratch/out" || fail "PostgreSQL: $(cat "$scratch/out")"
[ "$(psql -Atd extended -c "SELECT count(*) FROM pg_proc WHERE proname LIKE 'frazil%'")" = 0 ] || fail "PostgreSQL: functions beside the extension's"

echo "-- indexes are used, and a layout that is none is an error"
psql -qAtc 'INSERT INTO orders SELECT n FROM generate_series(1, 10000) AS n; ANALYZE orders'
psql -qAtc "SET enable_bitmapscan = off; EXPLAIN SELECT FROM orders WHERE frazil_within(id, '2026-05-01Z', '2026-05-02Z')" | grep -q 'Index Cond' ||
    fail "PostgreSQL does not use the index"
mariadb app -e "INSERT INTO orders SELECT seq FROM seq_1_to_10000"
mariadb -N app -e "EXPLAIN SELECT id FROM orders WHERE id >= frazil_first('2026-05-01', 'frazil') AND id < frazil_first('2026-05-02', 'frazil')" |
    grep -q "range.*PRIMARY" || fail "MariaDB does not use the index"
if psql -c "SELECT frazil_time(1, 'nonsense')" >"$scratch/out" 2>&1; then fail "PostgreSQL takes any layout"; fi
grep -q 'there is no layout "nonsense"' "$scratch/out" || fail "$(cat "$scratch/out")"
for call in "frazil_time(1, 'nonsense')" "frazil_worker(1, 'nonsense')" "frazil_sequence(1, 'nonsense')" "frazil_first('2026-01-01', 'nonsense')"; do
    if mariadb app -e "SELECT $call" >"$scratch/out" 2>&1; then fail "MariaDB takes any layout: $call"; fi
    grep -q 'there is no such layout' "$scratch/out" || fail "$(cat "$scratch/out")"
done
