#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh DIR: the Debian packages in DIR can be installed, pass the tests that they are to pass (debian/tests), and
# leave nothing behind when they are purged.
#
# All of that happens to a copy of this machine that is gone in the end: its root as the lower layer of an overlay, in
# a mount namespace of our own, so by root only.  The dependencies of the packages must be installed on the machine, as
# the packages for `make deb` are.
set -eu

if [ "$1" != --inside ]; then
    [ "$(id -u)" -eq 0 ] || { echo "packages.sh: only root can lay one file system over another" >&2 && exit 1; }
    exec unshare --mount --pid --fork sh "$(realpath "$0")" --inside "$(realpath "$1")"
fi
packages=$2
source=$(realpath "$(dirname "$0")/../..")

fail() {
    echo "$1" >&2
    exit 1
}

# The mounts end with the namespace.
mount -t tmpfs tmpfs /mnt
mkdir /mnt/changes /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=/,upperdir=/mnt/changes,workdir=/mnt/work" /mnt/root
mount -t tmpfs tmpfs /mnt/root/tmp
mkdir /mnt/root/tmp/packages /mnt/root/tmp/source
mount --bind "$packages" /mnt/root/tmp/packages
mount --bind "$source" /mnt/root/tmp/source
mount --rbind /dev /mnt/root/dev
mount -t proc proc /mnt/root/proc

# inside COMMAND...: runs it in the copy.
inside() {
    chroot /mnt/root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}

names() {
    inside dpkg -l '*frazil*' 2>/dev/null | awk '/^[hipru][^n]/ { print $2 }'
}

[ -z "$(names)" ] || fail "frazil is installed on this machine already"
echo "-- install"
debs=$(cd "$packages" && find . -name '*.deb' ! -name '*-dbgsym_*')
# shellcheck disable=SC2086 # a list of files
inside env -C /tmp/packages dpkg --install $debs >/mnt/log || { cat /mnt/log && exit 1; }
installed=$(names)
echo "$installed"

sed -n 's/^Tests: //p' "$source/debian/tests/control" | while read -r name; do
    echo "-- debian/tests/$name"
    mkdir /mnt/root/tmp/scratch
    inside env -C /tmp/source AUTOPKGTEST_TMP=/tmp/scratch "debian/tests/$name" >/mnt/log 2>&1 ||
        { cat /mnt/log && fail "debian/tests/$name failed"; }
    tail -n 1 /mnt/log
    rm -r /mnt/root/tmp/scratch
done
echo "-- purge"
# shellcheck disable=SC2086 # a list of names
inside dpkg --purge $installed >/mnt/log || { cat /mnt/log && exit 1; }
[ -z "$(names)" ] || fail "still there: $(names)"
left=$(find /mnt/changes -name '*frazil*')
[ -z "$left" ] || fail "left behind: $left"
# Only the package manager's own records and caches are other than before, and the accounts: Debian keeps a package's user,
# as files may be left that are its own.
records='var/(lib/dpkg|log|cache)/|etc/ld\.so\.cache$'
accounts='etc/(g?shadow|passwd|group)-?$|etc/\.pwd\.lock$'
left=$(find /mnt/changes -type f | grep -vE "^/mnt/changes/($records|$accounts)") || true
[ -z "$left" ] || fail "changed: $left"
echo "nothing is left"
