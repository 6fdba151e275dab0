/* SPDX-License-Identifier: MIT */
/*
 * Reading commands of the Redis protocol: a pure function over bytes, without memory, sockets or state.
 *
 * A command is an array of bulk strings, or a line of words ("NEXT orders 5\r\n"), as people type it into nc.
 */
#ifndef FRAZILD_RESP_READ_H
#define FRAZILD_RESP_READ_H

#include "slice.h"

/* More arguments than this are counted, not kept: no command takes so many. */
#define RESP_ARGS_KEPT 32

/* A command, whose arguments lie in the bytes that it was read from. */
struct resp_command {
    size_t bytes; /* how many bytes it takes */
    size_t count; /* how many arguments it has; 0: an empty line or array, which is no command */
    struct slice args[RESP_ARGS_KEPT];
};

enum resp_result {
    RESP_COMMAND, /* there is a command */
    RESP_MORE,    /* not all of it is there yet */
    RESP_BROKEN   /* no command can begin like this: close the connection */
};

/*
 * Reads the command that len bytes begin with; no command may be longer than limit.  RESP_MORE: *ret_need says how many
 * bytes it takes at least, so that nobody needs to look again before.  RESP_BROKEN: *ret_why says why, for the client.
 * Other outputs are untouched.
 */
enum resp_result resp_read(const char *bytes, size_t len, size_t limit, struct resp_command *ret, size_t *ret_need,
                           const char **ret_why);

#endif
