/* SPDX-License-Identifier: MIT */
/* Errors of the library become those of PostgreSQL, and the other way round. */
#include "frazil_pg.h"

#include "utils/memutils.h"

/* By class, and before that by error where the class says too little: the SQLSTATE, and the next step. */
static const struct remedy {
    frazil_err code; /* FRAZIL_OK: any of the class */
    frazil_err_class class;
    int sqlstate;
    const char *hint;
} REMEDIES[] = {
    {FRAZIL_EEXHAUSTED, FRAZIL_CLASS_FATAL, ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
     "Give the generator a layout that has time left, in frazil.generators, and restart the server."},
    {FRAZIL_ENOMEM, FRAZIL_CLASS_FATAL, ERRCODE_OUT_OF_MEMORY, "Free memory on the host, and run the statement again."},
    {FRAZIL_ESYS, FRAZIL_CLASS_FATAL, ERRCODE_SYSTEM_ERROR,
     "The user that the server runs as must own frazil.run_dir and frazil.state_dir, which need free space."},
    {FRAZIL_ESTATE, FRAZIL_CLASS_FATAL, ERRCODE_SYSTEM_ERROR,
     "If another server's files lie there, set another frazil.state_dir and frazil.run_dir. If the file is damaged, "
     "stop "
     "the server and run \"frazil state init\"."},
    {FRAZIL_OK, FRAZIL_CLASS_FATAL, ERRCODE_SYSTEM_ERROR, "Connect again."},
    {FRAZIL_OK, FRAZIL_CLASS_RETRY, ERRCODE_INSUFFICIENT_RESOURCES,
     "Run the statement again, or allow it to wait longer with frazil.max_wait."},
    {FRAZIL_OK, FRAZIL_CLASS_FENCED, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
     "Run the statement again, or wait until the grant is extended."},
    {FRAZIL_OK, FRAZIL_CLASS_USAGE, ERRCODE_INVALID_PARAMETER_VALUE,
     "Correct the argument, or the setting that begins with frazil."},
};

void frazil_pg_fail(frazil_err code, const frazil_error *err)
{
    const struct remedy *remedy = REMEDIES;

    while (remedy->code != code && (remedy->code != FRAZIL_OK || remedy->class != frazil_err_classify(code)))
        remedy++;
    ereport(ERROR, (errcode(remedy->sqlstate), errmsg("frazil: %s", err->message), errhint("%s", remedy->hint)));
    pg_unreachable();
}

void frazil_pg_catch(frazil_error *ret)
{
    MemoryContextSwitchTo(TopMemoryContext);
    ErrorData *error = CopyErrorData();
    FlushErrorState();
    strlcpy(ret->message, error->message, sizeof ret->message);
    FreeErrorData(error);
}
