/* SPDX-License-Identifier: MIT */
/*
 * An event loop must not be held up: frazil_try_next never waits.  Where no id is
 * free it says in how many nanoseconds to come back, which is the loop's timer.
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
    frazil *gen;
    frazil_error err;
    uint64_t id;
    uint64_t retry_ns;
    int taken = 0;
    int timers = 0;

    if (frazil_open(&gen, "layout=41/10/4 worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    while (taken < 100) {
        frazil_err tried = frazil_try_next(gen, &id, &retry_ns);
        if (tried == FRAZIL_OK) {
            printf("%" PRIu64 "\n", id);
            taken++;
        } else if (tried == FRAZIL_EAGAIN) {
            poll(NULL, 0, poll_timeout(retry_ns)); /* with your descriptors in it */
            timers++;
        } else {
            fprintf(stderr, "%s\n", frazil_strerror(tried));
            break;
        }
    }
    frazil_close(gen);
    fprintf(stderr, "back to the loop: %s\n", timers > 0 ? "yes" : "never");
    return taken == 100 ? 0 : 1;
}
