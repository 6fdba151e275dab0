/* SPDX-License-Identifier: MIT */
/*
 * Compares layouts made of numbers: which of them last for 20 years with 1000
 * workers of 100 ids a millisecond, and can a system that issues under one of them
 * go over to it?  Nothing is opened: a layout is a value.
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>

#define YEARS_20_MS (INT64_C(20) * 31556952000)

static const int64_t epoch = INT64_C(1767225600000); /* 2026-01-01 */

/* The differences between the rows. */
static const struct {
    uint32_t tick_ms;
    uint8_t time_bits;
    uint8_t worker_bits;
    uint8_t sequence_bits;
} plans[] = {{1, 41, 10, 12}, {1, 39, 10, 14}, {10, 39, 16, 8}, {1, 41, 5, 17}, {1, 45, 10, 12}};

static const char *judge(const frazil_layout *layout)
{
    frazil_layout_info info;

    frazil_layout_get_info(layout, &info, sizeof info);
    if (info.last_unix_ms - info.first_unix_ms < YEARS_20_MS)
        return "ends too soon";
    if (info.workers < 1000)
        return "too few workers";
    if (info.ids_per_second < 100000)
        return "too slow";
    return "good";
}

/* From which moment on ids of `next` lie above all of `now`, if that changes at this moment. */
static int show_change(const frazil_layout *now, const frazil_layout *next, int64_t since_unix_ms, frazil_error *err)
{
    frazil_overlap overlap;
    char since[FRAZIL_TIME_SIZE];
    size_t len;

    if (frazil_layout_overlap(now, next, since_unix_ms, &overlap, sizeof overlap, err) != FRAZIL_OK ||
        frazil_time_format(overlap.safe_unix_ms, since, sizeof since, &len) != FRAZIL_OK)
        return -1;
    printf("collide %d, missort %d, safe %s\n", overlap.can_collide, overlap.can_missort,
           overlap.ever_safe ? since : "never");
    return 0;
}

int main(void)
{
    frazil_layout made[sizeof plans / sizeof plans[0]];
    frazil_error err;
    char text[FRAZIL_FINGERPRINT_SIZE];
    size_t len;

    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        made[i] = (frazil_layout){.name = "custom",
                                  .epoch_unix_ms = epoch,
                                  .kind = FRAZIL_LAYOUT_64,
                                  .tick_ms = plans[i].tick_ms,
                                  .time_bits = plans[i].time_bits,
                                  .worker_bits = plans[i].worker_bits,
                                  .sequence_bits = plans[i].sequence_bits};
        if (frazil_layout_validate(&made[i], &err) != FRAZIL_OK) {
            printf("no layout: %s\n", err.message);
            continue;
        }
        if (frazil_layout_fingerprint(&made[i], text, sizeof text, &len) != FRAZIL_OK)
            return 1;
        printf("%s: %s\n", text, judge(&made[i]));
    }
    if (show_change(&made[0], &made[2], epoch + YEARS_20_MS / 20, &err) != 0 ||
        show_change(&made[2], &made[0], epoch + YEARS_20_MS / 20, &err) != 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return 0;
}
