/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: every line of the golden vectors that other systems made
 * comes out of the library exactly, in both directions: text forms, kasumi,
 * snos, hashed workers and shards.
 */

#include "frazil/extras.h"
#include "frazil/text.h"
#include "lib/test.h"
#include "lib/tsv.h"

/* ---- text forms ----------------------------------------------------------- */

static void check_form(const struct tsv *tsv, frazil_text form, uint64_t id, const char *expected)
{
    char text[FRAZIL_TEXT_SIZE];
    uint64_t back = ~id;

    assert_int_equal(frazil_id_format(form, id, text, sizeof text, NULL), FRAZIL_OK);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s is '%s', not '%s'", tsv_where(tsv), frazil_text_name(form), text, expected);
    if (frazil_id_parse(form, expected, strlen(expected), &back, NULL) != FRAZIL_OK || back != id)
        fail_msg("%s: %s '%s' is not read back", tsv_where(tsv), frazil_text_name(form), expected);
}

/* The two without padding are the vector's digits without its leading zeros. */
static void check_unpadded(const struct tsv *tsv, uint64_t id, const char *digits)
{
    char prefixed[FRAZIL_TEXT_SIZE];

    while (digits[0] == '0' && digits[1] != '\0')
        digits++;
    snprintf(prefixed, sizeof prefixed, "0x%s", digits);
    check_form(tsv, FRAZIL_TEXT_HEX_SHORT, id, digits);
    check_form(tsv, FRAZIL_TEXT_HEX0X, id, prefixed);
}

/* The bytes themselves are those that the vector shows as digits. */
static void check_bytes(const struct tsv *tsv, uint64_t id, const char *digits)
{
    uint8_t bytes[FRAZIL_BYTES_SIZE];
    char text[2 * FRAZIL_BYTES_SIZE + 1];
    uint64_t back = ~id;

    frazil_bytes_write(id, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    if (strcmp(text, digits) != 0 || frazil_bytes_read(bytes, sizeof bytes, &back, NULL) != FRAZIL_OK || back != id)
        fail_msg("%s: the bytes are %s, not %s", tsv_where(tsv), text, digits);
}

TEST("Each form writes and reads what PHP, Python and the Go libraries write")
{
    struct tsv *tsv = tsv_open("text.tsv");

    while (tsv_next(tsv)) {
        char padded[FRAZIL_TEXT_SIZE];
        uint64_t id = tsv_u64(tsv, "id");
        snprintf(padded, sizeof padded, "%020llu", (unsigned long long)id);
        check_form(tsv, FRAZIL_TEXT_DEC, id, tsv_text(tsv, "id"));
        check_form(tsv, FRAZIL_TEXT_DEC_PADDED, id, padded);
        check_form(tsv, FRAZIL_TEXT_HEX, id, tsv_text(tsv, "hex16"));
        check_form(tsv, FRAZIL_TEXT_CROCKFORD, id, tsv_text(tsv, "crockford13"));
        check_form(tsv, FRAZIL_TEXT_BASE36, id, tsv_text(tsv, "base36"));
        check_form(tsv, FRAZIL_TEXT_BASE58, id, tsv_text(tsv, "base58_flickr"));
        check_form(tsv, FRAZIL_TEXT_BASE62, id, tsv_text(tsv, "base62_11"));
        check_form(tsv, FRAZIL_TEXT_BASE64URL, id, tsv_text(tsv, "base64url_be11"));
        check_form(tsv, FRAZIL_TEXT_BYTES, id, tsv_text(tsv, "bytes_be"));
        check_unpadded(tsv, id, tsv_text(tsv, "hex16"));
        check_bytes(tsv, id, tsv_text(tsv, "bytes_be"));
    }
    assert_int_equal(tsv_close(tsv), 100);
}

/* ---- kasumi --------------------------------------------------------------- */

static void check_scrambled(const struct tsv *tsv, bool checked, const char *expected)
{
    uint64_t salt = tsv_u64(tsv, "salt");
    uint64_t id = tsv_u64(tsv, "value");
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
    uint64_t back = ~id;

    assert_int_equal(frazil_scramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, id, text, sizeof text, NULL),
                     FRAZIL_OK);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: scrambled is '%s', not '%s'", tsv_where(tsv), text, expected);
    assert_int_equal(
        frazil_unscramble(salt, checked ? FRAZIL_KASUMI_CHECKED : 0, expected, strlen(expected), &back, NULL),
        FRAZIL_OK);
    assert_int_equal(back, id);
}

TEST("The scrambler, and its two texts, are konayuki's")
{
    struct tsv *tsv = tsv_open("kasumi.tsv");

    while (tsv_next(tsv)) {
        uint64_t id = tsv_u64(tsv, "value");
        uint64_t scrambled = ~id;
        assert_int_equal(frazil_kasumi(tsv_u64(tsv, "salt"), id, &scrambled), FRAZIL_OK);
        assert_int_equal(scrambled >> 32, tsv_u64(tsv, "upper"));
        assert_int_equal(scrambled & UINT32_MAX, tsv_u64(tsv, "lower"));
        check_scrambled(tsv, false, tsv_text(tsv, "base36"));
        check_scrambled(tsv, true, tsv_text(tsv, "checksum36"));
    }
    assert_int_equal(tsv_close(tsv), 120);
}

/* ---- snos ----------------------------------------------------------------- */

/* The ten bytes of the column hex. */
static frazil_sno sno_of(const struct tsv *tsv)
{
    const char *hex = tsv_text(tsv, "hex");
    frazil_sno id;

    assert_int_equal(strlen(hex), 2 * FRAZIL_SNO_SIZE);
    for (size_t i = 0; i < FRAZIL_SNO_SIZE; i++) {
        unsigned byte = 0;
        for (size_t digit = 2 * i; digit < 2 * i + 2; digit++) {
            const char *found = strchr("0123456789abcdef", hex[digit]);
            assert_non_null(found);
            byte = byte << 4 | (unsigned)(found - strchr("0123456789abcdef", '0'));
        }
        id.bytes[i] = (uint8_t)byte;
    }
    return id;
}

static frazil_sno_fields parts_of(const struct tsv *tsv)
{
    int64_t unix_ns = tsv_i64(tsv, "unix_ns");

    assert_int_equal(unix_ns % 1000000, 0);
    return (frazil_sno_fields){
        .unix_ms = unix_ns / 1000000,
        .ticktock = (uint8_t)tsv_u64(tsv, "ticktock"),
        .meta = (uint8_t)tsv_u64(tsv, "meta"),
        .partition = (uint16_t)tsv_u64(tsv, "partition"),
        .sequence = (uint16_t)tsv_u64(tsv, "sequence"),
    };
}

TEST("Bytes, text and fields of each sno are what sno makes of it")
{
    struct tsv *tsv = tsv_open("sno.tsv");

    while (tsv_next(tsv)) {
        frazil_sno id = sno_of(tsv);
        frazil_sno_fields expected = parts_of(tsv);
        frazil_sno_fields fields;
        frazil_sno back = {{0}};
        char text[FRAZIL_SNO_LEN];

        frazil_sno_encode(&id, text);
        assert_memory_equal(text, tsv_text(tsv, "text"), sizeof text);
        assert_int_equal(frazil_sno_decode(text, FRAZIL_SNO_LEN, &back, NULL), FRAZIL_OK);
        assert_memory_equal(&back, &id, sizeof id);

        frazil_sno_decompose(&id, &fields);
        assert_int_equal(fields.unix_ms, expected.unix_ms);
        assert_int_equal(fields.ticktock, expected.ticktock);
        assert_int_equal(fields.meta, expected.meta);
        assert_int_equal(fields.partition, expected.partition);
        assert_int_equal(fields.sequence, expected.sequence);
        back = (frazil_sno){{0}};
        assert_int_equal(frazil_sno_compose(&expected, &back, NULL), FRAZIL_OK);
        assert_memory_equal(&back, &id, sizeof id);
    }
    assert_int_equal(tsv_close(tsv), 235);
}

/* ---- hashes ---------------------------------------------------------------- */

TEST("A host's worker number is konayuki's")
{
    struct tsv *tsv = tsv_open("workerhash.tsv");

    while (tsv_next(tsv)) {
        const char *hint = tsv_text(tsv, "hint");
        uint32_t worker = UINT32_MAX;
        assert_int_equal(frazil_worker_hash(hint, strlen(hint), (uint32_t)tsv_u64(tsv, "max_workers"), &worker),
                         FRAZIL_OK);
        assert_int_equal(worker, tsv_u64(tsv, "worker"));
    }
    assert_int_equal(tsv_close(tsv), 120);
}

static void check_shard(const struct tsv *tsv, uint32_t shards, const char *column)
{
    uint32_t shard = UINT32_MAX;

    assert_int_equal(frazil_shard(tsv_u64(tsv, "id"), shards, &shard), FRAZIL_OK);
    if (shard != tsv_u64(tsv, column))
        fail_msg("%s: %s is %u", tsv_where(tsv), column, shard);
}

TEST("An id's shard is konayuki's")
{
    struct tsv *tsv = tsv_open("konayuki.tsv");

    while (tsv_next(tsv)) {
        check_shard(tsv, 16, "shard16");
        check_shard(tsv, 7, "shard7");
        check_shard(tsv, 1000, "shard1000");
    }
    assert_int_equal(tsv_close(tsv), 120);
}
