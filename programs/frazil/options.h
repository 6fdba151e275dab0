/* SPDX-License-Identifier: MIT */
/*
 * Options as a table: one row says the name, what it takes, where it goes and
 * its line in the help, so that --help and the parser cannot disagree.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <frazil.h>

#include <stdbool.h>
#include <stdint.h>

/* A number that may be absent. */
struct option_u64 {
    bool given;
    uint64_t value;
};

/* An instant in Unix ms that may be absent. */
struct option_time {
    bool given;
    int64_t unix_ms;
};

enum option_kind {
    OPTION_FLAG,    /* bool: takes no value */
    OPTION_TEXT,    /* const char *: points into argv */
    OPTION_U64,     /* struct option_u64: decimal or 0x hex, at most row.max unless that is 0 */
    OPTION_UNIX_MS, /* struct option_time: a whole number */
    OPTION_TIME     /* struct option_time: as options_parse_time reads it */
};

struct option_row {
    const char *name; /* without dashes; NULL ends the table */
    char letter;      /* 0: no short form */
    enum option_kind kind;
    void *target;
    const char *value; /* the name of its value, for the help; NULL for a flag */
    const char *help;
    uint64_t max;
};

struct command;

struct option_help {
    const char *name;                     /* "lease init" */
    const char *usage;                    /* behind the name: "[OPTION]... [SPEC]..." */
    const char *about;                    /* one or two lines */
    const char *notes;                    /* after the options; may be NULL */
    const struct command *const *actions; /* what may stand first behind the name, up to a NULL; NULL: none */
};

/* The rest of the command line. */
struct arguments {
    int count;
    char **values;
};

/*
 * Reads the command line of a subcommand (argv[0] is its name) and leaves the
 * other arguments in *ret_args.  Returns true to go on.  Returns false after
 * --help (*ret_status is STATUS_OK) or after a complaint (STATUS_USAGE).  A row
 * --help is implied.  At most 14 rows.
 */
bool options_read(const struct option_help *help, const struct option_row *rows, int argc, char **argv,
                  struct arguments *ret_args, int *ret_status);

/* Runs the action that argv[1] names.  False: it names none. */
bool options_run_action(const struct command *const *actions, int argc, char **argv, int *ret_status);

/* Complains that the arguments do not begin with an action of the help; returns the exit status. */
int options_miss_action(const struct option_help *help, const struct arguments *args);

/* Is told the help and the options of a subcommand; they last until it returns. */
typedef void options_told(void *ctx, const struct option_help *help, const struct option_row *rows);

/* Runs a subcommand, or its action of that name, so far that it says its help and its options; NULL: no action. */
void options_tell(const struct command *command, char *action, options_told *told, void *ctx);

/* A whole number without sign: decimal, or hex after 0x.  False, without a complaint, if it is none. */
bool options_parse_u64(const char *text, uint64_t *ret);

/* Says so on standard error if a time that was read as Unix milliseconds is rather in seconds. */
void options_note_seconds(const char *which, const char *text, int64_t unix_ms);

/* A time: RFC 3339, a date, which is its midnight in UTC, Unix ms, or "now".  FRAZIL_EPARSE says what is wrong. */
frazil_err options_parse_time(const char *text, int64_t *ret, frazil_error *reterr);

#endif
