/* SPDX-License-Identifier: MIT */
#include "memory_register.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"

struct entry {
    uint32_t number;
    struct fz_record record;
};

struct fz_memory_store {
    pthread_mutex_t mutex;
    uint64_t next_version;
    size_t n;
    size_t room;
    struct entry *entries; /* by number */
};

/* Where the record is, or belongs. */
static size_t find(const struct fz_memory_store *store, uint32_t number)
{
    size_t low = 0;
    size_t high = store->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (store->entries[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct fz_memory_store *store, size_t i, uint32_t number)
{
    return i < store->n && store->entries[i].number == number;
}

/* Makes room for an empty record at i. */
static bool insert(struct fz_memory_store *store, size_t i, uint32_t number)
{
    if (store->n == store->room) {
        size_t room = store->room == 0 ? 16 : 2 * store->room;
        struct entry *entries = realloc(store->entries, room * sizeof *entries);
        if (entries == NULL)
            return false;
        store->entries = entries;
        store->room = room;
    }
    memmove(&store->entries[i + 1], &store->entries[i], (store->n - i) * sizeof *store->entries);
    store->entries[i] = (struct entry){.number = number};
    store->n++;
    return true;
}

static void tell_nothing(struct fz_register_status *status)
{
    if (status != NULL)
        *status = (struct fz_register_status){.has_clock = false};
}

static enum fz_register_result memory_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                           struct fz_record *ret, struct fz_register_status *status,
                                           frazil_error *reterr)
{
    (void)deadline;
    struct fz_memory_store *store = ctx;

    (void)reterr;
    tell_nothing(status);
    pthread_mutex_lock(&store->mutex);
    size_t i = find(store, number);
    if (is_at(store, i, number))
        *ret = store->entries[i].record;
    else
        ret->version = 0;
    pthread_mutex_unlock(&store->mutex);
    return FZ_REGISTER_OK;
}

static enum fz_register_result memory_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                               void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    struct fz_memory_store *store = ctx;

    (void)reterr;
    tell_nothing(status);
    pthread_mutex_lock(&store->mutex);
    for (size_t i = 0; i < store->n; i++)
        visit(visit_ctx, store->entries[i].number, &store->entries[i].record);
    pthread_mutex_unlock(&store->mutex);
    return FZ_REGISTER_OK;
}

static enum fz_register_result memory_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                                size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                                struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    const struct fz_record found = {.version = 1};
    struct fz_memory_store *store = ctx;

    (void)reterr;
    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    tell_nothing(status);
    pthread_mutex_lock(&store->mutex);
    for (size_t k = 0; k < n; k++) {
        size_t i = find(store, numbers[k]);
        if (is_at(store, i, numbers[k]))
            visit(visit_ctx, numbers[k], k < whole ? &store->entries[i].record : &found);
    }
    pthread_mutex_unlock(&store->mutex);
    return FZ_REGISTER_OK;
}

static enum fz_register_result swap_locked(struct fz_memory_store *store, const struct fz_swap *swap,
                                           uint64_t *ret_version, frazil_error *reterr)
{
    size_t i = find(store, swap->number);
    uint64_t found = is_at(store, i, swap->number) ? store->entries[i].record.version : 0;

    if (found != swap->expected)
        return FZ_REGISTER_CONFLICT;
    if (found == 0 && !insert(store, i, swap->number)) {
        fz_fail(reterr, FRAZIL_ENOMEM, "no memory for one more record");
        return FZ_REGISTER_UNREACHABLE;
    }
    struct fz_record *record = &store->entries[i].record;
    record->version = found >= store->next_version ? found + 1 : store->next_version;
    store->next_version = record->version + 1;
    record->len = swap->len;
    memcpy(record->data, swap->data, swap->len);
    *ret_version = record->version;
    return FZ_REGISTER_OK;
}

static enum fz_register_result memory_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                           uint64_t *ret_version, struct fz_register_status *status,
                                           frazil_error *reterr)
{
    (void)deadline;
    struct fz_memory_store *store = ctx;

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    tell_nothing(status);
    pthread_mutex_lock(&store->mutex);
    enum fz_register_result result = swap_locked(store, swap, ret_version, reterr);
    pthread_mutex_unlock(&store->mutex);
    return result;
}

static void memory_close(void *ctx)
{
    (void)ctx; /* the store is the caller's */
}

struct fz_register fz_memory_register(struct fz_memory_store *store)
{
    return (struct fz_register){.ctx = store,
                                .register_class = FZ_REGISTER_ONE_HOST,
                                .read = memory_read,
                                .read_all = memory_read_all,
                                .read_many = memory_read_many,
                                .finds_for_less = true,
                                .swap = memory_swap,
                                .close = memory_close};
}

struct fz_memory_store *fz_memory_store_new(uint64_t first_version)
{
    struct fz_memory_store *store = calloc(1, sizeof *store);

    assert(first_version >= 1);
    if (store == NULL)
        return NULL;
    if (pthread_mutex_init(&store->mutex, NULL) != 0) {
        free(store);
        return NULL;
    }
    store->next_version = first_version;
    return store;
}

struct fz_memory_store *fz_memory_store_copy(struct fz_memory_store *store, uint64_t first_version)
{
    struct fz_memory_store *copy = fz_memory_store_new(first_version);

    if (copy == NULL)
        return NULL;
    pthread_mutex_lock(&store->mutex);
    copy->entries = store->n == 0 ? NULL : malloc(store->n * sizeof *copy->entries);
    bool failed = store->n > 0 && copy->entries == NULL;
    if (!failed && store->n > 0) {
        memcpy(copy->entries, store->entries, store->n * sizeof *copy->entries);
        copy->n = copy->room = store->n;
    }
    pthread_mutex_unlock(&store->mutex);
    if (failed) {
        fz_memory_store_free(copy);
        return NULL;
    }
    return copy;
}

void fz_memory_store_free(struct fz_memory_store *store)
{
    if (store == NULL)
        return;
    pthread_mutex_destroy(&store->mutex);
    free(store->entries);
    free(store);
}
