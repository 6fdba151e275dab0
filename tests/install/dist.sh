#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh ROOT JOBS: the source tarball has the same bytes whoever makes it, and is all that is needed: unpacked in an
# empty folder, where there is no git, it runs and passes what looks at it.
set -eu

root=$1
jobs=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

cd "$root"
mkdir "$scratch/one" "$scratch/two"
tarball=$(sh tools/dist "$scratch/one")
(umask 077 && TZ=Asia/Tokyo sh tools/dist "$scratch/two" >/dev/null)
name=$(basename "$tarball")
cmp "$scratch/one/$name" "$scratch/two/$name" || fail "$name is not the same twice"
two_files=${name%.tar.gz}-amalgamation.tar.gz
cmp "$scratch/one/$two_files" "$scratch/two/$two_files" || fail "$two_files is not the same twice"
tar -xzf "$tarball" -C "$scratch"
cd "$scratch/${name%.tar.gz}"

mkdir "$scratch/bin"
printf '#!/bin/sh\necho "git $*" >>"%s/calls"\nexit 1\n' "$scratch" >"$scratch/bin/git"
chmod +x "$scratch/bin/git"
export PATH="$scratch/bin:$PATH"

make run JOBS="$jobs"
cmake --preset check >/dev/null
cmake --build --preset check -j "$jobs" >/dev/null
ctest --preset check -j "$jobs" -L '^(unit|command|cli|examples|api|style|install)$'
[ ! -e "$scratch/calls" ] || fail "in a folder that is no repository git is called: $(cat "$scratch/calls")"
