/* SPDX-License-Identifier: MIT */
#include "lib/new_namespace.h"

#include "lib/asserts.h"
#include "lib/layouts.h"
#include "os/clock.h"

enum { SKEW_MS = 30000 }; /* on one host, which may stop a process between its clock and the coordinator's */

static uint64_t creation_tick(void *ctx)
{
    const frazil_layout *layout = ctx;

    return (uint64_t)(fz_real_now().unix_ms - layout->epoch_unix_ms) / layout->tick_ms;
}

void new_namespace(const frazil_coordinator *coordinator, const char *url, const char *layout, uint64_t workers,
                   uint64_t horizon_ms)
{
    frazil_layout parsed = parse_layout(layout);
    const struct fz_namespace_options options = {.layout = &parsed,
                                                 .horizon_ms = horizon_ms,
                                                 .workers = workers,
                                                 .token = {1, (uint64_t)fz_real_now().unix_ms},
                                                 .max_skew_ms = SKEW_MS,
                                                 .never_used = true,
                                                 .now_tick = creation_tick,
                                                 .now_ctx = &parsed};
    frazil_error err;

    if (coordinator->init(coordinator, url, &options, &err) != FRAZIL_OK)
        fail_msg("%s: %s", url, err.message);
}
