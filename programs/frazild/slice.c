/* SPDX-License-Identifier: MIT */
#include "slice.h"

#include <string.h>

struct slice slice_of(const char *text)
{
    return (struct slice){text, text != NULL ? strlen(text) : 0};
}

static char capital(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
}

bool slice_equals(struct slice a, struct slice b)
{
    return a.at != NULL && b.at != NULL && a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

bool slice_equals_any_case(struct slice a, struct slice b)
{
    if (a.at == NULL || b.at == NULL || a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (capital(a.at[i]) != capital(b.at[i]))
            return false;
    }
    return true;
}

/* It runs for each command: the length of the word is not looked for first. */
bool slice_is(struct slice slice, const char *word)
{
    for (size_t i = 0; i < slice.len; i++) {
        if (word[i] == '\0' || capital(slice.at[i]) != word[i])
            return false;
    }
    return slice.at != NULL && word[slice.len] == '\0';
}

void slice_lower(struct slice slice, char *to)
{
    for (size_t i = 0; i < slice.len; i++)
        to[i] = (char)(slice.at[i] >= 'A' && slice.at[i] <= 'Z' ? slice.at[i] + 32 : slice.at[i]);
}

static bool begins(struct slice slice, const char *text, size_t len)
{
    return slice.at != NULL && slice.len >= len && memcmp(slice.at, text, len) == 0;
}

bool slice_holds(struct slice slice, const char *text)
{
    size_t len = strlen(text);

    for (; slice.len >= len && slice.len > 0; slice.at++, slice.len--) {
        if (begins(slice, text, len))
            return true;
    }
    return false;
}

bool slice_skip(struct slice *slice, const char *text)
{
    size_t len = strlen(text);

    if (!begins(*slice, text, len))
        return false;
    *slice = (struct slice){slice->at + len, slice->len - len};
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct slice slice_cut(struct slice *slice, char mark)
{
    const char *end = slice->len > 0 ? memchr(slice->at, mark, slice->len) : NULL;
    struct slice part = *slice;

    if (end == NULL) {
        *slice = (struct slice){NULL, 0};
    } else {
        part.len = (size_t)(end - part.at);
        *slice = (struct slice){end + 1, slice->len - part.len - 1};
    }
    for (; part.len > 0 && is_blank(part.at[0]); part.at++)
        part.len--;
    while (part.len > 0 && is_blank(part.at[part.len - 1]))
        part.len--;
    return part;
}

bool slice_next_word(const char **list, struct slice *ret)
{
    static const char blanks[] = " \t";
    const char *at = *list + strspn(*list, blanks);

    *ret = (struct slice){at, strcspn(at, blanks)};
    *list = at + ret->len;
    return ret->len > 0;
}

int hex_digit(char c)
{
    char small = (char)(c | 0x20);

    if (c >= '0' && c <= '9')
        return c - '0';
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

bool slice_number(struct slice slice, uint64_t most, uint64_t *ret)
{
    uint64_t number = 0;

    if (slice.len == 0 || slice.len > 19)
        return false;
    for (size_t i = 0; i < slice.len; i++) {
        if (slice.at[i] < '0' || slice.at[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(slice.at[i] - '0');
    }
    *ret = number;
    return number <= most;
}
