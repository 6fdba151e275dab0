/* SPDX-License-Identifier: MIT */
/* The ids that a rounded number can have been: what a double, or the text of one, keeps of an id. */
#ifndef ROUNDED_H
#define ROUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids, both included. */
struct rounded_range {
    uint64_t first;
    uint64_t last;
};

/* All numbers that are the same double as this one. */
struct rounded_range rounded_as(uint64_t number);

/*
 * All numbers that a program can have shown as this text, which has a point or an exponent: 1.19e+17, 1.19E17, 1e17,
 * 119525356527943741.0.  Those are the numbers whose double has these digits, rounded to as many.  False: it is no such
 * text, or no whole number below 2^64.
 */
bool rounded_read(const char *text, size_t len, struct rounded_range *ret);

#endif
