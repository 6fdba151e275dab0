/* SPDX-License-Identifier: MIT */
/*
 * frazil_at: ids for times that have passed, for everybody, no one twice.  They come from the generator "past", which
 * has its part of the sequence, or its layout, to itself: it issues no ids for the present.
 *
 * Ids of one tick differ by their sequence number, so someone has to count those of each tick.  Ticks share counters, a
 * tick the counter of its number modulo COUNTERS.  One begins again only when its last id was made more than
 * frazil.past_most ago: by then no tick of that time is asked for any more.  The counters live as long as the
 * postmaster, and so only times after its start are served: ids of before may have been made by another server, or
 * before a copy was put back.  Its start, and the present, are ids that the generator took itself.  While a server runs
 * these only grow, whatever the clocks do.
 *
 * The postmaster keeps the generator, and with it the part of the sequence.  On a standby the background worker does
 * so, as soon as it may make ids: from the promotion on, unless frazil.allow_in_recovery is on.  If another server of
 * the host has that part, backends open it themselves later, and another server may make ids whenever none of them has
 * it: so the first one that has it again begins with the present.  So does the first one after the number was lost and
 * found again, as after a cleaner has removed its claim: the generator counts the grants that do not continue the one
 * before.
 *
 * After a boot a clock may be behind, and the generator goes on below what it has left out before.  So a file says up
 * to which time ids may have been made, RECORD_AHEAD_MS ahead of the present, and a server starts above that.
 */
#include "frazil_pg.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

static const char PAST[] = "past";
static const char RECORD[] = "frazil.past_until"; /* the server runs in the data directory */
enum { RECORD_AHEAD_MS = 5000 };
enum { RETRY_LOOKS = 60 }; /* of the background worker, one a second */

/* A counter is the present of its last id, in Unix milliseconds, and how many ids it has counted. */
enum { COUNTERS = 65536, COUNT_BITS = 20 };
static const uint64 COUNT_MAX = (UINT64CONST(1) << COUNT_BITS) - 1;

static const uint64 LOST = PG_UINT64_MAX; /* no generator counts so far */

/* Made by the postmaster, and shared with all processes that it forks. */
static struct past {
    _Atomic uint64 first_ms; /* ids are made for later times, in Unix milliseconds; 0: no id was taken yet */
    _Atomic uint64 last_ms;  /* the latest present of a call of frazil_at */
    _Atomic uint64 until_ms; /* the file has this time; 0: this server has not written it */
    _Atomic uint32 holders;  /* how many processes have opened the generator and keep it */
    _Atomic uint64 moves;    /* grants that left out ticks, up to first_ms; LOST: more than that */
    _Atomic uint64 counters[COUNTERS];
} * past;

/* ---- the record -------------------------------------------------------------------- */

/* Up to which time ids may have been made before this server; 0: none were. */
static int64 read_record(void)
{
    char text[32] = "";
    char *end;
    FILE *file = AllocateFile(RECORD, "r");

    if (file == NULL && errno == ENOENT)
        return 0;
    if (file == NULL)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not open \"%s\": %m", RECORD)));
    (void)!fgets(text, sizeof text, file);
    FreeFile(file);
    int64 until_ms = strtoll(text, &end, 10);
    if (end == text || strcmp(end, "\n") != 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("\"%s\" is damaged", RECORD),
                        errhint("If the clock has not been set back since the last frazil_at, remove it from the data "
                                "directory.")));
    return until_ms;
}

static bool write_record(uint64 until_ms, int elevel)
{
    const char *temporary = psprintf("%s.new", RECORD); /* of the process that has the lock */
    FILE *file = AllocateFile(temporary, "w");
    bool is_written = file != NULL && fprintf(file, UINT64_FORMAT "\n", until_ms) > 0 && fflush(file) == 0 &&
                      pg_fsync(fileno(file)) == 0;

    if (!is_written)
        ereport(elevel, (errcode_for_file_access(), errmsg("could not write \"%s\": %m", temporary)));
    if (file != NULL)
        FreeFile(file);
    return is_written && durable_rename(temporary, RECORD, elevel) == 0;
}

/* Sees to it that the file covers the present. */
static void record(uint64 now_ms)
{
    uint64 last_ms = atomic_load(&past->last_ms);

    while (last_ms < now_ms && !atomic_compare_exchange_weak(&past->last_ms, &last_ms, now_ms)) {
    }
    if (now_ms <= atomic_load(&past->until_ms))
        return;
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    if (now_ms > atomic_load(&past->until_ms) && write_record(now_ms + RECORD_AHEAD_MS, ERROR))
        atomic_store(&past->until_ms, now_ms + RECORD_AHEAD_MS);
    LWLockRelease(AddinShmemInitLock);
}

/* The end of a server whose backends have all ended: the next one need not wait. */
static void record_end(int code, Datum arg)
{
    (void)arg;
    if (code == 0 && atomic_load(&past->until_ms) != 0)
        (void)write_record(atomic_load(&past->last_ms), LOG);
}

/* ---- who has the generator ----------------------------------------------------------- */

static int entered;        /* the process that this one has the generator from, perhaps the postmaster; 0: none */
static bool is_of_standby; /* the postmaster started as one, and has not opened it */
static shmem_startup_hook_type startup_before;

static uint64 moves_of(frazil *gen)
{
    frazil_stat stats[FRAZIL_STATS_MOST] = {{.value = 0}};

    (void)frazil_get_stats(gen, stats, FRAZIL_STATS_MOST);
    return stats[FRAZIL_STAT_MOVES].value;
}

/* Whenever this process has it, and now_ms is the present: nobody knows what was made while the server had it not. */
static void enter(frazil *gen, uint64 now_ms)
{
    uint64 first = atomic_load(&past->first_ms);
    uint64 moves = moves_of(gen);

    if ((entered == 0 && atomic_load(&past->holders) == 0) || atomic_load(&past->moves) != moves) {
        while (first != 0 && first < now_ms && !atomic_compare_exchange_weak(&past->first_ms, &first, now_ms)) {
        }
        atomic_store(&past->moves, moves);
    }
    if (entered != 0)
        return;
    atomic_fetch_add(&past->holders, 1);
    entered = MyProcPid;
}

void frazil_pg_leave_past(bool is_lost)
{
    if (entered == MyProcPid)
        atomic_fetch_sub(&past->holders, 1);
    /* The postmaster, from which others have it, counts as a holder although it has lost it as well. */
    if (entered != 0 && is_lost)
        atomic_store(&past->moves, LOST);
    entered = 0;
}

/* After a crash, in which backends have ended without a word. */
static void count_holders_anew(void)
{
    if (startup_before != NULL)
        startup_before();
    atomic_store(&past->holders, entered == MyProcPid ? 1 : 0);
}

/* ---- which generator ---------------------------------------------------------------- */

bool frazil_pg_is_past(const char *generator)
{
    return strcmp(generator, PAST) == 0;
}

void frazil_pg_make_past(void)
{
    char name[NAMEDATALEN];
    void *page = MAP_FAILED;

    if (IsUnderPostmaster)
        return; /* it would have counters of its own */
    for (int i = 0; page == MAP_FAILED && frazil_pg_generator_name(i, name); i++) {
        if (frazil_pg_is_past(name))
            page = mmap(NULL, sizeof *past, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    past = page == MAP_FAILED ? NULL : page;
    if (past == NULL)
        return;
    on_proc_exit(record_end, 0);
    is_of_standby = frazil_pg_starts_as_standby();
    startup_before = shmem_startup_hook;
    shmem_startup_hook = count_holders_anew;
}

static void check_possible(void)
{
    if (frazil_pg_worker_setting().source == FRAZIL_PG_COORDINATOR)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("frazil_at makes no ids with a leased worker number, which another server may have had "
                               "at that time"),
                        errhint("Set frazil.worker to fixed:N, env:NAME or ordinal, or take frazil_next().")));
    if (past == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                        errmsg("frazil_at needs a generator \"%s\" in frazil.generators", PAST),
                        errhint("Divide the sequence, such as 'main: layout=frazil seq_max=3071; past: layout=frazil "
                                "seq_min=3072', and restart the server.")));
}

static const char *text_of(int64 unix_ms)
{
    static char text[FRAZIL_TIME_SIZE];

    return frazil_time_format(unix_ms, text, sizeof text, NULL) == FRAZIL_OK ? text : "?";
}

/* ---- times ------------------------------------------------------------------------- */

/* Later than all that was made before this server, and if nothing is wrong its start.  now_ms: the present. */
static int64 first_ms(int64 now_ms)
{
    uint64 first = atomic_load(&past->first_ms);

    if (first != 0)
        return (int64)first;
    int64 recorded_ms = read_record();
    uint64 start = (uint64)Max(now_ms, recorded_ms);
    return atomic_compare_exchange_strong(&past->first_ms, &first, start) ? (int64)start : (int64)first;
}

static void refuse_as_old(int64 unix_ms)
{
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("%s lies longer ago than frazil.past_most allows, which is %d s", text_of(unix_ms),
                           frazil_pg_settings.past_most_s),
                    errhint("Take frazil_at(greatest(TIME, frazil_at_first())).")));
}

/* Now, by the clock: the present of a generator may lead it, as with on_full=lead, or after it was set back. */
static int64 clock_ms(void)
{
    return GetCurrentTimestamp() / 1000 + POSTGRES_EPOCH_UNIX_MS;
}

static void check_time(int64 unix_ms, int64 start_ms, int64 now_ms)
{
    int64 most_ms = (int64)frazil_pg_settings.past_most_s * 1000;

    if (start_ms > now_ms)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("frazil_at makes no ids before %s", text_of(start_ms)),
                 errdetail("A server has made ids for times up to then, and the clock has been set back since, or "
                           "that server was killed less than %d s ago.",
                           RECORD_AHEAD_MS / 1000),
                 errhint("Wait until then, or take frazil_next().")));
    if (unix_ms > Min(now_ms, clock_ms()))
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                        errmsg("%s has not come yet, and frazil_at is for times that have", text_of(unix_ms)),
                        errhint("Take frazil_next(), or frazil_at(least(TIME, clock_timestamp())).")));
    if (unix_ms <= start_ms)
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                        errmsg("%s lies before this server began to make ids for past times", text_of(unix_ms)),
                        errdetail("It makes ids for times after %s. Not all earlier ids are known.", text_of(start_ms)),
                        errhint("Take frazil_at(greatest(TIME, frazil_at_first())).")));
    if (unix_ms < now_ms - most_ms)
        refuse_as_old(unix_ms);
}

/*
 * The next number of that tick, which begins at unix_ms, below `most`.  Between the look at the present, now_ms, and
 * this, the caller may have been stopped, or have waited for the disk, while another call has begun the counter again.
 */
static uint32 count(uint64 tick, int64 unix_ms, uint64 now_ms, uint64 most)
{
    _Atomic uint64 *counter = &past->counters[tick % COUNTERS];
    uint64 most_ms = (uint64)frazil_pg_settings.past_most_s * 1000;
    uint64 old = atomic_load(counter);
    uint64 number;
    uint64 last;

    do {
        last = old >> COUNT_BITS;
        if ((uint64)unix_ms + most_ms < last)
            refuse_as_old(unix_ms);
        number = now_ms > last + most_ms ? 0 : old & COUNT_MAX;
        if (number >= Min(most, COUNT_MAX))
            ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                            errmsg("frazil_at has made all " UINT64_FORMAT " ids of this time", number),
                            errhint("Take a time next to it. Each time has as many again after frazil.past_most.")));
    } while (!atomic_compare_exchange_weak(counter, &old, Max(last, now_ms) << COUNT_BITS | (number + 1)));
    return (uint32)number;
}

/* An id that nobody gets: its time is the present, and later than that of any id before it. */
static frazil_fields fields_of(frazil *gen, uint64 id, frazil_info *ret_info)
{
    frazil_fields fields;
    frazil_error err;

    frazil_get_info(gen, ret_info, sizeof *ret_info);
    frazil_err code = frazil_id_decompose(ret_info->layout, id, &fields, &err);
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    return fields;
}

static frazil_fields take_present(frazil_info *ret_info)
{
    uint64 id;

    check_possible();
    frazil *gen = frazil_pg_take(PAST, &id);
    frazil_fields present = fields_of(gen, id, ret_info);
    enter(gen, (uint64)present.unix_ms);
    return present;
}

void frazil_pg_begin_past(frazil *gen)
{
    uint64_t retry_ns;
    frazil_info info;
    size_t taken;
    uint64_t id;

    if (past == NULL)
        return;
    enter(gen, 0); /* nobody has made any yet */
    if (frazil_try_take(gen, &id, 1, &taken, &retry_ns, NULL) == FRAZIL_OK)
        (void)first_ms(fields_of(gen, id, &info).unix_ms);
}

/* An ERROR ends no transaction here, which would release the lock and the files that it leaves. */
static void try_to_hold(void)
{
    static frazil_error failure; /* as it was last logged */
    MemoryContext before = CurrentMemoryContext;
    MemoryContext own = AllocSetContextCreate(before, "frazil past", ALLOCSET_SMALL_SIZES);
    frazil_info info;
    frazil_error err = {.message = ""};

    (void)MemoryContextSwitchTo(own);
    PG_TRY();
    {
        (void)first_ms(take_present(&info).unix_ms);
    }
    PG_CATCH();
    {
        frazil_pg_catch(&err);
        LWLockReleaseAll();
        AtEOXact_Files(false);
        if (strcmp(failure.message, err.message) != 0)
            ereport(LOG, (errmsg("frazil: generator \"%s\": %s", PAST, err.message)));
        failure = err;
    }
    PG_END_TRY();
    (void)MemoryContextSwitchTo(before);
    MemoryContextDelete(own);
}

bool frazil_pg_hold_past(void)
{
    static unsigned looks = 0;

    if (past == NULL || !is_of_standby)
        return false;
    if (entered == 0 && looks++ % RETRY_LOOKS == 0)
        try_to_hold();
    return true;
}

/* The begin of the tick of that time. */
static int64 tick_of(TimestampTz at, const frazil_layout *layout)
{
    if (TIMESTAMP_NOT_FINITE(at))
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("an id has no infinite time")));
    int64 ms = at / 1000 - (at % 1000 < 0 ? 1 : 0) + POSTGRES_EPOCH_UNIX_MS;
    return ms - (ms - layout->epoch_unix_ms) % layout->tick_ms;
}

PG_FUNCTION_INFO_V1(frazil_pg_at);
Datum frazil_pg_at(PG_FUNCTION_ARGS)
{
    frazil_info info;
    frazil_fields fields = take_present(&info);
    const frazil_layout *layout = info.layout;
    int64 unix_ms = tick_of(PG_GETARG_TIMESTAMPTZ(0), layout);
    int64 start_ms = first_ms(fields.unix_ms);
    frazil_error err;
    uint64_t id;

    check_time(unix_ms, start_ms, fields.unix_ms);
    record((uint64)fields.unix_ms);
    uint64 tick = (uint64)(unix_ms - layout->epoch_unix_ms) / layout->tick_ms;
    uint64 numbers = (uint64)info.sequence_max - info.sequence_min + 1;
    fields.sequence = info.sequence_min + count(tick, unix_ms, (uint64)fields.unix_ms, numbers);
    fields.unix_ms = unix_ms;
    frazil_err code = frazil_id_compose(layout, &fields, &id, &err);
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    PG_RETURN_INT64((int64)id); /* which is smaller than that of the present */
}

PG_FUNCTION_INFO_V1(frazil_pg_at_first);
Datum frazil_pg_at_first(PG_FUNCTION_ARGS)
{
    frazil_info info;
    frazil_fields present = take_present(&info);
    int64 now_ms = present.unix_ms;
    int64 start_ms = first_ms(now_ms) + (int64)info.layout->tick_ms;
    /* A second is for the call of frazil_at that follows. */
    int64 oldest_ms = now_ms - ((int64)frazil_pg_settings.past_most_s - 1) * 1000;

    (void)fcinfo;
    PG_RETURN_TIMESTAMPTZ((Max(start_ms, oldest_ms) - POSTGRES_EPOCH_UNIX_MS) * 1000);
}
