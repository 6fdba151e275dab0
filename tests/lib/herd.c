/* SPDX-License-Identifier: MIT */
#include "herd.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bound.h"
#include "lib/asserts.h"

#include "generator/generator_internal.h"
#include "lease/lease.h"
#include "lib/callers.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "os/clock.h"
#include "os/memory.h"

/* Shared with the processes. */
static void *map(size_t size)
{
    void *memory = fz_map_shared(size);

    assert_non_null(memory);
    return memory;
}

void herd_open(struct herd *herd, size_t size, uint64_t ids, const frazil_coordinator *const *coordinators)
{
    *herd = (struct herd){.coordinators = coordinators, .size = size, .ids_size = ids};
    herd->members = map(size * sizeof herd->members[0]);
    herd->ids = map(ids * sizeof herd->ids[0]);
}

void herd_close(struct herd *herd)
{
    for (size_t i = 0; i < herd->count; i++) {
        if (herd->members[i].pid != 0)
            herd_kill(herd, i);
    }
    fz_unmap(herd->members, herd->size * sizeof herd->members[0]);
    if (herd->offset_ms != NULL)
        fz_unmap(herd->offset_ms, sizeof *herd->offset_ms);
    fz_unmap(herd->ids, herd->ids_size * sizeof herd->ids[0]);
}

void herd_use_clock(struct herd *herd)
{
    herd->offset_ms = map(sizeof *herd->offset_ms);
}

void herd_set_clock(struct herd *herd, int64_t offset_ms)
{
    *herd->offset_ms = offset_ms;
}

static void shifted_now(void *ctx, frazil_instant *ret)
{
    const _Atomic int64_t *offset_ms = ctx;
    frazil_instant now = fz_real_now();

    now.unix_ms += *offset_ms;
    *ret = now;
}

/* ---- the process ----------------------------------------------------------------- */

static void note_error(struct herd_member *member, const frazil_error *err)
{
    member->error = *err;
    member->errors++;
    member->last_error = err->code;
}

static void take_one(frazil *gen, struct herd_member *member, uint64_t *ids)
{
    frazil_error err;
    uint64_t id;

    if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK) {
        note_error(member, &err);
        pause_ns(1000000);
        return;
    }
    ids[member->ids] = id;
    member->ids++;
    member->last_error = FRAZIL_OK;
}

static void live(const struct herd *herd, struct herd_member *member, const char *spec, unsigned pause_us)
{
    frazil_clock clock = fz_real_clock();
    const struct ports ports = {.coordinators = herd->coordinators, .clock = herd->offset_ms == NULL ? NULL : &clock};
    pid_t parent = getppid();
    frazil_info info;
    frazil_error err;
    frazil *gen;

    if (herd->offset_ms != NULL) {
        clock.now = shifted_now;
        clock.ctx = herd->offset_ms;
    }
    frazil_err opened = ports_open(&gen, spec, &ports, &err);
    if (opened != FRAZIL_OK) {
        note_error(member, &err);
        member->open_result = opened;
        _exit(2);
    }
    frazil_get_info(gen, &info, sizeof info);
    member->worker = info.worker;
    member->open_result = FRAZIL_OK;
    while (!member->stop && getppid() == parent) { /* a test that failed is gone */
        if (member->ids < member->room)
            take_one(gen, member, herd->ids + member->first);
        frazil_get_info(gen, &info, sizeof info);
        member->worker = info.worker;
        member->moves = stat_of(gen, FRAZIL_STAT_MOVES);
        pause_ns((uint64_t)pause_us * 1000);
    }
    (void)fz_keeper_stop(gen, FZ_DEADLINE_NONE, NULL); /* which counts */
    if (herd->coordinators != NULL)
        member->burned = fz_lease_count(gen->keeper.granter.ctx).burned;
    frazil_close(gen);
    _exit(0);
}

/* ---- the test -------------------------------------------------------------------- */

size_t herd_start(struct herd *herd, const char *spec, uint64_t room, unsigned pause_us)
{
    size_t i = herd->count++;
    struct herd_member *member = &herd->members[i];

    assert_true(i < herd->size && herd->ids_used + room <= herd->ids_size);
    member->first = herd->ids_used;
    member->room = room;
    member->open_result = 1;
    herd->ids_used += room;
    pid_t pid = bound_fork();
    assert_true(pid >= 0);
    if (pid == 0)
        live(herd, member, spec, pause_us);
    member->pid = pid;
    return i;
}

frazil_err herd_await_open(struct herd *herd, size_t i)
{
    struct herd_member *member = &herd->members[i];

    AWAIT(member->open_result != 1, "member %zu does not open", i);
    return (frazil_err)member->open_result;
}

void herd_await_ids(struct herd *herd, size_t i, uint64_t n)
{
    struct herd_member *member = &herd->members[i];
    uint64_t wanted = member->ids + n;

    if (herd_await_open(herd, i) != FRAZIL_OK)
        fail_msg("member %zu cannot open: %s", i, member->error.message);
    AWAIT(member->ids >= wanted, "member %zu has %ju of %ju ids: %s", i, (uintmax_t)member->ids, (uintmax_t)wanted,
          member->error.message);
}

static bool says(struct herd *herd, size_t i, frazil_err code, const char *words)
{
    const struct herd_member *member = &herd->members[i];

    if (member->last_error != (int)code)
        return false;
    herd_pause(herd, i);
    bool said = member->last_error == (int)code && strstr(member->error.message, words) != NULL;
    herd_resume(herd, i);
    return said;
}

void herd_await_error(struct herd *herd, size_t i, frazil_err code, const char *words)
{
    AWAIT(says(herd, i, code, words), "member %zu says %d: %s", i, herd->members[i].last_error,
          herd->members[i].error.message);
}

void herd_pause(struct herd *herd, size_t i)
{
    int status;

    assert_int_equal(kill(herd->members[i].pid, SIGSTOP), 0);
    assert_int_equal(waitpid(herd->members[i].pid, &status, WUNTRACED), herd->members[i].pid);
    assert_true(WIFSTOPPED(status));
}

void herd_resume(struct herd *herd, size_t i)
{
    assert_int_equal(kill(herd->members[i].pid, SIGCONT), 0);
}

/* Waits for its end. */
static int await_end(struct herd_member *member)
{
    int status = 0;

    while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    member->pid = 0;
    return status;
}

void herd_kill(struct herd *herd, size_t i)
{
    kill(herd->members[i].pid, SIGKILL);
    await_end(&herd->members[i]);
}

void herd_finish(struct herd *herd, size_t i)
{
    herd->members[i].stop = true;
    int status = await_end(&herd->members[i]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("member %zu ended with status %#x: %s", i, (unsigned)status, herd->members[i].error.message);
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

void herd_assert_unique(const struct herd *herd)
{
    uint64_t *all = malloc((herd->ids_used + 1) * sizeof *all);
    size_t n = 0;

    assert_non_null(all);
    for (size_t i = 0; i < herd->count; i++) {
        const struct herd_member *member = &herd->members[i];
        memcpy(all + n, herd->ids + member->first, member->ids * sizeof *all);
        n += member->ids;
    }
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 1; i < n; i++) {
        if (all[i] == all[i - 1])
            fail_msg("%ju was taken twice", (uintmax_t)all[i]);
    }
    print_message("%zu ids of %zu processes, no two the same\n", n, herd->count);
    free(all);
}

void herd_assert_increasing(const struct herd *herd, size_t i)
{
    const struct herd_member *member = &herd->members[i];
    const uint64_t *ids = herd->ids + member->first;

    for (uint64_t at = 1; at < member->ids; at++) {
        if (ids[at] <= ids[at - 1] && (ids[at] >> 12 & 1023) == (ids[at - 1] >> 12 & 1023))
            fail_msg("member %zu took %ju after %ju", i, (uintmax_t)ids[at], (uintmax_t)ids[at - 1]);
    }
}
