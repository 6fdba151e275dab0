#!/bin/sh
# SPDX-License-Identifier: MIT
# replay.sh FRAZIL-SIM: the same seed gives the same story and the same hash; another one gives another; and so it does
# however the seeds are shared out.
set -eu
sim=$1

[ "$("$sim" --seed 5)" = "$("$sim" --seed 5)" ] || { echo "seed 5 has two stories"; exit 1; }
[ "$("$sim" --seed 5 | tail -n 1)" = "$("$sim" --seed 5 --quiet)" ] || { echo "telling a story changes it"; exit 1; }
[ "$("$sim" --seed 5 --quiet | cut -d ' ' -f 4)" != "$("$sim" --seed 6 --quiet | cut -d ' ' -f 4)" ] ||
    { echo "seeds 5 and 6 have one story"; exit 1; }

# Too few for each kind of fault to have struck, which is an error that does not matter here.
hash_of() { "$sim" --seeds 1-20 --jobs "$1" | grep '^trace' || true; }
one=$(hash_of 1)
if [ -z "$one" ] || [ "$one" != "$(hash_of 3)" ]; then
    echo "the hash depends on the number of jobs"
    exit 1
fi
