/* SPDX-License-Identifier: MIT */
/*
 * The pure functions over ids.  A layout is an argument: one that came from a setting would make IMMUTABLE a lie.
 */
#include "frazil_pg.h"

#include "access/htup_details.h"
#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"

#define POSTGRES_EPOCH_UNIX_MS ((int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * 1000)

/* The layout of a call, kept with the function for the next one. */
struct layout_memo {
    frazil_layout layout;
    size_t len;
    char text[FLEXIBLE_ARRAY_MEMBER];
};

static const frazil_layout *layout_of(FunctionCallInfo fcinfo, int argument)
{
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
    if (memo->layout.kind != FRAZIL_LAYOUT_64)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a sno is no bigint"),
                        errhint("Name a layout of 64-bit ids.")));
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
    const frazil_layout *layout = layout_of(fcinfo, 1);
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
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the result is used as no row")));
    Datum values[4] = {TimestampTzGetDatum(timestamp_of(fields.unix_ms)), Int32GetDatum(as_int(fields.datacenter)),
                       Int32GetDatum(as_int(fields.worker)), Int32GetDatum(as_int(fields.sequence))};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}

/* ---- times to ids ---------------------------------------------------------------- */

/* The smallest id whose time is `at` or later; PG_INT64_MAX where there is none that bigint holds. */
static int64 first_at(const frazil_layout *layout, TimestampTz at)
{
    if (TIMESTAMP_IS_NOBEGIN(at))
        return 0;
    if (TIMESTAMP_IS_NOEND(at))
        return PG_INT64_MAX;
    /* Up to a whole millisecond, and to a whole tick: an id's time is the start of its tick. */
    int64 ms = at / 1000 + (at % 1000 > 0 ? 1 : 0) + POSTGRES_EPOCH_UNIX_MS;
    uint64 first = frazil_id_first(layout, ms);
    frazil_fields fields;
    if (frazil_id_decompose(layout, first, &fields, NULL) == FRAZIL_OK && fields.unix_ms < ms)
        first = frazil_id_first(layout, fields.unix_ms + layout->tick_ms);
    return first > PG_INT64_MAX ? PG_INT64_MAX : (int64)first;
}

PG_FUNCTION_INFO_V1(frazil_pg_first);
Datum frazil_pg_first(PG_FUNCTION_ARGS)
{
    return Int64GetDatum(first_at(layout_of(fcinfo, 1), PG_GETARG_TIMESTAMPTZ(0)));
}

/* The bounds of a range as ids: from the first on, and before the end. */
static void range_bounds(FunctionCallInfo fcinfo, const frazil_layout *layout, int64 *ret_first, int64 *ret_end)
{
    RangeType *range = PG_GETARG_RANGE_P(0);
    TypeCacheEntry *type = range_get_typcache(fcinfo, RangeTypeGetOid(range));
    RangeBound lower;
    RangeBound upper;
    bool empty;

    range_deserialize(type, range, &lower, &upper, &empty);
    *ret_first = 0;
    *ret_end = 0;
    if (empty)
        return;
    /* Timestamps are whole microseconds. */
    if (!lower.infinite && !TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(lower.val)))
        *ret_first = first_at(layout, DatumGetTimestampTz(lower.val) + (lower.inclusive ? 0 : 1));
    else if (!lower.infinite)
        *ret_first = first_at(layout, DatumGetTimestampTz(lower.val));
    if (upper.infinite)
        *ret_end = PG_INT64_MAX;
    else if (TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(upper.val)))
        *ret_end = first_at(layout, DatumGetTimestampTz(upper.val));
    else
        *ret_end = first_at(layout, DatumGetTimestampTz(upper.val) + (upper.inclusive ? 1 : 0));
}

static const frazil_layout *default_layout(void)
{
    static frazil_layout layout;

    if (layout.tick_ms == 0 && frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL) != FRAZIL_OK)
        elog(ERROR, "the layout frazil is gone");
    return &layout;
}

/* For <@, which has no place for a layout. */
PG_FUNCTION_INFO_V1(frazil_pg_range_first);
Datum frazil_pg_range_first(PG_FUNCTION_ARGS)
{
    int64 first;
    int64 end;

    range_bounds(fcinfo, default_layout(), &first, &end);
    return Int64GetDatum(first);
}

PG_FUNCTION_INFO_V1(frazil_pg_range_end);
Datum frazil_pg_range_end(PG_FUNCTION_ARGS)
{
    int64 first;
    int64 end;

    range_bounds(fcinfo, default_layout(), &first, &end);
    return Int64GetDatum(end);
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
