#!/bin/bash
# SPDX-License-Identifier: MIT
# walk.sh DIR: the first ten minutes of a new user, on machines that have nothing installed.  README.md and docs/start.md are typed
# word for word: to the first id, to the first program against an installed library (by each way to install it), to three
# processes over a Redis, and to a StatefulSet's manifest.  The commands are read out of the pages, so that these cannot lie;
# commands of our own are shown behind `#`.  DIR keeps the empty machine for the next time, and transcript.txt.
#
# By root only: a machine is a folder made by debootstrap.  Its user is ada, who may use sudo.
# shellcheck disable=SC2034,SC2154 # machine.sh sets and reads these
set -eu

root=$(realpath "$(dirname "$0")/../..")
# shellcheck disable=SC1091 # it lies beside this
. "$root/tests/install/machine.sh"
transcript=$dir/transcript.txt
: >"$transcript"
times=()

fail() {
    echo "walk: $1" >&2
    exit 1
}

# block PAGE HEADING MARK [N]: the Nth fenced block of that mark below that heading; without a mark: the mark is empty.
block() {
    awk -v heading="## $2" -v fence='```'"$3" -v nth="${4:-1}" '
        /^```/ { if (!inside) { inside = $0 == fence && below && ++count == nth ? 2 : 1 } else inside = 0; next }
        /^#+ / && !inside { below = $0 == heading || (heading == "## " && NR == 1) }
        inside == 2 { print; found = 1 }
        END { exit !found }' "$root/$1" || fail "$1 has no block $3 ${4:-1} below '$2'"
}

# cell PAGE FIRST N: the Nth command in the row of a table that begins with that cell.
cell() {
    awk -F ' [|] ' -v first="| $2" -v nth="$3" '
        $1 == first { split($2, part, "`"); if (part[2 * nth] == "") exit; print part[2 * nth]; found = 1 }
        END { exit !found }' "$root/$1" || fail "$1 has no command $3 in the row '$2'"
}

# typed: the commands behind the prompts of a block.
typed() {
    sed -n 's/^\$ //p'
}

# session MACHINE TITLE: ada types the lines of standard input in one shell, which ends at the first that fails.  Lines that
# begin with `#` are shown; so are commands behind `#: `, which are ours and in no page.  Sets $output to what was printed.
session() {
    local began=$SECONDS
    printf '\n== %s\n' "$2" | tee -a "$transcript"
    cat >"$dir/$1/tmp/typed"
    cat >"$dir/$1/tmp/shell" <<'END'
cd ~
while IFS= read -r line <&3; do
    case $line in
    '#: '*) line=${line#'#: '} && echo "# \$ $line" ;;
    '#'* | '') echo "$line" && continue ;;
    *) echo "$ $line" ;;
    esac
    eval "$line" </dev/null || { echo "walk: status $?" && exit 1; }
done 3</tmp/typed
END
    inside "$1" su - ada -c 'bash /tmp/shell' >"$dir/output" 2>&1 || { tail -n 40 "$dir/output" && fail "$2: the last command failed"; }
    output=$(cat "$dir/output")
    # The output of a build or a package manager is long, and tells nothing here.
    awk '/^(# )?\$ / { if (n > 12) print "    ..."; n = 0 } ++n <= 12' "$dir/output" | tee -a "$transcript"
    times+=("$(printf '%5d s  %s' $((SECONDS - began)) "$2")")
}

# printed PATTERN [N]: N lines of the last session at the least were like that.
printed() {
    [ "$(grep -cE "$1" <<<"$output")" -ge "${2:-1}" ] || fail "not printed: $1"
}

id='^[0-9]{17,19}$'
empty_machine
machine tools
mkdir "$dir/tools/ada/frazil"
(cd "$root" && sh tools/sources all | tar -cf - -T -) | tar -xf - -C "$dir/tools/ada/frazil"
chroot "$dir/tools" chown -R ada:ada /ada/frazil
session tools "What frazil needs (start.md)" < <(block docs/start.md Install sh)
session tools "The first id (README.md)" < <(echo "#: cd frazil" && block README.md "" sh | grep '^make run')
printed "$id" 3
printed '^worker +7$'

program() {
    echo "# app.c is the program of start.md"
    echo "#: cp /tmp/app.c ."
    block docs/start.md "The library in ten lines" "" # cc ... && ./a.out
}

block docs/start.md "The library in ten lines" c >"$dir/tools/tmp/app.c"
block docs/amalgamation.md "Compile them" c >"$dir/tools/tmp/two-files.c"
chmod 644 "$dir"/tools/tmp/*.c

machine usr-local tools
session usr-local "Below /usr/local, and README.md's quick starts" < <(
    echo "#: cd frazil"
    block docs/start.md Install sh 2
    echo "#: cd"
    block README.md "Three quick starts" sh | grep 'file-lock$'
    program
)
printed "$id" 2
session usr-local "A static program" < <(
    cell docs/start.md "a statically linked program" 1
    echo "#: ./a.out"
)
printed "$id"
session usr-local "Two files in a project" < <(
    echo "#: cd frazil"
    cell docs/start.md "no installation" 1
    echo "#: mkdir ~/project && cp build/amalgamation/frazil.[ch] ~/project && cd ~/project"
    echo "#: cp /tmp/two-files.c app.c"
    block docs/amalgamation.md "Compile them" "console amalgamation" | typed
)
printed '^frazil VERSION has a generator$'

machine home tools
session home "Below one's home, without root" < <(
    echo "#: cd frazil"
    cell docs/start.md "a prefix of your own, without root" 1
    block docs/start.md Install sh 3
    echo "#: cd"
    block README.md "Three quick starts" sh | grep 'file-lock$'
    program
)
printed "$id" 2

session usr-local "A Redis, and what reads a manifest" <<'END'
#: sudo apt-get install --no-install-recommends redis-server python3-yaml
END
net=--net
redis='redis-server --daemonize yes --dir ~ --appendonly yes >/dev/null && until redis-cli ping; do :; done'
session usr-local "Three processes over a Redis (start.md)" < <(
    echo "#: $redis"
    block docs/start.md "Three processes, one Redis" sh
)
printed '^ids +300000$'
printed '^duplicates +0$'
printed '^ +[0-9]+ +100000 ' 3
session usr-local "README.md's quick start over a Redis, another namespace" < <(
    echo "#: $redis"
    echo "#: redis-cli flushall"
    block README.md "Three quick starts" sh | grep 'redis:'
)
printed "$id"

# pod MANIFEST NAME: what the pod of that name does at its start, as commands for a shell: its environment, the commands of its
# init containers, and an id.  Its volumes are empty folders of its user's.
pod() {
    chroot "$dir/usr-local" python3 - "/ada/frazil/$1" "$2" <<'END'
import shlex, sys, yaml
name = sys.argv[2]
with open(sys.argv[1]) as manifest:
    (sets,) = [part for part in yaml.safe_load_all(manifest) if part["kind"] == "StatefulSet"]
assert name.rpartition("-")[0] == sets["metadata"]["name"]
spec = sets["spec"]["template"]["spec"]
volumes = {volume["name"] for volume in spec["volumes"]}
volumes |= {claim["metadata"]["name"] for claim in sets["spec"]["volumeClaimTemplates"]}
assert spec["securityContext"]["runAsUser"] == 1000
for container in spec["containers"]:
    for mount in container["volumeMounts"]:
        assert mount["name"] in volumes
        print("#: sudo install -d -o ada", mount["mountPath"])
for container in spec["initContainers"] + spec["containers"]:
    for variable in container["env"]:
        value = variable.get("value")
        if value is None:
            assert variable["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.name"
            value = name
        print("export", shlex.quote(variable["name"] + "=" + value))
    if "command" in container:
        print(shlex.join(container["command"]))
END
}

host=orders-3
# shellcheck disable=SC2016 # that shell's
inspect='#: frazil inspect $(cat id)'
session usr-local "The StatefulSet's manifest, on a host of the pod's name" < <(
    pod contrib/kubernetes/statefulset.yaml orders-3
    echo "#: frazil next | tee id"
    echo "$inspect"
)
printed '^worker +3$'
session usr-local "README.md's quick start for it" < <(
    block README.md "Three quick starts" sh | grep ordinal | sed 's/$/ | tee id/'
    echo "$inspect"
)
printed '^worker +3$'
net='' host=''

machine packages tools
session packages "Debian packages" < <(
    echo "#: cd frazil"
    cell docs/start.md "Debian packages" 1
    cell docs/start.md "Debian packages" 2
    echo "#: cd"
    program
)
printed "$id"

{
    printf '\n== Times\n'
    printf '%s\n' "${times[@]}"
} | tee -a "$transcript"
rm -rf "${dir:?}"/{tools,usr-local,home,packages}
