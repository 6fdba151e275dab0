#!/bin/sh
# SPDX-License-Identifier: MIT
# counted.sh ROOT: no target of the Makefile is silent on a terminal while it works.  Each command of a recipe counts (aloud,
# quietly, or a script of tools/ that does), is one that tells how far it is, or ends at once: those of the last two kinds are listed here.
set -eu
cd "$1"

# commands: those of all recipes, each behind its line and a colon.  Quotes and brackets hold a command together.
commands() {
    awk '
        !/^\t/ { recipe = !(/\\$/ && /=/); next } # or the list of a variable goes on
        !recipe { next }
        { line = $0; at = NR }
        { while (line ~ /\\$/ && (getline more) > 0) { sub(/^\t*/, "", more); line = substr(line, 1, length(line) - 1) more } }
        {
            command = quote = ""; depth = 0
            for (i = 2; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (quote != "") { if (c == quote) quote = "" }
                else if (c == "\"" || c == "\047") quote = c
                else if (c == "(") depth++
                else if (c == ")") depth--
                else if (depth == 0 && c ~ /[;&|]/ && substr(line, i - 1, 1) != ">") { print at ":" command; command = ""; continue }
                command = command c
            }
            print at ":" command
        }' Makefile |
        sed -E 's/^([0-9]+):[@ {]*((do|then|else|if) +)*/\1:/; :again; s/:[A-Za-z_]+=("[^"]*"|[^" ]*)( +|$)/:/; t again; /:[ }]*$/d'
}

# counts COMMAND: whether it is a script of tools/ that does so itself.
counts() {
    script=$(echo "$1" | sed -n 's|^sh \(tools/[a-z-]*\)\( .*\)\{0,1\}$|\1|p')
    case $script in
    tools/quietly) return 0 ;;
    *) [ -n "$script" ] && grep -qE '/(counting\.sh|quietly)' "$script" ;;
    esac
}

# shellcheck disable=SC2016 # words of make
commands | while IFS=: read -r at command; do
    case $command in
    '$(call aloud,'* | '$(call quietly,'* | '$(call build,'* | '$(call test,'* | '$(call campaign'* | '$(packages)') ;;
    '$(CMAKE) --build '* | '$(CMAKE) --install '* | '$(MAKE) '*) ;; # they tell how far they are
    '[ '* | awk\ * | done | echo\ * | exit* | export\ * | fi | fi\ * | find\ * | for\ * | grep\ * | ldconfig* | ln\ * | mkdir\ * | rm\ * | touch\ * | true) ;;
    'sh tools/demo '* | 'sh tools/give-back '*) ;; # they end at once
    *) counts "$command" || echo "Makefile:$at: not counted on a terminal, see aloud and quietly there: $command" ;;
    esac
done | awk '{ print; bad = 1 } END { exit bad }' >&2
[ "$(commands | wc -l)" -gt 0 ] || { echo 'Makefile: no recipe was found' >&2 && exit 1; }
