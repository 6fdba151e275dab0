#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: the extension is built by phpize, from the package that `make packages` makes, and answers every case;
# nothing leaks under valgrind; no id comes twice in children, after a kill, under php-fpm, beside the command.
set -eu

tree=$1
here=$tree/bindings/php
frazil=$2/bin/frazil
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset FRAZIL_STATE FRAZIL_WORKER
export FRAZIL_RUN_DIR="$scratch/run" FRAZIL_STATE_DIR="$scratch/state" FRAZIL_HOST_DIR="$scratch/host"

fail() {
    echo "$1" >&2
    exit 1
}

mkdir "$scratch/run" "$scratch/state" "$scratch/cases" "$scratch/live" "$scratch/fpm"
cd "$scratch"

echo "-- the package, built elsewhere"
sh "$here/package.sh" "$tree" "$scratch/packages" >/dev/null
tar -xzf "$scratch"/packages/frazil-php-*.tgz
for name in konayuki kasumi; do
    tar -C "$scratch" -xzf "$scratch"/packages/frazil-$name-*.tgz
    [ -f "$(echo "$scratch/frazil-$name"-*)/composer.json" ] || fail "the package of $name has no composer.json"
done
cd frazil-php-*/
{
    phpize && ./configure && make "CFLAGS=-O2 -Wall -Wextra -Wno-unused-parameter -Werror"
} >"$scratch/build.log" 2>&1 || { tail -n 40 "$scratch/build.log"; exit 1; }
extension=$PWD/modules/frazil.so
exported=$(nm -D --defined-only "$extension" | awk '{ print $3 }')
[ "$exported" = get_module ] || fail "frazil.so exports $exported"

echo "-- its sources for a PHP with threads, which Debian has not"
includes=$(php-config --includes)
for file in module.c exceptions.c values.c spec.c iterator.c generator.c generator_take.c layout.c id.c sno.c; do
    # shellcheck disable=SC2086 # words
    cc -fsyntax-only -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror -DZTS=1 -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 \
        -DCOMPILE_DL_FRAZIL=1 -DFRAZIL_API= -I . $includes "$file"
done

php_with() {
    php -n -d "extension=$extension" "$@"
}

echo "-- what it has"
php_with "$here/tests/stub.php" "$here/frazil.stub.php"

echo "-- its own tests, under valgrind"
cp -R "$here/tests/phpt" "$scratch/phpt"
# valgrind tells of leaks only if it is asked to, and run-tests.php does not ask.
export VALGRIND_OPTS='--leak-check=full --show-leak-kinds=definite'
NO_INTERACTION=1 TEST_PHP_EXECUTABLE=$(command -v php) php -n run-tests.php -n -q -m -d "extension=$extension" \
    "$scratch/phpt" >"$scratch/phpt.log" 2>&1 || { cat "$scratch/phpt.log" "$scratch"/phpt/*.mem "$scratch"/phpt/*.diff; exit 1; }
grep '^VALGRIND' "$scratch/phpt.log" || fail "the tests ran without valgrind"
grep '^Tests passed .*(100' "$scratch/phpt.log" || fail "not all tests passed: $(cat "$scratch/phpt.log")"

echo "-- the cases"
php_with "$here/tests/conformance.php" "$tree/bindings/conformance/cases.jsonl" "$scratch/cases"

echo "-- the packages for Composer"
parts=
for part in ctype dom igbinary mbstring pdo pdo_sqlite posix redis tokenizer xml xmlwriter; do
    php -n -m | grep -qix "$part" || parts="$parts -d extension=$part"
done
unit_tests() {
    # shellcheck disable=SC2086 # words
    php_with $parts "$@" >"$scratch/phpunit.log" || { cat "$scratch/phpunit.log"; exit 1; }
    grep -E '^(OK|Tests: )' "$scratch/phpunit.log"
}
phpunit="/usr/bin/phpunit --no-configuration --do-not-cache-result --bootstrap $here/tests/unit/autoload.php"
# shellcheck disable=SC2086 # words
unit_tests $phpunit "$here/tests/unit"
# shellcheck disable=SC2086 # words
unit_tests -d extension=apcu -d apc.enable_cli=1 $phpunit --fail-on-skipped "$here/tests/unit/ApcuTest.php"

echo "-- the guide"
sh "$here/tests/guide.sh" "$tree/docs/konayuki.md" "$scratch/packages" "$extension" "$frazil"
sh "$here/tests/laravel.sh" "$tree/docs/laravel.md" "$extension"
sh "$here/tests/doctrine.sh" "$here/README.md" "$extension"

echo "-- the doctor"
load=
doctor() {
    # shellcheck disable=SC2086 # words
    env "$@" FRAZIL_COMMAND="$frazil" php -n -d "extension=$extension" $load "$here/packages/konayuki/bin/konayuki-doctor" >"$scratch/doctor" ||
        status=$?
}
status=0
doctor KONAYUKI_WORKER_ID_MODE=fixed KONAYUKI_WORKER_ID=5
[ "$status" -le 1 ] || { cat "$scratch/doctor"; exit 1; }
for line in 'OK.   frazil extension: ' 'OK.   APCu extension: not loaded, and not needed' 'OK.   flock' 'OK.   worker: worker id 5' 'OK.   layout: '; do
    grep -q "^.$line" "$scratch/doctor" || fail "the doctor does not say $line"
done
load='-d extension=apcu -d apc.enable_cli=1'
doctor KONAYUKI_WORKER_ID_MODE=fixed KONAYUKI_WORKER_ID=5
for line in 'OK.   apc.enable_cli: on' 'OK.   APCu locking type: ' 'OK.   APCu inc functional: 1, 2' 'OK.   APCu memory: '; do
    grep -q "^.$line" "$scratch/doctor" || fail "the doctor does not say $line"
done
for slip in KONAYUKI_WORKER_ID_MODE=fixd KONAYUKI_SEQUENCE_MODE=rnd KONAYUKI_COUNTER=memcached; do
    status=0
    doctor KONAYUKI_WORKER_ID_MODE=fixed KONAYUKI_WORKER_ID=5 "$slip"
    [ "$status" -eq 2 ] || fail "the doctor of $slip ends with $status"
    grep -q "^.FAIL. ${slip%=*}" "$scratch/doctor" || fail "the doctor does not see $slip"
done

echo "-- nothing twice"
php_with -d extension=posix -d memory_limit=512M "$here/tests/live.php" "$scratch/live" "$frazil" "$extension"

# Where root runs this, the pool is of a user without a home, for whom the directory is made that README.md names, on a host
# of its own: in a mount namespace whose shared memory and /var/lib are empty.
user=
pool=
if [ "$(id -u)" -eq 0 ]; then
    user=64124 # no account has this number, so that nobody else looks there
    ! unshare --mount true || pool=$user
    chmod 711 "$scratch"
    sed -n 's/^sudo \(install .*\)/\1/p' "$here/README.md" | sed "s/\$(id -u www-data)/$user/; s/www-data/$user/" >"$scratch/install"
fi
mkdir "$scratch/tree"
cp -R "$here/tests" "$here/packages" "$scratch/tree"
chmod -R a+rX "$scratch/tree" # what a request reads

# serve VARIABLE=VALUE...: fpm.php, whose pool has these settings.
serve() {
    set -- "$@" php -n -d "extension=$extension" -d extension=posix -d memory_limit=512M "$scratch/tree/tests/fpm.php" "$scratch/fpm" "$fpm" "$extension"
    if [ -n "$pool" ]; then
        # shellcheck disable=SC2016 # for the shell in there
        env -i PATH="$PATH" unshare --mount sh -ec '
            for empty in /dev/shm /var/lib; do mount -t tmpfs -o mode=1777 tmpfs "$empty"; done
            sh -e "$1"
            shift
            exec env "$@"' sh "$scratch/install" "$@" "$pool"
    else
        env "$@"
    fi
}

echo "-- php-fpm"
fpm=$(find /usr/sbin -name 'php-fpm*' | sort -V | tail -n 1)
[ -n "$fpm" ] || fail "there is no php-fpm: install php-fpm"
serve FRAZIL_WORKER=fixed:7

echo "-- php-fpm, with one lease for all of its children"
leases=file://$scratch/leases
"$frazil" lease init --never-used "$leases"
[ -z "$pool" ] || chown -R "$pool" "$scratch/leases"
serve FRAZIL_WORKER="$leases" FRAZIL_SHARE=host
[ -z "$pool" ] || chown -R 0 "$scratch/leases"
taken=$("$frazil" lease list --json "$leases" | grep -c '"worker"')
[ "$taken" -le 2 ] || fail "its children took $taken worker ids"

echo "-- a user without a home, as README.md has it"
if [ -n "$user" ]; then
    rm -rf "/var/lib/frazil-$user"
    install -d -o "$user" -m 700 "$scratch/www"
    as_service() {
        env -i HOME=/nonexistent "FRAZIL_HOST_DIR=$scratch/www" "FRAZIL_RUN_DIR=$scratch/www/run" setpriv --reuid "$user" --regid "$user" --clear-groups \
            php -n -d "extension=$extension" -r 'echo Frazil\Generator::open("worker=fixed:7")->next() > 0 ? "an id" : "none";' 2>&1
    }
    as_service | grep -q "have root make /var/lib/frazil-$user for this user" || fail 'it does not say what is missing'
    sh -e "$scratch/install"
    [ "$(as_service)" = 'an id' ] || fail "there is no id: $(as_service)"
    rm -rf "/var/lib/frazil-$user"
fi

echo "-- the README"
awk '/^```php$/ { inside = 1; print "<?php"; next } /^```/ { inside = 0 } inside' "$here/README.md" >"$scratch/readme.php"
FRAZIL_WORKER=fixed:7 php_with "$scratch/readme.php" >"$scratch/readme.out" || { cat "$scratch/readme.out"; exit 1; }
[ -s "$scratch/readme.out" ] || fail "the README prints nothing"
