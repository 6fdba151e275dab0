/* SPDX-License-Identifier: MIT */
/*
 * The settings of the extension.  None of them is a spec that SQL can write: a spec names files and hosts.
 */
#include "frazil_pg.h"

#include <limits.h>

#include "utils/guc.h"

struct frazil_pg_settings frazil_pg_settings = {.max_wait_ms = 1000};

void frazil_pg_make_settings(void)
{
    DefineCustomStringVariable("frazil.worker", "The worker number of this server's ids.",
                               "fixed:N, timeline:BASE/COUNT, env:NAME, ordinal, or the URL of a coordinator. There is "
                               "no default.",
                               &frazil_pg_settings.worker, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    DefineCustomStringVariable("frazil.generators", "The generators and what their ids look like.",
                               "For example 'main: layout=frazil; audit: layout=twitter'.",
                               &frazil_pg_settings.generators, "main: layout=frazil", PGC_POSTMASTER, 0, NULL, NULL,
                               NULL);
    DefineCustomStringVariable("frazil.run_dir", "The directory of files that do not survive a boot.", NULL,
                               &frazil_pg_settings.run_dir, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    DefineCustomStringVariable("frazil.state_dir", "The directory of files that survive a boot.",
                               "It must lie outside the data directory, which is copied.",
                               &frazil_pg_settings.state_dir, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL,
                               NULL);
    DefineCustomStringVariable("frazil.host_dir", "The directory in which users of this host announce worker numbers.",
                               NULL, &frazil_pg_settings.host_dir, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL,
                               NULL);
    DefineCustomIntVariable("frazil.max_wait", "How long a statement waits for an id.", NULL,
                            &frazil_pg_settings.max_wait_ms, 1000, 0, INT_MAX, PGC_USERSET, GUC_UNIT_MS, NULL, NULL,
                            NULL);
    DefineCustomBoolVariable("frazil.allow_in_recovery", "Whether a standby may make ids.",
                             "Its worker number must then be its own.", &frazil_pg_settings.allow_in_recovery, false,
                             PGC_SUSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("frazil.past_most", "How long ago the times of frazil_at may be.",
                            "A time has its ids again when this has passed.", &frazil_pg_settings.past_most_s, 604800,
                            1, INT_MAX, PGC_POSTMASTER, GUC_UNIT_S, NULL, NULL, NULL);
    MarkGUCPrefixReserved("frazil");
    frazil_pg_settings.are_made = true;
}
