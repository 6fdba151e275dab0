#!/bin/sh
# SPDX-License-Identifier: MIT
# first-lines.sh ROOT [LANGUAGE...]: types what README.md shows under "First lines in your language", in a copy of the source
# tree, as a clone is.  Each must end with an id.  A LANGUAGE is a word of its summary, such as Go; without one it is all of them.
# One whose tools are not here is left out, which TEST_SKIP_NOTHING=1 makes a failure.
set -eu

root=$(realpath "$1")
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC2046 # a list of names
unset $(env | sed -n 's/^\(FRAZIL_[A-Z_]*\)=.*/\1/p') 2>/dev/null || true

# Each block into a folder N with its file, `typed`, and `summary`.
awk -v out="$scratch" '
    /^<details name="language">/ { n++; dir = out "/" n; system("mkdir " dir) }
    /^<\/details>/ { dir = "" }
    dir == "" { next }
    /^<summary>/ {
        file = match($0, /<code>[^<]*/) ? substr($0, RSTART + 6, RLENGTH - 6) : ""
        if (file != "") print file >(dir "/name")
        gsub(/<[^>]*>/, ""); print >(dir "/summary")
        next
    }
    /^```/ { to = to != "" ? "" : $0 == "```sh" ? dir "/typed" : dir "/file"; next }
    to != "" { print >to }
' "$root/README.md"

# tools LANGUAGE: what its lines call.
tools() {
    case $1 in
    Python*) echo python3 ;;
    Node*) echo node npm clang wasm-ld-14 ;;
    Go*) echo go ;;
    Rust*) echo cargo ;;
    PHP*) echo php phpize ;;
    SQL*) echo sqlite3 ;;
    Redis*) echo redis-cli curl unshare ip ;;
    esac
}

# missing TOOL...: those that are not here.
missing() {
    for tool; do
        command -v "$tool" >/dev/null || printf ' %s' "$tool"
    done
}

# wanted SUMMARY WORD...: whether it has one of the words, or there is none.
wanted() {
    summary=$1
    shift
    [ $# -gt 0 ] || return 0
    for word; do
        case $summary in *"$word"*) return 0 ;; esac
    done
    return 1
}

# run DIR SUMMARY: types its lines in the copy of the tree.  Ports of this host are not in the way of the daemon's.
run() {
    if [ -e "$1/name" ]; then
        name=$tree/$(cat "$1/name")
        mkdir -p "$(dirname "$name")"
        cp "$1/file" "$name"
    fi
    export RUNTIME_DIRECTORY="$1/run" STATE_DIRECTORY="$1/state"
    # shellcheck disable=SC2016 # the inner shell's
    case $2 in
    Redis*) set -- "$1" unshare --net sh -c 'ip link set lo up && . "$0"; status=$?; kill $!; exit $status' ;;
    *) set -- "$1" sh -e ;;
    esac
    dir=$1
    shift
    (cd "$tree" && "$@" "$dir/typed") >"$dir/output" 2>&1 </dev/null || { tail -n 30 "$dir/output" && return 1; }
    grep -v '^frazild: ' "$dir/output" | tail -n 1 | grep -E '(^|[^0-9])[0-9]{17,19}([^0-9]|$)' || { tail -n 30 "$dir/output" && return 1; }
}

tree=$scratch/tree
mkdir "$tree"
(cd "$root" && sh tools/sources all | tar -cf - -T -) | tar -xf - -C "$tree"

found=0 failed=0
for dir in "$scratch"/[0-9]*/; do
    dir=${dir%/}
    summary=$(cat "$dir/summary")
    wanted "$summary" "$@" || continue
    found=$((found + 1))
    echo "-- $summary"
    # shellcheck disable=SC2046 # words
    lacking=$(missing $(tools "$summary"))
    case $summary in Redis*) [ "$(id -u)" -eq 0 ] || lacking=" root" ;; esac
    if [ -n "$lacking" ]; then
        echo "left out:$lacking"
        [ -z "${TEST_SKIP_NOTHING:-}" ] || failed=1
    else
        run "$dir" "$summary" || failed=1
    fi
done
[ "$found" -gt 0 ] || { echo "README.md shows no such lines" >&2 && exit 1; }
exit $failed
