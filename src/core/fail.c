/* SPDX-License-Identifier: MIT */
/* Failing with a sentence: what sentence.h has beyond the pieces that sentences are made of. */
#include <stdarg.h>
#include <string.h>

#include "frazil/time.h"
#include "sentence.h"

void fz_sentence_time(struct fz_sentence *s, int64_t unix_ms)
{
    char text[FRAZIL_TIME_SIZE];

    if (frazil_time_format(unix_ms, text, sizeof text, NULL) == FRAZIL_OK) {
        fz_sentence_str(s, text);
    } else {
        fz_sentence_i64(s, unix_ms);
        fz_sentence_str(s, " ms since 1970");
    }
}

void fz_sentence_duration(struct fz_sentence *s, uint64_t us)
{
    static const struct {
        uint64_t us;
        char name[5];
    } scale[] = {{UINT64_C(86400000000), " d"},
                 {UINT64_C(3600000000), " h"},
                 {60000000, " min"},
                 {1000000, " s"},
                 {1000, " ms"},
                 {1, " us"}};
    const size_t last = sizeof scale / sizeof scale[0] - 1;
    size_t i = 0;

    while (i < last && us < scale[i].us)
        i++;
    uint64_t step = scale[i < last ? i + 1 : last].us;
    if (i + 1 == last && us > 100000)
        step = scale[i].us; /* beside 999 ms nobody reads 51 us */
    us = us > UINT64_MAX - step ? us : (us + step - 1) / step * step;
    if (i > 0 && us >= scale[i - 1].us)
        i--;
    fz_sentence_u64(s, us / scale[i].us);
    fz_sentence_str(s, scale[i].name);
    if (i == last || us % scale[i].us / scale[i + 1].us == 0)
        return;
    fz_sentence_char(s, ' ');
    fz_sentence_u64(s, us % scale[i].us / scale[i + 1].us);
    fz_sentence_str(s, scale[i + 1].name);
}

/* Text as it is, except control characters: a server's own message may hold what a terminal obeys. */
static void sentence_text(struct fz_sentence *s, const char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0x20 && byte != 0x7f) {
            fz_sentence_char(s, *text);
            continue;
        }
        fz_sentence_str(s, "\\x");
        fz_sentence_char(s, digits[byte >> 4]);
        fz_sentence_char(s, digits[byte & 15]);
    }
}

/* One directive of a format. */
static void sentence_directive(struct fz_sentence *s, char directive, va_list *args)
{
    const char *text;
    size_t before, len;

    switch (directive) {
    case 's':
        sentence_text(s, va_arg(*args, const char *));
        break;
    case 'q':
        text = va_arg(*args, const char *);
        fz_sentence_quoted(s, text, fz_text_len(text));
        break;
    case 'v':
        text = va_arg(*args, const char *);
        fz_sentence_shown(s, text, fz_text_len(text));
        break;
    case 'V':
        text = va_arg(*args, const char *);
        fz_sentence_shown(s, text, va_arg(*args, size_t));
        break;
    case 'Q':
        text = va_arg(*args, const char *);
        fz_sentence_quoted(s, text, va_arg(*args, size_t));
        break;
    case 'P':
        text = va_arg(*args, const char *);
        before = va_arg(*args, size_t);
        len = va_arg(*args, size_t);
        fz_sentence_quoted_piece(s, text, before, len, va_arg(*args, size_t));
        break;
    case 'u':
        fz_sentence_u64(s, va_arg(*args, uint64_t));
        break;
    case 'd':
        fz_sentence_i64(s, va_arg(*args, int64_t));
        break;
    case 't':
        fz_sentence_time(s, va_arg(*args, int64_t));
        break;
    case 'D':
        fz_sentence_duration(s, va_arg(*args, uint64_t));
        break;
    case 'c':
        fz_sentence_char(s, (char)va_arg(*args, int));
        break;
    default:
        fz_sentence_char(s, directive);
        break;
    }
}

void fz_sentence_format(struct fz_sentence *s, const char *fmt, va_list *args)
{
    for (const char *p = fmt; *p != '\0'; p++) {
        if (*p == '%' && p[1] != '\0')
            sentence_directive(s, *++p, args);
        else
            fz_sentence_char(s, *p);
    }
}

static void fill_error(frazil_error *reterr, int64_t position, frazil_err code, const char *fmt, va_list *args)
{
    char text[FRAZIL_ERROR_MESSAGE_SIZE];

    /* Built beside *reterr, because an argument may be the message of an earlier error in it. */
    struct fz_sentence s = fz_sentence_in(text, sizeof text);
    fz_sentence_format(&s, fmt, args);

    /* Member by member: a kibibyte of zeros costs more than a refused call otherwise does. */
    reterr->code = code;
    reterr->err_class = (int32_t)frazil_err_classify(code);
    reterr->sys_errno = 0;
    reterr->length = (uint32_t)s.len;
    reterr->position = position;
    reterr->behind_us = 0;
    reterr->retry_ns = 0;
    memset(reterr->reserved, 0, sizeof reterr->reserved);
    memcpy(reterr->message, text, s.len + 1);
}

/* Without a position, which most of its many calls would give as FRAZIL_NO_POSITION. */
frazil_err fz_fail_with(frazil_error *reterr, frazil_err code, const char *fmt, ...)
{
    va_list args;

    if (reterr == NULL)
        return code;
    va_start(args, fmt);
    fill_error(reterr, FRAZIL_NO_POSITION, code, fmt, &args);
    va_end(args);
    return code;
}

frazil_err fz_fail_with_position(frazil_error *reterr, int64_t position, frazil_err code, const char *fmt, ...)
{
    va_list args;

    if (reterr == NULL)
        return code;
    va_start(args, fmt);
    fill_error(reterr, position, code, fmt, &args);
    va_end(args);
    return code;
}

frazil_err fz_fail_length(frazil_error *reterr, const char *what, size_t before, size_t len, size_t least, size_t most)
{
    bool is_short = len < least;
    const char *bound = is_short ? "at least " : "at most ";
    uint64_t right = is_short ? least : most;
    uint64_t at = before + (is_short ? len : most);

    return fz_fail_at(reterr, at, FRAZIL_EPARSE, "%s: too %s at position %u: must have %s%u characters", what,
                      is_short ? "short" : "long", at + 1, least == most ? "" : bound, right);
}
