/* SPDX-License-Identifier: MIT */
/*
 * Ranges of time as ranges of ids.  The planner can use an index on an id, and leave out partitions, only where it sees
 * comparisons of the id: the support functions here write them in the place of <@ and @>.
 */
#include "frazil_pg.h"

#include "access/stratnum.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

/* The ids of a time: from `first` on, and before `end`. */
struct ids {
    int64 first;
    int64 end;
};

int64 frazil_pg_first_at(const frazil_layout *layout, TimestampTz at)
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

/* The first id behind a bound.  Timestamps are whole microseconds. */
static int64 id_at(const frazil_layout *layout, const RangeBound *bound, bool is_behind)
{
    TimestampTz at = DatumGetTimestampTz(bound->val);

    return frazil_pg_first_at(layout, TIMESTAMP_NOT_FINITE(at) || !is_behind ? at : at + 1);
}

static struct ids ids_between(const frazil_layout *layout, const RangeBound *lower, const RangeBound *upper)
{
    return (struct ids){lower->infinite ? 0 : id_at(layout, lower, !lower->inclusive),
                        upper->infinite ? PG_INT64_MAX : id_at(layout, upper, upper->inclusive)};
}

static TypeCacheEntry *type_of_range(void)
{
    return lookup_type_cache(TSTZRANGEOID, TYPECACHE_RANGE_INFO);
}

static struct ids ids_of_range(const frazil_layout *layout, const RangeType *range)
{
    RangeBound lower;
    RangeBound upper;
    bool is_empty;

    range_deserialize(type_of_range(), range, &lower, &upper, &is_empty);
    return is_empty ? (struct ids){0, 0} : ids_between(layout, &lower, &upper);
}

/* Those of the ranges from one place to another. */
static struct ids ids_of_ranges(const frazil_layout *layout, const MultirangeType *ranges, uint32 from, uint32 to)
{
    RangeBound lower;
    RangeBound upper;
    RangeBound unused;

    if (MultirangeIsEmpty(ranges))
        return (struct ids){0, 0};
    multirange_get_bounds(type_of_range(), ranges, from, &lower, &unused);
    multirange_get_bounds(type_of_range(), ranges, to, &unused, &upper);
    return ids_between(layout, &lower, &upper);
}

static struct ids ids_of_all(const frazil_layout *layout, const MultirangeType *ranges)
{
    return ids_of_ranges(layout, ranges, 0, ranges->rangeCount - 1);
}

static bool is_among(int64 id, struct ids ids)
{
    return ids.first <= id && id < ids.end;
}

static bool is_in_ranges(const frazil_layout *layout, int64 id, const MultirangeType *ranges)
{
    for (uint32 i = 0; i < ranges->rangeCount; i++) {
        if (is_among(id, ids_of_ranges(layout, ranges, i, i)))
            return true;
    }
    return false;
}

/* ---- functions of SQL ------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(frazil_pg_range_first);
Datum frazil_pg_range_first(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64(ids_of_range(frazil_pg_layout_argument(fcinfo, 1), PG_GETARG_RANGE_P(0)).first);
}

PG_FUNCTION_INFO_V1(frazil_pg_range_end);
Datum frazil_pg_range_end(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64(ids_of_range(frazil_pg_layout_argument(fcinfo, 1), PG_GETARG_RANGE_P(0)).end);
}

PG_FUNCTION_INFO_V1(frazil_pg_ranges_first);
Datum frazil_pg_ranges_first(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64(ids_of_all(frazil_pg_layout_argument(fcinfo, 1), PG_GETARG_MULTIRANGE_P(0)).first);
}

PG_FUNCTION_INFO_V1(frazil_pg_ranges_end);
Datum frazil_pg_ranges_end(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64(ids_of_all(frazil_pg_layout_argument(fcinfo, 1), PG_GETARG_MULTIRANGE_P(0)).end);
}

PG_FUNCTION_INFO_V1(frazil_pg_in_range);
Datum frazil_pg_in_range(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(
        is_among(PG_GETARG_INT64(0), ids_of_range(frazil_pg_layout_argument(fcinfo, 2), PG_GETARG_RANGE_P(1))));
}

PG_FUNCTION_INFO_V1(frazil_pg_range_has);
Datum frazil_pg_range_has(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(is_among(PG_GETARG_INT64(1), ids_of_range(frazil_pg_main_layout(), PG_GETARG_RANGE_P(0))));
}

PG_FUNCTION_INFO_V1(frazil_pg_in_ranges);
Datum frazil_pg_in_ranges(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(is_in_ranges(frazil_pg_layout_argument(fcinfo, 2), PG_GETARG_INT64(0), PG_GETARG_MULTIRANGE_P(1)));
}

PG_FUNCTION_INFO_V1(frazil_pg_ranges_have);
Datum frazil_pg_ranges_have(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(is_in_ranges(frazil_pg_main_layout(), PG_GETARG_INT64(1), PG_GETARG_MULTIRANGE_P(0)));
}

/* ---- for the planner ------------------------------------------------------------- */

static Node *constant_id(int64 id)
{
    return (Node *)makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(id), false, FLOAT8PASSBYVAL);
}

/* The qualified name of a function beside another one. */
static List *beside(Oid function, const char *name)
{
    return list_make2(makeString(get_namespace_name(get_func_namespace(function))), makeString(pstrdup(name)));
}

/* The parts of a call of <@ or @>; `layout` is NULL in calls that take that of the generator main. */
struct containment {
    Oid function;
    Node *id;
    Node *range;
    Node *layout;
};

/* An id is a bigint, and stands on either side.  A layout comes last. */
static struct containment containment_of(Oid function, List *args)
{
    bool is_id_first = exprType(linitial(args)) == INT8OID;

    return (struct containment){function, is_id_first ? linitial(args) : lsecond(args),
                                is_id_first ? lsecond(args) : linitial(args),
                                list_length(args) > 2 ? lthird(args) : NULL};
}

/* The function of that name beside the one that is called, of the same range and layout; computed now if it can be. */
static Node *call_beside(PlannerInfo *root, const struct containment *call, const char *name)
{
    List *args = list_make1(copyObject(call->range));
    Oid types[] = {exprType(call->range), TEXTOID};

    if (call->layout != NULL)
        args = lappend(args, copyObject(call->layout));
    Oid called = LookupFuncName(beside(call->function, name), list_length(args), types, false);
    return eval_const_expressions(
        root, (Node *)makeFuncExpr(called, INT8OID, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

/*
 * `id >= first AND id < end` by the operators of that family, as a list; NIL: it has others.  A range that is known is
 * computed now: no plan outlives the server's setting.
 */
static List *comparisons(PlannerInfo *root, const struct containment *call, Oid family)
{
    Oid ge = get_opfamily_member(family, INT8OID, INT8OID, BTGreaterEqualStrategyNumber);
    Oid lt = get_opfamily_member(family, INT8OID, INT8OID, BTLessStrategyNumber);
    Expr *id = (Expr *)call->id;
    Node *first;
    Node *end;

    if (!OidIsValid(ge) || get_opcode(ge) != F_INT8GE || !OidIsValid(lt) || get_opcode(lt) != F_INT8LT)
        return NIL;
    if (call->layout == NULL && IsA(call->range, Const) && exprType(call->range) == TSTZRANGEOID) {
        struct ids ids = ids_of_range(frazil_pg_main_layout(), DatumGetRangeTypeP(((Const *)call->range)->constvalue));
        first = constant_id(ids.first);
        end = constant_id(ids.end);
    } else {
        first = call_beside(root, call, "frazil_range_first");
        end = call_beside(root, call, "frazil_range_end");
    }
    return list_make2(make_opclause(ge, BOOLOID, false, copyObject(id), (Expr *)first, InvalidOid, InvalidOid),
                      make_opclause(lt, BOOLOID, false, copyObject(id), (Expr *)end, InvalidOid, InvalidOid));
}

/*
 * A range is two comparisons everywhere.  Not so if that would run a subquery twice for each row: an index has it then,
 * as a condition.  Without a root it is not a query that is planned, but an expression to be stored, which may have no
 * setting in it; a layout that is named is none.
 */
static Node *simplify(const SupportRequestSimplify *request)
{
    struct containment call = containment_of(request->fcall->funcid, request->fcall->args);

    if ((request->root == NULL && call.layout == NULL) || exprType(call.range) != TSTZRANGEOID ||
        contain_subplans((Node *)request->fcall->args) || contain_volatile_functions((Node *)request->fcall->args))
        return NULL;
    return (Node *)make_andclause(comparisons(request->root, &call, INTEGER_BTREE_FAM_OID));
}

/* An index searches several ranges as one, from the first to the last.  So the planner tests each row again (lossy). */
static List *index_condition(SupportRequestIndexCondition *request)
{
    List *args = is_opclause(request->node) ? ((OpExpr *)request->node)->args : ((FuncExpr *)request->node)->args;
    struct containment call = containment_of(request->funcid, args);

    if (list_nth(args, request->indexarg) != call.id || exprType(call.id) != INT8OID ||
        !is_pseudo_constant_for_index(request->root, call.range, request->index))
        return NIL;
    if (call.layout != NULL && !is_pseudo_constant_for_index(request->root, call.layout, request->index))
        return NIL;
    request->lossy = exprType(call.range) != TSTZRANGEOID;
    return comparisons(request->root, &call, request->opfamily);
}

PG_FUNCTION_INFO_V1(frazil_pg_range_support);
Datum frazil_pg_range_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(simplify((SupportRequestSimplify *)request));
    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(index_condition((SupportRequestIndexCondition *)request));
    PG_RETURN_POINTER(NULL);
}

/* frazil_first without a layout, of a time that is known: it is computed once a query, not once a row. */
PG_FUNCTION_INFO_V1(frazil_pg_first_support);
Datum frazil_pg_first_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (!IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(NULL);
    const SupportRequestSimplify *call = (SupportRequestSimplify *)request;
    Node *at = linitial(call->fcall->args);
    if (call->root == NULL || !IsA(at, Const))
        PG_RETURN_POINTER(NULL);
    PG_RETURN_POINTER(
        constant_id(frazil_pg_first_at(frazil_pg_main_layout(), DatumGetTimestampTz(((Const *)at)->constvalue))));
}

/*
 * frazil_within of a domain that frazil_bind has bound.  PostgreSQL finds the function of the domain by itself only if
 * both times are timestamptz already, and takes that of bigint for literals.
 */
PG_FUNCTION_INFO_V1(frazil_pg_within_support);
Datum frazil_pg_within_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (!IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(NULL);
    const SupportRequestSimplify *call = (SupportRequestSimplify *)request;
    FuncExpr *within = copyObject(call->fcall);
    Node *id = strip_implicit_coercions(linitial(within->args));
    Oid types[] = {exprType(id), TIMESTAMPTZOID, TIMESTAMPTZOID};
    if (types[0] == INT8OID)
        PG_RETURN_POINTER(NULL);
    within->funcid = LookupFuncName(beside(within->funcid, "frazil_within"), lengthof(types), types, true);
    if (!OidIsValid(within->funcid))
        PG_RETURN_POINTER(NULL);
    linitial(within->args) = id;
    PG_RETURN_POINTER(eval_const_expressions(call->root, (Node *)within)); /* which inlines it */
}
