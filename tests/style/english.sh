#!/bin/sh
# SPDX-License-Identifier: MIT
# english.sh ROOT: plain English, as far as a program can tell, in pages, manual pages, comments, and sentences that programs
# print.  It finds sentences above 40 words, paragraphs above 120, a process that is not "it", sentences that begin with a
# headless "What" or "Who", the old idioms, and tables without heads.
set -eu
style=$(dirname "$(realpath "$0")")
tools=$style/../../tools
cd "$1"

files=$({ sh "$tools/sources" all | grep -E '\.(md|c|h|bats|bash)$|^man/.*\.[1-9]$' && sh "$tools/sources" shell; } | sort -u)
[ -n "$files" ] || { echo "no file found"; exit 1; }
faults=$(printf '%s\n' "$files" | xargs awk -f "$style/english.awk")
[ -z "$faults" ] || { printf '%s\n' "$faults"; exit 1; }
