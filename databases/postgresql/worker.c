/* SPDX-License-Identifier: MIT */
/* frazil.worker: where the worker number comes from. */
#include "frazil_pg.h"

#include <ctype.h>
#include <unistd.h>

#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "common/string.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"

/* Whether the worker number is leased from a coordinator. */
bool frazil_pg_is_url(const char *text)
{
    return strstr(text, "://") != NULL;
}

/* A decimal number of at most 9 digits, and *text is behind it; false: there is none. */
static bool take_number(const char **text, uint32 *ret)
{
    const char *c = *text;
    uint32 number = 0;

    while (isdigit((unsigned char)*c) && c - *text < 9)
        number = number * 10 + (uint32)(*c++ - '0');
    if (c == *text)
        return false;
    *text = c;
    *ret = number;
    return true;
}

bool frazil_pg_starts_as_standby(void)
{
    return access(STANDBY_SIGNAL_FILE, F_OK) == 0 || access(RECOVERY_SIGNAL_FILE, F_OK) == 0;
}

/* The timeline on which the server makes ids. */
static uint32 timeline_of_server(void)
{
    bool is_sound = true;

    if (process_shared_preload_libraries_in_progress ? frazil_pg_starts_as_standby() : RecoveryInProgress())
        ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                        errmsg("a standby has no timeline of its own, so frazil.worker=timeline gives it no number"),
                        errhint("Make ids on the primary.")));
    if (!process_shared_preload_libraries_in_progress)
        return GetWALInsertionTimeLine();
    /* The postmaster has no memory yet that it shares with whom it could ask. */
    ControlFileData *control = get_controlfile(DataDir, &is_sound);
    uint32 timeline = control->checkPointCopy.ThisTimeLineID;
    pfree(control);
    if (!is_sound)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the control file of the server is damaged")));
    return timeline;
}

/* timeline:BASE/COUNT: BASE, and the timeline modulo COUNT. */
static frazil_pg_worker worker_of_timeline(const char *text)
{
    frazil_pg_worker worker = {.source = FRAZIL_PG_TIMELINE};
    const char *c = text;
    uint32 base;
    uint32 count;

    if (!take_number(&c, &base) || *c++ != '/' || !take_number(&c, &count) || *c != '\0' || count < 2)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("frazil.worker is \"timeline:%s\"", text),
                 errhint("Write timeline:BASE/COUNT, for example timeline:40/4 for the worker numbers 40 to 43.")));
    worker.timeline = timeline_of_server();
    snprintf(worker.text, sizeof worker.text, "fixed:%u", base + worker.timeline % count);
    snprintf(worker.last, sizeof worker.last, "fixed:%u", base + count - 1);
    return worker;
}

/* The server's record of a setting, or NULL.  Since version 16, each call for the list of all sorts it anew. */
static const struct config_generic *record_of(const char *setting)
{
#if PG_VERSION_NUM >= 160000
    return find_option(setting, false, true, LOG);
#else
    struct config_generic **all = get_guc_variables();
    int count = GetNumConfigOptions();

    for (int i = 0; i < count; i++) {
        if (strcmp(all[i]->name, setting) == 0)
            return all[i];
    }
    return NULL;
#endif
}

/* Whether ALTER SYSTEM has set it: its file is copied with the data directory. */
static bool is_in_auto_conf(const char *setting)
{
    const struct config_generic *record = record_of(setting);

    return record != NULL && record->sourcefile != NULL && pg_str_endswith(record->sourcefile, PG_AUTOCONF_FILENAME);
}

void frazil_pg_warn_of_copies(void)
{
    if (is_in_auto_conf("frazil.worker"))
        ereport(WARNING, (errmsg("frazil.worker comes from postgresql.auto.conf, which each copy of the data "
                                 "directory has too"),
                          errhint("Set it in postgresql.conf, and ALTER SYSTEM RESET frazil.worker.")));
}

static const char TIMELINE[] = "timeline:";

bool frazil_pg_is_of_timeline(void)
{
    return frazil_pg_settings.worker != NULL && strncmp(frazil_pg_settings.worker, TIMELINE, strlen(TIMELINE)) == 0;
}

frazil_pg_worker frazil_pg_worker_setting(void)
{
    const char *text = frazil_pg_settings.worker;
    frazil_pg_worker worker = {.source = FRAZIL_PG_OUTSIDE};

    if (!frazil_pg_settings.are_made)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the server makes no ids without frazil in shared_preload_libraries"),
                        errhint("Add frazil to shared_preload_libraries, and restart the server.")));
    if (text == NULL || *text == '\0')
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("frazil.worker is not set"),
                        errhint("Set it in postgresql.conf: fixed:N with a number that no other server has, "
                                "timeline:BASE/COUNT, env:NAME, ordinal, or the URL of a coordinator.")));
    if (frazil_pg_is_of_timeline())
        return worker_of_timeline(text + strlen(TIMELINE));
    if (strncmp(text, "fixed:", strlen("fixed:")) == 0)
        worker.source = FRAZIL_PG_FIXED;
    else if (frazil_pg_is_url(text))
        worker.source = FRAZIL_PG_COORDINATOR;
    else if (strncmp(text, "env:", strlen("env:")) != 0 && strcmp(text, "ordinal") != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("frazil.worker is none of fixed:N, timeline:BASE/COUNT, env:NAME, ordinal and the URL "
                               "of a coordinator"),
                        errhint("The other sources of worker numbers are for processes that hold one of their own; "
                                "here all backends share one.")));
    if (strlen(text) >= sizeof worker.text)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("frazil.worker is too long")));
    strlcpy(worker.text, text, sizeof worker.text);
    return worker;
}
