/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each coordinator says who it is, tells an operator of what is missing, and keeps apart what frazil
 * has written and what somebody else has: one suite for all of them.  The peculiarities of each are in its own tests.
 */
#include <ctype.h>

#include "config/coordinators.h"
#include "lib/findings.h"
#include "lib/patience.h"
#include "lib/register_kinds.h"
#include "lib/register_rig.h"
#include "lib/test.h"
#include "os/clock.h"

enum { TIMEOUT_MS = ANSWER_MS };

/* ---- identity ------------------------------------------------------------------ */

TEST_OF_KINDS(for_each_server, "It is of this build, and names its part and its client library")
{
    const frazil_coordinator *coordinator = kind->coordinator();

    assert_string_equal(coordinator->version, FRAZIL_VERSION);
    assert_int_equal(coordinator->structures, FZ_STRUCTURES);
    assert_int_equal(coordinator->size, sizeof *coordinator);
    assert_string_equal(coordinator->part, kind->name);
    assert_memory_equal(coordinator->client, kind->client, strlen(kind->client));
    assert_true(isdigit((unsigned char)coordinator->client[strlen(kind->client)]));
}

/* The schemes in its row of the table, separated by spaces. */
static const char *schemes_of(const struct register_kind *kind)
{
    static const char *const rows[][2] = {
#define SCHEMES_ROW(part, schemes, port, help) {#part, schemes},
        FZ_COORDINATORS(SCHEMES_ROW)
#undef SCHEMES_ROW
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i][0], kind->name) == 0)
            return rows[i][1];
    }
    fail_msg("%s has no row", kind->name);
    return "";
}

/* Writes the URL with this scheme, which has `len` characters, in the place of its own. */
static void with_scheme(const char *url, const char *scheme, size_t len, char *buf, size_t size)
{
    snprintf(buf, size, "%.*s%s", (int)len, scheme, strchr(url, ':'));
}

TEST_OF_KINDS(for_each_server, "It opens a register of each of its URLs of a host, without connecting, and knows its "
                               "namespace; a URL without one is refused")
{
    const frazil_coordinator *coordinator = kind->coordinator();
    char name[FZ_LEASE_NAME_SIZE];
    struct fz_register reg = {.ctx = NULL};
    char good[256];
    char wrong[256];

    kind->url(1, "", ANSWER_MS, wrong, sizeof wrong);
    assert_int_equal(coordinator->open_register(wrong, &reg, name, &register_said), FRAZIL_ESPEC);
    register_assert_said("names no namespace");
    assert_null(reg.ctx);
    kind->url(1, "orders.7", ANSWER_MS, good, sizeof good);
    const char *schemes = schemes_of(kind);
    size_t len = 0;
    for (const char *scheme = schemes; *scheme != '\0'; scheme += len + strspn(scheme + len, " ")) {
        char variant[256];
        len = strcspn(scheme, " ");
        if (memchr(scheme, '+', len) != NULL)
            continue; /* of a socket, or of another generator's */
        with_scheme(good, scheme, len, variant, sizeof variant);
        memset(name, 0, sizeof name);
        frazil_err err = coordinator->open_register(variant, &reg, name, &register_said);
        if (scheme > schemes && err == FRAZIL_ENOTBUILT)
            continue; /* a client library without TLS */
        if (err != FRAZIL_OK)
            fail_msg("%s: %s", variant, register_said.message);
        assert_string_equal(name, "orders.7");
        register_close(&reg);
    }
}

/* ---- messages to an operator ------------------------------------------------------- */

TEST_OF_KINDS(for_each_server, "That there is no namespace is a failure, and none once it is there")
{
    struct fz_register reg = kind_open(kind, 0, TIMEOUT_MS);
    char url[256];

    kind->url(0, "orders", ANSWER_MS, url, sizeof url);
    assert_found(findings_at(kind->coordinator(), "%s", url), "FAIL there is no namespace orders\n");
    register_prepare(&reg);
    register_must_swap(&reg, FZ_NAMESPACE, 0, "x");
    struct findings findings = findings_at(kind->coordinator(), "%s", url);
    assert_not_found(findings, "there is no namespace");
    assert_not_found(findings, "does not answer");
    assert_found(findings, "OK version: ");
    register_close(&reg);
}

TEST_OF_KINDS(for_each_server, "Nobody there: a finding, and no error; no URL of it is an error, and no finding")
{
    struct findings findings = {.len = 0};
    frazil_clock clock = fz_real_clock();
    const frazil_coordinator *coordinator = kind->coordinator();
    char url[256];

    kind->url(free_port(), "orders", 1000, url, sizeof url);
    assert_found(findings_at(coordinator, "%s", url), "FAIL the coordinator does not answer: ");
    snprintf(url, sizeof url, "%.*s://", (int)strcspn(schemes_of(kind), " "), schemes_of(kind));
    assert_int_equal(coordinator->diagnose(coordinator, url, &clock, findings_note, &findings, NULL), FRAZIL_ESPEC);
    assert_int_equal(findings.len, 0);
}

/* ---- records of others ------------------------------------------------------------- */

static void note_versions(void *ctx, uint32_t number, const struct fz_record *record)
{
    uint64_t *versions = ctx;

    assert_true(number < 3);
    versions[number] = record->version;
}

TEST_OF_KINDS(for_each_server, "A record that somebody else has put there is refused to who reads it, shown as damaged "
                               "to who reads all, and never overwritten; its neighbours are as they were")
{
    static const uint64_t expected[] = {0, 1, 7};
    struct fz_register reg = kind_open(kind, 0, TIMEOUT_MS);
    struct fz_record record;
    uint64_t untouched = 4711;
    uint64_t versions[3] = {0};
    uint64_t version = register_must_swap(&reg, 1, 0, "good");

    kind->damage();
    for (int times = 0; times < 2; times++) {
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
        register_assert_said("was not written by frazil");
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
            assert_int_equal(register_swap(&reg, 0, expected[i], "x", &untouched), FZ_REGISTER_CONFLICT);
    }
    assert_int_equal(untouched, 4711);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note_versions, versions, NULL, &register_said),
                     FZ_REGISTER_OK);
    assert_int_equal(versions[0], 1);
    assert_int_equal(versions[1], version);
    assert_int_equal(versions[2], 0);
    memset(versions, 0, sizeof versions);
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, (const uint32_t[]){1, 0, 2}, 3, 3, note_versions,
                                   versions, NULL, &register_said),
                     FZ_REGISTER_OK);
    assert_true(versions[0] == 1 && versions[1] == version && versions[2] == 0);
    register_assert_record(&reg, 1, version, "good");
    register_close(&reg);
}

TEST_OF_KINDS(for_each_server, "Among records that somebody else has numbered or named no worker id counts as free")
{
    struct fz_register reg = kind_open(kind, 0, TIMEOUT_MS);
    uint64_t versions[3] = {0};

    register_must_swap(&reg, 1, 0, "good");
    kind->intrude();
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note_versions, versions, NULL, &register_said),
                     FZ_REGISTER_REFUSED);
    assert_int_not_equal(register_said.message[0], '\0');
    register_close(&reg);
}
