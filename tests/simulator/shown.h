/* SPDX-License-Identifier: MIT */
/* The records in one answer of the simulated coordinator, as closely packed as on a wire: there may be thousands. */
#ifndef SIMULATOR_SHOWN_H
#define SIMULATOR_SHOWN_H

#include "lease/register.h"

struct shown {
    char *bytes; /* freed by shown_free */
    size_t size;
    size_t room;
};

/* Adds a record. */
void shown_add(struct shown *shown, uint32_t number, const struct fz_record *record);

/* Calls visit for each, in the order in which they were added. */
void shown_visit(const struct shown *shown, fz_record_visitor visit, void *ctx);

void shown_free(struct shown *shown);

#endif
