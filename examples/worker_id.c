/* SPDX-License-Identifier: MIT */
/*
 * A worker id without a generator: leased, used for stamps of the program's own, and given back.  The number is the
 * program's for a stretch of time, so each stamp is compared with its end.  Takes the URL of a namespace,
 * file:///PATH or redis://HOST/NAMESPACE or another, which was made by
 *
 *     frazil lease init --never-used horizon=3s worker=URL
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static int64_t now_unix_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
    char spec[512];
    frazil_lease *lease;
    frazil_lease_info info;
    frazil_error err;

    if (argc != 2 || snprintf(spec, sizeof spec, "worker=%s", argv[1]) >= (int)sizeof spec) {
        fprintf(stderr, "usage: worker_id URL\n");
        return 2;
    }
    if (frazil_lease_open(&lease, spec, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int64_t stamp = now_unix_ms();
    if (frazil_lease_get_info(lease, &info, sizeof info, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        frazil_lease_close(lease, stamp);
        return 1;
    }
    /* From here to the stamp's use nothing may be slow: what counts is the stamp, not when it is sent. */
    bool mine = stamp >= info.from_unix_ms && stamp < info.end_unix_ms;
    printf("worker %" PRIu32 ", stamp %s\n", info.worker, mine ? "good" : "outside the lease");
    frazil_lease_close(lease, stamp);
    return mine ? 0 : 1;
}
