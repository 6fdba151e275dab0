/* SPDX-License-Identifier: MIT */
/*
 * The events of a generator, for the program's log: they are read when it suits the program, here after opening
 * and after a batch.  Nobody is called back, and no id waits for a reader.  Takes a spec.  Its own one is warned of
 * at opening, as two of the three hosts that it expects may have the same worker id.
 */
#include <frazil.h>
#include <inttypes.h>
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

int main(int argc, char **argv)
{
    const char *spec =
        argc > 1 ? argv[1] : "layout=41/10/4 worker=hostname-hash hostname=web-1 expect=3 on_full=wait max_lead=0";
    static uint64_t ids[IDS]; /* more than a millisecond of this layout has */
    uint64_t cursor = 0;
    frazil_error err;
    frazil *gen;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    log_events(gen, &cursor);
    frazil_err taken = frazil_next_n(gen, ids, IDS);
    log_events(gen, &cursor);
    frazil_close(gen);
    return taken == FRAZIL_OK ? 0 : 1;
}
