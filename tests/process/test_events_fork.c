/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a child reads its own events with its copy of a cursor, and counts what it cannot read of its
 * parent's; what happens in the child is not told in the parent.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "generator/generator_internal.h"
#include "lib/rig.h"
#include "lib/test.h"

static struct rig rig;

static void tell(uint64_t value)
{
    fz_events_tell(rig.gen, FRAZIL_EVENT_CLOCK_BACK, FRAZIL_OK, RIG_NOW, value);
}

/* Reads to the end.  Returns how many events there were, missed ones included; *ret_last: the last one's value. */
static uint64_t read_all(uint64_t *cursor, uint64_t *ret_last)
{
    frazil_event event;
    uint64_t count = 0;

    while (frazil_next_event(rig.gen, cursor, &event, sizeof event)) {
        count += 1 + event.missed;
        *ret_last = event.value;
    }
    return count;
}

TEST("A child goes on behind its parent's events, also more than the ring holds, and its own stay in it")
{
    enum { UNREAD = 2, OF_CHILD = FZ_EVENTS_KEPT + 3 };
    uint64_t cursor = 0;
    uint64_t last = 0;
    int status;

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9 state=memory", RIG_NOW);
    (void)read_all(&cursor, &last); /* what opening tells */
    tell(1);
    assert_int_equal(read_all(&cursor, &last), 1);
    tell(2);
    tell(3);
    pid_t child = fork();
    if (child == 0) {
        for (uint64_t i = 1; i <= OF_CHILD; i++)
            tell(1000 + i);
        uint64_t count = read_all(&cursor, &last);
        _exit(count == UNREAD + OF_CHILD && last == 1000 + OF_CHILD ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read_all(&cursor, &last), UNREAD);
    assert_int_equal(last, 3);
    rig_close(&rig);
}
