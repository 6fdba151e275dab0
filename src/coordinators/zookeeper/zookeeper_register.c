/* SPDX-License-Identifier: MIT */
#include "zookeeper_register.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/now.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "lease/coordinator.h"
#include "os/clock.h"
#include "zookeeper_connection.h"
#include "zookeeper_record.h"

/*
 * A function that only the client library with threads has.  If that library is in the
 * program, all names are taken from it, and each session would have two threads that do
 * what is done here.
 */
int zoo_get(void) __attribute__((weak));

/* How many records are asked for at once: as many as a server answers without letting the rest wait. */
enum { GETS_MAX = 512 };

struct zookeeper_register {
    struct fz_zookeeper_connection connection;
    char folder[FZ_ZOOKEEPER_NODE_SIZE]; /* of the namespace */
};

static enum fz_register_result not_understood(const struct zookeeper_register *reg, const char *node,
                                              frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: node %q was not written by frazil", reg->connection.shown, node);
    return FZ_REGISTER_REFUSED;
}

/* Not as one that is missing: lease init fails while its node is there. */
static enum fz_register_result being_deleted(const struct zookeeper_register *reg, frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE,
            "%s: namespace %q is being deleted: let deleteall %v end, or run it again, then run frazil lease init",
            reg->connection.shown, reg->connection.url.common.name, reg->folder);
    return FZ_REGISTER_REFUSED;
}

static const struct ACL_vector *permissions(const struct zookeeper_register *reg)
{
    return reg->connection.url.common.access.user[0] == '\0' ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL;
}

/* ---- reading what is certainly of now ------------------------------------------ */

/*
 * The first request of those that read (see zookeeper_register.h).  It makes a node,
 * writes it, and deletes it, in one transaction: nobody ever sees it, and the write
 * tells the leader's time.
 */
enum { BARRIER_OPS = 3, SWAP_OPS = 3 };

struct barrier {
    struct fz_zookeeper_batch *batch;
    int rc;
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    zoo_op_t ops[BARRIER_OPS];
    zoo_op_result_t results[BARRIER_OPS];
    struct Stat stat;
};

static void on_barrier(int rc, const void *data)
{
    struct barrier *barrier = (struct barrier *)(uintptr_t)data;

    barrier->rc = rc;
    barrier->batch->awaited--;
}

static int send_barrier(struct barrier *barrier, struct fz_zookeeper_batch *batch, zhandle_t *handle,
                        const struct zookeeper_register *reg)
{
    struct fz_sentence path = fz_sentence_in(barrier->path, sizeof barrier->path);

    fz_sentence_str(&path, reg->folder);
    fz_sentence_str(&path, "/now");
    barrier->batch = batch;
    zoo_create_op_init(&barrier->ops[0], barrier->path, "", 0, permissions(reg), ZOO_PERSISTENT, NULL, 0);
    zoo_set_op_init(&barrier->ops[1], barrier->path, "", 0, -1, &barrier->stat);
    zoo_delete_op_init(&barrier->ops[2], barrier->path, -1);
    int rc = zoo_amulti(handle, BARRIER_OPS, barrier->ops, barrier->results, on_barrier, barrier);
    batch->awaited += rc == ZOK;
    return rc;
}

/* Whether all servers have agreed on it.  The result for the folder does not matter: a user that may only read it is
 * told no time. */
static bool was_agreed_on(const struct barrier *barrier)
{
    return barrier->rc == ZOK || barrier->rc == ZNONODE || barrier->rc == ZNOAUTH;
}

static void tell_status(struct fz_register_status *status, bool written, const struct Stat *stat)
{
    if (status != NULL)
        *status = (struct fz_register_status){.has_clock = written, .unix_ms = written ? stat->mtime : 0};
}

/* ---- one record --------------------------------------------------------------- */

struct read_call {
    struct fz_zookeeper_batch batch;
    struct barrier barrier;
    const struct zookeeper_register *reg;
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    int rc;
    bool understood;
    bool is_namespace;
    bool is_cut; /* the namespace's node has none below it */
    struct fz_record record;
};

static void on_record(int rc, const char *value, int len, const struct Stat *stat, const void *data)
{
    struct read_call *call = (struct read_call *)(uintptr_t)data;

    (void)stat;
    call->rc = rc;
    call->understood = rc == ZOK && len > 0 && fz_zookeeper_record_read(value, (size_t)len, &call->record);
    call->batch.awaited--;
}

/* ZooKeeper's deleteall begins with the lowest nodes: a namespace without its own may lack records of worker ids. */
static void on_version(int rc, const struct String_vector *names, const void *data)
{
    struct read_call *call = (struct read_call *)(uintptr_t)data;

    call->rc = rc == ZOK ? call->rc : rc;
    call->is_cut = rc == ZOK && (names == NULL || names->count <= 0);
    if (rc != ZOK)
        call->record.version = 0;
    call->batch.awaited--;
}

static int send_read(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct read_call *call = (struct read_call *)batch;
    int rc = send_barrier(&call->barrier, batch, handle, call->reg);

    if (rc != ZOK)
        return rc;
    rc = zoo_aget(handle, call->path, 0, on_record, call);
    batch->awaited += rc == ZOK;
    if (rc == ZOK && call->is_namespace) {
        rc = zoo_aget_children(handle, call->path, 0, on_version, call);
        batch->awaited += rc == ZOK;
    }
    return rc;
}

static enum fz_register_result zookeeper_read(void *ctx, struct fz_deadline deadline, uint32_t number,
                                              struct fz_record *ret, struct fz_register_status *status,
                                              frazil_error *reterr)
{
    struct zookeeper_register *reg = ctx;
    struct read_call call = {.batch.send = send_read, .reg = reg, .is_namespace = number == FZ_NAMESPACE};

    fz_zookeeper_node_path(reg->folder, number, 0, call.path);
    enum fz_register_result result =
        fz_zookeeper_exchange(&reg->connection, &call.batch, fz_zookeeper_deadline(&reg->connection, deadline), reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (!was_agreed_on(&call.barrier))
        return fz_zookeeper_error_reply(&reg->connection, call.barrier.rc, reg->folder, reterr);
    if (call.rc != ZOK && call.rc != ZNONODE)
        return fz_zookeeper_error_reply(&reg->connection, call.rc, call.path, reterr);
    if (call.rc == ZOK && !call.understood)
        return not_understood(reg, call.path, reterr);
    if (call.rc == ZOK && call.is_cut)
        return being_deleted(reg, reterr);
    *ret = call.record;
    tell_status(status, call.barrier.rc == ZOK, &call.barrier.stat);
    return FZ_REGISTER_OK;
}

/* ---- all records -------------------------------------------------------------- */

struct list_call {
    struct fz_zookeeper_batch batch;
    struct barrier barrier;
    const struct zookeeper_register *reg;
    int rc;
    uint32_t *numbers; /* of `count` records; NULL: none */
    size_t count;
    bool no_memory;
    char foreign[64]; /* a node that is no record's */
};

static void note_children(struct list_call *call, const struct String_vector *names)
{
    size_t count = names->count > 0 ? (size_t)names->count : 0;

    call->numbers = count == 0 ? NULL : malloc(count * sizeof *call->numbers);
    call->no_memory = count > 0 && call->numbers == NULL;
    for (size_t i = 0; !call->no_memory && i < count; i++) {
        if (!fz_record_name_read(names->data[i], strlen(names->data[i]), &call->numbers[i])) {
            struct fz_sentence s = fz_sentence_in(call->foreign, sizeof call->foreign);
            fz_sentence_str(&s, names->data[i]);
            return;
        }
        call->count = i + 1;
    }
}

static void on_children(int rc, const struct String_vector *names, const void *data)
{
    struct list_call *call = (struct list_call *)(uintptr_t)data;

    call->rc = rc;
    if (rc == ZOK && names != NULL)
        note_children(call, names);
    call->batch.awaited--;
}

static int send_list(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct list_call *call = (struct list_call *)batch;
    int rc = send_barrier(&call->barrier, batch, handle, call->reg);

    if (rc != ZOK)
        return rc;
    rc = zoo_aget_children(handle, call->reg->folder, 0, on_children, call);
    batch->awaited += rc == ZOK;
    return rc;
}

static enum fz_register_result list_nodes(struct zookeeper_register *reg, struct list_call *call, uint64_t deadline_ns,
                                          frazil_error *reterr)
{
    enum fz_register_result result = fz_zookeeper_exchange(&reg->connection, &call->batch, deadline_ns, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (!was_agreed_on(&call->barrier))
        return fz_zookeeper_error_reply(&reg->connection, call->barrier.rc, reg->folder, reterr);
    if (call->rc != ZOK && call->rc != ZNONODE)
        return fz_zookeeper_error_reply(&reg->connection, call->rc, reg->folder, reterr);
    if (call->no_memory) {
        fz_fail(reterr, FRAZIL_ENOMEM, "%s: no memory for the names of all records", reg->connection.shown);
        return FZ_REGISTER_UNREACHABLE;
    }
    return call->foreign[0] == '\0' ? FZ_REGISTER_OK : not_understood(reg, call->foreign, reterr);
}

/* ---- several records ---------------------------------------------------------- */

struct survey_call {
    struct fz_zookeeper_batch batch;
    struct barrier *barrier; /* goes ahead of them; NULL: one has gone ahead in this call of the register */
    const struct zookeeper_register *reg;
    const uint32_t *numbers;
    size_t whole; /* the first of them, which are read; the others are only looked for */
    size_t done;  /* those before this one are shown, and `count` come next */
    size_t count;
    fz_record_visitor visit;
    void *visit_ctx;
    int failed_rc; /* ZOK: none has */
    struct survey_item {
        struct survey_call *survey;
        uint32_t number;
    } items[GETS_MAX];
};

static void on_survey_record(int rc, const char *value, int len, const struct Stat *stat, const void *data)
{
    const struct survey_item *item = data;
    struct fz_record record = {.version = 0};

    (void)stat;
    item->survey->batch.awaited--;
    if (rc == ZNONODE) /* it does not exist, or was deleted since the list of all was made */
        return;
    if (rc != ZOK) {
        item->survey->failed_rc = rc;
        return;
    }
    if (len <= 0 || !fz_zookeeper_record_read(value, (size_t)len, &record))
        record = (struct fz_record){.version = 1};
    item->survey->visit(item->survey->visit_ctx, item->number, &record);
}

/*
 * The name of the node below a record is its version: to ask for that brings a fifth of the bytes of the record.  The
 * name is not looked at: a record without one is there, too.
 */
static void on_survey_version(int rc, const struct String_vector *names, const void *data)
{
    const struct survey_item *item = data;
    const struct fz_record found = {.version = 1};

    (void)names;
    item->survey->batch.awaited--;
    if (rc == ZOK)
        item->survey->visit(item->survey->visit_ctx, item->number, &found);
    else if (rc != ZNONODE)
        item->survey->failed_rc = rc;
}

static int send_survey(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct survey_call *call = (struct survey_call *)batch;
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    int rc = call->barrier == NULL ? ZOK : send_barrier(call->barrier, batch, handle, call->reg);

    for (size_t i = 0; rc == ZOK && i < call->count; i++) {
        call->items[i] = (struct survey_item){call, call->numbers[call->done + i]};
        fz_zookeeper_node_path(call->reg->folder, call->items[i].number, 0, path);
        rc = call->done + i < call->whole ? zoo_aget(handle, path, 0, on_survey_record, &call->items[i])
                                          : zoo_aget_children(handle, path, 0, on_survey_version, &call->items[i]);
        batch->awaited += rc == ZOK;
    }
    return rc;
}

/* One exchange of a survey. */
static enum fz_register_result read_some(struct zookeeper_register *reg, struct survey_call *survey,
                                         uint64_t deadline_ns, frazil_error *reterr)
{
    enum fz_register_result result = fz_zookeeper_exchange(&reg->connection, &survey->batch, deadline_ns, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (survey->barrier != NULL && !was_agreed_on(survey->barrier))
        return fz_zookeeper_error_reply(&reg->connection, survey->barrier->rc, reg->folder, reterr);
    if (survey->failed_rc != ZOK)
        return fz_zookeeper_error_reply(&reg->connection, survey->failed_rc, reg->folder, reterr);
    return FZ_REGISTER_OK;
}

/* Shows the records of these numbers; a barrier goes ahead of the first exchange. */
static enum fz_register_result read_numbers(struct survey_call *survey, struct zookeeper_register *reg,
                                            const uint32_t *numbers, size_t n, uint64_t deadline_ns,
                                            frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_OK;

    survey->batch.send = send_survey;
    survey->reg = reg;
    survey->numbers = numbers;
    for (; result == FZ_REGISTER_OK && survey->done < n; survey->done += survey->count) {
        survey->count = n - survey->done < GETS_MAX ? n - survey->done : GETS_MAX;
        result = read_some(reg, survey, deadline_ns, reterr);
        survey->barrier = NULL;
    }
    return result;
}

static enum fz_register_result zookeeper_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                                  void *visit_ctx, struct fz_register_status *status,
                                                  frazil_error *reterr)
{
    struct zookeeper_register *reg = ctx;
    uint64_t deadline_ns = fz_zookeeper_deadline(&reg->connection, deadline);
    struct list_call list = {.batch.send = send_list, .reg = reg};
    struct survey_call survey = {.whole = SIZE_MAX, .visit = visit, .visit_ctx = visit_ctx};

    enum fz_register_result result = list_nodes(reg, &list, deadline_ns, reterr);
    if (result == FZ_REGISTER_OK)
        result = read_numbers(&survey, reg, list.numbers, list.count, deadline_ns, reterr);
    free(list.numbers);
    if (result == FZ_REGISTER_OK)
        tell_status(status, list.barrier.rc == ZOK, &list.barrier.stat);
    return result;
}

static enum fz_register_result zookeeper_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers,
                                                   size_t n, size_t whole, fz_record_visitor visit, void *visit_ctx,
                                                   struct fz_register_status *status, frazil_error *reterr)
{
    struct zookeeper_register *reg = ctx;
    struct barrier barrier = {.rc = ZOK};
    struct survey_call survey = {.barrier = &barrier, .whole = whole, .visit = visit, .visit_ctx = visit_ctx};

    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    enum fz_register_result result =
        read_numbers(&survey, reg, numbers, n, fz_zookeeper_deadline(&reg->connection, deadline), reterr);
    if (result == FZ_REGISTER_OK)
        tell_status(status, barrier.rc == ZOK, &barrier.stat);
    return result;
}

/* ---- writing ------------------------------------------------------------------ */

/* Creates the folder and those above it, from the root on. */
struct folders_call {
    struct fz_zookeeper_batch batch;
    const char *folder;
    const struct ACL_vector *acl;
    int failed_rc; /* why the first one was not created, unless it was there; ZOK: all were */
    int rc;        /* of the last one, the folder itself: that alone has to be there */
};

static void on_folder(int rc, const char *value, const void *data)
{
    struct folders_call *call = (struct folders_call *)(uintptr_t)data;

    (void)value;
    call->batch.awaited--;
    call->rc = rc;
    if (rc != ZOK && rc != ZNODEEXISTS && call->failed_rc == ZOK)
        call->failed_rc = rc;
}

static int send_folders(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct folders_call *call = (struct folders_call *)batch;
    char path[FZ_ZOOKEEPER_NODE_SIZE] = "";
    int rc = ZOK;

    for (size_t i = 1; rc == ZOK && call->folder[i - 1] != '\0'; i++) {
        if (call->folder[i] != '/' && call->folder[i] != '\0')
            continue;
        memcpy(path, call->folder, i);
        path[i] = '\0';
        rc = zoo_acreate(handle, path, "", 0, call->acl, ZOO_PERSISTENT, on_folder, call);
        batch->awaited += rc == ZOK;
    }
    return rc;
}

static enum fz_register_result make_folders(struct zookeeper_register *reg, uint64_t deadline_ns, frazil_error *reterr)
{
    struct folders_call call = {.batch.send = send_folders, .folder = reg->folder, .acl = permissions(reg)};
    enum fz_register_result result = fz_zookeeper_exchange(&reg->connection, &call.batch, deadline_ns, reterr);

    if (result != FZ_REGISTER_OK || call.rc == ZOK || call.rc == ZNODEEXISTS)
        return result;
    return fz_zookeeper_error_reply(&reg->connection, call.rc == ZNONODE ? call.failed_rc : call.rc, reg->folder,
                                    reterr);
}

struct swap_call {
    struct fz_zookeeper_batch batch;
    char path[FZ_ZOOKEEPER_NODE_SIZE];
    char before[FZ_ZOOKEEPER_NODE_SIZE]; /* the version's node that must be there; not for a record that is created */
    char after[FZ_ZOOKEEPER_NODE_SIZE];
    char text[FZ_RECORD_TEXT_SIZE];
    int len;
    const struct ACL_vector *acl;
    bool create;
    int rc;
    zoo_op_t ops[SWAP_OPS];
    zoo_op_result_t results[SWAP_OPS];
    struct Stat stat;
};

static void on_swap(int rc, const void *data)
{
    struct swap_call *call = (struct swap_call *)(uintptr_t)data;

    call->rc = rc;
    call->batch.awaited--;
}

static int send_swap(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct swap_call *call = (struct swap_call *)batch;
    int n = 0;

    if (call->create)
        zoo_create_op_init(&call->ops[n++], call->path, "", 0, call->acl, ZOO_PERSISTENT, NULL, 0);
    else
        zoo_delete_op_init(&call->ops[n++], call->before, -1);
    zoo_set_op_init(&call->ops[n++], call->path, call->text, call->len, -1, &call->stat); /* tells the time, too */
    zoo_create_op_init(&call->ops[n++], call->after, "", 0, call->acl, ZOO_PERSISTENT, NULL, 0);
    int rc = zoo_amulti(handle, n, call->ops, call->results, on_swap, call);
    batch->awaited += rc == ZOK;
    return rc;
}

/* One that was never used: by the clock, unless that one is behind the last version. */
static uint64_t next_version(uint64_t last)
{
    const frazil_clock clock = fz_real_clock();
    uint64_t now = (uint64_t)fz_now(&clock).unix_ms * 1000000 + clock.monotonic_ns(clock.ctx) % 1000000;

    return now > last && now <= FZ_ZOOKEEPER_VERSION_MAX ? now : last + 1;
}

static enum fz_register_result swap_once(struct zookeeper_register *reg, struct swap_call *call, uint64_t deadline_ns,
                                         frazil_error *reterr)
{
    enum fz_register_result result = fz_zookeeper_exchange(&reg->connection, &call->batch, deadline_ns, reterr);

    /* Nothing was created because there is no folder: then there will be one. */
    if (result == FZ_REGISTER_OK && call->create && call->rc == ZNONODE) {
        result = make_folders(reg, deadline_ns, reterr);
        if (result == FZ_REGISTER_OK)
            result = fz_zookeeper_exchange(&reg->connection, &call->batch, deadline_ns, reterr);
    }
    return result;
}

static enum fz_register_result zookeeper_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                              uint64_t *ret_version, struct fz_register_status *status,
                                              frazil_error *reterr)
{
    struct zookeeper_register *reg = ctx;
    struct swap_call call = {.batch.send = send_swap, .create = swap->expected == 0, .acl = permissions(reg)};
    uint64_t version = next_version(swap->expected);

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    if (swap->expected > FZ_ZOOKEEPER_VERSION_MAX) /* nothing ever had it */
        return FZ_REGISTER_CONFLICT;
    fz_zookeeper_node_path(reg->folder, swap->number, 0, call.path);
    fz_zookeeper_node_path(reg->folder, swap->number, swap->expected, call.before);
    fz_zookeeper_node_path(reg->folder, swap->number, version, call.after);
    call.len = (int)fz_record_text_write(version, swap->data, swap->len, call.text);
    enum fz_register_result result = swap_once(reg, &call, fz_zookeeper_deadline(&reg->connection, deadline), reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    if (call.rc != ZOK && call.rc != ZNONODE && call.rc != ZNODEEXISTS)
        return fz_zookeeper_error_reply(&reg->connection, call.rc, call.path, reterr);
    tell_status(status, call.rc == ZOK, &call.stat);
    if (call.rc != ZOK)
        return FZ_REGISTER_CONFLICT;
    *ret_version = version;
    return FZ_REGISTER_OK;
}

/* ---- the port ------------------------------------------------------------------ */

/* Without the folder nothing could be asked for the time. */
static enum fz_register_result zookeeper_prepare(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    struct zookeeper_register *reg = ctx;

    return make_folders(reg, fz_zookeeper_deadline(&reg->connection, deadline), reterr);
}

static enum fz_register_result zookeeper_diagnose(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                                  void *visit_ctx, frazil_error *reterr)
{
    struct zookeeper_register *reg = ctx;

    return fz_zookeeper_diagnose(&reg->connection, reg->folder, deadline, visit, visit_ctx, reterr);
}

static void zookeeper_after_fork(void *ctx)
{
    struct zookeeper_register *reg = ctx;

    fz_zookeeper_connection_forget(&reg->connection);
}

static void zookeeper_close_register(void *ctx)
{
    struct zookeeper_register *reg = ctx;

    fz_zookeeper_connection_stop(&reg->connection);
    free(reg);
}

frazil_err fz_zookeeper_register_open(const char *url, struct fz_register *ret, char *ret_name, frazil_error *reterr)
{
    struct fz_zookeeper_url parsed;
    frazil_err err = fz_url_open(fz_zookeeper_url_kind, url, &parsed.common, reterr);

    if (err != FRAZIL_OK)
        return err;
    struct zookeeper_register *reg = zoo_get == NULL ? calloc(1, sizeof *reg) : NULL;
    if (reg != NULL)
        fz_zookeeper_connection_start(&reg->connection, &parsed);
    fz_wipe(&parsed, sizeof parsed);
    if (zoo_get != NULL)
        return fz_fail(reterr, FRAZIL_ENOTBUILT,
                       "this program has libzookeeper_mt, which has the same names as the libzookeeper_st that frazil "
                       "needs, and starts threads: link it with libzookeeper_st");
    if (reg == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a session with ZooKeeper");
    struct fz_sentence folder = fz_sentence_in(reg->folder, sizeof reg->folder);
    fz_sentence_str(&folder, reg->connection.url.path);
    fz_sentence_char(&folder, '/');
    fz_sentence_str(&folder, reg->connection.url.common.name);
    memcpy(ret_name, reg->connection.url.common.name, sizeof reg->connection.url.common.name);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_STRICT,
                                .read = zookeeper_read,
                                .read_all = zookeeper_read_all,
                                .read_many = zookeeper_read_many,
                                .finds_for_less = true,
                                .swap = zookeeper_swap,
                                .prepare = zookeeper_prepare,
                                .diagnose = zookeeper_diagnose,
                                .after_fork = zookeeper_after_fork,
                                .close = zookeeper_close_register};
    return FRAZIL_OK;
}
