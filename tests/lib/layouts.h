/* SPDX-License-Identifier: MIT */
/* Layouts of tests, in one call. */
#ifndef TESTS_LIB_LAYOUTS_H
#define TESTS_LIB_LAYOUTS_H

#include "frazil/layout.h"

/* The layout of that text.  Fails the test, with the sentence, if there is none. */
frazil_layout parse_layout(const char *text);

/* frazil_layout_get_info. */
frazil_layout_info describe_layout(const frazil_layout *layout);

#endif
