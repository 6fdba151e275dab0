#!/bin/sh
# SPDX-License-Identifier: MIT
# lists.sh ROOT: bindings have the errors, text forms, statistics, events, words for states and of keys, and keys for times of the tables, as `make update-lists` writes them.
set -eu

exec python3 "$(dirname "$0")/../../tools/binding-lists" "$1" --check
