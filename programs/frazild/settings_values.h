/* SPDX-License-Identifier: MIT */
/*
 * The kinds of values that keys of the configuration have: each is read from a text, and written as one.
 */
#ifndef FRAZILD_SETTINGS_VALUES_H
#define FRAZILD_SETTINGS_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

#define MAX_BATCH_MAX 65536 /* ids of one request: 640 KiB of snos */

/* The reply to INCR for clients that round integers above 2^53. */
enum incr_reply { INCR_AUTO, INCR_INTEGER, INCR_STRING };

/*
 * A kind of value.  read puts the value at `to`, or returns false if the text is none.  write adds the text of it. form
 * says what would be right.
 */
struct value_kind {
    bool (*read)(const char *text, void *to);
    void (*write)(const void *from, struct bytes *out);
    const char *form;
};

/* uint32_t: 0 for the word "auto", or 1 to 64. */
extern const struct value_kind value_threads;
/* uint32_t: 1 to 1,000,000. */
extern const struct value_kind value_count;
/* uint32_t: 1 to MAX_BATCH_MAX. */
extern const struct value_kind value_batch;
extern const struct value_kind value_workers;
/* uint32_t: 1 to 1,000,000,000, or 0 for "unlimited". */
extern const struct value_kind value_rate;
/* uint32_t: an octal mode; NO_MODE is not written. */
#define NO_MODE UINT32_MAX
extern const struct value_kind value_mode;
/* uint64_t: nanoseconds, written as 500ms, 10s, 5m. */
extern const struct value_kind value_duration;
extern const struct value_kind value_wait;
extern const struct value_kind value_timeout;
extern const struct value_kind value_timeout_or_none;
/* bool: yes or no. */
extern const struct value_kind value_yes;
/* uint32_t: an enum incr_reply. */
extern const struct value_kind value_incr_reply;
/* const char *: the text itself, which must stay; of names of hosts, and any. */
extern const struct value_kind value_hosts;
extern const struct value_kind value_text;

#endif
