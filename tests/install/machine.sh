# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For scripts that try things on machines where nothing is installed: each is a folder below the script's first argument, made by
# debootstrap, so by root only.  Its user is ada, who may use sudo.
[ "$(id -u)" -eq 0 ] || { echo "${0##*/}: only root can make a machine" >&2 && exit 1; }
mkdir -p "$1"
dir=$(realpath "$1")
release=bookworm
base=$dir/base

# empty_machine: $base is one, from the last time or new.
empty_machine() {
    if [ ! -e "$base/made" ]; then
        rm -rf "$base"
        debootstrap --variant=minbase --include=sudo "$release" "$base" >"$dir/debootstrap.log" || { tail "$dir/debootstrap.log" && exit 1; }
        # `yes` to apt's question is what a user types.  db1 is the name of the pages' Redis.
        echo 'APT::Get::Assume-Yes "true";' >"$base/etc/apt/apt.conf.d/90yes"
        echo '127.0.0.1 localhost db1 new orders-3' >"$base/etc/hosts"
        chroot "$base" useradd --create-home --home-dir /ada --shell /bin/bash --uid 1000 ada
        echo 'ada ALL=(ALL) NOPASSWD: ALL' >"$base/etc/sudoers.d/ada"
        touch "$base/made"
    fi
}

# machine NAME [FROM]: a machine as FROM is: empty, if FROM is not said.
machine() {
    rm -rf "${dir:?}/$1"
    cp -a "${2:+$dir/}${2:-$base}" "$dir/$1"
}

# inside NAME COMMAND...: as root on that machine, which has the name $host, and no network if $net is --net.  Its processes
# and mounts end with the command.
inside() {
    local here=$dir/$1
    shift
    # shellcheck disable=SC2016,SC2086 # the inner shell's; no word if it is empty
    unshare --mount --pid --fork --kill-child --uts ${net:-} sh -c '
        here=$1; host=$2; shift 2
        hostname "$host"
        ip link set lo up
        mount -t proc proc "$here/proc"
        mount --rbind /dev "$here/dev"
        mount -t tmpfs tmpfs "$here/dev/shm"
        exec chroot "$here" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
    ' sh "$here" "${host:-new}" "$@"
}
