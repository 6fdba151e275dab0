/* SPDX-License-Identifier: MIT */
/* Grant files as operators see them: what they say, and the way out of a damaged one. */
#include "core/sentence.h"
#include "grant_file.h"
#include "grant_file_internal.h"

frazil_err fz_grant_file_inspect(const struct fz_file_port *port, struct fz_deadline deadline, bool *ret_exists,
                                 struct fz_grant_record *ret, frazil_error *reterr)
{
    frazil_err err = port->enter(port->ctx, deadline, reterr);

    if (err != FRAZIL_OK)
        return err;
    err = fz_grant_file_load(port, ret_exists, ret, reterr);
    port->leave(port->ctx);
    return err;
}

/* The record, if it can still be read and is of this layout and worker; else a blank one. */
static frazil_err salvage(const struct fz_grant_file *file, struct fz_grant_record *ret, frazil_error *reterr)
{
    bool exists = false;

    frazil_err err = fz_grant_file_load_own(file, &exists, ret, reterr);
    /* A damaged file says nothing that one may rely on.  The ticks that it can have granted are marked as used below.
     */
    if (err == FRAZIL_ESTATE || (err == FRAZIL_OK && !exists))
        *ret = fz_grant_file_blank(&file->owner);
    return err == FRAZIL_ESTATE ? FRAZIL_OK : err;
}

/* A neighbour that runs would be held up: it keeps clear of all that is given up here. */
static frazil_err refuse_living(void *ctx, const struct fz_file_port *port, const struct fz_bounds *bounds,
                                frazil_error *reterr)
{
    const struct fz_grant_owner *owner = ctx;
    /* Asked of each neighbour in turn, as a lock tells more than the process id in a record. */
    bool others = false;

    frazil_err err = port->has_others(port->ctx, &others, reterr);
    if (err != FRAZIL_OK || !others)
        return err;
    return fz_fail(
        reterr, FRAZIL_EWORKER,
        "other processes use worker %u with the sequence numbers %u to %u, which overlap with %u to %u here: "
        "stop them first (grant file %q)",
        (uint64_t)owner->worker, bounds->min, bounds->max, owner->bounds.min, owner->bounds.max, port->name);
}

/* Fails if a process uses the file, or one with overlapping bounds. */
static frazil_err check_idle(struct fz_grant_file *file, frazil_error *reterr)
{
    const struct fz_file_port *port = &file->port;
    bool others;

    frazil_err err = port->has_others(port->ctx, &others, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (others)
        return fz_fail(reterr, FRAZIL_EWORKER, "the grant file %q is in use: stop the processes that have it first",
                       port->name);
    return port->visit_neighbours == NULL ? FRAZIL_OK
                                          : port->visit_neighbours(port->ctx, refuse_living, &file->owner, reterr);
}

static frazil_err init_inside(struct fz_grant_file *file, uint64_t now, frazil_error *reterr)
{
    uint64_t reserve = file->reserve_ticks;
    uint64_t end = now > UINT64_MAX - reserve ? UINT64_MAX : now + reserve;
    struct fz_grant_record record = {0};

    frazil_err err = check_idle(file, reterr);
    if (err == FRAZIL_OK)
        err = salvage(file, &record, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* Everything up to now and a reserve ahead: no grant of before can reach further. */
    fz_used_add(&record.used, 0, end);
    record.sequence++;
    /* Nobody's: the next generator takes it over as one takes an abandoned grant. */
    record.nonce = record.place = record.pid = 0;
    record.floor = 0;
    record.until = end;
    record.seq_min = file->owner.bounds.min;
    record.seq_max = file->owner.bounds.max;
    return fz_grant_file_create(file, &record, reterr);
}

frazil_err fz_grant_file_init(struct fz_grant_file *file, struct fz_deadline deadline, uint64_t now_tick,
                              frazil_error *reterr)
{
    frazil_err err = file->port.enter(file->port.ctx, deadline, reterr);

    if (err != FRAZIL_OK)
        return err;
    err = init_inside(file, now_tick, reterr);
    file->port.leave(file->port.ctx);
    return err;
}
