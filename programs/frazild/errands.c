/* SPDX-License-Identifier: MIT */
#include "errands.h"

#include "resp_write.h"

#include <frazil/admin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX 64

struct errand {
    struct session *session; /* NULL: it is gone */
    struct lane *lane;
    const struct command *row;
    struct engine *engine;
    int version;
    frazil_error err; /* its code is FRAZIL_OK if there are leases */
    struct bytes reply;
    bool done;
    struct errand *next;
};

struct errands {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct errand *waiting;
    struct errand *done;
    unsigned count;
    bool stopping;
};

static void write_lease(struct errand *errand, const frazil_admin_lease *row)
{
    resp_map(&errand->reply, errand->version, 6);
    resp_text(&errand->reply, "worker");
    resp_integer(&errand->reply, row->worker);
    resp_text(&errand->reply, "holding");
    resp_text(&errand->reply, frazil_admin_holding_name(row->holding));
    resp_text(&errand->reply, "owner");
    resp_text(&errand->reply, row->text != NULL ? row->text : "");
    resp_text(&errand->reply, "until_unix_ms");
    resp_integer(&errand->reply, row->until_unix_ms > 0 ? (uint64_t)row->until_unix_ms : 0);
    resp_text(&errand->reply, "owners");
    resp_integer(&errand->reply, row->owners);
    resp_text(&errand->reply, "extensions");
    resp_integer(&errand->reply, row->extensions);
}

static void write_leases(struct errand *errand, const frazil_admin_leases *leases)
{
    frazil_admin_leases_info info;
    frazil_admin_lease row;

    frazil_admin_leases_get_info(leases, &info, sizeof info);
    resp_map(&errand->reply, errand->version, 4);
    resp_text(&errand->reply, "layout");
    resp_text(&errand->reply, info.layout);
    resp_text(&errand->reply, "workers");
    resp_integer(&errand->reply, info.workers);
    resp_text(&errand->reply, "held");
    resp_integer(&errand->reply, info.held);
    resp_text(&errand->reply, "leases");
    resp_array(&errand->reply, info.rows);
    for (size_t i = 0; frazil_admin_leases_row(leases, i, &row, sizeof row) == FRAZIL_OK; i++)
        write_lease(errand, &row);
}

static void run(struct errand *errand)
{
    frazil_admin_leases *leases;

    errand->err.code = FRAZIL_OK;
    if (frazil_admin_leases_open(&leases, errand->engine->meaning, NULL, &errand->err) != FRAZIL_OK)
        return;
    write_leases(errand, leases);
    frazil_admin_leases_close(leases);
}

static void free_errand(struct errand *errand)
{
    engine_release(errand->engine, 0);
    bytes_free(&errand->reply);
    free(errand);
}

static void *loop(void *arg)
{
    struct errands *errands = arg;

    (void)pthread_mutex_lock(&errands->lock);
    for (;;) {
        while (errands->waiting == NULL && !errands->stopping)
            (void)pthread_cond_wait(&errands->more, &errands->lock);
        struct errand *errand = errands->waiting;
        if (errands->stopping)
            break;
        errands->waiting = errand->next;
        (void)pthread_mutex_unlock(&errands->lock);
        run(errand);
        (void)pthread_mutex_lock(&errands->lock);
        errand->next = errands->done;
        errands->done = errand;
        errands->count--;
        errand->lane->notify(errand->lane);
    }
    (void)pthread_mutex_unlock(&errands->lock);
    return NULL;
}

struct errands *errands_start(void)
{
    struct errands *errands = calloc(1, sizeof *errands);

    if (errands == NULL)
        return NULL;
    (void)pthread_mutex_init(&errands->lock, NULL);
    (void)pthread_cond_init(&errands->more, NULL);
    if (pthread_create(&errands->thread, NULL, loop, errands) == 0)
        return errands;
    free(errands);
    return NULL;
}

void errands_stop(struct errands *errands)
{
    if (errands == NULL)
        return;
    (void)pthread_mutex_lock(&errands->lock);
    errands->stopping = true;
    (void)pthread_cond_signal(&errands->more);
    (void)pthread_mutex_unlock(&errands->lock);
    (void)pthread_join(errands->thread, NULL);
    for (struct errand *errand = errands->waiting, *next; errand != NULL; errand = next) {
        next = errand->next;
        free_errand(errand);
    }
    for (struct errand *errand = errands->done, *next; errand != NULL; errand = next) {
        next = errand->next;
        free_errand(errand);
    }
    (void)pthread_cond_destroy(&errands->more);
    (void)pthread_mutex_destroy(&errands->lock);
    free(errands);
}

bool errand_send(struct session *session, const struct command *row, struct engine *engine)
{
    struct errands *errands = session->lane->errands;
    struct errand *errand = calloc(1, sizeof *errand);
    struct errand **end = &errands->waiting;

    if (errand == NULL)
        return false;
    (void)pthread_mutex_lock(&errands->lock);
    bool may = errands->count < WAITING_MAX;
    if (may) {
        engine_hold(engine);
        *errand = (struct errand){session, session->lane, row, engine, session->version, {0}, {0}, false, NULL};
        while (*end != NULL)
            end = &(*end)->next;
        *end = errand;
        errands->count++;
        session->errand = errand;
        (void)pthread_cond_signal(&errands->more);
    }
    (void)pthread_mutex_unlock(&errands->lock);
    if (!may)
        free(errand);
    return may;
}

void errands_collect(struct lane *lane)
{
    struct errands *errands = lane->errands;
    struct errand **link = &errands->done;

    (void)pthread_mutex_lock(&errands->lock);
    while (*link != NULL) {
        struct errand *errand = *link;
        if (errand->lane != lane) {
            link = &errand->next;
            continue;
        }
        *link = errand->next;
        errand->done = true;
        if (errand->session != NULL)
            lane->wake(errand->session->connection);
        else
            free_errand(errand);
    }
    (void)pthread_mutex_unlock(&errands->lock);
}

bool errand_go_on(struct session *session, struct bytes *out)
{
    struct errand *errand = session->errand;
    const struct call call = {.row = errand->row, .out = out};

    if (!errand->done)
        return false;
    if (errand->err.code != FRAZIL_OK)
        command_fail(session, &call, CODE_ERR, "%s", errand->err.message);
    else if (errand->reply.failed)
        command_fail(session, &call, CODE_ERR, "the daemon is out of memory");
    else
        bytes_add(out, errand->reply.at, errand->reply.len);
    session->errand = NULL;
    free_errand(errand);
    return true;
}

void errand_drop(struct session *session)
{
    struct errand *errand = session->errand;

    if (errand == NULL)
        return;
    (void)pthread_mutex_lock(&session->lane->errands->lock);
    bool done = errand->done;
    errand->session = NULL;
    (void)pthread_mutex_unlock(&session->lane->errands->lock);
    if (done)
        free_errand(errand);
    session->errand = NULL;
}
