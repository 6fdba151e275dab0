/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <string.h>

#define ANY SIZE_MAX

/* The most frequent first: they are looked for in this order. */
/* clang-format off */
const struct command commands[] = {
    {"NEXT", 1, 5, cmd_next, VERB_NEXT, COMMAND_REPEATS, "[generator] [n] [FORM form]",
     "An id; with n an array of exactly n ids, or an error and none."},
    {"INCR", 2, 2, cmd_incr, VERB_NEXT, COMMAND_REPEATS | COMMAND_KEY, "key",
     "An id as an integer, of the generator for the key."},
    {"PING", 1, 2, cmd_ping, VERB_NONE, 0, "[text]", "PONG, or the text."},
    {"NEXT.BIN", 1, 3, cmd_next_bin, VERB_NEXT, COMMAND_REPEATS, "[generator] [n]",
     "n ids as one string of 8 bytes each (10 for snos), big-endian."},
    {"SNO", 1, 5, cmd_sno, VERB_NEXT, COMMAND_REPEATS, "[generator] [n] [META byte]",
     "A sno; with n an array of exactly n."},
    {"INCRBY", 3, 3, cmd_incr, VERB_NEXT, COMMAND_REPEATS | COMMAND_KEY, "key n",
     "Reserves n consecutive ids of the generator for the key, and returns the last."},
    {"INSPECT", 2, 4, cmd_inspect, VERB_INSPECT, 0, "id [generator | LAYOUT layout]",
     "The fields of an id."},
    {"COMPOSE", 5, 5, cmd_compose, VERB_INSPECT, 0, "generator time worker sequence", "The id of these fields."},
    {"RANGE", 4, 4, cmd_range, VERB_INSPECT, 0, "generator from to",
     "The smallest and the largest id of a time, for WHERE id BETWEEN."},
    {"LAYOUT", 1, 2, cmd_layout, VERB_INSPECT, 0, "[layout]", "A layout; without one, the names of the presets."},
    {"GENERATORS", 1, 1, cmd_generators, VERB_NONE, 0, "", "The generators, with their properties."},
    {"LEASES", 2, 2, cmd_leases, VERB_LEASES, COMMAND_NO_MULTI, "generator",
     "The worker ids of the generator's coordinator, and their holders."},
    {"STATS", 2, 2, cmd_stats, VERB_STATS, 0, "generator", "The statistics of a generator."},
    {"HELLO", 1, 7, cmd_hello, VERB_NONE, COMMAND_FREE | COMMAND_NO_MULTI,
     "[2|3 [AUTH user token] [SETNAME name]]", "Chooses the version of the protocol."},
    {"AUTH", 2, 3, cmd_auth, VERB_NONE, COMMAND_FREE | COMMAND_NO_MULTI, "[user] token", "Authenticates the client."},
    {"ECHO", 2, 2, cmd_echo, VERB_NONE, 0, "text", "The text."},
    {"QUIT", 1, ANY, cmd_quit, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE, "", "Closes the connection."},
    {"RESET", 1, 1, cmd_reset, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE, "", "Resets the connection."},
    {"SELECT", 2, 2, cmd_select, VERB_NONE, 0, "0..15", "Nothing: all databases are one key space."},
    {"COMMAND", 1, RESP_ARGS_KEPT, cmd_command, VERB_NONE, 0, "[COUNT | LIST | DOCS [name...] | INFO [name...]]", "These commands."},
    {"INFO", 1, ANY, cmd_info, VERB_NONE, 0, "[section...]", "The daemon, as Redis clients expect it."},
    {"CLIENT", 2, 8, cmd_client, VERB_NONE, 0,
     "SETINFO | SETNAME | GETNAME | ID | INFO | LIST | REPLY | NO-EVICT | NO-TOUCH | TRACKING OFF ...", "The connection."},
    {"ACL", 2, ANY, cmd_acl, VERB_NONE, 0, "WHOAMI", "The name of the user."},
    {"ROLE", 1, 1, cmd_role, VERB_NONE, 0, "", "A master without replicas, as Redis clients expect it."},
    {"DBSIZE", 1, 1, cmd_dbsize, VERB_NONE, 0, "", "0: no key is kept."},
    {"WATCH", 2, ANY, cmd_readonly, VERB_NONE, COMMAND_NO_MULTI, "key...", "Nothing: no key changes."},
    {"UNWATCH", 1, 1, cmd_readonly, VERB_NONE, 0, "", "Nothing: no key changes."},
    {"CONFIG", 2, ANY, cmd_config, VERB_NONE, 0, "GET pattern...", "Nothing: the configuration is a file."},
    {"TIME", 1, 1, cmd_time, VERB_NONE, 0, "", "Seconds since 1970, and microseconds."},
    {"READONLY", 1, 1, cmd_readonly, VERB_NONE, 0, "", "Nothing; cluster clients send it."},
    {"READWRITE", 1, 1, cmd_readonly, VERB_NONE, 0, "", "Nothing; cluster clients send it."},
    {"MULTI", 1, 1, cmd_multi, VERB_NONE, COMMAND_AT_ONCE, "", "Queues the commands up to EXEC, 1,024 at most."},
    {"EXEC", 1, 1, cmd_exec, VERB_NONE, COMMAND_AT_ONCE, "", "Runs them."},
    {"DISCARD", 1, 1, cmd_discard, VERB_NONE, COMMAND_AT_ONCE, "", "Forgets them."},
    {"GET", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "NEXT returns an id, INSPECT decodes one"},
    {"SET", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "NEXT returns an id; nothing can be set"},
    {"DECR", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "ids only increase; INCR returns the next one"},
    {"DECRBY", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "ids only increase; INCR returns the next one"},
    {"DEL", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "there is no key to delete"},
    {"EXPIRE", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "there is no key to expire; ids never repeat"},
    {"SUBSCRIBE", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "there is no publish and subscribe"},
    {"PSUBSCRIBE", 1, ANY, cmd_refused, VERB_NONE, COMMAND_HIDDEN, "", "there is no publish and subscribe"},
    {"POST", 1, ANY, cmd_http, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE | COMMAND_HIDDEN, "", ""},
    {"PUT", 1, ANY, cmd_http, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE | COMMAND_HIDDEN, "", ""},
    {"PATCH", 1, ANY, cmd_http, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE | COMMAND_HIDDEN, "", ""},
    {"DELETE", 1, ANY, cmd_http, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE | COMMAND_HIDDEN, "", ""},
    {"HOST:", 1, ANY, cmd_http, VERB_NONE, COMMAND_FREE | COMMAND_AT_ONCE | COMMAND_HIDDEN, "", ""},
    {0},
};
/* clang-format on */

_Static_assert(sizeof commands / sizeof commands[0] < COUNTED_COMMANDS,
               "each command is counted, and the unknown ones");

size_t commands_count(void)
{
    return sizeof commands / sizeof commands[0] - 1;
}

const struct command *commands_find(struct slice name)
{
    for (const struct command *row = commands; row->name != NULL; row++) {
        if (slice_is(name, row->name))
            return row;
    }
    return NULL;
}
