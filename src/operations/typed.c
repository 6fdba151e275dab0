/* SPDX-License-Identifier: MIT */
#include "typed.h"

#include <string.h>

#include "core/nearest.h"
#include "os/host.h"
#include "spec/keys.h"

void fz_typed_show(char *buf, size_t size, const char *text, size_t len)
{
    struct fz_sentence s = fz_sentence_in(buf, size);

    fz_sentence_typed(&s, text, len);
}

const char *fz_typed_nearest(const char *text, const char *const *words)
{
    struct fz_nearest near = fz_nearest_to(text, strlen(text));

    for (; *words != NULL; words++)
        fz_nearest_offer(&near, *words);
    return near.word;
}

bool fz_typed_is_key(const char *name, size_t len)
{
    return fz_key_named(name, len) != FZ_KEYS_TOTAL;
}

const char *fz_typed_variable(const char *name)
{
    return fz_environment(name);
}

void fz_typed_find_slips(void (*visit)(void *ctx, const char *name, const char *meant), void *ctx)
{
    fz_key_find_slips(visit, ctx);
}
