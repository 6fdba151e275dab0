#!/bin/sh
# SPDX-License-Identifier: MIT
# tables.sh ROOT: whoever cannot read the tables of src/ agrees with them: neither a name less nor one more.
# - The manual and docs/worker-ids.md name each source and each behaviour.
# - Node knows each key.
# - frazild.conf(5) has each key of the daemon.
# - frazil(1) has each warning and each failure of the doctor.
# - Each kind of coordinator has its page, its function, its package; and each of those has its row.
set -eu
cd "$1"

# rows FILE MACRO: what stands between the brackets of each X(...) of a macro, a row a line.
rows() {
    [ ! -e "$1" ] || awk -v macro="#define $2(X)" '
        index($0, macro) == 1 { inside = 1; next }
        inside && /^ *X\(/ { row = $0; sub(/^ *X\(/, "", row); print row }
        inside && !/\\$/ { exit }' "$1"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rows src/config/behaviours.h FZ_BEHAVIOURS | sed 's/[^"]*"\([^"]*\)".*/\1/' >"$scratch/behaviours"
rows src/config/worker_sources.h FZ_WORKER_SOURCES | sed 's/[^"]*"\([^"]*\)", *"\(:\{0,1\}\).*/\1\2/; /^$/d' >"$scratch/sources"
rows src/config/coordinators.h FZ_COORDINATORS | sed 's/^\([a-z]*\), *"\([^" ]*\).*/\1 \2/' >"$scratch/kinds"
for table in behaviours sources kinds; do
    [ -s "$scratch/$table" ] || { echo "no table of $table found"; exit 1; }
done
cut -d ' ' -f 1 "$scratch/kinds" | grep -vx file | sort >"$scratch/clients"

# complain SENTENCE: also behind a pipe, where a variable would be lost.
complain() {
    echo "$1"
    : >"$scratch/failed"
}

# same WHERE WHAT TABLE: the words of standard input are those of the table.
same() {
    tr ' ' '\n' | sed '/^$/d' | sort >"$scratch/found"
    sort "$scratch/$3" >"$scratch/wanted"
    for word in $(comm -23 "$scratch/wanted" "$scratch/found"); do complain "$1:1: lacks the $2 $word"; done
    for word in $(comm -13 "$scratch/wanted" "$scratch/found"); do complain "$1:1: has $word, which is no $2 of the table"; done
}

# ---- the manual --------------------------------------------------------------------

while read -r source; do
    grep -qE "(^| )(\.(It )?)?Cm ${source%:}( |$)" man/frazil.spec.5 || complain "man/frazil.spec.5:1: lacks the source $source"
    grep -qF "\`$source" docs/worker-ids.md || complain "docs/worker-ids.md:1: lacks the source $source"
done <"$scratch/sources"
while read -r behaviour; do
    grep -qE "^\.(It )?Cm ([a-z-]+ , )*$behaviour( |$)" man/frazil.spec.5 || complain "man/frazil.spec.5:1: lacks the behaviour $behaviour"
done <"$scratch/behaviours"

# ---- bindings that take a language's own values -------------------------------------

rows src/config/keys.h FZ_KEYS | awk -F ', *' '{ gsub(/"/, "", $2); print $2 }' >"$scratch/keys"
sed -n '/^export interface Options /,/^}/s/^  \([a-zA-Z]*\)?: .*/\1/p' bindings/node/index.d.ts | sed 's/[A-Z]/_\l&/g' | grep -vx spec |
    same bindings/node/index.d.ts key keys

# ---- the daemon ----------------------------------------------------------------------------

sed -n 's/^ *X([a-z]*, *\([a-z_]*\), .*/\1/p' programs/frazild/settings_keys.h 2>/dev/null | while read -r key; do
    grep -qE "^\.It Cm $key Ns = " man/frazild.conf.5 || complain "man/frazild.conf.5:1: lacks the key $key"
done

# ---- the doctor ------------------------------------------------------------------------------

rows src/admin/doctor_findings.h FZ_FINDINGS | tr -d '\\" )' | awk -F , -v to="$scratch/" '
    $2 == "WARN" { print $3 >(to "warnings") }
    $2 == "FAIL" { print $3 >(to "failures") }'
# listed WORD: the findings of this kind behind their subject, as the page has them.
listed() {
    awk -v kind="$1:" '
        /^\.S[hs] / { inside = /^\.Ss doctor$/ }
        inside && /^\.It Cm / { subject = $3; is_kind = 0 }
        inside && !/^\./ {
            for (i = 1; i <= NF; i++) {
                if ($i ~ /:$/) { is_kind = $i == kind; continue }
                name = $i
                if (is_kind && sub(/[,.]$/, "", name)) print subject "." name
                if ($i ~ /\.$/) is_kind = 0
            }
        }' man/frazil.1
}
listed Warnings | same man/frazil.1 warning warnings
listed Failures | same man/frazil.1 failure failures

# ---- coordinators ----------------------------------------------------------------------

for schemes in $(rows src/config/coordinators.h FZ_COORDINATORS | sed 's/^[^"]*"\([^"]*\)".*/\1/'); do
    grep -qF "Cm $schemes://" man/frazil.spec.5 || complain "man/frazil.spec.5:1: lacks the URLs $schemes://"
done
while read -r kind; do
    for page in "docs/coordinators/$kind.md" "src/coordinators/$kind/CMakeLists.txt" "debian/libfrazil-${kind}1.install" \
        "debian/libfrazil-${kind}1.symbols" "tests/lib/kind_$kind.c"; do
        [ -e "$page" ] || complain "$page:1: is missing"
    done
    grep -qF "($kind.md)" docs/coordinators/README.md || complain "docs/coordinators/README.md:1: does not lead to $kind.md"
done <"$scratch/clients"
while read -r kind _; do
    grep -q "frazil_coordinator_$kind(" include/frazil/coordinators.h || complain "include/frazil/coordinators.h:1: lacks frazil_coordinator_$kind"
done <"$scratch/kinds"
find src/coordinators -mindepth 1 -maxdepth 1 -type d | sed 's|.*/||' | grep -vxE 'common|compat|file' | same src/coordinators coordinator clients
find docs/coordinators -name '*.md' | sed 's|.*/||; s/\.md$//' | grep -vxE 'README|file' | same docs/coordinators coordinator clients
sed -n 's/^Package: libfrazil-\([a-z]*\)1$/\1/p' debian/control | grep -vxE 'admin|extras|opaque' | same debian/control package clients
[ ! -e "$scratch/failed" ]
