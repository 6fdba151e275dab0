/* SPDX-License-Identifier: MIT */
/* Tells other languages how to take ids as fz_take_anchored does, without calling it. */
#include <stddef.h>

#include "core/sized.h"
#include "generator_internal.h"
#include "os/counter.h"

_Static_assert(offsetof(struct fz_anchor, version) == 0 && offsetof(struct fz_anchor, counter) == 8 &&
                   offsetof(struct fz_anchor, range) == 16 && offsetof(struct fz_anchor, first_slot) == 24 &&
                   offsetof(struct fz_anchor, first_id) == 32,
               "the forms of frazil_fast_path say where these stand: another order is another form");
_Static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "programs read atomics as whole numbers");

void frazil_get_fast_path(frazil *gen, frazil_fast_path *ret, size_t size)
{
    frazil_fast_path path = {.form = FRAZIL_FAST_NONE};

    if (gen->fast_path != FZ_FAST_NONE && !fz_is_sno(gen))
        path = (frazil_fast_path){.form = FZ_COUNTER_FORM,
                                  .shift = gen->sequence_shift,
                                  .capacity = gen->capacity,
                                  .word = (uint64_t *)(uintptr_t)gen->word, /* no longer _Atomic */
                                  .anchor = (const uint64_t *)&gen->private_page->anchor};
    fz_give_sized(ret, size, &path, sizeof path);
}
