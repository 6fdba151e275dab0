/* SPDX-License-Identifier: MIT */
/*
 * A worker id without a generator: leased, kept without a thread of the library, used for a stamp of the program's own,
 * and given back.  The number is the program's for a stretch of time, so each stamp is compared with its end.  Takes
 * the URL of a namespace, file:///PATH, which was made by
 *
 *     frazil lease init --never-used horizon=3s worker=URL
 *
 * The part that knows such URLs is linked, as a static program needs it, and nothing is loaded: compile this with
 * `pkg-config --cflags --libs frazil frazil-file`.
 */
#include <frazil.h>
#include <frazil/coordinators.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t now_unix_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static frazil_err lease_worker(frazil_lease **ret, const char *url, frazil_error *err)
{
    frazil_options *options;
    frazil_err failed = frazil_options_open(&options, err);

    if (failed != FRAZIL_OK)
        return failed;
    if ((failed = frazil_options_set(options, "worker", url, strlen(url), err)) == FRAZIL_OK &&
        (failed = frazil_options_set(options, "keeper", "hook", strlen("hook"), err)) == FRAZIL_OK &&
        (failed = frazil_options_coordinator(options, frazil_coordinator_file(), err)) == FRAZIL_OK)
        failed = frazil_lease_open_with(ret, options, err);
    frazil_options_close(options);
    return failed;
}

/* A stamp of now, and whether it lies in the lease.  A program that runs on comes back when the lease is to extend. */
static bool stamp_now(frazil_lease *lease, int64_t *ret_stamp)
{
    uint64_t next_keep_ns;
    frazil_lease_info info;
    frazil_error err;
    frazil_err failed = frazil_lease_keep(lease, FRAZIL_WAIT_FOREVER, &next_keep_ns, &err);

    *ret_stamp = now_unix_ms();
    if (failed == FRAZIL_OK)
        failed = frazil_lease_get_info(lease, &info, sizeof info, &err);
    if (failed != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    /* From here to the stamp's use nothing may be slow: what counts is the stamp, not when it is sent. */
    bool mine = *ret_stamp >= info.from_unix_ms && *ret_stamp < info.end_unix_ms;
    printf("worker %" PRIu32 ", stamp %s, to extend in %" PRIu64 " ms\n", info.worker,
           mine ? "good" : "outside the lease", next_keep_ns / 1000000);
    return mine;
}

int main(int argc, char **argv)
{
    frazil_lease *lease;
    frazil_error err;
    int64_t stamp;

    if (argc != 2) {
        fprintf(stderr, "usage: worker_id URL\n");
        return 2;
    }
    if (lease_worker(&lease, argv[1], &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    bool is_good = stamp_now(lease, &stamp);
    frazil_lease_close(lease, stamp);
    return is_good ? 0 : 1;
}
