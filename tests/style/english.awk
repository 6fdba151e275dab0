# SPDX-License-Identifier: MIT
# Prints FILE:LINE: RULE: WORDS for all that is not plain English in pages, manual pages, comments and sentences of programs.
# Text is gathered into paragraphs of words; each word knows its line.

BEGIN {
    max_sentence = 40
    max_paragraph = 120
    # An old idiom, as an expression over text in small letters; behind a tab what to write instead.
    idioms = \
        "draws? lots?\tmay collide\n" \
        "drawn by lot\tmay collide\n" \
        "(is|are|was|were) obeyed\thonours\n" \
        "founds (it|the|a)\tcreates\n" \
        "can be had\tis available\n" \
        "had a horizon after\tavailable one horizon later\n" \
        "the word about\tthe warning about\n" \
        "honest to the\taccurate to the\n" \
        "should (he|it) live\tif it is still running\n" \
        "not waiting for it\tto avoid the wait\n" \
        "(is|are) not carried over\twe do not reproduce\n" \
        "(not|never) come so far\tthe step that may be missing\n" \
        "it is done in any case\twhat happened\n" \
        "got fewest\tsmallest share\n" \
        "makes pages for a browser\tbuilds an HTML manual\n" \
        "an error being\treturns\n" \
        "clock'?s'? going back\ta clock that goes back\n" \
        "asked of the source\tthe source handles\n" \
        "does not tell its\tdoes not report its\n" \
        "could stand there\tother characters\n"
    idiom_count = split(idioms, rows, "\n") - 1
    for (i = 1; i <= idiom_count; i++) {
        split(rows[i], cell, "\t")
        idiom[i] = "[^a-z]" cell[1] "[^a-z]"
        instead[i] = cell[2]
    }
}

function report(line, rule, text) {
    printf "%s:%d: %s: %s\n", file, line, rule, substr(text, 1, 90)
}

# Adds the words of a line to the paragraph.
function gather(text, line,    part, k, count) {
    count = split(text, part, /[ \t]+/)
    for (k = 1; k <= count; k++) {
        if (part[k] ~ /[A-Za-z0-9]/) {
            word[++words] = part[k]
            where[words] = line
        } else if (part[k] ~ /[.?!]/ && words > 0) {
            word[words] = word[words] part[k] # code, and then the end of the sentence
        }
    }
}

function joined(from, to,    text, k) {
    text = word[from]
    for (k = from + 1; k <= to; k++) text = text " " word[k]
    return text
}

# Whether a sentence ends behind a word.
function ends(k) {
    return k == words || (word[k] ~ /[.?!]["')*_\]]*$/ && word[k] !~ /(^|[^A-Za-z])(e\.g|i\.e|etc|vs|cf|Fig|No)\.$/)
}

function sentence(from, to, is_comment,    text, first, second) {
    if (to - from + 1 > max_sentence) report(where[from], "sentence of " (to - from + 1) " words", joined(from, to))
    text = word[to]
    if (text ~ /\?["')*_\]]*$/ || (text ~ /:["')*_\]]*$/ && to == words)) return # a question, or what stands above a list
    first = word[from]
    second = from < to ? word[from + 1] : ""
    if (is_comment && from == 1) first = toupper(substr(first, 1, 1)) substr(first, 2)
    if (first ~ /^(What|Who|Whoever|Whatever)$/ || (first ~ /^(So|As)$/ && second == "many") || (first == "That" && second == "it"))
        report(where[from], "headless opening", joined(from, to))
}

# Judges the paragraph that was gathered, and begins the next one.
function flush_words(is_comment,    k, from, text, lower) {
    if (words > 0) {
        if (words > max_paragraph) report(where[1], "paragraph of " words " words", joined(1, 12))
        from = 1
        for (k = 1; k <= words; k++) {
            if (ends(k)) {
                sentence(from, k, is_comment)
                from = k + 1
            }
            if (word[k] ~ /^[("'*_]*([Hh]e|[Hh]im|[Hh]is|[Hh]imself)[)"'*_.,;:?!]*$/)
                report(where[k], "a process is it", joined(k > 3 ? k - 3 : 1, k < words - 3 ? k + 3 : words))
        }
        lower = " " tolower(joined(1, words)) " "
        for (k = 1; k <= idiom_count; k++) {
            if (match(lower, idiom[k])) report(where[1], "write '" instead[k] "'", substr(lower, RSTART, 70))
        }
    }
    words = 0
}

function markdown(text, line,    column, k, count) {
    if (text ~ /^ *```/) { flush_words(0); fenced = !fenced; return }
    if (fenced) return
    if (text ~ /^#/ || text ~ /^<!--/ || text ~ /^ *$/ || text ~ /^(    |\t)/ && words == 0) { flush_words(0); return }
    gsub(/`[^`]*`/, "CODE", text)
    gsub(/\]\([^)]*\)/, "]", text)
    if (text ~ /^ *\|/) {
        flush_words(0)
        if (text ~ /^[ |]*$/) report(line, "no heads", "a table says what its columns are")
        count = split(text, column, "|")
        for (k = 1; k <= count; k++) { gather(column[k], line); flush_words(0) }
        return
    }
    if (text ~ /^ *([-*]|[0-9]+\.) /) flush_words(0)
    gather(text, line)
}

function manual_page(text, line,    macro) {
    if (text ~ /^\.\\"/) return
    if (text ~ /^\.Bd/) { flush_words(0); literal = 1; return }
    if (text ~ /^\.Ed/) { literal = 0; return }
    if (literal) return
    if (text ~ /^\.(Sh|Ss|Pp|Bl|El|Dd|Dt|Os|Nm|Nd|Ft|Fo|Fc|Fa|Fd|In|Dl|D1)( |$)/) { flush_words(0); return }
    if (text ~ /^\.It/) { flush_words(0); return }
    if (text ~ /^\./) {
        text = " " text " "
        while (gsub(/ \.?[A-Z][a-z] /, " ", text)) { } # macros
    }
    gather(text, line)
}

# The comments of C; its strings, where they are sentences.  Strings of an array or macro whose name says so are SQL or Lua.
function c_source(text, line,    rest, at, string) {
    rest = text
    if (!in_comment && text ~ /(script|sql)(_text)?\[\] =|^#define [A-Z_]*PRELUDE /) in_code = 1
    if (in_code) {
        if (text !~ /\\$/ && text !~ /"$/ && text !~ /=$/ && text !~ /PRELUDE$/) in_code = 0
        return
    }
    if (in_comment) {
        at = index(rest, "*/")
        comment_line(at ? substr(rest, 1, at - 1) : rest, line)
        if (!at) return
        flush_words(1)
        in_comment = 0
        rest = substr(rest, at + 2)
    }
    if (rest !~ /^[ \t]*"/) flush_words(0) # a string goes on in the next line, where that begins with one
    while (rest != "") {
        if (!match(rest, /"|\/\*|\/\/|'.'|'\\.'/)) return
        at = RSTART
        string = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (string == "//") {
            flush_words(0)
            comment_line(rest, line)
            flush_words(1)
            return
        }
        if (string == "/*") {
            flush_words(0)
            at = index(rest, "*/")
            comment_line(at ? substr(rest, 1, at - 1) : rest, line)
            if (!at) { in_comment = 1; return }
            flush_words(1)
            rest = substr(rest, at + 2)
        } else if (string == "\"") {
            if (!match(rest, /^([^"\\]|\\.)*"/)) return
            string = substr(rest, 1, RLENGTH - 1)
            rest = substr(rest, RLENGTH + 1)
            if (string ~ / .* .* /) {
                gsub(/\\n/, " ", string)
                gather(string, line)
                if (string ~ /\\n$/ || rest ~ /[,;]/) flush_words(0)
            }
        }
    }
}

function comment_line(text, line) {
    sub(/^[ \t]*\*?/, "", text)
    if (text ~ /SPDX|clang-format/) return
    if (text ~ /^[ \t]*$/ || text ~ /^    /) { flush_words(1); return } # what is indented is an example
    if (text ~ /^ *- /) flush_words(1)
    gather(text, line)
}

function shell_source(text, line) {
    if (text !~ /^[ \t]*#( |$)/ || text ~ /SPDX|shellcheck/ || text ~ /^[ \t]*# *$/) { flush_words(1); return }
    sub(/^[ \t]*#/, "", text)
    if (text ~ /^    /) { flush_words(1); return }
    if (text ~ /^ *- /) flush_words(1)
    gather(text, line)
}

FNR == 1 {
    flush_words(0)
    file = FILENAME
    fenced = literal = in_comment = in_code = 0
}
file ~ /\.md$/ { markdown($0, FNR); next }
file ~ /\.[1-9]$/ { manual_page($0, FNR); next }
file ~ /\.[ch]$/ { c_source($0, FNR); next }
{ shell_source($0, FNR) }
END { flush_words(0) }
