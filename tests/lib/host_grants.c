/* SPDX-License-Identifier: MIT */
#include "lib/host_grants.h"

#include <string.h>

#include "lib/asserts.h"

struct power_disk host_disk;

void host_empty_disk(void)
{
    host_disk = (struct power_disk){.exists = false};
}

void host_start(struct host_process *process, uint64_t nonce)
{
    *process = (struct host_process){.file = {.port = power_disk_port(&host_disk),
                                              .owner = {.fingerprint = "41/10/12 epoch=0 tick=1ms",
                                                        .worker = 7,
                                                        .nonce = nonce,
                                                        .place = 25,
                                                        .pid = 100 + nonce},
                                              .reserve_ticks = RESERVE}};
    const char *layout = process->file.owner.fingerprint;
    assert_int_equal(frazil_layout_parse(layout, strlen(layout), &process->file.owner.layout, NULL), FRAZIL_OK);
    process->granter = fz_grant_file_granter(&process->file);
}

void host_acquire(struct host_process *process, uint64_t now)
{
    frazil_error err;

    if (process->granter.acquire(&process->file, FZ_DEADLINE_NONE, now, &process->grant, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(process->grant.worker, 7);
    assert_false(host_disk.is_inside);
}

void host_extend(struct host_process *process, uint64_t now)
{
    frazil_error err;

    if (process->granter.extend(&process->file, FZ_DEADLINE_NONE, now, &process->grant, &process->grant, &err) !=
        FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_false(host_disk.is_inside);
}

void host_assert_grant(const struct host_process *process, uint64_t floor, uint64_t until)
{
    assert_int_equal(process->grant.floor, floor);
    assert_int_equal(process->grant.until, until);
}

void host_assert_says(const frazil_error *err, const char *const *parts)
{
    for (; *parts != NULL; parts++) {
        if (strstr(err->message, *parts) == NULL)
            fail_msg("'%s' is not in '%s'", *parts, err->message);
    }
}

void host_assert_refused(struct host_process *process, bool extends, uint64_t now, frazil_err code,
                         const char *const *parts)
{
    static struct power_disk before;
    struct fz_grant untouched = {.floor = 4242};
    frazil_error err;

    before = host_disk;
    for (int with_reterr = 1; with_reterr >= 0; with_reterr--) {
        frazil_error *reterr = with_reterr ? &err : NULL;
        frazil_err result =
            extends
                ? process->granter.extend(&process->file, FZ_DEADLINE_NONE, now, &process->grant, &untouched, reterr)
                : process->granter.acquire(&process->file, FZ_DEADLINE_NONE, now, &untouched, reterr);
        assert_int_equal(result, code);
    }
    assert_int_equal(err.code, code);
    assert_int_equal(untouched.floor, 4242);
    assert_memory_equal(before.cache, host_disk.cache, sizeof host_disk.cache);
    assert_int_equal(before.exists, host_disk.exists);
    assert_false(host_disk.is_inside);
    host_assert_says(&err, parts);
}
