/* SPDX-License-Identifier: MIT */
/*
 * A part of frazil as another build of the same version has it: OTHER_BUILD is its function; its structures have the
 * next number.  A library that believed it would call functions that are not there.
 */
#include "frazil/coordinators.h"
#include "lease/coordinator.h"

const frazil_coordinator *OTHER_BUILD(void)
{
    static const char *const schemes[] = {"etcd", "redis", "postgres", "zookeeper", NULL};
    static const frazil_coordinator other = {.size = sizeof other + 8,
                                             .structures = FZ_STRUCTURES + 1,
                                             .version = FRAZIL_VERSION,
                                             .part = "redis",
                                             .schemes = schemes};

    return &other;
}
