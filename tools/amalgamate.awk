# SPDX-License-Identifier: MIT
# Makes one C file of many for tools/amalgamate.  Arguments: -v soversion=N, and the .c files in order.
#
# A file is a row of items: definitions, declarations, macros and conditions, each with the comment above it.  Items end
# where clang-format ends them, so counting brackets is all the parsing there is.  An item is kept if a frazil_ function
# reaches it through the names in it: a static function that nobody calls would be a warning.

BEGIN {
    for (a = 1; a < ARGC; a++) read(ARGV[a], ARGV[a])
    for (n = 1; n <= items; n++) {
        if (of_file[n] ~ /\.c$/ && name[n] ~ /^frazil_/) reach(n)
    }
    while (followed < reached) follow(queue[++followed])
    write_top()
    for (f = 1; f <= files; f++) if (file_at[f] ~ /\.h$/) write_file(file_at[f])
    for (f = 1; f <= files; f++) if (file_at[f] ~ /\.c$/) write_file(file_at[f])
    exit failed
}

function fail(file, why) {
    print "amalgamate: " file ": " why > "/dev/stderr"
    failed = 1
}

# ---- reading ----

# The code of a line, without comments and what is between quotes.
function code_of(line,    code, i, c, quote) {
    code = quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (in_comment) {
            if (substr(line, i, 2) == "*/") { in_comment = 0; i++ }
        } else if (quote != "") {
            if (c == "\\") i++
            else if (c == quote) quote = ""
        } else if (substr(line, i, 2) == "/*") {
            in_comment = 1
            i++
        } else if (c == "\"" || c == "\047") {
            quote = c
        } else {
            code = code c
        }
    }
    return code
}

# Reads the items of a file into those of owner: itself, or the header that includes it under a condition.
function read(file, owner,    lines, n, i, line, code, text, item_code, depth, conditions, guard) {
    if (file in is_read) return
    is_read[file] = 1
    while ((getline line < file) > 0) lines[++n] = line
    close(file)
    if (n == 0) fail(file, "cannot be read")
    in_comment = conditions = 0
    comment = text = ""
    spaced = 1
    for (i = 1; i <= n; i++) {
        line = lines[i]
        code = code_of(line)
        if (text == "") {
            if (code ~ /^ *$/ && line !~ /^#/) {
                if (line == "") { add(owner, "comment", "", ""); spaced = 1 }
                else if (line !~ /SPDX-License-Identifier/) comment = comment line "\n"
                continue
            }
            item_code = ""
            depth = 0
        }
        text = text (text == "" ? "" : "\n") line
        item_code = item_code "\n" code
        if (text ~ /^#/) {
            if (line ~ /\\$/) continue
            if (text ~ /^#ifndef FZ_[A-Z0-9_]+_H$/ && guard == "") guard = substr(text, 9)
            else if (text == "#define " guard || (text ~ /^#endif/ && conditions == 0)) ; # the guard
            else if (text ~ /^#include/) include(file, text, owner, conditions)
            else if (text ~ /^#define _[A-Z]+_SOURCE/) {
                sub(/ *\/\*.*/, "", text)
                ask_for(text, file ~ /\/linux\// ? "linux" : file ~ /\/posix\// ? "posix" : "")
            }
            else {
                conditions += (text ~ /^#if/) - (text ~ /^#endif/)
                add(owner, text ~ /^#define/ ? "macro" : "condition", text, item_code)
            }
            text = ""
            continue
        }
        depth += gsub(/[{(]/, "&", code) - gsub(/[)}]/, "&", code)
        if (depth == 0 && code ~ /[;}] *$/) {
            add(owner, "code", text, item_code)
            text = ""
        }
    }
    if (text != "" || conditions != 0) fail(file, "ends inside of an item")
    if (file == owner) file_at[++files] = file
}

# A header that is included under a condition stays in its place.
function include(file, text, owner, conditions,    path) {
    add(owner, "comment", "", "")
    conditions += file != owner
    if (text ~ /</) {
        if (conditions || file ~ /\/(linux|posix)\//) add(owner, "condition", text, "")
        else if (!(text in is_included)) { is_included[text]; includes = includes text "\n" }
    } else if (text !~ /"frazil(\/|\.h")/) {
        path = substr(text, 11, length(text) - 11)
        path = found("src/" path) found("src/coordinators/" path) found(substr(file, 1, match(file, /[^\/]*$/) - 1) path)
        if (!conditions) needs[owner] = needs[owner] " " path
        read(path, conditions ? owner : path)
        in_comment = 0
        comment = ""
        spaced = 1
    }
}

# The path of a file that is there, else nothing.
function found(path,    line, is_there) {
    is_there = (getline line < path) >= 0
    close(path)
    return is_there ? path : ""
}

# Adds an item with the comment above it; without a text, the comment alone.
function add(owner, what, text, code) {
    if (text == "" && comment == "") return
    kind[++items] = what
    above[items] = comment
    text_of[items] = text
    code_at[items] = code
    of_file[items] = owner
    is_spaced[items] = spaced
    name[items] = ""
    item_at[owner, ++count[owner]] = items
    comment = ""
    spaced = 0
    if (what == "macro" || what == "code") name_item(items, code)
}

function named(n, id) {
    if (id == "") return
    if (name[n] == "") name[n] = id
    with_name[id] = with_name[id] " " n
}

# Says what an item defines.  Enumerations are not asked: macros make some of their constants.
function name_item(n, code,    head, words, i) {
    gsub(/\n/, " ", code)
    gsub(/^ +| +$/, "", code)
    if (code ~ /^#/) {
        split(code, words, /[ (]/)
        named(n, words[2])
        return
    }
    if (code ~ /^(static (const )?)?enum( [a-z0-9_]+)? [{]/ || code ~ /^_Static_assert/) return
    if (match(code, /^(static |const |typedef )*(struct|union) [a-z0-9_]+ [{]/)) {
        head = substr(code, 1, RLENGTH - 2)
        sub(/^.* /, "", head)
        named(n, head)
    }
    sub(/=.*/, "", code)
    while (gsub(/[{][^{}]*[}]|\[[^][]*\]/, "", code)) ;
    gsub(/alignas\([^()]*\)|__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", code)
    if (match(code, /^[^(]*\(\*[a-z0-9_]+\)\(/)) { # a type of functions
        sub(/^[^(]*/, "", code)
        match(code, /[a-z0-9_]+/)
        named(n, substr(code, RSTART, RLENGTH))
    } else {
        sub(/ *[(;].*/, "", code)
        sub(/ +$/, "", code)
        sub(/^.*[ *]/, "", code)
        named(n, code)
    }
}

# ---- what is needed ----

function reach(n) {
    if (n in is_reached) return
    is_reached[n] = 1
    queue[++reached] = n
}

# Whatever an item names is needed, and so is its file's scaffold: what has no name, and the headers that it includes.
function follow(n,    code, words, i, k, at, m) {
    use_file(of_file[n])
    code = code_at[n]
    gsub(/\(\*[a-z0-9_]+\)\(/, "(", code)
    gsub(/(->|\.)[a-z0-9_]+/, " ", code) # members
    while (match(code, /[A-Za-z0-9_]+##/)) { # a macro makes names that begin so
        reach_all(substr(code, RSTART, RLENGTH - 2))
        sub(/##/, " ", code)
    }
    k = split(code, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= k; i++) {
        if (!(words[i] in with_name) || words[i] in is_followed) continue
        is_followed[words[i]] = 1
        m = split(with_name[words[i]], at, " ")
        for (; m > 0; m--) reach(at[m])
    }
}

function reach_all(prefix,    n) {
    for (n = 1; n <= items; n++) if (name[n] != "" && index(name[n], prefix) == 1) reach(n)
}

function use_file(file,    k, i, paths) {
    if (file in is_used) return
    is_used[file] = 1
    for (k = 1; k <= count[file]; k++)
        if (name[item_at[file, k]] == "") reach(item_at[file, k])
    k = split(needs[file], paths, " ")
    for (i = 1; i <= k; i++) use_file(paths[i])
}

# ---- writing ----

# What the build says on its command line, the headers of the system, and the public one.
function write_top() {
    print "/* Before all headers: what is used of the system beyond C11. */"
    print defined("_POSIX_C_SOURCE 200809L") defined("_FILE_OFFSET_BITS 64") features[""] \
        "#ifdef FRAZIL_PORTABLE\n" features["posix"] "#else\n" features["linux"] "#endif"
    print "\n/* Assertions are for those who change frazil. */"
    print "#if !defined(NDEBUG) && !defined(FRAZIL_DEBUG)\n#define NDEBUG\n#endif"
    print "\n#include \"frazil.h\"\n"
    printf "%s", includes
    print "\n#define FZ_PRIVATE static\n#define FRAZIL_SOVERSION \"" soversion "\"\n#define FRAZIL_WITH_FILE 1"
}

function ask_for(text, where) {
    if (!((where, text) in is_asked)) features[where] = features[where] defined(substr(text, 9))
    is_asked[where, text]
}

# A macro that the command line may define as well.
function defined(macro) {
    return "#undef " substr(macro, 1, match(macro " ", / /) - 1) "\n#define " macro "\n"
}

function write_file(file,    k, n, about, undefine, spaces) {
    if (!(file in is_used)) return
    printf "\n/* ---- %s ---- */\n", file
    if (file ~ /\/linux\//) print "#ifndef FRAZIL_PORTABLE"
    if (file ~ /\/posix\//) print "#ifdef FRAZIL_PORTABLE"
    about = undefine = ""
    for (k = 1; k <= count[file]; k++) {
        n = item_at[file, k]
        if (is_spaced[n]) spaces = 1
        if (is_spaced[n] || above[n] != "") about = above[n]
        if (!(n in is_reached)) continue # the comment may be for those below it, too
        if (spaces) print ""
        printf "%s", about
        spaces = 0
        about = ""
        if (text_of[n] == "") continue
        sub(/^extern const/, "FZ_PRIVATE const", text_of[n])
        print text_of[n]
        if (kind[n] == "macro" && file ~ /\.c$/) undefine = undefine "#undef " name[n] "\n"
        if (text_of[n] ~ /^#undef/) sub(text_of[n] "\n", "", undefine)
    }
    if (undefine != "") printf "\n%s", undefine
    if (file ~ /\/(linux|posix)\//) print "#endif"
}
