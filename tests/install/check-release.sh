#!/bin/bash
# SPDX-License-Identifier: MIT
# check-release.sh DIR RELEASE: the files of a release are what they say: their sums, the bill of materials, the systems that wheels
# are for.  Each is installed on an empty Debian machine, without a network but for Debian's own packages, and makes ids.  Addons
# for arm64 do so by qemu-user.  DIR keeps the empty machines for the next time.
# shellcheck disable=SC2034,SC2154 # machine.sh sets and reads these
set -eu

out=$(realpath "$2")
root=$(realpath "$(dirname "$0")/../..")
# shellcheck disable=SC1091 # it lies beside this
. "$root/tests/install/machine.sh"
version=${out##*-}
tools=$root/build/release-tools/bin

fail() {
    echo "check-release: $1" >&2
    exit 1
}

# done_with WHAT: says so, with the seconds since the last.
done_with() {
    printf '%5d s  %s\n' $((SECONDS - began)) "$1"
    began=$SECONDS
}
began=$SECONDS

(cd "$out" && sha256sum --quiet --check SHA256SUMS) || fail "SHA256SUMS has other sums"
[ "$(cd "$out" && find . -type f | wc -l)" -eq $(($(wc -l <"$out/SHA256SUMS") + 1)) ] || fail "SHA256SUMS does not name each file"
"$tools/pyspdxtools" -i "$out/frazil-$version.spdx.json" || fail "the bill of materials is none"
for wheel in "$out"/packages/python/*.whl; do
    tag=${wheel##*-} tag=${tag%.whl}
    "$tools/auditwheel" show "$wheel" >"$dir/log" 2>&1 || { cat "$dir/log" && fail "auditwheel cannot read $wheel"; }
    tr -d '\n' <"$dir/log" | grep -q "platform tag: *\"$tag\"" || { cat "$dir/log" && fail "auditwheel does not see $tag"; }
done
[ "$(find "$out/packages/python" -name '*.whl' | wc -l)" -eq 4 ] || fail "there are not 4 wheels"
# for_musl FILE: wants no more of musl than version 1.2.3 has, Debian's; musllinux_1_2 promises that, and auditwheel does not look.
for_musl() {
    nm -D --undefined-only "$1" | awk '{ print $NF }' | grep -vE '^(_?Py|napi_|node_api_)' | sort >"$dir/wanted"
    nm -D --defined-only /usr/lib/x86_64-linux-musl/libc.so | awk '{ print $NF }' | sort >"$dir/there"
    missing=$(comm -23 "$dir/wanted" "$dir/there")
    [ -z "$missing" ] || fail "${1##*/} wants what musl 1.2.3 has not: $missing"
}
rm -rf "${dir:?}/addons"
for processor in x86_64 aarch64; do
    python3 -m zipfile -e "$out/packages/python/"*-musllinux_*_$processor.whl "$dir/addons"
    for_musl "$dir/addons/frazil/_frazil.abi3.so"
done
tar -C "$dir/addons" -xzf "$out/packages/frazil-$version.tgz"
for addon in "$dir"/addons/package/prebuilds/*-musl/frazil.node; do
    for_musl "$addon"
done
for file in "frazil-$version.html" "frazil-$version-manual.tar.gz"; do
    [ -s "$out/$file" ] || fail "there is no $file"
done
done_with "sums, bill of materials, tags of wheels, what addons want of musl"

# makes_ids WHAT PACKAGES: on a new machine with these packages of Debian's, and the release in /release, ada types the lines of
# standard input, without a network.  The last thing that they print is an id.  What is in $dir/beside is there in /beside.
makes_ids() {
    machine try
    cat >"$dir/try/tmp/typed"
    cp -R "$out" "$dir/try/release"
    [ ! -e "$dir/beside" ] || mv "$dir/beside" "$dir/try/"
    [ -z "$2" ] || inside try sh -c "apt-get update -qq && apt-get install -qq --no-install-recommends $2" >"$dir/log" 2>&1 ||
        { tail -n 20 "$dir/log" && fail "$1: its packages cannot be installed"; }
    net=--net
    inside try su - ada -c "V=$version sh -ex /tmp/typed" >"$dir/output" 2>"$dir/log" </dev/null ||
        { tail -n 20 "$dir/output" "$dir/log" && fail "$1: cannot be installed"; }
    net=''
    tail -n 1 "$dir/output" | grep -qE '^[0-9]{17,19}$' || { tail -n 5 "$dir/output" && fail "$1: makes no id"; }
    rm -rf "${dir:?}/try"
    done_with "$1"
}

empty_machine
makes_ids "source tarball" "gcc libc6-dev make cmake" <<'END'
tar -xzf /release/frazil-$V.tar.gz
cd frazil-$V
make JOBS=2 >/dev/null
[ "$(build/release/bin/frazil version | head -n 1)" = "frazil $V" ]
build/release/bin/frazil next worker=fixed:7
END

# two_files COMPILER
two_files() {
    cat <<'END'
tar -xzf /release/frazil-$V-amalgamation.tar.gz
cd frazil-$V-amalgamation
cat >app.c <<'C'
#include "frazil.h"
#include <stdio.h>
int main(void)
{
    frazil *ids;
    uint64_t id;
    if (frazil_open(&ids, "worker=fixed:7", NULL) != FRAZIL_OK || frazil_next(ids, &id) != FRAZIL_OK)
        return 1;
    return printf("%llu\n", (unsigned long long)id) < 0;
}
C
END
    echo "$1 -O2 app.c frazil.c -lpthread -ldl && ./a.out"
}
makes_ids "two files in C" "gcc libc6-dev" < <(two_files cc)
makes_ids "two files in C, static with musl" "musl-tools gcc libc6-dev" < <(two_files "musl-gcc -static")

makes_ids "SQLite extension, loaded" "sqlite3 libsqlite3-dev gcc libc6-dev" <<'END'
tar -xzf /release/frazil-$V-amalgamation.tar.gz
cd frazil-$V-amalgamation
cc -O2 -shared -fPIC -fvisibility=hidden -DFRAZIL_API= -o frazil.so frazil_sqlite.c frazil.c -lpthread -ldl
FRAZIL_WORKER=fixed:7 sqlite3 app.db '.load ./frazil' 'SELECT frazil_next()'
END

makes_ids "SQLite extension, in a program" "libsqlite3-dev gcc libc6-dev" <<'END'
tar -xzf /release/frazil-$V-amalgamation.tar.gz
cd frazil-$V-amalgamation
cat >app.c <<'C'
#include "frazil_sqlite.h"
#include <stdio.h>
static int print(void *ctx, int columns, char **values, char **names)
{
    (void)ctx, (void)columns, (void)names;
    return puts(values[0]) < 0;
}
int main(void)
{
    sqlite3 *db;
    sqlite3_auto_extension((void (*)(void))sqlite3_frazil_init);
    return sqlite3_open("app.db", &db) != SQLITE_OK || sqlite3_exec(db, "SELECT frazil_next()", print, NULL, NULL) != SQLITE_OK;
}
C
cc -O2 -DSQLITE_CORE app.c frazil_sqlite.c frazil.c -lsqlite3 -lpthread -ldl
FRAZIL_WORKER=fixed:7 ./a.out
END

makes_ids "Debian packages" "\$(find /release/debian -name '*.deb' ! -name '*-dbgsym_*')" <<'END'
frazil next worker=fixed:7
php -r 'echo Frazil\Generator::open("worker=fixed:7")->next(), "\n";'
END

makes_ids "Python wheel" python3-venv <<'END'
python3 -m venv venv
venv/bin/pip install --quiet --no-index --find-links /release/packages/python frazil==$V
venv/bin/python -c 'import frazil; print(frazil.open(worker="fixed:7").next())'
END

# Debian's setuptools is too old to build it.
"$tools/pip" download --quiet --no-deps --dest "$dir/beside" "$(grep '^setuptools==' "$root/bindings/python/tests/requirements.txt")"
makes_ids "Python source package" "python3-venv python3-dev gcc libc6-dev" <<'END'
python3 -m venv venv
venv/bin/pip install --quiet --no-index --find-links /beside --no-cache-dir /release/packages/python/frazil-$V.tar.gz
venv/bin/python -c 'import frazil; print(frazil.open(worker="fixed:7").next())'
END

makes_ids "npm package" "nodejs npm" <<'END'
npm init -y >/dev/null
npm install --offline --silent /release/packages/frazil-$V.tgz
node -e 'console.log(require("frazil").open({ worker: "fixed:7" }).nextString())'
END

makes_ids "Go module" "golang-go gcc libc6-dev" <<'END'
export GOPROXY=file:///release/packages/go GOFLAGS=-mod=mod GOSUMDB=off
go mod init app
go get github.com/frazil/frazil-go@v$V
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/frazil/frazil-go"
)

func main() {
	ids, err := frazil.Open("worker=fixed:7")
	if err != nil {
		panic(err)
	}
	fmt.Println(ids.MustNext())
}
GO
go run main.go
END

makes_ids "crates" "cargo gcc libc6-dev" <<'END'
mkdir -p crates app/src app/.cargo
for crate in /release/packages/*.crate; do
    tar -C crates -xzf $crate
done
for crate in crates/*; do
    echo '{"files":{},"package":null}' >$crate/.cargo-checksum.json
done
cd app
printf '[source.crates-io]\nreplace-with = "release"\n[source.release]\ndirectory = "../crates"\n' >.cargo/config.toml
printf '[package]\nname = "app"\nversion = "0.0.1"\nedition = "2021"\n[dependencies]\nfrazil = "=%s"\n' $V >Cargo.toml
cat >src/main.rs <<'RUST'
fn main() -> Result<(), frazil::Error> {
    println!("{}", frazil::Generator::open("worker=fixed:7")?.next()?);
    Ok(())
}
RUST
cargo run --offline --quiet
END

makes_ids "PHP archive" "php-cli php-dev gcc libc6-dev make" <<'END'
tar -xzf /release/packages/frazil-php-$V.tgz
cd frazil-php-$V
phpize
./configure
make
php -d extension=$PWD/modules/frazil.so -r 'echo Frazil\Generator::open("worker=fixed:7")->next(), "\n";'
END

# composer_package NAME CODE: Composer installs that package from its archive, over the extension of Debian's package, and PHP runs the code.
composer_package() {
    makes_ids "Composer package $1" "composer \$(find /release/debian -name 'php-frazil_*.deb' -o -name 'libfrazil*1_*.deb')" <<END
tar -xzf /release/packages/frazil-$1-\$V.tgz
printf '{"repositories": [{"type": "path", "url": "frazil-$1-%s"}, {"packagist.org": false}]}' "\$V" >composer.json
COMPOSER_DISABLE_NETWORK=1 composer require --quiet --no-interaction frazil/$1:@dev
php -r 'require "vendor/autoload.php"; $2'
END
}
# shellcheck disable=SC2016 # PHP's variables
composer_package konayuki 'echo (new Konayuki\IdGenerator(new Konayuki\InMemory\InMemoryAtomicCounter(), new Konayuki\SystemClock(),
    Konayuki\Layout::default(), new Konayuki\RealTimestamp(), workerId: 7))->next(), "\n";'
# shellcheck disable=SC2016
composer_package kasumi '$id = Frazil\Generator::open("worker=fixed:7")->next();
    $scrambler = Kasumi\Scrambler::fromSalt(1234567891);
    echo $scrambler->unscramble((string) $scrambler->scramble($id)) === $id ? $id : "another id", "\n";'

makes_ids "PostgreSQL extension, by PGXN's client" "postgresql-15 postgresql-server-dev-15 pgxnclient gcc libc6-dev make" <<'END'
sudo pgxn install --nosudo /release/packages/postgresql/frazil-$V.zip
printf "shared_preload_libraries = 'frazil'\nfrazil.worker = 'fixed:7'\n" | sudo tee -a /etc/postgresql/15/main/postgresql.conf
sudo pg_ctlcluster 15 main start
cd /
sudo -u postgres psql -qAtc 'CREATE EXTENSION frazil' -c 'SELECT frazil_next()'
sudo pg_ctlcluster 15 main stop -m immediate
END

# ---- another processor: the files of its machine, and qemu for one process of it ------------------------

if [ ! -e "$dir/arm64/made" ]; then
    rm -rf "${dir:?}/arm64"
    debootstrap --foreign --arch=arm64 --variant=minbase --include=python3,nodejs "$release" "$dir/arm64" >"$dir/log" || { tail "$dir/log" && exit 1; }
    for package in "$dir"/arm64/var/cache/apt/archives/*.deb; do
        dpkg-deb --extract "$package" "$dir/arm64"
    done
    touch "$dir/arm64/made"
fi
rm -rf "${dir:?}/addons"
mkdir "$dir/addons" "$dir/addons/host"
python3 -m zipfile -e "$out"/packages/python/*-manylinux_*_aarch64.whl "$dir/addons"
tar -C "$dir/addons" -xzf "$out/packages/frazil-$version.tgz"
# emulated COMMAND...: its last line is an id.
emulated() {
    env -i PATH="$PATH" FRAZIL_STATE=memory FRAZIL_HOST_DIR="$dir/addons/host" PYTHONHOME="$dir/arm64/usr" \
        qemu-aarch64 -L "$dir/arm64" "$dir/arm64/usr/bin/$1" "${@:2}" >"$dir/output" 2>&1 ||
        { cat "$dir/output" && fail "arm64: $1 failed"; }
    tail -n 1 "$dir/output" | grep -qE '^[0-9]{17,19}$' || { tail "$dir/output" && fail "arm64: $1 made no id"; }
}
emulated python3.11 -c "import sys; sys.path.insert(0, '$dir/addons'); import frazil; print(frazil.open(worker='fixed:7').next())"
done_with "Python wheel for arm64"
emulated node -e "console.log(require('$dir/addons/package').open({ worker: 'fixed:7' }).nextString())"
done_with "npm package for arm64"
rm -rf "${dir:?}/addons"
echo "the release $version installs, and makes ids: 17 ways"
