/* SPDX-License-Identifier: MIT */
/*
 * One call of a conformance case: its members are asked for one by one, and what nobody has asked for at the end is an
 * error, so that a slip in a case never passes for a check.  The first thing that is wrong is kept as a sentence.
 */
#ifndef TESTS_CONFORMANCE_STEP_H
#define TESTS_CONFORMANCE_STEP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <frazil.h>

enum { WHY_SIZE = 400, BYTES_MOST = 512 };

struct step {
    json_t *left;       /* the members that nobody has asked for yet */
    unsigned compared;  /* how many expectations were held against an answer */
    frazil_error err;   /* of the function that was called */
    char why[WHY_SIZE]; /* the fault; empty: none yet */
};

/* Begins with a copy of the members, all strings, numbers and so on being shared.  step_end frees it. */
void step_begin(struct step *step, json_t *members);
void step_end(struct step *step);

/* Says what is wrong, unless something is already. */
void step_wrong(struct step *step, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* After the last question: complains of members that are left, and of a success that nothing was held against. */
void step_finish(struct step *step, bool succeeded);

/* ---- inputs: the member must be there --------------------------------- */

uint64_t in_u64(struct step *step, const char *key);     /* a string of decimal digits */
int64_t in_i64(struct step *step, const char *key);      /* likewise, with a '-' where it is negative */
uint32_t in_small(struct step *step, const char *key);   /* a JSON number */
bool in_bool(struct step *step, const char *key);        /* true or false */
const char *in_text(struct step *step, const char *key); /* lives as long as the case */
size_t in_bytes(struct step *step, const char *key, uint8_t ret[BYTES_MOST]); /* hex digits; how many bytes */
frazil_sno in_sno(struct step *step, const char *key);                        /* 20 hex digits */

/* ---- outputs: compared if the case names it -------------------------- */

void out_u64(struct step *step, const char *key, uint64_t value);
void out_i64(struct step *step, const char *key, int64_t value);
void out_small(struct step *step, const char *key, uint64_t value);
void out_bool(struct step *step, const char *key, bool value);
void out_text(struct step *step, const char *key, const char *value);
void out_bytes(struct step *step, const char *key, const void *bytes, size_t len);
void out_sno(struct step *step, const char *key, const frazil_sno *id);
void out_u64s(struct step *step, const char *key, const uint64_t *values, size_t n); /* a list of such strings */
void out_snos(struct step *step, const char *key, const frazil_sno *ids, size_t n);  /* likewise */

/* The value lies between two members KEY_from and KEY_to, both included. */
void out_between(struct step *step, const char *key, uint64_t value);

#endif
