#!/bin/sh
# SPDX-License-Identifier: MIT
# shapes.sh [--update] ROOT: the public structs have the sizes and their members the places, and the functions the types,
# that shapes.txt says: programs and bindings elsewhere are compiled against them, or wrote them down by hand.
#
# Three things may change within a minor version: a member takes the place of bytes that were reserved; a struct that is asked for
# together with its size grows at its end; a function or a struct is added.  Then: `make update-symbols`, and commit the
# list with it.  Any other difference breaks programs that are compiled already.
# shellcheck disable=SC2016 # awk has dollars too
set -eu

here=$(dirname "$(realpath "$0")")
update=no
if [ "$1" = --update ]; then
    update=yes
    shift
fi
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

headers=$(find include -name '*.h' | LC_ALL=C sort)

# tags KIND: the functions (p) or members (m) of all public headers, as ctags knows them.
tags() {
    # shellcheck disable=SC2086 # a list of files
    ctags --quiet --options=NONE -f - --sort=no --languages=C --langmap=C:.h "--kinds-C=$1" --fields=+St \
        -I FRAZIL_API,FRAZIL_BEGIN_DECLS,FRAZIL_CHECK,FRAZIL_NONNULL+ $headers
}

# A bool or an enum has another width in other languages, or with other options of a compiler.
vague=$(tags m | awk -F '\t' '$0 ~ /\ttyperef:(typename:(bool|_Bool)|enum:)/ { print $1 }')
[ -z "$vague" ] || { echo "members without a fixed width: $(echo "$vague" | tr '\n' ' ')" && exit 1; }

# A program that says the places.
{
    printf '#include <stdio.h>\n#include <stddef.h>\n'
    echo "$headers" | sed 's|^include/\(.*\)|#include <\1>|'
    printf 'int main(void)\n{\n'
    tags m | awk -F '\t' '
        { owner = ""; for (i = 4; i <= NF; i++) if ($i ~ /^struct:/) owner = substr($i, 8) }
        owner == "" || owner ~ /__anon/ { next }
        !(owner in seen) { seen[owner]; printf "    printf(\"struct %s, %%zu bytes\\n\", sizeof(struct %s));\n", owner, owner }
        { printf "    printf(\"    %s at %%zu, %%zu bytes\\n\", offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));\n", $1, owner, $1, owner, $1 }'
    printf '    return 0;\n}\n'
} >"$scratch/shapes.c"
"${CC:-cc}" -std=c11 -Iinclude -o "$scratch/shapes" "$scratch/shapes.c"
{
    "$scratch/shapes"
    tags p | awk -F '\t' '
        { type = arguments = ""
          for (i = 4; i <= NF; i++) {
              if ($i ~ /^typeref:/) { type = $i; sub(/^typeref:[a-z]*:/, "", type) }
              if ($i ~ /^signature:/) arguments = substr($i, 11)
          }
          print type " " $1 arguments }' | LC_ALL=C sort
} >"$scratch/shapes.txt"
for kind in '^struct ' '('; do
    grep -q "$kind" "$scratch/shapes.txt" || { echo "no struct or no function found" && exit 1; }
done

if [ "$update" = yes ]; then
    cp "$scratch/shapes.txt" "$here/shapes.txt"
elif ! diff "$here/shapes.txt" "$scratch/shapes.txt"; then
    echo "tests/conformance/shapes.txt: what programs are compiled against has changed (< before, > now); shapes.sh says what may"
    exit 1
fi
