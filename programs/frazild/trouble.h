/* SPDX-License-Identifier: MIT */
/* Why a generator gives no ids, or soon will not, and when that can change: in words that any client may read. */
#ifndef FRAZILD_TROUBLE_H
#define FRAZILD_TROUBLE_H

#include "generators.h"

struct trouble {
    char why[128];     /* a part of a sentence, without a file or a host; "": there is none */
    uint64_t retry_ns; /* when it can change, from now; 0: nobody knows */
};

/* The trouble of an engine now.  It waits for nothing, and asks no coordinator. */
void trouble_find(const struct engine *engine, struct trouble *ret);

/* The instant at which it can change, as Unix milliseconds. */
int64_t trouble_end_unix_ms(const struct trouble *trouble);

#endif
