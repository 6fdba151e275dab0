/* SPDX-License-Identifier: MIT */
#include "daemon.h"
#include "log.h"
#include "setup.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_USAGE 2

static const char usage[] = "usage: frazild [OPTION]...\nServes ids to any Redis or HTTP client.\n\n"
                            "  -c, --config FILE   Reads this configuration, not /etc/frazil/frazild.conf.\n"
                            "      --check         Checks the configuration and exits.\n"
                            "      --print-config  The same, and prints it with all defaults.\n"
                            "      --new-token     Prints a new token, and its line for the secret_file.\n"
                            "  -V, --version       Prints the version.\n"
                            "  -h, --help          Prints this.\n\n"
                            "Without a configuration it serves a generator `main` to this host alone.\n"
                            "Manual: frazild(8), frazild.conf(5), and the page docs/frazild.md\n";

static int check(const char *path, bool print)
{
    struct bytes out = {0}, warnings = {0}, errors = {0};
    bool good = setup_check(path, &out, &warnings, &errors);

    if (out.failed)
        (void)fputs("out of memory\n", stderr);
    else if (good && print)
        (void)fwrite(out.at, 1, out.len, stdout);
    if (warnings.len > 0)
        (void)fwrite(warnings.at, 1, warnings.len, stderr);
    if (errors.len > 0)
        (void)fwrite(errors.at, 1, errors.len, stderr);
    else if (!good)
        (void)fputs("out of memory\n", stderr);
    bytes_free(&out);
    bytes_free(&warnings);
    bytes_free(&errors);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Nothing of ours gets the number of a standard stream that is closed: the log would be written there. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", O_RDWR | O_NOCTTY); /* the lowest number that is free: this one */
    }
}

/* The status of an action that has printed something: what could not be written, as on a full disk, is a failure. */
static int end_output(int status)
{
    bool failed = ferror(stdout) != 0;

    if (fclose(stdout) == 0 && !failed)
        return status;
    log_text("frazild: standard output cannot be written\n");
    return EXIT_FAILURE;
}

static int print_usage(void)
{
    (void)fputs(usage, stdout);
    return EXIT_SUCCESS;
}

static int print_version(void)
{
    (void)printf("frazild %s\n", frazil_version());
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"check", no_argument, NULL, 'k'},
        {"print-config", no_argument, NULL, 'p'},
        {"new-token", no_argument, NULL, 't'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *path = NULL;
    int action = 0, option;

    open_standard_streams();
    while ((option = getopt_long(argc, argv, "c:hV", options, NULL)) != -1) {
        if (option == '?') { /* getopt_long has said what is wrong */
            log_text("frazild: see frazild --help\n");
            return STATUS_USAGE;
        }
        if (option == 'c')
            path = optarg;
        else
            action = option;
    }
    if (optind < argc) {
        log_text("frazild: only options are accepted: write -c FILE for a configuration; see frazild --help\n");
        return STATUS_USAGE;
    }
    if (action == 0)
        return daemon_run(path);
    return end_output(action == 'h'   ? print_usage()
                      : action == 'V' ? print_version()
                      : action == 't' ? users_print_new_token()
                                      : check(path, action == 'p'));
}
