/* SPDX-License-Identifier: MIT */
/*
 * The pure part of the library for browsers.  The files of the addon that need no generator are compiled as they are;
 * their Node-API is bridge.mjs.  Here are the door, and what they and the core need of a C library.
 */
#include "../src/addon.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(function_name) __attribute__((export_name(function_name)))

static const struct native *const TABLES[] = {natives_of_layouts, natives_of_texts, natives_of_snos};

/* Memory of a call: it is all free again when the next one begins. */
extern uint8_t __heap_base;
static uintptr_t heap_end;

/* The native function of that number; NULL: there are fewer. */
static const struct native *native_at(uint32_t number)
{
    for (size_t t = 0; t < sizeof TABLES / sizeof TABLES[0]; t++) {
        for (const struct native *native = TABLES[t]; native->name != NULL; native++) {
            if (number-- == 0)
                return native;
        }
    }
    return NULL;
}

EXPORT("name") const char *bridge_name(uint32_t number)
{
    const struct native *native = native_at(number);

    return native == NULL ? NULL : native->name;
}

/* Its arguments are the values 1 to count of the call. */
EXPORT("call") napi_value bridge_call(uint32_t number, uint32_t count)
{
    static struct addon addon;
    struct args args = {.addon = &addon};

    addon.error_class = (napi_ref)(uintptr_t)1; /* bridge.mjs knows but one */
    heap_end = (uintptr_t)&__heap_base;
    for (uintptr_t i = 0; i < count && i < ARGUMENTS_MOST; i++)
        args.value[i] = (napi_value)(i + 1);
    napi_value result = native_at(number)->call(&args);
    return args.wrong ? NULL : result;
}

/* In place of src/extras/salt.c: a browser has a source of random numbers of its own. */
frazil_err frazil_salt_new(const frazil_random *random, uint64_t *ret_salt, frazil_error *reterr)
{
    (void)random;
    (void)ret_salt;
    (void)reterr;
    return FRAZIL_ENOTBUILT;
}

/* ---- of a C library ------------------------------------------------------------------------ */

EXPORT("malloc") void *malloc(size_t n)
{
    const uintptr_t page = 65536;
    uintptr_t begin = (heap_end + 15) & ~(uintptr_t)15;
    uintptr_t have = __builtin_wasm_memory_size(0) * page;

    if (n > UINT32_MAX - page - begin)
        return NULL;
    if (begin + n > have && __builtin_wasm_memory_grow(0, (begin + n - have + page - 1) / page) == SIZE_MAX)
        return NULL;
    heap_end = begin + n;
    return (void *)begin;
}

void free(void *memory)
{
    (void)memory;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return memmove(to, from, n);
}

void *memmove(void *to, const void *from, size_t n)
{
    uint8_t *target = to;
    const uint8_t *source = from;

    if (target < source) {
        for (size_t i = 0; i < n; i++)
            target[i] = source[i];
    } else {
        while (n-- > 0)
            target[n] = source[n];
    }
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    uint8_t *target = to;

    for (size_t i = 0; i < n; i++)
        target[i] = (uint8_t)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *left = a;
    const uint8_t *right = b;

    for (size_t i = 0; i < n; i++) {
        if (left[i] != right[i])
            return left[i] - right[i];
    }
    return 0;
}

void *memchr(const void *in, int byte, size_t n)
{
    const uint8_t *bytes = in;

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == (uint8_t)byte)
            return (void *)(uintptr_t)&bytes[i];
    }
    return NULL;
}

size_t strlen(const char *text)
{
    size_t len = 0;

    while (text[len] != '\0')
        len++;
    return len;
}

/* ---- of clang's runtime -------------------------------------------------------------------- */

typedef unsigned __int128 wide;

static wide product_of(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half);
    uint64_t middle = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (middle & half);
    uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);

    return (wide)high << 64 | (other << 32 | (low & half));
}

wide __multi3(wide a, wide b);

wide __multi3(wide a, wide b)
{
    wide low = product_of((uint64_t)a, (uint64_t)b);
    uint64_t high = (uint64_t)(a >> 64) * (uint64_t)b + (uint64_t)a * (uint64_t)(b >> 64);

    return low + ((wide)high << 64);
}
