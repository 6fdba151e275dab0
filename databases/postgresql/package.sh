#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: writes the extension for PostgreSQL as frazil-VERSION.zip into OUT/postgresql, as PGXN takes it: with frazil.c
# inside and META.json.  `make && make install` in it needs nothing else.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/postgresql"
out=$(realpath "$2/postgresql")
version=$(sh "$tree/tools/version")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
package=frazil-$version

mkdir "$scratch/$package"
cd "$tree/databases/postgresql"
cp -R Makefile README.md frazil.control ./*.c ./*.h ./*.sql sql expected t "$scratch/$package"
cp "$tree/LICENSE" "$scratch/$package"
sh "$tree/tools/amalgamate" "$scratch/$package" >/dev/null
cd "$scratch"
script=frazil--$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$package/frazil.control").sql
comment=$(sed -n "s/^comment = '\(.*\)'/\1/p" "$package/frazil.control")
cat >"$package/META.json" <<END
{
  "name": "frazil",
  "abstract": "$comment",
  "version": "$version",
  "maintainer": "$(sed -n 's/^Maintainer: //p' "$tree/debian/control")",
  "license": "mit",
  "provides": {
    "frazil": {
      "abstract": "$comment",
      "file": "$script",
      "docfile": "README.md",
      "version": "$version"
    }
  },
  "prereqs": {"runtime": {"requires": {"PostgreSQL": "15.0.0"}}},
  "tags": ["id", "snowflake", "primary key", "bigint"],
  "meta-spec": {"version": "1.0.0", "url": "https://pgxn.org/meta/spec.txt"}
}
END
[ -e "$package/$script" ] || { echo "package.sh: frazil.control names $script, which there is not" >&2 && exit 1; }
find "$package" -type f | LC_ALL=C sort >list
rm -f "$out/$package.zip"
cmake -E tar cf "$out/$package.zip" --format=zip --mtime='1980-01-01 00:00:00 UTC' --files-from=list
echo "$out/$package.zip"
