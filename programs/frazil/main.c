/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "complain.h"
#include "output.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 32 /* of commands, with help, and NULL */

static void list_commands(void)
{
    output_string("usage: frazil COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (size_t i = 0; command_list[i] != NULL; i++)
        output_format("  %-11s %s\n", command_list[i]->name, command_list[i]->summary);
    output_string("  help        this list, or the help of a command\n\n"
                  "Values are arguments, or else the lines of stdin.  Manual: man frazil\n"
                  "Exit status: 0 done, 1 bad value or finding, 2 usage, 3 try later, 4 fatal.\n");
}

static int unknown(const char *name)
{
    const char *names[NAMES_MAX] = {"help"};

    for (size_t i = 0; command_list[i] != NULL && i + 2 < NAMES_MAX; i++)
        names[i + 1] = command_list[i]->name;
    complain("there is no command %s%s; frazil help lists them", quoted(name), meant(name, names));
    return STATUS_USAGE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* `frazil help CMD` is `frazil CMD --help`, and `frazil help CMD ACTION` is `frazil CMD ACTION --help`. */
static int help(int argc, char **argv)
{
    static char option[] = "--help";

    if (argc < 2 || is_help(argv[1])) {
        list_commands();
        return STATUS_OK;
    }
    const struct command *command = command_named(argv[1]);
    if (command == NULL)
        return unknown(argv[1]);
    if (argc < 3) {
        char *help_argv[] = {argv[1], option, NULL};
        return command->run(2, help_argv);
    }
    char *help_argv[] = {argv[1], argv[2], option, NULL};
    return command->run(3, help_argv);
}

static int run(int argc, char **argv)
{
    if (argc < 1) {
        list_commands();
        return STATUS_USAGE;
    }
    if (is_help(argv[0]))
        return help(argc, argv);
    bool version = strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0;
    const struct command *command = version ? &cmd_version : command_named(argv[0]);

    return command != NULL ? command->run(argc, argv) : unknown(argv[0]);
}

/*
 * A reader that went away is no error, and the exit status still says what was found.  Any other failed write
 * is an error of the command.
 */
static int finish(int status)
{
    output_flush();
    if (output_failure() == 0 || output_failure() == EPIPE)
        return status;
    if (stop_wanted() && output_failure() == ETIMEDOUT)
        complain("standard output was closed: its last lines were not written");
    else
        complain("cannot write to standard output: %s", strerror(output_failure()));
    return STATUS_FATAL;
}

/*
 * Takes the places of standard descriptors that are closed.  Otherwise a connection to a coordinator gets the number,
 * and is told ids.  The stand-in can neither be read nor written, so that a closed one is an error
 * as before.
 */
static void fill_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest number is this one */
    }
}

int main(int argc, char **argv)
{
    fill_standard();
    /* A closed pipe is then a failed write, which ends the command quietly and in order. */
    (void)signal(SIGPIPE, SIG_IGN);
    /* A limit on the size of files, too. */
    (void)signal(SIGXFSZ, SIG_IGN);
    int status = finish(run(argc - 1, argv + 1));
    stop_die();
    return status;
}
