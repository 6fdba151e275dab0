#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh ROOT: what `make release` refuses, and what it writes into the tree before anything is built: the version, in each place
# that repeats it, symbols and scripts that no release had, an entry of Debian for each release.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
mkdir "$tree"
cd "$1"
sh tools/sources all | grep -vE '^tests/(mutants|vectors|conformance)/' | tar -cf - -T - | tar -xf - -C "$tree"
cd "$tree"
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t GIT_CONFIG_GLOBAL=/dev/null
git init -q -b main .

fail() {
    echo "$1" >&2
    [ ! -e "$scratch/said" ] || cat "$scratch/said" >&2
    exit 1
}

commit() {
    git add -A
    git commit -q -m x
}

# refuses SENTENCE VERSION
refuses() {
    before=$(git rev-parse HEAD)
    sh tools/release "$2" 1 check soak >"$scratch/said" 2>&1 && fail "it does not refuse: $1"
    grep -qF "$1" "$scratch/said" || fail "it does not say: $1"
    [ ! -e build/release-"$2" ] || fail "it built, and refused: $1"
}

# entry VERSION: the change log's first.
entry() {
    sed -i "0,/^## .*/s//## $1, 2031-02-03/" CHANGELOG.md
}

# says NUMBER PATTERN FILE: so many lines of the file are like that.
says() {
    [ "$(grep -c -- "$2" "$3")" = "$1" ] || fail "$3 has not $1 lines like: $2"
}

sed -i 's/^## .*/## 0.0.1, not yet released/' CHANGELOG.md
commit
old=$(sh tools/version)
symbols=$(cat debian/*.symbols | grep -c " $old\$") || fail "no symbol is new"

refuses 'make release VERSION=' ''
refuses 'make release VERSION=' 1.0
refuses "CHANGELOG.md begins with '## 0.0.1, not yet released'" 12.34.56
entry 12.34.56
refuses 'the tree has changes' 12.34.56
commit
refuses 'a maintainer is at example.org, where no mail arrives: write a real address into debian/control, and commit' 12.34.56
[ "$(git rev-parse HEAD)" = "$before" ] || fail "it wrote into the tree, and refused"
sed -i 's/^Maintainer: .*/Maintainer: Ada \& co <ada@mail.example.com.aq>/' debian/control
commit
sed -i 's/^set(FRAZIL_SOVERSION [0-9]*/set(FRAZIL_SOVERSION 12/' CMakeLists.txt
commit
refuses 'docs/performance.md: is of frazil' 12.34.56
[ "$(git rev-parse HEAD^)" = "$before" ] || fail "it did not commit the version, once"
[ "$(sh tools/version)" = 12.34.56 ] || fail "the header has another version"
sh tools/version --check >"$scratch/said" || fail "places say another version"
git grep -nF "$old" -- bindings/*/*.sh bindings/*/src bindings/*/*/src databases docs debian include man tools ':!docs/performance.md' |
    grep -v '"meta-spec"' >"$scratch/said" &&
    fail "places of the version that tools/version does not know"
[ "$(cat debian/*.symbols | grep -c ' 12\.34\.56$')" = "$symbols" ] || fail "symbols are of a version that was not released"
says 1 '^frazil (' debian/changelog
says 1 '^ -- Ada & co <ada@mail\.example\.com\.aq>  Mon, 03 Feb 2031 00:00:00 +0000$' debian/changelog
[ -e databases/postgresql/frazil--12.34.sql ] || fail "the extension's script has the version that was not released"
says 1 "^default_version = '12.34'" databases/postgresql/frazil.control

sed -i 's/; frazil [0-9.]*, /; frazil 12.34.0, /' docs/performance.md
commit
refuses 'this commit has not passed check soak: run make before-release' 12.34.56
mkdir -p build
echo "$(git rev-parse HEAD) check" >build/tried
refuses 'this commit has not passed soak: run make before-release' 12.34.56
git tag v12.34.56 HEAD^
refuses 'v12.34.56 is another commit' 12.34.56

# The next one, after a release.
git tag -f v12.34.56 >/dev/null
sed -i '0,/^## /s//## 12.34.57, 2031-03-04\n\n## /' CHANGELOG.md
commit
refuses 'this commit has not passed check soak' 12.34.57
sh tools/version --check >"$scratch/said" || fail "places say another version"
says 2 '^frazil (' debian/changelog
says 1 '^frazil (12.34.56)' debian/changelog
[ "$(cat debian/*.symbols | grep -c ' 12\.34\.56$')" = "$symbols" ] || fail "released symbols have another version"
[ -e databases/postgresql/frazil--12.34.sql ] || fail "a released script is gone"

# make check-dist, which runs for releases alone, takes what this prints for the tarball's name.
mkdir "$scratch/dist"
sh tools/dist "$scratch/dist" >"$scratch/said"
[ "$(cat "$scratch/said")" = "$scratch/dist/frazil-12.34.57.tar.gz" ] || fail "tools/dist prints more than the tarball's name"

# The bill of materials, whose list of libraries could otherwise refuse after half an hour.
mkdir "$scratch/files"
echo one >"$scratch/files/one"
if command -v python3 >/dev/null; then
    python3 tools/spdx "$scratch/files" 12.34.57 0 >"$scratch/said" 2>&1 || fail "there is no bill of materials"
    grep -qE '"documentNamespace": "https://spdx\.org/spdxdocs/frazil-12\.34\.57-[0-9a-f-]{36}"' "$scratch/said" ||
        fail "the bill of materials is at a site of somebody else's"
fi
echo "a release is refused as long as something is missing"
