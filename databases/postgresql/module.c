/* SPDX-License-Identifier: MIT */
/* What PostgreSQL calls when it loads the extension. */
#include "frazil_pg.h"

#include "fmgr.h"
#include "miscadmin.h"

PG_MODULE_MAGIC;

extern void _PG_init(void);

void _PG_init(void)
{
    /*
     * Only the postmaster makes the settings.  A backend that read them later could have other directories than the one
     * beside it, by its connection's options or after a reload, and would make the same ids.
     */
    if (!process_shared_preload_libraries_in_progress)
        return;
    frazil_pg_make_settings();
    if (frazil_pg_settings.worker == NULL || *frazil_pg_settings.worker == '\0')
        return;
    frazil_pg_register_keeper();
    if (frazil_pg_is_url(frazil_pg_settings.worker))
        return;
    frazil_pg_note_start();
    frazil_pg_make_past();
    frazil_pg_prepare();
}
