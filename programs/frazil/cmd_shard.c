/* SPDX-License-Identifier: MIT */
/* frazil shard: which shard an id belongs to. */
#include "command.h"
#include "complain.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "values.h"

#include <frazil/extras.h>

struct sharding {
    uint32_t shards;
    int form;
};

static int shard_one(void *ctx, const struct value *value)
{
    const struct sharding *sharding = ctx;
    frazil_error err;
    struct id id;
    uint32_t shard;

    if (ids_parse_data(FRAZIL_LAYOUT_64, sharding->form, value->text, value->len, &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    frazil_err code = frazil_shard(id.number, sharding->shards, &shard);
    if (code != FRAZIL_OK)
        return values_complain(value, frazil_strerror(code));
    output_u64(shard);
    output_string("\n");
    return STATUS_OK;
}

static int cmd_shard_run(int argc, char **argv)
{
    const char *form = NULL;
    struct sharding sharding;
    struct arguments args;
    uint64_t shards;
    int status;
    const struct option_row rows[] = {
        {"form", 'f', OPTION_TEXT, &form, "FORM", "the form of the ids (default dec)", 0},
        {0},
    };
    static const struct option_help help = {
        "shard", "[OPTION]... N [ID]...",
        "Prints the shard of each id, from 0 to N - 1, as konayuki computes it: CRC-32 of\n"
        "the decimal text, modulo N.",
        "  frazil shard 16 116831209127936 116831209127937", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (args.count < 1 || !options_parse_u64(args.values[0], &shards) || shards < 1 || shards > UINT32_MAX) {
        complain("shard takes the number of shards first, from 1 to %u, not %s", (unsigned)UINT32_MAX,
                 quoted(args.count < 1 ? "" : args.values[0]));
        return STATUS_USAGE;
    }
    if (!ids_form_choose("--form", form, &sharding.form))
        return STATUS_USAGE;
    sharding.shards = (uint32_t)shards;
    struct arguments ids = {args.count - 1, args.values + 1};
    return values_each(&ids, shard_one, &sharding);
}

const struct command cmd_shard = {"shard", "which of N shards an id belongs to", cmd_shard_run};
