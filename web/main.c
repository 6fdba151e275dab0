/* SPDX-License-Identifier: MIT */
/*
 * The command as the page runs it, in WebAssembly: those of its commands that need neither files nor a generator.  The
 * page thus shows of an id what `frazil` prints of it.  WASI's libc is below; command.js is the host.
 */
#include "command.h"
#include "complain.h"
#include "os/host.h"
#include "output.h"
#include "stop.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
    &cmd_inspect, &cmd_convert, &cmd_range, &cmd_layout, &cmd_worker,
};

/* Nothing asks a page's command to end. */
bool stop_wanted(void)
{
    return false;
}

/* Nor does it have an environment. */
const char *fz_environment(const char *name)
{
    (void)name;
    return NULL;
}

char *const *fz_environment_all(void)
{
    static char *const none[] = {NULL};

    return none;
}

/* ---- memory ---------------------------------------------------------------------- */

/*
 * A run ends within a moment, and command.js begins the next one with the memory that was there at first.  So nothing
 * is given back, and the page is lighter by WASI's allocator.
 */
enum { MEMORY_PAGE = 65536, MEMORY_ALIGNMENT = 16 };

extern unsigned char __heap_base[]; /* the linker's: from here on memory is free, and zero */

void *malloc(size_t size)
{
    static uintptr_t next;
    size_t room = (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    size_t end = __builtin_wasm_memory_size(0) * MEMORY_PAGE;

    if (next == 0)
        next = (uintptr_t)__heap_base;
    if (room < size)
        return NULL;
    if (room > end - next && __builtin_wasm_memory_grow(0, (room - (end - next)) / MEMORY_PAGE + 1) == SIZE_MAX)
        return NULL;
    next += room;
    return (void *)(next - room);
}

void *calloc(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? NULL : malloc(count * size);
}

/* Wanted by what WASI's libc does with folders, of which the page has none. */
void *realloc(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return NULL;
}

void free(void *memory)
{
    (void)memory;
}

/* ---- the command ----------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(name, commands[i]->name) != 0)
            continue;
        int status = commands[i]->run(argc - 1, argv + 1);
        output_flush();
        return status;
    }
    complain("the page has no command %s", quoted(name));
    return STATUS_USAGE;
}
