/* SPDX-License-Identifier: MIT */
#include "reload.h"

#include "job_thread.h"
#include "log.h"
#include "opening.h"
#include "service.h"

#include <poll.h>
#include <stdlib.h>

#define RELEASE_LOOK_MS 5

struct reloader {
    struct job_thread thread; /* first */
    struct job job;           /* the only one */
    atomic_bool asked;        /* the job is in the queue */
    struct opening opening;   /* it works from the beginning of a reload to its end: the setup of before is in use */
    atomic_bool is_over;      /* the thread has ended */
    const char *path;
    struct server *server;
};

/* Has all event threads go over to a new setup, and returns when they have; the old one is the caller's to release. */
static struct setup *go_over(struct server *server, struct setup *now)
{
    (void)pthread_mutex_lock(&server->lock);
    struct setup *before = server->setup;
    server->setup = now;
    (void)pthread_mutex_unlock(&server->lock);
    server_wake_event_threads(server);
    while (atomic_load(&before->holders) > 1)
        (void)poll(NULL, 0, RELEASE_LOOK_MS);
    return before;
}

/* The old one is released last: giving a worker id back may take seconds. */
static void reload(struct reloader *reloader)
{
    struct server *server = reloader->server;
    struct bytes errors = {0};

    log_line(LOG_ALWAYS, "SIGHUP: reading the configuration");
    service_tell_reloading();
    opening_go_on(&reloader->opening, NULL);
    struct setup *now = setup_make(reloader->path, server->setup, &reloader->opening, &errors);
    opening_go_on(&reloader->opening, NULL);
    struct setup *before = NULL;
    atomic_store(&server->keeps_old, now == NULL);
    if (now != NULL) {
        before = go_over(server, now);
        server_note_setup(server);
        size_t files = now->settings.file.name_count, files_before = before->settings.file.name_count;
        if (files != files_before)
            log_line(LOG_ALWAYS, "SIGHUP: the configuration has %zu file%s, and had %zu before", files,
                     files == 1 ? "" : "s", files_before);
        log_line(LOG_ALWAYS, "SIGHUP: the configuration was read: %zu generator%s, %zu user%s", now->generators.count,
                 now->generators.count == 1 ? "" : "s", now->users.count, now->users.count == 1 ? "" : "s");
    } else {
        setup_log_errors(&errors);
        log_line(LOG_ALWAYS, "SIGHUP: the old configuration stays in use");
    }
    if (!atomic_load(&server->leaving)) /* else it has told that it ends */
        service_tell_ready();
    if (before != NULL)
        setup_release(before);
    opening_end(&reloader->opening);
}

/* From now on the job may be in the queue again. */
static uint64_t run(struct job_thread *thread, struct job *job)
{
    struct reloader *reloader = (struct reloader *)thread;

    (void)job;
    atomic_store(&reloader->asked, false);
    reload(reloader);
    return UINT64_MAX;
}

static void keep_job(struct job *job)
{
    (void)job;
}

static const struct job_kind kind = {run, NULL, keep_job, 1, 1};

struct reloader *reloader_start(const char *path, struct server *server)
{
    struct reloader *reloader = calloc(1, sizeof *reloader);

    if (reloader == NULL)
        return NULL;
    reloader->path = path;
    reloader->server = server;
    if (job_thread_start(&reloader->thread, &kind))
        return reloader;
    free(reloader);
    return NULL;
}

void reloader_ask(struct reloader *reloader)
{
    if (!atomic_exchange(&reloader->asked, true))
        (void)job_submit(&reloader->thread, &reloader->job);
}

static void note_end(void *reloader)
{
    atomic_store(&((struct reloader *)reloader)->is_over, true);
}

bool reloader_stop(struct reloader *reloader, uint64_t until_ns, uint64_t wait_ns)
{
    bool is_over = reloader == NULL || job_thread_stop(&reloader->thread, until_ns, note_end, reloader);

    while (!is_over) {
        if (opening_give_up(&reloader->opening, wait_ns))
            return false; /* its thread is still there */
        (void)poll(NULL, 0, RELEASE_LOOK_MS);
        is_over = atomic_load(&reloader->is_over);
    }
    free(reloader);
    return true;
}
