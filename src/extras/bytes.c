/* SPDX-License-Identifier: MIT */
#include "core/sentence.h"
#include "core/word.h"
#include "frazil/extras.h"

void frazil_bytes_write(uint64_t id, uint8_t ret_bytes[FRAZIL_BYTES_SIZE])
{
    fz_store_be64(ret_bytes, id);
}

frazil_err frazil_bytes_read(const void *bytes, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    if (len != FRAZIL_BYTES_SIZE)
        return fz_fail(reterr, FRAZIL_EPARSE, "an id has %u bytes, not %u", (uint64_t)FRAZIL_BYTES_SIZE, (uint64_t)len);
    *ret_id = fz_load_be64(bytes);
    return FRAZIL_OK;
}
