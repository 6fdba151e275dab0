/* SPDX-License-Identifier: MIT */
#include "port_granter.h"

#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "core/sized.h"

struct port {
    frazil_granter granter;
    frazil_layout layout;
};

/* ---- times and ticks ------------------------------------------------------- */

/* Milliseconds from the epoch to an instant that is not before it. */
static uint64_t since_epoch(const frazil_layout *layout, int64_t unix_ms)
{
    return (uint64_t)unix_ms - (uint64_t)layout->epoch_unix_ms;
}

/* The first tick that begins at unix_ms or later. */
static uint64_t first_tick(const frazil_layout *layout, int64_t unix_ms)
{
    if (unix_ms <= layout->epoch_unix_ms)
        return 0;
    uint64_t ms = since_epoch(layout, unix_ms);
    return ms / layout->tick_ms + (ms % layout->tick_ms != 0);
}

/* How many ticks end at unix_ms or earlier; ticks beyond the layout's life do not count. */
static uint64_t ticks_before(const frazil_layout *layout, int64_t unix_ms)
{
    if (unix_ms <= layout->epoch_unix_ms)
        return 0;
    uint64_t ticks = since_epoch(layout, unix_ms) / layout->tick_ms;
    uint64_t all = fz_layout_last_tick(layout) + 1;
    return ticks < all ? ticks : all;
}

/* The instant at which a tick ends; the last one of a layout can end beyond what an instant can say. */
static int64_t end_of(const frazil_layout *layout, uint64_t tick)
{
    int64_t start_ms = fz_layout_tick_unix_ms(layout, tick);

    return start_ms > INT64_MAX - (int64_t)layout->tick_ms ? INT64_MAX : start_ms + (int64_t)layout->tick_ms;
}

static int64_t now_of(const struct port *port, uint64_t now_tick)
{
    uint64_t last = fz_layout_last_tick(&port->layout);

    return fz_layout_tick_unix_ms(&port->layout, now_tick < last ? now_tick : last);
}

static frazil_grant to_public(const struct port *port, const struct fz_grant *grant)
{
    /* A grant that is about to be left behind can begin just above its own end. */
    uint64_t last = fz_layout_last_tick(&port->layout);
    uint64_t floor = grant->floor < last ? grant->floor : last;

    return (frazil_grant){.worker = grant->worker,
                          .from_unix_ms = fz_layout_tick_unix_ms(&port->layout, floor),
                          .end_unix_ms = end_of(&port->layout, grant->until < last ? grant->until : last),
                          .token = grant->version};
}

/* ---- the program's answers --------------------------------------------------- */

/* Its error as ours: one that there is not is its mistake, and one without a sentence gets the table's. */
static frazil_err granter_refused(frazil_err err, const frazil_error *said, frazil_error *reterr)
{
    if (strcmp(frazil_err_name(err), "FRAZIL_?") == 0)
        return fz_fail(reterr, FRAZIL_EWORKER, "the program's granter returned %d, which is not an error of frazil",
                       (int64_t)err);
    if (said->message[0] == '\0')
        fz_fail(reterr, err, "the program's granter reports: %s", frazil_strerror(err));
    else
        fz_fail(reterr, err, "the program's granter reports: %s", said->message);
    if (reterr != NULL) {
        reterr->sys_errno = said->sys_errno;
        reterr->retry_ns = said->retry_ns;
    }
    return err;
}

static frazil_err read_grant(const struct port *port, const frazil_grant *given, uint64_t now_tick,
                             struct fz_grant *ret, frazil_error *reterr)
{
    const frazil_layout *layout = &port->layout;
    uint64_t floor = first_tick(layout, given->from_unix_ms);
    uint64_t end = ticks_before(layout, given->end_unix_ms);

    if (given->worker > fz_layout_max_worker(layout))
        return fz_fail(reterr, FRAZIL_EWORKER, "the program's granter gave worker id %u: must be from 0 to %u",
                       (uint64_t)given->worker, fz_layout_max_worker(layout));
    if (given->token == 0)
        return fz_fail(reterr, FRAZIL_EWORKER, "the program's granter gave a grant with token 0: must not be 0");
    if (!fz_is_zeroed(given->reserved, sizeof given->reserved))
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "the program's granter gave a grant whose reserved members are not all 0");
    if (floor >= end || end <= now_tick)
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "the program's granter gave a grant from %t to %t: it must hold a whole tick and end later than "
                       "now, %t",
                       given->from_unix_ms, given->end_unix_ms, now_of(port, now_tick));
    *ret = (struct fz_grant){.worker = given->worker, .floor = floor, .until = end - 1, .version = given->token};
    return FRAZIL_OK;
}

/* ---- the granter --------------------------------------------------------------- */

static frazil_err port_acquire(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                               frazil_error *reterr)
{
    const struct port *port = ctx;
    frazil_error said = {.message = ""};
    frazil_grant given = {.worker = 0};

    (void)deadline; /* the program bounds its own functions */
    frazil_err err = port->granter.acquire(port->granter.ctx, now_of(port, now_tick), &given, &said);
    return err == FRAZIL_OK ? read_grant(port, &given, now_tick, ret, reterr) : granter_refused(err, &said, reterr);
}

static frazil_err port_extend(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                              struct fz_grant *ret, frazil_error *reterr)
{
    const struct port *port = ctx;
    const frazil_grant shown = to_public(port, held);
    frazil_error said = {.message = ""};
    frazil_grant given = shown;
    struct fz_grant grant;

    (void)deadline;
    frazil_err err = port->granter.extend(port->granter.ctx, now_of(port, now_tick), &shown, &given, &said);
    if (err != FRAZIL_OK)
        return granter_refused(err, &said, reterr);
    err = read_grant(port, &given, now_tick, &grant, reterr);
    if (err != FRAZIL_OK)
        return err;
    bool continues = given.worker == shown.worker && given.from_unix_ms == shown.from_unix_ms;
    if (continues)
        grant.floor = held->floor;
    if (continues ? grant.until < held->until : grant.worker == held->worker && grant.floor <= held->until)
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "the program's granter gave worker id %u from %t to %t, and it is held until %t: continue that "
                       "grant, or begin after it",
                       (uint64_t)given.worker, given.from_unix_ms, given.end_unix_ms, shown.end_unix_ms);
    *ret = grant;
    return FRAZIL_OK;
}

static frazil_err port_release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    const struct port *port = ctx;
    const frazil_grant shown = to_public(port, held);

    (void)deadline;
    if (port->granter.release == NULL)
        return FRAZIL_OK;
    /* Nothing was used: the next grant may begin where this one did. */
    int64_t used_end_ms = used_tick < held->floor ? shown.from_unix_ms : end_of(&port->layout, used_tick);
    port->granter.release(port->granter.ctx, &shown, used_end_ms);
    return FRAZIL_OK; /* a program's own function says nothing */
}

static void port_after_fork(void *ctx)
{
    const struct port *port = ctx;

    if (port->granter.after_fork != NULL)
        port->granter.after_fork(port->granter.ctx);
}

static void port_close(void *ctx)
{
    free(ctx); /* the program owns its own ctx */
}

frazil_err fz_port_granter_open(struct fz_granter *ret, const frazil_granter *port, const frazil_layout *layout,
                                frazil_error *reterr)
{
    struct port *copy = malloc(sizeof *copy);
    if (copy == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    *copy = (struct port){.granter = *port, .layout = *layout};
    *ret = (struct fz_granter){.ctx = copy,
                               .acquire = port_acquire,
                               .extend = port_extend,
                               .release = port_release,
                               .close = port_close,
                               .after_fork = port_after_fork};
    return FRAZIL_OK;
}
