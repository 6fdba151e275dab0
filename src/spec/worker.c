/* SPDX-License-Identifier: MIT */
/*
 * Where a worker id comes from.  Nothing is guessed, masked or wrapped: a source
 * that gives no number, or one outside its range, is an error that says so.
 */
#include <string.h>

#include "auto_partition.h"
#include "coordinators.h"
#include "core/decimal.h"
#include "core/layout_internal.h"
#include "core/nearest.h"
#include "core/sentence.h"
#include "os/host.h"
#include "worker_internal.h"

#define SOURCES                                                                                                        \
    "fixed:N (a number), env:NAME (a number in an environment variable), ordinal (the number after the last '-' of "   \
    "the host's name), file-lock (the lowest number free on this host: for one host only), the URL of a coordinator "  \
    "for fleets (redis://HOST/NAMESPACE and others), ip-last-octet, ip-hash, hostname-hash, and for layout=sno auto"

static frazil_err read_space(struct fz_worker_space *ret, const struct fz_settings *settings,
                             const frazil_layout *layout, frazil_error *reterr)
{
    uint64_t workers = fz_layout_max_worker(layout) + 1;
    uint64_t datacenter = 0;
    struct fz_worker_space space = {.base = 0};

    if (settings->value[FZ_KEY_DATACENTER] != NULL) {
        if (layout->datacenter_bits == 0)
            return fz_fail(
                reterr, FRAZIL_ESPEC,
                "datacenter is given, but the layout does not split its worker: describe it as in 41/5+5/12");
        uint64_t datacenters = UINT64_C(1) << layout->datacenter_bits;
        frazil_err err = fz_config_number(settings, FZ_KEY_DATACENTER, 0, datacenters - 1, &datacenter, reterr);
        if (err != FRAZIL_OK)
            return err;
        workers /= datacenters;
        space.high = datacenter * workers;
    }
    frazil_err err = fz_config_number(settings, FZ_KEY_BASE, 0, workers - 1, &space.base, reterr);
    if (err != FRAZIL_OK)
        return err;
    space.count = workers - space.base;
    err = fz_config_number(settings, FZ_KEY_COUNT, 1, workers - space.base, &space.count, reterr);
    *ret = space;
    return err;
}

uint32_t fz_worker_in(const struct fz_worker_space *space, uint64_t number)
{
    return (uint32_t)(space->high + space->base + number);
}

frazil_err fz_worker_number(const struct fz_worker_space *space, const char *source, const char *text, size_t len,
                            uint32_t *ret, frazil_error *reterr)
{
    uint64_t number;

    if (!fz_decimal_parse(text, len, &number))
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%v gives %Q: must be a whole number from 0 to %u, without sign or leading zero", source,
                       text, len, space->count - 1);
    if (number >= space->count)
        return fz_fail(reterr, FRAZIL_EWORKER, "worker=%v gives %u: must be from 0 to %u", source, number,
                       space->count - 1);
    *ret = fz_worker_in(space, number);
    return FRAZIL_OK;
}

static frazil_err from_environment(const struct fz_worker_space *space, const char *source, const char *name,
                                   uint32_t *ret, frazil_error *reterr)
{
    const char *text = fz_environment(name);

    if (name[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=env: names no variable: write worker=env:NAME");
    if (strchr(name, '=') != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=%q: no environment variable has a '=' in its name: write worker=env:NAME, without a "
                       "value",
                       source);
    if (fz_environment_is_foreign())
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%v: a set-user-ID program does not read the environment of the user who starts it: use "
                       "another source",
                       source);
    if (text == NULL || text[0] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%v: the environment variable is %s: it must hold a number from 0 to %u", source,
                       text == NULL ? "not set" : "empty", space->count - 1);
    return fz_worker_number(space, source, text, strlen(text), ret, reterr);
}

static frazil_err from_auto(const struct fz_settings *settings, const frazil_layout *layout, uint32_t *ret,
                            frazil_error *reterr)
{
    if (layout->kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC,
                       "worker=auto is for layout=sno alone, because it is unique within a process only: use %s",
                       SOURCES);
    if (settings->value[FZ_KEY_BASE] != NULL || settings->value[FZ_KEY_COUNT] != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "base and count do not go with worker=auto, which uses all partitions");
    return fz_auto_partition(ret, reterr);
}

/* All numbers of the space, for whoever comes first. */
static void choose_lock(const struct fz_worker_space *space, struct fz_worker_choice *choice)
{
    choice->first = fz_worker_in(space, 0);
    choice->count = space->count > UINT32_MAX ? UINT32_MAX : (uint32_t)space->count;
}

/* Any number of the space that the coordinator has; how many these are is its own affair unless something limits it. */
static void choose_leased(const struct fz_settings *settings, const struct fz_worker_space *space, const char *url,
                          struct fz_worker_choice *choice)
{
    bool limited = settings->value[FZ_KEY_COUNT] != NULL || settings->value[FZ_KEY_DATACENTER] != NULL;

    choose_lock(space, choice);
    choice->count = limited ? choice->count : 0;
    choice->url = url;
}

/* The source that was meant, if only a slip away; a number or a name stands behind the ':' of some. */
static struct fz_nearest meant(const char *source)
{
    static const char *const plain[] = {"ordinal", "file-lock", "ip-last-octet", "ip-hash", "hostname-hash", "auto"};
    static const char *const headed[][2] = {{"fixed", "fixed:N"}, {"env", "env:NAME"}};
    struct fz_nearest near = fz_nearest_to(source, strcspn(source, ":="));

    for (size_t i = 0; i < sizeof headed / sizeof headed[0]; i++) {
        fz_nearest_offer(&near, headed[i][0]);
        if (near.word == headed[i][0])
            near.word = headed[i][1];
    }
    near.len = strlen(source);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        fz_nearest_offer(&near, plain[i]);
    return near;
}

static frazil_err unknown_source(const char *source, frazil_error *reterr)
{
    struct fz_nearest near = meant(source);
    char advice[640];
    struct fz_sentence s = fz_sentence_in(advice, sizeof advice);
    uint64_t number;

    if (fz_decimal_parse(source, strlen(source), &number))
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=%u names no source: write worker=fixed:%u", number, number);
    fz_nearest_say(&s, &near, "; they are " SOURCES);
    return fz_fail(reterr, FRAZIL_ESPEC, "worker=%q is no source of worker ids%s", source, advice);
}

/* partition= is fixed:N for snos, in the spelling of their two bytes. */
static frazil_err from_partition(const struct fz_worker_space *space, const struct fz_settings *settings,
                                 const frazil_layout *layout, uint32_t *ret, frazil_error *reterr)
{
    const char *text = settings->value[FZ_KEY_PARTITION];
    uint16_t partition = 0;
    frazil_error why;

    if (layout->kind != FRAZIL_LAYOUT_SNO)
        return fz_fail(reterr, FRAZIL_ESPEC, "partition=%q is for layout=sno: for other layouts write worker=fixed:N",
                       text);
    if (settings->value[FZ_KEY_WORKER] != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "partition=%q and worker=%q are both given: leave one of them out", text,
                       settings->value[FZ_KEY_WORKER]);
    if (frazil_sno_partition_parse(text, strlen(text), &partition, &why) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ESPEC, "partition: %s", why.message);
    if (partition >= space->count)
        return fz_fail(reterr, FRAZIL_EWORKER, "partition=%v is %u: must be from 0 to %u", text, (uint64_t)partition,
                       space->count - 1);
    *ret = fz_worker_in(space, partition);
    return FRAZIL_OK;
}

frazil_err fz_worker_by_program(const struct fz_settings *settings, struct fz_worker_choice *ret, frazil_error *reterr)
{
    static const enum fz_key sources[] = {FZ_KEY_WORKER,     FZ_KEY_PARTITION, FZ_KEY_BASE,     FZ_KEY_COUNT,
                                          FZ_KEY_DATACENTER, FZ_KEY_EXPECT,    FZ_KEY_HOSTNAME, FZ_KEY_IP};

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (settings->value[sources[i]] != NULL)
            return fz_fail(reterr, FRAZIL_ESPEC,
                           "%s is given, and the program's own granter gives the worker id: leave %s out of the spec, "
                           "the environment and the config file",
                           fz_key_name(sources[i]), fz_key_name(sources[i]));
    }
    *ret = (struct fz_worker_choice){.count = 1, .by_program = true};
    return FRAZIL_OK;
}

static frazil_err no_worker(const frazil_layout *layout, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ENOWORKER,
                   "no worker id is given, and none is guessed: set worker= to one of the sources %s; the number must "
                   "be from 0 to %u and belong to this generator alone",
                   SOURCES, fz_layout_max_worker(layout));
}

/* The sources that a key has an effect for. */
enum { FOR_URL = 1, FOR_NAME = 2, FOR_ADDRESS = 4, FOR_HASH = 8, FOR_SLOTS = 16 };

static const struct {
    enum fz_key key;
    unsigned sources;
    const char *where;
} effects[] = {
    {FZ_KEY_HOSTNAME, FOR_NAME, "worker=ordinal and worker=hostname-hash"},
    {FZ_KEY_IP, FOR_ADDRESS, "worker=ip-hash and worker=ip-last-octet"},
    {FZ_KEY_EXPECT, FOR_HASH, "worker=ip-hash and worker=hostname-hash"},
    {FZ_KEY_HORIZON, FOR_URL, "worker=URL, a namespace of a coordinator"},
    {FZ_KEY_WORKERS, FOR_URL, "worker=URL, a namespace of a coordinator"},
    {FZ_KEY_ON_LOSS, FOR_URL, "worker=URL, as only a leased worker id can be lost"},
    {FZ_KEY_MAX_SKEW, FOR_URL | FOR_SLOTS, "worker=URL and state=URL, whose users share a coordinator's clock"},
};
enum { EFFECTS = sizeof effects / sizeof effects[0] };

/* What the source of worker ids and the state are, in terms of effects. */
static unsigned sources_of(const struct fz_settings *settings, const char *source)
{
    const char *state = settings->value[FZ_KEY_STATE];
    unsigned sources = state != NULL && fz_is_url(state) ? FOR_SLOTS : 0;

    if (source == NULL)
        return sources;
    if (fz_is_url(source))
        return sources | FOR_URL;
    if (strcmp(source, "ordinal") == 0)
        return sources | FOR_NAME;
    if (strcmp(source, "hostname-hash") == 0)
        return sources | FOR_NAME | FOR_HASH;
    if (strcmp(source, "ip-hash") == 0)
        return sources | FOR_ADDRESS | FOR_HASH;
    return strcmp(source, "ip-last-octet") == 0 ? sources | FOR_ADDRESS : sources;
}

void fz_worker_find_idle(const struct fz_settings *settings, const char *source, fz_worker_idle visit, void *ctx)
{
    unsigned sources = sources_of(settings, source);

    for (size_t i = 0; i < EFFECTS; i++) {
        if (settings->value[effects[i].key] != NULL && (effects[i].sources & sources) == 0)
            visit(ctx, effects[i].key, effects[i].where);
    }
}

/* The first key of the spec without effect. */
struct first_idle {
    const struct fz_settings *settings;
    enum fz_key key; /* FZ_KEYS_TOTAL: none yet */
    const char *where;
};

/* Environment and config file are for many specs: a key that one of them does not need is not wrong there. */
static void note_idle(void *ctx, enum fz_key key, const char *where)
{
    struct first_idle *first = ctx;

    if (first->settings->from_elsewhere[key] || first->key != FZ_KEYS_TOTAL)
        return;
    first->key = key;
    first->where = where;
}

frazil_err fz_worker_refuse_idle(const struct fz_settings *settings, const char *source, frazil_error *reterr)
{
    struct first_idle first = {.settings = settings, .key = FZ_KEYS_TOTAL};

    fz_worker_find_idle(settings, source, note_idle, &first);
    if (first.key == FZ_KEYS_TOTAL)
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "%s=%q has no effect with %s=%v: it is for %s; leave it out",
                   fz_key_name(first.key), settings->value[first.key], source == NULL ? "partition" : "worker",
                   source == NULL ? settings->value[FZ_KEY_PARTITION] : source, first.where);
}

frazil_err fz_worker_resolve(const struct fz_settings *settings, const frazil_layout *layout,
                             struct fz_worker_choice *ret, frazil_error *reterr)
{
    const char *source = settings->value[FZ_KEY_WORKER];
    bool by_partition = settings->value[FZ_KEY_PARTITION] != NULL;
    struct fz_worker_choice choice = {.count = 1};
    struct fz_worker_space space;

    if (source == NULL && layout->kind == FRAZIL_LAYOUT_SNO)
        source = "auto";
    if (source == NULL && !by_partition)
        return no_worker(layout, reterr);
    frazil_err err = read_space(&space, settings, layout, reterr);
    if (err == FRAZIL_OK && by_partition) {
        err = from_partition(&space, settings, layout, &choice.first, reterr);
        if (err == FRAZIL_OK)
            err = fz_worker_refuse_idle(settings, NULL, reterr);
        if (err == FRAZIL_OK)
            *ret = choice;
        return err;
    }
    if (err != FRAZIL_OK)
        return err;
    choice.lock = strcmp(source, "file-lock") == 0;
    choice.in_process = strcmp(source, "auto") == 0;
    if (choice.lock)
        choose_lock(&space, &choice);
    else if (fz_is_url(source))
        choose_leased(settings, &space, source, &choice);
    else if (strncmp(source, "fixed:", 6) == 0)
        err = fz_worker_number(&space, source, source + 6, strlen(source + 6), &choice.first, reterr);
    else if (strncmp(source, "env:", 4) == 0)
        err = from_environment(&space, source, source + 4, &choice.first, reterr);
    else if (strcmp(source, "ordinal") == 0)
        err = fz_worker_from_ordinal(&space, settings, &choice, reterr);
    else if (strcmp(source, "ip-last-octet") == 0)
        err = fz_worker_from_last_octet(&space, settings, &choice, reterr);
    else if (strcmp(source, "ip-hash") == 0)
        err = fz_worker_from_ip_hash(&space, settings, &choice, reterr);
    else if (strcmp(source, "hostname-hash") == 0)
        err = fz_worker_from_hostname_hash(&space, settings, &choice, reterr);
    else if (choice.in_process)
        err = from_auto(settings, layout, &choice.first, reterr);
    else
        err = unknown_source(source, reterr);
    if (err == FRAZIL_OK)
        err = fz_worker_refuse_idle(settings, source, reterr);
    if (err == FRAZIL_OK)
        *ret = choice;
    return err;
}
