# SPDX-License-Identifier: MIT
# Gives a public header to doxygen, which wants its comments marked: what stands above a declaration or behind a member
# becomes /** or /**<, a header becomes a group (frazil.h the main page), a section of it (---- title ----) a group of
# members, the rows of a table (X(name, number, ...)) become constants.  A declaration without a comment shares that of the one above.
{ line[NR] = $0 }

END {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.h$/, "", name)
    print line[1]
    for (i = 2; i <= NR; i++)
        take(line[i])
}

function take(text) {
    if (text ~ /^\/\* clang-format/) return
    if (text ~ /^ *X\(/) row[++row_count] = text
    if (text == "FRAZIL_END_DECLS") close_groups()

    if (text ~ /^\/\* ---- /) section(text)
    else if (text ~ /^\/\*/ && !begun) head()
    else if (text ~ /^ *\/\*/) comment(text)
    else if (text ~ /FRAZIL_[A-Z]+_ENUM/) constants(text)
    else if (text ~ /FRAZIL_[A-Z]+_MEMBER/) members(text)
    else code(text)
    if (text == "FRAZIL_BEGIN_DECLS" && name != "frazil") print "/** @addtogroup " name "\n@{ */"
}

# The comment that a header begins with.
function head(  title) {
    begun = 1
    title = line[i + 1]
    sub(/^ \* /, "", title)
    sub(/[:,.].*/, "", title)
    print "/** " (name == "frazil" ? "@mainpage frazil" : "@defgroup " name " " title) "\n *"
    block(i + 1)
    print "/** @file\n * " (name == "frazil" ? "All headers but admin.h, coordinators.h, extras.h and opaque.h." : "@copydoc " name) " */"
}

function section(text) {
    close_section()
    gsub(/^\/\* -+ | -+ \*\/$/, "", text)
    print "/** @name " text
    if (line[i + 1] == "/*") {
        print " *"
        block(i + 2)
    } else {
        print " */"
    }
    print "/** @{ */"
    in_section = 1
    above = ""
}

function close_section() {
    if (in_section) print "/** @} */"
    in_section = 0
}

function close_groups() {
    close_section()
    if (name != "frazil") print "/** @} */"
}

# A comment above something, on one line or several.
function comment(text) {
    documented = 1
    sub(/\/\*/, "/**", text)
    print escaped(text)
    if (text !~ /\*\/$/) block(i + 1)
}

# The rest of a comment, from line `from` on.  What is indented by three columns is shown as it stands.
function block(from,  text, in_list) {
    for (i = from; i <= NR; i++) {
        text = line[i]
        if (text ~ /^ *\* - /) in_list = 1
        else if (text ~ /^ *\*$/) in_list = 0
        if (text ~ /^ \*   / && !in_list) {
            sub(/^ \*/, " *    ", text)
            print text
        } else {
            print escaped(text)
        }
        if (text ~ /\*\/$/) return
    }
}

function escaped(text) {
    gsub(/[\\@<#]/, "\\\\&", text)
    return text
}

# The rows of the table, where the enum is made of them: the macro for a row says what their names begin with.
function constants(text,  j) {
    if (text ~ /^#define/) {
        prefix = text
        sub(/##.*/, "", prefix)
        sub(/.* /, "", prefix)
    }
    if (text ~ /^#/) return
    for (j = 1; j <= row_count; j++) print constant(row[j])
    row_count = 0
}

# Likewise, where the members of a struct are made of them: all of them are numbers of 64 bits.
function members(text,  j, part, sentence) {
    if (text ~ /^#/) return
    for (j = 1; j <= row_count; j++) {
        split(row[j], part, /[(,] */)
        sentence = row[j]
        gsub(/^[^"]*"|"[^"]*$/, "", sentence)
        print "    uint64_t " part[2] "; /**< " escaped(sentence) " */"
    }
    row_count = 0
}

# What stands in quotes describes it; the class of an error is said, too.
function constant(text,  part, sentence) {
    split(text, part, /[(,] */)
    sentence = text
    gsub(/^[^"]*"|"[^"]*$/, "", sentence)
    if (part[4] !~ /^"/) sentence = sentence " (class " part[4] ")"
    return "    " prefix part[2] " = " part[3] ", /**< " escaped(sentence) " */"
}

# Code, with a comment behind it or none.
function code(text) {
    if (text ~ /^FRAZIL_API/ && !documented)
        print "/** " (above == "" ? "See above, what is said of all of them." : "@copydoc " above) " */"
    if (documented) above = named(text)
    if (text ~ /[^ ].* \/\* .* \*\/$/) sub(/\/\* /, "/**< ", text)
    print text
    documented = 0
}

# What a line declares: a function or a macro.
function named(text) {
    if (match(text, /frazil_[a-z0-9_]+\(/)) return substr(text, RSTART, RLENGTH - 1)
    sub(/^#define /, "", text)
    sub(/[ (].*/, "", text)
    return text
}
