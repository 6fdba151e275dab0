/* SPDX-License-Identifier: MIT */
/*
 * An event loop must not be held up: frazil_try_take never waits.  It takes the ids
 * that are free, and says in how many nanoseconds more can follow, which is the loop's timer.
 * This layout has 16 ids a millisecond, so that 100 ids meet the limit for sure.
 */
#include <frazil.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

/* In milliseconds, rounded up: to come back early would be in vain. */
static int poll_timeout(uint64_t ns)
{
    return (int)((ns + 999999) / 1000000);
}

int main(void)
{
    enum { WANTED = 100 };
    uint64_t ids[WANTED];
    frazil *gen;
    frazil_error err;
    size_t missing = WANTED;
    int timers = 0;

    if (frazil_open(&gen, "layout=41/10/4 worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    while (missing > 0) {
        uint64_t retry_ns;
        size_t taken;
        frazil_err tried = frazil_try_take(gen, ids, missing, &taken, &retry_ns, &err);
        for (size_t i = 0; i < taken; i++)
            printf("%" PRIu64 "\n", ids[i]);
        missing -= taken;
        if (tried != FRAZIL_OK && tried != FRAZIL_EAGAIN) {
            fprintf(stderr, "%s\n", err.message);
            break;
        }
        if (missing > 0) {
            poll(NULL, 0, poll_timeout(retry_ns)); /* with your descriptors in it */
            timers++;
        }
    }
    frazil_close(gen);
    fprintf(stderr, "back to the loop: %s\n", timers > 0 ? "yes" : "never");
    return missing == 0 ? 0 : 1;
}
