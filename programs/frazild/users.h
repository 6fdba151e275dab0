/* SPDX-License-Identifier: MIT */
/*
 * The users and their rights.  If no user is configured, every client may do everything.
 */
#ifndef FRAZILD_USERS_H
#define FRAZILD_USERS_H

#include <gnutls/gnutls.h>

#include "rate.h"
#include "row_index.h"
#include "settings.h"

/* X(identifier, name): the verbs that `allow` has. */
#define VERBS(X) X(NEXT, "next") X(INSPECT, "inspect") X(STATS, "stats") X(LEASES, "leases")

enum verb {
    VERB_NONE, /* for every known user */
#define VERB(identifier, name) VERB_##identifier,
    VERBS(VERB)
#undef VERB
        VERB_COUNT
};

struct user {
    const char *name;         /* the settings' own */
    const char *allow;        /* likewise */
    const char *certificate;  /* likewise: a name in the client's certificate; "" for none */
    unsigned char sha256[32]; /* of the token */
    unsigned char proof[32];  /* SHA-256 of all that the user is known by: another after a reload is another user */
    bool has_secret;
    struct rate rate;
};

struct users {
    struct user *rows;
    size_t count;
    struct row_index by_name;
    struct row_index by_token; /* by its SHA-256 */
    struct row_index by_certificate;
};

/* Reads the secrets of the users of the settings, which must outlive them.  Each error is added to errors. */
void users_open(struct users *users, const struct settings *settings, struct bytes *errors);

/*
 * Looks for rules of allow= that fit no generator of the settings, which are free of errors, and adds each to warnings:
 * it may be a mistake, or a file that several daemons share.
 */
void users_look_at_rules(const struct settings *settings, struct bytes *warnings);

/* Frees them. */
void users_close(struct users *users);

/* The user of that name; NULL: there is none. */
struct user *users_find(const struct users *users, struct slice name);

/* The user whose token it is; an absent name stands for any user.  NULL: nobody's, or that of another name. */
struct user *users_by_token(const struct users *users, struct slice name, struct slice token);

/* The user whose certificate the client of a session of TLS has shown; NULL: nobody's, or it has shown none. */
struct user *users_by_certificate(const struct users *users, gnutls_session_t session);

/* Whether a user may do this with a generator (empty: none).  user NULL: there are no users, so anybody may. */
bool users_may(const struct user *user, enum verb verb, struct slice generator);

/* Whether a generator is shown to a user in lists. */
bool users_see(const struct user *user, const char *generator);

/* Prints a new token and its SHA-256.  Returns the exit status. */
int users_print_new_token(void);

#endif
