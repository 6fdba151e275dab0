# SPDX-License-Identifier: MIT
# rows.awk: reads the output of `frazil bench --json` and `frazil-lab -j`.  Its rows become lines of "group TAB key TAB name TAB
# unit TAB median TAB q1 TAB q3 TAB targets", without numbers where nothing was measured.  A first line names the machine.
function text(key,    at) {
    at = match($0, "\"" key "\":\"[^\"]*\"")
    return at ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5) : ""
}
function value(line, key) {
    return match(line, "\"" key "\":[0-9.]+") ? substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 : ""
}
function word(line, key) {
    return match(line, "\"" key "\":\"[^\"]*\"") ? substr(line, RSTART + length(key) + 4, RLENGTH - length(key) - 5) : ""
}
function figure(key) {
    return value($0, key) == "" ? "" : sprintf("%.4f", value($0, key))
}
function target(part,    words) {
    words = sprintf("%.4g", value(part, "value"))
    if (word(part, "times") != "") words = words " × " names[word(part, "times")]
    else words = words " " text("unit")
    if (word(part, "sense") == "") return words
    words = words ", " word(part, "sense") " " value(part, "limit")
    return (part ~ /"ok":true/ ? "✓ " : "**missed** ") words
}
NR == 1 {
    printf "machine\t%s, %d processors, %s; %s; frazil %s, %d rounds, of threads %d; time from the %s\n", text("cpu"),
        value($0, "cpus"), text("system"), text("compiler"), text("frazil"), value($0, "rounds"), value($0, "limit_rounds"), text("clock_path")
}
/^\{"group"/ {
    names[text("key")] = text("name")
    targets = ""
    n = split(substr($0, index($0, "\"targets\":[") + 11), parts, /\},?/)
    for (i = 1; i <= n; i++)
        if (parts[i] ~ /"value"/) targets = targets (targets == "" ? "" : "; ") target(parts[i])
    if (text("note") != "")
        targets = text("note") " (" value($0, "missed") " of " value($0, "missed") + value($0, "rounds") " rounds)"
    printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", text("group"), text("key"), text("name"), text("unit"),
        figure("median"), figure("q1"), figure("q3"), targets
}
