/* SPDX-License-Identifier: MIT */
/*
 * The text of a layout: a preset's name or a description, then keys.
 *
 *   layout      = (preset | field "/" field "/" field) {" " key "=" value}
 *   field       = (width | width "+" width) ["t" | "w" | "s"]
 *
 * A field without a letter is the first of time, worker, sequence that no other
 * field is called.
 */
#include <string.h>

#include "assert.h"
#include "decimal.h"
#include "duration.h"
#include "frazil/time.h"
#include "layout_internal.h"
#include "nearest.h"
#include "sentence.h"

#define FIELDS 3
#define WIDTH_MAX 64 /* of one field; the exact bounds are frazil_layout_validate's */

/* A piece of the text, and how many bytes stand before it. */
struct piece {
    const char *text;
    size_t len;
    size_t at;
};

/* ---- keys ---------------------------------------------------------------- */

static bool piece_is(struct piece p, const char *word)
{
    return p.len == fz_text_len(word) && memcmp(p.text, word, p.len) == 0;
}

static frazil_err read_epoch(struct piece value, int64_t *ret, frazil_error *reterr)
{
    frazil_error why;

    if (frazil_time_parse(value.text, value.len, ret, &why) == FRAZIL_OK)
        return FRAZIL_OK;
    size_t within = why.position == FRAZIL_NO_POSITION ? 0 : (size_t)why.position;
    return fz_fail_at(reterr, value.at + within, FRAZIL_ELAYOUT, "epoch: %s", why.message);
}

static frazil_err read_tick(struct piece value, uint32_t *ret, frazil_error *reterr)
{
    frazil_error why;
    uint64_t ns = 0;

    if (fz_duration_parse(value.text, value.len, &ns, &why) != FRAZIL_OK)
        return fz_fail_at(reterr, value.at, FRAZIL_ELAYOUT, "tick: %s", why.message);
    if (ns == 0 || ns % FZ_NS_PER_MS != 0 || ns / FZ_NS_PER_MS > FZ_LAYOUT_TICK_MS_MAX)
        return fz_fail_at(reterr, value.at, FRAZIL_ELAYOUT,
                          "tick: %Q is not a whole number of milliseconds from 1ms to %ums", value.text, value.len,
                          (uint64_t)FZ_LAYOUT_TICK_MS_MAX);
    *ret = (uint32_t)(ns / FZ_NS_PER_MS);
    return FRAZIL_OK;
}

static frazil_err apply_key(frazil_layout *layout, struct piece key, struct piece value, frazil_error *reterr)
{
    static const char custom[FRAZIL_LAYOUT_NAME_SIZE] = "custom";
    int64_t epoch = layout->epoch_unix_ms;
    uint32_t tick = layout->tick_ms;
    frazil_err err;

    if (!piece_is(key, "epoch") && !piece_is(key, "tick"))
        return fz_fail_at(reterr, key.at, FRAZIL_ELAYOUT, "a layout has no key %Q: only epoch and tick", key.text,
                          key.len);
    if (layout->kind == FRAZIL_LAYOUT_SNO)
        return fz_fail_at(reterr, key.at, FRAZIL_ELAYOUT, "the %Q of a sno is fixed: leave it out", key.text, key.len);
    if (value.len == 0)
        return fz_fail_at(reterr, value.at, FRAZIL_ELAYOUT,
                          "the key %Q has no value: epoch=2026-01-01T00:00:00Z, tick=10ms", key.text, key.len);
    err = piece_is(key, "epoch") ? read_epoch(value, &epoch, reterr) : read_tick(value, &tick, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (epoch != layout->epoch_unix_ms || tick != layout->tick_ms)
        memcpy(layout->name, custom, sizeof custom);
    layout->epoch_unix_ms = epoch;
    layout->tick_ms = tick;
    return FRAZIL_OK;
}

frazil_err fz_layout_apply_key(frazil_layout *layout, const char *key, size_t key_len, const char *value,
                               size_t value_len, frazil_error *reterr)
{
    const struct piece name = {key, key_len, 0};
    const struct piece text = {value, value_len, 0};

    return fz_without_position(apply_key(layout, name, text, reterr), reterr);
}

/* ---- the description of the fields --------------------------------------- */

/* One of the three fields, as it is written. */
struct field {
    struct piece text;
    unsigned width;       /* all of it */
    unsigned upper_width; /* the number before the '+', 0 without one */
    char letter;          /* t, w, s; '\0' while unknown */
};

static frazil_err fail_field(struct piece field, const char *why, frazil_error *reterr)
{
    return fz_fail_at(reterr, field.at, FRAZIL_ELAYOUT, "the field %Q of the layout: %s", field.text, field.len, why);
}

/* A width of up to WIDTH_MAX bits. */
static bool read_width(struct piece digits, unsigned *ret)
{
    uint64_t width;

    if (!fz_decimal_parse(digits.text, digits.len, &width) || width > WIDTH_MAX)
        return false;
    *ret = (unsigned)width;
    return true;
}

/* Cuts what stands before the next separator, or all that is left, off the front of *rest, and the separator too. */
static struct piece cut_at(struct piece *rest, char separator)
{
    const char *end = memchr(rest->text, separator, rest->len);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->text);
    struct piece head = {rest->text, len, rest->at};

    rest->text += len + (end != NULL);
    rest->at += len + (end != NULL);
    rest->len -= len + (end != NULL);
    return head;
}

static frazil_err read_field(struct piece text, struct field *ret, frazil_error *reterr)
{
    struct field field = {.text = text};
    struct piece digits = text;
    unsigned lower = 0;

    if (text.len > 0 && memchr("tws", text.text[text.len - 1], 3) != NULL) {
        field.letter = text.text[text.len - 1];
        digits.len--;
    }
    bool split = memchr(digits.text, '+', digits.len) != NULL;
    struct piece upper = cut_at(&digits, '+');
    if (!read_width(upper, &field.width) || (split && !read_width(digits, &lower)))
        return fail_field(
            text, "a number of bits was expected, such as 10, 5+5 or 10w; t, w and s say which field it is", reterr);
    if (split && (field.width == 0 || lower == 0))
        return fail_field(text, "both parts of a worker that is split need at least one bit", reterr);
    field.upper_width = split ? field.width : 0;
    field.width += lower;
    *ret = field;
    return FRAZIL_OK;
}

/* Gives each field without a letter the first one of t, w, s that is free. */
static void name_fields(struct field fields[FIELDS])
{
    for (const char *letter = "tws"; *letter != '\0'; letter++) {
        struct field *first_free = NULL;
        bool taken = false;
        for (size_t i = 0; i < FIELDS; i++) {
            taken = taken || fields[i].letter == *letter;
            if (first_free == NULL && fields[i].letter == '\0')
                first_free = &fields[i];
        }
        if (!taken && first_free != NULL)
            first_free->letter = *letter;
    }
}

static frazil_err check_fields(const struct field fields[FIELDS], frazil_error *reterr)
{
    for (size_t i = 0; i < FIELDS; i++) {
        for (size_t j = 0; j < i; j++) {
            if (fields[j].letter == fields[i].letter)
                return fail_field(fields[i].text, "another field has the same letter; use each of t, w and s once",
                                  reterr);
        }
        if (fields[i].upper_width > 0 && fields[i].letter != 'w')
            return fail_field(fields[i].text, "only the worker can be split: mark it with w", reterr);
    }
    if (fields[0].letter != 't')
        return fail_field(fields[0].text, "time must be the first field, or ids would not sort by time", reterr);
    return FRAZIL_OK;
}

static frazil_err read_fields(struct piece text, struct field fields[FIELDS], frazil_error *reterr)
{
    struct piece rest = text;
    size_t slashes = 0;
    frazil_err err = FRAZIL_OK;

    for (size_t i = 0; i < text.len; i++)
        slashes += text.text[i] == '/';
    if (slashes != FIELDS - 1)
        return fz_fail_at(reterr, text.at, FRAZIL_ELAYOUT,
                          "the layout %Q: three fields were expected, time/worker/sequence, such as 41/10/12",
                          text.text, text.len);
    for (size_t i = 0; i < FIELDS && err == FRAZIL_OK; i++)
        err = read_field(cut_at(&rest, '/'), &fields[i], reterr);
    if (err != FRAZIL_OK)
        return err;
    name_fields(fields);
    return check_fields(fields, reterr);
}

/* Where a field stands whose width no layout has; whether the widths go together is not asked. */
static size_t place_of_wrong_width(struct piece text, const struct field fields[FIELDS])
{
    static const struct {
        char letter;
        unsigned least;
        unsigned most;
    } widths[] = {
        {'t', 1, FZ_LAYOUT_TIME_BITS_MAX}, {'w', 0, FZ_LAYOUT_WORKER_BITS_MAX}, {'s', 1, FZ_LAYOUT_SEQUENCE_BITS_MAX}};

    for (size_t i = 0; i < FIELDS; i++) {
        for (size_t j = 0; j < sizeof widths / sizeof widths[0]; j++) {
            if (fields[i].letter == widths[j].letter &&
                (fields[i].width < widths[j].least || fields[i].width > widths[j].most))
                return fields[i].text.at;
        }
    }
    return text.at;
}

/* *ret_at: the place of what is wrong if the layout turns out not to be valid. */
static frazil_err read_description(struct piece text, frazil_layout *ret, size_t *ret_at, frazil_error *reterr)
{
    struct field fields[FIELDS] = {{.width = 0}}; /* clang-tidy does not see that fz_fail never returns FRAZIL_OK */
    frazil_err err = read_fields(text, fields, reterr);

    if (err != FRAZIL_OK)
        return err;
    *ret_at = place_of_wrong_width(text, fields);
    bool above = fields[1].letter == 's';
    const struct field *worker = &fields[above ? 2 : 1];
    const struct field *sequence = &fields[above ? 1 : 2];
    *ret = (frazil_layout){
        .name = "custom",
        .kind = FRAZIL_LAYOUT_64,
        .epoch_unix_ms = FZ_LAYOUT_DEFAULT_EPOCH_MS,
        .tick_ms = 1,
        .time_bits = (uint8_t)fields[0].width,
        .worker_bits = (uint8_t)worker->width,
        .datacenter_bits = (uint8_t)worker->upper_width,
        .sequence_bits = (uint8_t)sequence->width,
        .sequence_above_worker = above ? 1 : 0,
    };
    return FRAZIL_OK;
}

/* ---- the whole text ------------------------------------------------------ */

/* The next word of *rest, which words are separated by spaces in; an empty one at the end. */
static struct piece next_word(struct piece *rest)
{
    while (rest->len > 0 && rest->text[0] == ' ')
        cut_at(rest, ' ');
    return cut_at(rest, ' ');
}

/* Names that many layouts go by, so that none of them can be meant: what to write instead. */
static const struct {
    const char *name;
    const char *choices;
} families[] = {
    {"snowflake", "twitter (Twitter's own), discord, instagram, mastodon, sonyflake, or frazil for a new system"},
};

/* NULL: the word is the name of no family. */
static const char *choices_of(const char *word)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (word == families[i].name)
            return families[i].choices;
    }
    return NULL;
}

/* There is no such preset; rest is what stands behind the name, and belongs to what may have been meant. */
static frazil_err fail_name(struct piece word, struct piece rest, frazil_error *reterr)
{
    bool is_quoted = word.len > 1 && (word.text[0] == '"' || word.text[0] == '\'');
    struct fz_nearest near = fz_nearest_to(word.text + is_quoted, word.len - is_quoted);

    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++)
        fz_nearest_offer(&near, frazil_layout_preset(i)->name);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        fz_nearest_offer(&near, families[i].name);
    const char *choices = near.word == NULL ? NULL : choices_of(near.word);
    if (choices != NULL)
        return fz_fail_at(reterr, word.at, FRAZIL_ELAYOUT, "%Q is a family of layouts: name one of them: %s", word.text,
                          word.len, choices);
    if (near.word == NULL)
        return fz_fail_at(reterr, word.at, FRAZIL_ELAYOUT,
                          "there is no layout %Q: a description such as 41/10/12 was expected, or one of %s", word.text,
                          word.len, fz_layout_preset_names());
    /* Quotes around all of it were meant for a shell. */
    if (is_quoted && rest.len > 0 && rest.text[rest.len - 1] == word.text[0])
        rest.len--;
    return fz_fail_at(reterr, word.at, FRAZIL_ELAYOUT, "there is no layout %Q: did you mean %s%s%V?", word.text,
                      word.len, near.word, rest.len > 0 ? " " : "", rest.text, rest.len);
}

static frazil_err read_base(struct piece word, struct piece rest, frazil_layout *ret, size_t *ret_at,
                            frazil_error *reterr)
{
    const frazil_layout *preset = fz_layout_preset_named(word.text, word.len);

    *ret_at = word.at;
    if (preset != NULL) {
        *ret = *preset;
        return FRAZIL_OK;
    }
    if (memchr(word.text, '/', word.len) != NULL && memchr(word.text, '=', word.len) == NULL)
        return read_description(word, ret, ret_at, reterr);
    return fail_name(word, rest, reterr);
}

static bool is_same(struct piece a, struct piece b)
{
    return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

/* The keys that were given, each once. */
struct given_keys {
    struct piece key[2];
    struct piece value[2];
    size_t count;
};

static frazil_err read_keys(struct piece rest, frazil_layout *layout, struct given_keys *seen, frazil_error *reterr)
{
    for (struct piece word = next_word(&rest); word.len > 0; word = next_word(&rest)) {
        struct piece value = word;
        struct piece key = cut_at(&value, '=');
        if (key.len == word.len)
            return fz_fail_at(reterr, word.at, FRAZIL_ELAYOUT,
                              "%Q after the layout: epoch=... or tick=... was expected", word.text, word.len);
        frazil_err err = apply_key(layout, key, value, reterr);
        if (err != FRAZIL_OK)
            return err;
        for (size_t i = 0; i < seen->count; i++) {
            if (is_same(key, seen->key[i]))
                return fz_fail_at(reterr, key.at, FRAZIL_ELAYOUT, "the key %Q is given twice: leave one out", key.text,
                                  key.len);
        }
        FZ_ASSERT(seen->count < sizeof seen->key / sizeof seen->key[0]);
        seen->key[seen->count] = key;
        seen->value[seen->count++] = value;
    }
    return FRAZIL_OK;
}

/* As frazil_layout_validate.  The value of a key is wrong if the layout is valid without it, else what stands at
 * base_at. */
static frazil_err check_valid(const frazil_layout *layout, const frazil_layout *base, size_t base_at,
                              const struct given_keys *seen, frazil_error *reterr)
{
    frazil_err err = frazil_layout_validate(layout, reterr);

    if (err == FRAZIL_OK || reterr == NULL)
        return err;
    reterr->position = (int64_t)base_at;
    for (size_t i = 0; i < seen->count; i++) {
        frazil_layout without = *layout;
        if (piece_is(seen->key[i], "epoch"))
            without.epoch_unix_ms = base->epoch_unix_ms;
        else
            without.tick_ms = base->tick_ms;
        if (frazil_layout_validate(&without, NULL) == FRAZIL_OK)
            reterr->position = (int64_t)seen->value[i].at;
    }
    return err;
}

/*
 * A URL that stands here by mistake is cut into pieces, of which none shows that it is a part of a password.  So what
 * has a mark that URLs have is not quoted at all.  The times in keys have ':' too.
 */
static frazil_err check_marks(struct piece text, frazil_error *reterr)
{
    struct piece rest = text;
    struct piece base = next_word(&rest);
    const char *mark = memchr(base.text, ':', base.len);

    if (mark == NULL)
        mark = memchr(text.text, '@', text.len);
    if (mark == NULL)
        return FRAZIL_OK;
    return fz_fail_at(
        reterr, mark - text.text, FRAZIL_ELAYOUT,
        "unexpected '%c' at position %u of the layout: write it as 41/10/12; a URL belongs in worker= or state=",
        (int)*mark, (uint64_t)(mark - text.text) + 1);
}

frazil_err frazil_layout_parse(const char *text, size_t len, frazil_layout *ret, frazil_error *reterr)
{
    struct piece rest = {text, len, 0};
    struct given_keys seen = {.count = 0};
    frazil_layout base;
    frazil_layout layout;
    size_t base_at;
    frazil_err err = check_marks(rest, reterr);

    if (err != FRAZIL_OK)
        return err;
    struct piece word = next_word(&rest);
    err = read_base(word, rest, &base, &base_at, reterr);
    if (err != FRAZIL_OK)
        return err;
    layout = base;
    err = read_keys(rest, &layout, &seen, reterr);
    if (err == FRAZIL_OK)
        err = check_valid(&layout, &base, base_at, &seen, reterr);
    if (err == FRAZIL_OK)
        *ret = layout;
    return err;
}

bool fz_layout_texts_agree(const char *a, const char *b)
{
    frazil_layout said[2];

    return frazil_layout_parse(a, fz_text_len(a), &said[0], NULL) == FRAZIL_OK &&
           frazil_layout_parse(b, fz_text_len(b), &said[1], NULL) == FRAZIL_OK &&
           frazil_layout_equal(&said[0], &said[1]) && said[0].time_bits == said[1].time_bits;
}
