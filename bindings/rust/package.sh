#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh TREE OUT: writes the crates frazil-sys and frazil into OUT, as crates.io takes them, with frazil.c inside.
set -eu

tree=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Cargo takes what lies in the folder, so it is a copy: what is made for the package is not left in the tree.
cp -R "$tree/bindings/rust" "$scratch/rust"
rm -rf "$scratch/rust/target" "$scratch/rust/against"
sh "$tree/tools/amalgamate" "$scratch/rust/frazil-sys/vendor" >/dev/null

# cargo package asks the registry for the crates of all features, and wants to find frazil-sys there, where it may not be yet.  So
# the archive is made of what the manifest includes, with the manifest as crates.io would see it.
for crate in frazil-sys frazil; do
    cd "$scratch/rust/$crate"
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
    name=$crate-$version
    mkdir -p "$scratch/$name"
    sed -n 's/^include = \[\(.*\)\]/\1/p' Cargo.toml | tr -d '" ' | tr ',' '\n' | sed 's|^/||' >"$scratch/list"
    while read -r file; do
        mkdir -p "$scratch/$name/$(dirname "$file")"
        cp -R "$file" "$scratch/$name/$file"
    done <"$scratch/list"
    sed 's/, path = "[^"]*"//' Cargo.toml >"$scratch/$name/Cargo.toml"
    tar -C "$scratch" --sort=name --owner=0 --group=0 --mtime=@0 -czf "$out/$name.crate" "$name"
    echo "$out/$name.crate"
done
