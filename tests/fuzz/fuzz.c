/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILLING = 0xa5 };

_Noreturn void fuzz_broken(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
    abort();
}

char *fuzz_string(const uint8_t *data, size_t size)
{
    size_t len = size == 0 ? 0 : strnlen((const char *)data, size);
    char *text = malloc(len + 1);

    REQUIRE(text != NULL);
    if (len > 0)
        memcpy(text, data, len);
    text[len] = '\0';
    return text;
}

void fuzz_fill(void *memory, size_t size)
{
    memset(memory, FILLING, size);
}

bool fuzz_is_untouched(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != FILLING)
            return false;
    }
    return true;
}

void fuzz_require_error(frazil_err err, const frazil_error *why)
{
    REQUIRE(err != FRAZIL_OK && why->code == err);
    size_t len = strnlen(why->message, sizeof why->message);
    REQUIRE(len > 0 && len < sizeof why->message);
    for (size_t i = 0; i < len; i++)
        REQUIRE((unsigned char)why->message[i] >= ' ' && why->message[i] != 0x7f);
}

void fuzz_require_secret_kept(const char *url, const char *sentence)
{
    static const char secret[] = "hunter2";
    const char *scheme = strstr(url, "://");
    const char *at = scheme == NULL ? NULL : strstr(scheme, secret);

    if (at == NULL || strstr(url, secret) != at || strstr(at + 1, secret) != NULL || strstr(url, "+unix:") != NULL)
        return;
    if (strcspn(scheme, "?") < (size_t)(at - scheme) || at[strcspn(at, "@?")] != '@')
        return;
    REQUIRE(strstr(sentence, secret) == NULL);
}
