/* SPDX-License-Identifier: MIT */
/*
 * Writing and reading the text forms, as frazil/text.h describes them.
 */
#ifndef FZ_CORE_TEXT_INTERNAL_H
#define FZ_CORE_TEXT_INTERNAL_H

#include "frazil/text.h"

/* How many forms there are; they are numbered from 0. */
#define FZ_TEXT_ONE(identifier, number, name, room) +1
enum { FZ_TEXT_COUNT = FRAZIL_TEXTS(FZ_TEXT_ONE) };
#undef FZ_TEXT_ONE

/* Writes id without a terminator and returns how many characters that are.  The rest of buf may be overwritten. */
FZ_PRIVATE size_t fz_text_write(frazil_text form, uint64_t id, char buf[FRAZIL_TEXT_SIZE]);

/* frazil_id_parse for a form that exists. */
FZ_PRIVATE frazil_err fz_text_read(frazil_text form, const char *text, size_t len, uint64_t *ret_id,
                                   frazil_error *reterr);

/*
 * Whether a text is an id of another system: a UUID, a ULID, a KSUID or an ObjectId.  If it is, *reterr says which,
 * with the time that is in it, and has no position.
 */
FZ_PRIVATE bool fz_text_fail_foreign(const char *text, size_t len, frazil_error *reterr);

#endif
