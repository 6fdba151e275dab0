/* SPDX-License-Identifier: MIT */
/*
 * Where a worker id comes from.  Nothing is guessed, masked or wrapped: a source
 * that gives no number, or one outside its range, is an error that says so.
 */
#include <stdlib.h>
#include <string.h>

#include "auto_partition.h"
#include "config.h"
#include "coordinators.h"
#include "core/decimal.h"
#include "core/layout_internal.h"
#include "core/sentence.h"
#include "os/fail_errno.h"
#include "os/host.h"

#define SOURCES                                                                                                        \
    "fixed:N (a number), env:NAME (a number in an environment variable), ordinal (the number after the last '-' of "   \
    "the host's name), file-lock (the lowest number free on this host: for one host only), the URL of a coordinator "  \
    "for fleets (redis://HOST/NAMESPACE and others), and for layout=sno auto"

enum { HOST_NAME_SIZE = 256 };

/* The numbers that a source may give, and what is made of them. */
struct worker_space {
    uint64_t count; /* the source's number must be below this */
    uint64_t base;  /* is added to it */
    uint64_t high;  /* the datacenter, where it lies in the worker */
};

static frazil_err read_space(struct worker_space *ret, const struct fz_settings *settings, const frazil_layout *layout,
                             frazil_error *reterr)
{
    uint64_t workers = fz_layout_max_worker(layout) + 1;
    uint64_t datacenter = 0;
    struct worker_space space = {.base = 0};

    if (settings->value[FZ_KEY_DATACENTER] != NULL) {
        if (layout->datacenter_bits == 0)
            return fz_fail(
                reterr, FRAZIL_ESPEC,
                "datacenter is given, but the layout does not split its worker: describe it as in 41/5+5/12");
        uint64_t datacenters = UINT64_C(1) << layout->datacenter_bits;
        frazil_err err = fz_config_number(settings, FZ_KEY_DATACENTER, datacenters - 1, &datacenter, reterr);
        if (err != FRAZIL_OK)
            return err;
        workers /= datacenters;
        space.high = datacenter * workers;
    }
    frazil_err err = fz_config_number(settings, FZ_KEY_BASE, workers - 1, &space.base, reterr);
    if (err != FRAZIL_OK)
        return err;
    space.count = workers - space.base;
    err = fz_config_number(settings, FZ_KEY_COUNT, workers - space.base, &space.count, reterr);
    if (err == FRAZIL_OK && space.count == 0)
        err = fz_fail(reterr, FRAZIL_ESPEC, "count=0 leaves no worker id: it must be at least 1");
    *ret = space;
    return err;
}

/* Turns the text that a source gave into a worker. */
static frazil_err number_in(const struct worker_space *space, const char *source, const char *text, size_t len,
                            uint32_t *ret, frazil_error *reterr)
{
    uint64_t number;

    if (!fz_decimal_parse(text, len, &number))
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%s gives %Q: must be a whole number from 0 to %u, without sign or leading zero", source,
                       text, len, space->count - 1);
    if (number >= space->count)
        return fz_fail(reterr, FRAZIL_EWORKER, "worker=%s gives %u: must be from 0 to %u", source, number,
                       space->count - 1);
    *ret = (uint32_t)(space->high + space->base + number);
    return FRAZIL_OK;
}

static frazil_err from_environment(const struct worker_space *space, const char *source, const char *name,
                                   uint32_t *ret, frazil_error *reterr)
{
    const char *text = getenv(name);

    if (name[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=env: names no variable: write worker=env:NAME");
    if (text == NULL || text[0] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=%s: the environment variable is %s: it must hold a number from 0 to %u", source,
                       text == NULL ? "not set" : "empty", space->count - 1);
    return number_in(space, source, text, strlen(text), ret, reterr);
}

/* The number after the last '-' of a name such as a StatefulSet gives its pods: "orders-3". */
static frazil_err from_ordinal(const struct worker_space *space, const struct fz_settings *settings, uint32_t *ret,
                               frazil_error *reterr)
{
    char host_name[HOST_NAME_SIZE];
    const char *name = settings->value[FZ_KEY_HOSTNAME];

    if (name == NULL) {
        int sys = fz_host_name(host_name, sizeof host_name);
        if (sys != 0)
            return fz_fail_errno(reterr, sys, "worker=ordinal: the host's name cannot be read", NULL, "");
        name = host_name;
    }
    const char *dash = strrchr(name, '-');
    if (dash == NULL || dash == name || dash[1] == '\0')
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker=ordinal: the host's name %q does not end in -N as the pods of a StatefulSet do", name);
    return number_in(space, "ordinal", dash + 1, strlen(dash + 1), ret, reterr);
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
static void choose_lock(const struct worker_space *space, struct fz_worker_choice *choice)
{
    choice->first = (uint32_t)(space->high + space->base);
    choice->count = space->count > UINT32_MAX ? UINT32_MAX : (uint32_t)space->count;
}

/* Any number of the space that the coordinator has; how many these are is its own affair unless something limits it. */
static void choose_leased(const struct fz_settings *settings, const struct worker_space *space, const char *url,
                          struct fz_worker_choice *choice)
{
    bool limited = settings->value[FZ_KEY_COUNT] != NULL || settings->value[FZ_KEY_DATACENTER] != NULL;

    choose_lock(space, choice);
    choice->count = limited ? choice->count : 0;
    choice->url = url;
}

static frazil_err unknown_source(const char *source, frazil_error *reterr)
{
    uint64_t number;

    if (fz_decimal_parse(source, strlen(source), &number))
        return fz_fail(reterr, FRAZIL_ESPEC, "worker=%s names no source: write worker=fixed:%s", source, source);
    return fz_fail(reterr, FRAZIL_ESPEC, "worker=%q is no source of worker ids; they are %s", source, SOURCES);
}

static frazil_err no_worker(const frazil_layout *layout, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ENOWORKER,
                   "no worker id is given, and none is guessed: set worker= to one of the sources %s; the number must "
                   "be from 0 to %u and belong to this generator alone",
                   SOURCES, fz_layout_max_worker(layout));
}

frazil_err fz_worker_resolve(const struct fz_settings *settings, const frazil_layout *layout,
                             struct fz_worker_choice *ret, frazil_error *reterr)
{
    const char *source = settings->value[FZ_KEY_WORKER];
    struct fz_worker_choice choice = {.count = 1};
    struct worker_space space;

    if (source == NULL && layout->kind == FRAZIL_LAYOUT_SNO)
        source = "auto";
    if (source == NULL)
        return no_worker(layout, reterr);
    frazil_err err = read_space(&space, settings, layout, reterr);
    if (err != FRAZIL_OK)
        return err;
    choice.lock = strcmp(source, "file-lock") == 0;
    choice.in_process = strcmp(source, "auto") == 0;
    if (choice.lock)
        choose_lock(&space, &choice);
    else if (fz_is_url(source))
        choose_leased(settings, &space, source, &choice);
    else if (strncmp(source, "fixed:", 6) == 0)
        err = number_in(&space, source, source + 6, strlen(source + 6), &choice.first, reterr);
    else if (strncmp(source, "env:", 4) == 0)
        err = from_environment(&space, source, source + 4, &choice.first, reterr);
    else if (strcmp(source, "ordinal") == 0)
        err = from_ordinal(&space, settings, &choice.first, reterr);
    else if (choice.in_process)
        err = from_auto(settings, layout, &choice.first, reterr);
    else
        err = unknown_source(source, reterr);
    if (err == FRAZIL_OK)
        *ret = choice;
    return err;
}
