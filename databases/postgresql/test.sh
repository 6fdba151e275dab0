#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD [SCRIPT]: builds the extension, installs it into a copy of the installed PostgreSQL, and runs pg_regress
# and the TAP tests of t/ there, over servers of their own; or that script alone.  PG_CONFIG names another PostgreSQL than the
# newest that Debian's packages have installed.
set -eu

tree=$1
build=$2
here=$tree/databases/postgresql
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
pg_config=${PG_CONFIG:-}
[ -n "$pg_config" ] || pg_config=$(find /usr/lib/postgresql -path '*/bin/pg_config' | sort -V | tail -n 1)

fail() {
    echo "$1" >&2
    exit 1
}

if [ -z "$pg_config" ] || [ ! -e "$("$pg_config" --pgxs)" ]; then
    fail "there is no PostgreSQL to build for: install postgresql and postgresql-server-dev-15"
fi

# PostgreSQL finds its other files from where its programs are, so a copy of them needs nothing of the system.
copy_postgresql() {
    for kind in bindir pkglibdir sharedir; do
        mkdir -p "$scratch$("$pg_config" --$kind)"
        cp -a "$("$pg_config" --$kind)/." "$scratch$("$pg_config" --$kind)"
    done
    copy=$scratch$("$pg_config" --bindir)/pg_config
}

# The servers refuse to run as root.
as_owner() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
    else
        "$@"
    fi
}

echo "-- built without a warning"
copy_postgresql
mkdir "$scratch/build" "$scratch/run" "$scratch/state" "$scratch/home"
cp -R "$here/." "$scratch/build"
sh "$tree/tools/amalgamate" "$scratch/build" >/dev/null
cd "$scratch/build"
make with_llvm=no PG_CONFIG="$pg_config" "COPT=-Werror" >make.log 2>&1 || { cat make.log; exit 1; }
make with_llvm=no PG_CONFIG="$copy" install >make.log 2>&1 || { cat make.log; exit 1; }
exported=$(nm -D --defined-only frazil.so | awk '{print $3}' | grep -v '^\(pg_finfo_\)\?frazil_pg_\|^Pg_magic_func$\|^_PG_init$' || true)
[ -z "$exported" ] || fail "frazil.so exports $exported"

[ "$(id -u)" -ne 0 ] || chown -R postgres:postgres "$scratch"
chmod 755 "$scratch"
pgxs=$(dirname "$(dirname "$(dirname "$("$pg_config" --pgxs)")")")
bindir=$("$copy" --bindir)
version=$("$copy" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
export HOME="$scratch/home" PATH="$bindir:$PATH" PERL5LIB="$pgxs/src/test/perl" TESTDIR="$scratch/build"
export TESTDATADIR="$TESTDIR/tmp_check" # PostgreSQL 16 and later do not take it from TESTDIR
export PG_REGRESS="$pgxs/src/test/regress/pg_regress" TEST_DIR="$scratch"
unset PGHOST PGPORT PGUSER PGDATABASE FRAZIL_STATE

# The command, the parts that the background worker loads, and what starts their servers, from the build; the owner may
# not reach them there.
mkdir "$scratch/parts"
cp "$build"/bin/frazil "$build"/parts/libfrazil-*.so.1 "$build"/tests/cli/serve "$scratch/parts"
chmod 755 "$scratch/parts"
export PATH="$scratch/parts:$PATH" LD_LIBRARY_PATH="$scratch/parts" TEST_SERVE="$scratch/parts/serve"

# For t/FrazilTest.pm; from PostgreSQL 16 on, PostgreSQL's own tests know it.
export INITDB_TEMPLATE="$scratch/template"
as_owner initdb -D "$INITDB_TEMPLATE" -A trust -N >initdb.log 2>&1 || { cat initdb.log; exit 1; }

# Packages of npm, for t/033_orms.pl: see recipes.sh.
if [ -n "${TEST_NODE_MODULES:-}" ]; then
    cp -R "$TEST_NODE_MODULES" "$scratch/node_modules"
    export TEST_NODE_MODULES="$scratch/node_modules"
fi

# By Debian's commands, where they are for this PostgreSQL.
test_debian() {
    if [ "$bindir" != "$scratch/usr/lib/postgresql/$version/bin" ] || ! command -v pg_createcluster >/dev/null; then
        echo "SKIP: this PostgreSQL has no pg_createcluster"
        [ -n "${PG_CONFIG:-}" ] || [ -z "${TEST_SKIP_NOTHING:-}" ] || exit 1
        return
    fi
    mkdir "$scratch/none"
    ln -s /bin/false "$scratch/none/unshare"
    as_owner env PATH="$scratch/none:$PATH" TEST_SKIP_NOTHING=1 sh debian.sh "$scratch" "$version" >debian.log 2>&1 &&
        fail "without a mount namespace debian.sh is left out in silence"
    as_owner sh debian.sh "$scratch" "$version" >debian.log 2>&1 || { cat debian.log; exit 1; }
    grep SKIP debian.log || true
}

case ${3:-} in
"") ;;
debian.sh) test_debian; exit ;;
*) as_owner prove -v "$3"; exit ;;
esac

echo "-- pg_regress"
{
    cat regress.conf
    echo "frazil.run_dir = '$scratch/run'"
    echo "frazil.state_dir = '$scratch/state'"
    echo "frazil.host_dir = '$scratch/claims'"
} >temporary.conf
as_owner "$PG_REGRESS" --bindir="$bindir" --temp-instance="$scratch/instance" --temp-config=temporary.conf \
    --inputdir=. --outputdir="$scratch/build" --dbname=contrib_regression frazil privileges >regress.log 2>&1 ||
    { cat regress.log regression.diffs; [ -z "${KEEP_RESULTS:-}" ] || cp -r results "$KEEP_RESULTS"; exit 1; }

echo "-- started by Debian's commands"
test_debian

echo "-- faults"
as_owner prove -j 2 --timer --failures ${TAP_VERBOSE:+-v} t/*.pl
