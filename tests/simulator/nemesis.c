/* SPDX-License-Identifier: MIT */
#include "nemesis.h"

#include <stdio.h>
#include <string.h>

#include "coordinator.h"
#include "faults.h"
#include "host.h"
#include "members.h"
#include "oracle.h"
#include "plan.h"
#include "process.h"
#include "program.h"
#include "shared_memory.h"
#include "story.h"
#include "users.h"
#include "world.h"

/* ---- choosing ------------------------------------------------------------------- */

static struct host *any_host(void)
{
    struct host *chosen = NULL;
    unsigned n = 0;

    for (unsigned i = 0; i < hosts_max; i++) {
        if (hosts[i].exists && hosts[i].is_up && !hosts[i].is_suspended && &hosts[i] != faults_operator_host() &&
            once_in(++n))
            chosen = &hosts[i];
    }
    return chosen;
}

static struct process *any_process(void)
{
    struct process *chosen = NULL;
    unsigned n = 0;

    for (struct process *p = process_first(); p != NULL; p = p->next) {
        if (p->live && p->host != faults_operator_host() && once_in(++n))
            chosen = p;
    }
    return chosen;
}

/* An offset within what the clocks of those who share a namespace may differ by, to both sides. */
int64_t nemesis_small_offset_ns(void)
{
    int64_t half_ns = (int64_t)(plan.max_skew_ns / 2);

    if (plan.tight || once_in(2))
        return once_in(2) ? half_ns : -half_ns;
    return (int64_t)pick(plan.max_skew_ns + 1) - half_ns;
}

static int64_t any_offset_ns(void)
{
    if (plan.wild_ns == 0)
        return nemesis_small_offset_ns();
    if (plan.leased && once_in(2)) /* as far ahead of the coordinator as is tolerated */
        return coordinator_clock_ns() + (int64_t)plan.max_skew_ns;
    int64_t offset_ns = (int64_t)of_any_size(MS, plan.wild_ns);
    return once_in(2) ? offset_ns : -offset_ns;
}

/* ---- processes ------------------------------------------------------------------------ */

void nemesis_kill(void *arg)
{
    struct process *process = arg;

    tell(STRUCK_KILLED, process->pid, 0, 0);
    process_kill(process);
}

void nemesis_stop(struct process *process, uint64_t ns)
{
    tell(ns > plan.horizon_ns ? STRUCK_PAUSED_LONG : STRUCK_PAUSED, process->pid, ns / US, 0);
    process_stop(process, ns);
}

/* F9: up to what its processes were granted by then, which may be more than they have put in force. */
static void note_clones(const struct host *from)
{
    for (uint32_t worker = 0; worker < WORKERS_MAX; worker++) {
        oracle_cloned(from->family, worker, from->granted[worker]);
    }
}

void nemesis_clone_host(void *arg)
{
    struct host *from = arg;
    struct host *to = host_copy(from, of_any_size(MS, 2 * plan.horizon_ns));

    if (to == NULL)
        return;
    note_clones(from);
    members_copied(from, to);
    tell(STRUCK_CLONED, from->number, to->number, 0);
}

/* ---- hosts -------------------------------------------------------------------------------- */

/*
 * In a tight world some are as far ahead as is tolerated while the coordinator's clock is
 * ahead, the others as far behind while it is behind: who has extended last before a loss,
 * and who takes over after it.
 */
static int64_t tight_offset_ns(const struct host *host)
{
    int64_t far_ns = (int64_t)(plan.max_skew_ns / 2 * 3);

    return host->number % 2 == 0 ? far_ns : -far_ns;
}

void nemesis_boot(void *arg, uint64_t wrong)
{
    struct host *host = arg;
    int64_t offset_ns = wrong ? any_offset_ns() : nemesis_small_offset_ns();

    if (plan.tight && !faults_are_over())
        offset_ns = tight_offset_ns(host);
    if (host->is_up)
        return;
    host->is_up = true;
    if (host->is_forgetful)
        return;
    if (wrong && plan.wild_ns > 0)
        tell(STRUCK_BOOTED_WRONG, host->number, (uint64_t)(offset_ns / (int64_t)MS), 0);
    host_set_clock(host, offset_ns, 0);
    tell(TOLD_BOOTS, host->number, (uint64_t)(offset_ns / (int64_t)MS), 0);
}

/*
 * Only the words in the run directory still know what a lost state file said.  They must
 * not be lost, too, until one of their owners has written it again.
 */
static bool forgets_nothing(const struct host *host)
{
    for (unsigned i = 0; i < DISK_FILES_MAX; i++) {
        if (host->disk.files[i].was_lost)
            return false;
    }
    return true;
}

void nemesis_lose_power(void *arg)
{
    struct host *host = arg;

    if (!forgets_nothing(host))
        return;
    if (plan.of_users)
        users_forget(host);
    host_lose_power(host);
    bool wrong = once_in(2);
    world_at(world_now() + of_any_size(SECOND, MINUTE), nemesis_boot, host, wrong);
}

static void wipe_run_directory(struct host *host)
{
    bool struck = false;

    for (unsigned i = 0; i < RUN_FILES_MAX; i++) {
        if (host->run[i].exists && host->run[i].page != NULL) {
            host_remove_run_file(&host->run[i]);
            struck = true;
        }
    }
    if (struck)
        tell(STRUCK_RUN_WIPED, host->number, 0, 0);
}

/*
 * Whether the state file may be lost: while a process that knows better is there,
 * and no ticks were granted ahead of the clock, where it would come again.
 */
static bool may_forget(const struct host *host)
{
    for (const struct process *p = process_first(); p != NULL; p = p->next) {
        if (p->host == host && p->is_service)
            return host_clock_is_ahead(host);
    }
    return false;
}

/* Whether a process is about to write the file: it would write into one that has no name any more. */
static bool is_guarded(struct host *host, const struct disk_file *file)
{
    char path[sizeof file->path + sizeof ".lock"];
    const char *shards = strstr(file->path, ".shards/");
    int len = (int)(shards == NULL ? strlen(file->path) : (size_t)(shards - file->path));

    snprintf(path, sizeof path, "%.*s.lock", len, file->path);
    const struct run_file *guard = host_run_file(host, path);
    return guard != NULL && guard->locked_by != 0 && file_is_open(host, guard->locked_by);
}

static void spoil_file(struct host *host)
{
    struct disk *disk = &host->disk;
    struct disk_file *file = &disk->files[plan.divides ? pick(DISK_FILES_OF_ONE) : 0];

    if (!file->exists || file->is_bad || file->was_lost || is_guarded(host, file))
        return;
    /* Only its file knows the grant of a shard that nobody has. */
    switch (pick(plan.wipes_run || plan.divides ? 2 : 5)) {
    case 0:
        disk_damage(disk, file);
        tell(STRUCK_FILE_DAMAGED, file->worker, 0, 0);
        break;
    case 1:
        disk_replace_by_foreign(disk, file);
        tell(STRUCK_FILE_FOREIGN, file->worker, 0, 0);
        break;
    case 2:
        if (!may_forget(host))
            break;
        host->is_forgetful = true;
        disk_remove(file);
        tell(STRUCK_FILE_REMOVED, file->worker, 0, 0);
        break;
    default:
        if (!file->has_copy || once_in(3) || !may_forget(host)) {
            disk_put_away(file);
            break;
        }
        host->is_forgetful = true;
        disk_put_back(disk, file);
        tell(STRUCK_STALE_COPY, file->worker, 0, 0);
        break;
    }
}

void nemesis_repair(void *arg, uint64_t unused)
{
    struct host *host = arg;

    (void)unused;
    host->disk.trouble = DISK_WELL;
    host->disk.fails_next_sync = false;
    for (unsigned i = 0; i < DISK_FILES_MAX; i++) {
        if (host->disk.files[i].is_bad && is_guarded(host, &host->disk.files[i]))
            world_at(world_now() + SECOND, nemesis_repair, host, 0);
        else if (host->disk.files[i].is_bad)
            disk_repair(&host->disk, &host->disk.files[i]);
    }
}

static void trouble_disk(struct host *host)
{
    switch (pick(4)) {
    case 0:
        host->disk.trouble = DISK_IS_FULL;
        tell(STRUCK_DISK_FULL, host->number, 0, 0);
        break;
    case 1:
        host->disk.trouble = DISK_IS_READ_ONLY;
        tell(STRUCK_DISK_READ_ONLY, host->number, 0, 0);
        break;
    case 2:
        host->disk.fails_next_sync = true;
        break;
    default:
        host->disk.sync_ns = of_any_size(20 * US, 4 * SECOND);
        tell(STRUCK_DISK_SLOW, host->number, host->disk.sync_ns / MS, 0);
        break;
    }
}

static void change_clock(struct host *host)
{
    int64_t offset_ns = host_clock_offset_ns(host);
    int64_t wanted_ns = plan.tight && once_in(2) ? tight_offset_ns(host) : any_offset_ns();
    uint64_t what = pick(5);

    if (host->is_forgetful)
        return;
    if (what == 0 && plan.wild_ns > 0) {
        tell(STRUCK_CLOCK_STOPS, host->number, 0, 0);
        host_set_clock(host, offset_ns, -1000000);
    } else if (what == 1 && plan.wild_ns > 0) {
        int64_t ppm = once_in(2) ? (int64_t)pick(1000) - 500 : (int64_t)pick(400000) - 200000;
        tell(STRUCK_CLOCK_DRIFTS, host->number, (uint64_t)ppm, 0);
        host_set_clock(host, offset_ns, ppm);
    } else {
        tell(wanted_ns > offset_ns ? STRUCK_CLOCK_AHEAD : STRUCK_CLOCK_BACK, host->number,
             (uint64_t)(wanted_ns > offset_ns ? wanted_ns - offset_ns : offset_ns - wanted_ns) / MS, 0);
        host_set_clock(host, wanted_ns, 0);
    }
}

/* ---- the network and the coordinator ----------------------------------------------------------- */

static void mend(void *arg, uint64_t unused)
{
    struct host *host = arg;

    (void)unused;
    host->cut = CUT_NOT;
}

static void cut(struct host *host)
{
    static const enum event events[] = {STRUCK_CUT_OFF, STRUCK_CUT_TO, STRUCK_CUT_FROM};
    uint64_t how = pick(3);

    host->cut = (enum cut)(CUT_BOTH + how);
    tell(events[how], host->number, 0, 0);
    world_at(world_now() + of_any_size(MS, 3 * plan.horizon_ns), mend, host, 0);
}

/*
 * L9's honest bound: a copied host does not stay apart from its twin where the twin's
 * own extension is lost.  Each may issue the ticks that the other was granted up to then,
 * even if the answer comes later.
 */
static void note_lost_extensions(void)
{
    for (unsigned i = 0; i < hosts_max; i++) {
        for (uint32_t worker = 0; hosts[i].exists && worker < WORKERS_MAX; worker++) {
            oracle_cloned(hosts[i].family, worker, hosts[i].granted[worker]);
            oracle_cloned(hosts[i].family, worker, hosts[i].carried_out[worker]);
        }
    }
}

/* Everybody has something to do, and so notices at once. */
static void fall_back(void)
{
    if (!coordinator_roll_back())
        return;
    note_lost_extensions();
    coordinator_set_clock(plan.tight ? -coordinator_clock_ns() : nemesis_small_offset_ns());
    wake_all(&plan);
}

static void wipe(void)
{
    coordinator_wipe();
    wake_all(&plan);
}

void nemesis_after_swap_of(struct process *sender, bool gives_back)
{
    if (!faults_are_over() && sender->live && sender->host != faults_operator_host() && once_in(gives_back ? 2 : 50))
        nemesis_kill(sender);
}

void nemesis_after_swap(bool of_namespace)
{
    if (faults_are_over() || !plan.lossy || of_namespace)
        return;
    if (plan.has_clock && once_in(plan.tight ? 15 : 50))
        coordinator_put_away();
    else if (plan.has_clock && once_in(plan.tight ? 25 : 400))
        fall_back();
    else if (once_in(1000))
        wipe();
}

static void trouble_coordinator(void)
{
    uint64_t what = pick(!plan.lossy ? 2 : plan.has_clock ? 5 : 3);

    switch (what) {
    case 0:
        coordinator_crash(of_any_size(MS, 2 * plan.horizon_ns));
        coordinator_set_clock(nemesis_small_offset_ns());
        break;
    case 1:
        if (plan.lossy || !plan.has_clock)
            break;
        int64_t offset_ns = once_in(2) ? any_offset_ns() : nemesis_small_offset_ns();
        tell(STRUCK_WRONG_CLOCK, (uint64_t)(offset_ns / (int64_t)MS), 0, 0);
        coordinator_set_clock(offset_ns);
        break;
    case 2:
        wipe();
        break;
    case 3:
        coordinator_put_away();
        break;
    default:
        fall_back();
        break;
    }
}

/* All processes of a host leave their lease, and the first that comes back may find what the last one left. */
static void send_away(struct host *host)
{
    uint64_t away_ns = between(plan.horizon_ns / 16, plan.horizon_ns / 2);

    tell(STRUCK_SENT_AWAY, host->number, away_ns / MS, 0);
    host->away_until = world_now() + away_ns;
    wake_all(&plan);
}

/* ---- events by themselves ------------------------------------------------------------------------ */

static void trouble_process(void)
{
    struct process *process = any_process();

    if (process == NULL)
        return;
    if (once_in(2))
        nemesis_kill(process);
    else
        nemesis_stop(process, of_any_size(MS, 4 * plan.horizon_ns));
}

static void trouble_place(struct host *host)
{
    /* Where somebody takes over from another user, clocks are what matters. */
    switch (plan.of_users && once_in(2) ? 0 : pick(plan.leased ? 2 : 5)) {
    case 0:
        change_clock(host);
        break;
    case 1:
        nemesis_lose_power(host);
        break;
    case 2:
        trouble_disk(host);
        world_at(world_now() + of_any_size(MS, MINUTE), nemesis_repair, host, 0);
        break;
    case 3:
        if (plan.of_users) {
            users_remove_claims(host, 60); /* looks for a moment for a minute */
            break;
        }
        spoil_file(host);
        world_at(world_now() + of_any_size(MS, MINUTE), nemesis_repair, host, 0);
        break;
    default:
        if (plan.wipes_run)
            wipe_run_directory(host);
        break;
    }
}

void nemesis_happen(void *arg, uint64_t unused)
{
    struct host *host = any_host();

    (void)arg;
    (void)unused;
    if (faults_are_over())
        return;
    if (plan.of_members && host != NULL && once_in(3))
        send_away(host);
    else if (once_in(4))
        trouble_process();
    else if (plan.leased && once_in(3))
        trouble_coordinator();
    else if (host == NULL)
        return;
    else if (plan.leased && once_in(3))
        cut(host);
    else if (plan.leased && once_in(6))
        nemesis_clone_host(host);
    else if ((plan.leased || plan.wipes_run) && !plan.of_users && once_in(8))
        program_start_stranger(host);
    else if (plan.of_members && plan.wipes_run && once_in(4))
        wipe_run_directory(host);
    else
        trouble_place(host);
}
