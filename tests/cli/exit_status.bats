# SPDX-License-Identifier: MIT
# Goal of this test: the exit status of every command, for what it is promised for: done, a finding or a bad value, bad
# usage, input that cannot be read, a reader that went away, output that cannot be written.
# shellcheck disable=SC2086,SC2154 # the rows are words; bats sets stderr
load helpers

# A row a command: COMMAND | arguments that succeed | that find something, and its status | that read standard input.
# -: there is no such thing.
TABLE='
next       | worker=fixed:1 state=memory            | -                                          | -
inspect    | 5                                      | 1 x 5                                      |
compose    | --time 2026-02-01 -w 1 -s 0            | 1 --time 2026-02-01 -w 1024 -s 0           | --tsv
convert    | --to hex 5                             | 1 --to hex 5 x                             | --to hex
range      | 2026-02-01 2026-02-02                  | 1 2026-02-02 2026-02-01                    | -
layout     | twitter                                | 1 overlap twitter discord                  | -
shard      | 16 5                                   | 1 16 5 x                                   | 16
scramble   | --salt 3 5                             | 1 --salt 3 5 x                             | --salt 3
unscramble | --salt 1234567891 1vrvdq50734rcj       | 1 --salt 1234567891 1vrvdq50734rcj x       | --salt 3
opaque     | --key-file key 5                       | 1 --key-file key 5 x                       | --key-file key
worker     | --max 8 a                              | 1 --max 8 --hash=                          | --max 8
lease      | list file://@/leases                   | -                                          | -
state      | run_dir=@/run state_dir=@/state worker=fixed:1 | 1 run_dir=@/run state_dir=@/broken worker=fixed:1 | -
doctor     | --color never clock=real layout=frazil worker=fixed:1 run_dir=@/run state_dir=@/state | 2 worker=fixed:1 state_dir=/proc/nosuch | -
verify     | ids                                    | 1 ids ids                                  |
bench      | --quick                                | -                                          | -
version    |                                        | -                                          | -
completion | bash                                   | -                                          | -
help       |                                        | -                                          | -
'

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset FRAZIL_STATE # files are what this is about
}

# prepare: the files that the rows name.
prepare() {
    (umask 077 && printf '00000000000000000000000000000001' >key)
    printf '5\n6\n' >ids
    mkdir run state broken
    frazil lease init --never-used "worker=file://$PWD/leases" layout=frazil >/dev/null
    frazil next worker=fixed:1 "run_dir=$PWD/run" "state_dir=$PWD/state" >/dev/null
    cp -r state/. broken/
    find broken -name '*.grant' -exec truncate -s 7 {} +
}

# each COLUMN FUNCTION: calls it with the command and, as words, that cell of its row; rows with - are left out.
each() {
    local column=$1 function=$2 cells command
    while IFS='|' read -ra cells; do
        read -r command <<<"${cells[0]}"
        [ -n "$command" ] || continue
        read -r cell <<<"${cells[$column]}"
        [ "$cell" = - ] || $function $command ${cell//@/$PWD} || return
    done <<<"$TABLE"
}

# exits STATUS COMMAND...: it does, whatever it prints.
exits() {
    local expected=$1 status=0
    shift
    "$@" || status=$?
    echo "status $status: $*"
    [ "$status" -eq "$expected" ]
}

needs_row() {
    [ "$1" != opaque ] || ! frazil opaque --help 2>&1 | grep -q "not built"
}

@test "the table has every command" {
    { frazil help | sed -n 's/^  \([a-z]*\)  .*/\1/p'; } | sort >expected
    sed -n 's/^\([a-z]*\) *|.*/\1/p' <<<"$TABLE" | sort >actual
    same expected actual
}

@test "done: 0" {
    prepare
    done_row() {
        needs_row "$1" || return 0
        [ "$1" != bench ] || return 0 # a busy machine may miss what is asked of a row
        [ "$1" != doctor ] || set -- "$@" --quiet
        exits 0 frazil "$@" >/dev/null || { [ "$1" = doctor ] && exits 1 frazil "$@" >/dev/null; }
    }
    each 1 done_row
}

@test "a finding or a bad value has its own status, also for a reader that went away" {
    prepare
    mkfifo pipe
    exec 7<>pipe 8>pipe 7<&- # nobody reads what is written to 8
    finding_row() {
        local command=$1 expected=$2
        shift 2
        needs_row $command || return 0
        echo "$command $*"
        status=0
        frazil $command "$@" >/dev/null 2>&1 || status=$?
        [ "$status" -eq "$expected" ]
        status=0
        frazil $command "$@" >&8 2>/dev/null || status=$?
        [ "$status" -eq "$expected" ]
    }
    each 2 finding_row
}

@test "a reader that went away is no error, and no word is lost about it" {
    prepare
    mkfifo pipe
    exec 7<>pipe 8>pipe 7<&-
    gone_row() {
        local usual=0 status=0
        needs_row "$1" || return 0
        [ "$1" != bench ] || return 0
        frazil "$@" >/dev/null 2>&1 || usual=$?
        frazil "$@" >&8 2>errors || status=$?
        echo "$*: $status, usually $usual"
        [ "$status" -eq "$usual" ] && ! grep -q "standard output" errors
    }
    each 1 gone_row
}

@test "bad usage: 2" {
    prepare
    usage_row() {
        [ "$1" != help ] || return 0
        [ "$1" != opaque ] || needs_row opaque || return 0
        fails 2 "frazil help $1" frazil "$1" --nosuch
    }
    each 0 usage_row
    fails 2 "frazil help" frazil nosuch
    fails 2 "frazil help" frazil help nosuch
}

@test "input that cannot be read: 4" {
    prepare
    unreadable_row() {
        needs_row "$1" || return 0
        fails 4 "cannot read standard input: Is a directory" frazil "$@" </
        # shellcheck disable=SC2016 # $ is for the shell inside
        fails 4 "cannot read standard input: Bad file descriptor" sh -c 'exec "$FRAZIL" "$@" <&-' sh "$@"
    }
    each 3 unreadable_row
}

@test "a full disk: 4, for every command and for its help" {
    prepare
    full_row() {
        needs_row "$1" || return 0
        status=0
        frazil "$@" 2>errors >/dev/full || status=$?
        echo "$*: $status $(cat errors)"
        [ "$status" -eq 4 ]
        [ "$(tail -n 1 errors)" = "frazil: cannot write to standard output: No space left on device" ]
        [ "$1" = help ] || exits 4 frazil "$1" --help 2>/dev/null >/dev/full
    }
    each 1 full_row
}

@test "a limit on the size of files: 4, with a sentence, not a death" {
    prepare
    limit_row() {
        needs_row "$1" || return 0
        [ "$1" != bench ] && [ "$1" != doctor ] || return 0 # they write files of their own first
        status=0
        errors=$( (ulimit -f 0 && frazil "$@" >out) 2>&1) || status=$?
        echo "$*: $status $errors"
        [ "$status" -eq 4 ]
        [[ $errors == "frazil: "*": File too large"* ]] # the output, or what is claimed of the host
    }
    each 1 limit_row
}
