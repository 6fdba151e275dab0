/* SPDX-License-Identifier: MIT */
/* For operators: looking at a namespace, and freeing a worker id by hand. */
#include <string.h>

#include "core/sentence.h"
#include "lease_internal.h"

/* The caller's visitor, and the record of the namespace when it has come by. */
struct listing {
    fz_lease_visitor visit;
    void *ctx;
    struct fz_record space;
};

static void list_record(void *ctx, uint32_t number, const struct fz_record *raw)
{
    struct listing *listing = ctx;
    struct fz_lease_entry entry;

    /* It comes in any order, so it is judged when all are there. */
    if (number == FZ_NAMESPACE) {
        listing->space = *raw;
        return;
    }
    memset(&entry, 0, sizeof entry);
    entry.worker = number;
    /* A damaged record is shown, as it is what an operator looks for. */
    entry.readable = fz_worker_record_parse(raw->data, raw->len, &entry.record, &entry.parse_error) == FRAZIL_OK;
    listing->visit(listing->ctx, &entry);
}

frazil_err fz_lease_no_namespace(const char *name, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ENAMESPACE, "there is no namespace %q: it is created by frazil lease init", name);
}

frazil_err fz_lease_list(const struct fz_register *reg, const char *name, fz_lease_visitor visit, void *ctx,
                         struct fz_namespace_record *ret, frazil_error *reterr)
{
    struct listing listing = {.visit = visit, .ctx = ctx, .space = {.version = 0}};
    frazil_error said = {.message = ""};
    enum fz_register_result result = reg->read_all(reg->ctx, FZ_DEADLINE_NONE, list_record, &listing, NULL, &said);

    if (result != FZ_REGISTER_OK)
        return fz_register_error(result, name, &said, reterr);
    if (listing.space.version == 0)
        return fz_lease_no_namespace(name, reterr);
    if (fz_namespace_record_parse(listing.space.data, listing.space.len, ret, &said) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ENAMESPACE, "namespace %q: %s", name, said.message);
    return FRAZIL_OK;
}

frazil_err fz_lease_release_by_hand(const struct fz_register *reg, const char *name, uint32_t worker,
                                    frazil_error *reterr)
{
    struct fz_record raw = {.version = 0};
    struct fz_worker_record record;
    frazil_error said = {.message = ""};
    char text[FZ_RECORD_SIZE_MAX];
    uint64_t version;
    enum fz_register_result result = FZ_REGISTER_OK;

    /* That record is the namespace's own: no worker id is as large. */
    if (worker != FZ_NAMESPACE)
        result = reg->read(reg->ctx, FZ_DEADLINE_NONE, worker, &raw, NULL, &said);
    if (result != FZ_REGISTER_OK)
        return fz_register_error(result, name, &said, reterr);
    if (raw.version == 0)
        return fz_fail(reterr, FRAZIL_EINVAL, "worker id %u of namespace %q was never taken", (uint64_t)worker, name);
    if (fz_worker_record_parse(raw.data, raw.len, &record, &said) != FRAZIL_OK)
        return fz_fail(reterr, FRAZIL_ENAMESPACE, "worker id %u of namespace %q: %s", (uint64_t)worker, name,
                       said.message);
    if (record.released)
        return fz_fail(reterr, FRAZIL_EINVAL, "worker id %u of namespace %q is free already", (uint64_t)worker, name);
    /* `until` stays: the owner may still run, and use its ticks up to there. */
    record.released = true;
    size_t len = fz_worker_record_format(&record, text);
    result =
        reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){worker, raw.version, text, len}, &version, NULL, &said);
    return result == FZ_REGISTER_OK ? FRAZIL_OK : fz_register_error(result, name, &said, reterr);
}
