# SPDX-License-Identifier: MIT
# fleet.awk: the tables of a fleet in docs/performance.md, from the lines that fleet.sh prints.  busy: the load average before; may be empty.
BEGIN { FS = "\t" }
function thousands(x,    digits, text) {
    digits = sprintf("%.0f", x)
    for (text = ""; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
        text = "," substr(digits, length(digits) - 2) text
    return digits text
}
# The most bytes of an opening, with its round trips.
function worst(x, exchanges) { return x == 0 ? "–" : thousands(x) " in " exchanges }
# Bytes and the like; 0: there is nothing that they could have come through.
function bytes(x) { return x == 0 ? "–" : thousands(x) }
function verdict(met, words) { return (met ? "✓ " : "**missed** ") words }
$1 == "-" { missing = missing "\nNot measured here: " $2 ": " $3 "." ; next }
$2 == "openings" {
    # Bytes are counted where they come through a network.
    targets = $9 == 0 ? "" : verdict($9 <= 16384, "at most 16,384 bytes")
    # A fleet that fills no tenth of the pool shows no growth.
    if ($9 > 0 && $3 >= 10000) targets = targets "; " verdict($8 <= 1.5 * $7, sprintf("last %.2f × first, at most 1.5", $8 / $7))
    if ($1 ~ /^Redis/ && $3 >= 10000) targets = targets "; " verdict($4 >= 1500, "at least 1,500 a second")
    opened[++openings] = sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %d | %s | %s |", $1, thousands($3), thousands($4), thousands($5), thousands($6),
        bytes($7), bytes($8), worst($9, $15), $11, $12, $14 == "-" ? "–" : thousands($14) " us", targets)
}
$2 == "extensions" {
    cpu = $6 == "-" ? "–" : thousands($6) " us"
    share = $6 == "-" ? "–" : sprintf("%.1f %%", $6 * $5 / 10000)
    memory = $11 == "-" ? "–" : thousands($11) " MiB"
    extended[++extensions] = sprintf("| %s | %s | %s | %s | %s | %s us | %s us | %s | %.2f | %s |", $1, thousands($4), thousands($5), cpu,
        share, thousands($7), thousands($8), bytes($9), $10, memory)
}
END {
    if (openings == 0) exit 1
    print "Leases of 16,384 worker ids, opened by 8 processes and not released.  Bytes are those that the coordinator sends for one opening.\n"
    print "| coordinator | openings | a second | of the first tenth | of the last tenth | bytes, first tenth | last tenth | the most, in round trips | round trips, last tenth | the most | its processor time each | target |"
    print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    for (i = 1; i <= openings; i++) print opened[i]
    print "\nThen the leases are extended, at the rate of 10,000 generators with a horizon of 60 s.\n"
    print "| coordinator | connections | extensions a second | its processor time each | of a core | p50 | p99 | bytes | round trips | memory |"
    print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (i = 1; i <= extensions; i++) print extended[i]
    if (busy != "") print "\nThe load average of this machine was " busy " before this measurement."
    if (missing != "") print missing
}
