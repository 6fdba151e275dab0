#!/bin/sh
# SPDX-License-Identifier: MIT
# keys.sh ROOT: the manual has the keys of coordinators' URLs as the tables in src/coordinators/ have them.
# - docs/coordinators/NAME.md has a row for each key, with its default and its range, and for no other.
# - frazil.spec(5) names behind each URL its own keys, and for all of them the common ones.
# shellcheck disable=SC2016 # awk has dollars, and Markdown has backquotes
set -eu
cd "$1"

# rows FILE: each row of the table of keys in it, as NAME DEFAULT LEAST MOST; "-" where there is none.
rows() {
    tr '\n' ' ' <"$1" | grep -oE '\{ *"[a-z_-]+", *FZ_URL_[A-Z_]+, *("[^"]*"|NULL), *("[^"]*"|NULL), *("[^"]*"|NULL),' |
        sed -E 's/\{ *"([a-z_-]+)", *[A-Z_]+, */\1 /; s/"//g; s/NULL/-/g; s/, */ /g; s/ $//'
}

# cells FILE: each row of the table "| key | default | range | ..." in it, likewise.
cells() {
    awk -F ' *[|] *' '
        /^\| key \| default \| range \|/ { inside = 1; next }
        !/^\|/ { inside = 0 }
        inside && $2 !~ /^-+$/ {
            for (i = 2; i <= 4; i++) { gsub(/`/, "", $i); if ($i == "") $i = "-" }
            if ($4 == "-") $4 = "- -"
            sub(/ to /, " ", $4)
            print $2, $3, $4
        }' "$1"
}

# named WORD: the keys that frazil.spec(5) names behind the URLs that begin with WORD.
named() {
    awk -v word="$1" '
        function keys(line) { sub(/^\.Cm /, "", line); gsub(/ *[,.]( |$)/, " ", line); print line }
        /^\.It / || /^\.El/ { inside = 0; behind = 0 }
        $1 == ".It" && $2 == "Cm" && index($3, word "://") == 1 { inside = 1 }
        inside && /^Keys:/ { behind = 1; next }
        inside && behind && /^\.Cm / { keys($0) }
        word == "" && /also have the keys$/ { behind = 1; next }
        word == "" && behind && /^\.Cm / { keys($0) }
        word == "" && /^They follow/ { behind = 0 }
    ' man/frazil.spec.5 | tr ' ' '\n' | sed '/^$/d' | sort -u
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# same WHERE: complains of what differs between the files wanted and found.
same() {
    if ! diff "$scratch/wanted" "$scratch/found" >"$scratch/difference"; then
        sed -n "s|^< \(.*\)|$1:1: lacks the key \1|p; s|^> \(.*\)|$1:1: has \1, which is not in the table of keys|p" \
            "$scratch/difference"
        failed=1
    fi
}

[ -e src/coordinators/common/url.c ] && rows src/coordinators/common/url.c | sort >"$scratch/common"
[ -s "$scratch/common" ] || { echo "no table of keys found"; exit 1; }
for source in src/coordinators/*/*_url.c; do
    name=$(basename "$(dirname "$source")")
    rows "$source" | sort >"$scratch/own"
    sort "$scratch/own" "$scratch/common" >"$scratch/wanted"
    cells "docs/coordinators/$name.md" | sort >"$scratch/found"
    same "docs/coordinators/$name.md"
    sed 's/ .*//' "$scratch/own" | sort >"$scratch/wanted"
    scheme=$name
    [ "$name" != postgresql ] || scheme=postgres
    named "$scheme" >"$scratch/found"
    same man/frazil.spec.5
done
sed 's/ .*//' "$scratch/common" | sort >"$scratch/wanted"
named "" >"$scratch/found"
same man/frazil.spec.5
exit "$failed"
