#!/bin/sh
# SPDX-License-Identifier: MIT
# debian.sh PREFIX VERSION: the README's quick start as Debian has it: pg_createcluster and pg_ctlcluster start the server,
# and nothing else sets anything for it.  PREFIX has the copy of PostgreSQL's directories, with the extension installed.
#
# All of that happens in a mount namespace of our own, where PREFIX lies over the installed PostgreSQL, and each
# directory that the commands write to is empty.  To be run by the account that the server is to have.  A machine without
# such namespaces leaves it out; TEST_SKIP_NOTHING=1 makes that a failure.
set -eu

enter="unshare --map-current-user --keep-caps --mount"
if [ "$1" != --inside ]; then
    if ! $enter true; then
        echo "SKIP: this machine gives no mount namespace"
        [ -z "${TEST_SKIP_NOTHING:-}" ] && exit 0
        exit 1
    fi
    exec $enter sh "$(realpath "$0")" --inside "$(realpath "$1")" "$2"
fi
prefix=$2
version=$3
here=$(dirname "$0")
home=$(getent passwd "$(id -u)" | cut -d: -f6)
scratch=$(mktemp -d)

end() {
    status=$?
    for cluster in frazil copy; do
        pg_ctlcluster "$version" $cluster stop -m immediate >/dev/null 2>&1 || true
    done
    rm -rf "$scratch"
    exit $status
}
trap end EXIT

fail() {
    echo "$1" >&2
    exit 1
}

for part in usr/lib/postgresql usr/share/postgresql; do
    mount --bind "$prefix/$part" "/$part"
done
for empty in /etc/postgresql /var/run/postgresql /var/log/postgresql /dev/shm "$home"; do
    mkdir -p "$scratch/$empty"
    mount --bind "$scratch/$empty" "$empty"
done
chmod 1777 /dev/shm # as each machine has it: without, a worker id is refused

# control ACTION [CLUSTER]: as a machine does that boots, from an environment that has next to nothing.
control() {
    env -i PATH="$PATH" pg_ctlcluster "$version" "${2:-frazil}" "$1" || fail "pg_ctlcluster cannot $1"
}

# create CLUSTER: makes it, or takes the data directory that is there, and prints its port.
create() {
    pg_createcluster "$version" "$1" -d "$home/$1" | awk -v name="$1" '$2 == name { print $3 }'
}

etc=/etc/postgresql/$version
sh "$here/quick_start.sh" "$here/README.md" "$scratch"
port=$(create frazil)
cat "$scratch/settings" >>"$etc/frazil/postgresql.conf"
control start
on() {
    asked=$1
    shift
    psql -X -v ON_ERROR_STOP=1 -h /var/run/postgresql -p "$asked" -d postgres "$@"
}
query() {
    on "$port" "$@"
}

query -f "$scratch/first.sql" || fail "the first SQL of the README fails"
[ -d "$home/.local/state/frazil" ] || fail "the state does not lie below the home of the account"

[ -n "$(find /dev/shm -name 'frazil-claim-*')" ] || fail "the claim of the worker id lies elsewhere"

# A connection has the generator before its first id, for which it then opens no file.
said=$(query -Atc "SELECT pg_read_file('/proc/self/maps') ~ '/worker-7[.]word\n'")
[ "$said" = t ] || fail "a new connection has not inherited the generator"

# A base backup beside its original, which runs on: it makes no id before it has a number of its own.
pg_basebackup -h /var/run/postgresql -p "$port" -c fast -D "$home/copy"
cp "$etc"/frazil/postgresql.conf "$etc"/frazil/pg_*.conf "$home/copy" # which pg_createcluster takes from there
copy=$(create copy)
control start copy
on "$copy" -c 'SELECT frazil_next()' >"$scratch/said" 2>&1 && fail "a copy makes ids with the number of its original"
grep -q 'this data directory is a copy, or was moved: the worker number 7 belongs to another one' "$scratch/said" || fail "$(cat "$scratch/said")"
echo "frazil.worker = 'fixed:8'" >>"$etc/copy/postgresql.conf"
control restart copy
said=$(on "$copy" -Atc 'SELECT frazil_worker(frazil_next())')/$(query -Atc 'SELECT frazil_worker(frazil_next())')
[ "$said" = 8/7 ] || fail "a copy with a number of its own, and its original: $said"
control stop copy

# With an epoch of one's own: times are right, and the view of the generators says what it is.
query -qc "ALTER SYSTEM SET frazil.generators = 'main: layout=frazil epoch=2020-01-01'"
control restart
said=$(query -Atc "SELECT serving, worker, abs(extract(epoch FROM now() - frazil_time(frazil_next()))) < 3600 FROM frazil_generators")
[ "$said" = 't|7|t' ] || fail "with an epoch of one's own: $said"

# Where the home cannot be written, the error names the setting that there is.
query -qc "ALTER SYSTEM SET frazil.run_dir = '$scratch'"
rm -r "$home/.local"
touch "$home/.local"
control restart
query -c 'SELECT frazil_next()' >"$scratch/said" 2>&1 && fail "a home that is no directory: it makes ids"
grep -q 'HINT:  Set frazil.state_dir to a directory' "$scratch/said" || fail "$(cat "$scratch/said")"
