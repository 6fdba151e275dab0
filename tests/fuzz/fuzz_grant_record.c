/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a slot of a grant file is read exactly or not at all, also one that is damaged and yet has the
 * right checksum.
 */
#include <string.h>

#include "core/crc32.h"
#include "core/word.h"
#include "fuzz.h"
#include "lease/grant_record.h"

static void read_slot(const unsigned char slot[FZ_GRANT_SLOT_SIZE])
{
    struct fz_grant_record record;
    unsigned char own[FZ_GRANT_SLOT_SIZE];
    uint64_t version;

    fuzz_fill(&record, sizeof record);
    fuzz_fill(&version, sizeof version);
    enum fz_grant_slot state = fz_grant_record_decode(slot, &record, &version);
    REQUIRE((state == FZ_GRANT_SLOT_OTHER_VERSION) != fuzz_is_untouched(&version, sizeof version));
    if (state != FZ_GRANT_SLOT_VALID) {
        REQUIRE(fuzz_is_untouched(&record, sizeof record));
        return;
    }
    REQUIRE(fz_grant_record_is_valid(&record));
    fz_grant_record_encode(&record, own);
    REQUIRE(memcmp(own, slot, sizeof own) == 0);
}

/* Bytes that would be believed, were the rest of them right. */
static void seal(unsigned char slot[FZ_GRANT_SLOT_SIZE], uint64_t version)
{
    memcpy(slot, "fzgrant", 8);
    fz_store_le64(slot + 8, version);
    memset(slot + FZ_GRANT_SLOT_SIZE - 8, 0, 8);
    fz_store_le64(slot + FZ_GRANT_SLOT_SIZE - 8, (uint64_t)fz_crc32(slot, FZ_GRANT_SLOT_SIZE - 4) << 32);
}

/* Every record can be written and read: numbers are taken as they come, and all grants are noted as used. */
static void write_record(const uint8_t *data, size_t size)
{
    struct fz_grant_record record = {.fingerprint = "sno"};
    struct fz_grant_record again;
    unsigned char slot[FZ_GRANT_SLOT_SIZE];
    uint64_t version;

    for (size_t at = 0; at + 16 <= size; at += 16) {
        uint64_t first = fz_load_le64(data + at);
        uint64_t last = fz_load_le64(data + at + 8);
        record.sequence = record.nonce ^ first;
        record.nonce = record.pid ^ last;
        record.pid += first + last;
        record.worker = first & UINT32_MAX;
        record.floor = first < last ? first : last;
        record.until = first < last ? last : first;
        fz_used_add(&record.used, record.floor, record.until);
        record.seq_min = record.floor & UINT16_MAX;
        record.seq_max = UINT16_MAX + (last & UINT16_MAX);
    }
    if (!fz_grant_record_is_valid(&record))
        return; /* no grant at all */
    fz_grant_record_encode(&record, slot);
    REQUIRE(fz_grant_record_decode(slot, &again, &version) == FZ_GRANT_SLOT_VALID);
    REQUIRE(again.sequence == record.sequence && again.floor == record.floor && again.until == record.until);
    REQUIRE(again.nonce == record.nonce && again.pid == record.pid);
    REQUIRE(memcmp(again.fingerprint, record.fingerprint, sizeof again.fingerprint) == 0);
    REQUIRE(again.seq_min == record.seq_min && again.seq_max == record.seq_max);
    REQUIRE(again.used.count == record.used.count);
    REQUIRE(memcmp(again.used.range, record.used.range, record.used.count * sizeof record.used.range[0]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char slot[FZ_GRANT_SLOT_SIZE] = {0};

    if (size > 0)
        memcpy(slot, data, size < sizeof slot ? size : sizeof slot);
    read_slot(slot);
    for (uint64_t version = 0; version <= FZ_GRANT_VERSION + 1; version++) {
        seal(slot, version);
        read_slot(slot);
    }
    if (size > 0)
        write_record(data, size);
    return 0;
}
