/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a set-user-ID program takes nothing from the environment of
 * the user who starts it, and drops no setting in silence.  The program is real: this test's own file, copied, with
 * another owner and the set-user-ID bit, and started by a third user.
 */
#define _DEFAULT_SOURCE /* setgroups */
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/settings.h"
#include "frazil.h"
#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/test.h"
#include "os/dirs.h"
#include "os/host.h"

#define OWNER 65532
#define NOBODY 65534
#define TELL "--tell"

/* Settings, each alone in an environment: one of each kind. */
static const char *const settings_of_user[] = {
    "FRAZIL_WORKER=fixed:evil", "FRAZIL_LAYOUT=evil",  "FRAZIL_DATACENTER=2",   "FRAZIL_BASE=5",
    "FRAZIL_COUNT=5",           "FRAZIL_SEQ_MIN=5",    "FRAZIL_HOST_DIR=/evil", "FRAZIL_STATE_DIR=/evil",
    "FRAZIL_RUN_DIR=/evil",     "FRAZIL_CONFIG=/evil", "FRAZIL_NAMESPACE=evil", "FRAZIL_STATE=",
};

/* All else that libfrazil, or libmariadb below it, reads from an environment, with a value that can be recognised. */
static const char *const hostile[] = {"FRAZIL_SERVICE_PORT=evil", /* as Kubernetes sets it */
                                      "XDG_RUNTIME_DIR=/evil/xdg-run",
                                      "XDG_STATE_HOME=/evil/xdg",
                                      "HOME=/evil/home",
                                      "TMPDIR=/evil/tmp",
                                      "RUNTIME_DIRECTORY=/evil/svc",
                                      "STATE_DIRECTORY=/evil/svc",
                                      "EVIL_NUMBER=7",
                                      "LIBMYSQL_PLUGINS=evil",
                                      "MARIADB_PLUGIN_DIR=/evil/plugins",
                                      NULL};

/* ---- the program with the bit ---- */

static void note_slip(void *ctx, const char *name, const char *advice)
{
    (void)ctx;
    printf("slip: %s%s\n", name, advice);
}

static void tell_dir(const char *what, enum fz_dir which)
{
    char path[FZ_PATH_SIZE];
    frazil_error err;

    if (fz_dir_find(path, which, NULL, &err) == FRAZIL_OK)
        printf("%s: %s\n", what, path);
    else
        printf("%s: none\n", what);
}

/* A coordinator whose client library loads the code that the environment names. */
static void tell_mysql(void)
{
#ifdef FRAZIL_HAVE_MYSQL
    char name[FZ_LEASE_NAME_SIZE];
    struct fz_register reg;
    frazil_error err;

    if (frazil_coordinator_mysql()->open_register("mysql://me@127.0.0.1/app/orders", &reg, name, &err) != FRAZIL_OK) {
        printf("mysql: %s\n", err.message);
        return;
    }
    printf("mysql: opened\n");
    reg.close(reg.ctx);
#else
    printf("mysql: not built\n");
#endif
}

/* Tells all that it takes from the environment, on standard output. */
static int tell(void)
{
    struct fz_settings settings = {.value = {NULL}};
    frazil_error err;
    frazil *gen;

    printf("owner: %s\n", geteuid() == OWNER && getuid() == NOBODY ? "yes" : "no");
    printf("foreign: %s\n", fz_environment_is_foreign() ? "yes" : "no");
    if (fz_settings_complete(&settings, FRAZIL_ENVIRONMENT_BY_KEY, &err) != FRAZIL_OK) {
        printf("failed: %s\n", err.message);
        fz_settings_free(&settings);
        return 0;
    }
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        if (settings.value[key] != NULL)
            printf("key: %s=%s\n", fz_key_name((enum fz_key)key), settings.value[key]);
    }
    fz_settings_free(&settings);
    tell_dir("run", FZ_DIR_RUN);
    tell_dir("state", FZ_DIR_STATE);
    fz_key_find_slips(NULL, note_slip, NULL);
    if (frazil_open(&gen, "state=memory worker=env:EVIL_NUMBER", &err) == FRAZIL_OK)
        printf("worker: taken\n");
    else
        printf("worker: %s\n", err.message);
    tell_mysql();
    return 0;
}

/* ---- how it is made and started ---- */

struct program {
    char dir[256];
    char path[300];
};

/* Copies this test's file to the path. */
static void copy_self(const char *path)
{
    static char bytes[1 << 16];
    FILE *from = fopen("/proc/self/exe", "rb");
    FILE *to = fopen(path, "wb");

    assert_non_null(from);
    assert_non_null(to);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        assert_int_equal(fwrite(bytes, 1, n, to), n);
    assert_int_equal(fclose(from), 0);
    assert_int_equal(fclose(to), 0);
}

/* Makes the program below a directory; false: the bit has no effect there. */
static bool make_below(struct program *program, const char *parent)
{
    struct statvfs disk;

    if (statvfs(parent, &disk) != 0 || (disk.f_flag & ST_NOSUID) != 0)
        return false;
    snprintf(program->dir, sizeof program->dir, "%s/frazil-test-XXXXXX", parent);
    if (mkdtemp(program->dir) == NULL)
        return false;
    snprintf(program->path, sizeof program->path, "%s/tell", program->dir);
    copy_self(program->path);
    assert_int_equal(chmod(program->dir, 0755), 0);
    assert_int_equal(chown(program->path, OWNER, OWNER), 0);
    assert_int_equal(chmod(program->path, 04755), 0);
    return true;
}

static bool make_program(struct program *program)
{
    static const char *const parents[] = {"/tmp", "/var/tmp", "/run", "/dev/shm", "/opt"};

    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++) {
        if (make_below(program, parents[i]))
            return true;
    }
    return false;
}

static void start_as_nobody(const char *path, const char *const *environment, int out)
{
    static char option[] = TELL;
    char *const argv[] = {(char *)(uintptr_t)path, option, NULL};

    if (dup2(out, STDOUT_FILENO) < 0 || chdir("/") != 0 || setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 ||
        setuid(NOBODY) != 0)
        _exit(100);
    execve(path, argv, (char *const *)(uintptr_t)environment);
    _exit(101);
}

/* Runs it and returns all that it says. */
static const char *run_as_nobody(const char *path, const char *const *environment)
{
    static char said[8192];
    size_t len = 0;
    int ends[2];
    int status;

    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        start_as_nobody(path, environment, ends[1]);
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], said + len, sizeof said - 1 - len)) > 0;)
        len += (size_t)n;
    said[len] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("it ended with status %d and said: %s", status, said);
    return said;
}

static void remove_program(const struct program *program)
{
    assert_int_equal(unlink(program->path), 0);
    assert_int_equal(rmdir(program->dir), 0);
}

TEST("With the bit, the user's environment decides nothing: no key, no directory, no worker id, not even a warning")
{
    struct program program;

    if (geteuid() != 0 || !make_program(&program)) {
        print_message("only root can make such a program, and where the bit has an effect\n");
        skip();
    }
    const char *said = run_as_nobody(program.path, hostile);
    const bool has_effect = strstr(said, "owner: yes") != NULL;
    if (has_effect) {
        if (strstr(said, "foreign: yes") == NULL || strstr(said, "evil") != NULL || strstr(said, "key:") != NULL ||
            strstr(said, "slip:") != NULL || strstr(said, "worker: taken") != NULL)
            fail_msg("it took something: %s", said);
        char run[64];
        snprintf(run, sizeof run, "run: %s%d", fz_run_dir_of_users, OWNER);
        assert_non_null(strstr(said, run));
        assert_non_null(strstr(said, "worker=env:EVIL_NUMBER: this program does not read the environment, as it has"));
        assert_null(strstr(said, "mysql: opened"));
    }
    remove_program(&program);
    if (!has_effect)
        skip(); /* no_new_privs: a container may forbid it to all of its processes */
}

/* With one setting in the environment, or another variable. */
static const char *run_with(const struct program *program, const char *variable)
{
    const char *const environment[] = {variable, NULL};

    return run_as_nobody(program->path, environment);
}

TEST("With the bit, a setting in the environment is an error that names it and the way on, whichever it is")
{
    struct program program;
    size_t named = 0;
    const size_t count = sizeof settings_of_user / sizeof settings_of_user[0];

    if (geteuid() != 0 || !make_program(&program))
        skip();
    const bool has_effect = strstr(run_as_nobody(program.path, hostile), "owner: yes") != NULL;
    for (size_t i = 0; i < count && has_effect; i++) {
        char wanted[128];
        const char *said = run_with(&program, settings_of_user[i]);
        snprintf(wanted, sizeof wanted, "failed: %.*s is set in the environment, but this program does not read that",
                 (int)strcspn(settings_of_user[i], "="), settings_of_user[i]);
        /* The environment is no place for config=, and neither is the file that it names. */
        const bool is_config = strncmp(settings_of_user[i], "FRAZIL_CONFIG", strlen("FRAZIL_CONFIG")) == 0;
        const char *place =
            is_config ? "config= in the spec, and unset" : "in the spec or in the file that config= names";
        if (strstr(said, wanted) == NULL || strstr(said, place) == NULL || strstr(said, "evil") != NULL)
            print_message("%s: %s\n", settings_of_user[i], said);
        else
            named++;
    }
    const bool tells_slip =
        !has_effect || strstr(run_with(&program, "FRAZIL_WROKER=fixed:1"), "slip: FRAZIL_WROKER") != NULL;
    remove_program(&program);
    if (!has_effect)
        skip();
    assert_int_equal(named, count);
    assert_true(tells_slip);
}

TEST("Without the bit the very same program takes all of it: the tests above see what they are there to see")
{
    struct program program;

    if (geteuid() != 0 || !make_program(&program))
        skip();
    assert_int_equal(chmod(program.path, 0755), 0);
    char said[2048];
    snprintf(said, sizeof said, "%s", run_as_nobody(program.path, hostile));
    /* The config file cannot be read by nobody, which proves that its name was taken. */
    const char *refused = run_with(&program, "FRAZIL_CONFIG=/etc/shadow");
    remove_program(&program);
    assert_non_null(strstr(said, "foreign: no"));
    assert_non_null(strstr(said, "run: /evil/svc"));
    assert_non_null(strstr(said, "state: /evil/svc"));
    assert_null(strstr(said, "mysql: libmariadb"));
    assert_non_null(strstr(refused, "cannot read the config file '/etc/shadow'"));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], TELL) == 0)
        return tell();
    return test_run();
}
