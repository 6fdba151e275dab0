/* SPDX-License-Identifier: MIT */
#include "canonical.h"

#include <string.h>

#include "canonical_url.h"
#include "client_environment.h"
#include "core/duration.h"
#include "core/layout_internal.h"
#include "core/secret.h"
#include "core/sentence.h"
#include "values.h"
#include "worker_sources.h"

/* The text grows beyond its buffer, so that its whole length becomes known. */
struct canon {
    char *buf;
    size_t size;
    size_t len;
    enum fz_text_for purpose;
    enum fz_key only; /* whose value is written alone; FZ_KEYS_TOTAL: the whole text is */
    bool is_left_out; /* another key's value is at hand */
};

static void canon_char(struct canon *w, char c)
{
    if (w->is_left_out)
        return;
    if (w->len + 1 < w->size)
        w->buf[w->len] = c;
    w->len++;
}

static void canon_text(struct canon *w, const char *text)
{
    for (; *text != '\0'; text++)
        canon_char(w, *text);
}

static void canon_u64(struct canon *w, uint64_t value)
{
    char digits[24];
    struct fz_sentence s = fz_sentence_in(digits, sizeof digits);

    fz_sentence_u64(&s, value);
    canon_text(w, digits);
}

static void canon_key(struct canon *w, enum fz_key key)
{
    w->is_left_out = w->only != FZ_KEYS_TOTAL && w->only != key;
    if (w->only != FZ_KEYS_TOTAL)
        return;
    if (w->len > 0)
        canon_char(w, ' ');
    canon_text(w, fz_key_name(key));
    canon_char(w, '=');
}

static void canon_word(struct canon *w, enum fz_key key, const char *word)
{
    canon_key(w, key);
    canon_text(w, word);
}

static void canon_choice(struct canon *w, enum fz_key key, int choice)
{
    canon_word(w, key, fz_value_word(key, choice));
}

static void canon_number(struct canon *w, enum fz_key key, uint64_t number)
{
    canon_key(w, key);
    canon_u64(w, number);
}

/* A value that may hold anything, in quotes where it needs them; without passwords unless they were asked for. */
static void canon_value(struct canon *w, enum fz_key key, const char *value)
{
    struct fz_secrets secrets = fz_secrets_of(value, strlen(value));
    bool quoted = w->only == FZ_KEYS_TOTAL && strpbrk(value, " \t\r\n'") != NULL;
    size_t next;

    canon_key(w, key);
    if (quoted)
        canon_char(w, '\'');
    for (size_t i = 0; i < secrets.len; i = next) {
        bool is_secret = false;
        next = w->purpose != FZ_TEXT_SHOWN ? i + 1 : fz_secrets_next(&secrets, i, &is_secret);
        if (is_secret) {
            canon_text(w, "...");
            continue;
        }
        if (quoted && (value[i] == '\'' || value[i] == '\\'))
            canon_char(w, '\\');
        canon_char(w, value[i]);
    }
    if (quoted)
        canon_char(w, '\'');
}

static void canon_place(void *w, char c)
{
    canon_char(w, c);
}

/* A URL: in the key it is the place that it leads to. */
static void canon_url(struct canon *w, enum fz_key key, const char *url)
{
    if (w->purpose != FZ_TEXT_KEY) {
        canon_value(w, key, url);
        return;
    }
    canon_key(w, key);
    fz_canonical_url_write(url, true, canon_place, w);
}

/* A value alone is for programs, which get one unit. */
static void canon_duration(struct canon *w, enum fz_key key, uint64_t count, uint64_t unit_ns)
{
    uint64_t number = count * unit_ns;

    canon_key(w, key);
    if (count == FZ_DURATION_NONE) {
        canon_text(w, "unlimited");
        return;
    }
    const char *unit = w->only == FZ_KEYS_TOTAL ? fz_duration_unit(&number) : "ns";
    canon_u64(w, number);
    canon_text(w, unit);
}

/* One text for all layouts that are equal and end at the same time. */
static void canon_layout_value(struct canon *w, const frazil_layout *layout)
{
    const frazil_layout unsplit = fz_layout_unsplit(layout);
    char text[FRAZIL_FINGERPRINT_SIZE];

    if (frazil_layout_fingerprint(&unsplit, text, sizeof text, NULL) == FRAZIL_OK)
        canon_value(w, FZ_KEY_LAYOUT, text);
}

/* By the name of the preset, or by a description that parses back. */
static void canon_layout(struct canon *w, const frazil_layout *layout)
{
    char preset[FRAZIL_FINGERPRINT_SIZE];
    char own[FRAZIL_FINGERPRINT_SIZE];
    frazil_layout named;

    if (frazil_layout_fingerprint(layout, own, sizeof own, NULL) != FRAZIL_OK)
        return; /* it is valid, and the buffer large enough */
    bool is_preset = frazil_layout_parse(layout->name, strlen(layout->name), &named, NULL) == FRAZIL_OK &&
                     frazil_layout_fingerprint(&named, preset, sizeof preset, NULL) == FRAZIL_OK &&
                     strcmp(own, preset) == 0;
    canon_value(w, FZ_KEY_LAYOUT, is_preset ? layout->name : own);
}

static void canon_policies(struct canon *w, const struct fz_decision *decision)
{
    const struct fz_slot_rules *rules = &decision->rules;
    uint64_t tick_ns = decision->layout.tick_ms * FZ_NS_PER_MS;

    canon_choice(w, FZ_KEY_ON_FULL, (int)rules->on_full);
    canon_choice(w, FZ_KEY_ON_BACKWARD, (int)rules->on_backward);
    canon_duration(w, FZ_KEY_MAX_LEAD, rules->max_lead == FZ_NO_LIMIT ? FZ_DURATION_NONE : rules->max_lead, tick_ns);
    canon_duration(w, FZ_KEY_MAX_WAIT, decision->max_wait_ns, 1);
    /* A generator that is open already is not opened once more. */
    if (w->purpose != FZ_TEXT_KEY && decision->open_wait_ns != FZ_OPEN_WAIT_DEFAULT_NS)
        canon_duration(w, FZ_KEY_OPEN_WAIT, decision->open_wait_ns, 1);
    /* Slots from elsewhere do not go with it, and what stands for it then has no name. */
    if (decision->state.kind != FZ_STATE_URL || rules->start != FZ_START_SPREAD)
        canon_choice(w, FZ_KEY_START, (int)rules->start);
    canon_number(w, FZ_KEY_SEQ_MIN, decision->bounds.min);
    canon_number(w, FZ_KEY_SEQ_MAX, decision->bounds.max);
    if (decision->frozen) {
        char text[32];
        struct fz_sentence s = fz_sentence_in(text, sizeof text);
        fz_sentence_str(&s, "frozen:");
        fz_sentence_i64(&s, decision->frozen_unix_ms);
        canon_word(w, FZ_KEY_CLOCK, text);
    }
    if (decision->allow_short_life)
        canon_choice(w, FZ_KEY_ALLOW_SHORT_LIFE, 1);
}

static void canon_worker(struct canon *w, const struct fz_decision *decision)
{
    const struct fz_worker_choice *worker = &decision->worker;

    if (worker->by_program)
        return;
    if (worker->url != NULL || worker->lock) {
        if (worker->url != NULL)
            canon_url(w, FZ_KEY_WORKER, worker->url);
        else
            canon_word(w, FZ_KEY_WORKER, worker->source->name);
        canon_number(w, FZ_KEY_BASE, worker->first);
        if (worker->count != 0)
            canon_number(w, FZ_KEY_COUNT, worker->count);
        return;
    }
    if (worker->in_process) {
        canon_word(w, FZ_KEY_WORKER, worker->source->name);
        return;
    }
    canon_word(w, FZ_KEY_WORKER, "fixed:");
    canon_u64(w, worker->first);
}

static void canon_lease(struct canon *w, const struct fz_decision *decision)
{
    const struct fz_lease_terms *terms = &decision->lease;
    bool leased = decision->worker.url != NULL;

    if (terms->max_skew_is_set && (leased || decision->state.kind == FZ_STATE_URL))
        canon_duration(w, FZ_KEY_MAX_SKEW, (uint64_t)terms->max_skew_ms, FZ_NS_PER_MS);
    if (!leased)
        return;
    canon_choice(w, FZ_KEY_ON_LOSS, terms->stay ? 1 : 0);
    if (terms->horizon_ms != 0)
        canon_duration(w, FZ_KEY_HORIZON, terms->horizon_ms, FZ_NS_PER_MS);
    if (terms->workers != 0)
        canon_number(w, FZ_KEY_WORKERS, terms->workers);
}

/* Where others are kept from the worker id. */
static void canon_claim(struct canon *w, const struct fz_decision *decision)
{
    if (!decision->is_claimed)
        return;
    if (decision->state.kind == FZ_STATE_MEMORY)
        canon_word(w, FZ_KEY_NAMESPACE, decision->places.name);
    if (decision->places.host_dir != NULL)
        canon_value(w, FZ_KEY_HOST_DIR, decision->places.host_dir);
}

static void canon_state(struct canon *w, const struct fz_decision *decision)
{
    const struct fz_places *places = &decision->places;

    switch (decision->state.kind) {
    case FZ_STATE_SHARED:
        canon_choice(w, FZ_KEY_SHARE, 1);
        canon_word(w, FZ_KEY_NAMESPACE, places->name);
        if (places->run_dir != NULL)
            canon_value(w, FZ_KEY_RUN_DIR, places->run_dir);
        break;
    case FZ_STATE_URL:
        canon_url(w, FZ_KEY_STATE, decision->state.url);
        canon_number(w, FZ_KEY_BATCH, decision->state.batch);
        break;
    case FZ_STATE_MEMORY:
        canon_choice(w, FZ_KEY_STATE, FZ_STATE_SET_MEMORY);
        canon_claim(w, decision);
        break;
    case FZ_STATE_FILES:
        canon_choice(w, FZ_KEY_STATE, FZ_STATE_SET_FILE);
        canon_word(w, FZ_KEY_NAMESPACE, places->name);
        if (places->run_dir != NULL)
            canon_value(w, FZ_KEY_RUN_DIR, places->run_dir);
        if (places->state_dir != NULL)
            canon_value(w, FZ_KEY_STATE_DIR, places->state_dir);
        canon_claim(w, decision);
        break;
    }
    canon_choice(w, FZ_KEY_KEEPER, (int)decision->keeper);
}

static void canon_variable(void *w, const char *variable)
{
    canon_char(w, '\n');
    canon_text(w, variable);
}

/* It may have changed since the last opening, and with it the place that a URL leads to. */
static void canon_environment(struct canon *w, const struct fz_decision *decision)
{
    if (decision->worker.url != NULL)
        fz_client_environment(decision->worker.url, canon_variable, w);
    if (decision->state.kind == FZ_STATE_URL)
        fz_client_environment(decision->state.url, canon_variable, w);
}

static void canon_write(struct canon *w, const struct fz_decision *decision)
{
    if (w->purpose == FZ_TEXT_KEY)
        canon_layout_value(w, &decision->layout);
    else
        canon_layout(w, &decision->layout);
    canon_policies(w, decision);
    canon_worker(w, decision);
    canon_lease(w, decision);
    canon_state(w, decision);
    if (w->purpose == FZ_TEXT_KEY)
        canon_environment(w, decision);
}

/* Measures first: a text that was cut looks like another one.  The environment may change between the two. */
static frazil_err canon_give(struct canon *w, const struct fz_decision *decision, size_t size, size_t *ret_len)
{
    canon_write(w, decision);
    if (w->len < size) {
        w->size = size;
        w->len = 0;
        canon_write(w, decision);
    }
    *ret_len = w->len;
    if (w->len >= size)
        return FRAZIL_EBUFFER;
    w->buf[w->len] = '\0';
    return FRAZIL_OK;
}

frazil_err fz_canonical_text(const struct fz_decision *decision, enum fz_text_for purpose, char *buf, size_t size,
                             size_t *ret_len)
{
    struct canon w = {.buf = buf, .purpose = purpose, .only = FZ_KEYS_TOTAL};

    return canon_give(&w, decision, size, ret_len);
}

frazil_err fz_canonical_value(const struct fz_decision *decision, enum fz_key key, char *buf, size_t size,
                              size_t *ret_len)
{
    struct canon w = {.buf = buf, .purpose = FZ_TEXT_SHOWN, .only = key};

    return canon_give(&w, decision, size, ret_len);
}
