/* SPDX-License-Identifier: MIT */
#include "file_register.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "os/clock.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/guard.h"
#include "os/own_file.h"
#include "record_file.h"

#define NAMESPACE_NAME "namespace"
#define WORKER_PREFIX "worker-"

/* Below it the doctor warns: room for a hundred records. */
enum { FREE_MIN = 1024 * 1024 };

struct file_register {
    char directory[FZ_PATH_SIZE];
    struct fz_folder folder;
    uint32_t durable_number; /* the last record that this process has made durable, and its version; 0: none */
    uint64_t durable_version;
};

/* ---- names ------------------------------------------------------------------- */

static int record_path(const struct file_register *reg, uint32_t number, char path[FZ_PATH_SIZE])
{
    char name[32];
    struct fz_sentence s = fz_sentence_in(name, sizeof name);

    fz_sentence_str(&s, number == FZ_NAMESPACE ? NAMESPACE_NAME : WORKER_PREFIX);
    if (number != FZ_NAMESPACE)
        fz_sentence_u64(&s, number);
    return fz_path_join(path, reg->directory, "/", name);
}

/* The number of a record's file; false for a name that is none. */
static bool read_name(const char *name, uint32_t *ret)
{
    size_t prefix = strlen(WORKER_PREFIX);
    uint64_t number;

    if (strcmp(name, NAMESPACE_NAME) == 0) {
        *ret = FZ_NAMESPACE;
        return true;
    }
    if (strncmp(name, WORKER_PREFIX, prefix) != 0 || !fz_decimal_parse(name + prefix, strlen(name + prefix), &number) ||
        number >= FZ_NAMESPACE)
        return false;
    *ret = (uint32_t)number;
    return true;
}

/* ---- reading ------------------------------------------------------------------- */

static void tell_nothing(struct fz_register_status *status)
{
    if (status != NULL)
        *status = (struct fz_register_status){.has_clock = false};
}

/* Another folder has other records, even if it was a copy once.  What is wrong otherwise is said of a file in it. */
static enum fz_register_result check_folder(const struct file_register *reg, frazil_error *reterr)
{
    char path[FZ_PATH_SIZE];

    if (record_path(reg, FZ_NAMESPACE, path) != 0 || fz_folder_at(&reg->folder, path) != FZ_REFUSED_ELSEWHERE)
        return FZ_REGISTER_OK;
    fz_fail_errno(reterr, FZ_REFUSED_ELSEWHERE, "the namespace cannot be used:", path, "");
    return FZ_REGISTER_UNREACHABLE;
}

static enum fz_register_result enter_guard(const struct file_register *reg, struct fz_deadline deadline,
                                           struct fz_guard *ret, frazil_error *reterr)
{
    char path[FZ_PATH_SIZE];

    *ret = (struct fz_guard){.file = FZ_KEPT_NONE};
    int sys = fz_path_join(path, reg->directory, "/records", "");
    if (sys == 0)
        sys = fz_guard_open(ret, path); /* anew each time, so that no child inherits it */
    if (sys == 0)
        sys = fz_guard_enter(ret, fz_deadline_earlier(deadline, fz_guard_deadline()));
    if (sys == 0)
        return FZ_REGISTER_OK;
    fz_guard_fail(sys, "the namespace cannot be locked:", path, reterr);
    fz_guard_close(ret);
    return FZ_REGISTER_UNREACHABLE;
}

static void leave_guard(struct fz_guard *guard)
{
    fz_guard_leave(guard);
    fz_guard_close(guard);
}

static enum fz_register_result judge_read(int sys, enum fz_record_form form, const char *path, frazil_error *reterr)
{
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the record cannot be read:", path, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    if (form == FZ_RECORD_DAMAGED) {
        fz_fail(reterr, FRAZIL_ENAMESPACE,
                "the file %q is not a valid record of frazil: it is damaged, or belongs to another program", path);
        return FZ_REGISTER_REFUSED;
    }
    return FZ_REGISTER_OK;
}

/* Reads one; no file is version 0. */
static enum fz_register_result read_record(const struct file_register *reg, struct fz_deadline deadline,
                                           uint32_t number, struct fz_record *ret, frazil_error *reterr)
{
    char path[FZ_PATH_SIZE];
    struct fz_guard guard;
    enum fz_record_form form = FZ_RECORD_DAMAGED;

    if (check_folder(reg, reterr) != FZ_REGISTER_OK)
        return FZ_REGISTER_UNREACHABLE;
    int sys = record_path(reg, number, path);
    if (sys == 0)
        sys = fz_record_file_read(path, ret, &form);
    /* Both slots may have been written while they were read: nobody writes them inside the guard. */
    if (sys == 0 && form == FZ_RECORD_DAMAGED && enter_guard(reg, deadline, &guard, NULL) == FZ_REGISTER_OK) {
        sys = fz_record_file_read(path, ret, &form);
        leave_guard(&guard);
    }
    return judge_read(sys, form, path, reterr);
}

static enum fz_register_result file_read(void *ctx, struct fz_deadline deadline, uint32_t number, struct fz_record *ret,
                                         struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_record record = {.version = 0};
    enum fz_register_result result = read_record(ctx, deadline, number, &record, reterr);

    tell_nothing(status);
    if (result == FZ_REGISTER_OK)
        *ret = record;
    return result;
}

/* Shows records one after the other; it stops at the first file that cannot be read. */
struct walk {
    const struct file_register *reg;
    fz_record_visitor visit;
    void *visit_ctx;
    struct fz_deadline deadline;
    enum fz_register_result result;
    frazil_error *reterr;
};

static void visit_number(struct walk *walk, uint32_t number)
{
    struct fz_record record = {.version = 0};

    if (walk->result != FZ_REGISTER_OK)
        return;
    walk->result = read_record(walk->reg, walk->deadline, number, &record, walk->reterr);
    if (walk->result == FZ_REGISTER_REFUSED && number != FZ_NAMESPACE) {
        record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
        walk->result = FZ_REGISTER_OK;
    }
    if (walk->result == FZ_REGISTER_OK && record.version != 0)
        walk->visit(walk->visit_ctx, number, &record);
}

static void visit_name(void *ctx, const char *name)
{
    uint32_t number;

    if (read_name(name, &number))
        visit_number(ctx, number);
}

static enum fz_register_result file_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                             void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    const struct file_register *reg = ctx;
    struct walk walk = {.reg = reg,
                        .deadline = deadline,
                        .visit = visit,
                        .visit_ctx = visit_ctx,
                        .result = FZ_REGISTER_OK,
                        .reterr = reterr};
    int sys = fz_list_dir(reg->directory, visit_name, &walk);

    tell_nothing(status);
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the directory of the namespace cannot be read:", reg->directory, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    return walk.result;
}

static enum fz_register_result file_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers, size_t n,
                                              size_t whole, fz_record_visitor visit, void *visit_ctx,
                                              struct fz_register_status *status, frazil_error *reterr)
{
    struct walk walk = {.reg = ctx,
                        .deadline = deadline,
                        .visit = visit,
                        .visit_ctx = visit_ctx,
                        .result = FZ_REGISTER_OK,
                        .reterr = reterr};

    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    (void)whole;
    for (size_t i = 0; i < n; i++)
        visit_number(&walk, numbers[i]);
    tell_nothing(status);
    return walk.result;
}

/* ---- swapping ------------------------------------------------------------------ */

/*
 * Microseconds since 1970, so that a record that was lost and made again has another version than before; an odd one
 * after an even one, so that it has the other slot.
 */
static uint64_t version_after(uint64_t found)
{
    frazil_instant now = fz_real_now();
    uint64_t version = now.unix_ms < 0 ? 0 : (uint64_t)now.unix_ms * 1000 + now.ns / 1000;

    if (version <= found)
        version = found + 1;
    return version + ((version ^ found ^ 1) & 1);
}

/*
 * Makes sure that the record that was read is durable before the other slot is written.  Its writer may have been
 * killed before its sync, or its sync may have failed; a sync alone would prove nothing then.  Writing the same bytes
 * once more cannot tear anything.
 */
static int settle_record_file(const struct file_register *reg, uint32_t number, const char *path, int fd,
                              const struct fz_record *found)
{
    enum fz_record_step step;

    if (reg->durable_number == number && reg->durable_version == found->version)
        return 0;
    int sys = fz_record_file_write(fd, found, &step);
    return sys == 0 ? fz_new_file_sync_name(path) : sys;
}

static int write_in_place(const struct file_register *reg, uint32_t number, const char *path, int fd,
                          const struct fz_record *found, const struct fz_record *next, enum fz_record_step *ret_step)
{
    *ret_step = FZ_RECORD_NOT_DONE;
    int sys = settle_record_file(reg, number, path, fd, found);
    return sys == 0 ? fz_record_file_write(fd, next, ret_step) : sys;
}

/* 0 or an errno. */
static int store_record(const struct file_register *reg, uint32_t number, const char *path, enum fz_record_form form,
                        const struct fz_record *found, const struct fz_record *next, enum fz_record_step *ret_step)
{
    int fd;

    /* One that is not there is made, and one that is not only ours replaced. */
    if (form != FZ_RECORD_SLOTS || fz_own_file_open(path, O_RDWR, &fd) != 0)
        return fz_record_file_create(path, next, ret_step);
    int sys = write_in_place(reg, number, path, fd, found, next, ret_step);
    close(fd);
    return sys;
}

static enum fz_register_result swap_guarded(struct file_register *reg, const struct fz_swap *swap, const char *path,
                                            struct fz_record *next, frazil_error *reterr)
{
    struct fz_record found = {.version = 0};
    enum fz_record_form form;
    enum fz_record_step step;
    int sys = fz_record_file_read(path, &found, &form);
    enum fz_register_result result = judge_read(sys, form, path, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (found.version != swap->expected)
        return FZ_REGISTER_CONFLICT;
    next->version = version_after(found.version);
    sys = store_record(reg, swap->number, path, form, &found, next, &step);
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the record cannot be written:", path, "");
        return step == FZ_RECORD_PERHAPS ? FZ_REGISTER_UNKNOWN : FZ_REGISTER_UNREACHABLE;
    }
    reg->durable_number = swap->number;
    reg->durable_version = next->version;
    return FZ_REGISTER_OK;
}

static enum fz_register_result file_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                         uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr)
{
    struct file_register *reg = ctx;
    char path[FZ_PATH_SIZE];
    struct fz_guard guard;
    struct fz_record next = {.len = swap->len};

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    memcpy(next.data, swap->data, swap->len);
    tell_nothing(status);
    int sys = record_path(reg, swap->number, path);
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the record cannot be named in", reg->directory, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    enum fz_register_result result = check_folder(reg, reterr);
    if (result == FZ_REGISTER_OK)
        result = enter_guard(reg, deadline, &guard, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = swap_guarded(reg, swap, path, &next, reterr);
    leave_guard(&guard);
    if (result == FZ_REGISTER_OK && check_folder(reg, reterr) != FZ_REGISTER_OK)
        return FZ_REGISTER_UNKNOWN; /* another thread has called chroot(), before the record was opened or after */
    if (result == FZ_REGISTER_OK)
        *ret_version = next.version;
    return result;
}

/* ---- diagnosing ----------------------------------------------------------------- */

static enum fz_register_result file_diagnose(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                             void *visit_ctx, frazil_error *reterr)
{
    const struct file_register *reg = ctx;
    struct fz_disk disk = {.free_bytes = 0};
    char sentence[FZ_FINDING_SIZE];
    struct fz_sentence s = fz_sentence_in(sentence, sizeof sentence);
    (void)deadline; /* a look at a disk cannot be cut short */
    int sys = fz_disk_look(reg->directory, &disk);

    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the directory of the namespace cannot be examined:", reg->directory, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    fz_sentence_str(&s, "disk: ");
    fz_sentence_u64(&s, disk.free_bytes / 1024);
    fz_sentence_str(&s, " KiB are free");
    if (disk.free_bytes >= FREE_MIN) {
        visit(visit_ctx, FZ_FINDING_OK, sentence);
        return FZ_REGISTER_OK;
    }
    fz_sentence_str(&s, ": a worker id that was never taken needs room for its record: make room on that disk");
    visit(visit_ctx, FZ_FINDING_FAIL, sentence);
    return FZ_REGISTER_OK;
}

static void file_close(void *ctx)
{
    free(ctx);
}

frazil_err fz_file_register_open(struct fz_register *ret, const char *directory, frazil_error *reterr)
{
    struct file_register *reg = calloc(1, sizeof *reg);

    if (reg == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for the register in directory %q", directory);
    frazil_err err = fz_dir_prepare(reg->directory, FZ_DIR_URL, directory, reterr);
    if (err != FRAZIL_OK) {
        free(reg);
        return err;
    }
    char path[FZ_PATH_SIZE];
    if (record_path(reg, FZ_NAMESPACE, path) == 0)
        fz_folder_note(&reg->folder, path);
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_ONE_HOST,
                                .read = file_read,
                                .read_all = file_read_all,
                                .read_many = file_read_many,
                                .swap = file_swap,
                                .diagnose = file_diagnose,
                                .close = file_close};
    return FRAZIL_OK;
}
