/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include "output.h"

#include <assert.h>

enum { CASES_MAX = 48 };

static uint64_t rounded(const struct bench_case *c, uint64_t count)
{
    uint64_t at_once = c->at_once == 0 ? 1 : c->at_once;

    return (count + at_once - 1) / at_once * at_once;
}

/* How often it is tried with a number that takes long enough; each time two have tried often to meet. */
enum { CALIBRATIONS_MAX = 3 };

/*
 * Finds how many make a sample of that length; what it runs for that warms up the case.  Two who do
 * not meet are not in each other's way, and seem faster than they are: then it settles for a quarter.
 */
static bool calibrate(struct bench_rig *rig, const struct bench_case *c, double sample_ns, uint64_t *ret)
{
    uint64_t count = rounded(c, 1);
    double ns = 0;

    for (int tries = 0; tries < CALIBRATIONS_MAX;) {
        rig->disturbed = false;
        if (!c->run(rig, count, &ns))
            return false;
        if (ns < sample_ns / 4)
            /* A first one says little; ten times as many each time until they can be counted on. */
            count = rounded(c, count * 10);
        else if (!rig->disturbed)
            break;
        else
            tries++;
    }
    *ret = rounded(c, 1 + (uint64_t)((double)count * sample_ns / ns / (rig->disturbed ? 4 : 1)));
    return true;
}

static bool sample(struct bench_rig *rig, const struct bench_case *c, uint64_t count, struct bench_row *row)
{
    double ns = 0;

    rig->disturbed = false;
    if (!c->run(rig, count, &ns))
        return false;
    if (rig->disturbed)
        bench_row_miss(row);
    else
        bench_row_add(row, ns / (double)count / (c->unit_ns > 0 ? c->unit_ns : 1));
    return true;
}

bool bench_cases_run(struct bench_rig *rig, struct bench_table *table, const struct bench_case *cases, unsigned rounds,
                     double sample_ns)
{
    struct bench_row *rows[CASES_MAX];
    uint64_t counts[CASES_MAX];
    size_t n = 0;

    for (; cases[n].run != NULL; n++) {
        assert(n < CASES_MAX);
        rows[n] = bench_table_add(table, &cases[n].row);
        if (!calibrate(rig, &cases[n], sample_ns, &counts[n]))
            return false;
    }
    for (unsigned round = 0; round < rounds && !output_broken(); round++) {
        for (size_t i = 0; i < n; i++) {
            if (!sample(rig, &cases[i], counts[i], rows[i]))
                return false;
        }
    }
    return true;
}
