/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a child reads its own events with its copy of a cursor, and counts what it cannot read of its
 * parent's; what happens in the child is not told in the parent.  Each has a descriptor of its own to wait for.
 */
#include <fcntl.h>
#include <poll.h>
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

static bool is_readable(int fd)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};

    return poll(&waiting, 1, 0) == 1;
}

/* In the child, whose parent has a descriptor: what the child is wrong about, or 0. */
static int live_as_child(int of_parent)
{
    uint64_t cursor = 0;
    uint64_t last = 0;
    int fd = -1;

    tell(1); /* before it has one of its own: nobody is told */
    (void)read_all(&cursor, &last);
    if (frazil_event_fd(rig.gen, &fd, NULL) != FRAZIL_OK)
        return 1;
    if (fd != of_parent && fcntl(of_parent, F_GETFD) >= 0)
        return 2;
    if (!is_readable(fd) || read_all(&cursor, &last) != 0 || is_readable(fd))
        return 3;
    tell(2);
    if (!is_readable(fd) || read_all(&cursor, &last) != 1 || is_readable(fd))
        return 4;
    frazil_close(rig.gen);
    return fcntl(fd, F_GETFD) >= 0 ? 5 : 0;
}

TEST("Parent and child are told by descriptors of their own, and neither makes the other's readable or takes it away")
{
    uint64_t cursor = 0;
    uint64_t last = 0;
    int status;
    int fd;

    rig = (struct rig){.random_state = 1};
    rig_open(&rig, "layout=41/10/4 worker=fixed:9 state=memory", RIG_NOW);
    assert_int_equal(frazil_event_fd(rig.gen, &fd, NULL), FRAZIL_OK);
    (void)read_all(&cursor, &last);
    assert_false(is_readable(fd));
    for (int told = 0; told < 2; told++) {
        if (told != 0)
            tell(3);
        pid_t child = fork();
        if (child == 0)
            _exit(live_as_child(fd));
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(is_readable(fd), told);
    }
    assert_int_equal(read_all(&cursor, &last), 1);
    assert_false(is_readable(fd));
    rig_close(&rig);
}
