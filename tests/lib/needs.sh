#!/bin/sh
# SPDX-License-Identifier: MIT
# needs.sh 'TOOL...' COMMAND ARGUMENT...: the command, if all of these tools are there.  Otherwise it is skipped (exit 77), and
# fails if nothing may be skipped (TEST_SKIP_NOTHING).
set -eu

for tool in $1; do
    command -v "$tool" >/dev/null && continue
    echo "left out: $tool is missing; see tools/test-packages"
    [ -n "${TEST_SKIP_NOTHING:-}" ] && exit 1
    exit 77
done
shift
exec "$@"
