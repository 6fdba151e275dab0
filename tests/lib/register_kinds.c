/* SPDX-License-Identifier: MIT */
#include "lib/register_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

#define KIND_ADDRESS(part, schemes, port, help) &kind_##part,
const struct register_kind *const register_kinds[] = {&kind_memory, FZ_COORDINATORS(KIND_ADDRESS)};
#undef KIND_ADDRESS
const size_t register_kind_count = sizeof register_kinds / sizeof register_kinds[0];

struct fz_register kind_open(const struct register_kind *kind, uint16_t port, unsigned timeout_ms)
{
    char orders[128];

    if (kind->open != NULL)
        return kind->open();
    kind->url(port, "orders", timeout_ms, orders, sizeof orders);
    return register_open(kind->coordinator()->open_register, "%s", orders);
}

/* Whether this run is about that kind: TEST_KIND names one; without it, about all. */
static bool is_wanted(const struct register_kind *kind)
{
    const char *only = getenv("TEST_KIND");

    return only == NULL || strcmp(only, kind->name) == 0;
}

static void hold_kinds(kind_rule rule, bool with_server)
{
    for (size_t i = 0; i < register_kind_count; i++) {
        const struct register_kind *kind = register_kinds[i];
        if (kind == NULL || !is_wanted(kind)) /* NULL: its part is not built */
            continue;
        if (with_server && kind->server == NULL)
            continue;
        print_message("%s\n", kind->name);
        if (!kind->start())
            continue;
        rule(kind);
        kind->stop();
    }
}

void for_each_kind(kind_rule rule)
{
    hold_kinds(rule, false);
}

void for_each_server(kind_rule rule)
{
    hold_kinds(rule, true);
}
