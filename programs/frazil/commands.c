/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <stddef.h>
#include <string.h>

const struct command *const command_list[] = {
    &cmd_next,     &cmd_inspect,    &cmd_compose, &cmd_convert,    &cmd_range, &cmd_layout, &cmd_shard,
    &cmd_scramble, &cmd_unscramble, &cmd_opaque,  &cmd_worker,     &cmd_lease, &cmd_state,  &cmd_doctor,
    &cmd_verify,   &cmd_bench,      &cmd_version, &cmd_completion, NULL,
};

const struct command *command_named(const char *name)
{
    for (size_t i = 0; command_list[i] != NULL; i++) {
        if (strcmp(command_list[i]->name, name) == 0)
            return command_list[i];
    }
    return NULL;
}
