#!/bin/sh
# SPDX-License-Identifier: MIT
# debian.sh PREFIX VERSION: the README's quick start as Debian has it: pg_createcluster and pg_ctlcluster start the server,
# and nothing else sets anything for it.  PREFIX has the copy of PostgreSQL's directories, with the extension installed.
#
# All of that happens in a mount namespace of our own, where PREFIX lies over the installed PostgreSQL, and each
# directory that the commands write to is empty.  To be run by the account that the server is to have.
set -eu

enter="unshare --map-current-user --keep-caps --mount"
if [ "$1" != --inside ]; then
    $enter true || { echo "SKIP: this machine gives no mount namespace" && exit 0; }
    exec $enter sh "$(realpath "$0")" --inside "$(realpath "$1")" "$2"
fi
prefix=$2
version=$3
readme=$(dirname "$0")/README.md
home=$(getent passwd "$(id -u)" | cut -d: -f6)
scratch=$(mktemp -d)

end() {
    status=$?
    pg_ctlcluster "$version" frazil stop -m immediate >/dev/null 2>&1 || true
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

# Starts it as a machine does that boots: from an environment that has next to nothing.
start() {
    env -i PATH="$PATH" pg_ctlcluster "$version" frazil "$1" || fail "pg_ctlcluster cannot $1"
}

port=$(pg_createcluster "$version" frazil -d "$home/frazil" | awk '$2 == "frazil" { print $3 }')
awk '/^In `postgresql.conf`/ { wanted = 1 } /^```/ { if (inside) exit; inside = wanted; next } inside' "$readme" >"$scratch/settings"
grep -q frazil.worker "$scratch/settings" || fail "the README shows no settings"
cat "$scratch/settings" >>"/etc/postgresql/$version/frazil/postgresql.conf"
start start
query() {
    psql -X -v ON_ERROR_STOP=1 -h /var/run/postgresql -p "$port" -d postgres "$@"
}

awk '/^```/ { if (inside) exit; inside = $0 == "```sql"; next } inside' "$readme" >"$scratch/first.sql"
grep -q frazil_next "$scratch/first.sql" || fail "the README shows no SQL"
query -f "$scratch/first.sql" || fail "the first SQL of the README fails"
[ -d "$home/.local/state/frazil" ] || fail "the state does not lie below the home of the account"

[ -n "$(find /dev/shm -name 'frazil-claim-*')" ] || fail "the claim of the worker id lies elsewhere"

# With an epoch of one's own: times are right, and the view of the generators says what it is.
query -qc "ALTER SYSTEM SET frazil.generators = 'main: layout=frazil epoch=2020-01-01'"
start restart
said=$(query -Atc "SELECT serving, worker, abs(extract(epoch FROM now() - frazil_time(frazil_next()))) < 3600 FROM frazil_generators")
[ "$said" = 't|7|t' ] || fail "with an epoch of one's own: $said"

# Where the home cannot be written, the error names the setting that there is.
query -qc "ALTER SYSTEM SET frazil.run_dir = '$scratch'"
rm -r "$home/.local"
touch "$home/.local"
start restart
query -c 'SELECT frazil_next()' >"$scratch/said" 2>&1 && fail "a home that is no directory: it makes ids"
grep -q 'HINT:  Set frazil.state_dir to a directory' "$scratch/said" || fail "$(cat "$scratch/said")"
