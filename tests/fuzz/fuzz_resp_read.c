/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever bytes come, the daemon's reader finds the same commands at any cut, and stays within
 * them. */
#include <string.h>

#include "fuzz.h"
#include "resp_read.h"

enum { CUTS_MAX = 300 };

/* One look of the reader at some bytes, and what it said. */
struct info {
    enum resp_result result;
    struct resp_command command;
    size_t need;
    const char *why;
};

static struct info look_at(const char *bytes, size_t len, size_t limit)
{
    struct info look = {.need = 0, .why = NULL};

    fuzz_fill(&look.command, sizeof look.command);
    look.result = resp_read(bytes, len, limit, &look.command, &look.need, &look.why);
    REQUIRE((look.result == RESP_BROKEN) == (look.why != NULL));
    REQUIRE(look.result == RESP_MORE ? look.need > len && look.need <= limit : look.need == 0);
    REQUIRE(look.result == RESP_COMMAND || fuzz_is_untouched(&look.command, sizeof look.command));
    return look;
}

static void check_arguments(const struct resp_command *command, const char *bytes)
{
    size_t kept = command->count < RESP_ARGS_KEPT ? command->count : RESP_ARGS_KEPT;
    const char *last = bytes;

    for (size_t i = 0; i < kept; i++) {
        REQUIRE(command->args[i].at >= last);
        last = command->args[i].at + command->args[i].len;
        REQUIRE(last <= bytes + command->bytes);
    }
}

/* A part of a command is never broken, nor a command, and never wants more than the whole has. */
static void check_cuts(const struct resp_command *command, const char *bytes, size_t limit)
{
    for (size_t len = 0; len < command->bytes && len < CUTS_MAX; len++) {
        struct info part = look_at(bytes, len, limit);
        REQUIRE(part.result == RESP_MORE && part.need <= command->bytes);
    }
    struct info whole = look_at(bytes, command->bytes, limit);
    REQUIRE(whole.result == RESP_COMMAND && whole.command.bytes == command->bytes);
    REQUIRE(whole.command.count == command->count);
}

/* Reads all commands, as a connection does. */
static void read_all(const char *bytes, size_t len, size_t limit)
{
    struct info look = look_at(bytes, len, limit);

    while (look.result == RESP_COMMAND) {
        REQUIRE(look.command.bytes > 0 && look.command.bytes <= len && look.command.bytes <= limit);
        check_arguments(&look.command, bytes);
        check_cuts(&look.command, bytes, limit);
        bytes += look.command.bytes;
        len -= look.command.bytes;
        look = look_at(bytes, len, limit);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all((const char *)data, size, 65536); /* a user's */
    read_all((const char *)data, size, 256);   /* a stranger's */
    return 0;
}
