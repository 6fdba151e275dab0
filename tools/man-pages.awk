# SPDX-License-Identifier: MIT
# Writes the pages of section 3 into the folder `out`, from the comments of the public headers.
#
# A page is a header, or a section of it (---- title ----).  It is named by the first of its functions that can fail, or
# else by its first function, or by its header; that of frazil.h is libfrazil(3), which leads to all others.  Every other
# function of it is an alias.  Its date is that of the page in troff which stands among the files.

FNR == 1 { file = FILENAME; count = 0 }
FILENAME ~ /\.[1-8]$/ { if (/^\.Dd /) date = $0; next }
{ line[++count] = $0 }
/^#include "frazil\// { in_frazil_h["include/" substr($2, 2, length($2) - 2)] = 1 }
/^#endif$/ { header() } # the last line

END {
    for (page = 1; page <= pages; page++) name_page()
    for (page = 1; page <= pages; page++) if (is_page(page)) write_page()
}

# ---- reading -------------------------------------------------------------------------

function header() {
    for (i = 2; i <= count; i++) {
        if (i == 2) {
            head[file] = comment()
            new_page(first_words(head[file]))
        } else take(line[i])
    }
}

function new_page(name) {
    title[++pages] = (name ~ /^[A-Z][a-z ]/ ? tolower(substr(name, 1, 1)) : substr(name, 1, 1)) substr(name, 2)
    header_of[pages] = file
    entry = 0
}

# The words that a header begins with, up to the first comma or the end of the sentence.
function first_words(text) {
    gsub(/\n/, " ", text)
    sub(/[,.]( .*|$)/, "", text)
    return text
}

function take(text) {
    if (text ~ /^\/\* clang-format/ || text ~ /^FRAZIL_(BEGIN|END)_DECLS/) return
    if (text ~ /^\/\* ---- /) section(text)
    else if (text == "") entry = 0
    else if (text ~ /^\/\*/) new_entry(comment())
    else if (text ~ /^#define [A-Z_]+\(X\)/) table(text)
    else if (text ~ /^#define [A-Z_]+ /) constant(text)
    else if (text ~ /^#define [A-Z_]+\([a-z]+\)/) add_macro(text)
    else if (text ~ /^#/) return
    else if (text ~ /^typedef .* \{$/) structure(text)
    else if (text ~ /^(typedef|FRAZIL_API) /) declaration(text)
}

function section(text) {
    gsub(/^\/\* -+ | -+ \*\/$/, "", text)
    if (functions[pages] > 0) new_page(text)
    else title[pages] = text
    if (line[i + 1] == "/*") {
        i++
        about[pages] = comment()
    }
    entry = 0
}

function new_entry(text) {
    entry = ++entries[pages]
    contract[pages, entry] = text
}

# Something that the comment above it tells of.
function add_item(text) {
    if (!entry) new_entry("")
    items[pages, entry] = items[pages, entry] (items[pages, entry] == "" ? "" : " , ") text
}

# The comment that begins in this line, as lines without their frame.
function comment(  text, all) {
    for (; i <= count; i++) {
        text = line[i]
        sub(/^ *\/\*( |$)/, "", text)
        sub(/^ *\*( |$)/, "", text)
        sub(/^ *\*\/$/, "", text)
        sub(/ \*\/$/, "", text)
        all = all (all == "" ? "" : "\n") text
        if (line[i] ~ /\*\/$/) break
    }
    sub(/\n$/, "", all)
    return all
}

# What stands behind a declaration; it is cut off from `rest`.
function behind(text) {
    rest = text
    if (!match(text, / +\/\* .* \*\/$/)) return ""
    rest = substr(text, 1, RSTART - 1)
    text = substr(text, RSTART, RLENGTH - 3)
    sub(/^ +\/\* /, "", text)
    return text
}

function table(text) {
    split(text, part, /[ (]/)
    add_item("Dv " part[2])
    rows = 0
    while (line[i] ~ /\\$/) row[++rows] = line[++i]
}

function constant(text,  said) {
    said = behind(text)
    if (said != "") new_entry(said)
    split(rest, part, " ")
    sub(/^#define [A-Z_]+ /, "", rest)
    add_item("Dv " part[2] (rest ~ /^[0-9"][^ ]*$/ ? " Po Li " macro_word(rest) " Pc" : ""))
}

# A macro with an argument.
function add_macro(text) {
    split(text, part, /[ ()]/)
    add_item("Fn " part[2] " " part[3])
}

function structure(text,  said, name) {
    sub(/ \{$/, "", text)
    sub(/^typedef /, "", text)
    name = text
    sub(/.* /, "", name)
    type[name] = 1
    types[pages]++
    add_item("Vt " text)
    for (i++; line[i] !~ /^\}/; i++) {
        if (line[i] ~ /^#define .*_MEMBER|^#define .*_ENUM/) members_of_table(line[i])
        else if (line[i] ~ /^ *\/\*/) said = comment()
        else if (line[i] !~ /^#|^ *FRAZIL_[A-Z_]+\(|^$/) said = member(said)
    }
}

# A member, on one line or several, with the comment above or behind it.
function member(said,  text, more) {
    more = behind(line[i])
    text = rest
    while (text ~ /\(/ && text !~ /;$/) text = text " " line[++i]
    gsub(/^ +|[;,]$/, "", text)
    gsub(/  +/, " ", text)
    if (text ~ / = /) sub(/ = /, " Pq ", text)
    else text = "\"" text "\""
    add_member((text ~ /^FRAZIL_/ ? "Dv " : "Fa ") text, said more)
    return ""
}

function add_member(tag, said,  n) {
    n = ++members[pages, entry]
    member_tag[pages, entry, n] = tag
    member_text[pages, entry, n] = said
}

# The rows of the table are the constants of this enum, or members of this struct: the macro says how they are named.
function members_of_table(text,  prefix, said, j) {
    prefix = text
    sub(/##.*/, "", prefix)
    sub(/.* /, "", prefix)
    for (j = 1; j <= rows; j++) {
        split(row[j], part, /[(,] */)
        said = row[j]
        gsub(/^[^"]*"|"[^"]*$/, "", said)
        gsub(/", *"/, ": ", said)
        if (text ~ /uint64_t/) add_member("Fa \"uint64_t " part[2] "\"", said)
        else add_member("Dv " prefix part[2] " Pq " (part[3] ~ /^-/ ? "\\" : "") part[3] (part[4] ~ /^[A-Z]+$/ ? " , " tolower(part[4]) : ""), said)
        if (prefix == "FRAZIL_") error[part[2]] = 1
    }
}

function declaration(text,  name) {
    while (text !~ /;$/) text = text " " line[++i]
    gsub(/  +/, " ", text)
    if (text ~ /^typedef/) {
        sub(/;$/, "", text)
        name = text
        if (!match(text, /\(\*[a-z_]+\)/)) sub(/.* /, "", name)
        else name = substr(text, RSTART + 2, RLENGTH - 3)
        type[name] = 1
        add_item(text ~ /\(/ ? "Vt \"" text "\"" : "Vt " name)
        return
    }
    if (text ~ /FRAZIL_CHECK/ && !first_to_fail[pages]) first_to_fail[pages] = functions[pages] + 1
    gsub(/FRAZIL_(API|CHECK|PURE) | *FRAZIL_NONNULL\([^)]*\)|;$/, "", text)
    match(text, /[a-z0-9_]+\(/)
    name = substr(text, RSTART, RLENGTH - 1)
    function_name[pages, ++functions[pages]] = name
    function_type[pages, functions[pages]] = substr(text, 1, RSTART - 1)
    function_arguments[pages, functions[pages]] = substr(text, RSTART + RLENGTH, length(text) - RSTART - RLENGTH)
    page_with[name] = pages
    add_item("Fn " name)
}

# ---- writing -------------------------------------------------------------------------

function is_page(p) {
    return functions[p] > 0 || types[p] > 0
}

function name_page(  name) {
    if (header_of[page] == "include/frazil.h") name = "libfrazil"
    else if (first_to_fail[page]) name = function_name[page, first_to_fail[page]]
    else if (functions[page]) name = function_name[page, 1]
    else {
        name = "frazil_" header_of[page]
        gsub(/include\/frazil\/|\.h$/, "", name)
    }
    page_name[page] = name
}

function put(text) {
    print text >(out "/" page_name[page] ".3")
}

function write_page(  name, j) {
    name = page_name[page]
    split("", related)
    put(".\\\" SPDX-License-Identifier: MIT")
    put(".\\\" Written by tools/man-pages from " header_of[page] ".")
    put(date "\n.Dt " toupper(name) " 3\n.Os\n.Sh NAME")
    put(".Nm " name (functions[page] > (name in page_with) ? " ," : ""))
    for (j = 1; j <= functions[page]; j++) if (function_name[page, j] != name) {
        put(".Nm " function_name[page, j] (is_last_name(j, name) ? "" : " ,"))
        print ".so man3/" name ".3" >(out "/" function_name[page, j] ".3")
        close(out "/" function_name[page, j] ".3")
    }
    put(".Nd " title[page])
    put(".Sh LIBRARY\n.Pq Li \"pkg-config --cflags --libs " (match(head[header_of[page]], /pkg-config frazil-[a-zA-Z]+/) \
        ? substr(head[header_of[page]], RSTART + 11, RLENGTH - 11) : "frazil") "\"")
    synopsis()
    put(".Sh DESCRIPTION")
    text_of(head[header_of[page]])
    if (about[page] != "") {
        put(".Pp")
        text_of(about[page])
    }
    if (name == "libfrazil") list_pages()
    for (j = 1; j <= entries[page]; j++) write_entry(j)
    if (in_list) put(".El")
    in_list = 0
    see_also()
    close(out "/" name ".3")
}

function is_last_name(j, name) {
    return j == functions[page] || (j + 1 == functions[page] && function_name[page, j + 1] == name)
}

function synopsis(  j, k, n, argument, path) {
    path = header_of[page]
    put(".Sh SYNOPSIS\n.In " (in_frazil_h[path] ? "frazil.h" : substr(path, 9)))
    for (j = 1; j <= functions[page]; j++) {
        argument = function_type[page, j]
        sub(/ $/, "", argument)
        put(".Ft " (argument ~ / / ? "\"" argument "\"" : argument) "\n.Fo " function_name[page, j])
        n = split(function_arguments[page, j], argument_of, / *, */)
        for (k = 1; k <= n; k++) put(".Fa " (argument_of[k] ~ / / ? "\"" argument_of[k] "\"" : argument_of[k]))
        put(".Fc")
    }
}

function list_pages(  j) {
    put(".Pp\nThe functions, by subject:\n.Bl -tag -width Ds -compact")
    for (j = 1; j <= pages; j++) if (is_page(j) && j != page) put(".It Xr " page_name[j] " 3\n" title[j])
    put(".El")
}

function write_entry(j,  k) {
    if (contract[page, j] == "" && !members[page, j]) return # the text of the section tells of it
    if (!in_list) put(".Bl -tag -width Ds")
    in_list = 1
    put(".It " items[page, j])
    text_of(contract[page, j])
    if (!members[page, j]) return
    put(".Bl -tag -width Ds -compact")
    for (k = 1; k <= members[page, j]; k++) {
        put(".It " member_tag[page, j, k])
        text_of(member_text[page, j, k])
    }
    put(".El")
}

# see_also: the pages that the text refers to, and those of the same header.
function see_also(  j, n, name, list) {
    related["3libfrazil"] = 1
    for (j = 1; j <= pages; j++) if (is_page(j) && header_of[j] == header_of[page]) related["3" page_name[j]] = 1
    delete related["3" page_name[page]]
    for (name in related) {
        for (j = ++n; j > 1 && list[j - 1] > name; j--) list[j] = list[j - 1]
        list[j] = name
    }
    if (n) put(".Sh SEE ALSO")
    for (j = 1; j <= n; j++) put(".Xr " substr(list[j], 2) " " substr(list[j], 1, 1) (j < n ? " ," : ""))
}

# The text of a comment.  What is indented is shown as it stands.
function text_of(text,  n, j, lines, paragraph, mode) {
    n = split(text, lines, "\n")
    for (j = 1; j <= n; j++) {
        if (lines[j] ~ /^  / && mode != "list") {
            sentences(paragraph)
            paragraph = ""
            if (mode != "literal") put(".Bd -literal")
            mode = "literal"
            put(plain(substr(lines[j], 3)))
            continue
        }
        if (lines[j] ~ /^- /) {
            sentences(paragraph)
            if (mode != "list") put(".Bl -bullet -compact")
            mode = "list"
            put(".It")
            paragraph = substr(lines[j], 3)
        } else if (lines[j] == "") {
            sentences(paragraph)
            paragraph = ""
            if (mode == "literal" && lines[j + 1] ~ /^  /) {
                put("")
                continue
            }
            end_mode(mode)
            mode = ""
            if (j < n && lines[j + 1] !~ /^  /) put(".Pp")
        } else {
            if (mode == "literal") {
                end_mode(mode)
                mode = ""
            }
            sub(/^ +/, "", lines[j])
            paragraph = paragraph (paragraph == "" ? "" : paragraph ~ /[.:]$/ ? "  " : " ") lines[j]
        }
    }
    sentences(paragraph)
    end_mode(mode)
}

function end_mode(mode) {
    if (mode == "literal") put(".Ed")
    if (mode == "list") put(".El")
}

# A sentence begins a line.
function sentences(paragraph,  n, j, quoted, sentence) {
    n = split(paragraph, quoted, "`") # what stands in backquotes is one word
    paragraph = quoted[1]
    for (j = 2; j <= n; j++) {
        if (j % 2 == 0) gsub(/ /, "\001", quoted[j])
        paragraph = paragraph "`" quoted[j]
    }
    n = split(paragraph, sentence, /  +/)
    for (j = 1; j <= n; j++) words(sentence[j])
}

# A sentence, in lines of text and of macros.
function words(sentence,  n, j, word, text, macro) {
    n = split(sentence, word, " ")
    for (j = 1; j <= n; j++) {
        macro = marked(word[j])
        if (macro == "") {
            text = text (text == "" ? "" : " ") word[j]
            continue
        }
        if (text != "") put(plain(text))
        text = ""
        put("." macro)
    }
    if (text != "") put(plain(text))
}

# The macro for a word, with what stands before and behind it; nothing for a word like others.
function marked(word,  before, after, macro) {
    if (match(word, /^\(+/)) {
        before = substr(word, 1, RLENGTH)
        word = substr(word, RLENGTH + 1)
    }
    if (match(word, /[a-z]\([1-8]\)/)) {
        after = substr(word, RSTART + RLENGTH)
        word = substr(word, 1, RSTART + RLENGTH - 1)
    } else if (match(word, /[),.;:?]+$/)) {
        after = substr(word, RSTART)
        word = substr(word, 1, RSTART - 1)
    }
    macro = macro_of(word)
    if (macro == "") return ""
    gsub(/./, " &", after)
    return (before == "" ? "" : "Pf " before " ") macro after
}

function macro_of(word,  chapter) {
    if (word ~ /^[a-z.]+\([1-8]\)$/) {
        chapter = substr(word, length(word) - 1, 1)
        sub(/\(.*/, "", word)
        if (word != page_name[page]) related[chapter word] = 1
        return "Xr " word " " chapter
    }
    if (word in page_with) {
        if (page_with[word] == page) return "Fn " word
        related["3" page_name[page_with[word]]] = 1
        return "Xr " word " 3"
    }
    if (word in type) return "Vt " word
    if (word ~ /^FRAZIL_[A-Z0-9_]+$/ || word == "NULL") return "Dv " word
    if (word in error && word ~ /^E/) return "Dv FRAZIL_" word
    if (word ~ /^\*[a-z_]+$|^ret_[a-z_]+$|^reterr$/) return "Fa " word
    if (word ~ /^`[^`]+`$/) return "Li " macro_word(substr(word, 2, length(word) - 2))
    return ""
}

# A word as the argument of a macro.
function macro_word(word) {
    gsub(/\001/, " ", word)
    gsub(/\\/, "\\e", word)
    gsub(/"/, "\\(dq", word)
    return word ~ / / ? "\"" word "\"" : word
}

function plain(text) {
    gsub(/\001/, " ", text)
    gsub(/\\/, "\\e", text)
    return (text ~ /^[.']/ ? "\\&" : "") text
}
