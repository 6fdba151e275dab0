/* SPDX-License-Identifier: MIT */
#include "typed.h"

#include <string.h>

#include "core/nearest.h"
#include "core/secret.h"
#include "os/host.h"
#include "spec/keys.h"

void fz_typed_show(char *buf, size_t size, const char *text, size_t len)
{
    struct fz_sentence s = fz_sentence_in(buf, size);

    fz_sentence_typed(&s, text, len);
}

/* Whether any rule of secret.h could find something: in nearly no id, and ids come by the million. */
static bool may_hold_secret(const char *text, size_t len)
{
    for (const char *mark = "@%:="; *mark != '\0'; mark++) {
        if (memchr(text, *mark, len) != NULL)
            return true;
    }
    return false;
}

void fz_typed_show_parts(const char *text, size_t len, void (*put)(void *ctx, const char *part, size_t len), void *ctx)
{
    size_t shown = 0; /* the part that may be shown begins here */

    if (!may_hold_secret(text, len)) {
        put(ctx, text, len);
        return;
    }
    struct fz_secrets secrets = fz_secrets_of(text, len);
    for (size_t i = 0; i < len;) {
        size_t end = fz_secrets_skip(&secrets, i);
        if (end == i) {
            i++;
            continue;
        }
        put(ctx, text + shown, i - shown);
        put(ctx, "...", 3);
        shown = i = end;
    }
    put(ctx, text + shown, len - shown);
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
