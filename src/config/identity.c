/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include <string.h>

#include "client_environment.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "place.h"

/* ---- the word of a worker ------------------------------------------------------------- */

static bool is_folder_name(const char *text)
{
    size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

    return text[len] == '\0' && len > 0 && len < FZ_NAMESPACE_SIZE && text[0] != '.';
}

/*
 * The namespace is what the user named.  Otherwise it is the layout's value, written as the name of a folder: another
 * layout does not run into the files of the first, and another name of one layout is no other layout.
 */
frazil_err fz_identify_words(struct fz_decision *decision, const char *wanted, frazil_error *reterr)
{
    struct fz_places *places = &decision->places;
    struct fz_sentence text = fz_sentence_in(places->name, sizeof places->name);

    fz_layout_value(&decision->layout, places->value);
    if (wanted != NULL && !is_folder_name(wanted))
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "namespace=%q: must be 1 to 64 letters, digits, '.', '_' and '-', and not begin with '.'",
                       wanted);
    if (wanted != NULL) {
        fz_sentence_str(&text, wanted);
        return FRAZIL_OK;
    }
    for (const char *c = places->value; *c != '\0'; c++)
        fz_sentence_char(&text, strchr("/ =", *c) != NULL ? '-' : *c);
    return FRAZIL_OK;
}

/* ---- the lease of a host -------------------------------------------------------------- */

/* FNV-1a, twice, from two beginnings: files of one name are told apart by the second. */
static const uint64_t name_begin = UINT64_C(0xcbf29ce484222325);
static const uint64_t check_begin = UINT64_C(0x6c62272e07bb0142);
static const uint64_t prime = UINT64_C(0x100000001b3);

static void add_byte(struct fz_lease_identity *identity, unsigned char byte)
{
    identity->name = (identity->name ^ byte) * prime;
    identity->check = (identity->check ^ byte) * prime;
}

static void add_u64(struct fz_lease_identity *identity, uint64_t number)
{
    for (unsigned shift = 0; shift < 64; shift += 8)
        add_byte(identity, (unsigned char)(number >> shift));
}

static void add_text(struct fz_lease_identity *identity, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        add_byte(identity, (unsigned char)text[i]);
    add_byte(identity, 0);
}

static void add_char(void *identity, char c)
{
    add_byte(identity, (unsigned char)c);
}

static void add_client_variable(void *identity, const char *variable)
{
    add_text(identity, variable, strlen(variable));
}

void fz_identify_lease(struct fz_decision *decision)
{
    struct fz_lease_identity identity = {.name = name_begin, .check = check_begin};
    const struct fz_lease_terms *terms = &decision->lease;
    const char *value = decision->places.value;
    /* The width of time is not in the value, but those of one namespace agree about it. */
    const uint64_t numbers[] = {decision->layout.time_bits,   decision->worker.first, decision->worker.count,
                                decision->bounds.min,         decision->bounds.max,   terms->max_skew_is_set,
                                (uint64_t)terms->max_skew_ms, terms->horizon_ms,      terms->workers};

    fz_place_write(decision->worker.url, false, add_char, &identity);
    add_byte(&identity, 0);
    fz_client_environment(decision->worker.url, add_client_variable, &identity);
    add_text(&identity, value, strlen(value));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u64(&identity, numbers[i]);
    decision->lease.identity = identity;
}
