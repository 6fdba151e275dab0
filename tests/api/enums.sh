#!/bin/sh
# SPDX-License-Identifier: MIT
# enums.sh ROOT LIBRARY: each public enum is four bytes long whatever a program's compiler is told, so that it and LIBRARY
# (a .so) agree about arguments and room.  A program that has short enums can use the library.
set -eu
cd "$1"
library=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

enums=$(find include -name '*.h' | LC_ALL=C sort | xargs sed -n 's/^typedef enum \([a-z_0-9]*\) {$/\1/p')
[ -n "$enums" ] || { echo "no enum found"; exit 1; }
{
    find include -name '*.h' | LC_ALL=C sort | sed 's|^include/\(.*\)|#include <\1>|'
    for enum in $enums; do
        echo "typedef char ${enum}_has_four_bytes[sizeof($enum) == 4 ? 1 : -1];"
    done
} >"$scratch/enums.c"

# compiles COMPILER LANGUAGE STANDARD: with enums as they are, and short.
compiles() {
    command -v "$1" >"$scratch/path" || return 0
    for flag in -fno-short-enums -fshort-enums; do
        if ! "$1" -x "$2" "-std=$3" -Iinclude "$flag" -fsyntax-only "$scratch/enums.c" 2>"$scratch/output"; then
            sed -n 's/.*[^a-z_]\(frazil_[a-z_]*\)_has_four_bytes.*/\1/p' "$scratch/output" | sort -u | while read -r enum; do
                echo "$enum is not an int: $1, $3, $flag"
            done
            grep -q has_four_bytes "$scratch/output" || cat "$scratch/output"
            exit 1
        fi
    done
}

for cc in "${CC:-cc}" gcc clang; do
    compiles "$cc" c c99
done
for cxx in "${CXX:-c++}" g++ clang++; do
    compiles "$cxx" c++ c++11
done

cat >"$scratch/short.c" <<'EOF'
#include <frazil.h>
#include <stdio.h>
#include <string.h>

static int bad;

/* What a call filled ends where it should, and what it said is right. */
static void expect(const char *what, int is)
{
    if (!is) {
        printf("short enums: %s\n", what);
        bad = 1;
    }
}

int main(void)
{
    struct {
        frazil_text form;
        unsigned char behind[8];
    } asked;
    frazil_layout_info info;
    frazil_layout layout;
    uint64_t id = 0;
    char text[FRAZIL_TEXT_SIZE];
    size_t len = 0;
    frazil *gen = NULL;
    frazil_health health;

    memset(&asked, 0x55, sizeof asked);
    expect("strerror", strcmp(frazil_err_name(FRAZIL_EFULL), "FRAZIL_EFULL") == 0);
    expect("classify", frazil_err_classify(FRAZIL_EAGAIN) == FRAZIL_CLASS_RETRY);
    expect("class name", strcmp(frazil_err_class_name(FRAZIL_CLASS_FATAL), "fatal") == 0);
    expect("text name", strcmp(frazil_text_name(FRAZIL_TEXT_HEX), "hex") == 0);
    expect("layout", frazil_layout_parse("twitter", 7, &layout, NULL) == FRAZIL_OK && layout.kind == FRAZIL_LAYOUT_64);
    frazil_layout_get_info(&layout, &info, sizeof info);
    expect("open", frazil_open(&gen, "worker=fixed:1 state=memory", NULL) == FRAZIL_OK);
    if (gen == NULL)
        return 1;
    expect("next", frazil_next(gen, &id) == FRAZIL_OK);
    expect("format", frazil_id_format(FRAZIL_TEXT_HEX, id, text, sizeof text, &len) == FRAZIL_OK);
    expect("parse", frazil_id_parse(FRAZIL_TEXT_HEX, text, len, &id, NULL) == FRAZIL_OK);
    frazil_get_health(gen, &health, sizeof health, NULL);
    expect("health", health.state == FRAZIL_HEALTH_SERVING);
    expect("text by name", frazil_text_by_name("hex", &asked.form, NULL) == FRAZIL_OK && asked.form == FRAZIL_TEXT_HEX);
    expect("nothing behind an enum is written", asked.behind[0] == 0x55 && asked.behind[7] == 0x55);
    frazil_close(gen);
    return bad;
}
EOF
"${CC:-cc}" -std=c99 -fshort-enums -Iinclude -o "$scratch/short" "$scratch/short.c" "$library"
LD_LIBRARY_PATH=$(dirname "$library") "$scratch/short"
echo "$(echo "$enums" | wc -l) enums are ints"
