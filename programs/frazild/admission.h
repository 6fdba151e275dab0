/* SPDX-License-Identifier: MIT */
/*
 * Whether a client gets the ids that it asked for, and why not: the same for every protocol.
 */
#ifndef FRAZILD_ADMISSION_H
#define FRAZILD_ADMISSION_H

#include "counters.h"
#include "dispatcher.h"
#include "users.h"

/* The ids that a client asks for by one command or request. */
struct wish {
    struct generator *generator;
    uint32_t n;
    int form;
    uint8_t meta; /* of snos */
};

/* Why a client gets no ids. */
struct refusal {
    enum reply_code code;
    uint64_t retry_ms; /* when to come back; 0: time alone does not help */
    char text[700];
};

/* Whether the generator gives so many ids to one request. */
bool admission_by_size(const struct generator *generator, uint32_t n, struct refusal *ret);

/*
 * Takes n ids' worth out of the limits of the generator and of the user, who may be NULL, or out of neither: then *ret
 * says whose limit it was.
 */
bool admission_by_rate(struct generator *generator, struct user *user, uint32_t n, uint64_t now_ns,
                       struct refusal *ret);

/* Gives n ids' worth back that were taken, but not given; either may be NULL. */
void admission_give_back(struct generator *generator, struct user *user, uint32_t n);

/* Why a request for ids ended without all of them. */
void admission_explain(const struct id_request *id_request, struct refusal *ret);

#endif
