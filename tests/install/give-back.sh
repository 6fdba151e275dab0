#!/bin/sh
# SPDX-License-Identifier: MIT
# give-back.sh ROOT: after `sudo make install` and `sudo make deb` the owner of the tree can go on building there: what root has
# made is his.  What is outside of the folder, and a tree of root's own, stay as they are.
set -eu

root=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p build/release
touch outside build/release/file
ln -s ../../outside build/release/link
own=$(stat -c %u:%g build)

# expect OWNER FILE...: each has this owner.
expect() {
    owner=$1
    shift
    for file in "$@"; do
        [ "$(stat -c %u:%g "$file")" = "$owner" ] || { echo "$file is not $owner's but $(stat -c %u:%g "$file")'s" >&2 && exit 1; }
    done
}

sh "$root/tools/give-back" build
expect "$own" build build/release/file outside
for target in install deb; do
    make -n -C "$root" "$target" | grep -q '^sh tools/give-back build$' || { echo "make $target does not give back" >&2 && exit 1; }
done
[ "$(id -u)" -eq 0 ] || exit 0 # only root can go on
chown 12345:23456 . || exit 0 # a root of a container, which may not
sh "$root/tools/give-back" build
expect 12345:23456 build build/release build/release/file build/release/link
expect "$own" outside
