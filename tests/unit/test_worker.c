/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a worker id comes from the source that was named, within
 * the range that was stated, or from nowhere: nothing is guessed, masked,
 * wrapped or defaulted.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/rig.h"
#include "lib/test.h"

TEST("Every source, with datacenter, base and count")
{
    static const struct {
        const char *spec;
        uint32_t worker;
    } rows[] = {
        {"worker=fixed:0", 0},
        {"worker=fixed:1023", 1023},
        {"worker=env:TEST_NUMBER", 17},
        {"worker=ordinal hostname=orders-3", 3},
        {"worker=ordinal hostname=my-orders-0", 0},
        {"worker=ordinal hostname=a--12", 12},
        {"worker=ordinal hostname=orders-3.orders.default.svc.cluster.local", 3},
        {"worker=ordinal hostname=orders-3.zone-7.example", 3},
        {"worker=ordinal hostname=orders-3.", 3},
        {"layout=sno worker=fixed:65535", 65535},
        {"layout=41/0/22 worker=fixed:0", 0},
        {"layout='31/32/1 epoch=2025-01-01T00:00:00Z tick=1s' worker=fixed:4294967295", UINT32_MAX},
        {"worker=fixed:5 base=100", 105},
        {"worker=fixed:5 base=100 count=6", 105},
        {"worker=fixed:0 base=1023", 1023},
        {"worker=fixed:0 base=1023 count=1", 1023},
        {"worker=fixed:1023 count=1024", 1023},
        {"worker=ordinal hostname=orders-3 base=512", 515},
        {"layout=twitter worker=fixed:1023", 1023},
        {"layout=twitter datacenter=0 worker=fixed:31", 31},
        {"layout=twitter datacenter=31 worker=fixed:31", 1023},
        {"layout=twitter datacenter=2 worker=fixed:3 base=4", 2 * 32 + 7},
        {"layout=41/4+6/12 datacenter=15 worker=fixed:63", 1023},
        {"layout=sno worker=fixed:1 base=65534", 65535},
    };

    assert_int_equal(setenv("TEST_NUMBER", "17", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(info_of_spec(rows[i].spec).worker, rows[i].worker);
}

TEST("A source that gives no number, or one out of range, is an error that names the range")
{
    static const struct {
        const char *spec;
        frazil_err code;
        const char *why;
    } rows[] = {
        {"", FRAZIL_ENOWORKER, "no worker id is given, and none is guessed"},
        {"layout=sno", FRAZIL_ENOWORKER,
         "for layout=sno auto (unique within one process only); the number must be from 0 to 65535"},
        {"layout=sno state=memory", FRAZIL_ENOWORKER, "no worker id is given, and none is guessed"},
        {"layout=twitter", FRAZIL_ENOWORKER, "from 0 to 1023 and belong to this generator alone"},
        {"layout=41/0/22", FRAZIL_ENOWORKER, "from 0 to 0"},
        {"worker=5", FRAZIL_ESPEC, "worker=5 names no source: write worker=fixed:5"},
        {"worker=fixed", FRAZIL_ESPEC, "worker='fixed' is not a source of worker ids: did you mean fixed:N?"},
        {"worker=FIXED:1", FRAZIL_ESPEC, "worker='FIXED:1' is not a source"},
        {"worker=redis", FRAZIL_ESPEC,
         "'redis' is not a source of worker ids: a coordinator is named by its URL, such as redis:"},
        {"worker=file", FRAZIL_ESPEC, "frazil help worker shows them all"},
        {"worker=redis:orders", FRAZIL_ESPEC, "a coordinator is named by its URL"},
        {"worker=red", FRAZIL_ESPEC, "worker='red' is not a source of worker ids; they are"},
        {"worker=random", FRAZIL_ESPEC, "worker='random' is not a source"},
        {"worker=ordinal2 hostname=a-1", FRAZIL_ESPEC, "worker='ordinal2' is not a source"},
        {"worker=fixed:", FRAZIL_EWORKER, "worker=fixed: gives '': must be a whole number from 0 to 1023"},
        {"worker=fixed:1024", FRAZIL_EWORKER, "worker=fixed:1024 gives 1024: must be from 0 to 1023"},
        {"worker=fixed:-1", FRAZIL_EWORKER, "gives '-1': must be a whole number from 0 to 1023, without sign"},
        {"worker=fixed:+1", FRAZIL_EWORKER, "gives '+1'"},
        {"worker=fixed:01", FRAZIL_EWORKER, "gives '01'"},
        {"worker=fixed:0x1", FRAZIL_EWORKER, "gives '0x1'"},
        {"worker='fixed: 1'", FRAZIL_EWORKER, "gives ' 1'"},
        {"worker=fixed:18446744073709551617", FRAZIL_EWORKER, "gives '18446744073709551617'"},
        {"layout=41/0/22 worker=fixed:1", FRAZIL_EWORKER, "gives 1: must be from 0 to 0"},
        {"layout=sno worker=fixed:65536", FRAZIL_EWORKER, "must be from 0 to 65535"},
        {"worker=env:", FRAZIL_ESPEC, "worker=env: names no variable: write worker=env:NAME"},
        {"worker=env:NAME=7", FRAZIL_ESPEC,
         "worker='env:NAME=7': no environment variable has a '=' in its name: write worker=env:NAME, without a value"},
        {"worker=env:=7", FRAZIL_ESPEC, "worker='env:=7': no environment variable has a '=' in its name"},
        {"worker=env:TEST_UNSET", FRAZIL_EWORKER,
         "worker=env:TEST_UNSET: the environment variable is not set: it must hold a number from 0 to 1023"},
        {"worker=env:TEST_EMPTY", FRAZIL_EWORKER, "the environment variable is empty"},
        {"worker=env:TEST_WORD", FRAZIL_EWORKER, "holds 5 characters and no number: it must hold one from 0 to"},
        {"worker=env:TEST_LETTER", FRAZIL_EWORKER, "holds 1 character and no number"},
        {"worker=env:TEST_LARGE", FRAZIL_EWORKER, "gives 1024: must be from 0 to 1023"},
        {"worker=fixed:5 count=5", FRAZIL_EWORKER, "gives 5: must be from 0 to 4"},
        {"worker=fixed:5 base=1020", FRAZIL_EWORKER, "gives 5: must be from 0 to 3"},
        {"worker=fixed:5 base=1024", FRAZIL_ERANGE, "base=1024: must be from 0 to 1023 for this layout"},
        {"worker=fixed:5 count=1025", FRAZIL_ERANGE, "count=1025: must be from 1 to 1024"},
        {"worker=fixed:5 base=1000 count=25", FRAZIL_ERANGE, "count=25: must be from 1 to 24"},
        {"worker=fixed:0 count=0", FRAZIL_ERANGE, "count=0: must be from 1 to 1024 for this layout"},
        {"worker=fixed:0 base=one", FRAZIL_ESPEC, "base='one': must be a whole number"},
        {"worker=fixed:0 datacenter=1", FRAZIL_ESPEC, "the layout does not split its worker"},
        {"layout=twitter worker=fixed:0 datacenter=32", FRAZIL_ERANGE, "datacenter=32: must be from 0 to 31"},
        {"layout=twitter worker=fixed:32 datacenter=1", FRAZIL_EWORKER, "gives 32: must be from 0 to 31"},
        {"layout=twitter worker=fixed:0 datacenter=1 base=32", FRAZIL_ERANGE, "base=32: must be from 0 to 31"},
        {"worker=auto", FRAZIL_ESPEC, "worker=auto is for layout=sno alone"},
        {"layout=sno worker=auto base=1", FRAZIL_ESPEC, "base and count cannot be combined with worker=auto"},
        {"layout=sno worker=auto count=1", FRAZIL_ESPEC, "base and count cannot be combined with worker=auto"},
    };

    assert_int_equal(unsetenv("TEST_UNSET"), 0);
    assert_int_equal(setenv("TEST_EMPTY", "", 1), 0);
    assert_int_equal(setenv("TEST_WORD", "seven", 1), 0);
    assert_int_equal(setenv("TEST_LETTER", "N", 1), 0);
    assert_int_equal(setenv("TEST_LARGE", "1024", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, rows[i].code, rows[i].why);
}

TEST("A name of which the first label does not end in a number is refused")
{
    static const struct {
        const char *spec;
        const char *why;
    } rows[] = {
        {"worker=ordinal hostname=orders", "'orders' does not end in -N"},
        {"worker=ordinal hostname=orders3", "'orders3' does not end in -N"},
        {"worker=ordinal hostname=orders-", "'orders-' does not end in -N"},
        {"worker=ordinal hostname=orders.zone-7", "'orders.zone-7' does not end in -N"},
        {"worker=ordinal hostname=orders-.x-1", "'orders-.x-1' does not end in -N"},
        {"worker=ordinal hostname=orders-3a.x-1", "worker=ordinal gives '3a'"},
        {"worker=ordinal hostname=-3", "'-3' does not end in -N"},
        {"worker=ordinal hostname=orders-3a", "worker=ordinal gives '3a'"},
        {"worker=ordinal hostname=orders-03", "worker=ordinal gives '03'"},
        {"worker=ordinal hostname=orders-1024", "worker=ordinal gives 1024: must be from 0 to 1023"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, FRAZIL_EWORKER, rows[i].why);
}

TEST("A spec that names no source is told all of them")
{
    static const char *const sources[] = {"fixed:N",       "env:NAME", "ordinal",       "file-lock",
                                          "ip-last-octet", "ip-hash",  "hostname-hash", "auto"};

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        assert_open_refused("", NULL, FRAZIL_ENOWORKER, sources[i]);
        assert_open_refused("worker=somewhere", NULL, FRAZIL_ESPEC, sources[i]);
    }
}

TEST("`ordinal` without the key hostname reads the host's own name")
{
    char name[256];
    frazil *gen = NULL;
    frazil_error err;

    assert_int_equal(gethostname(name, sizeof name), 0);
    const frazil_err code = frazil_open(&gen, "worker=ordinal", &err);
    if (code == FRAZIL_OK)
        assert_non_null(strrchr(name, '-'));
    else
        assert_int_equal(code, FRAZIL_EWORKER);
    frazil_close(gen);
}

/* The whole pool of automatic partitions: each once, then an error.  In a process of its own, which it uses up. */
static int use_up_the_pool(void)
{
    static uint8_t seen[65536];
    frazil_info info;
    frazil_error err;
    frazil *gen;

    for (int i = 0; i < 65536; i++) {
        if (frazil_open(&gen, "layout=sno worker=auto", NULL) != FRAZIL_OK)
            return 1;
        frazil_get_info(gen, &info, sizeof info);
        frazil_close(gen);
        if (info.worker > 65535 || seen[info.worker]++ != 0)
            return 2;
    }
    for (int i = 0; i < 3; i++) {
        if (frazil_open(&gen, "layout=sno worker=auto", &err) != FRAZIL_EPOOL ||
            strstr(err.message, "all 65536 partitions") == NULL)
            return 3;
    }
    /* A partition of one's own is still to be had. */
    if (frazil_open(&gen, "layout=sno worker=fixed:3", NULL) != FRAZIL_OK)
        return 4;
    frazil_close(gen);
    return 0;
}

TEST("The 65,537th generator with an automatic partition is FRAZIL_EPOOL")
{
    int status;

    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(use_up_the_pool());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST("Automatic partitions of a process differ from each other, and a failed open draws none")
{
    const uint32_t first = info_of_spec("layout=sno worker=auto").worker;

    assert_open_refused("layout=sno worker=auto seq_min=5 seq_max=5", NULL, FRAZIL_ERANGE, "both bounds");
    assert_open_refused("layout=sno worker=auto base=5", NULL, FRAZIL_ESPEC, "base");
    assert_int_equal(info_of_spec("layout=sno worker=auto").worker, (first + 1) % 65536);
    assert_int_equal(info_of_spec("layout=sno worker=auto").worker, (first + 2) % 65536);
}
