# SPDX-License-Identifier: MIT
# Prints C sources as FILE:LINE:TEXT with comments, strings and character constants blanked.
FNR == 1 { in_comment = 0 }
{
    text = ""
    quote = ""
    for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        two = substr($0, i, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; i++ }
        } else if (quote != "") {
            if (c == "\\") i++
            else if (c == quote) { quote = ""; text = text c }
        } else if (two == "/*") {
            in_comment = 1
            i++
            text = text " "
        } else if (two == "//") {
            break
        } else {
            if (c == "\"" || c == "'") quote = c
            text = text c
        }
    }
    printf "%s:%d:%s\n", FILENAME, FNR, text
}
