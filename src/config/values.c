/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <string.h>

#include "behaviours.h"
#include "canonical_url.h"
#include "coordinators.h"
#include "core/decimal.h"
#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/nearest.h"
#include "core/sentence.h"
#include "decision.h"
#include "frazil/time.h"

/* ---- the table ------------------------------------------------------------------- */

enum value_kind {
    VALUE_TEXT,     /* a name, or a value that only some cases need: its user parses it */
    VALUE_WORD,     /* one of value_words */
    VALUE_NUMBER,   /* a whole number */
    VALUE_DURATION, /* in nanoseconds */
    VALUE_LAYOUT,   /* has a default */
    VALUE_PART,     /* of the layout: its own parser reads it */
    VALUE_CLOCK,    /* real, or frozen:TIME */
};

static const struct {
    uint8_t kind;
    uint8_t member; /* where it goes */
} value_rows[] = {
#define VALUE_ROW(identifier, name, whose, kind, member, needs, where)                                                 \
    {VALUE_##kind, offsetof(struct fz_values, member)},
    FZ_KEYS(VALUE_ROW)
#undef VALUE_ROW
};

/* The words of all keys, in the order in which sentences list them. */
static const struct {
    char word[15];
    uint8_t key;
    uint8_t choice;
} value_words[] = {{"wait", FZ_KEY_ON_FULL, FZ_FULL_WAIT},
                   {"lead", FZ_KEY_ON_FULL, FZ_FULL_LEAD},
                   {"error", FZ_KEY_ON_FULL, FZ_FULL_ERROR},
                   {"hold", FZ_KEY_ON_BACKWARD, FZ_BACKWARD_HOLD},
                   {"wait", FZ_KEY_ON_BACKWARD, FZ_BACKWARD_WAIT},
                   {"error", FZ_KEY_ON_BACKWARD, FZ_BACKWARD_ERROR},
                   {"ticktock", FZ_KEY_ON_BACKWARD, FZ_BACKWARD_TICKTOCK},
                   {"zero", FZ_KEY_START, FZ_START_ZERO},
                   {"random", FZ_KEY_START, FZ_START_RANDOM},
                   {"spread", FZ_KEY_START, FZ_START_SPREAD},
                   {"file", FZ_KEY_STATE, FZ_STATE_SET_FILE},
                   {"memory", FZ_KEY_STATE, FZ_STATE_SET_MEMORY},
                   {"thread", FZ_KEY_KEEPER, FZ_KEEPER_THREAD},
                   {"hook", FZ_KEY_KEEPER, FZ_KEEPER_HOOK},
                   {"inline", FZ_KEY_KEEPER, FZ_KEEPER_INLINE},
                   {"other", FZ_KEY_KEEPER, FZ_KEEPER_OTHER},
                   {"move", FZ_KEY_ON_LOSS, 0},
                   {"stop", FZ_KEY_ON_LOSS, 1},
                   {"process", FZ_KEY_SHARE, 0},
                   {"host", FZ_KEY_SHARE, 1},
                   {"yes", FZ_KEY_ALLOW_SHORT_LIFE, 1},
                   {"no", FZ_KEY_ALLOW_SHORT_LIFE, 0},
#define BEHAVIOUR_WORD(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns)                        \
    {name, FZ_KEY_BEHAVIOUR, FZ_BEHAVIOUR_##identifier},
                   FZ_BEHAVIOURS(BEHAVIOUR_WORD)
#undef BEHAVIOUR_WORD
};
enum { VALUE_WORDS = sizeof value_words / sizeof value_words[0] };

const char *fz_value_word(enum fz_key key, int choice)
{
    size_t i = 0;

    while (value_words[i].key != key || value_words[i].choice != choice)
        i++;
    return value_words[i].word;
}

const char *fz_key_word(enum fz_key key, size_t i)
{
    for (size_t row = 0; row < VALUE_WORDS; row++) {
        if (value_words[row].key == key && i-- == 0)
            return value_words[row].word;
    }
    return NULL;
}

/* ---- each kind ------------------------------------------------------------------- */

frazil_err fz_value_refuse(const struct fz_values *values, enum fz_key key, const char *right, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESPEC, "%s=%q: %s", fz_key_name(key), fz_given_text(values, key), right);
}

static frazil_err read_word(const struct fz_values *values, enum fz_key key, const char *text, int *ret,
                            frazil_error *reterr)
{
    struct fz_nearest near = fz_nearest_to(text, strlen(text));
    char right[192];
    struct fz_sentence sentence = fz_sentence_in(right, sizeof right);

    if (key == FZ_KEY_STATE && fz_is_url(text)) {
        *ret = FZ_STATE_SET_URL;
        return FRAZIL_OK;
    }
    fz_sentence_str(&sentence, "must be one of");
    for (size_t i = 0; i < VALUE_WORDS; i++) {
        if (value_words[i].key != key)
            continue;
        if (strcmp(value_words[i].word, text) == 0) {
            *ret = value_words[i].choice;
            return FRAZIL_OK;
        }
        fz_sentence_char(&sentence, ' ');
        fz_sentence_str(&sentence, value_words[i].word);
        fz_nearest_offer(&near, value_words[i].word);
    }
    if (key == FZ_KEY_STATE)
        fz_sentence_str(&sentence,
                        ", or a URL: redis://HOST/NAMESPACE, konayuki+redis://HOST or konayuki+file:///PATH");
    fz_nearest_say(&sentence, &near, "");
    return fz_value_refuse(values, key, right, reterr);
}

frazil_err fz_value_number(const struct fz_values *values, enum fz_key key, uint64_t *ret, frazil_error *reterr)
{
    const char *text = fz_given_text(values, key);

    if (!fz_decimal_parse(text, strlen(text), ret))
        return fz_value_refuse(values, key, "must be a whole number without sign or leading zero", reterr);
    return FRAZIL_OK;
}

frazil_err fz_value_between(const struct fz_values *values, enum fz_key key, uint64_t number, uint64_t min,
                            uint64_t max, frazil_error *reterr)
{
    if (fz_is_given(values, key) && (number < min || number > max))
        return fz_fail(reterr, FRAZIL_ERANGE, "%s=%u: must be from %u to %u for this layout", fz_key_name(key), number,
                       min, max);
    return FRAZIL_OK;
}

static frazil_err read_duration(const struct fz_values *values, enum fz_key key, const char *text, uint64_t *ret_ns,
                                frazil_error *reterr)
{
    frazil_error why;

    if (fz_duration_parse(text, strlen(text), ret_ns, &why) != FRAZIL_OK)
        return fz_value_refuse(values, key, why.message, reterr);
    return FRAZIL_OK;
}

static frazil_err read_layout(struct fz_values *values, const char *text, frazil_error *reterr)
{
    text = text == NULL ? "frazil" : text;
    return fz_without_position(frazil_layout_parse(text, strlen(text), &values->layout, reterr), reterr);
}

static frazil_err read_part(frazil_layout *layout, const char *name, const char *text, frazil_error *reterr)
{
    return fz_layout_apply_key(layout, name, strlen(name), text, strlen(text), reterr);
}

static frazil_err read_clock(struct fz_values *values, const char *text, frazil_error *reterr)
{
    static const char frozen[] = "frozen:";
    frazil_error why;

    if (strcmp(text, "real") == 0)
        return FRAZIL_OK;
    if (strncmp(text, frozen, sizeof frozen - 1) != 0)
        return fz_value_refuse(values, FZ_KEY_CLOCK, "must be real, or frozen:TIME with a time as RFC 3339 or Unix ms",
                               reterr);
    text += sizeof frozen - 1;
    if (frazil_time_parse(text, strlen(text), &values->frozen_unix_ms, &why) != FRAZIL_OK)
        return fz_value_refuse(values, FZ_KEY_CLOCK, why.message, reterr);
    values->frozen = true;
    return FRAZIL_OK;
}

/* ---- all of them ----------------------------------------------------------------- */

static frazil_err read_key_of(struct fz_values *values, enum fz_key key, frazil_error *reterr)
{
    const char *text = fz_given_text(values, key);
    unsigned char *member = (unsigned char *)values + value_rows[key].member;
    uint64_t number = 0;
    int choice = 0;
    frazil_err err = FRAZIL_OK;

    switch ((enum value_kind)value_rows[key].kind) {
    case VALUE_TEXT:
        break;
    case VALUE_WORD:
        err = read_word(values, key, text, &choice, reterr);
        memcpy(member, &choice, sizeof choice);
        break;
    case VALUE_NUMBER:
        err = fz_value_number(values, key, &number, reterr);
        memcpy(member, &number, sizeof number);
        break;
    case VALUE_DURATION:
        err = read_duration(values, key, text, &number, reterr);
        memcpy(member, &number, sizeof number);
        break;
    case VALUE_LAYOUT:
        err = read_layout(values, text, reterr);
        break;
    case VALUE_PART:
        err = read_part(&values->layout, fz_key_name(key), text, reterr);
        break;
    case VALUE_CLOCK:
        err = read_clock(values, text, reterr);
        break;
    }
    return err;
}

/* A path is taken as it is.  An encoded one would be another folder, in which two processes would not meet. */
static frazil_err check_path(const struct fz_values *values, enum fz_key key, frazil_error *reterr)
{
    const char *url = fz_given_text(values, key);

    if (url == NULL || !fz_is_url(url) || !fz_url_has_encoded_path(url))
        return FRAZIL_OK;
    return fz_value_refuse(
        values, key, "write the path without percent-encoding, such as ' ' for %20, or choose another name", reterr);
}

frazil_err fz_values_read(struct fz_values *ret, const struct fz_settings *settings, frazil_error *reterr)
{
    frazil_err err = FRAZIL_OK;

    *ret = (struct fz_values){.settings = settings};
    for (int i = 0; i < FZ_KEYS_TOTAL && err == FRAZIL_OK; i++) {
        enum fz_key key = (enum fz_key)i;
        if (fz_is_given(ret, key) || value_rows[key].kind == VALUE_LAYOUT)
            err = read_key_of(ret, key, reterr);
    }
    if (err == FRAZIL_OK)
        err = check_path(ret, FZ_KEY_WORKER, reterr);
    if (err == FRAZIL_OK)
        err = check_path(ret, FZ_KEY_STATE, reterr);
    return err == FRAZIL_OK ? frazil_layout_validate(&ret->layout, reterr) : err;
}
