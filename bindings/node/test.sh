#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh TREE BUILD: packs the package, installs it elsewhere, and tests it there: with node:test, tsc, eslint, prettier.
# Everything that it makes lies in BUILD/bindings/node.
set -eu

tree=$(realpath "$1")
mkdir -p "$2/bindings/node"
work=$(realpath "$2/bindings/node")
build=$(realpath "$2")
binding=$tree/bindings/node

# Neither the settings of the test's user nor those of another test reach the generators.
# shellcheck disable=SC2046 # a list of names
unset $(env | sed -n 's/^\(FRAZIL_[A-Z_]*\)=.*/\1/p')
rm -rf "$work/host"
export FRAZIL_HOST_DIR="$work/host"

sh "$tree/tools/amalgamate" "$work/amalgamation" >/dev/null
export AMALGAMATION="$work/amalgamation"
tarball=$(sh "$binding/package.sh" "$tree" "$work/packages")

# A stranger's project, with what the tests need beside it.
rm -rf "$work/project"
mkdir "$work/project"
cp -R "$binding/test/." "$work/project"

cd "$work/project"
npm ci --silent --no-audit --no-fund
npm install --silent --no-audit --no-fund --no-save --ignore-scripts "$tarball"

mkdir package
cp -R "$binding"/*.js "$binding"/*.ts "$binding"/*.mts "$binding/lib" "$binding/bench" package
cp -R "$binding/examples" "$binding/browser/bridge.mjs" package
npx --no-install eslint .
npx --no-install prettier --log-level warn --check .
npx --no-install tsc --noEmit --strict --module node16 --target es2022 --lib es2022,esnext.disposable types.ts types.mts
rm -r package

export TEST_CASES="$tree/bindings/conformance/cases.jsonl" TEST_VECTORS="$tree/tests/vectors"
export TEST_SOURCES="$tree" TEST_BUILD="$build"
node --expose-gc --test --test-reporter=spec .

# From source, where what the package brings does not load.
rm -r node_modules/frazil/prebuilds
npm_config_nodedir=$(node -p 'require("path").resolve(fs.realpathSync(process.execPath), "../..")')
export npm_config_nodedir
if (CC=/nonexistent npm rebuild --foreground-scripts frazil) >"$work/refusal" 2>&1; then
    echo "it was built without a compiler"
    exit 1
fi
grep -q 'it needs a C compiler, make, Python 3' "$work/refusal" || { cat "$work/refusal"; exit 1; }
npm rebuild --foreground-scripts frazil >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
node --test --test-reporter=dot conformance.test.js vectors.test.js

# With the library of the system.
if [ ! -e "$build/libfrazil.so" ] && [ -z "$(find "$build" -name 'libfrazil.so*' -print -quit)" ]; then
    echo "left out: libfrazil is not in $build"
    exit
fi
rm -rf "$work/root"
DESTDIR=$work/root cmake --install "$build" >/dev/null
prefix=$work/root$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
lib=$(dirname "$(find "$work/root" -name libfrazil.so | head -n 1)")
# pkg-config knows where it would be installed, not where it is.
FRAZIL_SYSTEM=1 PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root CFLAGS="-I$prefix/include" LDFLAGS="-L$lib" \
    npm rebuild --foreground-scripts frazil >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
readelf -d node_modules/frazil/build/Release/frazil.node | grep -q '(NEEDED).*libfrazil' || { echo "it is not linked with libfrazil"; exit 1; }
LD_LIBRARY_PATH=$lib node --test --test-reporter=dot conformance.test.js vectors.test.js

# A library of another version is refused.
printf '#include <stdint.h>\nuint32_t frazil_version_number(void) { return 9000000; }\n' >"$work/other.c"
${CC:-cc} -shared -fPIC -o "$work/other.so" "$work/other.c"
if LD_PRELOAD=$work/other.so LD_LIBRARY_PATH=$lib node -e 'require("frazil")' 2>"$work/refusal"; then
    echo "a library of version 9.0 was not refused"
    exit 1
fi
grep -q 'compiled for another version of libfrazil' "$work/refusal" || { cat "$work/refusal"; exit 1; }
