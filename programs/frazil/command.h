/* SPDX-License-Identifier: MIT */
/*
 * A subcommand: a name, one line about it, and a function.  Also
 * the exit statuses, which are promised to users.
 */
#ifndef COMMAND_H
#define COMMAND_H

/* Exit statuses, from harmless to hopeless: where several apply, the largest wins. */
enum status {
    STATUS_OK = 0,
    STATUS_BAD_VALUE = 1, /* a value was refused, or the check found something */
    STATUS_USAGE = 2,     /* the command line, the spec or a setting is wrong */
    STATUS_TEMPORARY = 3, /* the same command can succeed later */
    STATUS_FATAL = 4      /* it will not get better by itself */
};

struct command {
    const char *name;
    const char *summary; /* for the list of subcommands */
    /* Runs it with argv[0] being its name; returns the exit status.  Never exits. */
    int (*run)(int argc, char **argv);
};

/* All of them, in the order of the help; NULL at the end. */
extern const struct command *const command_list[];

/* The one of that name; NULL: there is none. */
const struct command *command_named(const char *name);

extern const struct command cmd_bench;
extern const struct command cmd_completion;
extern const struct command cmd_compose;
extern const struct command cmd_convert;
extern const struct command cmd_doctor;
extern const struct command cmd_inspect;
extern const struct command cmd_layout;
extern const struct command cmd_lease;
extern const struct command cmd_next;
extern const struct command cmd_opaque;
extern const struct command cmd_range;
extern const struct command cmd_scramble;
extern const struct command cmd_shard;
extern const struct command cmd_state;
extern const struct command cmd_unscramble;
extern const struct command cmd_verify;
extern const struct command cmd_version;
extern const struct command cmd_worker;

#endif
