#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: frazil-php-VERSION.tgz, which phpize and PIE build from, with the library in it.
set -eu

tree=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
version=$(sed -n 's/^#define FRAZIL_VERSION "\(.*\)"/\1/p' "$tree/include/frazil.h")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

package=$scratch/frazil-php-$version
mkdir "$package"
(cd "$tree/bindings/php" && cp ./*.c ./*.h config.m4 composer.json frazil.stub.php README.md "$package")
cp "$tree/LICENSE" "$package"
sh "$tree/tools/amalgamate" "$package" >/dev/null
tar -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/frazil-php-$version.tgz" "frazil-php-$version"
echo "$out/frazil-php-$version.tgz"
