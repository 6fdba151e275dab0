/* SPDX-License-Identifier: MIT */
/*
 * The background worker that does what no backend should wait for.  For frazil.worker = URL it holds the leases of
 * worker numbers, and it alone loads the client of the coordinator: a thread of the library in it extends the leases,
 * and backends find them in the run directory.  Otherwise it extends the grants of the generators that the postmaster
 * has opened, so that no statement writes to a disk for an id.
 */
#include "frazil_pg.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"

/* Between two looks, and for how long a lease may be given back at the end. */
enum { LOOK_MS = 1000 };
static const uint64_t CLOSE_NS = 1000000000;

/* The lease of a generator. */
struct lease {
    char generator[NAMEDATALEN];
    frazil *gen;       /* NULL: there is none yet */
    uint32_t worker;   /* as it was last logged */
    char failure[256]; /* likewise; empty: it did not fail */
};

static struct lease *leases; /* of all generators */
static int leases_n;

/*
 * Settings that are wrong for this lease come as an ERROR, which would end the process and with it all other leases:
 * here it is one more failure.
 */
static frazil_err open_as(const struct lease *lease, enum frazil_pg_role role, frazil **ret, frazil_error *err)
{
    volatile frazil_err code = FRAZIL_EINVAL;

    PG_TRY();
    {
        frazil_pg_worker worker = frazil_pg_worker_setting();
        frazil_options *options = frazil_pg_options(lease->generator, &worker, role);
        code = frazil_open_with(ret, options, err);
        frazil_options_close(options);
    }
    PG_CATCH();
    {
        frazil_pg_catch(err);
    }
    PG_END_TRY();
    return code;
}

/* Says a failure once, however often it comes. */
static void say_failure(struct lease *lease, const char *message)
{
    if (strncmp(lease->failure, message, sizeof lease->failure - 1) == 0)
        return;
    strlcpy(lease->failure, message, sizeof lease->failure);
    ereport(LOG, (errmsg("frazil: generator \"%s\": %s", lease->generator, message)));
}

static void say_worker(struct lease *lease)
{
    frazil_health health;
    frazil_error why;

    frazil_get_health(lease->gen, &health, sizeof health, &why);
    if (health.last_code != FRAZIL_OK) {
        say_failure(lease, why.message);
        return;
    }
    if (lease->failure[0] == '\0' && lease->worker == health.worker)
        return;
    lease->failure[0] = '\0';
    lease->worker = health.worker;
    ereport(LOG, (errmsg("frazil: generator \"%s\" has the worker number %u", lease->generator, health.worker)));
}

/* Whether a backend that comes now finds the lease: not so if somebody has wiped the run directory. */
static bool is_found(const struct lease *lease)
{
    frazil_error err;
    frazil *member;
    frazil_err code = open_as(lease, FRAZIL_PG_MEMBER, &member, &err);

    if (code == FRAZIL_OK)
        frazil_close(member);
    return code != FRAZIL_EAGAIN;
}

/* Backends that are still there go on with the lease; if there are none, it is given back. */
static void close_lease(struct lease *lease)
{
    if (lease->gen != NULL && frazil_close_within(lease->gen, CLOSE_NS) != FRAZIL_OK)
        ereport(LOG, (errmsg("frazil: generator \"%s\": the lease ends by itself", lease->generator)));
    lease->gen = NULL;
}

static void look_after(struct lease *lease)
{
    frazil_health health;
    frazil_error err;

    if (lease->gen != NULL) {
        frazil_get_health(lease->gen, &health, sizeof health, NULL);
        if (health.state == FRAZIL_HEALTH_SERVING && !is_found(lease)) {
            say_failure(lease, "the lease is no longer in frazil.run_dir, so another one is taken");
            close_lease(lease);
        }
    }
    if (lease->gen == NULL && open_as(lease, FRAZIL_PG_KEEPER, &lease->gen, &err) != FRAZIL_OK) {
        lease->gen = NULL;
        say_failure(lease, err.message);
        return;
    }
    say_worker(lease);
}

static void close_leases(int code, Datum arg)
{
    (void)code;
    (void)arg;
    for (int i = 0; i < leases_n; i++)
        close_lease(&leases[i]);
}

static void make_leases(void)
{
    char name[NAMEDATALEN];
    int n = 0;

    while (frazil_pg_generator_name(n, name))
        n++;
    leases = MemoryContextAllocZero(TopMemoryContext, (Size)n * sizeof leases[0]);
    for (; leases_n < n; leases_n++) {
        (void)frazil_pg_generator_name(leases_n, leases[leases_n].generator);
        leases[leases_n].worker = UINT32_MAX; /* none has it, so that the first one is logged */
    }
}

static void look_after_leases(void)
{
    for (int i = 0; i < leases_n; i++)
        look_after(&leases[i]);
}

/* false: there is nothing to keep. */
static bool keep_without_leases(void)
{
    bool holds_past = frazil_pg_hold_past();

    return frazil_pg_keep_prepared() || holds_past;
}

void frazil_pg_keeper_main(Datum arg)
{
    bool has_leases = frazil_pg_is_url(frazil_pg_settings.worker);

    (void)arg;
    pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
    BackgroundWorkerUnblockSignals();
    BackgroundWorkerInitializeConnection(NULL, NULL, 0); /* to no database, but so that pg_stat_activity shows it */
    if (has_leases) {
        frazil_pg_warn_of_copies();
        make_leases();
        on_proc_exit(close_leases, 0);
    }
    while (!ShutdownRequestPending) {
        if (has_leases)
            look_after_leases();
        else if (!keep_without_leases())
            proc_exit(0); /* the postmaster starts it no more */
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, LOOK_MS, PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS(); /* others wait for all connections, as to drop a database */
    }
    proc_exit(
        1); /* 0 would tell the postmaster never to start it again, also if somebody has terminated only this one */
}

void frazil_pg_register_keeper(void)
{
    BackgroundWorker worker = {
        .bgw_name = "frazil keeper",
        .bgw_type = "frazil keeper",
        .bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
        /* A standby needs no worker number before it is promoted. */
        .bgw_start_time =
            frazil_pg_settings.allow_in_recovery ? BgWorkerStart_ConsistentState : BgWorkerStart_RecoveryFinished,
        .bgw_restart_time = 5,
        .bgw_library_name = "frazil",
        .bgw_function_name = "frazil_pg_keeper_main",
    };

    RegisterBackgroundWorker(&worker);
}
