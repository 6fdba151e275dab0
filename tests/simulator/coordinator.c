/* SPDX-License-Identifier: MIT */
#include "coordinator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "faults.h"
#include "host.h"
#include "members.h"
#include "nemesis.h"
#include "oracle.h"
#include "os/deadline.h"
#include "plan.h"
#include "process.h"
#include "shown.h"
#include "stored.h"
#include "story.h"
#include "world.h"

enum { COPIES = 2 };

enum request_kind { READ_ONE, READ_SEVERAL, SWAP };

struct message {
    struct message *next, *previous; /* of all there are */
    struct process *sender;
    unsigned thread;
    uint64_t serial;
    uint64_t generation; /* of the records when it was sent */
    bool again;          /* there are two copies of it, so none can say that it was not carried out */

    /* On the way there. */
    enum request_kind kind;
    uint32_t number;
    uint64_t expected;
    size_t len;
    char data[FZ_RECORD_SIZE_MAX];
    const uint32_t *wanted;     /* READ_SEVERAL: these, or all there are */
    size_t wanted_count, whole; /* the first of them are shown with what stands in them */

    /* On the way back. */
    enum fz_register_result result;
    struct fz_register_status status;
    uint64_t version;
    struct fz_record found; /* READ_ONE */
    struct shown shown;     /* READ_SEVERAL */
};

static struct {
    struct coordinator_options options;
    struct fz_record *records; /* of each worker id, and then the namespace's */
    struct fz_record *copy;
    bool has_copy;
    struct coordinator_load load;
    uint64_t busy_until;
    uint64_t written; /* records that there are */
    uint64_t generation;
    uint64_t last_version;
    uint64_t incarnation;
    uint64_t down_until;
    int64_t clock_offset_ns;
    uint64_t highest_ns; /* see coordinator_highest_ns; up to the last change of the clock */
    struct message *messages;
    uint64_t serials;
} server;

/* ---- messages --------------------------------------------------------------------- */

static struct message *message_new(void)
{
    struct message *message = calloc(1, sizeof *message);

    if (message == NULL)
        abort();
    message->next = server.messages;
    if (server.messages != NULL)
        server.messages->previous = message;
    server.messages = message;
    return message;
}

static void message_free(struct message *message)
{
    if (message->previous != NULL)
        message->previous->next = message->next;
    else
        server.messages = message->next;
    if (message->next != NULL)
        message->next->previous = message->previous;
    free((void *)(uintptr_t)message->wanted);
    shown_free(&message->shown);
    free(message);
}

static struct message *message_again(const struct message *message)
{
    struct message *again = message_new();
    struct message links = *again;

    *again = *message;
    again->next = links.next;
    again->previous = links.previous;
    if (message->wanted != NULL) {
        uint32_t *wanted = malloc(message->wanted_count * sizeof *wanted);
        if (wanted == NULL)
            abort();
        memcpy(wanted, message->wanted, message->wanted_count * sizeof *wanted);
        again->wanted = wanted;
    }
    return again;
}

/* ---- the server ---------------------------------------------------------------------- */

static size_t records_count(void)
{
    return server.options.workers + 1;
}

/* Versions never come back, whatever becomes of the records. */
static void new_generation(void)
{
    server.last_version = ++server.generation << 32;
}

void coordinator_begin(const struct coordinator_options *options)
{
    for (struct message *message = server.messages, *next; message != NULL; message = next) {
        next = message->next;
        message_free(message);
    }
    free(server.records);
    memset(&server, 0, sizeof server);
    server.options = *options;
    server.records = calloc(COPIES * records_count(), sizeof *server.records);
    if (server.records == NULL)
        abort();
    server.copy = server.records + records_count();
    server.incarnation = 1;
    new_generation();
    members_begin();
}

static struct fz_record *record(uint32_t number)
{
    if (number == FZ_NAMESPACE)
        return &server.records[server.options.workers];
    if (number >= server.options.workers) {
        world_fail("record %u is asked for: no worker id has that number", (unsigned)number);
        number = 0;
    }
    return &server.records[number];
}

/* Up to which tick a worker's record grants it, as its text says; not read as the library reads it. */
bool coordinator_is_far_ahead(uint64_t until)
{
    int64_t now_ns = (int64_t)world_now() + server.clock_offset_ns;

    return server.options.has_clock && stored_is_far_ahead(record(FZ_NAMESPACE), until, now_ns);
}

struct coordinator_load *coordinator_load(void)
{
    return &server.load;
}

/* Tells the oracle of a worker's record that was just stored. */
static void note_record(const struct message *message, const char *text, uint64_t until)
{
    oracle_recorded(message->number, (struct bounds){.first = 0, .last = oracle_largest_sequence()}, until);
    if (message->number < WORKERS_MAX)
        message->sender->host->carried_out[message->number] = until;
    /* Where records are lost, a request from before the loss may give back what was granted after it. */
    if (stored_gives_back(text) && !plan.lossy)
        oracle_given_back(message->number, until);
    if (!plan.of_members)
        return;
    const struct member_swap swap = {
        .worker = message->number, .record = text, .until = until, .counts = message->generation == server.generation};
    members_swapped(message->sender->host, &swap);
    nemesis_after_swap_of(message->sender, stored_gives_back(text));
}

static void swap(struct message *message)
{
    struct fz_record *found = record(message->number);

    message->result = FZ_REGISTER_CONFLICT;
    if (found->version != message->expected && !server.options.forgets_versions) {
        tell(TOLD_CONFLICT, message->number, found->version, message->expected);
        return;
    }
    server.written += found->version == 0;
    found->version = message->version = ++server.last_version;
    found->len = message->len;
    memcpy(found->data, message->data, message->len);
    message->result = FZ_REGISTER_OK;
    uint64_t until = message->number == FZ_NAMESPACE ? 0 : stored_until(found->data, found->len);
    tell(TOLD_RECORDS, message->number, message->version, until);
    char text[FZ_RECORD_SIZE_MAX + 1] = "";
    memcpy(text, found->data, found->len);
    if (message->number != FZ_NAMESPACE)
        note_record(message, text, until);
    tell_aside(text);
}

/* Of all, or of the nth that is wanted; NULL: there is none of that number. */
static const struct fz_record *nth_record(const struct message *message, size_t nth, uint32_t *ret_number)
{
    uint32_t all = nth == server.options.workers ? FZ_NAMESPACE : (uint32_t)nth;

    *ret_number = message->wanted == NULL ? all : message->wanted[nth];
    if (*ret_number != FZ_NAMESPACE && *ret_number >= server.options.workers)
        return NULL;
    return record(*ret_number)->version == 0 ? NULL : record(*ret_number);
}

static void show_several(struct message *message)
{
    size_t n = message->wanted == NULL ? records_count() : message->wanted_count;

    for (size_t i = 0; i < n; i++) {
        uint32_t number;
        const struct fz_record *found = nth_record(message, i, &number);
        if (found != NULL)
            shown_add(&message->shown, number, i < message->whole ? found : &(struct fz_record){.version = 1});
    }
    server.load.bytes += message->shown.size;
}

static void answer(struct message *message)
{
    message->result = FZ_REGISTER_OK;
    if (message->kind == SWAP) {
        swap(message);
    } else if (message->kind == READ_ONE) {
        message->found = *record(message->number);
    } else {
        show_several(message);
    }
    message->status.has_clock = server.options.has_clock;
    message->status.unix_ms = TRUE_UNIX_MS + ((int64_t)world_now() + server.clock_offset_ns) / (int64_t)MS;
    if (server.options.has_incarnation)
        snprintf(message->status.incarnation, sizeof message->status.incarnation, "run-%u",
                 (unsigned)server.incarnation);
}

/* ---- the network ----------------------------------------------------------------------- */

static bool trouble(void)
{
    return pick(1000) < server.options.trouble_permil;
}

static uint64_t transit_ns(void)
{
    return of_any_size(20 * US, 2 * MS);
}

static bool is_cut(const struct process *sender, enum cut direction)
{
    enum cut cut = sender->host->cut;

    return cut == CUT_BOTH || cut == direction;
}

static void arrive_back(void *arg, uint64_t unused)
{
    struct message *message = arg;
    struct process *process = message->sender;
    struct thread *thread = &process->threads[message->thread];

    (void)unused;
    if (!process->live || thread->serial != message->serial || thread->reply != NULL) {
        message_free(message); /* nobody waits for it any more, or it has come before */
        return;
    }
    if (message->kind == SWAP && message->result == FZ_REGISTER_OK && message->number < WORKERS_MAX)
        process->host->granted[message->number] = stored_until(message->data, message->len);
    thread->reply = message;
    process_wake(process, &thread->reply);
}

static void send_back(struct message *message)
{
    bool cut = is_cut(message->sender, CUT_REPLIES);

    if (cut || trouble()) {
        tell(STRUCK_REPLY_LOST, message->serial, 0, 0);
        message_free(message);
        return;
    }
    world_at(world_now() + transit_ns(), arrive_back, message, 0);
}

/* It is this message's turn. */
static void carry_out(void *arg, uint64_t unused)
{
    struct message *message = arg;

    (void)unused;
    if (server.down_until <= world_now()) {
        answer(message);
        if (message->kind == SWAP && message->result == FZ_REGISTER_OK)
            nemesis_after_swap(message->number == FZ_NAMESPACE);
        send_back(message);
    } else if (message->again || once_in(2)) {
        message_free(message);
    } else {
        message->result = FZ_REGISTER_UNREACHABLE; /* the connection is refused */
        world_at(world_now() + transit_ns(), arrive_back, message, 0);
    }
}

static void arrive(void *arg, uint64_t unused)
{
    struct message *message = arg;
    uint64_t records = 1;
    uint64_t now_ns = world_now();

    if (message->kind == READ_SEVERAL)
        records = message->wanted == NULL ? server.written : message->wanted_count;
    server.load.requests++;
    if (server.down_until > now_ns || server.options.request_ns == 0) {
        carry_out(arg, unused);
        return;
    }
    if (server.busy_until < now_ns)
        server.busy_until = now_ns;
    server.busy_until += server.options.request_ns + records * server.options.record_ns;
    if (server.busy_until - now_ns > server.load.longest_ns)
        server.load.longest_ns = server.busy_until - now_ns;
    world_at(server.busy_until, carry_out, message, 0);
}

/* Puts a request on its way, with whatever happens to it there. */
static void send(struct message *message)
{
    uint64_t when_ns = world_now() + transit_ns();

    if (trouble()) {
        message->again = true;
        struct message *again = message_again(message);
        tell(STRUCK_DUPLICATED, message->serial, 0, 0);
        world_at(world_now() + of_any_size(20 * US, 10 * SECOND), arrive, again, 0);
    }
    if (trouble()) {
        uint64_t delay_ns = of_any_size(MS, 30 * SECOND);
        tell(STRUCK_DELAYED, message->serial, delay_ns / US, 0);
        when_ns += delay_ns;
    }
    if (is_cut(message->sender, CUT_REQUESTS) || trouble()) {
        tell(STRUCK_REQUEST_LOST, message->serial, 0, 0);
        message_free(message);
        return;
    }
    host_note_arrival(message->sender->host, message->serial, when_ns);
    world_at(when_ns, arrive, message, 0);
}

/* A connection, in the memory of the process that has it. */
struct client {
    unsigned pid;
};

/* ---- a client --------------------------------------------------------------------------- */

/*
 * Asks and waits for the answer.  NULL: none came in time.  The caller frees it.
 * A copy of the process, made meanwhile, waits in vain: the answer goes to the
 * original.
 */
static struct message *ask(const struct client *client, struct fz_deadline deadline, const struct message *request)
{
    if (client->pid != self()->pid)
        world_fail("F8: a child uses its parent's connection");
    faults_step(); /* a host copied here has no message yet */
    uint64_t left_ns = fz_deadline_left_ns(deadline);
    if (left_ns == 0)
        return message_again(&(struct message){.result = FZ_REGISTER_UNREACHABLE}); /* it is not sent */
    struct message *message = message_again(request);

    message->sender = self();
    message->thread = self_thread();
    message->generation = server.generation;
    struct thread *thread = &self()->threads[self_thread()];
    message->serial = thread->serial = ++server.serials;
    thread->reply = NULL;
    send(message);
    self_wait(&thread->reply,
              world_now() + (left_ns < server.options.timeout_ns ? left_ns : server.options.timeout_ns));

    thread = &self()->threads[self_thread()];
    thread->serial = 0;
    struct message *reply = thread->reply;
    thread->reply = NULL;
    return reply;
}

static enum fz_register_result no_answer(frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_EUNREACHABLE, "no answer in time");
    return FZ_REGISTER_UNKNOWN;
}

/* The parts that every answer has; the reply is freed. */
static enum fz_register_result end(struct message *reply, struct fz_register_status *status, frazil_error *reterr)
{
    enum fz_register_result result = reply->result;

    if (status != NULL && result != FZ_REGISTER_UNREACHABLE)
        *status = reply->status;
    if (result == FZ_REGISTER_UNREACHABLE)
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "connection refused");
    message_free(reply);
    faults_step();
    return result;
}

static enum fz_register_result client_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                           struct fz_record *ret, struct fz_register_status *status,
                                           frazil_error *reterr)
{
    const struct message request = {.kind = READ_ONE, .number = number};
    struct message *reply = ask(ctx, deadline, &request);

    if (reply == NULL)
        return no_answer(reterr);
    if (reply->result == FZ_REGISTER_OK)
        *ret = reply->found;
    return end(reply, status, reterr);
}

static enum fz_register_result client_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                                size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                                struct fz_register_status *status, frazil_error *reterr)
{
    const struct message request = {.kind = READ_SEVERAL, .wanted = numbers, .wanted_count = n, .whole = whole};
    struct message *reply = ask(ctx, deadline, &request);

    if (reply == NULL)
        return no_answer(reterr);
    if (reply->result == FZ_REGISTER_OK)
        shown_visit(&reply->shown, visit, visit_ctx);
    return end(reply, status, reterr);
}

static enum fz_register_result client_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                               void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    return client_read_many(ctx, deadline, NULL, 0, SIZE_MAX, visit, visit_ctx, status, reterr);
}

static enum fz_register_result client_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                           uint64_t *ret_version, struct fz_register_status *status,
                                           frazil_error *reterr)
{
    struct message request = {.kind = SWAP, .number = swap->number, .expected = swap->expected, .len = swap->len};

    memcpy(request.data, swap->data, swap->len);
    struct message *reply = ask(ctx, deadline, &request);
    if (reply == NULL)
        return no_answer(reterr);
    if (reply->result == FZ_REGISTER_OK)
        *ret_version = reply->version;
    return end(reply, status, reterr);
}

static void client_after_fork(void *ctx)
{
    ((struct client *)ctx)->pid = self()->pid;
}

static void client_close(void *ctx)
{
    self_free(ctx);
}

static frazil_err open_client(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    struct fz_sentence name = fz_sentence_in(ret_name, FZ_LEASE_NAME_SIZE);
    struct client *client = self_alloc(sizeof *client);

    if (client == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    client->pid = self()->pid;
    fz_sentence_str(&name, url);
    *ret = (struct fz_register){.ctx = client,
                                .register_class =
                                    server.options.has_incarnation ? FZ_REGISTER_ASYNCHRONOUS : FZ_REGISTER_STRICT,
                                .read = client_read,
                                .read_all = client_read_all,
                                .read_many = client_read_many,
                                .finds_for_less = true,
                                .swap = client_swap,
                                .after_fork = client_after_fork,
                                .close = client_close};
    return FRAZIL_OK;
}

const frazil_coordinator *coordinator_port(void)
{
    static const char *const schemes[] = {"sim", NULL};
    static const frazil_coordinator port = {
        .part = "simulator", .client = "none", .schemes = schemes, .open_register = open_client, FZ_LEASE_COORDINATOR};

    return &port;
}

/* ---- its clock ---------------------------------------------------------------------------- */

uint64_t coordinator_highest_ns(void)
{
    int64_t now_ns = (int64_t)world_now() + server.clock_offset_ns;

    if (now_ns > 0 && (uint64_t)now_ns > server.highest_ns)
        server.highest_ns = (uint64_t)now_ns;
    return server.highest_ns;
}

void coordinator_set_clock(int64_t offset_ns)
{
    (void)coordinator_highest_ns();
    server.clock_offset_ns = offset_ns;
    if (plan.of_members)
        members_note_clock();
}

int64_t coordinator_clock_ns(void)
{
    return server.clock_offset_ns;
}

/* ---- faults -------------------------------------------------------------------------------- */

void coordinator_heal(void)
{
    server.options.trouble_permil = 0;
    server.down_until = 0;
    coordinator_set_clock(0);
}

static void new_incarnation(void)
{
    server.incarnation++;
}

void coordinator_crash(uint64_t ns)
{
    tell(STRUCK_CRASHED, ns / MS, 0, 0);
    server.down_until = world_now() + ns;
    new_incarnation();
}

void coordinator_wipe(void)
{
    tell(STRUCK_WIPED, 0, 0, 0);
    memset(server.records, 0, records_count() * sizeof *server.records);
    new_generation();
    members_begin();
    if (once_in(2))
        new_incarnation();
}

void coordinator_put_away(void)
{
    memcpy(server.copy, server.records, records_count() * sizeof *server.records);
    server.has_copy = true;
}

bool coordinator_roll_back(void)
{
    if (!server.has_copy)
        return false;
    tell(STRUCK_ROLLED_BACK, 0, 0, 0);
    memcpy(server.records, server.copy, records_count() * sizeof *server.records);
    new_generation();
    members_begin();
    new_incarnation();
    return true;
}
