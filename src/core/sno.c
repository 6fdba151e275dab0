/* SPDX-License-Identifier: MIT */
#include "frazil/sno.h"

#include <string.h>

#include "sentence.h"
#include "sized.h"
#include "sno_internal.h"
#include "word.h"

/* The first eight bytes as one word: 39 bits time, 1 tick-tock, 8 meta, 16 partition. */
#define TIME_SHIFT 25
#define TICKTOCK_SHIFT 24
#define META_SHIFT 16

/* ---- fields ---- */

/* The word of the first eight bytes and the sequence that follows it. */
static frazil_sno sno_of(uint64_t word, uint16_t sequence)
{
    frazil_sno id = {{0}};

    fz_store_be64(id.bytes, word);
    fz_store_be16(id.bytes + 8, sequence);
    return id;
}

/* The 4 ms unit that an instant lies in. */
static frazil_err unit_of(int64_t unix_ms, uint64_t *ret_unit, frazil_error *reterr)
{
    if (unix_ms < FZ_SNO_EPOCH_MS || unix_ms > FZ_SNO_LAST_MS)
        return fz_fail(reterr, FRAZIL_ERANGE, "%t is outside the range of a sno, %t to %t", unix_ms, FZ_SNO_EPOCH_MS,
                       FZ_SNO_LAST_MS);
    *ret_unit = (uint64_t)(unix_ms - FZ_SNO_EPOCH_MS) / FZ_SNO_UNIT_MS;
    return FRAZIL_OK;
}

frazil_err frazil_sno_compose(const frazil_sno_fields *fields, frazil_sno *ret, frazil_error *reterr)
{
    uint64_t unit = 0;

    if (!fz_is_zeroed(fields->reserved, sizeof fields->reserved))
        return fz_fail(reterr, FRAZIL_EINVAL, "the reserved bytes of the sno's fields are not all 0");
    if (fields->ticktock > 1)
        return fz_fail(reterr, FRAZIL_ERANGE, "tick-tock is %u; it is one bit, 0 or 1", (uint64_t)fields->ticktock);
    frazil_err err = unit_of(fields->unix_ms, &unit, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret = sno_of(unit << TIME_SHIFT | (uint64_t)fields->ticktock << TICKTOCK_SHIFT |
                      (uint64_t)fields->meta << META_SHIFT | fields->partition,
                  fields->sequence);
    return FRAZIL_OK;
}

void frazil_sno_decompose(const frazil_sno *id, frazil_sno_fields *ret)
{
    uint64_t word = fz_load_be64(id->bytes);

    *ret = (frazil_sno_fields){
        .unix_ms = FZ_SNO_EPOCH_MS + (int64_t)(word >> TIME_SHIFT) * FZ_SNO_UNIT_MS,
        .ticktock = word >> TICKTOCK_SHIFT & 1,
        .meta = (uint8_t)(word >> META_SHIFT & 0xff),
        .partition = (uint16_t)(word & 0xffff),
        .sequence = fz_load_be16(id->bytes + 8),
    };
}

frazil_err frazil_sno_range(int64_t from_unix_ms, int64_t to_unix_ms, frazil_sno *ret_first, frazil_sno *ret_last,
                            frazil_error *reterr)
{
    uint64_t first = 0;
    uint64_t last = 0;

    if (from_unix_ms > to_unix_ms)
        return fz_fail(reterr, FRAZIL_EINVAL, "the range begins at %t, after its end %t", from_unix_ms, to_unix_ms);
    frazil_err err = unit_of(from_unix_ms, &first, reterr);
    if (err == FRAZIL_OK)
        err = unit_of(to_unix_ms, &last, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret_first = sno_of(first << TIME_SHIFT, 0);
    *ret_last = sno_of(last << TIME_SHIFT | ((UINT64_C(1) << TIME_SHIFT) - 1), UINT16_MAX);
    return FRAZIL_OK;
}
