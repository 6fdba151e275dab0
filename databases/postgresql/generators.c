/* SPDX-License-Identifier: MIT */
/*
 * The generators of a backend.  The postmaster opens them at its start, so a backend is born with them: the library's
 * generators survive a fork, and share their sequence through it.  One that the postmaster did not open is opened at
 * its first use.  All backends of a host share one sequence through the library's files, even if others opened them.  A
 * statement that waits for an id waits at its latch, so that a cancel and statement_timeout reach it.
 */
#include "frazil_pg.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

enum { WAIT_MAX_MS = 100, RETRY_NS = 20000000, BLOCK = 64, IDLE_LOOKS = 60 };

struct generator {
    char name[NAMEDATALEN];
    frazil *gen;
    bool is_past;     /* for frazil_at alone */
    bool is_leased;   /* from a coordinator, by the background worker */
    bool is_prepared; /* by the postmaster, and not used by this process yet */
    int opener;       /* the process that opened it */
    uint32 timeline;  /* from which its worker number is derived; 0: from none */
    uint64 issued;    /* in the keeper: how many ids there were when it looked last */
    uint64 used_look; /* likewise, the last look that saw new ones */
    struct generator *next;
};

static struct generator *generators; /* of this process */

/* ---- waiting ---------------------------------------------------------------------- */

/* The milliseconds of frazil.max_wait that are left since then, by a clock that nobody sets. */
static double left_of_wait(instr_time began)
{
    instr_time passed;

    INSTR_TIME_SET_CURRENT(passed);
    INSTR_TIME_SUBTRACT(passed, began);
    return frazil_pg_settings.max_wait_ms - INSTR_TIME_GET_MILLISEC(passed);
}

/* Waits for at most 100 ms, and serves a cancel. */
static void wait_a_moment(uint64 retry_ns, long left_ms)
{
    long ms = (long)Min(retry_ns / 1000000 + 1, (uint64)WAIT_MAX_MS);

    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, Min(ms, Max(left_ms, 1)),
                    PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
}

/* ---- opening --------------------------------------------------------------------- */

/* One that was inherited ends with the process: its pages and locks are those of the postmaster, too. */
static void close_all(int code, Datum arg)
{
    (void)code;
    (void)arg;
    frazil_pg_leave_past(false);
    for (struct generator *g = generators; g != NULL; g = g->next) {
        if (g->opener == MyProcPid)
            frazil_close(g->gen);
    }
    generators = NULL;
}

static void check_recovery(void)
{
    if (RecoveryInProgress() && !frazil_pg_settings.allow_in_recovery)
        ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("a standby makes no ids"),
                        errhint("Make them on the primary. A superuser may set frazil.allow_in_recovery where the "
                                "standby has a worker number of its own.")));
}

/* Opens it.  It waits at most frazil.max_wait for a lease that the background worker is about to take. */
static frazil_err open_patiently(struct generator *g, const frazil_options *options, frazil_error *err)
{
    instr_time began;

    INSTR_TIME_SET_CURRENT(began);
    for (;;) {
        frazil_err code = frazil_open_with(&g->gen, options, err);
        double left_ms = left_of_wait(began);
        if (code != FRAZIL_EAGAIN || !g->is_leased || left_ms <= 0)
            return code;
        wait_a_moment(RETRY_NS, (long)left_ms);
    }
}

/* Keeps it until the process ends.  PostgreSQL has room for few callbacks: one serves all generators. */
static struct generator *keep(const struct generator *opened)
{
    static int registered = 0; /* the process that did; a child inherits none */
    struct generator *kept = MemoryContextAlloc(TopMemoryContext, sizeof *kept);

    *kept = *opened;
    if (registered != MyProcPid)
        on_proc_exit(close_all, 0);
    registered = MyProcPid;
    kept->next = generators;
    generators = kept;
    return kept;
}

/* Opens it, unless the data directory is a copy that may not have the number. */
static frazil_err open_if_owner(struct generator *g, const frazil_options *options, const frazil_pg_worker *worker,
                                frazil_error *err)
{
    if (worker->source != FRAZIL_PG_COORDINATOR)
        frazil_pg_check_owner(worker);
    return open_patiently(g, options, err);
}

static void check_kind(const struct generator *g)
{
    frazil_info info;

    frazil_get_info(g->gen, &info, sizeof info);
    if (info.layout->kind == FRAZIL_LAYOUT_64)
        return;
    frazil_close(g->gen);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the layout of generator \"%s\" is sno, and a sno is not a bigint", g->name),
                    errhint("Choose a layout of 64-bit ids in frazil.generators.")));
}

static struct generator *open_generator(const char *name, enum frazil_pg_role role)
{
    frazil_pg_worker worker = frazil_pg_worker_setting();
    struct generator opened = {.is_past = frazil_pg_is_past(name),
                               .is_leased = worker.source == FRAZIL_PG_COORDINATOR,
                               .is_prepared = role == FRAZIL_PG_POSTMASTER,
                               .opener = MyProcPid,
                               .timeline = worker.timeline};
    frazil_error err;

    if (strlen(name) >= NAMEDATALEN)
        ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("\"%s\" is too long for a generator's name", name)));
    strlcpy(opened.name, name, sizeof opened.name);
    frazil_options *options = frazil_pg_options(name, &worker, role);
    frazil_err code = FRAZIL_OK;
    PG_TRY();
    {
        code = open_if_owner(&opened, options, &worker, &err);
    }
    PG_FINALLY();
    {
        frazil_options_close(options);
    }
    PG_END_TRY();
    if (code == FRAZIL_EAGAIN && opened.is_leased)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the background worker of frazil holds no lease of a worker number"),
                        errhint("Its lines in the server's log say why. Run the statement again when it has one.")));
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    check_kind(&opened);
    return keep(&opened);
}

/* Takes it off the list, and closes it, so that the next statement opens it anew. */
static void forget(struct generator *g)
{
    struct generator **link = &generators;

    while (*link != g)
        link = &(*link)->next;
    *link = g->next;
    if (g->is_past)
        frazil_pg_leave_past(true);
    frazil_close(g->gen);
    pfree(g);
}

/* Whether the number that the postmaster found at its start is still the one to use. */
static bool is_of_now(const struct generator *g)
{
    return g->timeline == 0 || g->timeline == GetWALInsertionTimeLine();
}

static struct generator *use_first(struct generator *g, const char *name)
{
    frazil_pg_warn_of_copies();
    if (g != NULL && !is_of_now(g)) {
        forget(g);
        g = NULL;
    }
    if (g == NULL)
        return open_generator(name, FRAZIL_PG_MEMBER);
    g->is_prepared = false;
    return g;
}

static struct generator *generator_of(const char *name)
{
    struct generator *g = generators;

    check_recovery();
    while (g != NULL && strcmp(g->name, name) != 0)
        g = g->next;
    return g != NULL && !g->is_prepared ? g : use_first(g, name);
}

/* ---- the postmaster --------------------------------------------------------------- */

/* A failure is said, and met again by the first statement that wants an id. */
static void prepare(const char *name)
{
    frazil_error err;

    PG_TRY();
    {
        const struct generator *g = open_generator(name, FRAZIL_PG_POSTMASTER);
        if (g->is_past)
            frazil_pg_begin_past(g->gen);
    }
    PG_CATCH();
    {
        frazil_pg_catch(&err);
        ereport(LOG, (errmsg("frazil: generator \"%s\": %s", name, err.message)));
    }
    PG_END_TRY();
}

void frazil_pg_prepare(void)
{
    char name[NAMEDATALEN];

    /* A standby has the number of its primary, or one that comes with its promotion. */
    if (IsUnderPostmaster || frazil_pg_starts_as_standby())
        return;
    for (int i = 0; frazil_pg_generator_name(i, name); i++)
        prepare(name);
}

/*
 * Extends its grant, as long as somebody makes ids.  That of frazil_at must not end: whoever extends it later could not
 * tell whether the number was lost meanwhile.  A failure is told to callers, once the grant has ended.
 */
static void keep_prepared(struct generator *g, uint64 look)
{
    frazil_stat stats[FRAZIL_STATS_MOST] = {{.value = 0}};
    uint64_t next_ns;

    (void)frazil_get_stats(g->gen, stats, FRAZIL_STATS_MOST);
    if (stats[FRAZIL_STAT_ISSUED].value != g->issued)
        g->used_look = look;
    g->issued = stats[FRAZIL_STAT_ISSUED].value;
    if (g->is_past || look - g->used_look <= IDLE_LOOKS)
        (void)!frazil_keep(g->gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL);
}

bool frazil_pg_keep_prepared(void)
{
    static uint64 look = 0;

    look++;
    for (struct generator *g = generators; g != NULL; g = g->next)
        keep_prepared(g, look);
    return generators != NULL;
}

/* ---- taking ---------------------------------------------------------------------- */

static struct generator *open_anew(struct generator *g)
{
    char name[NAMEDATALEN];

    strlcpy(name, g->name, sizeof name);
    forget(g);
    return open_generator(name, FRAZIL_PG_MEMBER);
}

/* Whether it is worth while to wait: not for an id that comes too late, as the library's own calls do not either. */
static bool may_wait(frazil_err_class class, uint64 retry_ns, double left_ms)
{
    if (left_ms <= 0)
        return false;
    return class == FRAZIL_CLASS_FENCED || (class == FRAZIL_CLASS_RETRY && (double)retry_ns / 1e6 <= left_ms);
}

/* 1 to n ids, increasing.  Waits at most frazil.max_wait. */
static size_t take(struct generator *g, uint64 *ret_ids, size_t n)
{
    instr_time began;

    INSTR_TIME_SET_CURRENT(began);
    for (;;) {
        uint64_t retry_ns = 0;
        size_t taken;
        frazil_error err;
        frazil_err code = frazil_try_take(g->gen, (uint64_t *)ret_ids, n, &taken, &retry_ns, &err);
        if (code == FRAZIL_OK)
            return taken;
        double left_ms = left_of_wait(began);
        frazil_err_class class = frazil_err_classify(code);
        bool lost = class == FRAZIL_CLASS_FENCED;
        if (!may_wait(class, retry_ns, left_ms)) {
            if (lost)
                forget(g); /* its files may be gone, and the lease in others */
            frazil_pg_fail(code, &err);
        }
        /* The background worker may just be extending the lease; another number was taken over in other files. */
        if (lost && !g->is_leased)
            g = open_anew(g);
        wait_a_moment(lost ? RETRY_NS : retry_ns, (long)left_ms);
    }
}

/* An id as bigint has it. */
static int64 as_bigint(uint64 id)
{
    if (id > PG_INT64_MAX)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("the layout's ids have reached 2^63, where bigint ends"),
                        errhint("Move to a layout of 63 bits in frazil.generators.")));
    return (int64)id;
}

/* The generator of that name, to take ids of it, or an ERROR if they are for frazil_at. */
static struct generator *source_of(const char *name)
{
    struct generator *g = generator_of(name);

    if (g->is_past)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the generator \"%s\" makes ids only for past times", name),
                        errhint("Take them with frazil_at(TIME).")));
    return g;
}

frazil *frazil_pg_take(const char *name, uint64 *ret_id)
{
    (void)take(generator_of(name), ret_id, 1);
    return generator_of(name)->gen; /* another one, if it was opened anew */
}

static Datum next_of(const char *name)
{
    struct generator *g = source_of(name);
    uint64_t retry_ns;
    size_t taken;
    uint64_t id;

    if (likely(frazil_try_take(g->gen, &id, 1, &taken, &retry_ns, NULL) == FRAZIL_OK))
        return Int64GetDatum(as_bigint(id));
    (void)take(g, (uint64 *)&id, 1);
    return Int64GetDatum(as_bigint(id));
}

PG_FUNCTION_INFO_V1(frazil_pg_next);
Datum frazil_pg_next(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    return next_of("main");
}

PG_FUNCTION_INFO_V1(frazil_pg_next_of);
Datum frazil_pg_next_of(PG_FUNCTION_ARGS)
{
    return next_of(NameStr(*PG_GETARG_NAME(0)));
}

/* A block of ids, of which some are left between two rows. */
struct series {
    size_t taken;
    size_t used;
    uint64 block[BLOCK];
};

PG_FUNCTION_INFO_V1(frazil_pg_next_n);
Datum frazil_pg_next_n(PG_FUNCTION_ARGS)
{
    FuncCallContext *call;

    if (SRF_IS_FIRSTCALL()) {
        int32 n = PG_GETARG_INT32(0);
        if (n < 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%d ids cannot be made", n),
                            errhint("Ask for 0 or more.")));
        call = SRF_FIRSTCALL_INIT();
        call->max_calls = (uint64)n;
        call->user_fctx = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(struct series));
    }
    call = SRF_PERCALL_SETUP();
    struct series *series = call->user_fctx;
    if (call->call_cntr == call->max_calls)
        SRF_RETURN_DONE(call);
    if (series->used == series->taken) {
        uint64 left = call->max_calls - call->call_cntr;
        series->taken = take(source_of(NameStr(*PG_GETARG_NAME(1))), series->block, (size_t)Min(left, BLOCK));
        series->used = 0;
    }
    SRF_RETURN_NEXT(call, Int64GetDatum(as_bigint(series->block[series->used++])));
}

/*
 * How many rows frazil_next_n has for the planner: 1 if an argument is not known.  For such a function in FROM it may
 * plan to keep the rows, and to return them again for equal arguments (Memoize), even if the function is VOLATILE.  Ids
 * would repeat.  To keep one row does not pay without a filter on it; README.md has the rule for that.
 */
static double rows_of_call(PlannerInfo *root, const List *args)
{
    double rows = 1;
    ListCell *cell;

    foreach (cell, args) {
        Node *arg = estimate_expression_value(root, lfirst(cell));
        if (!IsA(arg, Const) || ((Const *)arg)->constisnull)
            return 1;
        if (cell == list_head(args))
            rows = Max(DatumGetInt32(((Const *)arg)->constvalue), 0);
    }
    return rows;
}

/* The planner's question. */
PG_FUNCTION_INFO_V1(frazil_pg_next_n_rows);
Datum frazil_pg_next_n_rows(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (IsA(request, SupportRequestRows) && is_funcclause(((SupportRequestRows *)request)->node)) {
        SupportRequestRows *rows = (SupportRequestRows *)request;
        rows->rows = rows_of_call(rows->root, ((FuncExpr *)rows->node)->args);
        PG_RETURN_POINTER(rows);
    }
    PG_RETURN_POINTER(NULL);
}

/* ---- looking and mending: not for everybody -------------------------------------- */

PG_FUNCTION_INFO_V1(frazil_pg_next_at);
Datum frazil_pg_next_at(PG_FUNCTION_ARGS)
{
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
    frazil *gen = source_of(NameStr(*PG_GETARG_NAME(1)))->gen;
    frazil_error err;
    uint64_t id;

    if (TIMESTAMP_NOT_FINITE(at))
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("an id has no infinite time")));
    int64 ms = at / 1000 - (at % 1000 < 0 ? 1 : 0);
    frazil_err code = frazil_next_at(gen, ms + POSTGRES_EPOCH_UNIX_MS, &id, &err);
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    PG_RETURN_INT64(as_bigint(id));
}

/* Begins a result of several rows.  PostgreSQL has this as a function from 15.1 on. */
static ReturnSetInfo *begin_rows(FunctionCallInfo fcinfo)
{
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;

    if (result == NULL || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("set-valued function called in context that cannot accept a set")));
    MemoryContext before = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
    if (get_call_result_type(fcinfo, NULL, &result->setDesc) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    result->returnMode = SFRM_Materialize;
    result->setResult = tuplestore_begin_heap(result->allowedModes & SFRM_Materialize_Random, false, work_mem);
    (void)MemoryContextSwitchTo(before);
    return result;
}

static void put_row(ReturnSetInfo *result, const char *name, const char *value)
{
    Datum values[2] = {CStringGetTextDatum(name), CStringGetTextDatum(value)};
    bool nulls[2] = {false, false};

    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

PG_FUNCTION_INFO_V1(frazil_pg_stats);
Datum frazil_pg_stats(PG_FUNCTION_ARGS)
{
    frazil *gen = generator_of(NameStr(*PG_GETARG_NAME(0)))->gen;
    ReturnSetInfo *result = begin_rows(fcinfo);
    frazil_stat stats[FRAZIL_STATS_MOST];
    size_t count = frazil_get_stats(gen, stats, FRAZIL_STATS_MOST);

    for (size_t i = 0; i < count; i++) {
        Datum values[2] = {CStringGetTextDatum(stats[i].name), Int64GetDatum((int64)stats[i].value)};
        bool nulls[2] = {false, false};
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(frazil_pg_info);
Datum frazil_pg_info(PG_FUNCTION_ARGS)
{
    const char *name = NameStr(*PG_GETARG_NAME(0));
    const struct generator *g = generator_of(name);
    ReturnSetInfo *result = begin_rows(fcinfo);
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    char text[FRAZIL_TIME_SIZE];
    frazil_info info;
    frazil_layout_info layout;
    frazil_health health;
    frazil_error failure;

    frazil_get_info(g->gen, &info, sizeof info);
    frazil_get_health(g->gen, &health, sizeof health, &failure);
    frazil_layout_get_info(info.layout, &layout, sizeof layout);
    put_row(result, "generator", name);
    put_row(result, "version", frazil_version());
    put_row(result, "layout", info.layout->name);
    if (frazil_layout_fingerprint(info.layout, fingerprint, sizeof fingerprint, NULL) == FRAZIL_OK)
        put_row(result, "fields", fingerprint);
    put_row(result, "worker", psprintf("%u", info.worker));
    put_row(result, "serving", health.state == FRAZIL_HEALTH_SERVING ? "yes" : "no");
    if (frazil_time_format(layout.last_unix_ms, text, sizeof text, NULL) == FRAZIL_OK)
        put_row(result, "last_time", text);
    if (g->is_leased && frazil_time_format(health.grant_end_unix_ms, text, sizeof text, NULL) == FRAZIL_OK)
        put_row(result, "lease_end", text);
    if (health.last_code != FRAZIL_OK)
        put_row(result, "failure", failure.message);
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(frazil_pg_adopt_here);
Datum frazil_pg_adopt_here(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    if (frazil_pg_worker_setting().source == FRAZIL_PG_COORDINATOR)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("frazil.worker is the URL of a coordinator, which assigns the numbers")));
    frazil_pg_worker worker = frazil_pg_any_number();
    frazil_pg_adopt(&worker);
    PG_RETURN_VOID();
}
