/* SPDX-License-Identifier: MIT */
/* Goal of this test: over each kind of coordinator, an opening waits for a worker id of a full pool within open_wait.
 */
#include "lib/full_pool.h"
#include "lib/nemesis.h"
#include "lib/test.h"

/* No grant ends during a test, or none that was lost lasts as long as a crowd may wait. */
enum { LONG_MS = 600000, SHORT_MS = 10000 };

static struct ports ports;

static const char *pool_of(const struct register_kind *kind, uint64_t workers, uint64_t horizon_ms)
{
    static char spec[1024];

    ports = (struct ports){.coordinators = nemesis_coordinators()};
    nemesis_start(kind, workers, horizon_ms);
    snprintf(spec, sizeof spec, "%s", nemesis_patient_spec(kind, 0, ""));
    return spec;
}

TEST_OF_KINDS(for_each_server, "An opening over a full pool gets the worker id of a holder that closes")
{
    const char *spec = pool_of(kind, 1, LONG_MS);

    full_pool_lets_in(spec, spec, &ports);
}

TEST_OF_KINDS(for_each_server, "If no holder closes, it fails when open_wait is over, and says when the grant ends")
{
    const char *spec = pool_of(kind, 1, LONG_MS);
    uint64_t retry_ns;

    full_pool_refuses_at_the_end(spec, spec, &ports, "are taken: 0 by ", &retry_ns);
    assert_in_range(retry_ns, 1, (LONG_MS + 1) * UINT64_C(1000000));
}

TEST_OF_KINDS(for_each_server, "Each process of a crowd gets its turn on few worker ids")
{
    full_pool_serves_a_crowd(pool_of(kind, 3, SHORT_MS), &ports);
}
