/* SPDX-License-Identifier: MIT */
/* Goal of this test: a part that cannot be loaded is told as not installed only if it, or its client library, is not.
 */
#include "os/part.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

static char loader_says[256];

/* These stand for the loader's. */
void *dlopen(const char *file, int mode)
{
    (void)file;
    (void)mode;
    return NULL;
}

char *dlerror(void)
{
    return loader_says;
}

static frazil_error load(const char *what, int sys_errno)
{
    const void *entry = NULL;
    frazil_error why;

    (void)snprintf(loader_says, sizeof loader_says, "libx.so.1: %s%s", what, sys_errno == 0 ? "" : strerror(sys_errno));
    assert_int_not_equal(fz_part_load("redis", &entry, &why), FRAZIL_OK);
    assert_null(entry);
    return why;
}

TEST("What is not there is not installed, and the loader's words follow")
{
    frazil_error why = load("cannot open shared object file: ", ENOENT);

    assert_int_equal(why.code, FRAZIL_ENOTBUILT);
    assert_non_null(strstr(why.message, "the part of frazil for redis is not installed"));
    assert_non_null(strstr(why.message, loader_says));
}

TEST("A want of memory, of descriptors or of rights is told as such")
{
    static const struct {
        int sys_errno;
        const char *cure;
    } rows[] = {{ENOMEM, "(ulimit -v)"}, {EMFILE, "(ulimit -n)"}, {ENFILE, "(sysctl fs.file-max)"}, {EACCES, ""}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frazil_error why = load("cannot open shared object file: ", rows[i].sys_errno);
        assert_int_equal(why.code, FRAZIL_ESYS);
        assert_int_equal(why.sys_errno, rows[i].sys_errno);
        assert_non_null(strstr(why.message, "libfrazil-redis.so"));
        assert_non_null(strstr(why.message, rows[i].cure));
        assert_null(strstr(why.message, "installed"));
    }
}

TEST(
    "A part for which there is no room is told so, where the loader does not say why, and one of another build as well")
{
    frazil_error why = load("failed to map segment from shared object", 0);

    assert_int_equal(why.code, FRAZIL_ESYS);
    assert_non_null(strstr(why.message, loader_says));
    assert_non_null(strstr(why.message, "(ulimit -v)"));
    why = load("undefined symbol: redisConnect", 0);
    assert_int_equal(why.code, FRAZIL_ENOTBUILT);
    assert_non_null(strstr(why.message, loader_says));
    assert_null(strstr(why.message, "installed"));
}
