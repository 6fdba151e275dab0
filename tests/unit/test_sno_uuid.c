/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a sno and its UUID lead to each other without loss, sort alike, are valid under RFC 9562, and no
 * other UUID, and no other text, is taken for one.
 */
#include <ctype.h>

#include "frazil/extras.h"
#include "lib/near_miss.h"
#include "lib/test.h"

enum { ROUND_TRIPS = 20000 };

/* Ten bytes and their UUID, made by Python: its uuid module says version 8 and variant RFC 4122 of each. */
static const struct {
    uint8_t bytes[FRAZIL_SNO_SIZE];
    const char *uuid;
} golden[] = {
    {{0}, "00000000-0000-8000-8000-000000000000"},
    {{0x40}, "40000000-0000-8000-8000-000000000000"},
    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "ffffffff-ffff-8fff-bfff-fc0000000000"},
    {{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23}, "01234567-89ab-8cde-bc04-8c0000000000"},
    {{0x7f, 0xec, 0x4e, 0x9b, 0x3c, 0x00, 0x41, 0x0a, 0x00, 0x01}, "7fec4e9b-3c00-8410-a800-040000000000"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01}, "00000000-0000-8000-8000-040000000000"},
    {{0, 0, 0, 0, 0, 0, 0, 0x10}, "00000000-0000-8001-8000-000000000000"},
    {{0, 0, 0, 0, 0, 0x01}, "00000000-0001-8000-8000-000000000000"},
};
#define GOLDEN (sizeof golden / sizeof golden[0])

static frazil_sno random_sno(uint64_t *seed)
{
    frazil_sno id;

    for (size_t i = 0; i < FRAZIL_SNO_SIZE; i++)
        id.bytes[i] = (uint8_t)seeded_next(seed);
    return id;
}

static void format(const frazil_sno *id, char text[FRAZIL_UUID_LEN + 1])
{
    size_t len = 0;

    assert_int_equal(frazil_sno_uuid_format(id, text, FRAZIL_UUID_LEN + 1, &len), FRAZIL_OK);
    assert_int_equal(len, FRAZIL_UUID_LEN);
    assert_int_equal(strlen(text), FRAZIL_UUID_LEN);
}

TEST("The UUIDs are those of somebody else's arithmetic, both ways")
{
    for (size_t i = 0; i < GOLDEN; i++) {
        char text[FRAZIL_UUID_LEN + 1];
        frazil_sno id;
        frazil_sno back;
        memcpy(id.bytes, golden[i].bytes, FRAZIL_SNO_SIZE);
        format(&id, text);
        assert_string_equal(text, golden[i].uuid);
        assert_int_equal(frazil_sno_uuid_parse(text, strlen(text), &back, NULL), FRAZIL_OK);
        assert_memory_equal(back.bytes, id.bytes, FRAZIL_SNO_SIZE);
    }
}

TEST("Every sno comes back from its bytes and from its text, in either case of the digits")
{
    uint64_t seed = 1;

    for (unsigned i = 0; i < ROUND_TRIPS; i++) {
        frazil_sno id = random_sno(&seed);
        frazil_sno back;
        uint8_t uuid[FRAZIL_UUID_SIZE];
        char text[FRAZIL_UUID_LEN + 1];
        frazil_sno_to_uuid(&id, uuid);
        assert_int_equal(uuid[6] >> 4, 8);
        assert_int_equal(uuid[8] >> 6, 2);
        assert_int_equal(frazil_sno_from_uuid(uuid, sizeof uuid, &back, NULL), FRAZIL_OK);
        assert_memory_equal(back.bytes, id.bytes, FRAZIL_SNO_SIZE);
        format(&id, text);
        for (size_t at = 0; i % 2 == 0 && at < FRAZIL_UUID_LEN; at++)
            text[at] = (char)toupper((unsigned char)text[at]);
        assert_int_equal(frazil_sno_uuid_parse(text, FRAZIL_UUID_LEN, &back, NULL), FRAZIL_OK);
        assert_memory_equal(back.bytes, id.bytes, FRAZIL_SNO_SIZE);
    }
}

TEST("UUIDs sort as the snos do, also where these differ in one bit")
{
    uint64_t seed = 2;

    for (unsigned i = 0; i < ROUND_TRIPS; i++) {
        frazil_sno a = random_sno(&seed);
        frazil_sno b = a;
        unsigned bit = i % 80;
        uint8_t a_uuid[FRAZIL_UUID_SIZE];
        uint8_t b_uuid[FRAZIL_UUID_SIZE];
        b.bytes[bit / 8] = (uint8_t)(b.bytes[bit / 8] ^ (1u << bit % 8));
        frazil_sno_to_uuid(&a, a_uuid);
        frazil_sno_to_uuid(&b, b_uuid);
        assert_int_equal(memcmp(a_uuid, b_uuid, sizeof a_uuid) < 0, memcmp(a.bytes, b.bytes, FRAZIL_SNO_SIZE) < 0);
    }
}

TEST("Each of the 48 bits that are not the sno's is fixed: turned over, the UUID is refused and nothing is written")
{
    uint64_t seed = 3;
    frazil_sno id = random_sno(&seed);
    unsigned refused = 0;

    for (unsigned bit = 0; bit < 8 * FRAZIL_UUID_SIZE; bit++) {
        uint8_t uuid[FRAZIL_UUID_SIZE];
        frazil_sno untouched;
        frazil_error err;
        memset(untouched.bytes, 0x5a, FRAZIL_SNO_SIZE);
        frazil_sno back = untouched;
        frazil_sno_to_uuid(&id, uuid);
        uuid[bit / 8] = (uint8_t)(uuid[bit / 8] ^ (1u << bit % 8));
        if (frazil_sno_from_uuid(uuid, sizeof uuid, &back, &err) == FRAZIL_OK)
            continue;
        refused++;
        assert_int_equal(err.code, FRAZIL_EPARSE);
        assert_memory_equal(back.bytes, untouched.bytes, FRAZIL_SNO_SIZE);
    }
    assert_int_equal(refused, 48);
}

TEST("A UUID has sixteen bytes")
{
    uint8_t uuid[FRAZIL_UUID_SIZE + 1] = {[6] = 0x80, [8] = 0x80};
    frazil_sno id;

    assert_int_equal(frazil_sno_from_uuid(uuid, 16, &id, NULL), FRAZIL_OK);
    assert_int_equal(frazil_sno_from_uuid(uuid, 15, &id, NULL), FRAZIL_EPARSE);
    assert_int_equal(frazil_sno_from_uuid(uuid, 17, &id, NULL), FRAZIL_EPARSE);
    assert_int_equal(frazil_sno_from_uuid(NULL, 0, &id, NULL), FRAZIL_EPARSE);
}

/* One variant of a text: written again it is the same text, or it was refused. */
static void check_variant(void *ctx, const char *variant, size_t len, size_t index)
{
    char again[FRAZIL_UUID_LEN + 1];
    frazil_sno id;
    frazil_error err;

    (void)ctx;
    if (frazil_sno_uuid_parse(variant, len, &id, &err) == FRAZIL_OK) {
        format(&id, again);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(tolower((unsigned char)variant[i]), again[i]);
        return;
    }
    assert_int_equal(err.code, FRAZIL_EPARSE);
    if (index == FRAZIL_UUID_LEN || (!isxdigit((unsigned char)variant[index]) && variant[index] != '-'))
        assert_error_at(&err, FRAZIL_EPARSE, index);
}

static void check_prefix(void *ctx, const char *prefix, size_t len, size_t index)
{
    frazil_sno id;
    frazil_error err;

    (void)ctx;
    assert_int_equal(frazil_sno_uuid_parse(prefix, len, &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, index);
}

TEST("Each byte at each place of a text is accepted exactly, or refused; shorter and longer texts are")
{
    frazil_sno id;
    frazil_error err;

    near_miss_bytes(golden[3].uuid, FRAZIL_UUID_LEN, check_variant, NULL);
    near_miss_prefixes(golden[3].uuid, FRAZIL_UUID_LEN, check_prefix, NULL);
    assert_int_equal(frazil_sno_uuid_parse("01234567-89ab-8cde-bc04-8c00000000000", 37, &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, 36);
    assert_int_equal(frazil_sno_uuid_parse("0123456789ab8cdebc048c0000000000", 32, &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, 8);
}

TEST("A buffer of exactly the size suffices; one byte less is an error, and nothing is written")
{
    const frazil_sno id = {{0x40}};
    char buf[FRAZIL_UUID_LEN + 1];
    char before[sizeof buf];
    size_t len = 7;

    memset(buf, '#', sizeof buf);
    memset(before, '#', sizeof before);
    for (size_t size = 0; size <= FRAZIL_UUID_LEN; size++)
        assert_int_equal(frazil_sno_uuid_format(&id, buf, size, &len), FRAZIL_EBUFFER);
    assert_memory_equal(buf, before, sizeof buf);
    assert_int_equal(len, 7);
}
