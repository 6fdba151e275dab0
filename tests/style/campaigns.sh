#!/bin/sh
# SPDX-License-Identifier: MIT
# campaigns.sh ROOT: what a push leaves out is in a campaign: each one that CMake's files name goes with pushes in turn (LONG of
# the Makefile), make help says how long it takes, and CONTRIBUTING.md that there is one.  It also says what runs before a release,
# with a time for each or that nobody has timed it, and the workflow runs the same.
set -eu
cd "$1"

fault() {
    echo "$1" >&2
    touch "$scratch/fault"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
turns=$(sed -n '/^LONG = /,/[^\\]$/p' Makefile | sed 's/^LONG = //; s/\\$//' | xargs)
[ -n "$turns" ] || fault "Makefile: no LONG"

find . -path ./build -prune -o \( -name CMakeLists.txt -o -name '*.cmake' \) -exec cat {} + |
    sed -n 's/^ *frazil_long(\([a-z-]*\).*/\1/p; s/.*frazil_label(.*LABELS \(check-[a-z]*\)).*/\1/p' | grep -v -e '-$' | sort -u >"$scratch/named"
grep -q . "$scratch/named" || fault "CMake's files name no campaign"
while read -r campaign; do
    case " $turns " in
    *" $campaign "*) ;;
    *) fault "$campaign: not in LONG of the Makefile" ;;
    esac
done <"$scratch/named"

for campaign in $turns; do
    grep -q "^$campaign:.* ## .*([0-9]* \(min\|h\))\$" Makefile || fault "$campaign: make help does not say how long it takes"
    grep -qF "\`$campaign\`" CONTRIBUTING.md || fault "$campaign: not in CONTRIBUTING.md"
done
# In five turns of check-mutants each mutant has been in: of any commits in a row, five times as many as LONG has words.
case " $turns " in
*" check-mutants "*)
    # shellcheck disable=SC2016 # make's
    make -s --no-print-directory --eval 'mutants-of-turns: ; @printf "%s\n" $(foreach COMMITS,$(shell seq 4711 $(shell expr 4710 + 5 \* $(words $(LONG)))),$(if $(filter check-mutants,$(TURN)),$(MUTANTS_OF_TURN)))' \
        mutants-of-turns | sort >"$scratch/tried"
    grep -L '^Killed-by: postgresql' tests/mutants/*.patch | sed 's|.*/||; s|\.patch$||' | sort >"$scratch/mutants"
    grep -q . "$scratch/mutants" || fault "there are no mutants"
    comm -13 "$scratch/tried" "$scratch/mutants" | sed 's|.*|tests/mutants/&.patch: check-mutants never has its turn with it|' >"$scratch/never"
    [ ! -s "$scratch/never" ] || fault "$(cat "$scratch/never")"
    ;;
esac
# The workflow's lists are those of a push and of LONG.  jobs N: the Nth list.
jobs() {
    awk -v RS=']' -v n="$1" '/target: \[/ && ++found == n { sub(/.*target: \[/, ""); gsub(/[,\n]/, " "); print }' .github/workflows/ci.yml | xargs
}
if [ -e .github/workflows/ci.yml ]; then
    push=$(sed -n '/^if /,/^else/s/^ *step make \(.*\)/\1/p' .ci/run | grep -vx one-long | xargs)
    [ "$(jobs 1)" = "$push" ] || fault ".github/workflows/ci.yml: has $(jobs 1), and .ci/run $push"
    [ "$(jobs 2)" = "$turns" ] || fault ".github/workflows/ci.yml: has $(jobs 2), and LONG is $turns"
fi
for target in $(sed -n '/^BEFORE_RELEASE = /,/[^\]$/p' Makefile | sed 's/^BEFORE_RELEASE = //; s/\\$//' | xargs); do
    grep -q "^$target:.* ## .*(\([a-z0-9 ]* \(min\|h\)\|not timed\))\$" Makefile || fault "$target: make help does not say how long it takes"
    grep '^| before a release' CONTRIBUTING.md | grep -q "\`\(make \)\{0,1\}$target\`" || fault "$target: CONTRIBUTING.md does not say that it runs before a release"
done
[ ! -e "$scratch/fault" ]
