/* SPDX-License-Identifier: MIT */
/*
 * Looks at ids, layouts and generators as pairs of keys and values: RESP writes them as maps, HTTP as JSON.
 */
#ifndef FRAZILD_INFO_H
#define FRAZILD_INFO_H

#include <frazil.h>

#include "generators.h"
#include "slice.h"

#define INFO_PAIRS_MAX 24
#define INFO_TEXT_SIZE 128

struct info_pair {
    const char *key;
    bool is_number;
    uint64_t number;
    char text[INFO_TEXT_SIZE];
};

struct info {
    struct info_pair pairs[INFO_PAIRS_MAX];
    size_t count;
};

/* An id of a layout. */
struct info_id {
    bool is_sno;
    uint64_t number;
    frazil_sno sno;
};

/* Adds a pair; the text is copied and cut. */
void info_text(struct info *info, const char *key, const char *text);

/* Reads an id of a layout: decimal digits or 0x, of a sno its 16 characters, its 20 hex digits or its UUID. */
frazil_err info_read_id(const frazil_layout *layout, struct slice text, struct info_id *ret, frazil_error *err);

/* The id as text: decimal digits, or a sno's characters. */
void info_write_id(const struct info_id *id, char out[INFO_TEXT_SIZE]);

/* The fields of an id. */
frazil_err info_of_id(const frazil_layout *layout, const struct info_id *id, struct info *ret, frazil_error *err);

/* The id of the given time, worker and sequence, as texts. */
frazil_err info_compose(const frazil_layout *layout, struct slice when, struct slice worker, struct slice sequence,
                        struct info_id *ret, frazil_error *err);

/* The smallest and the largest id of the ticks from one time to another, both included. */
frazil_err info_range(const frazil_layout *layout, struct slice from, struct slice to, struct info *ret,
                      frazil_error *err);

/* A layout. */
void info_of_layout(const frazil_layout *layout, struct info *ret);

/* A generator: its layout, worker, grant and limits. */
void info_of_generator(const struct generator *generator, struct info *ret);

/* One worker id of a generator: its state, and when its grant ends. */
void info_of_engine(const struct engine *engine, struct info *ret);

/* A generator's statistics: the sums, or the largest, of all its worker ids. */
void info_of_stats(const struct generator *generator, struct info *ret);

/* The name of a frazil_health_state, in small letters. */
const char *info_health_name(int32_t state);

#endif
