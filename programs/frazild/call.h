/* SPDX-License-Identifier: MIT */
/*
 * A call: one command of a client while it runs, and what all commands need for it.
 */
#ifndef FRAZILD_CALL_H
#define FRAZILD_CALL_H

#include "admission.h"
#include "session.h"

/* One command of a client, while it runs. */
struct call {
    const struct command *row;
    const struct resp_command *words;
    struct bytes *out;
    uint32_t repeats; /* how many equal commands stand there; more than 1 for COMMAND_REPEATS only */
    uint32_t used;    /* how many of them were answered; 1 unless the command says otherwise */
};

enum {
    COMMAND_FREE = 1,     /* also before AUTH */
    COMMAND_REPEATS = 2,  /* equal commands in a row are run as one */
    COMMAND_AT_ONCE = 4,  /* runs inside MULTI instead of being queued */
    COMMAND_NO_MULTI = 8, /* is refused inside MULTI */
    COMMAND_KEY = 16,     /* its first argument is a key */
    COMMAND_HIDDEN = 32   /* COMMAND does not list it: it is there to be refused in words */
};

struct command {
    const char *name;
    size_t least; /* arguments, its name among them */
    size_t most;
    void (*run)(struct session *session, struct call *call);
    enum verb verb;
    unsigned flags;
    const char *arguments;
    const char *help;
};

/* The table, of commands.c; it ends with a row without a name. */
extern const struct command commands[];

/* Replies with an error, and counts it. */
void command_fail(const struct session *session, const struct call *call, enum reply_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with a refusal, which says when to come back. */
void command_refuse(const struct session *session, const struct call *call, const struct refusal *refusal);

/* Counts commands that were answered. */
void command_count(const struct session *session, const struct command *row, enum reply_code code, uint64_t times);

/* Whether the user may use this command with any generator; if not, that is the reply. */
bool command_may(struct session *session, const struct call *call);

/*
 * The generator of that name, which the user may use with this command.  NULL: the reply says why not, and that is the
 * same for a generator that is not there as for one that the user may not use.
 */
struct generator *command_generator(struct session *session, const struct call *call, struct slice name);

/* The same for one that the client means without its name.  NULL: the reply says `with` what the user may not, or what
 * is `absent`. */
struct generator *command_unnamed(struct session *session, const struct call *call, struct generator *generator,
                                  const char *with, const char *absent);

/* The same for the one that a client means which names none. */
struct generator *command_default(struct session *session, const struct call *call);

#endif
