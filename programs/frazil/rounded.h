/* SPDX-License-Identifier: MIT */
/* The ids that a rounded number can have been: what a double, the text of one, or a spreadsheet keeps of an id. */
#ifndef ROUNDED_H
#define ROUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids, both included. */
struct rounded_range {
    uint64_t first;
    uint64_t last;
    bool is_cut; /* a spreadsheet can have shown them, too, which makes all digits after the 15th zeros */
};

/* All numbers that are the same double as this one. */
struct rounded_range rounded_as(uint64_t number);

/*
 * All ids that can have become this one in decimal: those of the same double, and those that a spreadsheet has cut.
 * is_signed: the decimal is that of a signed number of 64 bits.
 */
struct rounded_range rounded_as_decimal(uint64_t number, bool is_signed);

enum rounded_result {
    ROUNDED_READ,
    ROUNDED_NO_ID, /* it is a number, and no id rounds to it */
    ROUNDED_OTHER  /* it is no such text */
};

/*
 * All ids that a program can have shown as this text, which has a point or an exponent: 1.19e+17, 1.19E17, 1e17,
 * 119525356527943741.0, -1.19e+17.  Those are the numbers whose double, or what a spreadsheet has left of them, has
 * these digits, rounded to as many.  Negative numbers, and all with is_signed, are signed ones of 64 bits.  2^64 in
 * digits is such a text, too.
 */
enum rounded_result rounded_read(const char *text, size_t len, bool is_signed, struct rounded_range *ret);

#endif
