/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_REDIS
#include "lib/sfid_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "lib/near_miss.h"
#include "lib/test.h"
#include "os/clock.h"

struct redis_rig sfid_rig;

/* ---- the frazils --------------------------------------------------------------- */

frazil_layout sfid_layout_of(const char *text)
{
    frazil_layout layout;

    assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, NULL), FRAZIL_OK);
    return layout;
}

const frazil_layout *sfid_layout(void)
{
    static frazil_layout sfid;

    if (sfid.tick_ms == 0)
        sfid = sfid_layout_of("sfid");
    return &sfid;
}

struct fz_lease_request sfid_request(struct taker *taker, uint32_t base, uint32_t count)
{
    static char url[128];
    static uint64_t seeds;

    memset(taker, 0, sizeof *taker);
    snprintf(url, sizeof url, SFID_APP, (unsigned)sfid_rig.server.port, "10s");
    taker->seed = ++seeds * 1000003;
    taker->random = (frazil_random){.size = sizeof(frazil_random), .ctx = &taker->seed, .next = seeded_next};
    return (struct fz_lease_request){.url = url,
                                     .owner = "web-3:411",
                                     .layout = sfid_layout(),
                                     .random = &taker->random,
                                     .base = base,
                                     .count = count,
                                     .max_skew_ms = SFID_SKEW_MS};
}

void sfid_open_taker(struct taker *taker, const struct fz_lease_request *request)
{
    taker->layout = *request->layout;
    if (frazil_coordinator_redis()->open_granter(frazil_coordinator_redis(), request, &taker->granter, &taker->err) !=
        FRAZIL_OK)
        fail_msg("%s", taker->err.message);
}

void sfid_open_plain(struct taker *taker, uint32_t base, uint32_t count)
{
    const struct fz_lease_request request = sfid_request(taker, base, count);

    sfid_open_taker(taker, &request);
}

void sfid_open_through(struct taker *taker, uint32_t base, uint32_t count)
{
    struct fz_lease_request request = sfid_request(taker, base, count);
    char url[128];

    snprintf(url, sizeof url, SFID_APP, (unsigned)sfid_rig.proxy->port, "1s");
    request.url = url;
    sfid_open_taker(taker, &request);
}

void sfid_close_taker(struct taker *taker)
{
    taker->granter.close(taker->granter.ctx);
}

static uint64_t tick_in(const frazil_layout *layout, int64_t unix_ms)
{
    uint64_t tick;

    assert_int_equal(fz_layout_tick_of(layout, unix_ms, &tick, NULL), FRAZIL_OK);
    return tick;
}

uint64_t sfid_tick_of(int64_t unix_ms)
{
    return tick_in(sfid_layout(), unix_ms);
}

uint64_t sfid_now_tick(void)
{
    return sfid_tick_of(fz_real_now().unix_ms);
}

frazil_err sfid_acquire(struct taker *taker)
{
    memset(&taker->err, 0, sizeof taker->err);
    return taker->granter.acquire(taker->granter.ctx, FZ_DEADLINE_NONE, tick_in(&taker->layout, fz_real_now().unix_ms),
                                  &taker->held, &taker->err);
}

frazil_err sfid_extend_at(struct taker *taker, uint64_t tick)
{
    memset(&taker->err, 0, sizeof taker->err);
    return taker->granter.extend(taker->granter.ctx, FZ_DEADLINE_NONE, tick, &taker->held, &taker->held, &taker->err);
}

frazil_err sfid_extend(struct taker *taker)
{
    return sfid_extend_at(taker, sfid_now_tick());
}

void sfid_release(struct taker *taker, uint64_t used_tick)
{
    taker->granter.release(taker->granter.ctx, FZ_DEADLINE_NONE, &taker->held, used_tick);
}

void sfid_must(frazil_err err, const struct taker *taker)
{
    if (err != FRAZIL_OK)
        fail_msg("%s: %s", frazil_err_name(err), taker->err.message);
}

void sfid_assert_said(const struct taker *taker, const char *words)
{
    if (strstr(taker->err.message, words) == NULL)
        fail_msg("%s; wanted: %s", taker->err.message, words);
}

/* ---- sfid ------------------------------------------------------------------------ */

const char *sfid_key(unsigned pid)
{
    static char keys[4][32];
    static unsigned n;
    char *buf = keys[n++ % 4];

    snprintf(buf, sizeof keys[0], "\"sfid:shop:\\x%02x\\x%02x\"", pid & 0xff, pid >> 8);
    return buf;
}

bool sfid_takes(unsigned pid, const char *owner)
{
    return strcmp(sfid_ask("SET %s %s NX EX 600", sfid_key(pid), owner), "OK") == 0;
}

bool sfid_exists(unsigned pid)
{
    return strcmp(sfid_ask("EXISTS %s", sfid_key(pid)), "1") == 0;
}

long sfid_pttl(unsigned pid)
{
    return strtol(sfid_ask("PTTL %s", sfid_key(pid)), NULL, 10);
}

void sfid_assert_value(unsigned pid, const char *value)
{
    assert_string_equal(sfid_ask("GET %s", sfid_key(pid)), value);
}

#endif
