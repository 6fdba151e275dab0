/* SPDX-License-Identifier: MIT */
#include "lib/register_kinds.h"
#include "memory_register.h"

static struct fz_memory_store *store;
static uint64_t stores;

static bool start(void)
{
    store = fz_memory_store_new(++stores << 32);
    return store != NULL;
}

static void stop(void)
{
    fz_memory_store_free(store);
}

static struct fz_register open_register(void)
{
    return fz_memory_register(store);
}

const struct register_kind kind_memory = {
    .name = "memory", .start = start, .stop = stop, .open = open_register, .finds = true};
