/* SPDX-License-Identifier: MIT */
/*
 * Whether a client gets the ids that it asked for, and why not: the same for every protocol.
 */
#ifndef FRAZILD_ADMISSION_H
#define FRAZILD_ADMISSION_H

#include "counters.h"
#include "dispatcher.h"
#include "setup.h"
#include "users.h"

/* Whether a client may use a generator. */
enum access {
    ACCESS_GIVEN,
    ACCESS_NO_NAME,   /* a generator cannot have that name */
    ACCESS_FORBIDDEN, /* to this user, whether the generator is there or not */
    ACCESS_ABSENT     /* the user might use it, but it is not there */
};

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

/* There is no memory to serve a client, and soon there may be. */
extern const struct refusal admission_no_memory;

/*
 * Whether the user may do this with the generator of that name, or with any if that is empty.  NULL: the client has not
 * logged in.  Where the configuration has no users, all may do everything.
 */
bool admission_may(const struct setup *setup, const struct user *user, enum verb verb, struct slice name);

/*
 * Looks for the generator of that name, for a user's command.  The user's rights are checked first: a user does not
 * learn whether a generator exists that it may not use.
 */
enum access admission_find(const struct setup *setup, const struct user *user, enum verb verb, struct slice name,
                           struct generator **ret);

/*
 * The same for a generator that the client means without its name; NULL: none is meant.  Only a user that may use every
 * generator learns that none is meant.
 */
enum access admission_of_unnamed(const struct setup *setup, const struct user *user, enum verb verb,
                                 const struct generator *generator);

/* Whether the generator gives so many ids to one request, and ever has them within that time. */
bool admission_by_size(const struct generator *generator, uint32_t n, uint64_t timeout_ns, struct refusal *ret);

/*
 * Takes n ids' worth out of the limits of the generator and of the user (which may be NULL), or out of neither: then
 * *ret says whose limit it was.
 */
bool admission_by_rate(struct generator *generator, struct user *user, uint32_t n, uint64_t now_ns,
                       struct refusal *ret);

/* Gives n ids' worth back that were taken, but not given; either may be NULL. */
void admission_give_back(struct generator *generator, struct user *user, uint32_t n);

/* Why a request for ids ended without all of them. */
void admission_explain(const struct id_request *id_request, struct refusal *ret);

#endif
