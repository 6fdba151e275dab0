/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <assert.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"

#define FORM_NAME "frazil"

enum { WORKER_FORM = 1, NAMESPACE_FORM = 1 };

#define UNIX_MS_MAX UINT64_C(253402300799999) /* the last one of the year 9999 */

enum { TOKEN_DIGITS = 32 };

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_owner_character(char c)
{
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == ':' || c == '-';
}

/* Everything a fingerprint is made of. */
static bool is_layout_character(char c)
{
    return is_letter_or_digit(c) || c == '/' || c == '+' || c == '=' || c == '-' || c == ' ';
}

void fz_owner_sanitise(const char *text, char ret[FZ_OWNER_SIZE])
{
    size_t len = 0;

    for (; len < FZ_OWNER_SIZE - 1 && text[len] != '\0'; len++)
        /* Host names may hold anything.  Records are parsed by spaces, and shown on terminals. */
        ret[len] = is_owner_character(text[len]) ? text[len] : '_';
    if (len == 0)
        ret[len++] = '_';
    ret[len] = '\0';
}

bool fz_token_equal(struct fz_token a, struct fz_token b)
{
    return a.high == b.high && a.low == b.low;
}

/* ---- writing ------------------------------------------------------------- */

static void put_number(struct fz_sentence *s, const char *key, uint64_t value)
{
    fz_sentence_str(s, key);
    fz_sentence_u64(s, value);
}

static void put_text(struct fz_sentence *s, const char *key, const char *value)
{
    fz_sentence_str(s, key);
    fz_sentence_str(s, value);
}

static void put_token(struct fz_sentence *s, struct fz_token token)
{
    fz_sentence_str(s, " token=");
    for (int shift = 60; shift >= 0; shift -= 4)
        fz_sentence_char(s, "0123456789abcdef"[token.high >> shift & 15]);
    for (int shift = 60; shift >= 0; shift -= 4)
        fz_sentence_char(s, "0123456789abcdef"[token.low >> shift & 15]);
}

size_t fz_worker_record_format(const struct fz_worker_record *record, char buf[FZ_RECORD_SIZE_MAX])
{
    assert(record->until <= FZ_TICK_MAX && record->floor <= record->until + 1);
    assert(record->since_unix_ms >= 0 && record->owners >= 1);
    /* A sentence ends with a terminator, which records do not have. */
    char text[FZ_RECORD_SIZE_MAX + 1];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    put_number(&s, FORM_NAME, WORKER_FORM);
    put_number(&s, " worker until=", record->until);
    put_number(&s, " floor=", record->floor);
    put_token(&s, record->token);
    put_text(&s, " owner=", record->owner);
    put_number(&s, " since=", (uint64_t)record->since_unix_ms);
    put_text(&s, " released=", record->released ? "yes" : "no");
    put_number(&s, " owners=", record->owners);
    put_number(&s, " extensions=", record->extensions);
    memcpy(buf, text, s.len);
    return s.len;
}

size_t fz_namespace_record_format(const struct fz_namespace_record *record, char buf[FZ_RECORD_SIZE_MAX])
{
    assert(record->horizon_ms >= FZ_HORIZON_MS_MIN && record->horizon_ms <= FZ_HORIZON_MS_MAX);
    assert(record->max_skew_ms >= 0 && record->max_skew_ms <= FZ_SKEW_MS_MAX);
    assert(record->workers >= 1 && record->workers <= FZ_NAMESPACE && record->quarantine_until <= FZ_TICK_MAX);
    char text[FZ_RECORD_SIZE_MAX + 1];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    put_number(&s, FORM_NAME, NAMESPACE_FORM);
    put_text(&s, " namespace layout=\"", record->layout);
    put_number(&s, "\" horizon=", record->horizon_ms);
    put_number(&s, " max_skew=", (uint64_t)record->max_skew_ms);
    put_number(&s, " workers=", record->workers);
    put_token(&s, record->token);
    put_number(&s, " created=", (uint64_t)record->created_unix_ms);
    put_number(&s, " quarantine=", record->quarantine_until);
    put_number(&s, " losses=", record->losses);
    put_text(&s, " incarnation=", record->incarnation);
    memcpy(buf, text, s.len);
    return s.len;
}

/* ---- reading ------------------------------------------------------------- */

/* The rest of a record.  The first failure is kept in err, and nothing is read after it. */
struct record_reader {
    const char *text;
    size_t pos;
    size_t len;
    frazil_err err;
    frazil_error *reterr;
};

static void refuse_text(struct record_reader *r, const char *wanted)
{
    if (r->err == FRAZIL_OK)
        r->err = fz_fail(r->reterr, FRAZIL_EPARSE, "the record cannot be read: expected %s at position %u", wanted,
                         (uint64_t)r->pos + 1);
}

/* The words that must come next. */
static void expect(struct record_reader *r, const char *words)
{
    size_t len = strlen(words);

    if (r->err != FRAZIL_OK)
        return;
    if (r->len - r->pos < len || memcmp(r->text + r->pos, words, len) != 0)
        refuse_text(r, words[0] == ' ' ? words + 1 : words);
    else
        r->pos += len;
}

/* The characters from here to `end`, which is not among them, or to the end of the record. */
static size_t run_length(const struct record_reader *r, char end)
{
    size_t len = 0;

    while (r->pos + len < r->len && r->text[r->pos + len] != end)
        len++;
    return len;
}

static uint64_t get_number(struct record_reader *r, const char *key, uint64_t min, uint64_t max)
{
    uint64_t value = min;

    expect(r, key);
    if (r->err != FRAZIL_OK)
        return min;
    size_t len = run_length(r, ' ');
    /* Leading zeros and signs are refused: each record has one form, so that comparing bytes compares records. */
    if (!fz_decimal_parse(r->text + r->pos, len, &value) || value < min || value > max) {
        r->err = fz_fail(r->reterr, FRAZIL_EPARSE,
                         "the record cannot be read: expected a number from %u to %u after%s at position %u", min, max,
                         key, (uint64_t)r->pos + 1);
        return min;
    }
    r->pos += len;
    return value;
}

/* Text of allowed characters up to `end`; min .. size - 1 of them. */
static void get_text(struct record_reader *r, const char *key, char end, bool (*allowed)(char), size_t min, char *ret,
                     size_t size)
{
    expect(r, key);
    if (r->err != FRAZIL_OK)
        return;
    size_t len = run_length(r, end);
    size_t good = 0;
    while (good < len && allowed(r->text[r->pos + good]))
        good++;
    if (good < len || len < min || len >= size) {
        /* Points at the wrong character, which an operator who edits records by hand needs. */
        r->pos += good < size ? good : size - 1;
        refuse_text(r, "another character, or an earlier end of the text,");
        return;
    }
    memcpy(ret, r->text + r->pos, len);
    ret[len] = '\0';
    r->pos += len;
}

static uint64_t get_hex(struct record_reader *r)
{
    uint64_t value = 0;

    for (int i = 0; i < TOKEN_DIGITS / 2 && r->err == FRAZIL_OK; i++, r->pos++) {
        char c = r->pos < r->len ? r->text[r->pos] : ' ';
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        } else {
            refuse_text(r, "a digit of 0123456789abcdef");
            break;
        }
    }
    return value;
}

static struct fz_token get_token(struct record_reader *r)
{
    struct fz_token token = {0, 0};

    expect(r, " token=");
    token.high = get_hex(r);
    token.low = get_hex(r);
    return token;
}

static bool get_yes_or_no(struct record_reader *r, const char *key)
{
    expect(r, key);
    bool yes = r->err == FRAZIL_OK && r->len - r->pos >= 3 && memcmp(r->text + r->pos, "yes", 3) == 0;
    /* Another word fails here, at the right position. */
    expect(r, yes ? "yes" : "no");
    return yes;
}

/* The version of the form, at most `newest`. */
static void get_form(struct record_reader *r, uint64_t newest)
{
    expect(r, FORM_NAME);
    uint64_t version = get_number(r, "", 1, UINT64_MAX);
    /* A newer form may mean that ticks are taken in ways that this version does not see. */
    if (r->err == FRAZIL_OK && version > newest)
        r->err = fz_fail(r->reterr, FRAZIL_EPARSE,
                         "the record was written by a newer frazil in form %u, and this one reads form %u: use the "
                         "newer one here, too",
                         version, newest);
}

static frazil_err finish(struct record_reader *r)
{
    /* More text could change what the record means, so it is not ignored. */
    if (r->err == FRAZIL_OK && r->pos != r->len)
        refuse_text(r, "its end");
    return r->err;
}

frazil_err fz_worker_record_parse(const char *text, size_t len, struct fz_worker_record *ret, frazil_error *reterr)
{
    struct record_reader r = {.text = text, .len = len, .err = FRAZIL_OK, .reterr = reterr};
    struct fz_worker_record record = {0};

    get_form(&r, WORKER_FORM);
    record.until = get_number(&r, " worker until=", 0, FZ_TICK_MAX);
    /* One above until: a grant that was released before it was used. */
    record.floor = get_number(&r, " floor=", 0, record.until + 1);
    record.token = get_token(&r);
    get_text(&r, " owner=", ' ', is_owner_character, 1, record.owner, sizeof record.owner);
    record.since_unix_ms = (int64_t)get_number(&r, " since=", 0, UNIX_MS_MAX);
    record.released = get_yes_or_no(&r, " released=");
    record.owners = get_number(&r, " owners=", 1, UINT64_MAX);
    record.extensions = get_number(&r, " extensions=", 0, UINT64_MAX);
    /* After a failure nothing more is read, so one check at the end is enough. */
    frazil_err err = finish(&r);
    if (err == FRAZIL_OK)
        *ret = record;
    return err;
}

frazil_err fz_namespace_record_parse(const char *text, size_t len, struct fz_namespace_record *ret,
                                     frazil_error *reterr)
{
    struct record_reader r = {.text = text, .len = len, .err = FRAZIL_OK, .reterr = reterr};
    struct fz_namespace_record record = {.layout = ""};

    get_form(&r, NAMESPACE_FORM);
    get_text(&r, " namespace layout=\"", '"', is_layout_character, 1, record.layout, sizeof record.layout);
    expect(&r, "\"");
    record.horizon_ms = get_number(&r, " horizon=", FZ_HORIZON_MS_MIN, FZ_HORIZON_MS_MAX);
    record.max_skew_ms = (int64_t)get_number(&r, " max_skew=", 0, FZ_SKEW_MS_MAX);
    record.workers = get_number(&r, " workers=", 1, FZ_NAMESPACE);
    record.token = get_token(&r);
    record.created_unix_ms = (int64_t)get_number(&r, " created=", 0, UNIX_MS_MAX);
    record.quarantine_until = get_number(&r, " quarantine=", 0, FZ_TICK_MAX);
    record.losses = get_number(&r, " losses=", 0, UINT64_MAX);
    get_text(&r, " incarnation=", ' ', is_owner_character, 0, record.incarnation, sizeof record.incarnation);
    frazil_err err = finish(&r);
    if (err == FRAZIL_OK)
        *ret = record;
    return err;
}
