/* SPDX-License-Identifier: MIT */
#include "lib/fake_slots.h"

#include <stdio.h>
#include <string.h>

#include "core/sentence.h"
#include "lib/patience.h"
#include "lib/rig.h"

struct fake_slots fake_slots;

static frazil_err take(void *ctx, struct fz_deadline deadline, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                       frazil_error *reterr)
{
    (void)ctx;
    fake_slots.deadline = deadline;
    fake_slots.takes++;
    fake_slots.wanted = n;
    atomic_fetch_add(&fake_slots.asked, 1);
    while (atomic_load(&fake_slots.is_silent))
        pause_shortly();
    if (fake_slots.slow != NULL)
        frazil_manual_clock_advance(fake_slots.slow->manual, fake_slots.slow_ns);
    if (fake_slots.err != FRAZIL_OK && fake_slots.good-- == 0) {
        fake_slots.good = 0;
        if (fake_slots.silence_ns > 0)
            frazil_manual_clock_advance(fake_slots.clock, fake_slots.silence_ns);
        (void)fz_fail(reterr, fake_slots.err, "the source says so");
        reterr->retry_ns = fake_slots.retry_ns;
        return fake_slots.err;
    }
    if (fake_slots.tick < now_tick) {
        fake_slots.tick = now_tick;
        fake_slots.place = 0;
    }
    if (fake_slots.place == FAKE_SLOTS_CAPACITY) {
        fake_slots.tick++;
        fake_slots.place = 0;
    }
    if (fake_slots.tick > now_tick + fake_slots.lead) {
        (void)fz_fail(reterr, FRAZIL_EFULL, "full");
        reterr->retry_ns = RIG_MS;
        return FRAZIL_EFULL;
    }
    uint64_t count = n < FAKE_SLOTS_CAPACITY - fake_slots.place ? n : FAKE_SLOTS_CAPACITY - fake_slots.place;
    if (fake_slots.most != 0 && count > fake_slots.most)
        count = fake_slots.most;
    *ret = (struct fz_slot_run){.tick = fake_slots.tick, .place = fake_slots.place, .count = count};
    fake_slots.place += count;
    return FRAZIL_OK;
}

static void after_fork(void *ctx)
{
    (void)ctx;
    fake_slots.forks++;
}

static void close_source(void *ctx)
{
    (void)ctx;
    fake_slots.closed++;
}

static frazil_err open_slots(const frazil_coordinator *self, const struct fz_slots_request *request,
                             struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    if (strcmp(request->url, "fake://refused") == 0)
        return fz_fail(reterr, FRAZIL_EWORKER, "refused at once");
    fake_slots.request = *request;
    snprintf(fake_slots.url, sizeof fake_slots.url, "%s", request->url);
    *ret = (struct fz_slot_source){.ctx = &fake_slots,
                                   .is_folder = fake_slots.is_folder,
                                   .take = take,
                                   .after_fork = after_fork,
                                   .close = close_source};
    return FRAZIL_OK;
}

static const char *const schemes[] = {"fake", "konayuki+fake", NULL};
static const char *const slotless_schemes[] = {"slotless", NULL};
static const frazil_coordinator fake = {FZ_COORDINATOR_BUILD, .part = "fake", .client = "none", .schemes = schemes,
                                        .open_slots = open_slots};
static const frazil_coordinator slotless = {FZ_COORDINATOR_BUILD, .part = "slotless", .client = "none",
                                            .schemes = slotless_schemes};
const frazil_coordinator *const fake_slots_coordinators[] = {&fake, &slotless, NULL};
