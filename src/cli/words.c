/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <string.h>

#include "config/coordinators.h"
#include "config/keys.h"
#include "config/worker_sources.h"
#include "frazil/layout.h"

/* Up to the first space: of the schemes of a coordinator the usual one. */
static void put_scheme(const char *schemes, fz_typed_word *put, void *ctx)
{
    put(ctx, schemes, strcspn(schemes, " "), "://");
}

static void put_word(const char *word, const char *behind, fz_typed_word *put, void *ctx)
{
    put(ctx, word, strlen(word), behind);
}

static void put_layouts(fz_typed_word *put, void *ctx)
{
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++)
        put_word(frazil_layout_preset(i)->name, "", put, ctx);
}

static void put_workers(fz_typed_word *put, void *ctx)
{
#define SOURCE_WORD(function, name, argument, verdict, keys, words)                                                    \
    if (name[0] != '\0')                                                                                               \
        put_word(name, argument[0] == ':' ? ":" : "", put, ctx);
    FZ_WORKER_SOURCES(SOURCE_WORD)
#undef SOURCE_WORD
#define COORDINATOR_WORD(part, schemes, port, help) put_scheme(schemes, put, ctx);
    FZ_COORDINATORS(COORDINATOR_WORD)
#undef COORDINATOR_WORD
}

static void put_clocks(fz_typed_word *put, void *ctx)
{
    put_word("real", "", put, ctx);
    put_word("frozen", ":", put, ctx);
}

void fz_typed_keys(fz_typed_word *put, void *ctx)
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++)
        put_word(fz_key_name((enum fz_key)key), "=", put, ctx);
}

void fz_typed_values(const char *key, size_t len, fz_typed_word *put, void *ctx)
{
    enum fz_key of = fz_key_named(key, len);
    const char *word;

    if (of == FZ_KEY_LAYOUT)
        put_layouts(put, ctx);
    else if (of == FZ_KEY_WORKER)
        put_workers(put, ctx);
    else if (of == FZ_KEY_CLOCK)
        put_clocks(put, ctx);
    for (size_t i = 0; (word = fz_key_word(of, i)) != NULL; i++)
        put_word(word, "", put, ctx);
}
