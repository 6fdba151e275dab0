/* SPDX-License-Identifier: MIT */
/*
 * The events of a generator, for the program's log: a descriptor is readable while there are some, for the program's
 * event loop, here a poll after opening and after a batch.  Nobody is called back, and no id waits for a reader.  Takes
 * a spec.  Its own one is warned of at opening, as two of the three hosts that it expects may have the same worker id.
 */
#include <frazil.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#define IDS 100

static void log_events(frazil *gen, uint64_t *cursor)
{
    frazil_event event;

    while (frazil_next_event(gen, cursor, &event, sizeof event)) {
        if (event.missed != 0)
            printf("%" PRIu64 " events missed\n", event.missed);
        printf("%s: worker %" PRIu32 ", value %" PRIu64, frazil_event_name(event.kind), event.worker, event.value);
        if (event.code != FRAZIL_OK)
            printf(", %s", frazil_err_name((frazil_err)event.code));
        printf("\n");
    }
}

/* One turn of an event loop that waits for the descriptor among others; this one does not wait. */
static void turn(frazil *gen, int fd, uint64_t *cursor)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};

    if (poll(&waiting, 1, 0) > 0)
        log_events(gen, cursor);
}

int main(int argc, char **argv)
{
    const char *spec =
        argc > 1 ? argv[1] : "layout=41/10/4 worker=hostname-hash hostname=web-1 expect=3 on_full=wait max_lead=0";
    static uint64_t ids[IDS]; /* more than a millisecond of this layout has */
    uint64_t cursor = 0;
    frazil_error err;
    frazil *gen;
    int fd;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (frazil_event_fd(gen, &fd, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        frazil_close(gen);
        return 1;
    }
    turn(gen, fd, &cursor);
    frazil_err taken = frazil_take(gen, ids, IDS, FRAZIL_WAIT_DEFAULT, NULL);
    turn(gen, fd, &cursor);
    frazil_close(gen);
    return taken == FRAZIL_OK ? 0 : 1;
}
