/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "process.h"
#include "shared_memory.h"
#include "story.h"
#include "world.h"

struct host *hosts;
unsigned hosts_max;

static int64_t highest_ns;

/* A host is large, and uses little of that: memory that is zero already costs nothing until it is used. */
void hosts_begin(unsigned most)
{
    free(hosts);
    hosts = calloc(most, sizeof *hosts);
    if (hosts == NULL)
        abort();
    hosts_max = most;
    highest_ns = 0;
}

struct host *host_add(void)
{
    for (unsigned i = 0; i < hosts_max; i++) {
        struct host *host = &hosts[i];
        if (host->exists)
            continue;
        host->exists = true;
        host->number = host->family = i;
        host->last_pid = 100 * (i + 1);
        host->device = i + 1;
        host->monotonic_offset_ns = (int64_t)between(1, 1000 * SECOND);
        host->counter_offset = any_number();
        host->counts_per_us = between(10, 4000);
        host->has_counter = pick(4) != 0;
        host->least_ns = INT64_MIN;
        host->clock.changes[0] = (struct clock_change){.ppm = 0};
        host->clock.count = 1;
        host->disk.sync_ns = of_any_size(20 * US, 20 * MS);
        return host;
    }
    return NULL;
}

unsigned host_number(const struct host *host)
{
    return host->number;
}

unsigned host_new_pid(struct host *host)
{
    return ++host->last_pid;
}

void host_let_go(struct host *host, uint32_t workers)
{
    for (unsigned worker = 0; workers >> worker != 0 && worker < WORKERS_MAX; worker++) {
        if ((workers >> worker & 1) != 0)
            host->let_go_ns[worker] = world_now();
    }
}

void host_lose_power(struct host *host)
{
    tell(STRUCK_POWER_LOST, host->number, 0, 0);
    for (struct process *p = host->processes; p != NULL; p = p->next_of_host)
        process_kill(p);
    for (unsigned i = 0; i < RUN_FILES_MAX; i++) {
        if (host->run[i].exists)
            host_remove_run_file(&host->run[i]);
    }
    claims_lose_power(host);
    disk_lose_power(&host->disk);
    host->is_up = false;
}

static void resume_clock(void *arg, uint64_t offset_ns)
{
    struct host *host = arg;

    int64_t now_ns = faults_are_over() ? 0 : (int64_t)offset_ns;
    host->is_suspended = false;
    host_set_clock(host, now_ns, 0);
    tell(TOLD_RESUMES, host->number, (uint64_t)(now_ns / (int64_t)MS), 0);
}

struct host *host_copy(struct host *from, uint64_t delay_ns)
{
    struct host *to = host_add();

    if (to == NULL)
        return NULL;
    unsigned number = to->number;
    *to = *from;
    to->number = number;
    to->processes = NULL;
    to->last_arrival_ns = 0;
    to->is_suspended = true;
    /* It is not there meanwhile: its clock is set when it is resumed, the other two do not notice. */
    world_at(world_now() + delay_ns, resume_clock, to, (uint64_t)host_clock_offset_ns(from));
    host_set_clock(to, host_clock_offset_ns(from), -1000000);
    to->clock.changes[(to->clock.count - 1) % CLOCK_CHANGES_MAX].suspended = true;
    to->monotonic_offset_ns = from->monotonic_offset_ns - (int64_t)delay_ns;
    to->counter_offset = from->counter_offset - delay_ns / 1000 * from->counts_per_us;
    process_copy_all(from, to, delay_ns);
    for (unsigned i = 0; i < RUN_FILES_MAX; i++) {
        if (to->run[i].page != NULL) {
            to->run[i].page = page_copy(to->run[i].page); /* also one that nobody has mapped now */
        }
    }
    return to;
}

/* ---- clocks ------------------------------------------------------------------- */

static const struct clock_change *change(const struct host *host, unsigned nth)
{
    return &host->clock.changes[nth % CLOCK_CHANGES_MAX];
}

static int64_t shown_at(const struct clock_change *since, uint64_t when_ns)
{
    int64_t passed = (int64_t)(when_ns - since->from_ns);

    return since->shown_ns + passed + passed / 1000000 * since->ppm + passed % 1000000 * since->ppm / 1000000;
}

static void note_highest(int64_t shown_ns)
{
    if (shown_ns > highest_ns)
        highest_ns = shown_ns;
}

int64_t host_clock_ns(const struct host *host)
{
    return shown_at(change(host, host->clock.count - 1), world_now());
}

int64_t host_clock_offset_ns(const struct host *host)
{
    return host_clock_ns(host) - (int64_t)world_now();
}

void host_set_clock(struct host *host, int64_t offset_ns, int64_t ppm)
{
    int64_t before_ns = host_clock_ns(host);

    if ((int64_t)world_now() + offset_ns < host->least_ns)
        offset_ns = host->least_ns - (int64_t)world_now();
    note_highest(before_ns);
    host->highest_ns = before_ns > host->highest_ns ? before_ns : host->highest_ns;
    host->clock.changes[host->clock.count++ % CLOCK_CHANGES_MAX] =
        (struct clock_change){.from_ns = world_now(), .shown_ns = (int64_t)world_now() + offset_ns, .ppm = ppm};
    note_highest(host_clock_ns(host));
}

int64_t clocks_highest_ns(void)
{
    for (unsigned i = 0; i < hosts_max; i++) {
        if (hosts[i].exists)
            note_highest(host_clock_ns(&hosts[i]));
    }
    return highest_ns;
}

static void widen(int64_t shown_ns, int64_t *least, int64_t *most)
{
    if (shown_ns < *least)
        *least = shown_ns;
    if (shown_ns > *most)
        *most = shown_ns;
}

bool host_clock_is_ahead(const struct host *host)
{
    return host_clock_ns(host) >= host->highest_ns && change(host, host->clock.count - 1)->ppm == 0;
}

void host_clock_range(const struct host *host, uint64_t from_ns, int64_t *ret_least, int64_t *ret_most)
{
    int64_t now_ns = host_clock_ns(host);
    unsigned nth = host->clock.count - 1;
    unsigned oldest = nth >= CLOCK_CHANGES_MAX ? nth - (CLOCK_CHANGES_MAX - 1) : 0;

    *ret_least = *ret_most = now_ns;
    while (nth > oldest && change(host, nth)->from_ns > from_ns) {
        widen(change(host, nth)->shown_ns, ret_least, ret_most);
        widen(shown_at(change(host, nth - 1), change(host, nth)->from_ns), ret_least, ret_most);
        nth--;
        if (change(host, nth)->suspended) {
            uint64_t for_ns = change(host, nth + 1)->from_ns - change(host, nth)->from_ns;
            from_ns = from_ns > for_ns ? from_ns - for_ns : 0;
        }
    }
    if (from_ns >= change(host, nth)->from_ns)
        widen(shown_at(change(host, nth), from_ns), ret_least, ret_most);
    else
        widen(change(host, nth)->shown_ns, ret_least, ret_most);
}

uint64_t host_monotonic_ns(const struct host *host)
{
    return world_now() + (uint64_t)host->monotonic_offset_ns;
}

uint64_t host_counter(const struct host *host)
{
    return world_now() / 1000 * host->counts_per_us + world_now() % 1000 * host->counts_per_us / 1000 +
           host->counter_offset;
}

/* ---- the run directory ---------------------------------------------------------- */

struct run_file *host_run_file(struct host *host, const char *path)
{
    for (unsigned i = 0; i < RUN_FILES_MAX; i++) {
        if (host->run[i].exists && strcmp(host->run[i].path, path) == 0)
            return &host->run[i];
    }
    return NULL;
}

struct run_file *host_make_run_file(struct host *host, const char *path)
{
    for (unsigned i = 0; i < RUN_FILES_MAX && strlen(path) < sizeof host->run[i].path; i++) {
        if (host->run[i].exists)
            continue;
        host->run[i] = (struct run_file){.exists = true, .inode = ++host->inodes};
        memcpy(host->run[i].path, path, strlen(path) + 1);
        return &host->run[i];
    }
    return NULL;
}

void host_remove_run_file(struct run_file *file)
{
    file->exists = false;
    if (file->page != NULL)
        page_drop(file->page);
    file->page = NULL;
}

void host_note_arrival(struct host *host, uint64_t serial, uint64_t when_ns)
{
    if (when_ns < host->last_arrival_ns && host->last_arrival_ns > world_now())
        tell(STRUCK_REORDERED, serial, 0, 0);
    if (when_ns > host->last_arrival_ns)
        host->last_arrival_ns = when_ns;
}
