/* SPDX-License-Identifier: MIT */
#include "row_index.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

bool row_index_open(struct row_index *index, size_t count)
{
    size_t size = 2;

    while (size < 2 * count) /* at most half of the slots are taken: a look meets two of them on average */
        size *= 2;
    *index = (struct row_index){.slots = calloc(size, sizeof *index->slots), .mask = size - 1};
    return index->slots != NULL && gnutls_rnd(GNUTLS_RND_RANDOM, index->key, sizeof index->key) == 0;
}

void row_index_close(struct row_index *index)
{
    free(index->slots);
    explicit_bzero(index, sizeof *index);
}

/* Where a text has its place, or would have it.  False: no memory. */
static bool place_of(const struct row_index *index, const void *text, size_t len, size_t *ret)
{
    unsigned char hash[32];

    if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, index->key, sizeof index->key, text, len, hash) != 0)
        return false;
    memcpy(ret, hash, sizeof *ret);
    *ret &= index->mask;
    return true;
}

size_t row_index_find(const struct row_index *index, const void *text, size_t len,
                      bool (*is_it)(size_t row, const void *ctx), const void *ctx)
{
    size_t at;

    if (index->slots == NULL || !place_of(index, text, len, &at))
        return NO_ROW;
    for (; index->slots[at] != 0; at = (at + 1) & index->mask) {
        if (is_it(index->slots[at] - 1, ctx))
            return index->slots[at] - 1;
    }
    return NO_ROW;
}

bool row_index_add(struct row_index *index, const void *text, size_t len, size_t row)
{
    size_t at;

    if (!place_of(index, text, len, &at))
        return false;
    while (index->slots[at] != 0)
        at = (at + 1) & index->mask;
    index->slots[at] = (uint32_t)row + 1;
    return true;
}
