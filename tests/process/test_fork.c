/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: parents and children never repeat each other, whoever
 * forks, when and how, and whoever is killed in the middle (tests/lib/forks.c).
 */
#include "lib/forks.h"
#include "os/memory.h"

int main(void)
{
    bool wiped = false;
    void *page = fz_map_wiped(1, &wiped);

    fz_unmap(page, 1);
    return forks_run(wiped);
}
