/* SPDX-License-Identifier: MIT */
/* The fields of an id, for people and as JSON. */
#ifndef FIELDS_H
#define FIELDS_H

#include "ids.h"

/* Now, in Unix ms. */
int64_t fields_now(void);

/* Bytes that fields_time and fields_age can need. */
#define FIELDS_TEXT_SIZE 64

/* An instant as RFC 3339; "?" for years that have no such form. */
const char *fields_time(int64_t unix_ms, char buf[FIELDS_TEXT_SIZE]);

/* Whether Unix milliseconds are rather seconds: as they are, they lie in 1970, when nobody made ids. */
bool fields_is_in_seconds(int64_t unix_ms);

/* "3 years ago", "in 2 hours: in the future". */
const char *fields_age(int64_t unix_ms, int64_t now_ms, char buf[FIELDS_TEXT_SIZE]);

/*
 * Whether a checked id's time is more than a day ahead of the clock: no clock is
 * that wrong, so it is hardly an id of this layout.
 */
bool fields_is_future(const struct ids_layout *layout, const struct id *id);

/* Whether it is an id of the layout at all; if not, why. */
frazil_err fields_check(const struct ids_layout *layout, const struct id *id, frazil_error *reterr);

/*
 * Writes the fields of a checked id as one JSON object, without a line end; with forms, also the id in each text form.
 */
void fields_json(const struct ids_layout *layout, const struct id *id, bool forms);

/* Writes them as lines for people. */
void fields_text(const struct ids_layout *layout, const struct id *id, bool forms);

#endif
