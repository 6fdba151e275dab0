/* SPDX-License-Identifier: MIT */
#include "trouble.h"

#include "clock.h"

#include <inttypes.h>
#include <stdio.h>

#define AHEAD_US UINT64_C(1000000) /* a shorter wait is no trouble */

/* When ids can follow: the library says so to a caller that asks for one, and it has none to give now. */
static uint64_t ask_when(const struct engine *engine)
{
    frazil_error err = {.retry_ns = 0};
    frazil_info info;
    frazil_sno sno;
    uint64_t id;

    frazil_get_info(engine->gen, &info, sizeof info);
    if (info.state == FRAZIL_STATE_SLOTS) /* a coordinator would be asked */
        return 0;
    frazil_err code =
        engine->is_sno ? frazil_sno_take(engine->gen, 0, &sno, 1, 0, &err) : frazil_take(engine->gen, &id, 1, 0, &err);
    return code == FRAZIL_OK ? 0 : err.retry_ns;
}

/* A generator that serves gives no ids as long as its last one is max_lead ahead of the clock. */
static void look_ahead(const struct engine *engine, struct trouble *ret)
{
    frazil_info info;
    frazil_stat stats[FRAZIL_STATS_MOST];

    frazil_get_info(engine->gen, &info, sizeof info);
    (void)frazil_get_stats(engine->gen, stats, FRAZIL_STATS_MOST);
    uint64_t lead_us = stats[FRAZIL_STAT_LEAD_US].value;
    if (info.available > 0 || lead_us < AHEAD_US || lead_us <= 1000 * (uint64_t)info.layout->tick_ms)
        return; /* a full tick is no trouble, however long it is */
    ret->retry_ns = ask_when(engine);
    (void)snprintf(ret->why, sizeof ret->why, "its last id is %" PRIu64 " ms ahead of its clock: max_lead is used up",
                   lead_us / 1000);
}

/* Why the last try failed.  A grant that still stands has FRAZIL_EAGAIN for whatever prevents its extension, whose
 * words would say that ids are missing. */
static const char *failure_of(const frazil_health *health)
{
    return health->last_code == FRAZIL_EAGAIN ? "its grant could not be extended"
                                              : frazil_strerror((frazil_err)health->last_code);
}

void trouble_find(const struct engine *engine, struct trouble *ret)
{
    frazil_error failure = {.retry_ns = 0};
    const char *what = "";
    frazil_health health;

    *ret = (struct trouble){.retry_ns = 0};
    engine_health(engine, &health, &failure);
    switch (health.state) {
    case FRAZIL_HEALTH_SERVING:
        look_ahead(engine, ret);
        return;
    case FRAZIL_HEALTH_BEHIND:
        ret->retry_ns = ask_when(engine);
        what = "its clock is before the times that it may use: those after its last id, of its grant and of its layout";
        break;
    case FRAZIL_HEALTH_NEEDS_GRANT:
    case FRAZIL_HEALTH_FENCED:
        ret->retry_ns = failure.retry_ns;
        what = health.failures > 0          ? failure_of(&health)
               : is_kept_elsewhere(&health) ? "the process that is to extend its grant (keeper=other) has not done so"
                                            : "its grant is being extended";
        break;
    case FRAZIL_HEALTH_EXHAUSTED:
        what = "the last tick of its layout is over or used up";
        break;
    default:
        return;
    }
    (void)snprintf(ret->why, sizeof ret->why, "%s", what);
}

int64_t trouble_end_unix_ms(const struct trouble *trouble)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / NS_PER_MS;
    return (int64_t)(now_ms + trouble->retry_ns / NS_PER_MS);
}
