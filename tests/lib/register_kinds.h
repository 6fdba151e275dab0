/* SPDX-License-Identifier: MIT */
/*
 * Every kind of register, for suites that hold all of them to the same rules.  A
 * new coordinator is one file, lib/kind_NAME.c; the list is made of the table in config/coordinators.h.
 *
 * One of each kind runs at a time.  All functions fail the test when they cannot do what they say.
 */
#ifndef TESTS_LIB_REGISTER_KINDS_H
#define TESTS_LIB_REGISTER_KINDS_H

#include "config/coordinators.h"
#include "frazil/coordinators.h"
#include "lease/register.h"
#include "lib/register_rig.h"
#include "lib/server.h"
#include "lib/test.h"

struct register_kind {
    const char *name;

    /* Starts an empty one.  false: what it needs is not installed, as has been said. */
    bool (*start)(void);
    void (*stop)(void);

    /* A register of it, where kind_open has no URL. */
    struct fz_register (*open)(void);

    /*
     * The coordinator, and the URL of a namespace in it, for those who go through a spec.  NULL: there is none.
     * timeout_ms as with kind_open: on a busy machine a server needs longer than the second that a URL has otherwise.
     */
    const frazil_coordinator *(*coordinator)(void);
    void (*url)(uint16_t port, const char *name, unsigned timeout_ms, char *buf, size_t size);

    /* The beginning of `client` in its frazil_coordinator. */
    const char *client;

    bool finds; /* it finds for less */

    /* Puts there, in another way than frazil's, what frazil has not written: in the place of record 0, and, beside the
     * records, under a name or a number that no record has. */
    void (*damage)(void);
    void (*intrude)(void);

    /* Everything is lost, without a word to anybody; it goes on answering.  NULL: that cannot be. */
    void (*wipe)(void);

    /*
     * Gives record 0, which is there, this version, as the server's clock would have if it had been ahead.
     * NULL: versions come from no clock, or from that of this process.
     */
    void (*raise)(uint64_t version);

    /* NULL: there is no server.  kill is `kill -9`; restart begins in the same place, with what was durable. */
    struct server *server;
    void (*kill)(struct server *server);
    void (*restart)(void);
};

/* NULL: its part is not built. */
extern const struct register_kind *const register_kinds[];
extern const size_t register_kind_count;

/*
 * A register of it, of the namespace "orders"; port 0: straight to it, else on this port of
 * the loopback.  timeout_ms bounds an operation.
 */
struct fz_register kind_open(const struct register_kind *kind, uint16_t port, unsigned timeout_ms);

typedef void (*kind_rule)(const struct register_kind *kind);

/* Holds each kind to the rule, empty at first; or each that has a server.  TEST_KIND=NAME: that kind alone. */
void for_each_kind(kind_rule rule);
void for_each_server(kind_rule rule);

/* A test of each kind, which is the body's argument: over is one of those, or another that calls a rule. */
#define TEST_OF_KINDS(over, sentence) TEST_OF_KINDS_AT(over, sentence, __LINE__)
#define TEST_OF_KINDS_AT(over, sentence, line) TEST_OF_KINDS_NAMED(over, sentence, line)
#define TEST_OF_KINDS_NAMED(over, sentence, line)                                                                      \
    static void rule_##line(const struct register_kind *kind);                                                         \
    TEST_NAMED(sentence, line)                                                                                         \
    {                                                                                                                  \
        over(rule_##line);                                                                                             \
    }                                                                                                                  \
    static void rule_##line(const struct register_kind *kind)

/* The kinds: that of the tests alone, and one for each row of the table, which is there only where its part is built.
 */
extern const struct register_kind kind_memory;
#define KIND_DECLARE(part, schemes, port, help) extern const struct register_kind kind_##part __attribute__((weak));
FZ_COORDINATORS(KIND_DECLARE)
#undef KIND_DECLARE

#endif
