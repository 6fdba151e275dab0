/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: when a coordinator is closed, its password stands nowhere in this process's memory, neither on
 * the stack nor in what was freed; as the compiler made it, with all optimisations.
 */
#include <unistd.h>

#include "core/wipe.h"
#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/test.h"

enum { SECRET_LEN = 24, MASK = 0x55 };

/* Masked, so that what looks for it is not found itself: 24 letters and digits. */
static const unsigned char masked[SECRET_LEN] = {0x24, 0x12, 0x6d, 0x3f, 0x07, 0x67, 0x23, 0x1b,
                                                 0x60, 0x2d, 0x19, 0x61, 0x36, 0x01, 0x62, 0x3e,
                                                 0x17, 0x6c, 0x38, 0x0f, 0x66, 0x31, 0x1d, 0x65};

static void append_secret(char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < SECRET_LEN; i++)
        text[len + i] = (char)(masked[i] ^ MASK);
    text[len + SECRET_LEN] = '\0';
}

static bool is_secret(const volatile unsigned char *at)
{
    for (size_t i = 0; i < SECRET_LEN; i++) {
        if ((at[i] ^ MASK) != masked[i])
            return false;
    }
    return true;
}

/* In all memory that can be read and written: the heap with what is free there, and the stack with what was. */
static unsigned count_secrets(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned found = 0;
    char line[512];

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        char *rest;
        uintptr_t begin = (uintptr_t)strtoull(line, &rest, 16);
        uintptr_t end = (uintptr_t)strtoull(rest + 1, &rest, 16);
        if (strncmp(rest, " rw", 3) != 0 || strstr(rest, "[v") != NULL)
            continue;
        for (uintptr_t at = begin; at + SECRET_LEN <= end; at++)
            found += is_secret((const volatile unsigned char *)at);
    }
    (void)fclose(maps);
    return found;
}

static char url[256]; /* not on the stack, where it would be looked for */

/* Opens what the URL names and closes it again, without connecting. */
static __attribute__((noinline)) void open_and_close(const frazil_coordinator *coordinator, bool must_open)
{
    char name[FZ_LEASE_NAME_SIZE];
    struct fz_register reg;
    frazil_error err;

    bool opened = coordinator->open_register(url, &reg, name, &err) == FRAZIL_OK;
    fz_wipe(url, sizeof url);
    if (opened != must_open)
        fail_msg("%s", opened ? "opened" : err.message);
    if (opened)
        reg.close(reg.ctx);
}

static void check(const frazil_coordinator *coordinator, const char *front, const char *back, bool must_open)
{
    snprintf(url, sizeof url, "%s", front);
    append_secret(url);
    memcpy(url + strlen(url), back, strlen(back) + 1);
    assert_true(count_secrets() >= 1); /* it would be found */
    open_and_close(coordinator, must_open);
    unsigned left = count_secrets();
    if (left != 0)
        fail_msg("%s...%s: the password stands in memory %u times", front, back, left);
}

/* Neither a coordinator that was closed leaves it, nor one whose URL is wrong behind the password. */
static void check_all(const frazil_coordinator *coordinator, const char *front, const char *back)
{
    char wrong[64];

    check(coordinator, front, back, true);
    snprintf(wrong, sizeof wrong, "%s?timeout=nonsense", back);
    check(coordinator, front, wrong, false);
}

TEST("The password of a URL is left in memory neither by a coordinator that was closed nor by a URL that is wrong")
{
    (void)check_all; /* a build without client libraries has no use for it */
#ifdef FRAZIL_HAVE_REDIS
    check_all(frazil_coordinator_redis(), "redis://me:", "@127.0.0.1/orders");
#endif
#ifdef FRAZIL_HAVE_ETCD
    check_all(frazil_coordinator_etcd(), "etcd://me:", "@127.0.0.1/orders");
#endif
#ifdef FRAZIL_HAVE_ZOOKEEPER
    check_all(frazil_coordinator_zookeeper(), "zookeeper://me:", "@127.0.0.1/orders");
#endif
#ifdef FRAZIL_HAVE_POSTGRESQL
    check_all(frazil_coordinator_postgresql(), "postgres://me:", "@127.0.0.1/db/orders");
#endif
#ifdef FRAZIL_HAVE_MYSQL
    check_all(frazil_coordinator_mysql(), "mysql://me:", "@127.0.0.1/db/orders");
#endif
}

#ifdef FRAZIL_HAVE_REDIS
static __attribute__((noinline)) frazil_err open_slots_in_vain(void)
{
    static const frazil_layout layout;
    static const frazil_random random;
    const struct fz_slots_request request = {.url = url, .layout = &layout, .random = &random};
    struct fz_slot_source source;
    frazil_error err;

    frazil_err code = frazil_coordinator_redis()->open_slots(frazil_coordinator_redis(), &request, &source, &err);
    fz_wipe(url, sizeof url);
    return code;
}

TEST("Slots whose namespace is refused behind the password leave no password either")
{
    snprintf(url, sizeof url, "redis://me:");
    append_secret(url);
    memcpy(url + strlen(url), "@127.0.0.1/15", sizeof "@127.0.0.1/15");
    assert_int_equal(open_slots_in_vain(), FRAZIL_ESPEC);
    assert_int_equal(count_secrets(), 0);
}
#endif

TEST("A spec has the URL in it: what a generator has read of it is gone as well")
{
    static char spec[256];
    frazil_error err;
    frazil *gen;

    snprintf(spec, sizeof spec, "worker=fixed:1 wroker=redis://me:");
    append_secret(spec);
    memcpy(spec + strlen(spec), "@127.0.0.1/orders", sizeof "@127.0.0.1/orders");
    assert_int_equal(frazil_open(&gen, spec, &err), FRAZIL_ESPEC);
    snprintf(spec, sizeof spec, "worker=");
    memcpy(spec + strlen(spec), "nonsense://me:", sizeof "nonsense://me:");
    append_secret(spec);
    memcpy(spec + strlen(spec), "@127.0.0.1/orders", sizeof "@127.0.0.1/orders");
    assert_int_equal(frazil_open(&gen, spec, &err), FRAZIL_ESPEC);
    fz_wipe(spec, sizeof spec);
    assert_int_equal(count_secrets(), 0);
}

TEST("All of it, from the first byte to the last, and nothing beside it")
{
    unsigned char bytes[24];

    for (size_t len = 0; len <= sizeof bytes - 2; len++) {
        memset(bytes, 'x', sizeof bytes);
        fz_wipe(bytes + 1, len);
        for (size_t i = 0; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], i >= 1 && i <= len ? 0 : 'x');
    }
}
