#!/bin/sh
# SPDX-License-Identifier: MIT
# structures.sh ROOT: the structures that a part (libfrazil-redis and so on) and whoever loads it hand each other have a
# number, FZ_STRUCTURES in src/lease/coordinator.h, and none of them changes without it.  tests/style/structures has the
# number that they have now, and the checksum of their text without comments.
set -eu
style=$(dirname "$(realpath "$0")")
cd "$1"

names='frazil_coordinator fz_lease_request fz_slots_request fz_slot_source fz_slot_run fz_granter fz_grant
    fz_grant_space fz_lease_group fz_lease_pair fz_namespace_options fz_lease_entry fz_worker_record fz_namespace_record fz_token fz_finding_level
    frazil_error frazil_clock frazil_instant frazil_random frazil_layout
    FZ_OWNER_SIZE FZ_INCARNATION_SIZE FRAZIL_FINGERPRINT_SIZE FRAZIL_ERROR_MESSAGE_SIZE FRAZIL_LAYOUT_NAME_SIZE'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -f "$style/strip.awk" src/lease/*.h include/frazil/error.h include/frazil/clock.h include/frazil/layout.h | sed 's/^[^:]*:[0-9]*://' >"$scratch/code"
for name in $names; do
    awk -v name="$name" '
        $0 ~ "^(typedef )?(struct|enum) " name " \\{" { inside = 1 }
        $0 ~ "^#define " name " " { print }
        inside { print }
        /^}/ { inside = 0 }
    ' "$scratch/code" | tr -s ' \n' '  ' >"$scratch/one"
    [ -s "$scratch/one" ] || { echo "$name is not found: names in tests/style/structures.sh" >&2; exit 1; }
    cat "$scratch/one"
done >"$scratch/all"

number=$(sed -n 's/^#define FZ_STRUCTURES //p' src/lease/coordinator.h)
now="$number $(cksum <"$scratch/all")"
[ "$now" = "$(cat tests/style/structures)" ] || {
    echo "src/lease/coordinator.h:1: what parts and their loaders share has changed: raise FZ_STRUCTURES, if that is not done, and"
    echo "write into tests/style/structures: $now"
    exit 1
}
