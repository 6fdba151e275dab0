/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "decimal.h"
#include "frazil/generator.h"
#include "sentence.h"
#include "sno_internal.h"

/* The members in the order in which sno writes them. */
enum member { PARTITION, SEQUENCE_MIN, SEQUENCE_MAX, SEQUENCE, NOW, WALL_HI, WALL_SAFE, DRIFTS, MEMBER_COUNT };

/* The partition is an array of two bytes; here it is one number, as in frazil_sno_fields. */
static const struct {
    char name[16];
    uint64_t max;
} json_members[MEMBER_COUNT] = {
    [PARTITION] = {"partition", UINT8_MAX}, /* each byte */
    [SEQUENCE_MIN] = {"sequenceMin", UINT16_MAX},
    [SEQUENCE_MAX] = {"sequenceMax", UINT16_MAX},
    [SEQUENCE] = {"sequence", UINT32_MAX},
    [NOW] = {"now", FZ_SNO_UNITS - 1},
    [WALL_HI] = {"wallHi", FZ_SNO_UNITS - 1},
    [WALL_SAFE] = {"wallSafe", FZ_SNO_UNITS - 1},
    [DRIFTS] = {"drifts", UINT32_MAX},
};

/* ---- writing ---- */

static void put_name(struct fz_sentence *json, enum member member)
{
    fz_sentence_str(json, member == 0 ? "{\"" : ",\"");
    fz_sentence_str(json, json_members[member].name);
    fz_sentence_str(json, "\":");
}

static void put_partition(struct fz_sentence *json, const uint8_t partition[2])
{
    put_name(json, PARTITION);
    fz_sentence_char(json, '[');
    fz_sentence_u64(json, partition[0]);
    fz_sentence_char(json, ',');
    fz_sentence_u64(json, partition[1]);
    fz_sentence_char(json, ']');
}

static void put_member(struct fz_sentence *json, enum member member, int64_t value)
{
    put_name(json, member);
    fz_sentence_i64(json, value);
}

frazil_err fz_snapshot_format(const struct fz_snapshot *snapshot, char *buf, size_t size, size_t *ret_len)
{
    char text[FRAZIL_SNO_SNAPSHOT_SIZE];
    struct fz_sentence json = fz_sentence_in(text, sizeof text);

    put_partition(&json, snapshot->partition);
    put_member(&json, SEQUENCE_MIN, snapshot->sequence_min);
    put_member(&json, SEQUENCE_MAX, snapshot->sequence_max);
    put_member(&json, SEQUENCE, snapshot->sequence);
    put_member(&json, NOW, snapshot->now);
    put_member(&json, WALL_HI, snapshot->wall_hi);
    put_member(&json, WALL_SAFE, snapshot->wall_safe);
    put_member(&json, DRIFTS, snapshot->drifts);
    fz_sentence_char(&json, '}');
    return fz_sentence_give(&json, buf, size, ret_len);
}

/* ---- reading ---- */

/* A place in the text.  Errors name it, counted from 1. */
struct json_reader {
    const char *text;
    size_t len;
    size_t at;
    frazil_error *reterr;
};

/* Says what was wanted at the reader's place. */
static frazil_err fail_at(const struct json_reader *in, const char *wanted)
{
    if (in->at == in->len)
        return fz_fail_at(in->reterr, in->at, FRAZIL_EPARSE,
                          "snapshot: expected %s at position %u, where the text ends", wanted, (uint64_t)in->at + 1);
    return fz_fail_at(in->reterr, in->at, FRAZIL_EPARSE, "snapshot: expected %s at position %u, not %Q", wanted,
                      (uint64_t)in->at + 1, in->text + in->at, (size_t)1);
}

/* The white space of RFC 8259, and no other. */
static void skip_json_space(struct json_reader *in)
{
    while (in->at < in->len && (in->text[in->at] == ' ' || in->text[in->at] == '\t' || in->text[in->at] == '\n' ||
                                in->text[in->at] == '\r'))
        in->at++;
}

/* Takes c, with the space before it, if it comes next. */
static bool take_mark(struct json_reader *in, char c)
{
    skip_json_space(in);
    if (in->at == in->len || in->text[in->at] != c)
        return false;
    in->at++;
    return true;
}

static frazil_err expect_mark(struct json_reader *in, char c, const char *wanted)
{
    return take_mark(in, c) ? FRAZIL_OK : fail_at(in, wanted);
}

/* A whole number from 0 to max. */
static frazil_err read_whole_number(struct json_reader *in, uint64_t max, uint64_t *ret)
{
    uint64_t value;

    skip_json_space(in);
    size_t start = in->at;
    while (in->at < in->len && in->text[in->at] >= '0' && in->text[in->at] <= '9')
        in->at++;
    if (in->at == start)
        return fail_at(in, "a whole number without a sign");
    if (!fz_decimal_parse(in->text + start, in->at - start, &value) || value > max)
        return fz_fail_at(in->reterr, start, FRAZIL_EPARSE,
                          "snapshot: the number at position %u must be between 0 and %u, without leading zeros",
                          (uint64_t)start + 1, max);
    *ret = value;
    return FRAZIL_OK;
}

/* [a, b] as the number a * 256 + b. */
static frazil_err read_partition(struct json_reader *in, uint64_t *ret)
{
    uint64_t high = 0;
    uint64_t low = 0;

    frazil_err err = expect_mark(in, '[', "the array of the partition's two bytes");
    if (err == FRAZIL_OK)
        err = read_whole_number(in, json_members[PARTITION].max, &high);
    if (err == FRAZIL_OK)
        err = expect_mark(in, ',', "a comma between the partition's two bytes");
    if (err == FRAZIL_OK)
        err = read_whole_number(in, json_members[PARTITION].max, &low);
    if (err == FRAZIL_OK)
        err = expect_mark(in, ']', "the end of the partition's two bytes");
    if (err == FRAZIL_OK)
        *ret = high << 8 | low;
    return err;
}

/* Whether the next characters are this name and its closing quote. */
static bool take_name(struct json_reader *in, const char *name)
{
    size_t len = fz_text_len(name);

    if (in->len - in->at <= len || in->text[in->at + len] != '"')
        return false;
    for (size_t i = 0; i < len; i++) {
        if (in->text[in->at + i] != name[i])
            return false;
    }
    in->at += len + 1;
    return true;
}

/* The name of a member that was not there before. */
static frazil_err read_member_name(struct json_reader *in, unsigned *seen, enum member *ret)
{
    frazil_err err = expect_mark(in, '"', "a member's name in quotes");
    if (err != FRAZIL_OK)
        return err;
    size_t start = in->at;
    for (unsigned i = 0; i < MEMBER_COUNT; i++) {
        if (!take_name(in, json_members[i].name))
            continue;
        if ((*seen >> i & 1) != 0)
            return fz_fail_at(in->reterr, start, FRAZIL_EPARSE, "snapshot: %q at position %u is given twice",
                              json_members[i].name, (uint64_t)start + 1);
        *seen |= 1U << i;
        *ret = (enum member)i;
        return FRAZIL_OK;
    }
    return fail_at(in, "partition, sequenceMin, sequenceMax, sequence, now, wallHi, wallSafe or drifts");
}

/* One "name": value. */
static frazil_err read_member(struct json_reader *in, unsigned *seen, uint64_t values[MEMBER_COUNT])
{
    enum member member = PARTITION;

    frazil_err err = read_member_name(in, seen, &member);
    if (err == FRAZIL_OK)
        err = expect_mark(in, ':', "a colon");
    if (err != FRAZIL_OK)
        return err;
    if (member == PARTITION)
        return read_partition(in, &values[PARTITION]);
    return read_whole_number(in, json_members[member].max, &values[member]);
}

/* The whole object, and nothing behind it. */
static frazil_err read_object(struct json_reader *in, uint64_t values[MEMBER_COUNT])
{
    unsigned seen = 0;

    frazil_err err = expect_mark(in, '{', "the object's opening brace");
    if (err != FRAZIL_OK)
        return err;
    if (!take_mark(in, '}')) {
        do {
            err = read_member(in, &seen, values);
            if (err != FRAZIL_OK)
                return err;
        } while (take_mark(in, ','));
        err = expect_mark(in, '}', "a comma or the object's closing brace");
        if (err != FRAZIL_OK)
            return err;
    }
    skip_json_space(in);
    return in->at == in->len ? FRAZIL_OK : fail_at(in, "the end of the text");
}

frazil_err fz_snapshot_parse(const char *text, size_t len, struct fz_snapshot *ret, frazil_error *reterr)
{
    struct json_reader in = {.text = text, .len = len, .at = 0, .reterr = reterr};
    uint64_t values[MEMBER_COUNT] = {0};

    frazil_err err = read_object(&in, values);
    if (err != FRAZIL_OK)
        return err;
    *ret = (struct fz_snapshot){
        .partition = {(uint8_t)(values[PARTITION] >> 8), (uint8_t)(values[PARTITION] & 0xff)},
        .sequence_min = (uint16_t)values[SEQUENCE_MIN],
        .sequence_max = (uint16_t)values[SEQUENCE_MAX],
        .sequence = (uint32_t)values[SEQUENCE],
        .now = (int64_t)values[NOW],
        .wall_hi = (int64_t)values[WALL_HI],
        .wall_safe = (int64_t)values[WALL_SAFE],
        .drifts = (uint32_t)values[DRIFTS],
    };
    return FRAZIL_OK;
}
