/* SPDX-License-Identifier: MIT */
/* Ids of more than 64 bits that other systems make: they are named, and their time is told where they have one. */
#include "ids.h"

#include <frazil.h>
#include <frazil/extras.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ULID_LEN = 26, ULID_TIME_LEN = 10, KSUID_LEN = 27, KSUID_SIZE = 20, OBJECT_ID_LEN = 24, OBJECT_ID_TIME_LEN = 8 };

static const char decimal[] = "0123456789";
static const char hex[] = "0123456789abcdef";
static const char crockford[] = "0123456789abcdefghjkmnpqrstvwxyz";
static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static const int64_t ksuid_epoch_ms = INT64_C(1400000000000);
static const int64_t gregorian_epoch_ms = INT64_C(-12219292800000); /* of UUIDs with a time in ticks of 100 ns */

/* The value of a digit, in either case where the alphabet has small letters alone; -1 for none. */
static int digit_of(const char *alphabet, char c)
{
    const char *at = c == '\0' ? NULL : strchr(alphabet, c);

    if (at == NULL && c >= 'A' && c <= 'Z' && alphabet != base62)
        at = strchr(alphabet, c - 'A' + 'a');
    return at == NULL ? -1 : (int)(at - alphabet);
}

/* The first `len` digits as a number; UINT64_MAX if one is none. */
static uint64_t number_of(const char *alphabet, const char *text, size_t len)
{
    uint64_t radix = strlen(alphabet), number = 0;

    for (size_t i = 0; i < len; i++) {
        int digit = digit_of(alphabet, text[i]);
        if (digit < 0)
            return UINT64_MAX;
        number = number * radix + (uint64_t)digit;
    }
    return number;
}

static bool are_digits(const char *alphabet, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (digit_of(alphabet, text[i]) < 0)
            return false;
    return true;
}

static void say(const char *what, int64_t unix_ms, char buf[NOT_DECIMAL_SIZE])
{
    char time[FRAZIL_TIME_SIZE];
    size_t len;

    if (frazil_time_format(unix_ms, time, sizeof time, &len) != FRAZIL_OK)
        (void)snprintf(buf, NOT_DECIMAL_SIZE, "it is %s, not a 64-bit id", what);
    else
        (void)snprintf(buf, NOT_DECIMAL_SIZE, "it is %s, made at %s, not a 64-bit id", what, time);
}

/* The digits of a UUID without its dashes; false: it is none. */
static bool read_uuid(const char *text, size_t len, char digits[32])
{
    size_t count = 0;

    if (len != FRAZIL_UUID_LEN)
        return false;
    for (size_t i = 0; i < len; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : digit_of(hex, text[i]) < 0)
            return false;
        if (!is_dash)
            digits[count++] = text[i];
    }
    return true;
}

static bool say_uuid(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE])
{
    char digits[32], what[32];

    if (!read_uuid(text, len, digits))
        return false;
    int version = digit_of(hex, digits[12]);
    uint64_t high = number_of(hex, digits, 8), middle = number_of(hex, digits + 8, 4),
             low = number_of(hex, digits + 13, 3);
    (void)snprintf(what, sizeof what, "a UUID of version %d", version);
    if (version == 7)
        say(what, (int64_t)(high << 16 | middle), buf);
    else if (version == 1)
        say(what, (int64_t)((low << 48 | middle << 32 | high) / 10000) + gregorian_epoch_ms, buf);
    else if (version == 6)
        say(what, (int64_t)((high << 28 | middle << 12 | low) / 10000) + gregorian_epoch_ms, buf);
    else
        (void)snprintf(buf, NOT_DECIMAL_SIZE, "it is %s, which has no time, not a 64-bit id", what);
    return true;
}

static bool say_ulid(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE])
{
    if (len != ULID_LEN || text[0] > '7' || !are_digits(crockford, text, len))
        return false;
    say("a ULID", (int64_t)number_of(crockford, text, ULID_TIME_LEN), buf);
    return true;
}

static bool say_ksuid(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE])
{
    uint8_t bytes[KSUID_SIZE] = {0};

    if (len != KSUID_LEN)
        return false;
    for (size_t i = 0; i < len; i++) {
        int carry = digit_of(base62, text[i]);
        if (carry < 0)
            return false;
        for (size_t j = KSUID_SIZE; j-- > 0; carry >>= 8) {
            carry += bytes[j] * 62;
            bytes[j] = (uint8_t)(carry & 0xff);
        }
        if (carry != 0)
            return false;
    }
    uint32_t seconds = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    say("a KSUID", ksuid_epoch_ms + INT64_C(1000) * seconds, buf);
    return true;
}

static bool say_object_id(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE])
{
    if (len != OBJECT_ID_LEN || !are_digits(hex, text, len))
        return false;
    say("an ObjectId of MongoDB", INT64_C(1000) * (int64_t)number_of(hex, text, OBJECT_ID_TIME_LEN), buf);
    return true;
}

bool foreign_because(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE])
{
    /* A decimal number that was mistyped is likelier than a foreign id without a letter. */
    if (are_digits(decimal, text, len))
        return false;
    return say_uuid(text, len, buf) || say_ulid(text, len, buf) || say_ksuid(text, len, buf) ||
           say_object_id(text, len, buf);
}
