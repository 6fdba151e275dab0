/* SPDX-License-Identifier: MIT */
#include "bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LEAST 128
#define EIGHT_DIGITS 100000000U /* a number below it has so many at most */

char *bytes_room(struct bytes *bytes, size_t more)
{
    size_t need = bytes->len + more;

    if (need <= bytes->size && bytes->at != NULL)
        return bytes->at + bytes->len;
    size_t size = bytes->size < SIZE_LEAST ? SIZE_LEAST : bytes->size;
    while (size < need)
        size *= 2;
    char *at = realloc(bytes->at, size);
    if (at == NULL) {
        bytes->failed = true;
        return NULL;
    }
    bytes->at = at;
    bytes->size = size;
    return at + bytes->len;
}

void bytes_add(struct bytes *bytes, const void *data, size_t len)
{
    char *room = bytes_room(bytes, len);

    if (room == NULL || len == 0)
        return;
    memcpy(room, data, len);
    bytes->len += len;
}

void bytes_add_text(struct bytes *bytes, const char *text)
{
    bytes_add(bytes, text, strlen(text));
}

void bytes_add_number(struct bytes *bytes, uint64_t number)
{
    char *room = bytes_room(bytes, 20);

    if (room != NULL)
        bytes->len += bytes_digits(room, number);
}

void bytes_format(struct bytes *bytes, const char *fmt, ...)
{
    char text[4096];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (len > 0)
        bytes_add(bytes, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
}

void bytes_drop(struct bytes *bytes, size_t len)
{
    bytes->len -= len;
    if (bytes->len > 0 && len > 0)
        memmove(bytes->at, bytes->at + len, bytes->len);
}

struct bytes bytes_take(struct bytes_memory *memory)
{
    struct bytes ret = {.at = memory->at, .size = memory->size};

    *memory = (struct bytes_memory){0};
    return ret;
}

void bytes_give_back(struct bytes *bytes, struct bytes_memory *memory)
{
    free(memory->at); /* that another buffer gave back meanwhile */
    *memory = (struct bytes_memory){.at = bytes->at, .size = bytes->size};
    *bytes = (struct bytes){0};
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct bytes){0};
}

/* smallest[n]: the smallest number that has n + 1 digits. */
/* clang-format off */
static const uint64_t smallest[] = {
    0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
    10000000000000000000U};
/* clang-format on */

static size_t count_digits(uint64_t number)
{
    size_t bits = 64 - (size_t)__builtin_clzll(number | 1), guess = bits * 1233 >> 12; /* times log10(2) */

    return guess + (number >= smallest[guess]);
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static void write_pair(char *at, uint32_t number)
{
    memcpy(at, pairs + 2 * (size_t)number, 2);
}

/* No pair waits for the division of another one: an id costs a third of what it does pair after pair. */
static void write_eight(char *at, uint32_t number)
{
    uint32_t left = number / 10000, right = number % 10000;

    write_pair(at, left / 100);
    write_pair(at + 2, left % 100);
    write_pair(at + 4, right / 100);
    write_pair(at + 6, right % 100);
}

/* From the end.  The digits are written where they belong, as a copy would wait for them. */
size_t bytes_digits(char *out, uint64_t number)
{
    size_t len = count_digits(number);
    char *at = out + len;

    for (; number >= EIGHT_DIGITS; number /= EIGHT_DIGITS)
        write_eight(at -= 8, (uint32_t)(number % EIGHT_DIGITS));
    for (; number >= 100; number /= 100)
        write_pair(at -= 2, (uint32_t)(number % 100));
    if (number >= 10)
        write_pair(out, (uint32_t)number);
    else
        *out = (char)('0' + number);
    return len;
}

size_t bytes_next_digits(struct digits *last, char *out, uint64_t number)
{
    uint64_t upper = number / EIGHT_DIGITS;

    if (upper == 0)
        return bytes_digits(out, number);
    if (upper != last->upper) {
        last->upper = upper;
        last->len = bytes_digits(last->text, upper);
    }
    memcpy(out, last->text, sizeof last->text);
    write_eight(out + last->len, (uint32_t)(number % EIGHT_DIGITS));
    return last->len + 8;
}
