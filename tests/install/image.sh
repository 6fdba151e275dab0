#!/bin/bash
# SPDX-License-Identifier: MIT
# image.sh DIR: contrib/container/Dockerfile builds, also where there is no registry: its base is an empty machine of debootstrap's.
# A container refuses to start without a worker id, is ready as its health check says, runs without root, and gives ids to clients
# of Redis and HTTP.  DIR keeps the empty machine for the next time.
# shellcheck disable=SC2034,SC2154 # machine.sh sets and reads these
set -eu

root=$(realpath "$(dirname "$0")/../..")
# shellcheck disable=SC1091 # it lies beside this
. "$root/tests/install/machine.sh"
dockerfile=$root/contrib/container/Dockerfile
storage=${IMAGE_INSIDE:-$(mktemp -d)}

fail() {
    echo "check-image: $1" >&2
    exit 1
}

build() {
    buildah --root "$storage/root" --runroot "$storage/run" --storage-driver vfs "$@"
}

if [ -z "${IMAGE_INSIDE:-}" ]; then
    trap 'rm -rf "$storage"' EXIT
    "$root/build/release-tools/bin/hadolint" "$dockerfile" || fail "hadolint refuses the Dockerfile"
    empty_machine
    echo "-- the base"
    base_container=$(build from scratch)
    tar -C "$base" -cf "$storage/base.tar" .
    build add --quiet "$base_container" "$storage/base.tar" / >/dev/null
    rm "$storage/base.tar"
    build commit --quiet --rm "$base_container" docker.io/library/debian:bookworm-slim >/dev/null
    echo "-- the image"
    mkdir "$storage/context"
    (cd "$root" && sh tools/sources all | tar -cf - -T -) | tar -xf - -C "$storage/context"
    build bud --pull-never --isolation chroot --network host --format docker --tag frazil \
        --file "$dockerfile" "$storage/context" >"$dir/log" 2>&1 || { tail -n 30 "$dir/log" && fail "the image does not build"; }
    IMAGE_INSIDE=$storage unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$dir"
    exit
fi

# The network of this part, and all its processes, end with it.
ip link set lo up
container=$(build from --pull-never frazil)
config=$(build inspect --type image --format '{{.Docker.Config.User}} {{.Docker.Config.Healthcheck.Test}} {{.Docker.Config.Entrypoint}}' frazil)
case $config in "65532:65532 [CMD bash"*"[frazild]") ;; *) fail "the image says $config" ;; esac

# in_it [OPTION...] CONTAINER -- COMMAND...
in_it() {
    build run --isolation chroot "$@"
}

if in_it "$container" -- frazild >"$dir/log" 2>&1; then
    fail "it starts without a worker id"
fi
grep -q 'no worker id is given' "$dir/log" || { cat "$dir/log" && fail "it does not say that a worker id is missing"; }
in_it --env FRAZIL_WORKER=fixed:7 "$container" -- frazild >"$dir/log" 2>&1 &
for _ in $(seq 600); do
    grep -q 'is ready' "$dir/log" && break
    kill -0 $! || { cat "$dir/log" && fail "it does not start"; }
    sleep 0.1
done
grep -q 'is ready' "$dir/log" || { cat "$dir/log" && fail "it is not ready after a minute"; }
mapfile -t check < <(sed -n '/^HEALTHCHECK/,/\]$/p' "$dockerfile" | sed 's/^.*CMD \[/[/; s/\\$//' | python3 -c 'import json, sys; print(*json.loads(sys.stdin.read()), sep="\n")')
in_it "$container" -- "${check[@]}" || fail "it is ready, and its health check fails"
# shellcheck disable=SC2016 # that shell's
in_it "$container" -- bash -c 'exec 3<>/dev/tcp/127.0.0.1/6380 && echo NEXT >&3 && read -r _ <&3 && read -r id <&3 && echo "${id%?}"' |
    grep -xE '[0-9]{17,19}' || fail "it gives a Redis client no id"
in_it "$container" -- bash -c 'exec 3<>/dev/tcp/127.0.0.1/6381 &&
    printf "GET /v1/generators/main/ids HTTP/1.0\r\nHost: frazild\r\nX-Requested-With: x\r\n\r\n" >&3 && cat <&3' |
    grep -E '[0-9]{17,19}' || fail "it gives an HTTP client no id"
in_it "$container" -- sh -c 'frazil next && id -u' | tail -n 1 | grep -qx 65532 || fail "it runs as root"
for part in redis etcd zookeeper postgresql mysql; do
    in_it "$container" -- frazil version | grep -q "^$part: .*[0-9]" || fail "it lacks the part for $part"
done
echo "the image builds, is healthy, and gives ids"
