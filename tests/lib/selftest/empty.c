/* SPDX-License-Identifier: MIT */
/*
 * No test is here, so the program must fail.
 */
#include "lib/test.h"
