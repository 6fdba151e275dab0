/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include <string.h>

#include "canonical_url.h"
#include "client_environment.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "os/host.h"

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

/*
 * The hash is the name of a file.  With the boot's id in it, a list of names alone does not let others try passwords.
 * Users of this host and readers of its journal know that id, and could try them.  So the mode of the run directory
 * protects the name.  Systems without such an id have no key.
 */
static void add_key(struct fz_lease_identity *identity)
{
    char boot_id[FZ_BOOT_ID_SIZE];

    if (fz_boot_id(boot_id) == 0)
        add_text(identity, boot_id, strlen(boot_id));
}

/* The place that a URL leads to. */
static struct fz_lease_identity identify_place(const char *url)
{
    struct fz_lease_identity identity = {.name = name_begin, .check = check_begin};
    bool is_of_password = fz_url_is_of_password(url);

    if (is_of_password)
        add_key(&identity);
    fz_canonical_url_write(url, is_of_password, add_char, &identity);
    add_byte(&identity, 0);
    fz_client_environment(url, add_client_variable, &identity);
    return identity;
}

void fz_identify_lease(struct fz_decision *decision)
{
    struct fz_lease_identity identity = identify_place(decision->worker.url);
    const struct fz_lease_terms *terms = &decision->lease;
    const char *value = decision->places.value;
    /* The width of time is not in the value, but those of one namespace agree about it. */
    const uint64_t numbers[] = {decision->layout.time_bits,   decision->worker.first, decision->worker.count,
                                decision->bounds.min,         decision->bounds.max,   terms->max_skew_is_set,
                                (uint64_t)terms->max_skew_ms, terms->horizon_ms,      terms->workers};

    add_text(&identity, value, strlen(value));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u64(&identity, numbers[i]);
    decision->lease.identity = identity;
}

/* ---- two generators ------------------------------------------------------------------- */

struct fz_worker_range fz_worker_range_of(const struct fz_decision *decision)
{
    const struct fz_worker_choice *worker = &decision->worker;
    uint64_t all = fz_layout_max_worker(&decision->layout) + 1;

    if (worker->in_process || worker->by_program)
        return (struct fz_worker_range){.first = 0, .count = all};
    if (worker->count != 0)
        return (struct fz_worker_range){.first = worker->first, .count = worker->count};
    /* A namespace whose size is not said has all of its layout's. */
    uint64_t end = decision->lease.workers != 0 ? decision->lease.workers : all;
    return (struct fz_worker_range){.first = worker->first, .count = end - worker->first};
}

/* Whether there are ids that both could make, if nothing kept them apart. */
static bool have_ids_in_common(const struct fz_decision *one, const struct fz_decision *other)
{
    struct fz_worker_range a = fz_worker_range_of(one), b = fz_worker_range_of(other);

    return frazil_layout_equal(&one->layout, &other->layout) && a.first < b.first + b.count &&
           b.first < a.first + a.count && fz_bounds_overlap(&one->bounds, &other->bounds);
}

static bool is_one_place(const char *one, const char *other)
{
    if (one == NULL || other == NULL)
        return false;
    struct fz_lease_identity a = identify_place(one), b = identify_place(other);
    return a.name == b.name && a.check == b.check;
}

/* NULL is the host's. */
static bool is_one_folder(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Whether each sees which worker ids the other one has on this host. */
static bool see_each_other(const struct fz_decision *one, const struct fz_decision *other)
{
    return one->is_claimed && other->is_claimed && strcmp(one->places.name, other->places.name) == 0 &&
           is_one_folder(one->places.host_dir, other->places.host_dir);
}

bool fz_have_one_source(const struct fz_decision *one, const struct fz_decision *other)
{
    if (one->worker.url != NULL || other->worker.url != NULL)
        return is_one_place(one->worker.url, other->worker.url);
    return see_each_other(one, other);
}

/* Whether two of one number take from one word. */
static bool have_one_word(const struct fz_decision *one, const struct fz_decision *other)
{
    return one->state.kind == FZ_STATE_FILES && other->state.kind == FZ_STATE_FILES && see_each_other(one, other) &&
           fz_bounds_are_equal(&one->bounds, &other->bounds) &&
           is_one_folder(one->places.run_dir, other->places.run_dir) &&
           is_one_folder(one->places.state_dir, other->places.state_dir);
}

/* Whether two of one number take from one line of slots. */
static bool have_one_line(const struct fz_decision *one, const struct fz_decision *other)
{
    return is_one_place(one->state.url, other->state.url) && fz_bounds_are_equal(&one->bounds, &other->bounds);
}

/* Namespaces of coordinators give the same numbers, and part fleets on purpose. */
static bool have_two_namespaces(const struct fz_decision *one, const struct fz_decision *other)
{
    return one->worker.url != NULL && other->worker.url != NULL && !is_one_place(one->worker.url, other->worker.url);
}

enum fz_relation fz_relation_of(const struct fz_decision *one, const struct fz_decision *other)
{
    const struct fz_worker_choice *a = &one->worker, *b = &other->worker;
    bool shared;

    if (!have_ids_in_common(one, other) || have_two_namespaces(one, other))
        return FZ_RELATION_APART;
    if (a->in_process || b->in_process) /* each is drawn once in this process */
        shared = a->in_process && b->in_process;
    else if (a->url != NULL || b->url != NULL || a->lock || b->lock)
        shared = fz_have_one_source(one, other);
    else
        shared = have_one_word(one, other) || have_one_line(one, other);
    return shared ? FZ_RELATION_SHARED : FZ_RELATION_TWINS;
}
