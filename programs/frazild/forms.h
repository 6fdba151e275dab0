/* SPDX-License-Identifier: MIT */
/*
 * How ids are written for clients: the forms of frazil_text for 64-bit ids, and those of snos.
 */
#ifndef FRAZILD_FORMS_H
#define FRAZILD_FORMS_H

#include "generators.h"
#include "slice.h"

#define FORM_SNO 100 /* forms of snos, beside frazil_text of 64-bit ids */
#define FORM_UUID 101
#define EXACT_MAX ((UINT64_C(1) << 53) - 1) /* a larger number is rounded by JavaScript */
#define FORM_TEXT_SIZE 96                   /* no id is longer in any form */

/* The form that a client gets which names none. */
int form_default(const struct engine *engine);

/* Reads a form of this engine's ids, in either case. */
bool form_by_name(const struct engine *engine, struct slice name, int *ret);

/* The names, for a sentence. */
const char *form_names(const struct engine *engine);

/* Writes an id as text; returns its length, or 0 if the form does not suit.  size: at least FORM_TEXT_SIZE. */
size_t form_text(const struct engine *engine, int form, const void *id, char *out, size_t size);

/* Adds n ids as bytes, big-endian: 8 each, or the 10 of a sno. */
void form_bytes(const struct engine *engine, const void *ids, size_t n, struct bytes *out);

#endif
