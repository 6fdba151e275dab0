/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "cli/cli.h"
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "output.h"

#include <frazil.h>

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 80
#define ROWS_MAX 14
#define ACTIONS_MAX 8    /* of one subcommand */
#define VALUE_OF_ROW 256 /* getopt's value of row 0: above every letter */
#define VALUE_OF_HELP 'h'

static void print_row(const struct option_row *row)
{
    char left[64];

    (void)snprintf(left, sizeof left, "--%s%s%s", row->name, row->value != NULL ? " " : "",
                   row->value != NULL ? row->value : "");
    if (row->letter != 0)
        output_format("  -%c, %-18s  %s\n", row->letter, left, row->help);
    else
        output_format("      %-18s  %s\n", left, row->help);
}

/* Where the last space before a place is; the place itself if there is none. */
static size_t last_space(const char *text, size_t end)
{
    for (size_t at = end; at-- > 1;) {
        if (text[at] == ' ')
            return at;
    }
    return end;
}

/* The lines of a text, of which those that are too long for a screen go on in the next one. */
static void print_notes(const char *notes)
{
    while (*notes != '\0') {
        size_t len = strcspn(notes, "\n");
        size_t shown = len;
        if (shown > COLUMNS_MAX)
            shown = last_space(notes, COLUMNS_MAX + 1);
        output_format("%.*s\n", (int)shown, notes);
        notes += shown;
        notes += *notes == '\n';
    }
}

static void print_help(const struct option_help *help, const struct option_row *rows)
{
    output_format("usage: frazil %s%s%s\n", help->name, help->usage[0] != '\0' ? " " : "", help->usage);
    output_format("%s\n", help->about);
    if (rows[0].name != NULL)
        output_string("\n");
    for (const struct option_row *row = rows; row->name != NULL; row++)
        print_row(row);
    if (help->actions != NULL)
        output_string("\n");
    for (size_t i = 0; help->actions != NULL && help->actions[i] != NULL; i++)
        output_format("  %-11s %s\n", help->actions[i]->name, help->actions[i]->summary);
    if (help->notes != NULL) {
        output_string("\n");
        print_notes(help->notes);
    }
}

bool options_parse_u64(const char *text, uint64_t *ret)
{
    frazil_text form = text[0] == '0' && text[1] == 'x' ? FRAZIL_TEXT_HEX : FRAZIL_TEXT_DEC;

    return frazil_id_parse(form, text, strlen(text), ret, NULL) == FRAZIL_OK;
}

static bool read_u64(const struct option_row *row, const char *text)
{
    struct option_u64 *target = row->target;
    uint64_t value;

    if (!options_parse_u64(text, &value) || (row->max != 0 && value > row->max)) {
        complain("--%s takes a whole number from 0 to %" PRIu64 ", not %s", row->name,
                 row->max != 0 ? row->max : UINT64_MAX, quoted(text));
        return false;
    }
    *target = (struct option_u64){true, value};
    return true;
}

void options_note_seconds(const char *which, const char *text, int64_t unix_ms)
{
    char time[FIELDS_TEXT_SIZE];

    if (strspn(text, "0123456789") == strlen(text) && fields_is_in_seconds(unix_ms))
        complain("%s: %" PRId64 " is %s in milliseconds; if those were seconds, write %" PRId64 "000", which, unix_ms,
                 fields_time(unix_ms, time), unix_ms);
}

frazil_err options_parse_time(const char *text, int64_t *ret, frazil_error *reterr)
{
    if (strcmp(text, "now") != 0)
        return frazil_time_parse(text, strlen(text), ret, reterr);
    *ret = fields_now();
    return FRAZIL_OK;
}

static bool read_time(const struct option_row *row, const char *text)
{
    struct option_time *target = row->target;
    frazil_error err;
    int64_t unix_ms;

    if (row->kind == OPTION_UNIX_MS && (*text == '\0' || strspn(text, "-0123456789") != strlen(text))) {
        complain("--%s takes a whole number of Unix milliseconds, not %s", row->name, quoted(text));
        return false;
    }
    if (options_parse_time(text, &unix_ms, &err) != FRAZIL_OK) {
        complain("--%s: %s", row->name, err.message);
        return false;
    }
    options_note_seconds(row->name, text, unix_ms);
    *target = (struct option_time){true, unix_ms};
    return true;
}

static bool read_value(const struct option_row *row, const char *text)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->target = true;
        return true;
    case OPTION_TEXT:
        *(const char **)row->target = text;
        return true;
    case OPTION_U64:
        return read_u64(row, text);
    case OPTION_UNIX_MS:
    case OPTION_TIME:
        break;
    }
    return read_time(row, text);
}

/* The tables that getopt_long wants. */
struct getopt_tables {
    struct option longs[ROWS_MAX + 2];
    char shorts[2 * ROWS_MAX + 3];
    size_t count;
};

static void fill_tables(const struct option_row *rows, struct getopt_tables *ret)
{
    char *next = ret->shorts;
    size_t i;

    *next++ = ':'; /* the complaints are ours */
    *next++ = VALUE_OF_HELP;
    for (i = 0; rows[i].name != NULL; i++) {
        assert(i < ROWS_MAX);
        int has_value = rows[i].kind == OPTION_FLAG ? no_argument : required_argument;
        ret->longs[i] = (struct option){rows[i].name, has_value, NULL, VALUE_OF_ROW + (int)i};
        if (rows[i].letter != 0) {
            *next++ = rows[i].letter;
            if (has_value == required_argument)
                *next++ = ':';
        }
    }
    *next = '\0';
    ret->longs[i] = (struct option){"help", no_argument, NULL, VALUE_OF_HELP};
    ret->longs[i + 1] = (struct option){NULL, 0, NULL, 0};
    ret->count = i;
}

/* The row that getopt's answer stands for, or NULL. */
static const struct option_row *row_of(const struct option_row *rows, size_t count, int value)
{
    if (value >= VALUE_OF_ROW)
        return (size_t)(value - VALUE_OF_ROW) < count ? &rows[value - VALUE_OF_ROW] : NULL;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].letter == value)
            return &rows[i];
    }
    return NULL;
}

/* The length of the name: behind the dashes, before a '='. */
static size_t name_len(const char *option)
{
    return strcspn(option, "=");
}

/* --worker 7: a key of the spec, taken for an option.  value: what stands behind the '=', or the next argument. */
static void complain_key(const char *key, size_t len, const char *value)
{
    bool is_number = value != NULL && value[0] != '\0' && strspn(value, "0123456789") == strlen(value);
    bool is_worker = len == strlen("worker") && memcmp(key, "worker", len) == 0;

    complain("%.*s is not an option but a key of the spec: write %.*s=%s%s", (int)len, key, (int)len, key,
             is_worker && is_number ? "fixed:" : "", is_number ? value : "VALUE");
}

/* The caller that asks for the options instead of having them read. */
static struct {
    options_told *told;
    void *ctx;
} asker;

void options_tell(const struct command *command, char *action, options_told *told, void *ctx)
{
    char name[COLUMNS_MAX];
    char *argv[] = {name, action, NULL};

    (void)snprintf(name, sizeof name, "%s", command->name);
    asker.told = told;
    asker.ctx = ctx;
    (void)command->run(action != NULL ? 2 : 1, argv);
    asker.told = NULL;
}

/* The option of an action that is looked for, and which action has it. */
struct sought {
    const char *option;
    size_t len;
    const char *found; /* "state init", or NULL */
};

static void seek_option(void *ctx, const struct option_help *help, const struct option_row *rows)
{
    struct sought *sought = ctx;

    for (; rows->name != NULL; rows++) {
        if (strlen(rows->name) == sought->len && memcmp(rows->name, sought->option, sought->len) == 0)
            sought->found = help->name;
    }
}

/* The action that has an option which was given to the command itself; NULL: none has it. */
static const char *action_with(const struct command *const *actions, const char *option, size_t len)
{
    struct sought sought = {option, len, NULL};

    for (; actions != NULL && *actions != NULL && sought.found == NULL; actions++)
        options_tell(*actions, NULL, seek_option, &sought);
    return sought.found;
}

static void complain_unknown(const struct option_help *help, const struct option_row *rows, size_t count, char **argv)
{
    const char *option = argv[optind - 1] + strspn(argv[optind - 1], "-");
    size_t len = name_len(option);
    const char *names[ROWS_MAX + 2];
    const char *action = action_with(help->actions, option, len);

    if (action != NULL) {
        complain("--%.*s is for %s: write it after that", (int)len, option, action);
        return;
    }
    if (strstr(help->usage, "SPEC") != NULL && fz_typed_is_key(option, len)) {
        complain_key(option, len, option[len] == '=' ? option + len + 1 : argv[optind]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = rows[i].name;
    names[count] = "help";
    names[count + 1] = NULL;
    complain("%s has no option %s%s, or several that begin with it; see frazil help %s", help->name,
             typed(argv[optind - 1], strlen(argv[optind - 1])), meant(typed(option, len), names), help->name);
}

static void complain_option(const struct option_help *help, const struct option_row *rows, size_t count, int value,
                            char **argv)
{
    const struct option_row *row = optopt != 0 ? row_of(rows, count, optopt) : NULL;

    if (value == ':' && row != NULL)
        complain("--%s needs a value: %s; see frazil help %s", row->name, row->value, help->name);
    else if (row != NULL || optopt == VALUE_OF_HELP)
        complain("--%s takes no value; see frazil help %s", row != NULL ? row->name : "help", help->name);
    else if (optopt != 0)
        complain("%s has no option -%c; see frazil help %s (a value that begins with - goes after --)", help->name,
                 optopt, help->name);
    else
        complain_unknown(help, rows, count, argv);
}

bool options_read(const struct option_help *help, const struct option_row *rows, int argc, char **argv,
                  struct arguments *ret_args, int *ret_status)
{
    struct getopt_tables tables = {.count = 0};
    int value;

    if (asker.told != NULL) {
        asker.told(asker.ctx, help, rows);
        *ret_status = STATUS_OK;
        return false;
    }
    fill_tables(rows, &tables);
    *ret_status = STATUS_USAGE;
    while ((value = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        if (value == VALUE_OF_HELP) {
            print_help(help, rows);
            *ret_status = STATUS_OK;
            return false;
        }
        const struct option_row *row = value == '?' || value == ':' ? NULL : row_of(rows, tables.count, value);
        if (row == NULL) {
            complain_option(help, rows, tables.count, value, argv);
            return false;
        }
        if (!read_value(row, optarg))
            return false;
    }
    *ret_args = (struct arguments){argc - optind, argv + optind};
    return true;
}

bool options_run_action(const struct command *const *actions, int argc, char **argv, int *ret_status)
{
    for (; argc > 1 && *actions != NULL; actions++) {
        if (strcmp((*actions)->name, argv[1]) == 0) {
            *ret_status = (*actions)->run(argc - 1, argv + 1);
            return true;
        }
    }
    return false;
}

/* "init, list, release, watch", and their names as `meant` wants them. */
static void list_actions(const struct command *const *actions, const char **ret_names, char *buf, size_t size)
{
    size_t len = 0;

    buf[0] = '\0';
    for (; *actions != NULL && len < size; actions++) {
        *ret_names++ = (*actions)->name;
        len += (size_t)snprintf(buf + len, size - len, "%s%s", len > 0 ? ", " : "", (*actions)->name);
    }
    *ret_names = NULL;
}

int options_miss_action(const struct option_help *help, const struct arguments *args)
{
    const char *names[ACTIONS_MAX + 1];
    char list[COLUMNS_MAX];

    list_actions(help->actions, names, list, sizeof list);
    if (args->count == 0 || strpbrk(args->values[0], ":=/@") != NULL) /* a spec, without an action before it */
        complain("%s needs one of %s", help->name, list);
    else
        complain("%s takes one of %s, not %s%s", help->name, list, quoted(args->values[0]),
                 meant(args->values[0], names));
    return STATUS_USAGE;
}
