#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: frazil-php-VERSION.tgz, which phpize and PIE build from, with the library in it, and the packages
# for Composer.
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
cp -R "$tree/bindings/php/packages" "$scratch/packages"
pack() {
    tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$2.tgz" "$2"
    echo "$out/$2.tgz"
}
pack "$scratch" "frazil-php-$version"
for name in konayuki kasumi; do
    cp "$tree/LICENSE" "$scratch/packages/$name"
    mv "$scratch/packages/$name" "$scratch/packages/frazil-$name-$version"
    pack "$scratch/packages" "frazil-$name-$version"
done
