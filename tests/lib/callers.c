/* SPDX-License-Identifier: MIT */
#include "callers.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "lib/asserts.h"

uint64_t caller_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t at_most(uint64_t *state, size_t max, size_t left)
{
    size_t n = 1 + caller_random(state) % max;

    return n < left ? n : left;
}

void pause_ns(uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
        ;
}

/* One id in one of the ways that take one; never waiting and then sleeping is a way too. */
static frazil_err take_one(const struct caller *caller, bool waits, uint64_t *ret_id)
{
    const frazil_clock *clock = caller->clock;
    uint64_t retry_ns = 0;
    size_t taken;
    frazil_err err;

    if (waits)
        return frazil_next(caller->gen, ret_id);
    while ((err = frazil_try_take(caller->gen, ret_id, 1, &taken, &retry_ns, NULL)) == FRAZIL_EAGAIN) {
        if (clock == NULL)
            pause_ns(retry_ns);
        else
            clock->sleep_until(clock->ctx, clock->monotonic_ns(clock->ctx) + retry_ns);
    }
    return err;
}

static frazil_err take_singles(struct caller *caller, size_t n, bool waits)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t id = 0;
        frazil_err err = take_one(caller, waits, &id);
        if (err != FRAZIL_OK)
            return err;
        idset_add(caller->shared, id);
    }
    return FRAZIL_OK;
}

static frazil_err take_batch(struct caller *caller, size_t n, bool explained)
{
    uint64_t ids[CALLER_BATCH_MAX];
    frazil_err err = explained ? frazil_take(caller->gen, ids, n, FRAZIL_WAIT_FOREVER, NULL)
                               : frazil_take(caller->gen, ids, n, FRAZIL_WAIT_DEFAULT, NULL);

    if (err == FRAZIL_OK)
        idset_add_n(caller->shared, ids, n);
    return err;
}

static frazil_err take_local(struct caller *caller, frazil_local *local, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t id = 0;
        frazil_err err = frazil_local_next(local, &id);
        if (err != FRAZIL_OK)
            return err;
        idset_add(caller->local, id);
    }
    return FRAZIL_OK;
}

static frazil_err take_some(struct caller *caller, frazil_local *local, size_t left, size_t *ret_n)
{
    size_t run = at_most(&caller->seed, caller->run_max, left);
    size_t batch = at_most(&caller->seed, caller->batch_max, left);
    uint64_t way = caller_random(&caller->seed) % (local == NULL ? 4 : 5);

    *ret_n = way < 2 || way == 4 ? run : batch;
    switch (way) {
    case 0:
    case 1:
        return take_singles(caller, run, way == 0);
    case 2:
    case 3:
        return take_batch(caller, batch, way == 2);
    default:
        return take_local(caller, local, run);
    }
}

void *caller_take_ids(void *arg)
{
    struct caller *caller = arg;
    frazil_local *local = NULL;

    if (caller->local != NULL)
        caller->err = frazil_local_open(&local, caller->gen, NULL);
    for (size_t left = caller->quota, n = 0; caller->err == FRAZIL_OK && left > 0; left -= n)
        caller->err = take_some(caller, local, left, &n);
    frazil_local_close(local);
    return NULL;
}

static frazil_err take_sno_singles(struct caller *caller, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        frazil_sno id;
        frazil_err err = frazil_sno_next(caller->gen, (uint8_t)i, &id);
        if (err != FRAZIL_OK)
            return err;
        idset_add(caller->shared, sno_key(&id));
    }
    return FRAZIL_OK;
}

static frazil_err take_sno_batch(struct caller *caller, size_t n)
{
    frazil_sno ids[CALLER_BATCH_MAX];
    frazil_err err = frazil_sno_take(caller->gen, 7, ids, n, FRAZIL_WAIT_DEFAULT, NULL);

    for (size_t i = 0; err == FRAZIL_OK && i < n; i++)
        idset_add(caller->shared, sno_key(&ids[i]));
    return err;
}

void *caller_take_snos(void *arg)
{
    struct caller *caller = arg;

    for (size_t left = caller->quota, n = 0; caller->err == FRAZIL_OK && left > 0; left -= n) {
        bool single = (caller_random(&caller->seed) & 1) == 0;
        n = at_most(&caller->seed, single ? caller->run_max : caller->batch_max, left);
        caller->err = single ? take_sno_singles(caller, n) : take_sno_batch(caller, n);
    }
    return NULL;
}

void callers_run(struct caller *callers, size_t n, void *(*take)(void *))
{
    for (size_t i = 0; i < n; i++) {
        if (pthread_create(&callers[i].thread, NULL, take, &callers[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < n; i++)
        pthread_join(callers[i].thread, NULL);
    for (size_t i = 0; i < n; i++) {
        if (callers[i].err != FRAZIL_OK)
            fail_msg("caller %zu: %s", i, frazil_err_name(callers[i].err));
    }
}
