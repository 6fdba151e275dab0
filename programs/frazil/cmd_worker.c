/* SPDX-License-Identifier: MIT */
/* frazil worker: the worker number that a host name or address hashes to. */
#include "command.h"
#include "complain.h"
#include "options.h"
#include "output.h"
#include "values.h"

#include <frazil.h>

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

static int cmd_worker_run(int argc, char **argv)
{
    struct option_u64 max = {false, 0};
    char *hash = NULL;
    struct arguments args;
    int status;
    const struct option_row rows[] = {
        {"hash", 0, OPTION_TEXT, &hash, "TEXT", "a host name or address", 0},
        {"max", 'm', OPTION_U64, &max, "M", "how many workers there are: the number is below M", UINT32_MAX},
        {0},
    };
    static const struct option_help help = {
        "worker --max M [--hash TEXT | TEXT...]",
        "Prints the worker number of a text as konayuki computes it: CRC-32, modulo M.",
        "Two hosts can get the same number: nothing but a shared store can rule that out.\n\n"
        "  frazil worker --hash app-240 --max 256"};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!max.given || max.value < 1) {
        complain("worker needs --max M, the number of workers, at least 1");
        return STATUS_USAGE;
    }
    if (hash != NULL && args.count > 0) {
        complain("worker takes --hash TEXT or texts as arguments, not both");
        return STATUS_USAGE;
    }
    if (hash != NULL)
        args = (struct arguments){1, &hash};
    uint32_t workers = (uint32_t)max.value;
    return values_each(&args, hash_one, &workers);
}

const struct command cmd_worker = {"worker", "the worker number that a host hashes to", cmd_worker_run};
