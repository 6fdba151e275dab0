#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh TREE [EXTENSION]: measures in one run what an id costs in SQLite, beside its own random() and its own row numbers.  It prints
# tables for docs/performance.md: processor time, the least of the rounds.  Each round measures every line once.
set -eu

tree=$(realpath "$1")
rounds=${ROUNDS:-7}
rows=${ROWS:-300000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

extension=${2:+$(realpath "$2")}
cd "$scratch"
if [ -n "$extension" ]; then
    cp "$extension" frazil.so
else
    sh "$tree/tools/amalgamate" . >/dev/null
    sh "$tree/databases/sqlite/amalgamate" . >/dev/null
    cc -O2 -shared -fPIC -fvisibility=hidden -DFRAZIL_API= -o frazil.so frazil_sqlite.c frazil.c -lpthread -ldl
fi
# Ids to spare: no call waits for the next millisecond.
export FRAZIL_SQLITE_MAIN='layout=39/1/23 worker=fixed:1 state=memory'

# seconds NAME SQL [BEFORE]: a line "NAME TAB SECONDS" for the statement, after BEFORE, in a database of its own.
seconds() {
    rm -f bench.db*
    printf '%s\n' '.load ./frazil' 'PRAGMA synchronous = OFF;' "${3:-SELECT 1};" '.timer on' "$2;" | sqlite3 -batch -bail bench.db >out
    awk -v name="$1" '/^Run Time/ { cpu = $6 + $8 } END { printf "%s\t%.6f\n", name, cpu }' out
}

numbers="WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < $rows)"
# eight CALL: a statement that calls it eight times a row.
eight() {
    echo "$numbers SELECT max(max($1, $1, $1, $1, $1, $1, $1, $1)) FROM c"
}

# insert NAME COLUMN COLUMNS VALUES [OPTION]
insert() {
    seconds "$1" "$numbers INSERT INTO t ($3) SELECT $4 FROM c" "CREATE TABLE t ($2, n INT) ${5:-}"
}

# shellcheck disable=SC2016 # names in Markdown's quotes
measure() {
    seconds '-' "$(eight n)"
    seconds '`frazil_next()`' "$(eight 'frazil_next()')"
    seconds '`random()`, which makes nothing unique' "$(eight 'random()')"
    insert 'SQLite numbers the rows' 'id INTEGER PRIMARY KEY' n n
    insert '`INTEGER PRIMARY KEY`, `VALUES (frazil_next(), ...)`' 'id INTEGER PRIMARY KEY' id,n 'frazil_next(),n'
    insert '`INTEGER PRIMARY KEY`, `VALUES (random(), ...)`' 'id INTEGER PRIMARY KEY' id,n 'random(),n'
    insert '`INTEGER PRIMARY KEY DEFAULT (frazil_next())`, `WITHOUT ROWID`' 'id INTEGER PRIMARY KEY DEFAULT (frazil_next())' n n 'WITHOUT ROWID'
    insert '`INT PRIMARY KEY DEFAULT (frazil_next())`' 'id INT PRIMARY KEY DEFAULT (frazil_next())' n n
}

round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    measure
done >measured

awk -F '\t' -v rows="$rows" '
    !($1 in least) { name[++names] = $1 }
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END {
        own = (least[name[3]] - least["-"]) / rows / 8
        print "| eight calls a row, the row taken off | a call | × `random()` | target |\n|---|---:|---:|---|"
        for (i = 2; i <= 3; i++) {
            call = (least[name[i]] - least["-"]) / rows / 8
            target = i == 2 ? (call <= own / 2 ? "✓ at most 0.5 × `random()`" : "**missed**: at most 0.5 × `random()`") : ""
            printf "| %s | %.1f ns | %.2f | %s |\n", name[i], call * 1e9, (own > 0 ? call / own : 0), target
        }
        own = least[name[4]]
        printf "\n| %d inserts in one transaction | a row | × those that SQLite numbers |\n|---|---:|---:|\n", rows
        for (i = 4; i <= names; i++)
            printf "| %s | %.0f ns | %.2f |\n", name[i], least[name[i]] / rows * 1e9, (own > 0 ? least[name[i]] / own : 0)
    }' measured
