/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <string.h>

#include "config/coordinators.h"
#include "config/keys.h"
#include "config/quotes.h"
#include "config/worker_sources.h"
#include "core/nearest.h"
#include "core/secret.h"
#include "os/file.h"
#include "os/host.h"
#include "os/waits.h"

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
    for (size_t i = 0, next; i < len; i = next) {
        bool is_secret;
        next = fz_secrets_next(&secrets, i, &is_secret);
        if (!is_secret)
            continue;
        put(ctx, text + shown, i - shown);
        put(ctx, "...", 3);
        shown = next;
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

char *fz_typed_unquoted(const char *text)
{
    return fz_unquoted(text);
}

bool fz_secret_is_kept(int fd)
{
    return fz_file_check_secret(fd) == 0;
}

#define SOURCE_NAME(function, name, argument, verdict, keys, words) " " name argument
#define COORDINATOR_HELP(part, schemes, port, help) help

static const char help_of_sources[] = "In a spec, worker= is one of\n" FZ_WORKER_SOURCES(
    SOURCE_NAME) "\n"
                 "auto for snos of one process alone (others repeat them),\n"
                 "with URL a coordinator's, and [?KEY=VALUE&...] behind it (man frazil.spec):\n" FZ_COORDINATORS(
                     COORDINATOR_HELP) "and hosts that share one worker: state=redis://... or\n"
                                       "  konayuki+redis://HOST[/PREFIX]  konayuki+file:///PATH (one host)";

#undef SOURCE_NAME
#undef COORDINATOR_HELP

const char *fz_sources_help(void)
{
    return help_of_sources;
}

void fz_cli_end_waits(bool end)
{
    fz_waits_end(end);
}
