/* SPDX-License-Identifier: MIT */
/* frazil shard: which shard an id belongs to. */
#include "command.h"
#include "complain.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "values.h"

static int shard_one(void *ctx, const struct value *value)
{
    const uint32_t *shards = ctx;
    frazil_error err;
    struct id id;
    uint32_t shard;

    if (ids_parse(FRAZIL_LAYOUT_64, IDS_FORM_ANY, value->text, value->len, &id, &err) != FRAZIL_OK)
        return values_complain_error(value, &err);
    frazil_err code = frazil_shard(id.number, *shards, &shard);
    if (code != FRAZIL_OK)
        return values_complain(value, frazil_strerror(code));
    output_u64(shard);
    output_string("\n");
    return STATUS_OK;
}

static int cmd_shard_run(int argc, char **argv)
{
    struct arguments args;
    uint64_t shards;
    int status;
    const struct option_row rows[] = {{0}};
    static const struct option_help help = {
        "shard N [ID]...",
        "Prints the shard of each id, from 0 to N - 1, as konayuki computes it: CRC-32 of\n"
        "the decimal text, modulo N.",
        "  frazil shard 16 116831209127936 116831209127937"};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (args.count < 1 || !options_parse_u64(args.values[0], &shards) || shards < 1 || shards > UINT32_MAX) {
        complain("shard takes the number of shards first, from 1 to %u, not \"%s\"", (unsigned)UINT32_MAX,
                 args.count < 1 ? "" : args.values[0]);
        return STATUS_USAGE;
    }
    uint32_t count = (uint32_t)shards;
    struct arguments ids = {args.count - 1, args.values + 1};
    return values_each(&ids, shard_one, &count);
}

const struct command cmd_shard = {"shard", "which of N shards an id belongs to", cmd_shard_run};
