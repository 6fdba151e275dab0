/* SPDX-License-Identifier: MIT */
#include "resp_write.h"

#include <string.h>

/* <mark>number CR LF */
static void head(struct bytes *out, char mark, uint64_t number)
{
    char *room = bytes_room(out, 24);

    if (room == NULL)
        return;
    *room = mark;
    size_t len = 1 + bytes_digits(room + 1, number);
    memcpy(room + len, "\r\n", 2);
    out->len += len + 2;
}

void resp_status(struct bytes *out, const char *text)
{
    bytes_add(out, "+", 1);
    bytes_add_text(out, text);
    bytes_add(out, "\r\n", 2);
}

void resp_error(struct bytes *out, const char *text)
{
    size_t len = strlen(text);
    char *room = bytes_room(out, len + 3);

    if (room == NULL)
        return;
    *room++ = '-';
    for (size_t i = 0; i < len; i++)
        *room++ = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
    memcpy(room, "\r\n", 2);
    out->len += len + 3;
}

void resp_integer(struct bytes *out, uint64_t number)
{
    resp_integers(out, &number, 1);
}

void resp_big(struct bytes *out, uint64_t number)
{
    head(out, '(', number);
}

void resp_bulk_head(struct bytes *out, size_t len)
{
    head(out, '$', len);
}

void resp_bulk(struct bytes *out, const void *data, size_t len)
{
    resp_bulk_head(out, len);
    bytes_add(out, data, len);
    bytes_add(out, "\r\n", 2);
}

void resp_bytes(struct bytes *out, struct bytes *text)
{
    out->failed |= text->failed;
    resp_bulk(out, text->at, text->len);
    bytes_free(text);
}

void resp_text(struct bytes *out, const char *text)
{
    resp_bulk(out, text, strlen(text));
}

/* Returns the end of a bulk string, which has 28 bytes at most. */
static char *write_digits(struct digits *last, char *room, uint64_t number)
{
    bool is_long = number >= 1000000000; /* the count of its digits has two digits itself, as for every id */
    char *digits = room + (is_long ? 5 : 4);
    size_t len = bytes_next_digits(last, digits, number);

    room[0] = '$';
    if (is_long)
        room[1] = (char)('0' + len / 10);
    digits[-3] = (char)('0' + len % 10);
    memcpy(digits - 2, "\r\n", 2);
    memcpy(digits + len, "\r\n", 2);
    return digits + len + 2;
}

void resp_integers(struct bytes *out, const uint64_t *numbers, size_t n)
{
    char *room = bytes_room(out, 23 * n);
    struct digits last = {0};

    if (room == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        *room++ = ':';
        room += bytes_next_digits(&last, room, numbers[i]);
        memcpy(room, "\r\n", 2);
        room += 2;
    }
    out->len = (size_t)(room - out->at);
}

/* The path of every id: one room for all of them. */
void resp_digits(struct bytes *out, const uint64_t *numbers, size_t n)
{
    char *room = bytes_room(out, 28 * n);
    struct digits last = {0};

    if (room == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        room = write_digits(&last, room, numbers[i]);
    out->len = (size_t)(room - out->at);
}

void resp_array(struct bytes *out, size_t count)
{
    head(out, '*', count);
}

void resp_map(struct bytes *out, int version, size_t pairs)
{
    if (version >= 3)
        head(out, '%', pairs);
    else
        head(out, '*', 2 * pairs);
}

void resp_null(struct bytes *out, int version)
{
    bytes_add_text(out, version >= 3 ? "_\r\n" : "$-1\r\n");
}
