/* SPDX-License-Identifier: MIT */
/*
 * cmocka's assertions, with the headers that cmocka.h wants before it.
 */
#ifndef FRAZIL_TESTS_LIB_ASSERTS_H
#define FRAZIL_TESTS_LIB_ASSERTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
