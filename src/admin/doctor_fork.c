/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doctor_judge.h"
#include "os/memory.h"

void fz_judge_fork(const struct fz_fork_facts *facts, const struct fz_findings *findings)
{
    if (facts->wiped)
        fz_finding_show(findings, FZ_FOUND_FORK_WIPED, "the kernel wipes what a child must not inherit");
    else
        fz_finding_show(findings, FZ_FOUND_FORK_NOT_WIPED,
                        "the kernel does not wipe pages in a child (Linux 4.14 and later do, emulators and portable "
                        "builds do not): ids stay unique, and frazil_local takes them one by one");
    if (facts->compared && !facts->same_machine)
        fz_finding_show(findings, FZ_FOUND_FORK_OTHER_MACHINE,
                        "the state directory was last seen on another machine: if it is a copy, run `frazil state init "
                        "--all`, and give this machine worker ids of its own");
    else
        fz_finding_show(findings, FZ_FOUND_FORK_SAME_MACHINE,
                        facts->compared ? "this is the machine of the last run"
                                        : "a copy will be noticed from the next run on");
    if (facts->has_generation)
        fz_finding_show(findings, FZ_FOUND_FORK_GENERATION,
                        "the kernel is notified of copies of this virtual machine; ids do not depend on it");
    else
        fz_finding_show(findings, FZ_FOUND_FORK_NO_GENERATION,
                        "copies of a running virtual machine would not be noticed at once: do not resume one twice; "
                        "two copies can repeat ids until the grant that both had ends");
}

void fz_collect_fork(struct fz_fork_facts *ret, const char *state_dir)
{
    struct fz_fork_facts facts = {.has_generation = fz_machine_has_generation()};
    char machine[FZ_MACHINE_ID_SIZE];
    char last[FZ_MEMORY_SIZE];

    void *page = fz_map_wiped(1, &facts.wiped);
    if (page == NULL)
        facts.wiped = false;
    fz_unmap(page, 1);
    if (state_dir != NULL && fz_machine_id(machine) == 0) {
        facts.compared = fz_doctor_remember(state_dir, "doctor.machine", machine, last);
        facts.same_machine = facts.compared && strcmp(last, machine) == 0;
    }
    *ret = facts;
}
