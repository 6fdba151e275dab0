/* SPDX-License-Identifier: MIT */
#include "stored.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "lease/register.h"
#include "plan.h"
#include "world.h"

/* The number behind these characters; 0: they are not there. */
static uint64_t number_behind(const char *key, const char *data, size_t len)
{
    char text[FZ_RECORD_SIZE_MAX + 1] = "";

    memcpy(text, data, len);
    const char *at = strstr(text, key);
    return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 10);
}

uint64_t stored_until(const char *data, size_t len)
{
    return number_behind(" until=", data, len);
}

bool stored_gives_back(const char *text)
{
    return strstr(text, " released=yes") != NULL;
}

bool stored_is_far_ahead(const struct fz_record *space, uint64_t until, int64_t now_ns)
{
    uint64_t horizon_ms = number_behind(" horizon=", space->data, space->len);
    uint64_t max_skew_ms = number_behind(" max_skew=", space->data, space->len);
    int64_t until_ms = plan.promises.epoch_unix_ms + (int64_t)(until * plan.promises.tick_ms) - TRUE_UNIX_MS;

    return until_ms > now_ns / (int64_t)MS + (int64_t)(horizon_ms + 2 * max_skew_ms);
}
