/* SPDX-License-Identifier: MIT */
#include "sfid_granter.h"

#include <stdlib.h>
#include <string.h>

#include "core/layout_internal.h"
#include "core/sentence.h"
#include "sfid.h"

enum { UUID_SIZE = 37 };

struct sfid_granter {
    struct fz_sfid sfid;
    frazil_layout layout;
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    char name[FZ_OWNER_SIZE];
    frazil_random random;
    uint64_t base;
    uint64_t count;
    int64_t max_skew_ms;
    bool stay;
    struct fz_deadline deadline; /* of the call that is at work */
};

/* ---- values -------------------------------------------------------------------- */

static void hex(struct fz_sentence *s, uint64_t value, unsigned digits)
{
    while (digits > 0)
        fz_sentence_char(s, "0123456789abcdef"[value >> (4 * --digits) & 15]);
}

/*
 * The value of a key, a random UUID as sfid's are.  A new one each time: a key that was
 * taken without an answer is nobody's.
 */
static void make_owner(const frazil_random *random, char buf[UUID_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, UUID_SIZE);
    uint64_t high = (random->next(random->ctx) & ~UINT64_C(0xf000)) | 0x4000;
    uint64_t low = (random->next(random->ctx) & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;

    hex(&s, high >> 32, 8);
    fz_sentence_char(&s, '-');
    hex(&s, high >> 16, 4);
    fz_sentence_char(&s, '-');
    hex(&s, high, 4);
    fz_sentence_char(&s, '-');
    hex(&s, low >> 48, 4);
    fz_sentence_char(&s, '-');
    hex(&s, low, 12);
}

/* The first tick that begins at unix_ms or later; past the last one if there is none. */
static uint64_t first_tick_from(const frazil_layout *layout, int64_t unix_ms)
{
    uint64_t tick = 0;

    if (unix_ms <= layout->epoch_unix_ms)
        return 0;
    if (fz_layout_tick_of(layout, unix_ms - 1, &tick, NULL) != FRAZIL_OK)
        tick = fz_layout_last_tick(layout);
    return tick + 1;
}

/* ---- calls ----------------------------------------------------------------------- */

/* The arguments that extending and taking have in common. */
static void begin(const struct sfid_granter *granter, struct fz_redis_call *call, const char *verb, uint64_t now_tick)
{
    int64_t tick_begins = fz_layout_tick_unix_ms(&granter->layout, now_tick);

    fz_sfid_begin(&granter->sfid, call, verb, granter->deadline);
    fz_redis_call_i64(call, tick_begins);
    fz_redis_call_i64(call, tick_begins + (granter->layout.tick_ms - 1));
    fz_redis_call_i64(call, granter->max_skew_ms);
    fz_redis_call_u64(call, FZ_SFID_HOLD_MS);
    fz_redis_call_u64(call, FZ_SFID_EXPIRY_MS / 1000);
}

static frazil_err not_understood(const struct sfid_granter *granter, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not answer like Redis", granter->sfid.connection.shown);
}

/* Why nothing was granted. */
static frazil_err explain(const struct sfid_granter *granter, const struct fz_redis_call *call,
                          const redisReply *answer, uint64_t now_tick, frazil_error *reterr)
{
    const char *shown = granter->sfid.connection.shown;
    const char *app = granter->sfid.connection.url.common.name;
    int64_t here = fz_layout_tick_unix_ms(&granter->layout, now_tick) + (granter->layout.tick_ms - 1);
    uint64_t there;

    if (fz_sfid_says(answer, "clock", 2) && fz_redis_read_u64(answer->element[1], &there) && there < INT64_MAX)
        return fz_redis_clocks_differ(&granter->sfid.connection, call, here, (int64_t)there, granter->max_skew_ms,
                                      reterr);
    if (fz_sfid_says(answer, "evicts", 2) && fz_redis_is_text(answer->element[1]))
        return fz_fail(reterr, FRAZIL_EREFUSED,
                       "%s: evicts keys that expire when its memory is full (maxmemory-policy %q), and with them "
                       "worker ids in use: set noeviction",
                       shown, answer->element[1]->str);
    if (fz_sfid_says(answer, "layout", 2) && fz_redis_is_text(answer->element[1]))
        return fz_fail(reterr, FRAZIL_ENAMESPACE,
                       "the app %q of sfid is used with layout %q, and this generator has %q: use another app, or, if "
                       "nobody uses it any more, delete the key %q",
                       app, answer->element[1]->str, granter->fingerprint, granter->sfid.fence);
    return not_understood(granter, reterr);
}

static bool read_ms(const redisReply *reply, int64_t *ret)
{
    uint64_t ms;

    if (!fz_redis_read_u64(reply, &ms) || ms > INT64_MAX / 2)
        return false;
    *ret = (int64_t)ms;
    return true;
}

/* ---- taking -------------------------------------------------------------------- */

static frazil_err read_taken(const struct sfid_granter *granter, const redisReply *answer, struct fz_grant *ret,
                             frazil_error *reterr)
{
    struct fz_grant grant;
    int64_t good_ms;
    int64_t floor_ms;
    uint64_t pid;

    if (answer->elements < 5 || !fz_redis_read_u64(answer->element[1], &grant.version) ||
        !read_ms(answer->element[2], &good_ms) || !read_ms(answer->element[3], &floor_ms) ||
        !fz_redis_read_u64(answer->element[4], &pid) || pid - granter->base >= granter->count)
        return not_understood(granter, reterr);
    grant.worker = (uint32_t)pid;
    grant.floor = first_tick_from(&granter->layout, floor_ms);
    if (grant.floor > fz_layout_last_tick(&granter->layout))
        return fz_fail(reterr, FRAZIL_EEXHAUSTED, "the layout ends at %t",
                       fz_layout_tick_unix_ms(&granter->layout, fz_layout_last_tick(&granter->layout)));
    /* The last tick that ends at good_ms or before. */
    grant.until = first_tick_from(&granter->layout, good_ms - (granter->layout.tick_ms - 1)) - 1;
    *ret = grant;
    return FRAZIL_OK;
}

/* Looks at as many pids as one call can; *ret_done: one was taken, or none can be. */
static frazil_err take_some(struct sfid_granter *granter, uint64_t now_tick, uint64_t start, uint64_t tries,
                            struct fz_grant *ret, bool *ret_done, frazil_error *reterr)
{
    struct fz_redis_call call;
    redisReply *answer;
    char owner[UUID_SIZE];

    make_owner(&granter->random, owner);
    begin(granter, &call, "take", now_tick);
    fz_redis_call_text(&call, granter->fingerprint);
    fz_redis_call_u64(&call, granter->base);
    fz_redis_call_u64(&call, granter->count);
    fz_redis_call_u64(&call, start);
    fz_redis_call_u64(&call, tries);
    fz_redis_call_text(&call, owner);
    fz_redis_call_text(&call, granter->name);
    frazil_err err = fz_sfid_call(&granter->sfid, &call, &answer, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret_done = !fz_sfid_says(answer, "none", 1);
    if (fz_sfid_says(answer, "taken", 1))
        err = read_taken(granter, answer, ret, reterr);
    else if (*ret_done)
        err = explain(granter, &call, answer, now_tick, reterr);
    freeReplyObject(answer);
    return err;
}

static frazil_err acquire(void *ctx, struct fz_deadline deadline, uint64_t now_tick, struct fz_grant *ret,
                          frazil_error *reterr)
{
    struct sfid_granter *granter = ctx;
    uint64_t start = granter->random.next(granter->random.ctx) % granter->count;
    bool done = false;
    frazil_err err = FRAZIL_OK;

    granter->deadline = deadline;
    for (uint64_t tried = 0; tried < granter->count && err == FRAZIL_OK && !done; tried += FZ_SFID_PIDS_PER_CALL) {
        uint64_t left = granter->count - tried;
        uint64_t tries = left < FZ_SFID_PIDS_PER_CALL ? left : FZ_SFID_PIDS_PER_CALL;
        err = take_some(granter, now_tick, start + tried, tries, ret, &done, reterr);
    }
    if (err != FRAZIL_OK || done)
        return err;
    return fz_fail(
        reterr, FRAZIL_EPOOL,
        "all %u slots of sfid app %q (%u to %u) are taken: a slot becomes free %u minutes after its owner is gone",
        granter->count, granter->sfid.connection.url.common.name, granter->base, granter->base + granter->count - 1,
        (uint64_t)FZ_SFID_EXPIRY_MS / 60000);
}

/* ---- extending ------------------------------------------------------------------- */

static frazil_err read_extended(const struct sfid_granter *granter, const redisReply *answer,
                                const struct fz_grant *held, struct fz_grant *ret, frazil_error *reterr)
{
    struct fz_grant grant = *held;
    int64_t good_ms;

    if (answer->elements < 3 || !fz_redis_read_u64(answer->element[1], &grant.version) ||
        !read_ms(answer->element[2], &good_ms))
        return not_understood(granter, reterr);
    uint64_t until = first_tick_from(&granter->layout, good_ms - (granter->layout.tick_ms - 1));
    grant.until = until > held->until + 1 ? until - 1 : held->until;
    *ret = grant;
    return FRAZIL_OK;
}

/* *ret_lost: the key or its fence are not what we left. */
static frazil_err extend_held(struct sfid_granter *granter, uint64_t now_tick, const struct fz_grant *held,
                              struct fz_grant *ret, bool *ret_lost, frazil_error *reterr)
{
    struct fz_redis_call call;
    redisReply *answer;

    *ret_lost = false;
    begin(granter, &call, "extend", now_tick);
    fz_redis_call_u64(&call, held->worker);
    fz_redis_call_u64(&call, held->version);
    frazil_err err = fz_sfid_call(&granter->sfid, &call, &answer, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret_lost = fz_sfid_says(answer, "lost", 1);
    if (*ret_lost)
        err = fz_fail(reterr, FRAZIL_ELEASE,
                      "slot %u of sfid app %q is lost: its key has expired, was taken or was deleted, or an answer to "
                      "its extension was lost",
                      (uint64_t)held->worker, granter->sfid.connection.url.common.name);
    else if (fz_sfid_says(answer, "extended", 1))
        err = read_extended(granter, answer, held, ret, reterr);
    else
        err = explain(granter, &call, answer, now_tick, reterr);
    freeReplyObject(answer);
    return err;
}

static frazil_err extend(void *ctx, struct fz_deadline deadline, uint64_t now_tick, const struct fz_grant *held,
                         struct fz_grant *ret, frazil_error *reterr)
{
    struct sfid_granter *granter = ctx;
    frazil_error why = {.message = ""};
    bool lost;

    granter->deadline = deadline;
    if (held->until >= fz_layout_last_tick(&granter->layout))
        return fz_fail(reterr, FRAZIL_EEXHAUSTED, "the grant reaches the layout's last tick already");
    frazil_err err = extend_held(granter, now_tick, held, ret, &lost, &why);
    if (lost && !granter->stay)
        err = acquire(granter, deadline, now_tick, ret, &why);
    if (err == FRAZIL_OK)
        return FRAZIL_OK;
    if (err == FRAZIL_EEXHAUSTED)
        return fz_fail(reterr, err, "%s", why.message);
    bool stands = now_tick <= held->until && !(lost && (granter->stay || err == FRAZIL_EPOOL));
    return fz_fail(reterr, stands ? FRAZIL_EAGAIN : FRAZIL_ELEASE, "%s", why.message);
}

/* ---- the port ---------------------------------------------------------------------- */

static frazil_err release(void *ctx, struct fz_deadline deadline, const struct fz_grant *held, uint64_t used_tick)
{
    struct sfid_granter *granter = ctx;
    int64_t used_ms = fz_layout_tick_unix_ms(&granter->layout, used_tick) + granter->layout.tick_ms;
    struct fz_redis_call call;
    redisReply *answer;

    fz_sfid_begin(&granter->sfid, &call, "release", deadline);
    fz_redis_call_u64(&call, held->worker);
    fz_redis_call_u64(&call, held->version);
    fz_redis_call_i64(&call, used_ms > 0 ? used_ms : 0);
    fz_redis_call_i64(&call, granter->max_skew_ms);
    frazil_err err = fz_sfid_call(&granter->sfid, &call, &answer, NULL);
    if (err == FRAZIL_OK)
        freeReplyObject(answer);
    return err;
}

static void after_fork(void *ctx)
{
    struct sfid_granter *granter = ctx;

    fz_session_abandon(&granter->sfid.connection.session);
}

static void close_granter(void *ctx)
{
    struct sfid_granter *granter = ctx;

    fz_sfid_close(&granter->sfid);
    free(granter);
}

/* ---- opening ----------------------------------------------------------------------- */

static frazil_err check_request(const struct fz_lease_request *request, uint64_t count, frazil_error *reterr)
{
    uint64_t workers = fz_layout_max_worker(request->layout) + 1;

    if (request->group != NULL)
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "share=host is for leases, and a key of sfid belongs to one process: leave it out, or take another "
            "coordinator");
    if (count == 0 || request->base >= workers || count > workers - request->base)
        return fz_fail(reterr, FRAZIL_ERANGE, "worker ids %u to %u: the layout has 0 to %u", (uint64_t)request->base,
                       request->base + count - 1, workers - 1);
    if (request->base + count > FZ_SFID_PIDS_MAX)
        return fz_fail(reterr, FRAZIL_ERANGE, "worker ids %u to %u: a key of sfid holds 0 to %u: give base and count",
                       (uint64_t)request->base, request->base + count - 1, (uint64_t)FZ_SFID_PIDS_MAX - 1);
    if (request->max_skew_ms < 0 || request->max_skew_ms >= FZ_SFID_MARGIN_MS)
        return fz_fail(reterr, FRAZIL_ERANGE,
                       "max_skew is %D: beside sfid it must be below %D, which is how long before its key expires a "
                       "generator stops",
                       1000 * (uint64_t)request->max_skew_ms, 1000 * (uint64_t)FZ_SFID_MARGIN_MS);
    if (request->layout->tick_ms > FZ_SFID_MARGIN_MS)
        return fz_fail(reterr, FRAZIL_ERANGE, "ticks of %D are too long for keys that expire after %D",
                       1000 * (uint64_t)request->layout->tick_ms, 1000 * (uint64_t)FZ_SFID_EXPIRY_MS);
    return FRAZIL_OK;
}

frazil_err fz_sfid_open_granter(const frazil_coordinator *self, const struct fz_lease_request *request,
                                struct fz_granter *ret, frazil_error *reterr)
{
    uint64_t workers = fz_layout_max_worker(request->layout) + 1;
    uint64_t count = request->count != 0 ? request->count : workers > request->base ? workers - request->base : 0;

    (void)self;
    frazil_err err = check_request(request, count, reterr);
    if (err != FRAZIL_OK)
        return err;
    struct sfid_granter *granter = calloc(1, sizeof *granter);
    if (granter == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to Redis");
    /* The server compares the texts, so all spellings of one layout have one. */
    const frazil_layout unsplit = fz_layout_unsplit(request->layout);
    err = frazil_layout_fingerprint(&unsplit, granter->fingerprint, sizeof granter->fingerprint, NULL);
    if (err == FRAZIL_OK)
        err = fz_sfid_open(&granter->sfid, request->url, reterr);
    if (err != FRAZIL_OK) {
        free(granter);
        return err;
    }
    granter->layout = *request->layout;
    fz_owner_sanitise(request->owner, granter->name);
    granter->random = *request->random;
    granter->base = request->base;
    granter->count = count;
    granter->max_skew_ms = request->max_skew_ms;
    granter->stay = request->stay;
    *ret = (struct fz_granter){.ctx = granter,
                               .acquire = acquire,
                               .extend = extend,
                               .release = release,
                               .close = close_granter,
                               .after_fork = after_fork};
    return FRAZIL_OK;
}
