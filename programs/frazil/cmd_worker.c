/* SPDX-License-Identifier: MIT */
/* frazil worker: the worker number that a host name or address hashes to, and how likely it is that two get the same.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"
#include "values.h"

#include <frazil.h>
#include <frazil/extras.h>

static int hash_one(void *ctx, const struct value *value)
{
    const uint32_t *workers = ctx;
    uint32_t worker;
    frazil_err err = frazil_worker_hash(value->text, value->len, *workers, &worker);

    if (err != FRAZIL_OK)
        return values_complain(value, "the text to hash is empty; a host name or an address was expected");
    output_u64(worker);
    output_string("\n");
    return STATUS_OK;
}

/* Prints the probability that two of the hosts share a number, in percent. */
static int print_chance(const struct option_u64 *expect, uint32_t workers)
{
    uint32_t ppm;

    if (frazil_worker_collision((uint32_t)expect->value, workers, &ppm) != FRAZIL_OK) {
        complain("--expect takes the number of hosts, from 1 to 65536, not %llu", (unsigned long long)expect->value);
        return STATUS_USAGE;
    }
    output_format("%u.%04u %%\n", (unsigned)(ppm / 10000), (unsigned)(ppm % 10000));
    return STATUS_OK;
}

static int cmd_worker_run(int argc, char **argv)
{
    struct option_u64 max = {false, 0};
    struct option_u64 expect = {false, 0};
    char *hash = NULL;
    char notes[2048];
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"hash", 0, OPTION_TEXT, &hash, "TEXT", "a host name or address", 0},
        {"max", 'm', OPTION_U64, &max, "M", "how many workers there are: the number is below M", UINT32_MAX},
        {"expect", 'e', OPTION_U64, &expect, "N", "the probability that two of N hosts share one", 65536},
        {0},
    };
    const struct option_help help = {"worker", "--max M [--expect N | --hash TEXT | TEXT...]",
                                     "Prints the worker number of a text as konayuki computes it: CRC-32, modulo M.",
                                     notes, NULL};

    snprintf(notes, sizeof notes,
             "Two hosts can get the same number; nothing but a shared store can rule that out.\n"
             "  frazil worker --hash app-240 --max 256\n"
             "  frazil worker --expect 20 --max 1024\n\n"
             "%s",
             fz_sources_help());
    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!max.given || max.value < 1) {
        complain("worker needs --max M, the number of workers, at least 1");
        return STATUS_USAGE;
    }
    if ((hash != NULL) + (args.count > 0) + expect.given > 1) {
        complain("worker takes one of --expect N, --hash TEXT and texts as arguments, not two of them");
        return STATUS_USAGE;
    }
    uint32_t workers = (uint32_t)max.value;
    if (expect.given)
        return print_chance(&expect, workers);
    if (hash != NULL)
        args = (struct arguments){1, &hash};
    return values_each(&args, hash_one, &workers);
}

const struct command cmd_worker = {"worker", "the worker number that a host hashes to", cmd_worker_run};
