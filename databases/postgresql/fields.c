/* SPDX-License-Identifier: MIT */
/*
 * The pure functions over ids.  With a layout as an argument they are IMMUTABLE.  Without one they are STABLE and use
 * that of the generator main: it comes from a setting, so no index and no generated column may depend on it.  They
 * refuse if another generator has another layout, because they would misread its ids.
 */
#include "frazil_pg.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* The layout of a call, kept with the function for the next one. */
struct layout_memo {
    frazil_layout layout;
    size_t len;
    char text[FLEXIBLE_ARRAY_MEMBER];
};

static void check_kind(const frazil_layout *layout)
{
    if (layout->kind != FRAZIL_LAYOUT_64)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a sno is not a bigint"),
                        errhint("Name a layout of 64-bit ids.")));
}

static void check_settings(void)
{
    if (!frazil_pg_settings.are_made)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("no layout is named, and the server has no generator without frazil in "
                               "shared_preload_libraries"),
                        errhint("Name the layout, for example 'frazil', as the last argument.")));
}

static void check_others(const frazil_layout *layout)
{
    char other[NAMEDATALEN];

    if (frazil_pg_find_other_layout(layout, other))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("without a layout ids are read in that of the generator \"main\", and those of the "
                               "generator \"%s\" are of another one",
                               other),
                        errhint("Name the layout as the last argument: frazil_layout('main') for ids of main, "
                                "frazil_layout(%s) for those of %s. An operator takes none: call frazil_within "
                                "instead. For a whole column see frazil_bind.",
                                quote_literal_cstr(other), other)));
}

const frazil_layout *frazil_pg_main_layout(void)
{
    static frazil_layout layout; /* only a restart changes it */

    if (layout.tick_ms != 0)
        return &layout;
    check_settings();
    frazil_layout found = frazil_pg_layout_of("main");
    check_kind(&found);
    check_others(&found);
    layout = found;
    return &layout;
}

const frazil_layout *frazil_pg_layout_argument(FunctionCallInfo fcinfo, int argument)
{
    if (PG_NARGS() <= argument)
        return frazil_pg_main_layout();
    text *given = PG_GETARG_TEXT_PP(argument);
    size_t len = (size_t)VARSIZE_ANY_EXHDR(given);
    struct layout_memo *memo = fcinfo->flinfo->fn_extra;
    frazil_error err;

    if (memo != NULL && memo->len == len && memcmp(memo->text, VARDATA_ANY(given), len) == 0)
        return &memo->layout;
    memo = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, offsetof(struct layout_memo, text) + len);
    memo->len = len;
    memcpy(memo->text, VARDATA_ANY(given), len);
    frazil_err code = frazil_layout_parse(memo->text, len, &memo->layout, &err);
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    check_kind(&memo->layout);
    if (fcinfo->flinfo->fn_extra != NULL)
        pfree(fcinfo->flinfo->fn_extra);
    fcinfo->flinfo->fn_extra = memo;
    return &memo->layout;
}

static uint64 id_of(int64 number)
{
    if (number < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an id is not negative"),
                        errhint("An id from 2^63 on does not fit bigint.")));
    return (uint64)number;
}

static frazil_fields fields_of(FunctionCallInfo fcinfo)
{
    const frazil_layout *layout = frazil_pg_layout_argument(fcinfo, 1);
    frazil_fields fields;
    frazil_error err;
    frazil_err code = frazil_id_decompose(layout, id_of(PG_GETARG_INT64(0)), &fields, &err);

    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    return fields;
}

static TimestampTz timestamp_of(int64 unix_ms)
{
    int64 ms;
    TimestampTz at;

    if (pg_sub_s64_overflow(unix_ms, POSTGRES_EPOCH_UNIX_MS, &ms) || pg_mul_s64_overflow(ms, 1000, &at) ||
        !IS_VALID_TIMESTAMP(at))
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                        errmsg("the time of the id is out of the range of timestamps")));
    return at;
}

static int32 as_int(uint32 number)
{
    if (number > PG_INT32_MAX)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%u does not fit integer", number)));
    return (int32)number;
}

PG_FUNCTION_INFO_V1(frazil_pg_time);
Datum frazil_pg_time(PG_FUNCTION_ARGS)
{
    return TimestampTzGetDatum(timestamp_of(fields_of(fcinfo).unix_ms));
}

PG_FUNCTION_INFO_V1(frazil_pg_worker_of);
Datum frazil_pg_worker_of(PG_FUNCTION_ARGS)
{
    return Int32GetDatum(as_int(fields_of(fcinfo).worker));
}

PG_FUNCTION_INFO_V1(frazil_pg_sequence);
Datum frazil_pg_sequence(PG_FUNCTION_ARGS)
{
    return Int32GetDatum(as_int(fields_of(fcinfo).sequence));
}

PG_FUNCTION_INFO_V1(frazil_pg_parts);
Datum frazil_pg_parts(PG_FUNCTION_ARGS)
{
    frazil_fields fields = fields_of(fcinfo);
    TupleDesc row;
    bool nulls[4] = {false, false, false, false};

    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("function returning record called in context that cannot accept type record")));
    Datum values[4] = {TimestampTzGetDatum(timestamp_of(fields.unix_ms)), Int32GetDatum(as_int(fields.datacenter)),
                       Int32GetDatum(as_int(fields.worker)), Int32GetDatum(as_int(fields.sequence))};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}

PG_FUNCTION_INFO_V1(frazil_pg_first);
Datum frazil_pg_first(PG_FUNCTION_ARGS)
{
    return Int64GetDatum(frazil_pg_first_at(frazil_pg_layout_argument(fcinfo, 1), PG_GETARG_TIMESTAMPTZ(0)));
}

/* The layout of a generator, as text. */
static text *text_of_layout(const char *generator)
{
    char buf[FRAZIL_FINGERPRINT_SIZE];

    check_settings();
    frazil_layout layout = frazil_pg_layout_of(generator);
    frazil_err code = frazil_layout_fingerprint(&layout, buf, sizeof buf, NULL);
    if (code != FRAZIL_OK)
        elog(ERROR, "%s", frazil_strerror(code));
    return cstring_to_text(buf);
}

PG_FUNCTION_INFO_V1(frazil_pg_layout);
Datum frazil_pg_layout(PG_FUNCTION_ARGS)
{
    PG_RETURN_TEXT_P(text_of_layout(NameStr(*PG_GETARG_NAME(0))));
}

/* For the planner: of a name that is known, it is computed once a query, not once a row. */
PG_FUNCTION_INFO_V1(frazil_pg_layout_support);
Datum frazil_pg_layout_support(PG_FUNCTION_ARGS)
{
    const Node *request = (Node *)PG_GETARG_POINTER(0);
    const SupportRequestSimplify *call = (const SupportRequestSimplify *)request;

    if (!IsA(request, SupportRequestSimplify) || call->root == NULL || !IsA(linitial(call->fcall->args), Const))
        PG_RETURN_POINTER(NULL);
    const Const *name = linitial(call->fcall->args);
    PG_RETURN_POINTER(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
                                PointerGetDatum(text_of_layout(NameStr(*DatumGetName(name->constvalue)))), false,
                                false));
}

/* ---- text forms ------------------------------------------------------------------ */

static frazil_text form_of(text *given)
{
    char *name = text_to_cstring(given);
    frazil_error err;
    frazil_text form;

    if (frazil_text_by_name(name, &form, &err) != FRAZIL_OK)
        frazil_pg_fail(err.code, &err);
    return form;
}

PG_FUNCTION_INFO_V1(frazil_pg_text);
Datum frazil_pg_text(PG_FUNCTION_ARGS)
{
    char buf[FRAZIL_TEXT_SIZE];
    frazil_err code = frazil_id_format(form_of(PG_GETARG_TEXT_PP(1)), id_of(PG_GETARG_INT64(0)), buf, sizeof buf, NULL);

    if (code != FRAZIL_OK)
        elog(ERROR, "%s", frazil_strerror(code));
    PG_RETURN_TEXT_P(cstring_to_text(buf));
}

PG_FUNCTION_INFO_V1(frazil_pg_id);
Datum frazil_pg_id(PG_FUNCTION_ARGS)
{
    text *given = PG_GETARG_TEXT_PP(0);
    frazil_text form = form_of(PG_GETARG_TEXT_PP(1));
    frazil_error err;
    uint64_t id;
    frazil_err code = frazil_id_parse(form, VARDATA_ANY(given), (size_t)VARSIZE_ANY_EXHDR(given), &id, &err);

    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    if (id > PG_INT64_MAX)
        ereport(ERROR,
                (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("the id is 2^63 or above, where bigint ends"),
                 errhint("Keep such ids as text or numeric.")));
    PG_RETURN_INT64((int64)id);
}
