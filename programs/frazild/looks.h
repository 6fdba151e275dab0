/* SPDX-License-Identifier: MIT */
/*
 * Looks at ids, layouts and generators as pairs of keys and values: RESP writes them as maps, HTTP as JSON.
 */
#ifndef FRAZILD_LOOKS_H
#define FRAZILD_LOOKS_H

#include <frazil.h>

#include "generators.h"
#include "slice.h"

#define LOOK_PAIRS_MAX 24
#define LOOK_TEXT_SIZE 128

struct look_pair {
    const char *key;
    bool is_number;
    uint64_t number;
    char text[LOOK_TEXT_SIZE];
};

struct look {
    struct look_pair pairs[LOOK_PAIRS_MAX];
    size_t count;
};

/* An id of a layout. */
struct look_id {
    bool is_sno;
    uint64_t number;
    frazil_sno sno;
};

/* Adds a pair; texts are copied and cut. */
void look_number(struct look *look, const char *key, uint64_t number);
void look_text(struct look *look, const char *key, const char *text);

/* Reads an id of a layout: decimal digits or 0x, of a sno its 16 characters, its 20 hex digits or its UUID. */
frazil_err look_read_id(const frazil_layout *layout, struct slice text, struct look_id *ret, frazil_error *err);

/* The id as text: decimal digits, or a sno's characters. */
void look_write_id(const struct look_id *id, char out[LOOK_TEXT_SIZE]);

/* The fields of an id. */
frazil_err look_at_id(const frazil_layout *layout, const struct look_id *id, struct look *ret, frazil_error *err);

/* The id of the given time, worker and sequence, as texts. */
frazil_err look_compose(const frazil_layout *layout, struct slice when, struct slice worker, struct slice sequence,
                        struct look_id *ret, frazil_error *err);

/* The smallest and the largest id of the ticks from one time to another, both included. */
frazil_err look_range(const frazil_layout *layout, struct slice from, struct slice to, struct look *ret,
                      frazil_error *err);

/* A layout. */
void look_at_layout(const frazil_layout *layout, struct look *ret);

/* A generator: its layout, worker, grant and limits. */
void look_at_generator(const struct generator *generator, struct look *ret);

/* A generator's statistics. */
void look_at_stats(const struct generator *generator, struct look *ret);

/* The name of a frazil_health_state, in small letters. */
const char *look_health_name(int32_t state);

#endif
