/* SPDX-License-Identifier: MIT */
#include "coordinators.h"

#include <stdatomic.h>
#include <string.h>

#include "core/sentence.h"
#include "os/clients.h"
#include "os/part.h"

/* In place, not pointed to: a pointer in a library is relocated. */
static const struct {
    char part[12];
    char schemes[88];
    uint16_t port;
} coordinator_kinds[] = {
#define KIND_ROW(part, schemes, port, help) {#part, schemes, port},
    FZ_COORDINATORS(KIND_ROW)
#undef KIND_ROW
};
enum { COORDINATOR_KINDS = sizeof coordinator_kinds / sizeof coordinator_kinds[0] };

bool fz_is_url(const char *text)
{
    return strstr(text, "://") != NULL;
}

static bool has_scheme(const char *url, const char *scheme)
{
    size_t len = strlen(scheme);

    return strncmp(url, scheme, len) == 0 && strncmp(url + len, "://", 3) == 0;
}

/* Whether a URL has one of the schemes, which stand between spaces. */
static bool has_one_of(const char *url, const char *schemes)
{
    size_t len = strcspn(url, ":");

    for (; *schemes != '\0'; schemes += strspn(schemes, " ")) {
        size_t next = strcspn(schemes, " ");
        if (next == len && memcmp(url, schemes, len) == 0)
            return true;
        schemes += next;
    }
    return false;
}

/* The row that has the scheme of a URL; COORDINATOR_KINDS: none has. */
static size_t kind_of(const char *url)
{
    size_t kind = 0;

    while (kind < COORDINATOR_KINDS && !has_one_of(url, coordinator_kinds[kind].schemes))
        kind++;
    return kind;
}

bool fz_is_scheme(const char *text)
{
    if (fz_is_url(text))
        return false;
    return kind_of(text) < COORDINATOR_KINDS;
}

bool fz_coordinator_is_konayuki(const char *url)
{
    return strncmp(url, "konayuki+", strlen("konayuki+")) == 0;
}

uint16_t fz_coordinator_port(const char *url)
{
    size_t kind = kind_of(url);

    return kind < COORDINATOR_KINDS ? coordinator_kinds[kind].port : 0;
}

uint64_t fz_coordinator_batch(const char *url)
{
    /* konayuki's counters count single ids. */
    return fz_coordinator_is_konayuki(url) ? 1 : 64;
}

static bool knows(const frazil_coordinator *coordinator, const char *url)
{
    size_t kind = kind_of(url);

    if (coordinator->schemes == NULL)
        return kind < COORDINATOR_KINDS && strcmp(coordinator_kinds[kind].part, coordinator->part) == 0;
    for (const char *const *scheme = coordinator->schemes; *scheme != NULL; scheme++) {
        if (has_scheme(url, *scheme))
            return true;
    }
    return false;
}

/* Builds of before there were FZ_STRUCTURES have an address where the two numbers are now, or in their place its
 * halves. */
static bool says_structures(const frazil_coordinator *coordinator)
{
    return coordinator->size < 4096 && coordinator->structures < 4096;
}

/* A part shares structures with libfrazil, or with the frazil.c that loads it: only those of one build go together. */
static frazil_err check_build(const frazil_coordinator *coordinator, frazil_error *reterr)
{
    if (!says_structures(coordinator))
        return fz_fail(reterr, FRAZIL_ENOTBUILT,
                       "the part of frazil for this is from an older build than the frazil %s that loads it: install "
                       "both from one build",
                       FRAZIL_VERSION);
    if (strcmp(coordinator->version, FRAZIL_VERSION) != 0)
        return fz_fail(
            reterr, FRAZIL_ENOTBUILT,
            "libfrazil-%s has version %s, but the frazil that loads it has %s: install the same version of both",
            coordinator->part, coordinator->version, FRAZIL_VERSION);
    if (coordinator->size == sizeof *coordinator && coordinator->structures == FZ_STRUCTURES)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ENOTBUILT,
                   "libfrazil-%s is of another build of version %s than the frazil that loads it: its structures are "
                   "%u (of %u bytes), not %u (of %u bytes): install both from one build",
                   coordinator->part, FRAZIL_VERSION, (uint64_t)coordinator->structures, (uint64_t)coordinator->size,
                   (uint64_t)FZ_STRUCTURES, (uint64_t)sizeof *coordinator);
}

/* Those that stay loaded: the loader is asked once, because a child that is forked meanwhile may use none of them. */
static const frazil_coordinator *_Atomic coordinators_loaded[COORDINATOR_KINDS];

static frazil_err load(size_t kind, const frazil_coordinator **ret, frazil_error *reterr)
{
    const frazil_coordinator *loaded = atomic_load_explicit(&coordinators_loaded[kind], memory_order_acquire);
    const void *entry = loaded;
    frazil_err err = FRAZIL_OK;

    if (loaded == NULL)
        err = fz_part_load(coordinator_kinds[kind].part, &entry, reterr);
    if (err == FRAZIL_OK)
        err = check_build(entry, reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret = entry;
    atomic_store_explicit(&coordinators_loaded[kind], *ret, memory_order_release);
    return FRAZIL_OK;
}

/* Makes the part and this library share one count of the threads inside.  Fails if this process may not enter. */
static frazil_err check_clients(const frazil_coordinator *coordinator, frazil_error *reterr)
{
    if (coordinator->share_clients == NULL)
        return FRAZIL_OK;
    struct fz_clients *own = fz_clients_share(NULL);
    if (own == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    return fz_clients_check(coordinator->share_clients(own), reterr);
}

/* People write these names for schemes of ours.  etcd's own tools write http://, and those of other servers, too. */
static const struct {
    char written[12];
    char right[20];
} scheme_names[] = {{"valkey", "redis://"},       {"valkeys", "rediss://"},       {"keydb", "redis://"},
                    {"zk", "zookeeper://"},       {"pg", "postgres://"},          {"pgsql", "postgres://"},
                    {"http", "etcd:// for etcd"}, {"https", "etcds:// for etcd"}, {"redis+tls", "rediss://"},
                    {"unix", "redis+unix://"}};

/* ": write redis://", or nothing. */
static void say_right_scheme(struct fz_sentence *s, const char *written, size_t len)
{
    for (size_t i = 0; i < sizeof scheme_names / sizeof scheme_names[0]; i++) {
        if (strlen(scheme_names[i].written) == len && memcmp(scheme_names[i].written, written, len) == 0) {
            fz_sentence_str(s, ": write ");
            fz_sentence_str(s, scheme_names[i].right);
        }
    }
}

static void say_unknown_scheme(const char *what, const char *url, frazil_error *reterr)
{
    char known[256], right[32];
    struct fz_sentence list = fz_sentence_in(known, sizeof known);
    struct fz_sentence hint = fz_sentence_in(right, sizeof right);
    size_t len = (size_t)(strstr(url, "://") - url);

    say_right_scheme(&hint, url, len);

    for (size_t i = 0; i < COORDINATOR_KINDS; i++) {
        fz_sentence_str(&list, i == 0 ? "" : ", ");
        for (const char *c = coordinator_kinds[i].schemes; *c != '\0'; c++)
            fz_sentence_str(&list, *c == ' ' ? ", " : (const char[]){*c, '\0'});
    }
    fz_fail(reterr, FRAZIL_ESPEC, "%s: no coordinator is called %Q%s; there are %s", what, url, len, right, known);
}

static frazil_err find_part(const char *what, const char *url, const frazil_coordinator *const *given,
                            const frazil_coordinator **ret, frazil_error *reterr)
{
    for (; given != NULL && *given != NULL; given++) {
        frazil_err err = check_build(*given, reterr);
        if (err != FRAZIL_OK)
            return err;
        if (!knows(*given, url))
            continue;
        *ret = *given;
        return FRAZIL_OK;
    }
    size_t kind = kind_of(url);
    if (kind < COORDINATOR_KINDS)
        return load(kind, ret, reterr);
    say_unknown_scheme(what, url, reterr);
    return FRAZIL_ESPEC;
}

frazil_err fz_coordinator_for(const char *what, const char *url, const frazil_coordinator *const *given,
                              const frazil_coordinator **ret, frazil_error *reterr)
{
    const frazil_coordinator *found = NULL;

    frazil_err err = find_part(what, url, given, &found, reterr);
    if (err == FRAZIL_OK)
        err = check_clients(found, reterr);
    if (err == FRAZIL_OK)
        *ret = found;
    return err;
}

frazil_err fz_coordinator_open_slots(const struct fz_decision *decision, uint32_t worker, const frazil_random *random,
                                     const frazil_coordinator *const *given, struct fz_slot_source *ret,
                                     frazil_error *reterr)
{
    const frazil_layout *layout = &decision->layout;
    uint64_t lead = decision->rules.max_lead;
    const frazil_coordinator *coordinator;
    const struct fz_slots_request request = {
        .url = decision->state.url,
        .layout = layout,
        .random = random,
        .worker = worker,
        .bounds = decision->bounds,
        .random_start = decision->rules.start == FZ_START_RANDOM,
        .max_lead_ms = lead > INT64_MAX / layout->tick_ms ? INT64_MAX : (int64_t)(lead * layout->tick_ms),
        .max_skew_ms = decision->lease.max_skew_ms};

    frazil_err err = fz_coordinator_for("state", decision->state.url, given, &coordinator, reterr);
    if (err == FRAZIL_OK && coordinator->open_slots == NULL)
        err = fz_fail(reterr, FRAZIL_ESPEC, "state: %s has no slots", coordinator->part);
    return err == FRAZIL_OK ? coordinator->open_slots(coordinator, &request, ret, reterr) : err;
}

const char *fz_coordinator_part(size_t index)
{
    return index < COORDINATOR_KINDS ? coordinator_kinds[index].part : NULL;
}

frazil_err frazil_coordinator_load(const frazil_coordinator **ret, const char *part, frazil_error *reterr)
{
    const frazil_coordinator *unwanted;
    char known[128];
    struct fz_sentence list = fz_sentence_in(known, sizeof known);

    for (size_t i = 0; i < COORDINATOR_KINDS; i++) {
        if (strcmp(coordinator_kinds[i].part, part) == 0)
            return load(i, ret != NULL ? ret : &unwanted, reterr);
        fz_sentence_str(&list, i == 0 ? "" : ", ");
        fz_sentence_str(&list, coordinator_kinds[i].part);
    }
    return fz_fail(reterr, FRAZIL_EINVAL, "there is no part %q; there are %s", part, known);
}
