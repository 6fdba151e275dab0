/* SPDX-License-Identifier: MIT */
/*
 * Bytes that grow: what a connection has read and not yet understood, and what it has to send.
 *
 * When memory is short, `failed` is set and what is added is dropped, so that writers need not check each call: the
 * owner looks at `failed` once, before it sends anything.
 */
#ifndef FRAZILD_BYTES_H
#define FRAZILD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Empty when all of it is zero. */
struct bytes {
    char *at;
    size_t len;
    size_t size;
    bool failed;
};

/*
 * Memory that one writer after the other has bytes in.  It has no length and no failure of its own: nothing that a
 * writer left can be there for the next one.
 */
struct bytes_memory {
    char *at;
    size_t size;
};

/* Makes room for `more` bytes behind the last one.  Returns where they go, or NULL, and sets `failed`, without memory.
 */
char *bytes_room(struct bytes *bytes, size_t more);

/* Adds bytes, a text, or a number in decimal digits. */
void bytes_add(struct bytes *bytes, const void *data, size_t len);
void bytes_add_text(struct bytes *bytes, const char *text);
void bytes_add_number(struct bytes *bytes, uint64_t number);

/* Adds a text as printf makes it, at most 4,095 characters of it. */
void bytes_format(struct bytes *bytes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Takes the first len bytes away. */
void bytes_drop(struct bytes *bytes, size_t len);

/* Takes memory for bytes, which are empty; the caller owns it alone until it gives it back, however its work ended. */
struct bytes bytes_take(struct bytes_memory *memory);
void bytes_give_back(struct bytes *bytes, struct bytes_memory *memory);

/* Frees the memory; the bytes are empty then. */
void bytes_free(struct bytes *bytes);

/* Writes a number in decimal digits, without a terminator; 20 bytes are enough.  Returns how many there are. */
size_t bytes_digits(char *out, uint64_t number);

/* All digits but the last eight of a number that was written.  All zeros when it is new. */
struct digits {
    uint64_t upper;
    size_t len;
    char text[12];
};

/* The same for one of many numbers that mostly differ in the last eight digits alone, as the ids of a batch do. */
size_t bytes_next_digits(struct digits *last, char *out, uint64_t number);

#endif
