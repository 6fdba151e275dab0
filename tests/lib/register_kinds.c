/* SPDX-License-Identifier: MIT */
#include "lib/register_kinds.h"

#include "lib/asserts.h"

const struct register_kind *const register_kinds[] = {
    &kind_memory,
    &kind_file,
#ifdef FRAZIL_HAVE_REDIS
    &kind_redis,
#endif
#ifdef FRAZIL_HAVE_ETCD
    &kind_etcd,
#endif
#ifdef FRAZIL_HAVE_ZOOKEEPER
    &kind_zookeeper,
#endif
#ifdef FRAZIL_HAVE_POSTGRESQL
    &kind_postgresql,
#endif
    NULL,
};

static void hold_kinds(kind_rule rule, bool with_server)
{
    for (size_t i = 0; register_kinds[i] != NULL; i++) {
        const struct register_kind *kind = register_kinds[i];
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
