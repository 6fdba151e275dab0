#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh ROOT: .clang-format decides the layout.  Versions of clang-format differ: 14 is the one that counts, and with
# another this check is skipped (exit 77).
set -eu
cd "$1"
tools=$(dirname "$(realpath "$0")")/../../tools

version=$(clang-format --version)
case $version in
*"version 14."*) ;;
*) echo "skipped: clang-format 14 decides, and here is $version" && exit 77 ;;
esac

if ! sh "$tools/sources" c | xargs clang-format --dry-run --Werror; then
    echo "to lay them out: make format"
    exit 1
fi
