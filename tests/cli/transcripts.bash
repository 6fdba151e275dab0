# SPDX-License-Identifier: MIT
# Pages of the manual as tests: what they show is what one gets.

# blocks MARK PAGE: the lines of its fenced blocks that are marked with exactly MARK.
blocks() {
    awk -v fence='```'"$1" '/^```/ { inside = inside ? 0 : $0 == fence ? 1 : 2; next } inside == 1' "$2"
}

# replay: a transcript on standard input again, with what the commands print now.  No $ line, no output.  A command goes on
# in the next line after a backslash.
replay() {
    local line more
    while IFS= read -r line; do
        [[ $line == '$ '* ]] || continue
        while [[ $line == *\\ ]] && IFS= read -r more; do
            line+=$'\n'$more
        done
        echo "$line"
        eval "${line#'$ '}" 2>&1 </dev/null || true
    done
}
