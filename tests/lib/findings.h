/* SPDX-License-Identifier: MIT */
/* The findings of a coordinator's diagnosis, as one text. */
#ifndef TESTS_LIB_FINDINGS_H
#define TESTS_LIB_FINDINGS_H

#include <stddef.h>

#include "lease/coordinator.h"

struct findings {
    char text[4096]; /* "OK sentence\nWARN sentence\n..." */
    size_t len;
};

/* Takes one down, as an fz_finding_visitor; ctx is a struct findings. */
void findings_note(void *ctx, enum fz_finding_level level, const char *sentence);

/* All that is found at the URL that printf would write; fails the test if it is none. */
struct findings findings_at(const frazil_coordinator *coordinator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fail the test unless these words were found, or if they were. */
void assert_found(struct findings findings, const char *words);
void assert_not_found(struct findings findings, const char *words);

#endif
