# SPDX-License-Identifier: MIT
# tables.awk FRAZIL COORDINATORS RIVALS: the tables of docs/performance.md, from the lines that rows.awk, coordinators.sh and
# rivals.sh print.
BEGIN { FS = "\t" }
function number(x) {
    if (x == "") return ""
    return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}
# What could not be measured is told below the table that it is missing in.
function tell_missing() {
    if (missing != "") print missing
    missing = ""
}
FNR == 1 { file++; tell_missing() }
$1 == "machine" { print "Measured on: " $2 "."; next }
file == 1 {
    if ($2 == "next") next_ns = $5
    if ($2 == "clock") clock_ns = $5
    if ($1 != group) {
        group = $1
        printf "\n### %s\n\n| | median | middle half | clock reads | asked for |\n|---|---:|---:|---:|---|\n", group
    }
    printf "| %s | %s %s | %s | %s | %s |\n", $3, ($5 == "" ? "–" : number($5)), $4, ($6 == $7 ? "" : number($6) "–" number($7)),
        ($4 == "ns" && $5 != "" && clock_ns > 0 ? number($5 / clock_ns) : ""), $8
}
$1 == "-" { missing = missing "\nNot measured here: " $2 ": " $3 "." }
file == 2 {
    if (!coordinators++) {
        print "\n### Opening with a worker id from a coordinator\n"
        print "From one server of each, on this machine, which writes to its disk; in brackets: how many reads of the same server"
        print "take as long.\n"
        print "| | opening | middle half | closing | one read |\n|---|---:|---:|---:|---:|"
    }
    if ($1 != "-")
        printf "| %s | %s us (%s) | %s–%s | %s us (%s) | %s us |\n", $1, number($2), number($2 / $6), number($3), number($4),
            number($5), number($5 / $6), number($6)
}
file == 3 {
    if (!rivals++) {
        print "\n### What one could take instead\n"
        print "Each in a loop of one caller: libraries in their own process, servers through a local socket.\n"
        print "| | an id | middle half | times frazil_next |\n|---|---:|---:|---:|"
        printf "| frazil_next | %s ns | | 1 |\n", number(next_ns)
    }
    if ($1 != "-")
        printf "| %s | %s ns | %s–%s | %s |\n", $1, number($2), number($3), number($4), number($2 / next_ns)
}
END { tell_missing() }
