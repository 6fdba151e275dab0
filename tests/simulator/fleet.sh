#!/bin/sh
# SPDX-License-Identifier: MIT
# fleet.sh FRAZIL-SIM: small fleets go through all that large ones do; a fleet's seed gives the same world again; and the
# oracle of fleets finds a worker id that a coordinator has given to many.
set -eu
sim=$1
services=200

"$sim" --fleet $services --seeds 5-8 --jobs 2

[ "$("$sim" --fleet $services --seed 3 --quiet)" = "$("$sim" --fleet $services --seed 3 --quiet)" ] ||
    { echo "fleet 3 has two stories"; exit 1; }

if planted=$("$sim" --fleet $services --seed 1 --planted --quiet); then
    echo "a worker id that is given to many is not found"
    exit 1
fi
case $planted in
*"is issued twice"*) ;;
*) echo "the planted duplicate is not named: $planted"; exit 1 ;;
esac
