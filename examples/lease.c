/* SPDX-License-Identifier: MIT */
/*
 * A leased worker id without a thread of the library: keeper=hook leaves the keeping
 * to the program's event loop, whose timer calls frazil_keep.  Takes the URL of a
 * namespace, file:///PATH or redis://HOST/NAMESPACE or another, which was made by
 *
 *     frazil lease init --never-used horizon=3s worker=URL
 */
#include <frazil.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

/* The timer: when to come again.  A coordinator that does not answer is no harm before the grant ends. */
static frazil_err keep(frazil *gen, int *ret_timeout_ms)
{
    uint64_t next_ns;
    frazil_error err;
    frazil_err kept = frazil_keep(gen, FRAZIL_WAIT_FOREVER, &next_ns, &err);

    *ret_timeout_ms = next_ns == FRAZIL_WAIT_FOREVER ? -1 : (int)(next_ns / 1000000 + 1);
    if (kept == FRAZIL_EAGAIN)
        fprintf(stderr, "%s\n", err.message);
    return kept == FRAZIL_EAGAIN ? FRAZIL_OK : kept;
}

/* An event loop that ends when the grant was extended twice; yours does not end. */
static frazil_err loop(frazil *gen)
{
    frazil_stat stats[FRAZIL_STATS_MOST] = {0};
    uint64_t id;
    int timeout_ms;

    while (stats[FRAZIL_STAT_EXTENSIONS].value < 2) {
        frazil_err err = keep(gen, &timeout_ms);
        if (err == FRAZIL_OK)
            err = frazil_next(gen, &id);
        if (err != FRAZIL_OK)
            return err;
        printf("%" PRIu64 "\n", id);
        (void)frazil_get_stats(gen, stats, FRAZIL_STATS_MOST);
        poll(NULL, 0, timeout_ms); /* with your descriptors in it */
    }
    return FRAZIL_OK;
}

int main(int argc, char **argv)
{
    char spec[512];
    frazil *gen;
    frazil_error err;

    if (argc != 2 || snprintf(spec, sizeof spec, "keeper=hook worker=%s", argv[1]) >= (int)sizeof spec) {
        fprintf(stderr, "usage: lease URL\n");
        return 2;
    }
    if (frazil_open(&gen, spec, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    frazil_err looped = loop(gen);
    frazil_close(gen);
    if (looped != FRAZIL_OK)
        fprintf(stderr, "%s\n", frazil_strerror(looped));
    return looped == FRAZIL_OK ? 0 : 1;
}
