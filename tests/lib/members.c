/* SPDX-License-Identifier: MIT */
#include "lib/members.h"

#include <stdio.h>

#include "generator/generator_internal.h"
#include "lib/memory_namespace.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

struct members members;

void members_start(uint64_t horizon_ms)
{
    frazil_layout layout;

    members.scratch = scratch_make();
    assert_int_equal(frazil_manual_clock_open(&members.manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    members.clock = port_of(members.manual);
    assert_int_equal(frazil_layout_parse("frazil", 6, &layout, NULL), FRAZIL_OK);
    memory_namespace_start(&layout, 8, horizon_ms, RIG_NOW);
    snprintf(members.spec, sizeof members.spec, "worker=memory://orders share=host keeper=inline run_dir='%s/run'",
             members.scratch);
}

void members_stop(void)
{
    memory_namespace_stop();
    frazil_manual_clock_close(members.manual);
    scratch_remove(members.scratch);
}

struct ports members_ports(void)
{
    return (struct ports){.clock = &members.clock, .coordinators = memory_coordinators};
}

frazil *open_member(const char *spec)
{
    const struct ports ports = members_ports();
    frazil_error err;
    frazil *gen;

    if (ports_open_in_time(&gen, spec, &ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return gen;
}

uint32_t worker_of(frazil *gen)
{
    return fz_grant_ring_read(&gen->shared->grants).worker;
}

uint64_t take(frazil *gen)
{
    uint64_t id = 0;

    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    return id;
}
