/* SPDX-License-Identifier: MIT */
#include "grant_file.h"

#include <string.h>

#include "core/assert.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "grant_file_internal.h"

static const char grant_way_out[] = "stop the processes that use it, and run `frazil state init` with their spec";

/* The first sequence number; 0 would mean that nothing is durable yet. */
enum { FIRST_SEQUENCE = 1 };

static uint64_t plus(uint64_t tick, uint64_t ticks)
{
    return tick > UINT64_MAX - ticks ? UINT64_MAX : tick + ticks;
}

static uint64_t at_least(uint64_t tick, uint64_t other)
{
    return tick > other ? tick : other;
}

static uint64_t at_most(uint64_t tick, uint64_t other)
{
    return tick < other ? tick : other;
}

/* ---- slots --------------------------------------------------------------- */

static uint64_t slot_offset(uint64_t sequence)
{
    return (sequence & 1) * FZ_GRANT_SLOT_DISTANCE;
}

static frazil_err decode_slot(const struct fz_file_port *port, unsigned slot, const unsigned char *bytes,
                              struct fz_grant_record *ret, enum fz_grant_slot *ret_state, frazil_error *reterr)
{
    uint64_t version = 0;

    *ret_state = fz_grant_record_decode(bytes, ret, &version);
    if (*ret_state == FZ_GRANT_SLOT_OTHER_VERSION)
        return fz_fail(reterr, FRAZIL_ESTATE, "the grant file %q has version %u, this frazil knows version %u: use %s",
                       port->name, version, (uint64_t)FZ_GRANT_VERSION,
                       version > FZ_GRANT_VERSION ? "one that is at least as new" : "one that is as old");
    if (*ret_state == FZ_GRANT_SLOT_VALID && (ret->sequence & 1) != slot)
        *ret_state = FZ_GRANT_SLOT_BAD; /* not where it was written */
    return FRAZIL_OK;
}

/* One bad slot is a write that was never finished, so nobody was told of it: the other one counts. */
frazil_err fz_grant_file_load(const struct fz_file_port *port, bool *ret_exists, struct fz_grant_record *ret,
                              frazil_error *reterr)
{
    unsigned char bytes[FZ_GRANT_SLOT_DISTANCE + FZ_GRANT_SLOT_SIZE]; /* both slots, read at once */
    struct fz_grant_record record[2];
    enum fz_grant_slot state[2] = {FZ_GRANT_SLOT_BAD, FZ_GRANT_SLOT_BAD};
    uint64_t size;

    frazil_err err = port->size(port->ctx, ret_exists, &size, reterr);
    if (err != FRAZIL_OK || !*ret_exists)
        return err;
    /* The file is created whole and renamed into place, so another size is damage and no unfinished write. */
    if (size != FZ_GRANT_FILE_SIZE)
        return fz_fail(reterr, FRAZIL_ESTATE, "the grant file %q has %u bytes, it must have %u: %s", port->name, size,
                       (uint64_t)FZ_GRANT_FILE_SIZE, grant_way_out);
    err = port->read(port->ctx, 0, bytes, sizeof bytes, reterr);
    for (unsigned slot = 0; slot < 2 && err == FRAZIL_OK; slot++)
        err = decode_slot(port, slot, bytes + slot_offset(slot), &record[slot], &state[slot], reterr);
    if (err != FRAZIL_OK)
        return err;
    bool valid[2] = {state[0] == FZ_GRANT_SLOT_VALID, state[1] == FZ_GRANT_SLOT_VALID};
    if (!valid[0] && !valid[1])
        return fz_fail(reterr, FRAZIL_ESTATE, "the grant file %q is damaged: %s", port->name, grant_way_out);
    *ret = record[valid[1] && (!valid[0] || record[1].sequence > record[0].sequence)];
    return FRAZIL_OK;
}

/* Writes a record into its slot and makes it durable. */
static frazil_err write_slot(struct fz_grant_file *file, const struct fz_grant_record *record, frazil_error *reterr)
{
    const struct fz_file_port *port = &file->port;
    unsigned char bytes[FZ_GRANT_SLOT_SIZE];

    fz_grant_record_encode(record, bytes);
    frazil_err err = port->write(port->ctx, slot_offset(record->sequence), bytes, sizeof bytes, reterr);
    if (err == FRAZIL_OK)
        err = port->sync(port->ctx, reterr);
    if (err == FRAZIL_OK)
        file->durable_sequence = record->sequence;
    return err;
}

/*
 * Makes sure that a record that was read is durable.  Its writer may have been
 * killed before its sync, or the sync may have failed, after which another sync
 * alone would prove nothing.  Writing the same bytes once more cannot tear anything.
 */
static frazil_err settle_record(struct fz_grant_file *file, const struct fz_grant_record *record, frazil_error *reterr)
{
    return file->durable_sequence == record->sequence ? FRAZIL_OK : write_slot(file, record, reterr);
}

frazil_err fz_grant_file_create(struct fz_grant_file *file, const struct fz_grant_record *record, frazil_error *reterr)
{
    unsigned char content[FZ_GRANT_FILE_SIZE] = {0};

    fz_grant_record_encode(record, content + slot_offset(record->sequence));
    frazil_err err = file->port.create(file->port.ctx, content, sizeof content, reterr);
    if (err == FRAZIL_OK)
        file->durable_sequence = record->sequence;
    return err;
}

/* Records *next after the record that was read, NULL if there is no file yet, and in the other slot. */
static frazil_err store_grant(struct fz_grant_file *file, const struct fz_grant_record *previous,
                              struct fz_grant_record *next, frazil_error *reterr)
{
    next->nonce = file->owner.nonce;
    next->place = file->owner.place;
    next->seq_min = file->owner.bounds.min;
    next->seq_max = file->owner.bounds.max;
    if (previous == NULL)
        return fz_grant_file_create(file, next, reterr);
    FZ_ASSERT(next->sequence > previous->sequence);
    /* The lowest bit chooses the slot: the record that was read must survive a torn write of the next one. */
    next->sequence += (next->sequence ^ previous->sequence ^ 1) & 1;
    frazil_err err = settle_record(file, previous, reterr);
    return err == FRAZIL_OK ? write_slot(file, next, reterr) : err;
}

/* ---- grants, without a disk ---------------------------------------------- */

struct fz_grant_record fz_grant_file_blank(const struct fz_grant_owner *owner)
{
    struct fz_grant_record record = {.sequence = FIRST_SEQUENCE, .worker = owner->worker};

    memcpy(record.fingerprint, owner->fingerprint, sizeof record.fingerprint);
    return record;
}

/* Adds what words with overlapping bounds were granted to what this one was. */
static struct fz_used_ticks all_used(const struct fz_grant_record *record, const struct fz_used_ticks *foreign)
{
    struct fz_used_ticks all = record->used;

    for (uint64_t i = 0; i < foreign->count; i++)
        fz_used_add(&all, foreign->range[i].first, foreign->range[i].last);
    return all;
}

/* A grant in which nobody had any part before. */
static frazil_err grant_anew(const struct fz_grant_file *file, struct fz_grant_record *record, uint64_t now,
                             frazil_error *reterr)
{
    const struct fz_used_ticks used = all_used(record, &file->foreign);
    uint64_t reserve = file->reserve_ticks;
    uint64_t floor;
    uint64_t last;

    if (!fz_used_next_free(&used, at_least(now, file->least), &floor))
        return fz_fail(reterr, FRAZIL_EEXHAUSTED, "worker %u has no tick left that was not granted", record->worker);
    /* A short gap is no island's: bridging it lets the clock step back a little. */
    if (floor == now && fz_used_last_below(&used, now, &last) && now - last <= reserve)
        floor = last + 1;
    record->floor = floor;
    record->until = at_most(at_least(plus(now, reserve), floor), fz_used_gap_end(&used, floor));
    fz_used_add(&record->used, record->floor, record->until);
    return FRAZIL_OK;
}

enum progress { STANDS, GREW, MOVED };

/* Moves the record's grant ahead, without a gap if that can be. */
static frazil_err grant_on(const struct fz_grant_file *file, struct fz_grant_record *record, uint64_t now,
                           enum progress *ret, frazil_error *reterr)
{
    const struct fz_used_ticks used = all_used(record, &file->foreign);
    uint64_t reserve = file->reserve_ticks;
    uint64_t begin = at_least(now, file->least);
    uint64_t wanted = at_least(plus(now, reserve), begin);
    uint64_t next;

    /* The clock went back, or a relative has just extended it. */
    if (wanted <= record->until) {
        *ret = STANDS;
        return FRAZIL_OK;
    }
    /* After a long sleep the grant is left behind rather than stretched over years that nobody used. */
    bool near = begin <= plus(record->until, reserve);
    bool has_room = near && fz_used_next_free(&used, record->until, &next) && next - record->until == 1;
    if (has_room && fz_used_gap_end(&used, next) >= file->least) {
        record->until = at_most(wanted, fz_used_gap_end(&used, next));
        fz_used_add(&record->used, record->floor, record->until);
        *ret = GREW;
        return FRAZIL_OK;
    }
    /* An island lies right ahead: what is left before it is used up first. */
    *ret = begin <= record->until ? STANDS : MOVED;
    return *ret == STANDS ? FRAZIL_OK : grant_anew(file, record, now, reterr);
}

/* The first tick of the record's grant that nobody else can have used. */
static uint64_t floor_of(const struct fz_grant_file *file, const struct fz_grant_record *record)
{
    return at_least(record->floor, file->least);
}

static void give_out(const struct fz_grant_file *file, const struct fz_grant_record *record, struct fz_grant *ret)
{
    *ret = (struct fz_grant){.worker = (uint32_t)record->worker,
                             .floor = floor_of(file, record),
                             .until = record->until,
                             .version = record->sequence};
}

/* ---- whose is it? -------------------------------------------------------- */

frazil_err fz_grant_file_check(const struct fz_grant_owner *owner, const struct fz_grant_record *record,
                               const char *name, frazil_error *reterr)
{
    if (record->worker != owner->worker)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "the grant file %q is of worker %u, here it is %u: name another directory with state_dir=", name,
                       record->worker, (uint64_t)owner->worker);
    if (memcmp(record->fingerprint, owner->fingerprint, sizeof owner->fingerprint) != 0)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "the grant file %q is of the layout %q, here it is %q: name another directory with state_dir=, "
                       "or another namespace with namespace=",
                       name, record->fingerprint, owner->fingerprint);
    if (record->seq_min != owner->bounds.min || record->seq_max != owner->bounds.max)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "the grant file %q is of the sequence numbers %u to %u, here it is of %u to %u: %s", name,
                       record->seq_min, record->seq_max, owner->bounds.min, owner->bounds.max, grant_way_out);
    return FRAZIL_OK;
}

frazil_err fz_grant_file_load_own(const struct fz_grant_file *file, bool *ret_exists, struct fz_grant_record *ret,
                                  frazil_error *reterr)
{
    frazil_err err = fz_grant_file_load(&file->port, ret_exists, ret, reterr);

    return err == FRAZIL_OK && *ret_exists ? fz_grant_file_check(&file->owner, ret, file->port.name, reterr) : err;
}

/*
 * Another word's grant may be taken over when nobody has it any more.  It may also
 * be taken over when that word lay where ours lies now: it was removed while its
 * owners used it.  They will notice, and stop where their grant ends, until ours is
 * given up.
 */
static frazil_err check_abandoned(const struct fz_grant_file *file, const struct fz_grant_record *record,
                                  frazil_error *reterr)
{
    /* The same name and another word: ours took its place, so nobody new can map the old one. */
    bool same_place = file->owner.place != 0 && record->place == file->owner.place;
    bool others = false;

    frazil_err err = same_place ? FRAZIL_OK : file->port.has_others(file->port.ctx, &others, reterr);
    if (err != FRAZIL_OK || !others)
        return err;
    return fz_fail(reterr, FRAZIL_EWORKER,
                   "worker %u is in use on this host, by process %u or a relative, with another run directory (grant "
                   "file %q): give it the same run_dir=, or take another worker",
                   record->worker, record->pid, file->port.name);
}

/* ---- words with overlapping bounds ---------------------------------------- */

/* The file whose neighbours they are, and whether a neighbour in use is an error. */
struct survey {
    struct fz_grant_file *file;
    bool opens;
};

static frazil_err refuse_neighbour(const struct fz_grant_file *file, const struct fz_grant_record *record,
                                   const struct fz_file_port *port, const struct fz_bounds *bounds,
                                   frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_EWORKER,
                   "process %u or a relative uses worker %u on this host with the sequence numbers %u to %u, which "
                   "overlap with %u to %u here (grant file %q): give both disjoint bounds, or this one another worker",
                   record->pid, record->worker, bounds->min, bounds->max, file->owner.bounds.min,
                   file->owner.bounds.max, port->name);
}

static frazil_err note_neighbour(void *ctx, const struct fz_file_port *port, const struct fz_bounds *bounds,
                                 frazil_error *reterr)
{
    const struct survey *survey = ctx;
    struct fz_grant_file *file = survey->file;
    struct fz_grant_owner owner = file->owner;
    struct fz_grant_record record = {0};
    bool exists = false;
    bool others = false;

    owner.bounds = *bounds;
    frazil_err err = fz_grant_file_load(port, &exists, &record, reterr);
    if (err == FRAZIL_OK && exists)
        err = fz_grant_file_check(&owner, &record, port->name, reterr);
    if (err == FRAZIL_OK && exists && survey->opens)
        err = port->has_others(port->ctx, &others, reterr);
    if (err == FRAZIL_OK && others)
        err = refuse_neighbour(file, &record, port, bounds, reterr);
    for (uint64_t i = 0; err == FRAZIL_OK && i < record.used.count; i++)
        fz_used_add(&file->foreign, record.used.range[i].first, record.used.range[i].last);
    return err;
}

/*
 * Reads what words with overlapping bounds were granted.  One that is in use keeps a
 * new one out.  A running one is not stopped: if both run, because the word of one
 * was removed under its hands, they go on in turns, each clear of the other.
 */
static frazil_err survey_neighbours(struct fz_grant_file *file, bool opens, frazil_error *reterr)
{
    struct survey survey = {.file = file, .opens = opens};

    file->foreign.count = 0;
    return file->port.visit_neighbours == NULL
               ? FRAZIL_OK
               : file->port.visit_neighbours(file->port.ctx, note_neighbour, &survey, reterr);
}

/* ---- operations, inside -------------------------------------------------- */

static frazil_err acquire_inside(struct fz_grant_file *file, uint64_t now, struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_grant_record previous = {0};
    bool exists;

    frazil_err err = fz_grant_file_load_own(file, &exists, &previous, reterr);
    if (err == FRAZIL_OK)
        err = survey_neighbours(file, true, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct fz_grant_record next = exists ? previous : fz_grant_file_blank(&file->owner);
    enum progress progress = MOVED;
    /* The nonce is the word's: a process with the same one shares the memory from which ids are taken. */
    if (exists && previous.nonce == file->owner.nonce) {
        err = grant_on(file, &next, now, &progress, reterr);
    } else {
        err = exists ? check_abandoned(file, &previous, reterr) : FRAZIL_OK;
        if (err == FRAZIL_OK)
            err = grant_anew(file, &next, now, reterr);
    }
    if (err != FRAZIL_OK)
        return err;
    next.sequence += exists;
    next.pid = file->owner.pid;
    err = store_grant(file, exists ? &previous : NULL, &next, reterr);
    if (err == FRAZIL_OK)
        give_out(file, &next, ret);
    return err;
}

/* A grant that does not continue *held, and records what was held, so that nobody is ever granted it again. */
static frazil_err take_anew(struct fz_grant_file *file, uint64_t now, const struct fz_grant *held,
                            const struct fz_grant_record *previous, struct fz_grant_record *next, struct fz_grant *ret,
                            frazil_error *reterr)
{
    fz_used_add(&next->used, held->floor, held->until);
    next->sequence = at_least(next->sequence, held->version) + 1;
    next->pid = file->owner.pid;
    frazil_err err = grant_anew(file, next, now, reterr);
    if (err == FRAZIL_OK)
        err = store_grant(file, previous, next, reterr);
    if (err == FRAZIL_OK)
        give_out(file, next, ret);
    return err;
}

/*
 * The file is older than what was read from it before, or gone: it may have
 * granted anything that it can have granted by now.
 */
static frazil_err take_again(struct fz_grant_file *file, uint64_t now, const struct fz_grant *held,
                             const struct fz_grant_record *previous, struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_grant_record next = previous != NULL ? *previous : fz_grant_file_blank(&file->owner);

    fz_used_add(&next.used, 0, at_least(plus(now, file->reserve_ticks), file->least));
    return take_anew(file, now, held, previous, &next, ret, reterr);
}

/*
 * Another word took the worker over, because ours was removed under our hands.
 * Once nobody has that word any more, the worker is ours again: a short-lived
 * process must not end a long-lived one.
 */
static frazil_err take_back(struct fz_grant_file *file, uint64_t now, const struct fz_grant *held,
                            const struct fz_grant_record *previous, struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_grant_record next = *previous;
    bool others = false;

    frazil_err err = previous->pid == 0 ? FRAZIL_OK : file->port.has_others(file->port.ctx, &others, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (others)
        return fz_fail(reterr, FRAZIL_ELEASE,
                       "the run directory was wiped, and process %u took worker %u over with a new word: close this "
                       "generator and open it again, to share that one, or wait until the other has ended (%q)",
                       previous->pid, previous->worker, file->port.name);
    return take_anew(file, now, held, previous, &next, ret, reterr);
}

/* When a tick begins; for one beyond the layout's life, when the last one does. */
static int64_t time_of(const struct fz_grant_file *file, uint64_t tick)
{
    const frazil_layout *layout = &file->owner.layout;
    uint64_t last = fz_layout_last_tick(layout);

    return fz_layout_tick_unix_ms(layout, tick < last ? tick : last);
}

static frazil_err extend_inside(struct fz_grant_file *file, uint64_t now, const struct fz_grant *held,
                                struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_grant_record previous = {0};
    enum progress progress;
    bool exists;

    frazil_err err = fz_grant_file_load_own(file, &exists, &previous, reterr);
    if (err == FRAZIL_OK)
        err = survey_neighbours(file, false, reterr);
    if (err != FRAZIL_OK)
        return err;
    /* Sequences only grow, so a lower one is a backup that was put back, or a disk that lost a sync. */
    if (!exists || previous.sequence < held->version)
        return take_again(file, now, held, exists ? &previous : NULL, ret, reterr);
    if (previous.nonce != file->owner.nonce)
        return take_back(file, now, held, &previous, ret, reterr);

    struct fz_grant_record next = previous;
    err = grant_on(file, &next, now, &progress, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (progress != STANDS) {
        next.sequence++;
        next.pid = file->owner.pid;
        err = store_grant(file, &previous, &next, reterr);
    } else if (floor_of(file, &next) == held->floor && next.until <= held->until) {
        return fz_fail(reterr, FRAZIL_EAGAIN,
                       "the grant of worker %u reaches to %t already, and the clock shows %t: it is extended when the "
                       "clock comes near its end",
                       next.worker, time_of(file, next.until), time_of(file, now));
    } else {
        err = settle_record(file, &next, reterr); /* a relative has extended it */
    }
    if (err == FRAZIL_OK)
        give_out(file, &next, ret);
    return err;
}

static frazil_err release_inside(struct fz_grant_file *file, uint64_t used_tick)
{
    struct fz_grant_record previous = {0};
    uint64_t next_free;
    bool exists;

    frazil_err err = fz_grant_file_load_own(file, &exists, &previous, NULL);
    if (err != FRAZIL_OK || !exists || previous.nonce != file->owner.nonce)
        return err;
    struct fz_grant_record next = previous;
    uint64_t until = at_least(used_tick, next.floor);
    /* Ticks that nobody used are given back, so that a restart need not wait for them. */
    if (until < next.until) {
        fz_used_cut(&next.used, next.until, until);
        if (fz_used_next_free(&next.used, until, &next_free) && next_free == until + 1)
            next.until = until;
    }
    next.sequence++;
    /* 0: nobody has it, so the next one need not ask whether that process lives. */
    next.pid = 0;
    return store_grant(file, &previous, &next, NULL);
}

/* ---- the granter --------------------------------------------------------- */

static frazil_err acquire_from_file(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                                    frazil_error *reterr)
{
    struct fz_grant_file *file = ctx;

    frazil_err err = file->port.enter(file->port.ctx, deadline, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = acquire_inside(file, now_tick, ret, reterr);
    file->port.leave(file->port.ctx);
    return err;
}

static frazil_err extend(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                         struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_grant_file *file = ctx;
    frazil_error why = {.code = FRAZIL_OK};

    frazil_err err = file->port.enter(file->port.ctx, deadline, &why);
    if (err == FRAZIL_OK) {
        err = extend_inside(file, now_tick, held, ret, &why);
        file->port.leave(file->port.ctx);
    }
    if (err == FRAZIL_ESYS) /* the present grant stands, and the disk may come back */
        err = why.code = FRAZIL_EAGAIN;
    if (err != FRAZIL_OK && reterr != NULL)
        *reterr = why;
    return err;
}

static frazil_err release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    struct fz_grant_file *file = ctx;

    (void)held; /* the file knows better: a relative may have extended it */
    frazil_err err = file->port.enter(file->port.ctx, deadline, NULL);
    if (err != FRAZIL_OK)
        return err;
    err = release_inside(file, used_tick);
    file->port.leave(file->port.ctx);
    return err;
}

static void close_file(void *ctx)
{
    struct fz_grant_file *file = ctx;

    file->port.close(file->port.ctx);
}

static void file_after_fork(void *ctx)
{
    struct fz_grant_file *file = ctx;

    file->port.after_fork(file->port.ctx);
}

struct fz_granter fz_grant_file_granter(struct fz_grant_file *file)
{
    FZ_ASSERT(file->reserve_ticks >= 1 && file->owner.nonce != 0);
    return (struct fz_granter){.ctx = file,
                               .acquire = acquire_from_file,
                               .extend = extend,
                               .release = release,
                               .close = close_file,
                               .after_fork = file_after_fork};
}
