/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_REDIS
#include "lib/slots_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "lib/test.h"
#include "os/clock.h"

struct redis_rig slots_rig;
bool slots_next_random_start;
uint64_t slots_next_seq_min;

static uint64_t random_state = 1;

static uint64_t next_random(void *ctx)
{
    uint64_t *state = ctx;

    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static const frazil_layout *layout(void)
{
    static frazil_layout konayuki;

    if (konayuki.tick_ms == 0)
        assert_int_equal(frazil_layout_parse("konayuki", strlen("konayuki"), &konayuki, NULL), FRAZIL_OK);
    return &konayuki;
}

static frazil_err open_url(struct slot_taker *taker, const char *url, uint64_t capacity, int64_t max_lead_ms,
                           int64_t max_skew_ms)
{
    static frazil_random random = {.size = sizeof(frazil_random), .ctx = &random_state, .next = next_random};
    const struct fz_slots_request request = {
        .url = url,
        .layout = layout(),
        .random = &random,
        .worker = 7,
        .bounds = {.min = slots_next_seq_min, .max = slots_next_seq_min + capacity - 1, .top = UINT64_MAX},
        .random_start = slots_next_random_start,
        .max_lead_ms = max_lead_ms,
        .max_skew_ms = max_skew_ms};

    memset(taker, 0, sizeof *taker);
    return frazil_coordinator_redis()->open_slots(frazil_coordinator_redis(), &request, &taker->source, &taker->err);
}

/* The URL with the port in the place of its %u. */
static struct slot_taker open_at(const char *url, unsigned port, uint64_t capacity, int64_t max_lead_ms,
                                 int64_t max_skew_ms)
{
    const char *place = strstr(url, "%u");
    struct slot_taker taker;
    char whole[256];

    assert_non_null(place);
    snprintf(whole, sizeof whole, "%.*s%u%s", (int)(place - url), url, port, place + 2);
    if (open_url(&taker, whole, capacity, max_lead_ms, max_skew_ms) != FRAZIL_OK)
        fail_msg("%s", taker.err.message);
    return taker;
}

struct slot_taker slots_open(const char *url, uint64_t capacity, int64_t max_lead_ms, int64_t max_skew_ms)
{
    return open_at(url, slots_rig.server.port, capacity, max_lead_ms, max_skew_ms);
}

struct slot_taker slots_open_through(const char *url, uint64_t capacity, int64_t max_lead_ms, int64_t max_skew_ms)
{
    return open_at(url, slots_rig.proxy->port, capacity, max_lead_ms, max_skew_ms);
}

void slots_close(struct slot_taker *taker)
{
    taker->source.close(taker->source.ctx);
}

void slots_assert_refused(const char *url, int64_t max_lead_ms, int64_t max_skew_ms, frazil_err code, const char *words)
{
    struct slot_taker taker;

    assert_int_equal(open_url(&taker, url, 16, max_lead_ms, max_skew_ms), code);
    slots_assert_said(&taker, words);
    assert_null(taker.source.ctx);
}

uint64_t slots_now_tick(void)
{
    uint64_t tick;

    assert_int_equal(fz_layout_tick_of(layout(), fz_real_now().unix_ms, &tick, NULL), FRAZIL_OK);
    return tick;
}

frazil_err slots_take(struct slot_taker *taker, uint64_t now_tick, uint64_t n)
{
    memset(&taker->err, 0, sizeof taker->err);
    return taker->source.take(taker->source.ctx, FZ_DEADLINE_NONE, now_tick, n, &taker->run, &taker->err);
}

void slots_must_take(struct slot_taker *taker, uint64_t now_tick, uint64_t n)
{
    if (slots_take(taker, now_tick, n) != FRAZIL_OK)
        fail_msg("%s", taker->err.message);
}

void slots_assert_said(const struct slot_taker *taker, const char *words)
{
    if (strstr(taker->err.message, words) == NULL)
        fail_msg("%s; wanted: %s", taker->err.message, words);
}

const char *slots_life(void)
{
    static char life[128];

    snprintf(life, sizeof life, "%s",
             slots_ask("EVAL \"return redis.call('INFO', 'server'):match('run_id:(%%x+)') .. ':' .. "
                       "redis.call('INFO', 'replication'):match('master_replid:(%%x+)')\" 0"));
    return life;
}

#endif
