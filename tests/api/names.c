/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the names and shapes that programs elsewhere are compiled
 * against never change.  Each function is assigned to a pointer of exactly its
 * type; what has changed does not compile, what is gone does not link.
 */
#include <stdio.h>

#include <frazil.h>

_Static_assert(FRAZIL_OK == 0, "success is 0");
_Static_assert(sizeof(frazil_err) == sizeof(int), "errors are ints");
_Static_assert(sizeof(frazil_sno) == 10, "a sno has ten bytes");
_Static_assert(sizeof(((frazil_error *)0)->message) == FRAZIL_ERROR_MESSAGE_SIZE, "a sentence has its size");

static frazil_err (*const open_fn)(frazil **, const char *, frazil_error *) = frazil_open;
static frazil_err (*const next_fn)(frazil *, uint64_t *) = frazil_next;
static frazil_err (*const next_n_fn)(frazil *, uint64_t *, size_t) = frazil_next_n;
static frazil_err (*const try_next_fn)(frazil *, uint64_t *, uint64_t *) = frazil_try_next;
static void (*const close_fn)(frazil *) = frazil_close;

static frazil_err (*const local_open_fn)(frazil_local **, frazil *, frazil_error *) = frazil_local_open;
static frazil_err (*const local_next_fn)(frazil_local *, uint64_t *) = frazil_local_next;
static void (*const local_close_fn)(frazil_local *) = frazil_local_close;

static frazil_err (*const sno_next_fn)(frazil *, uint8_t, frazil_sno *) = frazil_sno_next;
static frazil_err (*const sno_next_n_fn)(frazil *, uint8_t, frazil_sno *, size_t) = frazil_sno_next_n;
static void (*const sno_encode_fn)(const frazil_sno *, char[16]) = frazil_sno_encode;
static frazil_err (*const sno_decode_fn)(const char *, size_t, frazil_sno *, frazil_error *) = frazil_sno_decode;

static frazil_err (*const layout_parse_fn)(const char *, size_t, frazil_layout *, frazil_error *) = frazil_layout_parse;
static frazil_err (*const compose_fn)(const frazil_layout *, const frazil_fields *, uint64_t *,
                                      frazil_error *) = frazil_id_compose;
static frazil_err (*const decompose_fn)(const frazil_layout *, uint64_t, frazil_fields *,
                                        frazil_error *) = frazil_id_decompose;
static frazil_err (*const id_range_fn)(const frazil_layout *, int64_t, int64_t, uint64_t *, uint64_t *,
                                       frazil_error *) = frazil_id_range;
static frazil_err (*const id_format_fn)(frazil_text, uint64_t, char *, size_t, size_t *) = frazil_id_format;
static frazil_err (*const id_parse_fn)(frazil_text, const char *, size_t, uint64_t *, frazil_error *) = frazil_id_parse;
static const char *(*const strerror_fn)(frazil_err) = frazil_strerror;

int main(void)
{
    int names = 0;

#define COUNT(fn) names += (fn) != NULL
    COUNT(open_fn);
    COUNT(next_fn);
    COUNT(next_n_fn);
    COUNT(try_next_fn);
    COUNT(close_fn);
    COUNT(local_open_fn);
    COUNT(local_next_fn);
    COUNT(local_close_fn);
    COUNT(sno_next_fn);
    COUNT(sno_next_n_fn);
    COUNT(sno_encode_fn);
    COUNT(sno_decode_fn);
    COUNT(layout_parse_fn);
    COUNT(compose_fn);
    COUNT(decompose_fn);
    COUNT(id_range_fn);
    COUNT(id_format_fn);
    COUNT(id_parse_fn);
    COUNT(strerror_fn);
    printf("%d fixed names\n", names);
    return names == 19 ? 0 : 1;
}
