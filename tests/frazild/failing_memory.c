/* SPDX-License-Identifier: MIT */
#include "failing_memory.h"

#include <stdbool.h>
#include <stddef.h>

static unsigned first, last, calls;

static bool fails(void)
{
    calls++;
    return first > 0 && calls >= first && calls <= last;
}

void memory_fails_at(unsigned at)
{
    calls = 0;
    first = last = at;
}

void memory_fails_from(unsigned at)
{
    calls = 0;
    first = at;
    last = ~0U;
}

unsigned memory_calls(void)
{
    return calls;
}

/* The linker puts these between the daemon and libc (CMakeLists.txt), and wants them visible for shared libraries. */
#pragma GCC visibility push(default)
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);
#pragma GCC visibility pop

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return fails() ? NULL : __real_realloc(at, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t len)
{
    return fails() ? NULL : __real_strndup(text, len);
}
