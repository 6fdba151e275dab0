#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh OUT [MANUAL]: writes OUT/frazil.html, the page in one file: its markup, style and script, and the command as WebAssembly.
# It leads to MANUAL, the address of the manual; by default to OUT/manual, if that is there.
# CLANG is the compiler, which needs wasm-ld, its runtime for wasm32 and a libc for WASI.
set -eu

tree=$(realpath "$(dirname "$0")/..")
mkdir -p "$1"
out=$(realpath "$1")
manual=
if [ -n "${2:-}" ]; then
    manual=" <a href=\"$2\">Manual</a>"
elif [ -e "$out/manual/index.html" ]; then # frazild serves none
    manual=' <a href="manual/index.html" data-disk>Manual</a>'
fi
clang=${CLANG:-clang}
libc=/usr/lib/wasm32-wasi/libc.a
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$tree"

for needed in "$clang" "$("$clang" -print-prog-name=wasm-ld 2>/dev/null || echo wasm-ld)" openssl; do
    command -v "$needed" >"$scratch/found" || missing=$needed
done
[ -e "$libc" ] || missing=$libc
[ -z "${missing:-}" ] || {
    echo "web/build.sh: $missing is missing: the page needs clang, its linker and libc for WebAssembly, and openssl" \
        "(Debian: clang lld-14 libclang-rt-14-dev-wasm32 wasi-libc openssl)" >&2
    exit 1
}

# sources: the command's files that need neither files nor a generator, and what is pure of the libraries: no salt.c.
sources() {
    echo web/main.c src/core/*.c src/extras/[!s]*.c src/extras/s[!a]*.c src/config/keys.c src/config/quotes.c src/cli/cli.c
    for file in candidates cmd_convert cmd_inspect cmd_layout cmd_range cmd_worker color complain fields fit guess hex \
        ids_form ids_layout lines not_decimal options output page picture rounded values visible; do
        echo "programs/frazil/$file.c"
    done
}

# shellcheck disable=SC2046 # a file a word
"$clang" --target=wasm32-wasi --sysroot=/usr -std=c11 -D_POSIX_C_SOURCE=200809L -Oz -flto -DNDEBUG -Wl,--gc-sections -Wl,--strip-all \
    -Wl,--export=__stack_pointer -DFRAZIL_API= -DFZ_PRIVATE= -DFRAZIL_PAGE='""' -Iinclude -Isrc -Iprograms/frazil \
    -o "$scratch/frazil.wasm" $(sources)

# forms: the text forms of both kinds of ids, as the table of the public header has them.
forms() {
    printf "const FORMS = ['sno', 'uuid'"
    sed -n '/^#define FRAZIL_TEXTS(X)/,/[^\\]$/s/^ *X([^"]*"\([a-z0-9]*\)".*/, '"'\\1'"'/p' include/frazil/text.h | tr -d '\n'
    printf '];\n\n'
}

{
    forms
    printf "const WASM =\n  '%s';\n\n" "$(gzip -9 -n -c "$scratch/frazil.wasm" | base64 -w 0)"
    # Comments are for those who read web/, not for the wire.
    sed '/^ *\/\//d; /^\/\* global/d; /^ *\/\*\*.*\*\/$/d; /^ *\/\*\*/,/\*\/$/d' web/command.js web/page.js
} >"$scratch/script"
cp web/page.css "$scratch/style"

# hash FILE: what a policy names an inline script or style by.
hash() {
    printf "'sha256-%s'" "$(openssl dgst -sha256 -binary "$1" | base64)"
}

policy="default-src 'none'; script-src $(hash "$scratch/script") 'wasm-unsafe-eval'; style-src $(hash "$scratch/style"); \
connect-src 'self'; base-uri 'none'; form-action 'none'"

# Each part is put in whole, without a byte more: the policy is over exactly what stands between the tags.
while IFS= read -r line; do
    case $line in
    *@MANUAL@*) printf '%s\n' "${line%@MANUAL@*}$manual${line#*@MANUAL@}" ;;
    *@POLICY@*) printf '%s\n' "${line%@POLICY@*}$policy${line#*@POLICY@}" ;;
    *@STYLE@*) printf '%s' "${line%@STYLE@*}" && cat "$scratch/style" && printf '%s\n' "${line#*@STYLE@}" ;;
    *@SCRIPT@*) printf '%s' "${line%@SCRIPT@*}" && cat "$scratch/script" && printf '%s\n' "${line#*@SCRIPT@}" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <web/page.html >"$out/frazil.html.new"
mv "$out/frazil.html.new" "$out/frazil.html"
