/* SPDX-License-Identifier: MIT */
/* Goal of this test: an id of another system is named where a decimal id is read, and what is nearly one is not. */
#include "frazil/text.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define UNTOUCHED UINT64_C(0xdeadbeefdeadbeef)

static void assert_refused(const char *text, size_t index)
{
    uint64_t id = UNTOUCHED;
    frazil_error err;

    assert_int_equal(frazil_id_parse(FRAZIL_TEXT_DEC, text, strlen(text), &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, index);
    assert_true(id == UNTOUCHED);
}

TEST("Decimal names a UUID, a ULID, a KSUID and an ObjectId, with the time that is in it")
{
    /* Of the RFC, of the makers' own pages, and of the specification of ULIDs. */
    static const struct {
        const char *text;
        const char *said;
    } rows[] = {
        {"017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "a UUID of version 7, made at 2022-02-22T19:22:22.000Z"},
        {"C232AB00-9414-11EC-B3C8-9F6BDECED846", "a UUID of version 1, made at 2022-02-22T19:22:22.000Z"},
        {"1EC9414C-232A-6B00-B3C8-9F6BDECED846", "a UUID of version 6, made at 2022-02-22T19:22:22.000Z"},
        {"919108f7-52d1-4320-9bac-f847db4148a8", "a UUID of version 4, which has no time"},
        {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "a ULID, made at 2016-07-30T23:54:10.259Z"},
        {"01arz3ndektsv4rrffq69g5fav", "a ULID, made at 2016-07-30T23:54:10.259Z"},
        {"7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "a ULID, made at +10889-08-02T05:31:50.655Z"},
        {"0ujtsYcgvSTl8PAuAdqWYSMnLOv", "a KSUID, made at 2017-10-10T04:00:47.000Z"},
        {"aWgEPTl1tmebfsQzFP4bxwgy80V", "a KSUID, made at 2150-06-19T23:21:35.000Z"},
        {"507f1f77bcf86cd799439011", "an ObjectId of MongoDB, made at 2012-10-17T21:13:27.000Z"},
    };
    char expected[160];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t id = UNTOUCHED;
        frazil_error err;
        assert_int_equal(frazil_id_parse(FRAZIL_TEXT_DEC, rows[i].text, strlen(rows[i].text), &id, &err),
                         FRAZIL_EPARSE);
        snprintf(expected, sizeof expected, "it is %s, not a 64-bit id", rows[i].said);
        assert_string_equal(err.message, expected);
        assert_int_equal(err.position, FRAZIL_NO_POSITION);
        assert_true(id == UNTOUCHED);
    }
}

TEST("What is nearly such an id is not named: decimal says which character is wrong")
{
    assert_refused("017F22E2-79B0-7CC3-98C4-DC0C0C07398", 0);   /* a leading zero */
    assert_refused("917F22E2-79B0-7CC3-98C4-DC0C0C07398F0", 3); /* too long */
    assert_refused("917F22E2-79B0-7CC3-98C4-DC0C0C07398G", 3);  /* no hex digit */
    assert_refused("917F22E279B0-7CC3-98C4-DC0C0C073-98F", 3);  /* a dash elsewhere */
    assert_refused("81ARZ3NDEKTSV4RRFFQ69G5FAV", 2);            /* a ULID has 128 bits */
    assert_refused("aWgEPTl1tmebfsQzFP4bxwgy80W", 0);           /* a KSUID has 160 bits */
    assert_refused("507f1f77bcf86cd79943901g", 3);              /* no hex digit */
    assert_refused("436677378048286723456789", 19);             /* a number */
}

TEST("In another form it is only wrong")
{
    static const char uuid[] = "919108f7-52d1-4320-9bac-f847db4148a8";
    uint64_t id;
    frazil_error err;

    assert_int_equal(frazil_id_parse(FRAZIL_TEXT_HEX_SHORT, uuid, strlen(uuid), &id, &err), FRAZIL_EPARSE);
    assert_error_at(&err, FRAZIL_EPARSE, 8);
}
