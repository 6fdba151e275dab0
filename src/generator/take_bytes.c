/* SPDX-License-Identifier: MIT */
/* Ids of either kind as bytes, for callers that do not care which it is. */
#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "core/word.h"
#include "generator_internal.h"
#include "take.h"

enum { FEW_IDS = 64 };

size_t frazil_id_size(const frazil *gen)
{
    return fz_is_sno(gen) ? sizeof(frazil_sno) : sizeof(uint64_t);
}

/* They are taken into an array of their kind first: all of them or none, as all calls do. */
static frazil_err take_as_bytes(frazil *gen, uint8_t meta, unsigned char *to, size_t stride, size_t n, uint64_t wait_ns,
                                void *ids, struct fz_refusal *refusal)
{
    frazil_sno *snos = ids;
    uint64_t *numbers = ids;
    bool is_sno = fz_is_sno(gen);

    frazil_err err =
        is_sno ? fz_take_snos(gen, meta, snos, n, wait_ns, refusal) : fz_take_ids(gen, numbers, n, wait_ns, refusal);
    for (size_t i = 0; err == FRAZIL_OK && i < n; i++) {
        if (is_sno)
            memcpy(to + i * stride, snos[i].bytes, sizeof snos[i].bytes);
        else
            fz_store_be64(to + i * stride, numbers[i]);
    }
    return err;
}

frazil_err frazil_take_bytes(frazil *gen, uint8_t meta, void *buf, size_t stride, size_t n, uint64_t wait_ns,
                             frazil_error *reterr)
{
    union {
        uint64_t numbers[FEW_IDS];
        frazil_sno snos[FEW_IDS];
    } few;
    struct fz_refusal refusal;
    size_t size = frazil_id_size(gen);

    if (stride < size)
        return fz_fail(reterr, FRAZIL_EINVAL, "the stride is %u, and each id has %u bytes", (uint64_t)stride,
                       (uint64_t)size);
    if (meta != 0 && !fz_is_sno(gen))
        return fz_fail(reterr, FRAZIL_EINVAL, "the metabyte is %u, and only snos have one: it must be 0",
                       (uint64_t)meta);
    if (n == 0)
        return FRAZIL_OK;
    void *ids = n <= FEW_IDS ? &few : n > SIZE_MAX / size ? NULL : malloc(n * size);
    if (ids == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    frazil_err err = take_as_bytes(gen, meta, buf, stride, n, wait_ns, ids, &refusal);
    if (ids != (void *)&few)
        free(ids);
    return err == FRAZIL_OK ? err : fz_explain_wait(gen, &refusal, wait_ns, reterr);
}
