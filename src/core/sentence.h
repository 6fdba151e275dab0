/* SPDX-License-Identifier: MIT */
/*
 * Sentences for frazil_error, built without libc: the core may not call
 * snprintf.  Appending past the end cuts; the text is always terminated.
 */
#ifndef FZ_CORE_SENTENCE_H
#define FZ_CORE_SENTENCE_H

#include <stdarg.h>

#include "assert.h"
#include "frazil/error.h"

struct fz_sentence {
    char *text;
    size_t size;
    size_t len;
};

/* strlen, which the core does without. */
FZ_PRIVATE size_t fz_text_len(const char *text);

/* Starts an empty sentence in buf (size >= 1). */
FZ_PRIVATE struct fz_sentence fz_sentence_in(char *buf, size_t size);

/* Text as it is. */
FZ_PRIVATE void fz_sentence_str(struct fz_sentence *s, const char *text);
/* len characters that a person typed, as they are, but with "..." in place of what may be a password (secret.h). */
FZ_PRIVATE void fz_sentence_typed(struct fz_sentence *s, const char *text, size_t len);
/*
 * The same, and characters that are not printable ASCII appear as \xNN, so that hostile input cannot reach a terminal;
 * and the same in quotes.  All that a person typed, and all that came from outside, goes into a sentence this way.
 */
FZ_PRIVATE void fz_sentence_shown(struct fz_sentence *s, const char *text, size_t len);
FZ_PRIVATE void fz_sentence_quoted(struct fz_sentence *s, const char *text, size_t len);
/*
 * A piece of a text, quoted: a password that was cut in two is not known by one of its parts alone.  The text is given
 * as what stands before the piece, the piece, and what stands behind it, so that no piece can lie outside of its text.
 */
FZ_PRIVATE void fz_sentence_quoted_piece(struct fz_sentence *s, const char *text, size_t before, size_t len,
                                         size_t behind);
FZ_PRIVATE void fz_sentence_char(struct fz_sentence *s, char c);
FZ_PRIVATE void fz_sentence_u64(struct fz_sentence *s, uint64_t value);
FZ_PRIVATE void fz_sentence_i64(struct fz_sentence *s, int64_t value);
/* A duration for people, in two units at most and rounded up: "59 min 59 s", "7 ms 250 us", "0 us"; from 100 ms on
 * without us. */
FZ_PRIVATE void fz_sentence_duration(struct fz_sentence *s, uint64_t us);
/* An instant as RFC 3339 with milliseconds. */
FZ_PRIVATE void fz_sentence_time(struct fz_sentence *s, int64_t unix_ms);

/*
 * Ends a formatter: copies the sentence with its terminator to buf, and its length to *ret_len, which may be NULL.
 * FRAZIL_EBUFFER: size is too small, and nothing is written.
 */
FZ_PRIVATE frazil_err fz_sentence_give(const struct fz_sentence *s, char *buf, size_t size, size_t *ret_len);

/*
 * Writes fmt with the arguments.  Directives: %s C string of our own, %q quoted C string,
 * %Q quoted (const char *, size_t), %v and %V as %q and %Q without the quotes, %u uint64_t, %d int64_t,
 * %t int64_t Unix ms as a time, %c int, %% percent.  %D is uint64_t us as a duration.  %P a quoted piece of a text
 * (const char *text, size_t before, size_t len, size_t behind), as fz_sentence_quoted_piece takes it.
 * Integers must be passed as exactly uint64_t / int64_t / size_t.
 */
FZ_PRIVATE void fz_sentence_format(struct fz_sentence *s, const char *fmt, va_list *args);

/*
 * Fills *reterr (may be NULL) with code, zeroed details and the sentence made of
 * fmt, and returns code, so that a failing function can end with
 *     return fz_fail(reterr, FRAZIL_ERANGE, "worker %u is above %u", w, max);
 */
#define fz_fail(reterr, ...) fz_failed(fz_fail_with(reterr, __VA_ARGS__))
/* The same for an error in a text, after `position` bytes of it. */
#define fz_fail_at(reterr, position, ...) fz_failed(fz_fail_with_position(reterr, (int64_t)(position), __VA_ARGS__))
FZ_PRIVATE frazil_err fz_fail_with(frazil_error *reterr, frazil_err code, const char *fmt, ...);
FZ_PRIVATE frazil_err fz_fail_with_position(frazil_error *reterr, int64_t position, frazil_err code, const char *fmt,
                                            ...);

/*
 * FRAZIL_EPARSE for a text without a wrong character that is shorter than `least` or longer than `most`.  It begins
 * after `before` bytes of what the caller gave; `what` is our own word for it.
 */
FZ_PRIVATE frazil_err fz_fail_length(frazil_error *reterr, const char *what, size_t before, size_t len, size_t least,
                                     size_t most);

/* Takes the position out of an error in a text that the caller did not give; err is returned, and may be FRAZIL_OK. */
static inline frazil_err fz_without_position(frazil_err err, frazil_error *reterr)
{
    if (err != FRAZIL_OK && reterr != NULL)
        reterr->position = FRAZIL_NO_POSITION;
    return err;
}

/* Lets the compiler see that fz_fail never returns FRAZIL_OK, and so which outputs a failure leaves unset. */
static inline frazil_err fz_failed(frazil_err code)
{
    FZ_ASSERT(code != FRAZIL_OK);
    if (code == FRAZIL_OK)
        __builtin_unreachable();
    return code;
}

#endif
