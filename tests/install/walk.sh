#!/bin/bash
# SPDX-License-Identifier: MIT
# walk.sh DIR [PART...]: the first ten minutes of a new user, on machines that have nothing installed.  README.md and docs/start.md
# are typed word for word: to the first id, to the first program against an installed library (by each way to install it), to three
# processes over a Redis, to a StatefulSet's manifest, to the daemon and to a database.  The commands are read out of the pages, so
# that these cannot lie; commands of our own are shown behind `#`.  All is typed on a terminal, and what was silent on it for longer
# than 5 s is shown below it.  DIR keeps the empty machine for the next time, and transcript.txt.
# A PART is one of `parts` at the end, which is walked alone; its machines stay in DIR.
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

user=ada

# silent: what the last session printed before each wait of more than 5 s.
silent() {
    awk '$1 > 5 { print $1, sum + 0 } { sum += $2 }' "$dir/timing" | while read -r seconds at; do
        printf '# silent for %.0f s, after: ' "$seconds"
        head -c "$at" "$dir/screen" | tr '\r' '\n' | grep '[^ ]' | tail -n 1
    done
}

# session MACHINE TITLE: $user types the lines of standard input in one shell, which ends at the first that fails.  Lines that
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
echo
END
    local status=0
    # The shell in front adopts what daemons leave: script would wait for them for ever.
    # shellcheck disable=SC2016 # that shell's
    inside "$1" sh -c 'script --quiet --return --log-timing /tmp/timing --log-out /dev/null --command "$1"; exit $?' sh \
        "stty rows 24 cols 80; TERM=xterm exec su - $user -c 'bash /tmp/shell'" </dev/null >"$dir/screen" 2>&1 || status=$?
    mv "$dir/$1/tmp/timing" "$dir/timing"
    # What stays on the screen: without colours, and lines that count.
    sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\r*$//; s/.*\r//' "$dir/screen" >"$dir/output"
    [ "$status" -eq 0 ] || { tail -n 40 "$dir/output" && fail "$2: the last command failed"; }
    output=$(cat "$dir/output")
    # The output of a build or a package manager is long, and tells nothing here.
    awk '/^(# )?\$ / { if (n > 12) print "    ..."; n = 0 } ++n <= 12' "$dir/output" | tee -a "$transcript"
    silent | tee -a "$transcript"
    times+=("$(printf '%5d s  %s' $((SECONDS - began)) "$2")")
}

# printed PATTERN [N]: N lines of the last session at the least were like that.
printed() {
    [ "$(grep -cE "$1" <<<"$output")" -ge "${2:-1}" ] || fail "not printed: $1"
}

# sources MACHINE FOLDER: the source tree in that folder of the machine, as a file of its owner's.
sources() {
    mkdir "$dir/$1/$2/frazil"
    (cd "$root" && sh tools/sources all | tar -cf - -T -) | tar -xf - -C "$dir/$1/$2/frazil"
    chroot "$dir/$1" chown -R --reference="/$2" "/$2/frazil"
}

# need MACHINE: runs the part of that name, which makes it, unless it is there.
need() {
    [ -e "$dir/$1" ] || "$1"
}

id='^[0-9]{17,19}$'

# named PATTERN: what README.md has in backquotes behind that.
named() {
    sed -n "s/.*$1\`\([^\`]*\)\`.*/\1/p" "$root/README.md" | grep . || fail "README.md has nothing behind '$1'"
}

as_root() {
    machine as_root
    sources as_root root
    user=root
    session as_root "As root: what README.md names, and make run" < <(
        named "It needs .*: "
        echo "#: cd frazil"
        block README.md "" sh | grep '^make run'
    )
    user=ada
    printed "$id" 3
}

missing() {
    machine missing
    sources missing ada
    session missing "Without a compiler: make says what to type" <<'END'
#: sudo apt-get install --no-install-recommends make
#: cd frazil
#: make run || echo status $?
END
    printed '^ +sudo apt-get install '
    printed '^status 2$'
    session missing "What it said, and make run" < <(
        grep -m 1 -o 'sudo apt-get install --no-install-recommends gcc .*' <<<"$output"
        echo "#: cd frazil"
        block README.md "" sh | grep '^make run'
    )
    printed "$id" 3
}

tools() {
    machine tools
    sources tools ada
    session tools "What frazil needs (start.md)" < <(block docs/start.md Install sh)
    session tools "The first id (README.md)" < <(echo "#: cd frazil" && block README.md "" sh | grep '^make run')
    printed "$id" 3
    printed '^worker +7$'
    block docs/start.md "The library in ten lines" c >"$dir/tools/tmp/app.c"
    block docs/amalgamation.md "Compile them" c >"$dir/tools/tmp/two-files.c"
    chmod 644 "$dir"/tools/tmp/*.c
}

program() {
    echo "# app.c is the program of start.md"
    echo "#: cp /tmp/app.c ."
    block docs/start.md "The library in ten lines" "" # cc ... && ./a.out
}

usr_local() {
    need tools
    machine usr_local tools
    session usr_local "Below /usr/local, and README.md's quick starts" < <(
        echo "#: cd frazil"
        block docs/start.md Install sh 2
        echo "#: cd"
        block README.md "Three quick starts" sh | grep 'file-lock$'
        program
    )
    printed "$id" 2
    session usr_local "A static program" < <(
        cell docs/start.md "a statically linked program" 1
        echo "#: ./a.out"
    )
    printed "$id"
    session usr_local "Two files in a project" < <(
        echo "#: cd frazil"
        cell docs/start.md "no installation" 1
        echo "#: mkdir ~/project && cp build/amalgamation/frazil.[ch] ~/project && cd ~/project"
        echo "#: cp /tmp/two-files.c app.c"
        block docs/amalgamation.md "Compile them" "console amalgamation" | typed
    )
    printed '^frazil VERSION has a generator$'
}

with_cmake() {
    need usr_local
    {
        printf 'cmake_minimum_required(VERSION 3.25)\nproject(app C)\nadd_executable(app app.c)\n'
        cell docs/start.md CMake 1
        echo "target_link_libraries(app $(cell docs/start.md CMake 2))"
    } >"$dir/usr_local/tmp/CMakeLists.txt"
    session usr_local "A project of CMake" <<'END'
# CMakeLists.txt has the line of start.md, and links what it names
#: mkdir with-cmake && cd with-cmake && cp /tmp/CMakeLists.txt /tmp/app.c .
#: cmake -B build && cmake --build build && build/app
END
    printed "$id"
}

staged() {
    need tools
    machine staged tools
    session staged "A staged tree" < <(
        echo "#: cd frazil"
        cell docs/start.md "a staged tree, to build your own package" 1
        echo "#: LD_LIBRARY_PATH=\$(dirname \$(find /tmp/stage -name libfrazil.so)) /tmp/stage/usr/bin/frazil next worker=fixed:7"
        echo "#: ls /usr/bin/frazil /usr/local/bin/frazil || echo nothing of it is outside"
    )
    printed "$id"
    printed '^nothing of it is outside$'
}

coordinators() {
    need tools
    machine coordinators tools
    session coordinators "The libraries of all coordinators" < <(
        # shellcheck disable=SC2016 # of Markdown
        echo "sudo apt-get install $(grep '^| \[' "$root/docs/coordinators/README.md" | grep -o '`lib[a-z0-9-]*-dev`' | tr -d '`' | xargs)"
        echo "#: cd frazil"
        block docs/start.md Install sh 2
        echo "#: frazil version"
    )
    printed '^(redis|etcd|zookeeper|postgresql|mysql): ' 5
    ! grep -qE '^(redis|etcd|zookeeper|postgresql|mysql): not installed' <<<"$output" || fail "a coordinator's part is not installed"
}

portable() {
    need tools
    machine portable tools
    session portable "The portable build" < <(
        echo "#: cd frazil"
        cell docs/start.md "musl, or another system than Linux" 1
        echo "#: cmake --build build/portable -j 2 && build/portable/bin/frazil next worker=fixed:7"
    )
    printed "$id"
}

home() {
    need tools
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
}

# pod MANIFEST NAME: what the pod of that name does at its start, as commands for a shell: its environment, the commands of its
# init containers, and an id.  Its volumes are empty folders of its user's.
pod() {
    chroot "$dir/usr_local" python3 - "/ada/frazil/$1" "$2" <<'END'
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
redis() {
    need usr_local
    session usr_local "A Redis, and what reads a manifest" <<'END'
#: sudo apt-get install --no-install-recommends redis-server python3-yaml
END
    net=--net
    local start='redis-server --daemonize yes --dir ~ --appendonly yes >/dev/null && until redis-cli ping; do :; done'
    session usr_local "Three processes over a Redis (start.md)" < <(
        echo "#: $start"
        block docs/start.md "Three processes, one Redis" sh
    )
    printed '^ids +300000$'
    printed '^duplicates +0$'
    printed '^ +[0-9]+ +100000 ' 3
    session usr_local "README.md's quick start over a Redis, another namespace" < <(
        echo "#: $start"
        echo "#: redis-cli flushall"
        block README.md "Three quick starts" sh | grep 'redis:'
    )
    printed "$id"
    host=orders-3
    # shellcheck disable=SC2016 # that shell's
    local inspect='#: frazil inspect $(cat id)'
    session usr_local "The StatefulSet's manifest, on a host of the pod's name" < <(
        pod contrib/kubernetes/statefulset.yaml orders-3
        echo "#: frazil next | tee id"
        echo "$inspect"
    )
    printed '^worker +3$'
    session usr_local "README.md's quick start for it" < <(
        block README.md "Three quick starts" sh | grep ordinal | sed 's/$/ | tee id/'
        echo "$inspect"
    )
    printed '^worker +3$'
    net='' host=''
}

# language WORD WHAT: of README.md's first lines under the summary that begins so: its packages (`debian`), or its lines (`typed`).
language() {
    awk -v word="<b>$1" -v want="$2" '
        /^<summary>/ { here = index($0, word) }
        here && want == "debian" && sub(/^Debian: `/, "") { sub(/`\.$/, ""); print; found = 1 }
        here && want == "typed" && /^```/ { inside = $0 == "```sh"; next }
        here && inside { print; found = 1 }
        END { exit !found }' "$root/README.md" || fail "README.md has no $2 under $1"
}

# On a machine that has what README.md names and nothing of start.md.
daemon() {
    machine daemon
    sources daemon ada
    session daemon "What the daemon, its clients and leases of Redis need (README.md)" < <(
        echo "#: sudo $(named "It needs .*: ")"
        echo "#: sudo apt-get install --no-install-recommends $(language Redis debian) $(named "for Redis, install ")"
        echo "#: cd frazil"
        language Redis typed | head -n 1
        echo "#: build/release/bin/frazil version"
    )
    printed '^redis: hiredis '
    net=--net
    session daemon "The daemon: README.md's lines, and those of its page" < <(
        echo "#: cd frazil"
        language Redis typed | tail -n +2
        block docs/frazild.md "Try it" sh 2
        echo "#: kill %1"
    )
    net=''
    printed '^"?[0-9]{17,19}"?$' 2
    printed '"generator":"main"' 2
}

database() {
    machine database
    sources database ada
    session database "An id in SQLite (README.md)" < <(
        echo "#: sudo $(named "It needs .*: ")"
        echo "#: sudo apt-get install --no-install-recommends $(language SQL debian)"
        echo "#: cd frazil"
        language SQL typed
    )
    printed "$id"
    session database "SQLite, as its page builds it" < <(
        echo "#: cd frazil/build/amalgamation"
        block databases/sqlite/README.md "The trap first" "console sqlite" | typed
        block databases/sqlite/README.md "Build it" "console sqlite" | typed
    )
    printed '^18$'
}

packages() {
    need tools
    machine packages tools
    session packages "Debian packages" < <(
        echo "#: cd frazil"
        cell docs/start.md "Debian packages" 1
        cell docs/start.md "Debian packages" 2
        echo "#: cd"
        program
    )
    printed "$id"
}

parts="as_root missing tools usr_local with_cmake redis staged coordinators portable home daemon database packages"
# clean: those that are machines of this walk.
clean() {
    for part in $parts; do rm -rf "${dir:?}/$part"; done
}
shift
empty_machine
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || { clean && set -- $parts; }
for part; do
    case " $parts " in *" $part "*) "$part" ;; *) fail "$part is none of the parts: $parts" ;; esac
done
{
    printf '\n== Times\n'
    printf '%s\n' "${times[@]}"
} | tee -a "$transcript"
[ $# -gt 0 ] || clean
