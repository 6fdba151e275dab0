/* SPDX-License-Identifier: MIT */
#include "reload.h"

#include "log.h"
#include "service.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define RELEASE_LOOK_MS 5

struct reloader {
    const char *path;
    struct server *server;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool asked;
    bool stopping;
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
static void reload(const struct reloader *reloader)
{
    struct server *server = reloader->server;
    struct bytes errors = {0};

    service_tell_reloading();
    struct setup *now = setup_make(reloader->path, server->setup, &errors);
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
}

static void *run(void *arg)
{
    struct reloader *reloader = arg;

    (void)pthread_mutex_lock(&reloader->lock);
    for (;;) {
        while (!reloader->asked && !reloader->stopping)
            (void)pthread_cond_wait(&reloader->more, &reloader->lock);
        if (reloader->stopping)
            break;
        reloader->asked = false;
        (void)pthread_mutex_unlock(&reloader->lock);
        reload(reloader);
        (void)pthread_mutex_lock(&reloader->lock);
    }
    (void)pthread_mutex_unlock(&reloader->lock);
    return NULL;
}

struct reloader *reloader_start(const char *path, struct server *server)
{
    struct reloader *reloader = calloc(1, sizeof *reloader);

    if (reloader == NULL)
        return NULL;
    *reloader = (struct reloader){.path = path, .server = server};
    (void)pthread_mutex_init(&reloader->lock, NULL);
    (void)pthread_cond_init(&reloader->more, NULL);
    int why = pthread_create(&reloader->thread, NULL, run, reloader);
    if (why == 0)
        return reloader;
    free(reloader);
    errno = why;
    return NULL;
}

void reloader_ask(struct reloader *reloader)
{
    (void)pthread_mutex_lock(&reloader->lock);
    reloader->asked = true;
    (void)pthread_cond_signal(&reloader->more);
    (void)pthread_mutex_unlock(&reloader->lock);
}

void reloader_stop(struct reloader *reloader)
{
    if (reloader == NULL)
        return;
    (void)pthread_mutex_lock(&reloader->lock);
    reloader->stopping = true;
    (void)pthread_cond_signal(&reloader->more);
    (void)pthread_mutex_unlock(&reloader->lock);
    (void)pthread_join(reloader->thread, NULL);
    (void)pthread_cond_destroy(&reloader->more);
    (void)pthread_mutex_destroy(&reloader->lock);
    free(reloader);
}
