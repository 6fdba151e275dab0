/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a record is read back exactly as it was written, its bytes
 * never change, and whatever else 512 bytes may hold, it is not taken for one.
 */

#include "core/crc32.h"
#include "core/word.h"
#include "lease/grant_record.h"
#include "lib/test.h"

static const struct fz_grant_record sample = {
    .sequence = 0x0102030405060708,
    .worker = 7,
    .nonce = 0xfedcba9876543210,
    .place = 25,
    .pid = 4711,
    .floor = 1000,
    .until = 2000,
    .used = {.count = 2, .range = {{500, 2000}, {900000, 900100}}},
    .fingerprint = "41/10/12 epoch=0 tick=1ms",
    .seq_min = 0x0102,
    .seq_max = 0x0fff,
};

/* The places are written down here once more, because files of version 1 have them for ever. */
enum {
    AT_VERSION = 8,
    AT_FLOOR = 56,
    AT_COUNT = 72,
    AT_SECOND_RANGE = 96,
    AT_THIRD_RANGE = 112,
    AT_TEXT = 336,
    AT_SEQ_MIN = 432,
    AT_SEQ_MAX = 440
};

static void assert_same(const struct fz_grant_record *a, const struct fz_grant_record *b)
{
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->worker, b->worker);
    assert_int_equal(a->nonce, b->nonce);
    assert_int_equal(a->place, b->place);
    assert_int_equal(a->pid, b->pid);
    assert_int_equal(a->floor, b->floor);
    assert_int_equal(a->until, b->until);
    assert_memory_equal(&a->used, &b->used, sizeof a->used);
    assert_memory_equal(a->fingerprint, b->fingerprint, sizeof a->fingerprint);
    assert_int_equal(a->seq_min, b->seq_min);
    assert_int_equal(a->seq_max, b->seq_max);
}

static void assert_decodes(const unsigned char *slot, const struct fz_grant_record *expected)
{
    struct fz_grant_record record;
    uint64_t version = 4242;

    assert_int_equal(fz_grant_record_decode(slot, &record, &version), FZ_GRANT_SLOT_VALID);
    assert_same(&record, expected);
    assert_int_equal(version, 4242);
}

static void assert_bad(const unsigned char *slot)
{
    struct fz_grant_record record = {.sequence = 4242};
    uint64_t version = 4242;

    assert_int_equal(fz_grant_record_decode(slot, &record, &version), FZ_GRANT_SLOT_BAD);
    assert_int_equal(record.sequence, 4242);
    assert_int_equal(version, 4242);
}

/* Makes the checksum of changed bytes right again. */
static void seal(unsigned char *slot)
{
    uint64_t crc = fz_crc32(slot, FZ_GRANT_SLOT_SIZE - 4);

    for (int i = 0; i < 4; i++)
        slot[FZ_GRANT_SLOT_SIZE - 4 + i] = (unsigned char)(crc >> 8 * i);
}

static void assert_bad_when(size_t offset, uint64_t value)
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE];

    fz_grant_record_encode(&sample, slot);
    fz_store_le64(slot + offset, value);
    seal(slot);
    assert_bad(slot);
}

TEST(
    "A written record is read back, also with as many ranges as there can be and with a fingerprint of the full length")
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE];
    struct fz_grant_record full = sample;

    fz_grant_record_encode(&sample, slot);
    assert_decodes(slot, &sample);
    full.sequence = full.nonce = full.place = full.pid = UINT64_MAX;
    full.worker = UINT32_MAX;
    full.seq_max = UINT32_MAX;
    full.used.count = FZ_USED_RANGES;
    for (uint64_t i = 0; i < FZ_USED_RANGES; i++)
        full.used.range[i] = (struct fz_tick_range){i << 60, (i << 60) + 5};
    full.floor = full.used.range[15].first;
    full.until = full.used.range[15].last;
    memset(full.fingerprint, 'x', sizeof full.fingerprint - 1);
    fz_grant_record_encode(&full, slot);
    assert_decodes(slot, &full);
}

TEST("The bytes of version 1 are these")
{
    static const unsigned char expected[FZ_GRANT_SLOT_SIZE] = {[0] = 'f',   'z',
                                                               'g',         'r',
                                                               'a',         'n',
                                                               't',         0,
                                                               [8] = 1,     [16] = 8,
                                                               7,           6,
                                                               5,           4,
                                                               3,           2,
                                                               1,           [24] = 7,
                                                               [32] = 0x10, 0x32,
                                                               0x54,        0x76,
                                                               0x98,        0xba,
                                                               0xdc,        0xfe,
                                                               [40] = 25,   [48] = 0x67,
                                                               0x12,        [56] = 0xe8,
                                                               0x03,        [64] = 0xd0,
                                                               0x07,        [72] = 2,
                                                               [80] = 0xf4, 0x01,
                                                               [88] = 0xd0, 0x07,
                                                               [96] = 0xa0, 0xbb,
                                                               0x0d,        [104] = 0x04,
                                                               0xbc,        0x0d,
                                                               [336] = '4', '1',
                                                               '/',         '1',
                                                               '0',         '/',
                                                               '1',         '2',
                                                               ' ',         'e',
                                                               'p',         'o',
                                                               'c',         'h',
                                                               '=',         '0',
                                                               ' ',         't',
                                                               'i',         'c',
                                                               'k',         '=',
                                                               '1',         'm',
                                                               's',         [432] = 0x02,
                                                               0x01,        [440] = 0xff,
                                                               0x0f};
    unsigned char sealed[FZ_GRANT_SLOT_SIZE];
    unsigned char slot[FZ_GRANT_SLOT_SIZE];

    fz_grant_record_encode(&sample, slot);
    assert_memory_equal(slot, expected, FZ_GRANT_SLOT_SIZE - 4);
    memcpy(sealed, expected, sizeof sealed);
    seal(sealed);
    assert_memory_equal(slot, sealed, sizeof slot);
}

TEST("The bounds are in order, and below 2^32")
{
    assert_bad_when(AT_SEQ_MAX, 0x0101); /* above the largest is the least */
    assert_bad_when(AT_SEQ_MAX, UINT64_C(1) << 32);
    assert_bad_when(AT_SEQ_MIN, 0x1000);
}

TEST("No bit can change unnoticed")
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE];

    fz_grant_record_encode(&sample, slot);
    for (size_t bit = 0; bit < 8 * sizeof slot; bit++) {
        slot[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_bad(slot);
        slot[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

TEST("A slot that is half one record and half another is neither, wherever it was torn")
{
    struct fz_grant_record later = sample;
    unsigned char before[FZ_GRANT_SLOT_SIZE];
    unsigned char after[FZ_GRANT_SLOT_SIZE];

    later.sequence += 2;
    later.until = later.used.range[0].last = 3000;
    fz_grant_record_encode(&sample, before);
    fz_grant_record_encode(&later, after);
    for (size_t torn = 0; torn <= sizeof before; torn++) {
        unsigned char slot[FZ_GRANT_SLOT_SIZE];
        memcpy(slot, after, torn);
        memcpy(slot + torn, before + torn, sizeof slot - torn);
        if (memcmp(slot, before, sizeof slot) == 0)
            assert_decodes(slot, &sample);
        else if (memcmp(slot, after, sizeof slot) == 0)
            assert_decodes(slot, &later);
        else
            assert_bad(slot);
    }
}

TEST("A slot that was never written is bad, and so is one with somebody else's bytes")
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE] = {0};

    assert_bad(slot);
    seal(slot);
    assert_bad(slot);
    memset(slot, 0xff, sizeof slot);
    assert_bad(slot);
}

TEST("A whole slot of another version is told from a damaged one")
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE];
    struct fz_grant_record record = {.sequence = 4242};
    uint64_t version = 0;

    fz_grant_record_encode(&sample, slot);
    fz_store_le64(slot + AT_VERSION, 3);
    assert_bad(slot);
    seal(slot);
    assert_int_equal(fz_grant_record_decode(slot, &record, &version), FZ_GRANT_SLOT_OTHER_VERSION);
    assert_int_equal(version, 3);
    assert_int_equal(record.sequence, 4242);
    memset(slot + 16, 0xee, 400); /* fields of a later version */
    seal(slot);
    assert_int_equal(fz_grant_record_decode(slot, &record, &version), FZ_GRANT_SLOT_OTHER_VERSION);
}

TEST("A record that makes no sense is not taken, although its checksum is right")
{
    assert_bad_when(24, UINT64_C(1) << 32);      /* no worker */
    assert_bad_when(AT_FLOOR, 2001);             /* above until */
    assert_bad_when(AT_FLOOR, 499);              /* not used */
    assert_bad_when(AT_COUNT, 17);               /* more than there is room for */
    assert_bad_when(AT_COUNT, UINT64_MAX);       /* the same */
    assert_bad_when(AT_COUNT, 1);                /* a range behind the last one */
    assert_bad_when(AT_SECOND_RANGE, 2001);      /* touches the one before */
    assert_bad_when(AT_SECOND_RANGE, 900101);    /* ends before it begins */
    assert_bad_when(AT_THIRD_RANGE, 1);          /* bytes behind the last range */
    assert_bad_when(AT_TEXT, 0);                 /* no fingerprint */
    assert_bad_when(AT_TEXT + 32, 1);            /* bytes behind it */
    assert_bad_when(AT_SEQ_MAX + 8, 1);          /* bytes that mean nothing */
    assert_bad_when(FZ_GRANT_SLOT_SIZE - 12, 1); /* the same, next to the checksum */
}

TEST("A fingerprint that does not end is none, and neither is an empty one")
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE];

    fz_grant_record_encode(&sample, slot);
    memset(slot + AT_TEXT, 'x', FRAZIL_FINGERPRINT_SIZE);
    seal(slot);
    assert_bad(slot);
    memset(slot + AT_TEXT, 0, FRAZIL_FINGERPRINT_SIZE);
    seal(slot);
    assert_bad(slot);
}
