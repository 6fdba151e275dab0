/* SPDX-License-Identifier: MIT */
#include "grant_record.h"

#include <string.h>

#include "core/assert.h"
#include "core/crc32.h"
#include "core/word.h"

static const unsigned char grant_magic[8] = "fzgrant";

enum {
    AT_VERSION = 8,
    AT_SEQUENCE = 16,
    AT_WORKER = 24,
    AT_NONCE = 32,
    AT_PLACE = 40,
    AT_PID = 48,
    AT_FLOOR = 56,
    AT_UNTIL = 64,
    AT_COUNT = 72,
    AT_RANGES = 80,
    AT_FINGERPRINT = AT_RANGES + 16 * FZ_USED_RANGES,
    AT_SEQ_MIN = AT_FINGERPRINT + FRAZIL_FINGERPRINT_SIZE,
    AT_SEQ_MAX = AT_SEQ_MIN + 8,
    AT_ZEROS = AT_SEQ_MAX + 8,
    AT_CHECKSUM = FZ_GRANT_SLOT_SIZE - 4
};

_Static_assert(AT_ZEROS <= AT_CHECKSUM, "everything has its place");

static uint64_t checksum_in(const unsigned char *slot)
{
    return fz_load_le64(slot + FZ_GRANT_SLOT_SIZE - 8) >> 32;
}

/* Whether the fingerprint is a text that ends, with nothing behind it. */
static bool fingerprint_is_valid(const char fingerprint[FRAZIL_FINGERPRINT_SIZE])
{
    const char *end = memchr(fingerprint, '\0', FRAZIL_FINGERPRINT_SIZE);

    if (end == NULL || end == fingerprint)
        return false;
    /* Fingerprints are compared as whole arrays, so what follows the text counts. */
    while (end < fingerprint + FRAZIL_FINGERPRINT_SIZE && *end == '\0')
        end++;
    return end == fingerprint + FRAZIL_FINGERPRINT_SIZE;
}

static bool is_used(const struct fz_used_ticks *used, uint64_t first, uint64_t last)
{
    for (uint64_t i = 0; i < used->count; i++) {
        if (used->range[i].first <= first && last <= used->range[i].last)
            return true;
    }
    return false;
}

static bool bounds_are_valid(const struct fz_grant_record *record)
{
    return record->seq_min <= record->seq_max && record->seq_max <= UINT32_MAX;
}

bool fz_grant_record_is_valid(const struct fz_grant_record *record)
{
    /*
     * The checksum proves only that the bytes are those that were written.  A record of a program with
     * a fault, or of an attacker, has a good one, too.
     */
    return record->worker <= UINT32_MAX && record->floor <= record->until && fz_used_is_valid(&record->used) &&
           is_used(&record->used, record->floor, record->until) && fingerprint_is_valid(record->fingerprint) &&
           bounds_are_valid(record);
}

/* Everything but the checksum, which is left zero. */
static void encode_fields(const struct fz_grant_record *record, unsigned char slot[FZ_GRANT_SLOT_SIZE])
{
    memset(slot, 0, FZ_GRANT_SLOT_SIZE);
    memcpy(slot, grant_magic, sizeof grant_magic);
    fz_store_le64(slot + AT_VERSION, FZ_GRANT_VERSION);
    fz_store_le64(slot + AT_SEQUENCE, record->sequence);
    fz_store_le64(slot + AT_WORKER, record->worker);
    fz_store_le64(slot + AT_NONCE, record->nonce);
    fz_store_le64(slot + AT_PLACE, record->place);
    fz_store_le64(slot + AT_PID, record->pid);
    fz_store_le64(slot + AT_FLOOR, record->floor);
    fz_store_le64(slot + AT_UNTIL, record->until);
    fz_store_le64(slot + AT_COUNT, record->used.count);
    for (uint64_t i = 0; i < record->used.count; i++) {
        fz_store_le64(slot + AT_RANGES + 16 * i, record->used.range[i].first);
        fz_store_le64(slot + AT_RANGES + 16 * i + 8, record->used.range[i].last);
    }
    memcpy(slot + AT_FINGERPRINT, record->fingerprint, sizeof record->fingerprint);
    fz_store_le64(slot + AT_SEQ_MIN, record->seq_min);
    fz_store_le64(slot + AT_SEQ_MAX, record->seq_max);
}

void fz_grant_record_encode(const struct fz_grant_record *record, unsigned char slot[FZ_GRANT_SLOT_SIZE])
{
    FZ_ASSERT(fz_grant_record_is_valid(record));
    encode_fields(record, slot);
    uint64_t crc = fz_crc32(slot, AT_CHECKSUM);
    fz_store_le64(slot + FZ_GRANT_SLOT_SIZE - 8, crc << 32); /* the four bytes before it are zeros */
}

static void decode_fields(const unsigned char *slot, struct fz_grant_record *ret)
{
    *ret = (struct fz_grant_record){
        .sequence = fz_load_le64(slot + AT_SEQUENCE),
        .worker = fz_load_le64(slot + AT_WORKER),
        .nonce = fz_load_le64(slot + AT_NONCE),
        .place = fz_load_le64(slot + AT_PLACE),
        .pid = fz_load_le64(slot + AT_PID),
        .floor = fz_load_le64(slot + AT_FLOOR),
        .until = fz_load_le64(slot + AT_UNTIL),
        .used.count = fz_load_le64(slot + AT_COUNT),
        .seq_min = fz_load_le64(slot + AT_SEQ_MIN),
        .seq_max = fz_load_le64(slot + AT_SEQ_MAX),
    };
    /* The count has not been checked yet. */
    for (uint64_t i = 0; i < FZ_USED_RANGES && i < ret->used.count; i++) {
        ret->used.range[i].first = fz_load_le64(slot + AT_RANGES + 16 * i);
        ret->used.range[i].last = fz_load_le64(slot + AT_RANGES + 16 * i + 8);
    }
    memcpy(ret->fingerprint, slot + AT_FINGERPRINT, sizeof ret->fingerprint);
}

enum fz_grant_slot fz_grant_record_decode(const unsigned char slot[FZ_GRANT_SLOT_SIZE], struct fz_grant_record *ret,
                                          uint64_t *ret_version)
{
    unsigned char again[FZ_GRANT_SLOT_SIZE];
    struct fz_grant_record record;

    if (memcmp(slot, grant_magic, sizeof grant_magic) != 0 || checksum_in(slot) != fz_crc32(slot, AT_CHECKSUM))
        return FZ_GRANT_SLOT_BAD;
    /* After the checksum: a damaged version number must not send an operator to look for another frazil. */
    uint64_t version = fz_load_le64(slot + AT_VERSION);
    if (version != FZ_GRANT_VERSION) {
        *ret_version = version;
        return FZ_GRANT_SLOT_OTHER_VERSION;
    }
    decode_fields(slot, &record);
    if (!fz_grant_record_is_valid(&record))
        return FZ_GRANT_SLOT_BAD;
    /* A record that we would write otherwise is not ours, whatever its checksum. */
    encode_fields(&record, again);
    if (memcmp(slot, again, AT_CHECKSUM) != 0)
        return FZ_GRANT_SLOT_BAD;
    *ret = record;
    return FZ_GRANT_SLOT_VALID;
}
