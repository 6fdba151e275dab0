/* SPDX-License-Identifier: MIT */
/* Opening with what a test puts in place of the world, in one call. */
#ifndef TESTS_LIB_PORTS_H
#define TESTS_LIB_PORTS_H

#include "core/sno_internal.h"
#include "frazil.h"

/* Stand-ins; NULL: the real thing. */
struct ports {
    const frazil_clock *clock;
    const frazil_random *random;
    const frazil_coordinator *const *coordinators; /* NULL at the end */
    const frazil_granter *granter;
};

/* The port of a manual clock. */
static inline frazil_clock port_of(frazil_manual_clock *clock)
{
    frazil_clock ret;

    frazil_manual_clock_port(clock, &ret, sizeof ret);
    return ret;
}

/* frazil_open.  Fails the test, with the sentence, if that does not succeed. */
frazil *open_or_fail(const char *spec);

/* The info of a generator of that spec, which is closed again. */
frazil_info info_of_spec(const char *spec);

/* Two members of its info: the layout, and how many ids of this tick are left. */
const frazil_layout *layout_of(frazil *gen);
uint64_t available_of(frazil *gen);

/* One id, or sno, without waiting, as frazil_try_take.  Fails the test if the number of ids does not fit the result. */
frazil_err try_one(frazil *gen, uint64_t *ret_id, uint64_t *ret_retry_ns);
frazil_err try_one_sno(frazil *gen, uint8_t meta, frazil_sno *ret_id, uint64_t *ret_retry_ns);

/* One of its statistics. */
uint64_t stat_of(frazil *gen, frazil_stat_number number);

/*
 * frazil_open with a clock that stands for the real one: what refuses a clock of the program's own cannot tell.  Only
 * clock and coordinators of the ports count.
 */
frazil_err ports_open_in_time(frazil **ret, const char *spec, const struct ports *ports, frazil_error *reterr);

/* frazil_open with ports (NULL: none).  Errors are those of the options, too. */
frazil_err ports_open(frazil **ret, const char *spec, const struct ports *ports, frazil_error *reterr);

/* Opens from a snapshot with ports, as ports_open. */
frazil_err ports_open_snapshot(frazil **ret, const char *spec, const struct fz_snapshot *snapshot,
                               const struct ports *ports, frazil_error *reterr);

/* frazil_sno_snapshot, taken apart. */
frazil_err ports_snapshot(frazil *gen, struct fz_snapshot *ret);

/* frazil_lease_open with ports. */
frazil_err ports_lease_open(frazil_lease **ret, const char *spec, const struct ports *ports, frazil_error *reterr);

/* A granter that has no grant, whatever it is asked; it fails with this code. */
frazil_granter granter_without(const frazil_err *code);

#endif
