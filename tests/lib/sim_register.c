/* SPDX-License-Identifier: MIT */
#include "lib/sim_register.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/asserts.h"

enum { HISTORY_MAX = 4096 };

/* ---- the server ----------------------------------------------------------- */

static struct fz_register store_register(const struct sim_server *server)
{
    return fz_memory_register(server->store);
}

/* Copies of the store after each change, the oldest first. */
struct sim_history {
    size_t n;
    struct fz_memory_store *states[HISTORY_MAX];
};

static void forget_latest(struct sim_history *history)
{
    fz_memory_store_free(history->states[--history->n]);
}

static void remember(struct sim_server *server)
{
    struct sim_history *history = server->history;

    if (history == NULL)
        return;
    assert_true(history->n < HISTORY_MAX);
    history->states[history->n++] = sim_server_copy(server);
}

static void replace_store(struct sim_server *server, struct fz_memory_store *store)
{
    assert_non_null(store);
    fz_memory_store_free(server->store);
    server->store = store;
    remember(server);
}

static enum fz_register_result swap(struct sim_server *server, const struct fz_swap *swap, uint64_t *ret_version,
                                    frazil_error *reterr)
{
    struct fz_register reg = store_register(server);
    enum fz_register_result result = reg.swap(reg.ctx, FZ_DEADLINE_NONE, swap, ret_version, NULL, reterr);

    if (result == FZ_REGISTER_OK)
        remember(server);
    return result;
}

/* Versions never come back, whatever becomes of the records. */
static uint64_t next_first_version(struct sim_server *server)
{
    return ++server->generation << 32;
}

void sim_server_start(struct sim_server *server)
{
    memset(server, 0, sizeof *server);
    replace_store(server, fz_memory_store_new(next_first_version(server)));
}

void sim_server_stop(struct sim_server *server)
{
    while (server->history != NULL && server->history->n > 0)
        forget_latest(server->history);
    free(server->history);
    fz_memory_store_free(server->store);
    server->store = NULL;
}

void sim_server_wipe(struct sim_server *server)
{
    replace_store(server, fz_memory_store_new(next_first_version(server)));
}

struct fz_memory_store *sim_server_copy(struct sim_server *server)
{
    struct fz_memory_store *copy = fz_memory_store_copy(server->store, 1);

    assert_non_null(copy);
    return copy;
}

void sim_server_roll_back(struct sim_server *server, struct fz_memory_store *copy)
{
    replace_store(server, fz_memory_store_copy(copy, next_first_version(server)));
    fz_memory_store_free(copy);
}

void sim_server_keep_history(struct sim_server *server)
{
    server->history = calloc(1, sizeof *server->history);
    assert_non_null(server->history);
    remember(server);
}

void sim_server_lose(struct sim_server *server, uint64_t n)
{
    struct sim_history *history = server->history;

    for (; n > 0 && history->n > 1; n--)
        forget_latest(history);
    struct fz_memory_store *state = history->states[--history->n];
    sim_server_roll_back(server, state);
}

void sim_server_deliver(struct sim_server *server, size_t i)
{
    struct sim_delayed request = server->delayed[i];
    uint64_t version;

    server->delayed[i] = server->delayed[--server->n_delayed];
    (void)swap(server, &(struct fz_swap){request.number, request.expected, request.data, request.len}, &version, NULL);
}

static void delay(struct sim_server *server, uint32_t number, uint64_t expected, const char *data, size_t len)
{
    struct sim_delayed request = {.number = number, .expected = expected, .len = len};

    if (server->n_delayed == SIM_DELAYED_MAX)
        return; /* lost */
    memcpy(request.data, data, len);
    server->delayed[server->n_delayed++] = request;
}

static void tell(const struct sim_server *server, struct fz_register_status *status)
{
    if (status == NULL)
        return;
    status->has_clock = server->has_clock;
    status->clock_width_ms = server->clock_width_ms;
    status->unix_ms = server->unix_ms;
    memcpy(status->incarnation, server->incarnation, sizeof status->incarnation);
}

/* ---- a link --------------------------------------------------------------- */

static enum sim_fault next_fault(struct sim_link *link, bool is_swap)
{
    enum sim_fault fault = SIM_NONE;

    if (link->before != NULL)
        link->before(link->ctx);
    link->trips++;
    if (link->cut) {
        fault = SIM_UNREACHABLE;
    } else if (link->n_script > 0) {
        fault = link->script[0];
        memmove(link->script, link->script + 1, --link->n_script * sizeof link->script[0]);
    } else if (link->choose != NULL) {
        fault = link->choose(link->ctx, is_swap);
    }
    link->struck[fault]++;
    return fault;
}

void sim_link_script(struct sim_link *link, enum sim_fault fault)
{
    assert_true(link->n_script < SIM_SCRIPT_MAX);
    link->script[link->n_script++] = fault;
}

static enum fz_register_result say(frazil_error *reterr, const char *sentence, enum fz_register_result result)
{
    if (reterr != NULL)
        snprintf(reterr->message, sizeof reterr->message, "%s", sentence);
    return result;
}

/* A fault that keeps a reading from its answer; FZ_REGISTER_OK if none does. */
static enum fz_register_result read_fault(struct sim_link *link, frazil_error *reterr)
{
    switch (next_fault(link, false)) {
    case SIM_UNREACHABLE:
        return say(reterr, "connection refused", FZ_REGISTER_UNREACHABLE);
    case SIM_LOST_REQUEST:
    case SIM_LOST_REPLY:
    case SIM_DELAYED:
        return say(reterr, "no answer within 1 s", FZ_REGISTER_UNKNOWN);
    case SIM_REFUSED:
        return say(reterr, "no permission", FZ_REGISTER_REFUSED);
    default:
        return FZ_REGISTER_OK;
    }
}

/* The server's records, unless the link's next fault stands between. */
static enum fz_register_result reach(struct sim_link *link, struct fz_register *ret, struct fz_register_status *status,
                                     frazil_error *reterr)
{
    enum fz_register_result result = read_fault(link, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    *ret = store_register(link->server);
    tell(link->server, status);
    return FZ_REGISTER_OK;
}

static enum fz_register_result link_read(void *ctx, struct fz_deadline deadline, uint32_t number, struct fz_record *ret,
                                         struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    struct sim_link *link = ctx;
    struct fz_register reg;
    enum fz_register_result result = reach(link, &reg, status, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    return reg.read(reg.ctx, FZ_DEADLINE_NONE, number, ret, NULL, reterr);
}

/* The visitor of a caller, and where its records are counted. */
struct counted_visit {
    struct sim_server *server;
    fz_record_visitor visit;
    void *ctx;
};

static void count_and_visit(void *ctx, uint32_t number, const struct fz_record *record)
{
    struct counted_visit *counted = ctx;

    counted->server->shown++;
    counted->visit(counted->ctx, number, record);
}

static enum fz_register_result link_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                             void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    struct sim_link *link = ctx;
    struct fz_register reg;
    enum fz_register_result result = reach(link, &reg, status, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    return reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count_and_visit,
                        &(struct counted_visit){link->server, visit, visit_ctx}, NULL, reterr);
}

static enum fz_register_result link_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers, size_t n,
                                              size_t whole, fz_record_visitor visit, void *visit_ctx,
                                              struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    struct sim_link *link = ctx;
    struct fz_register reg;
    enum fz_register_result result = reach(link, &reg, status, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    return reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, n, whole, count_and_visit,
                         &(struct counted_visit){link->server, visit, visit_ctx}, NULL, reterr);
}

static enum fz_register_result link_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *wanted,
                                         uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr)
{
    (void)deadline;
    struct sim_link *link = ctx;
    uint64_t version;
    enum sim_fault fault = next_fault(link, true);

    link->swaps++;
    switch (fault) {
    case SIM_UNREACHABLE:
        return say(reterr, "connection refused", FZ_REGISTER_UNREACHABLE);
    case SIM_REFUSED:
        return say(reterr, "no permission", FZ_REGISTER_REFUSED);
    case SIM_DELAYED:
        delay(link->server, wanted->number, wanted->expected, wanted->data, wanted->len);
        return say(reterr, "no answer within 1 s", FZ_REGISTER_UNKNOWN);
    case SIM_LOST_REQUEST:
        return say(reterr, "no answer within 1 s", FZ_REGISTER_UNKNOWN);
    case SIM_LOST_REPLY:
        (void)swap(link->server, wanted, &version, reterr);
        return say(reterr, "no answer within 1 s", FZ_REGISTER_UNKNOWN);
    case SIM_DUPLICATE:
    case SIM_RIVAL:
        (void)swap(link->server, wanted, &version, reterr);
        break;
    default:
        break;
    }
    tell(link->server, status);
    return swap(link->server, wanted, ret_version, reterr);
}

static void link_after_fork(void *ctx)
{
    struct sim_link *link = ctx;

    link->forks++;
}

static void link_close(void *ctx)
{
    struct sim_link *link = ctx;

    link->closed++;
}

struct fz_register sim_register(struct sim_link *link)
{
    return (struct fz_register){.ctx = link,
                                .register_class = FZ_REGISTER_ASYNCHRONOUS,
                                .read = link_read,
                                .read_all = link_read_all,
                                .read_many = link_read_many,
                                .finds_for_less = true,
                                .swap = link_swap,
                                .after_fork = link_after_fork,
                                .close = link_close};
}
