# SPDX-License-Identifier: MIT
# load.awk: the table of docs/operations.md, what a fleet asks of each coordinator, from the lines that fleet.sh prints.
BEGIN { FS = "\t" }
# With a horizon of 60 s each generator extends 44 times in 1000 s.
function steady(generators, extension_us) { return sprintf("%.*f %%", generators < 1000 ? 2 : 0, generators * 0.044 * extension_us / 10000) }
$2 == "openings" { opening_us[$1] = $14 }
$2 == "extensions" && $6 != "-" {
    rows[++count] = sprintf("| %s | %s | %s | %s | %.0f s |", $1, steady(100, $6), steady(10000, $6), steady(100000, $6), opening_us[$1] / 100)
}
END {
    if (count == 0) exit 1
    print ""
    print "| coordinator | 100 generators (computed) | 10,000 (measured) | 100,000 (computed) | start of 10,000 (measured) |"
    print "|---|---:|---:|---:|---:|"
    for (i = 1; i <= count; i++) print rows[i]
    print ""
}
