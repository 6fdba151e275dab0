/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "layout_internal.h"
#include "sentence.h"

/* The epochs of several presets, Unix ms. */
#define EPOCH_1970 INT64_C(0)
#define EPOCH_2010 INT64_C(1262304000000)
#define EPOCH_TWITTER INT64_C(1288834974657)
#define EPOCH_INSTAGRAM INT64_C(1314220021721)
#define EPOCH_2014_SEPTEMBER INT64_C(1409529600000)
#define EPOCH_2015 INT64_C(1420070400000)
#define EPOCH_SFID INT64_C(1766361600000) /* 2025-12-22 */
#define EPOCH_2026 FZ_LAYOUT_DEFAULT_EPOCH_MS

/*
 * X(name, kind, epoch, tick ms, time, worker, of it datacenter, sequence, sequence above worker), in the order of the
 * manual.  js53 uses 53 bits, so its ids never exceed 2^53 - 1, the largest number up to which a double (and so a
 * JavaScript number) is exact.
 */
/* clang-format off */
#define PRESETS(X)                                                         \
    X(frazil,     64, EPOCH_2026,            1, 41, 10, 0, 12, false)      \
    X(konayuki,   64, EPOCH_2026,            1, 41, 10, 0, 12, false)      \
    X(sfid,       64, EPOCH_SFID,            1, 41, 10, 0, 12, false)      \
    X(sno,       SNO, EPOCH_2010,            4, 39, 16, 0, 16, false)      \
    X(post,       64, EPOCH_1970,            1, 41, 10, 0, 12, false)      \
    X(flake,      64, EPOCH_1970,            1, 42, 10, 5, 12, false)      \
    X(twitter,    64, EPOCH_TWITTER,         1, 41, 10, 5, 12, false)      \
    X(discord,    64, EPOCH_2015,            1, 42, 10, 5, 12, false)      \
    X(instagram,  64, EPOCH_INSTAGRAM,       1, 41, 13, 0, 10, false)      \
    X(mastodon,   64, EPOCH_1970,            1, 48,  0, 0, 16, false)      \
    X(sonyflake,  64, EPOCH_2014_SEPTEMBER, 10, 39, 16, 0,  8, true)       \
    X(js53,       64, EPOCH_2026,            1, 41,  5, 0,  7, false)
/* clang-format on */

static const frazil_layout presets[] = {
#define PRESET_ROW(preset, id_kind, epoch, tick, time, worker, datacenter, sequence, above)                            \
    {.name = #preset,                                                                                                  \
     .kind = FRAZIL_LAYOUT_##id_kind,                                                                                  \
     .epoch_unix_ms = (epoch),                                                                                         \
     .tick_ms = (tick),                                                                                                \
     .time_bits = (time),                                                                                              \
     .worker_bits = (worker),                                                                                          \
     .datacenter_bits = (datacenter),                                                                                  \
     .sequence_bits = (sequence),                                                                                      \
     .sequence_above_worker = (above)},
    PRESETS(PRESET_ROW)
#undef PRESET_ROW
};

#define PRESET_NAME(preset, ...) ", " #preset
static const char names_after_comma[] = PRESETS(PRESET_NAME);
#undef PRESET_NAME

enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

const frazil_layout *frazil_layout_preset(size_t i)
{
    return i < PRESET_COUNT ? &presets[i] : NULL;
}

const char *fz_layout_preset_names(void)
{
    return names_after_comma + 2;
}

const frazil_layout *fz_layout_preset_named(const char *name, size_t len)
{
    for (size_t i = 0; i < PRESET_COUNT; i++) {
        if (len == fz_text_len(presets[i].name) && memcmp(name, presets[i].name, len) == 0)
            return &presets[i];
    }
    return NULL;
}
