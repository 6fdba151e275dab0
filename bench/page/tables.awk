# SPDX-License-Identifier: MIT
# tables.awk FRAZIL COORDINATORS RIVALS: the tables of docs/performance.md, from the lines that rows.awk, coordinators.sh and
# rivals.sh print.
BEGIN { FS = "\t" }
function number(x) {
    if (x == "") return ""
    return sprintf(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x)
}
# A median with its unit; a count has none.
function measured(x, unit) {
    return x == "" ? "–" : unit == "" ? x + 0 : number(x) " " unit
}
# Rows that could not be measured are named below their table.
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
        printf "\n### %s\n\n| operation | median | quartiles | × clock read | target |\n|---|---:|---:|---:|---|\n", group
    }
    printf "| %s | %s | %s | %s | %s |\n", $3, measured($5, $4), ($6 == $7 ? "" : number($6) "–" number($7)),
        ($4 == "ns" && $5 != "" && clock_ns > 0 ? number($5 / clock_ns) : ""), $8
}
$1 == "-" { missing = missing "\nNot measured here: " $2 ": " $3 "." }
file == 2 {
    if (!coordinators++) {
        print "\n### Opening with a worker id from a coordinator\n"
        print "One server of each ran on this machine and wrote to its disk.  In brackets: the time in reads of the same server.\n"
        print "| coordinator | opening | quartiles | closing | one read |\n|---|---:|---:|---:|---:|"
    }
    if ($1 != "-")
        printf "| %s | %s us (%s) | %s–%s | %s us (%s) | %s us |\n", $1, number($2), number($2 / $6), number($3), number($4),
            number($5), number($5 / $6), number($6)
}
file == 3 {
    if (!rivals++) {
        print "\n### Alternatives\n"
        print "One caller runs each in a loop: libraries in their own process, servers through a local socket.\n"
        print "| alternative | per id | quartiles | × frazil_next |\n|---|---:|---:|---:|"
        printf "| frazil_next | %s ns | | 1 |\n", number(next_ns)
    }
    if ($1 != "-")
        printf "| %s | %s ns | %s–%s | %s |\n", $1, number($2), number($3), number($4), number($2 / next_ns)
}
END { tell_missing() }
