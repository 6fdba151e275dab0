#!/bin/sh
# SPDX-License-Identifier: MIT
# selftest.sh CHECK: the check finds each fault that it exists for, in small projects made for it.
set -eu

style=$(dirname "$(realpath "$0")")
check=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
samples=0

# project: starts an empty one.
project() {
    rm -rf "$scratch/project"
    mkdir -p "$scratch/project/src" "$scratch/project/include/frazil" "$scratch/project/programs"
    cp "$style/../../.clang-format" "$scratch/project/"
}

# file PATH: adds one to the project, with the text of standard input.
file() {
    mkdir -p "$(dirname "$scratch/project/$1")"
    cat >"$scratch/project/$1"
}

run_check() {
    sh "$style/$check.sh" "$scratch/project" >"$scratch/output" 2>&1
}

complain() {
    echo "selftest: $check.sh $1; it said:" >&2
    cat "$scratch/output" >&2
    exit 1
}

# must_pass: the check has nothing to say against the project.
must_pass() {
    run_check || complain "refuses a project without a fault"
    samples=$((samples + 1))
}

# must_fail SENTENCE: the check refuses the project, and says so.
must_fail() {
    if run_check; then
        complain "does not find: $1"
    fi
    grep -qF -- "$1" "$scratch/output" || complain "fails, but not with: $1"
    samples=$((samples + 1))
}

# finds SENTENCE in PATH TEXT: with that text in the file it does.
finds() {
    echo "$4" | file "$3"
    must_fail "$1"
}

# needs SENTENCE: it does so in an empty project.
needs() {
    project
    must_fail "$1"
}

# lines N: as many statements.
lines() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "    x++;" }'
}

function_of() {
    echo "void $1(void)"
    echo "{"
    lines $(($2 - 3))
    echo "}"
}

test_arrows() {
    project
    echo '#include <stdint.h>' | file include/frazil.h
    echo '#include "frazil.h"' | file src/core/a.h
    printf '#include "a.h"\n#include <string.h>\n#include "core/a.h"\n' | file src/core/a.c
    echo '#include "core/a.h"' | file src/generator/b.c
    must_pass
    finds 'src/core/a.c:1: core may not see os' in src/core/a.c '#include "os/clock.h"'
    printf '#include "a.h"\n' | file src/core/a.c
    finds 'src/generator/b.c:1: reads the settings again' in src/generator/b.c '#include "config/settings.h"'
    finds 'src/generator/b.c:1: leaves passwords out' in src/generator/b.c '#include "core/secret.h"'
    echo '#include "core/a.h"' | file src/generator/b.c
    finds 'src/core/a.c:1: the core may not include <stdio.h>' in src/core/a.c '#include <stdio.h>'
    finds 'name the room, not the way to it' in src/core/a.c '#include "../generator/b.h"'
    finds 'which is not beside it' in src/core/a.c '#include "b.h"'
    project
    finds 'this folder may not see core' in programs/frazil/main.c '#include "core/a.h"'
    project
    echo '#include <stdint.h>' | file programs/frazil/output.h
    printf '#include "output.h"\n#include "table.h"\n' | file programs/frazil/bench/table.c
    echo '#include <stdint.h>' | file programs/frazil/bench/table.h
    printf '#include "output.h"\n#include "bench/table.h"\n' | file bench/lab/main.c
    must_pass
    finds 'programs/frazil/main.c:1: this folder may not see bench' in programs/frazil/main.c '#include "bench/table.h"'
    project
    finds 'lab may not see core' in bench/lab/main.c '#include "core/a.h"'
    project
    finds 'opaque may not see core' in src/opaque/a.c '#include "core/a.h"'
    project
    echo '#include "common/url.h"' | file src/coordinators/redis/a.c
    must_pass
    finds 'redis may not see etcd' in src/coordinators/redis/a.c '#include "etcd/a.h"'
    project
    finds 'a public header may not include <pthread.h>' in include/frazil/x.h '#include <pthread.h>'
    needs 'no include found'
}

test_circles() {
    project
    echo '#include "core/b.h"' | file src/core/a.c
    printf '#include "b_internal.h"\n' | file src/core/b.c
    printf '#include "b.h"\n' | file src/core/b_internal.h
    echo '#include "core/c.h"' | file src/core/b.h
    echo '#include "b.h"' | file src/core/c.h
    must_pass
    echo '#include "a.h"' | file src/core/b_internal.h
    echo | file src/core/a.h
    must_fail 'a circle of units: src/core/'
    project
    echo '#include "b.h"' | file src/core/a.c
    echo '#include "c.h"' | file src/core/b.c
    echo '#include "a.h"' | file src/core/c.c
    for name in a b c; do echo | file "src/core/$name.h"; done
    must_fail 'a circle of units: src/core/'
    project
    echo '#include "os/b.h"' | file src/core/a.h
    echo '#include "core/c.h"' | file src/os/d.h
    for name in core/c os/b; do echo | file "src/$name.h"; done
    must_fail 'a circle of rooms: src/'
    needs 'no include found'
}

# tables_project: what the check looks at, as it is.
tables_project() {
    project
    (cd "$style/../.." && tar cf - src/config src/coordinators/*/CMakeLists.txt man docs/worker-ids.md docs/coordinators debian include \
        programs/frazild/settings_keys.h src/admin/doctor_findings.h tests/lib/kind_*.c bindings/node/index.d.ts) | tar xf - -C "$scratch/project"
}

# lists_project: what the check of lists looks at, as it is.
lists_project() {
    project
    (cd "$style/../.." && tar cf - include src/config/keys.h src/config/values.c bindings/node/index.d.ts bindings/node/lib bindings/node/src/generator.c bindings/php/generator.c \
        bindings/python/src/frazil/*.py bindings/python/csrc/looking.c programs/frazild/info.c bindings/go/*.go bindings/rust/frazil*/src/*.rs) | tar xf - -C "$scratch/project"
}

# with FILE SED SENTENCE: after that change, the check says so.
with() {
    "${check}_project"
    cp "$scratch/project/$1" "$scratch/before"
    sed -i "$2" "$scratch/project/$1"
    ! cmp -s "$scratch/before" "$scratch/project/$1" || complain "cannot be tried: nothing is changed by $2"
    must_fail "$3"
}

test_tables() {
    tables_project
    must_pass
    with src/config/worker_sources.h 's/"ordinal"/"cardinal"/' 'man/frazil.spec.5:1: lacks the source cardinal'
    with src/config/worker_sources.h 's/"ordinal"/"cardinal"/' 'docs/worker-ids.md:1: lacks the source cardinal'
    with src/config/behaviours.h 's/"post"/"poste"/' 'man/frazil.spec.5:1: lacks the behaviour poste'
    with include/frazil/coordinators.h '/coordinator_etcd(/d' 'include/frazil/coordinators.h:1: lacks frazil_coordinator_etcd'
    with programs/frazild/settings_keys.h 's/threads,/strands,/' 'man/frazild.conf.5:1: lacks the key strands'
    with man/frazil.1 's/^\(Warnings: .*\)on-disk, /\1/' 'man/frazil.1:1: lacks the warning run.on-disk'
    with src/admin/doctor_findings.h 's/FAIL, "state.held-up"/FAIL, "state.hold-up"/' 'man/frazil.1:1: lacks the failure state.hold-up'
    with src/admin/doctor_findings.h 's/WARN, "fork.not-wiped"/OK, "fork.not-wiped"/' \
        'man/frazil.1:1: has fork.not-wiped, which is no warning of the table'
    with src/config/keys.h 's/"open_wait"/"opening_wait"/' 'bindings/node/index.d.ts:1: lacks the key opening_wait'
    with bindings/node/index.d.ts 's/  openWait?/  openingWait?/' 'bindings/node/index.d.ts:1: has opening_wait, which is no key of the table'
    with src/config/coordinators.h 's/X(etcd, /X(consul, /' 'docs/coordinators/consul.md:1: is missing'
    with src/config/coordinators.h 's/X(etcd, /X(consul, /' 'docs/coordinators:1: has etcd, which is no coordinator of the table'
    with src/config/coordinators.h 's/etcds/etcdx/' 'man/frazil.spec.5:1: lacks the URLs etcdx://'
    with debian/control 's/^Package: libfrazil-redis1/Package: libfrazil-radish1/' 'debian/control:1: has radish, which is no package of the table'
    with docs/coordinators/README.md 's/(etcd.md)/(etc.md)/' 'docs/coordinators/README.md:1: does not lead to etcd.md'
    needs 'no table of behaviours found'
}

test_lists() {
    lists_project
    must_pass
    for file in node/index.d.ts go/errors.go rust/frazil/src/error.rs rust/frazil-sys/src/lib.rs; do
        with include/frazil/error.h 's/X(EPOOL, /X(ESHOAL, /; s/-24, RETRY/-25, RETRY/' "bindings/$file:1: differs"
    done
    for file in node/index.d.ts go/forms.go rust/frazil/src/text.rs rust/frazil-sys/src/lib.rs; do
        with include/frazil/text.h 's/X(SIGNED, .*/&, \\\n    X(OCTAL, 13, "octal", 22)/; s/^ \*   SIGNED  /&x\n *   OCTAL  /' "bindings/$file:1: differs"
    done
    with include/frazil/observe.h 's/X(MOVES, *10/X(MOVES, 11/' 'bindings/rust/frazil-sys/src/lib.rs:1: differs'
    with include/frazil/observe.h 's/X(LOST, *2/X(LOST, 12/' 'bindings/rust/frazil-sys/src/lib.rs:1: differs'
    for file in bindings/go/parts.go bindings/node/index.d.ts bindings/node/lib/generator.js bindings/php/generator.c \
        bindings/python/src/frazil/_generator.py bindings/rust/frazil-sys/src/lib.rs programs/frazild/info.c; do
        with include/frazil/observe.h 's/FRAZIL_HEALTH_FENCED = 3/FRAZIL_HEALTH_HEDGED = 3/' "$file:1: differs"
    done
    for file in go/parts.go node/index.d.ts node/src/generator.c php/generator.c python/csrc/looking.c rust/frazil-sys/src/lib.rs; do
        with include/frazil/observe.h 's/FRAZIL_STATE_GRANT = 2/FRAZIL_STATE_LOAN = 2/' "bindings/$file:1: differs"
    done
    with include/frazil/observe.h '/^    FRAZIL_STATE_/d' 'observe.h has no FRAZIL_STATE_'
    for file in node/lib/options.js python/src/frazil/_options.py; do
        with src/config/keys.h 's/"expect", *PLACE, TEXT/"expect", PLACE, DURATION/' "bindings/$file:1: differs"
    done
    for file in node/index.d.ts python/src/frazil/_options.py; do
        with src/config/values.c 's/"spread", FZ_KEY_START/"spray", FZ_KEY_START/' "bindings/$file:1: differs"
    done
    with bindings/node/index.d.ts "/FRAZIL_EPOOL/d" 'bindings/node/index.d.ts:1: differs'
    with include/frazil/error.h 's/FRAZIL_ERRORS(X)/FRAZIL_FAULTS(X)/' 'error.h has no table FRAZIL_ERRORS'
    with include/frazil/text.h 's/^ \*   BASE58  /   /' 'text.h says nothing of BASE58'
    with bindings/go/forms.go '/Form = /d' 'bindings/go/forms.go has no list of lines like'
}

test_lengths() {
    project
    echo 'Why it is so.' | file docs/DESIGN.md
    { function_of a 15; function_of b 15; function_of c 70; } | file src/a.c
    must_fail '95 % have at most 70'
    for i in 1 2 3 4 5 6 7 8 9 10; do function_of "f$i" 15; function_of "g$i" 15; done | file src/b.c
    must_pass
    function_of main 41 | file programs/a.c
    must_fail 'programs/a.c:1: main() has 41 lines, 40 allowed'
    function_of a 71 | file programs/a.c
    must_fail 'programs/a.c:1: a() has 71 lines, 70 allowed'
    lines 600 | file programs/a.c
    must_fail 'programs/a.c:1: 600 lines, 599 allowed'
    rm "$scratch/project/programs/a.c"
    printf '%0120d\n%0121d\n' 1 1 | file docs/DESIGN.md
    must_fail 'docs/DESIGN.md:2: 121 columns, 120 allowed'
    echo 'Why it is so.' | file docs/DESIGN.md
    for begin in 'TEST("It is, so (and so) long")' 'TEST_OF_KINDS(over_all, "It is")' 'BEFORE_EACH'; do
        { echo "$begin"; function_of a 71 | tail -n +2; } | file tests/a.c
        must_fail "tests/a.c:1: ${begin%%(*}() has 71 lines, 70 allowed"
    done
    project
    function_of a 16 | file src/a.c
    must_fail 'at most 15 and 50 are allowed'
    needs 'no source found'
}

test_banned() {
    project
    printf '/* time(x) */ const char *s = "exit(1) \\" rand()"; /* sleep(\n1) */ clock_nanosleep(1); c->time(1);\n' |
        file src/a.c
    must_pass
    for call in time rand sprintf strcpy strcat exit abort printf gets atoi strtok usleep sleep; do
        printf 'int a;\nint b = %s(1);\n' "$call" | file src/a.c
        must_fail "src/a.c:2: $call() is banned: use "
    done
    finds 'programs/a.c:1: atoi() is banned' in programs/a.c 'int a = atoi ("1");'
    rm "$scratch/project/programs/a.c"
    # Strings of C, where bytes of clients are.
    project
    for use in 'strcmp(a.at, b)' 'strncasecmp(a, b->c.at, 1)' 'f(strlen (a[1].at))' 'strlen(a->at)'; do
        finds 'programs/frazild/a.c:1: str*() is banned of .at' in programs/frazild/a.c "int a = $use;"
    done
    echo 'int a = f(strlen(a), &b.at) + memcmp(a.at, b, 1); struct slice b = {.at = c, .len = strlen(c)};' | file programs/frazild/a.c
    must_pass
    project
    # Process ids, and waits on a clock that can be set.
    finds 'src/a.c:1: getpid() is banned: use fz_fork_mark_read' in src/a.c 'int a = getpid();'
    echo 'int a;' | file src/a.c
    echo 'int a = getpid();' | file src/os/worker_lock.c
    must_pass
    finds 'src/a.c:1: socket() is banned: use fz_socket_open' in src/a.c 'int a = socket(b, SOCK_STREAM, 0);'
    echo 'int a = session->client->socket(b);' | file src/a.c
    echo 'int a = socket(b, SOCK_STREAM, 0);' | file src/os/posix/system.c
    must_pass
    for call in pthread_mutex_timedlock pthread_rwlock_timedrdlock sem_timedwait cnd_timedwait; do
        finds "src/a.c:1: $call() is banned: use what waits on the monotonic clock" in src/a.c "int a = $call(b, c);"
    done
    finds 'src/a.c:1: pthread_cond_timedwait() is banned without' in src/a.c 'int a = pthread_cond_timedwait(b, c, d);'
    printf 'int b = pthread_condattr_setclock(x, CLOCK_REALTIME);\nint a = pthread_cond_timedwait(b, c, d);\n' | file src/a.c
    must_fail 'src/a.c:2: pthread_cond_timedwait() is banned without'
    printf 'int b = pthread_condattr_setclock(x, CLOCK_MONOTONIC);\nint a = pthread_cond_timedwait(b, c, d);\n' | file src/a.c
    must_pass
    # Calls that Linux alone has, and what a comment may say of them.
    project
    for line in 'int a = memfd_create("a", 0);' 'int a = pipe2(b, 0);' '#define _GNU_SOURCE' '#include <linux/tcp.h>' \
        '#include <sys/auxv.h>' '#ifdef __linux__' 'int a = f(b, MADV_DONTNEED);' 'int a = f(CLOCK_BOOTTIME);' \
        'int a = socket(b, SOCK_STREAM | SOCK_CLOEXEC, 0);' 'const char *a = "/proc/self/fd";' \
        'int a; /* b */ int c = syscall(1);'; do
        printf 'int b;\n%s\n' "$line" | file src/os/a.c
        must_fail 'src/os/a.c:2: only Linux, or one libc, has this'
        rm "$scratch/project/src/os/a.c"
        printf 'int b;\n%s\n' "$line" | file src/os/linux/a.c
        must_pass
    done
    printf '/* /proc/self, __linux__,\n * pipe2() and\n * "/proc/" */ int a = MAP_ANONYMOUS; /* SOCK_CLOEXEC */\n' | file src/os/a.c
    must_pass
    project
    echo 'int a = memset(b, 0, 1);' | file src/core/a.c
    must_pass
    for room in coordinators/common coordinators/redis; do
        project
        finds "src/$room/a.c:1: memset() is banned: use fz_wipe" in "src/$room/a.c" 'int a = memset(password, 0, 1);'
    done
    project
    echo 'const char *a = getenv("A");' | file src/os/host.c
    must_pass
    finds 'src/os/dirs.c:1: getenv() is banned: use fz_environment' in src/os/dirs.c 'const char *a = getenv("A");'
    project
    finds 'programs/a.c:1: getenv() is banned: use fz_typed_variable' in programs/a.c 'const char *a = getenv("A");'
    needs 'no source found'
}

test_typed() {
    project
    printf 'complain("no %%s", quoted(argv[1]));\ncomplain("%%s: %%s", typed(path, strlen(path)), strerror(errno));\n' |
        file programs/a.c
    # shellcheck disable=SC2016 # awk is not asked
    printf 'complain("%%s", argv[0]);\nif (x)\n    complain("path, %%s",\n             err.message);\n' | file programs/b.c
    echo 'return fz_fail(reterr, FRAZIL_ESPEC, "%s=%q", name, value);' | file src/a.c
    must_pass
    for argument in 'argv[1]' 'args->values[0]' optarg 'value->text' path name url 'quoted(x), argv[optind - 1]'; do
        printf 'int a;\ncomplain("no %%s %%s",\n         %s);\n' "$argument" | file programs/a.c
        must_fail 'programs/a.c:2: complains about what was typed without typed() or quoted()'
    done
    # shellcheck disable=SC2028 # it is a backslash
    finds 'programs/a.c:1: quotes what may have been typed by %s' in programs/a.c 'complain("no \"%s\"", x);'
    project
    echo "return fz_fail(reterr, FRAZIL_ESPEC, \"no '%s'\", x);" | file src/a.c
    must_fail 'src/a.c:1: quotes what may have been typed by %s'
    needs 'no source found'
}

test_structures() {
    project
    cp -r "$style/../../src/lease" "$scratch/project/src/"
    cp -r "$style/../../include" "$scratch/project/"
    file tests/style/structures <"$style/structures"
    must_pass
    echo '/* Another comment. */' >>"$scratch/project/src/lease/granter.h"
    must_pass
    sed -i 's/^    uint64_t count;$/    uint32_t count;/' "$scratch/project/src/lease/slot_source.h"
    must_fail 'what parts and their loaders share has changed'
    cp "$style/../../src/lease/slot_source.h" "$scratch/project/src/lease/"
    sed -i 's/^#define FZ_STRUCTURES .*/#define FZ_STRUCTURES 0/' "$scratch/project/src/lease/coordinator.h"
    must_fail 'write into tests/style/structures: 0 '
    rm "$scratch/project/src/lease/granter.h"
    must_fail 'fz_granter is not found'
}

test_kept() {
    project
    printf 'struct a {\n    struct fz_kept_fd file; /* int fd; */\n};\nint f(void)\n{\n    int fd;\n    return fd;\n}\n' |
        file src/a.c
    printf 'struct fz_kept_fd {\n    int fd;\n};\n' | file src/os/kept_fd.h
    must_pass
    printf 'struct a {\n    char c;\n    int fd; /* x */\n};\n' | file src/a.h
    must_fail 'src/a.h:3: a descriptor is kept as a number'
    printf 'static struct {\n    struct {\n        char c;\n    } b;\n    int held_fd;\n} a;\n' | file src/a.h
    must_fail 'src/a.h:5: a descriptor is kept as a number'
    printf 'typedef struct a {\n    int sockets[4];\n} a;\n' | file src/a.h
    must_fail 'src/a.h:2: a descriptor is kept as a number'
    needs 'no source found'
}

test_contracts() {
    project
    printf '/* Does a. */\nFRAZIL_API int a(int x,\n                 int y) FRAZIL_NONNULL(1);\nFRAZIL_API int b(void);\n' |
        file include/a.h
    must_pass
    printf 'struct s {\n    int a; /* a */\n};\n\nFRAZIL_API int a(int x) FRAZIL_NONNULL(1);\n' | file include/a.h
    must_fail 'include/a.h:5: a() has no contract'
    printf '/* Does a. */\nint a(void);\n\nint b(void);\n' | file include/a.h
    must_fail 'include/a.h:4: b() has no contract'
    printf '/* Does a. */\n#if X\nstatic inline int a(void)\n{\n}\n#endif\n' | file include/a.h
    must_fail 'include/a.h:3: a() has no contract'
    project
    printf '/* A. */\nFRAZIL_API int frazil_a_open(frazil_a **ret,\n                frazil_error *reterr) FRAZIL_NONNULL(1);\n' |
        file include/a.h
    printf '/* Frees a. */\nvoid fz_a_free(void);\n' | file src/core/a.h
    must_pass
    printf '/* A. */\nFRAZIL_API int frazil_a_open_with(frazil_a **ret);\n' | file include/a.h
    must_fail 'include/a.h:2: frazil_a_open_with() cannot say why it failed'
    for name in frazil_a_new frazil_a_free; do
        printf '/* A. */\nFRAZIL_API void %s(frazil_a *a);\n' $name | file include/a.h
        must_fail "include/a.h:2: $name(): a handle has _open and _close"
    done
    needs 'no header found'
}

test_growth() {
    needs 'no struct found'
    file include/a.h <<'EOF'
/* With a size argument. */
typedef struct frazil_a {
    int64_t a; /* a */
} frazil_a;

/* With a size member. */
typedef struct frazil_b {
    size_t size; /* sizeof(frazil_b) */
} frazil_b;

/* With room. */
typedef struct frazil_c {
    uint64_t reserved[2]; /* 0 */
} frazil_c;

/* A number.  It does not grow. */
typedef struct frazil_d {
    int64_t d; /* d */
} frazil_d;

/* Gets a; a bool may be what a function returns. */
FRAZIL_API void frazil_get_a(frazil *gen, frazil_a *ret,
                             size_t size) FRAZIL_NONNULL(1, 2);
FRAZIL_API bool frazil_e(frazil_d *d);
EOF
    must_pass
    printf '/* Gets a. */\nFRAZIL_API void frazil_get_a(frazil_a *ret, frazil_b *ret_b, size_t size);\n' >"$scratch/late"
    sed -n '1,/^\/\* Gets/{/^\/\* Gets/!p}' "$scratch/project/include/a.h" | cat - "$scratch/late" | file include/b.h
    rm "$scratch/project/include/a.h"
    must_fail 'include/b.h:2: frazil_a cannot grow'
    printf '/* With no room. */\ntypedef struct frazil_c {\n    uint64_t rest; /* reserved */\n} frazil_c;\n' | file include/b.h
    must_fail 'include/b.h:2: frazil_c cannot grow'
    printf '/* It does not grow. */\n\n/* With no size. */\ntypedef struct frazil_b {\n    uint32_t size; /* size */\n} frazil_b;\n' |
        file include/b.h
    must_fail 'include/b.h:4: frazil_b cannot grow'
    printf '/* It does not grow. */\ntypedef struct frazil_b {\n    int a; /* a */\n} frazil_b;\n' | file include/b.h
    must_pass
    finds 'include/c.h:1: FRAZIL_A_COUNT' in include/c.h '#define FRAZIL_A_COUNT 3'
    printf 'FRAZIL_API int frazil_a(int a,\n                        bool b);\n' | file include/c.h
    must_fail 'include/c.h:2: frazil_a() has a bool argument'
}

test_private() {
    project
    printf 'FZ_PRIVATE int fz_a(int x,\n                    int y);\nstatic inline int fz_b(void)\n{\n    return fz_a(1, 2);\n}\n' |
        file src/core/a.h
    printf 'FZ_PRIVATE const char *\nfz_c(void);\nextern const int fz_d;\nstruct fz_e {\n    int (*fz_f)(void);\n};\n' |
        file src/os/a.h
    echo 'int fz_g(void);' | file src/admin/a.h
    must_pass
    finds 'src/core/a.h:1: fz_a() is declared without FZ_PRIVATE' in src/core/a.h 'const char *fz_a(void);'
    printf 'const char *\nfz_a(void);\n' | file src/core/a.h
    must_fail 'src/core/a.h:2: fz_a() is declared without FZ_PRIVATE'
    finds 'src/core/a.h:1: data that changes is shared' in src/core/a.h 'extern int fz_a;'
    needs 'no header found'
}

test_unique() {
    project
    printf 'static int a(void)\n{\n    return 1;\n}\n' | file src/core/a.c
    printf 'static int b(void)\n{\n    int a = 1;\n    return a;\n}\n' | file src/os/b.c
    printf 'static int a;\n' | file src/admin/c.c
    printf 'static int c;\n' | file src/os/linux/c.c
    printf 'static int c;\n' | file src/os/posix/c.c
    must_pass
    finds 'src/os/b.c:1: a is also a name of src/core/a.c:1' in src/os/b.c 'enum { a = 1 };'
    printf 'struct a {\n    int b;\n};\n' | file src/os/b.c
    must_fail 'src/os/b.c:1: a is also a name of src/core/a.c:1'
    printf 'static int b;\n' | file src/os/b.c
    printf 'struct a {\n    int b;\n};\n' | file src/os/b.h
    must_pass
    printf 'static inline int a(void)\n{\n    return 1;\n}\n' | file src/os/b.h
    must_fail 'src/os/b.h:1: a is also a name of src/core/a.c:1'
    needs 'no source found'
}

test_headers() {
    project
    printf '#include <stdint.h>\nint a(uint8_t x);\n' | file include/a.h
    must_pass
    finds 'a.h:1: does not stand alone as c99' in include/a.h 'int a(uint8_t x);'
    finds 'a.h:1: does not stand alone as c99' in include/a.h '_Static_assert(1, "");'
    finds 'a.h:1: does not stand alone as c++11' in include/a.h 'int a(int class);'
    echo 'int a(void);' | file include/a.h
    finds 'src/a.h:1: does not stand alone as c11' in src/a.h 'int a(size_t n);'
    needs 'no header found'
}

test_outside() {
    project
    echo 'See [it](../README.md) and [that](https://example.org/x).' | file docs/a.md
    echo 'Tissue 7' | file README.md
    must_pass
    for text in 'see ../shared/x.md' 'in /work/main' 'see issue 7' 'Part 1 of 6'; do
        finds "README.md:1:$text" in README.md "$text"
    done
    finds 'README.md:1: links to nowhere.md, which does not exist' in README.md '[it](nowhere.md)'
    # shellcheck disable=SC2016 # the backquotes are those of Markdown
    printf '# a\n## Why, and how?\n```\n# b\n```\n[x](#why-and-how) [x](#a)\n' | file docs/b.md
    echo '[it](docs/b.md#why-and-how)' | file README.md
    must_pass
    finds 'README.md:1: links to docs/b.md#b, and no heading is called so' in README.md '[it](docs/b.md#b)'
    finds 'README.md:1: links to #there, and no heading is called so' in README.md '[it](#there)'
}

# manual_project: a project whose manual has no fault.
manual_project() {
    project
    printf '    X(EA,  -1, USAGE, "it is not an a") \\\n' | file include/frazil/error.h
    printf '%s\n' '/* x */' '/*' ' * A, as x.  See frazil.spec(5).' ' */' '#ifndef A' '/* See frazil_b, EA. */' 'FRAZIL_API int frazil_a(const char *x,' \
        '    int y) FRAZIL_NONNULL(1);' '' '/* ---- b ---- */' '' '/* B. */' 'FRAZIL_API const char *frazil_b(void);' '/* C. */' \
        'FRAZIL_API int frazil_c(void);' '#endif' | file include/frazil/a.h
    printf '%s\n' '/* x */' '/*' ' * All of it.' ' */' '#ifndef F' '#include "frazil/a.h"' '/* V. */' 'FRAZIL_API int frazil_v(void);' '#endif' | file include/frazil.h
    printf 'frazil_a\nfrazil_b\nfrazil_c\nfrazil_v\n' | file tests/api/exported-symbols.txt
    printf '    X(KEY,   "key") \\\n    X(K_2, "k_2")\n' | file src/config/keys.h
    # shellcheck disable=SC2016 # the backquotes are those of Markdown
    echo '| `FRAZIL_EA` -1 | cause | cure |' | file docs/ERRORS.md
    echo '.It Cm key , k_2' | file man/frazil.spec.5
    printf '.Dd May 1, 2026\n.Xr frazil_c 3\n' | file man/frazil.7
}

# shellcheck disable=SC2016 # the backquotes are those of Markdown
test_manual() {
    manual_project
    must_pass
    finds 'docs/ERRORS.md:1: no row begins with `FRAZIL_EA` -1' in docs/ERRORS.md '| `FRAZIL_EA` -2 | cause | cure |'
    manual_project
    echo frazil_d >>"$scratch/project/tests/api/exported-symbols.txt"
    must_fail 'include:1: frazil_d() has no page'
    manual_project
    printf '.It Cm key_2 , k_2\n.Xr frazil_d 3\n.It Xr frazil_b 1\n' | file man/frazil.spec.5
    must_fail 'man/frazil.spec.5:1: key is missing'
    must_fail 'man/frazil.spec.5:1: there is no frazil_d(3)'
    must_fail 'man/frazil.spec.5:1: there is no frazil_b(1)'
    manual_project
    sed -i 's/frazil.spec(5)/frazil.specs(5)/' "$scratch/project/include/frazil/a.h"
    must_fail 'frazil_a.3:1: there is no frazil.specs(5)'
    manual_project
    printf '.Sh FILES\n.Sx FILES .\n.Pq see Sx NO SUCH .\n' >>"$scratch/project/man/frazil.7"
    must_fail 'there is no section NO SUCH'
    sed -i '/NO SUCH/d' "$scratch/project/man/frazil.7"
    must_pass
    rm "$scratch/project/man/frazil.spec.5"
    must_fail 'man/frazil.spec.5:1: there is no such page'
    project
    touch "$scratch/project/include/frazil/error.h"
    must_fail 'no error, no function or no key found'
    written_pages
}

# written_pages: a page has its functions, and their contracts marked up; another name leads to it, and libfrazil(3), too.
written_pages() {
    manual_project
    (cd "$scratch/project" && sh "$style/../../tools/man-pages" "$scratch/written")
    printf '%s\n' '.Sh NAME' '.Nm frazil_a' '.Nd A' '.Sh LIBRARY' '.Pq Li "pkg-config --cflags --libs frazil"' '.Sh SYNOPSIS' '.In frazil.h' \
        '.Ft int' '.Fo frazil_a' '.Fa "const char *x"' '.Fa "int y"' '.Fc' '.Sh DESCRIPTION' 'A, as x.' 'See' '.Xr frazil.spec 5 .' \
        '.Bl -tag -width Ds' '.It Fn frazil_a' 'See' '.Xr frazil_b 3 ,' 'EA.' '.El' \
        '.Sh SEE ALSO' '.Xr frazil_b 3 ,' '.Xr libfrazil 3 ,' '.Xr frazil.spec 5' >"$scratch/expected"
    sed '1,/^.Os/d' "$scratch/written/frazil_a.3" | diff "$scratch/expected" - >"$scratch/output" || complain 'has another page of frazil_a'
    echo '.so man3/frazil_b.3' | cmp - "$scratch/written/frazil_c.3" >"$scratch/output" || complain 'has another page of frazil_c'
    grep -qx '.It Xr frazil_b 3' "$scratch/written/libfrazil.3" || complain 'has a libfrazil(3) that does not lead to frazil_b(3)'
    samples=$((samples + 3))
}

# keys_project: a project where manual and tables agree about keys.
# shellcheck disable=SC2016 # the backquotes are those of Markdown
keys_project() {
    project
    printf '{"timeout", FZ_URL_DURATION, "1s", "10ms",\n    "60s", 0, NULL},\n{"user", FZ_URL_USER, NULL, NULL, NULL, 0, NULL},\n' |
        file src/coordinators/common/url.c
    echo 'x = {{"path", FZ_URL_OWN, "/x", NULL, NULL, 0, read}, {.name = NULL}};' | file src/coordinators/a/a_url.c
    printf '| key | default | range | meaning |\n|---|---|---|---|\n| `path` | `/x` | | it |\n' | file docs/coordinators/a.md
    printf '| `timeout` | `1s` | `10ms` to `60s` | it |\n| `user` | | | it |\n' >>"$scratch/project/docs/coordinators/a.md"
    printf '.It Cm a://HOST\nKeys:\n.Cm path\n(it).\n.El\nAll also have the keys\n.Cm timeout , user .\nThey follow\n' | file man/frazil.spec.5
}

# shellcheck disable=SC2016 # the backquotes are those of Markdown
test_keys() {
    keys_project
    must_pass
    finds 'docs/coordinators/a.md:1: lacks the key path /y - -' in src/coordinators/a/a_url.c 'x = {{"path", FZ_URL_OWN, "/y", NULL, NULL, 0, read}, {.name = NULL}};'
    must_fail 'docs/coordinators/a.md:1: has path /x - -, which is not in the table of keys'
    echo 'x = {{"path", FZ_URL_OWN, "/x", NULL, NULL, 0, read}, {"b", FZ_URL_FILE, NULL, NULL, NULL, 0, NULL}};' |
        file src/coordinators/a/a_url.c
    must_fail 'docs/coordinators/a.md:1: lacks the key b - - -'
    must_fail 'man/frazil.spec.5:1: lacks the key b'
    keys_project
    sed -i 's/60s/61s/' "$scratch/project/docs/coordinators/a.md"
    must_fail 'docs/coordinators/a.md:1: lacks the key timeout 1s 10ms 60s'
    keys_project
    printf '.It Cm a://HOST\nKeys:\n.Cm path , more\n.El\nAll also have the keys\n.Cm timeout\nThey follow\n' | file man/frazil.spec.5
    must_fail 'man/frazil.spec.5:1: has more, which is not in the table of keys'
    must_fail 'man/frazil.spec.5:1: lacks the key user'
    needs 'no table of keys found'
}

test_packaging() {
    needs 'frazil.h'
    echo '#define FRAZIL_VERSION "1.2.3"' | file include/frazil.h
    echo 'frazil (1.2.3) unstable; urgency=medium' | file debian/changelog
    echo frazil_a | file tests/api/exported-symbols.txt
    echo frazil_opaque_a | file tests/api/exported-symbols-opaque.txt
    printf 'libfrazil.so.1 libfrazil1 #MINVER#\n frazil_a@Base 1\nlibfrazil-b.so.1 libfrazil1 #MINVER#\n frazil_b@Base 1\n' |
        file debian/libfrazil1.symbols
    printf 'libfrazil-opaque.so.1 libfrazil-opaque1 #MINVER#\n frazil_opaque_a@Base 1\n' | file debian/libfrazil-opaque1.symbols
    must_pass
    echo 'PARTS := libfrazil-a1, libfrazil-b0' | file debian/rules
    printf 'Package: libfrazil-a1\nPackage: libfrazil-b1\n' | file debian/control
    must_fail 'suggests libfrazil-b0, which debian/control does not build'
    # shellcheck disable=SC2016 # it is for make
    finds 'make cannot read it' in debian/rules 'PARTS := ${filter-out file,file a'
    finds 'PARTS names no part' in debian/rules 'PARTS :='
    echo 'PARTS := libfrazil-a1, libfrazil-b1' | file debian/rules
    must_pass
    finds 'libfrazil-opaque1.symbols:1: frazil_opaque_a is in this or in' in tests/api/exported-symbols-opaque.txt frazil_opaque_b
    must_fail 'libfrazil-opaque1.symbols:1: frazil_opaque_b is in this or in'
    printf 'usr/include/frazil/[!b]*.h\nusr/share/man/man3/frazil_[ao]*\n' | file debian/libfrazil-dev.install
    echo frazil_a | file tests/api/exported-symbols.txt
    touch "$scratch/project/include/frazil/a.h"
    echo frazil_opaque_a | file tests/api/exported-symbols-opaque.txt
    must_pass
    touch "$scratch/project/include/frazil/b.h"
    echo frazil_b >>"$scratch/project/tests/api/exported-symbols.txt"
    must_fail 'debian:1: no package has usr/include/frazil/b.h'
    must_fail 'debian:1: no package has usr/share/man/man3/frazil_b.3'
    finds 'debian/changelog:1: says 1.2.2' in debian/changelog 'frazil (1.2.2) unstable; urgency=medium'
    echo 'frazil (1.2.3) unstable; urgency=medium' | file debian/changelog
    finds 'docs/start.md:1: says 1.1, and the version is 1.2' in docs/start.md 'find_package(frazil 1.1 REQUIRED)'
    finds 'docs/x.md:1:frazil-x-1.2.2' in docs/x.md 'Unpack frazil-x-1.2.2.tgz'
    rm "$scratch/project/docs/x.md"
    finds 'FRAZIL_SOVERSION is 2, and the version is 1.2.3' in CMakeLists.txt 'set(FRAZIL_SOVERSION 2)'
}

test_printing() {
    needs 'no source of the command found'
    printf '%s\n' 'void a(void) { output_string("a\n"); (void)snprintf(b, sizeof b, "x"); rewrite(1); }' | file programs/frazil/a.c
    printf '%s\n' 'void b(void) { (void)write(1, "\033[0m", 4); (void)fprintf(stderr, "x"); }' | file programs/frazil/output.c
    must_pass
    for call in 'printf("x")' 'fputs("x", stdout)' '(void)write(1, text, 1)' 'fwrite(a, 1, 1, stdout)'; do
        finds 'programs/frazil/cmd_c.c:1: prints by itself' in programs/frazil/cmd_c.c "void c(void) { $call; }"
    done
    for escape in '\\033[' '\\33[' '\\x1b[' '\\e['; do
        printf '%s\n' "const char *c = \"$escape\";" | file programs/frazil/cmd_c.c
        must_fail 'programs/frazil/cmd_c.c:1: has an escape for terminals'
    done
}

# shellcheck disable=SC2016 # the samples have dollars and backticks
test_campaigns() {
    project
    printf 'frazil_long(check-a a/b)\n  frazil_long(check-b c/d)\nfrazil_long(check-${KIND} ${test})\n' | file tests/CMakeLists.txt
    printf 'LONG = check-a check-b \\\n\tlint\n\ncheck-a check-b: | build ## more (10 min)\nlint: | build ## all (2 h)\n' | file Makefile
    finds 'check-a: make help does not say how long it takes' in CONTRIBUTING.md 'The campaigns: `check-a`, `check-b`, `lint`.'
    printf 'LONG = check-a check-b \\\n\tlint\n\ncheck-a: | build ## more (10 min)\ncheck-b: ## less (3 min)\nlint: | build ## all (2 h)\n' | file Makefile
    must_pass
    finds 'check-whole: not in LONG of the Makefile' in tests/cmake/a.cmake 'frazil_label(a/b LABELS check-whole)'
    rm "$scratch/project/tests/cmake/a.cmake"
    finds 'lint: not in CONTRIBUTING.md' in CONTRIBUTING.md 'The campaigns: `check-a`, `check-b`.'
    echo 'The campaigns: `check-a`, `check-b`, `lint`.' | file CONTRIBUTING.md
    printf 'if x; then\n    step make check\n    step make run\n    step make one-long\nelse\n    step make check-docs\nfi\n' | file .ci/run
    printf 'target: [check, run]\ntarget: [check-a, check-b,\n    lint]\n' | file .github/workflows/ci.yml
    must_pass
    printf 'target: [check]\ntarget: [check-a, check-b]\n' | file .github/workflows/ci.yml
    must_fail 'ci.yml: has check, and .ci/run check run'
    must_fail 'ci.yml: has check-a check-b, and LONG is check-a check-b lint'
    rm "$scratch/project/.github/workflows/ci.yml"
    printf 'BEFORE_RELEASE = check \\\n\tsoak\ncheck: ## a (15 min)\nsoak: ## b (about 2 h)\n' >>"$scratch/project/Makefile"
    echo '| before a release | `make check` |' >>"$scratch/project/CONTRIBUTING.md"
    must_fail 'soak: CONTRIBUTING.md does not say that it runs before a release'
    echo '| before a release | `make check`, `soak` |' >>"$scratch/project/CONTRIBUTING.md"
    must_pass
    sed -i 's/^soak: .*/soak: ## b (not timed)/' "$scratch/project/Makefile"
    must_pass
    sed -i 's/^soak: .*/soak: ## b (60 s each)/' "$scratch/project/Makefile"
    must_fail 'soak: make help does not say how long it takes'
    # Each mutant has its turn.
    project
    for i in 1 2 3 4 5 6 7; do echo 'Killed-by: unit/test_a' | file "tests/mutants/m$i.patch"; done
    echo 'Killed-by: postgresql t/001' | file tests/mutants/m8.patch
    echo 'frazil_long(check-whole a/b)' | file tests/CMakeLists.txt
    cp "$style/../../Makefile" "$style/../../CONTRIBUTING.md" "$scratch/project/"
    must_pass
    sed -i 's|turn=$$(expr $(COMMITS) / $(words $(LONG)))|turn=$(COMMITS)|' "$scratch/project/Makefile"
    must_fail 'tests/mutants/m2.patch: check-mutants never has its turn with it'
}

# shellcheck disable=SC2016 # the samples have dollars
test_limits() {
    needs 'no test found'
    echo 'alarm(PATIENCE_S); AWAIT(a, "b"); open("redis://h/x?timeout=60s", "?timeout=8s", "?timeout=300ms"); alarm(0); alarm(600);' | file tests/unit/a.c
    echo 'its.settimeout(PATIENCE_S); its.settimeout(300); take(timeout=0)' | file tests/frazild/a.py
    echo 'timeout 300 "$FRAZIL" x timeout=60s' | file tests/cli/a.bats
    must_pass
    for line in 'alarm(60);' 'for (int tries = 0; tries < 4000; tries++)' 'open("redis://h/x?a=b&timeout=20s");'; do
        finds 'tests/process/b.c:1: ' in tests/process/b.c "$line"
    done
    rm "$scratch/project/tests/process/b.c"
    for line in 'its.settimeout(60)' 'thread.join(60)' 'daemon.process.wait(5)' 'connect(address, timeout=5)'; do
        finds 'tests/frazild/b.py:1: less than five minutes' in tests/frazild/b.py "$line"
    done
    rm "$scratch/project/tests/frazild/b.py"
    finds 'tests/cli/b.bats:1: timeout of less than five minutes' in tests/cli/b.bats 'run timeout 20 "$FRAZIL"'
    rm "$scratch/project/tests/cli/b.bats"
    finds 'bindings/node/test/b.js:1: timeout of less than five minutes' in bindings/node/test/b.js 'test("x", { timeout: 60_000 });'
}

test_names() {
    needs 'no header found'
    printf '%s\n' 'enum { FRAZIL_A = 1 };' '/* As frazil_a. */' 'int frazil_a(void);' '#define FRAZIL_B 2' | file include/frazil.h
    printf '%s\n' 'function(frazil_room name)' | file cmake/a.cmake
    printf '    X(OPEN_WAIT, "open_wait", a) \\\n' | file src/config/keys.h
    echo 'CREATE FUNCTION frazil_sql_a();' | file databases/a/a.sql
    # shellcheck disable=SC2016 # Markdown
    echo 'Call `frazil_a`, FRAZIL_A or FRAZIL_B with FRAZIL_OPEN_WAIT; `frazil_room` of the build.' | file docs/a.md
    # shellcheck disable=SC2016 # Markdown
    echo 'In SQL `frazil_sql_a`.' | file docs/databases.md
    echo 'There was frazil_gone.' | file CHANGELOG.md
    must_pass
    for word in frazil_gone FRAZIL_GONE frazil_sql_a; do
        finds "docs/b.md:1: there is no $word" in docs/b.md "Call $word."
    done
    finds 'man/frazil.7:1: there is no frazil_gone' in man/frazil.7 '.Fn frazil_gone'
    rm "$scratch/project/man/frazil.7"
    for path in include/frazil/b.h src/b.c programs/b.c bindings/b.c; do
        finds "$path:1: there is no frazil_gone" in "$path" '/* As frazil_gone does. */'
        rm "$scratch/project/$path"
    done
}

test_counted() {
    needs 'Makefile: no recipe was found'
    printf 'echo' | file tools/quietly
    printf '. tools/counting.sh' | file tools/slow
    printf 'sleep 9' | file tools/silent
    # shellcheck disable=SC2016 # words of make
    printf 'LIST = a \\\n\tsilent\n\nall: ## all (9 min)\n\t@$(call aloud,sleep 9 | cat; cat) || echo "a; b" >&2\n\t@x="$$(sh it) y" && [ -n "$$x" ] || { exit 1; }\n%s' \
        '\t@for i in 1; do \\\n\t\tsh tools/slow 1 && $(MAKE) $$i || exit; done\n\t@$(call build,check)\n\t@sh tools/quietly it\n' | file base
    printf '%b' "$(cat "$scratch/project/base")\n" | file Makefile
    must_pass
    # shellcheck disable=SC2016 # words of make
    for silent in 'sleep 9' 'sh tools/silent' 'A=1 ctest' '$(CMAKE) --preset check >log'; do
        printf '%b\n\t@true && { %s; }\n' "$(cat "$scratch/project/base")" "$silent" | file Makefile
        must_fail "see aloud and quietly there: ${silent#A=1 }"
    done
    # shellcheck disable=SC2016 # words of make
    printf '%b\n\t@for i in 1; do \\\n\t\tx=1 sleep 9 | cat; done\n' "$(cat "$scratch/project/base")" | file Makefile
    must_fail 'see aloud and quietly there: sleep 9'
}

test_measured() {
    project
    echo '#define FRAZIL_VERSION "1.2.0"' | file include/frazil.h
    echo 'Measured on: a machine; gcc 12; frazil 1.1.0, 61 rounds; time from the counter.' | file docs/performance.md
    echo '## 1.2.0, not yet released' | file CHANGELOG.md
    must_pass
    finds 'docs/performance.md: is of frazil 1.1.0, and 1.2.0 is released: run make bench' in CHANGELOG.md '## 1.2.0, 2027-01-01'
    echo 'Measured on: a machine; gcc 12; frazil 1.2.0, 61 rounds; time from the counter.' | file docs/performance.md
    must_pass
    echo '#define FRAZIL_VERSION "1.2.1"' | file include/frazil.h
    echo '## 1.2.1, 2027-02-02' | file CHANGELOG.md
    must_pass
    finds 'docs/performance.md: does not say what was measured' in docs/performance.md 'No figures.'
}

test_mawk() {
    project
    # shellcheck disable=SC2016 # awk
    echo 'function f(a,  b) { b = a; print b } { f($1) }' | file tools/a.awk
    must_pass
    # shellcheck disable=SC2016 # awk
    finds 'tools/b.awk:1: syntax error at or near g' in tools/b.awk 'function g(x) { return x } function f(a,  g) { g = a; print g } { f($1) }'
}

test_format() {
    project
    printf 'int a(void)\n{\n    return 1;\n}\n' | file src/a.c
    must_pass
    printf 'int a(void) { return 1; }\n' | file src/a.c
    must_fail 'src/a.c:1'
}

if [ "$check" = format ] && ! clang-format --version | grep -q 'version 14\.'; then
    exit 77
fi
"test_$check"
echo "$check: $samples samples"
