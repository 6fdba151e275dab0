/* SPDX-License-Identifier: MIT */
#include "file_register.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "lease/record_text.h"
#include "os/clock.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "os/file.h"
#include "os/guard.h"
#include "os/list_dir.h"
#include "os/new_file.h"
#include "os/write_file.h"

#define NAMESPACE_NAME "namespace"
#define WORKER_PREFIX "worker-"

/* "VERSION DATA\n": the last byte tells a whole file from one that was cut off. */
enum { CONTENT_SIZE = FZ_RECORD_TEXT_SIZE + 1 };

struct file_register {
    char directory[FZ_PATH_SIZE];
};

/* ---- names and contents ------------------------------------------------------ */

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

static bool read_content(const char *text, size_t len, struct fz_record *ret)
{
    return len > 0 && text[len - 1] == '\n' && fz_record_text_read(text, len - 1, ret);
}

static size_t write_content(uint64_t version, const char *data, size_t len, char buf[CONTENT_SIZE])
{
    size_t at = fz_record_text_write(version, data, len, buf);

    buf[at++] = '\n';
    return at;
}

/* ---- reading ------------------------------------------------------------------- */

static void tell_nothing(struct fz_register_status *status)
{
    if (status != NULL)
        *status = (struct fz_register_status){.has_clock = false};
}

/* Reads one; no file is version 0. */
static enum fz_register_result read_record(const struct file_register *reg, uint32_t number, struct fz_record *ret,
                                           frazil_error *reterr)
{
    char path[FZ_PATH_SIZE];
    char content[CONTENT_SIZE + 1];
    size_t len = 0;
    int sys = record_path(reg, number, path);

    if (sys == 0)
        sys = fz_file_read(path, content, sizeof content, &len);
    if (sys == ENOENT) {
        ret->version = 0;
        return FZ_REGISTER_OK;
    }
    if (sys != 0 && sys != EFBIG) {
        fz_fail_errno(reterr, sys, "the record cannot be read:", path, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    if (!read_content(content, len, ret)) { /* len is 0 after EFBIG */
        fz_fail(reterr, FRAZIL_EWORKER,
                "the file %q is not a whole record of frazil: it is damaged, or somebody else's", path);
        return FZ_REGISTER_REFUSED;
    }
    return FZ_REGISTER_OK;
}

static enum fz_register_result file_read(void *ctx, uint32_t number, struct fz_record *ret,
                                         struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_record record = {.version = 0};
    enum fz_register_result result = read_record(ctx, number, &record, reterr);

    tell_nothing(status);
    if (result == FZ_REGISTER_OK)
        *ret = record;
    return result;
}

/* A walk through the directory; it stops at the first file that cannot be read. */
struct walk {
    const struct file_register *reg;
    fz_record_visitor visit;
    void *visit_ctx;
    enum fz_register_result result;
    frazil_error *reterr;
};

static void visit_name(void *ctx, const char *name)
{
    struct walk *walk = ctx;
    struct fz_record record = {.version = 0};
    uint32_t number;

    if (walk->result != FZ_REGISTER_OK || !read_name(name, &number))
        return;
    walk->result = read_record(walk->reg, number, &record, walk->reterr);
    if (walk->result == FZ_REGISTER_REFUSED && number != FZ_NAMESPACE) {
        record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
        walk->result = FZ_REGISTER_OK;
    }
    if (walk->result == FZ_REGISTER_OK && record.version != 0)
        walk->visit(walk->visit_ctx, number, &record);
}

static enum fz_register_result file_read_all(void *ctx, fz_record_visitor visit, void *visit_ctx,
                                             struct fz_register_status *status, frazil_error *reterr)
{
    const struct file_register *reg = ctx;
    struct walk walk = {.reg = reg, .visit = visit, .visit_ctx = visit_ctx, .result = FZ_REGISTER_OK, .reterr = reterr};
    int sys = fz_list_dir(reg->directory, visit_name, &walk);

    tell_nothing(status);
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the directory of the namespace cannot be read:", reg->directory, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    return walk.result;
}

/* ---- swapping ------------------------------------------------------------------ */

/* Microseconds since 1970, so that a record that was lost and made again has another version than before. */
static uint64_t version_after(uint64_t found)
{
    frazil_instant now = fz_real_now();
    uint64_t version = now.unix_ms < 0 ? 0 : (uint64_t)now.unix_ms * 1000 + now.ns / 1000;

    return version > found ? version : found + 1;
}

static enum fz_register_result swap_guarded(const struct file_register *reg, uint32_t number, const char *path,
                                            uint64_t expected, const char *data, size_t len, uint64_t *ret_version,
                                            frazil_error *reterr)
{
    struct fz_record found = {.version = 0};
    char content[CONTENT_SIZE];
    enum fz_register_result result = read_record(reg, number, &found, reterr);
    int fd;

    if (result != FZ_REGISTER_OK)
        return result;
    if (found.version != expected)
        return FZ_REGISTER_CONFLICT;
    uint64_t version = version_after(found.version);
    int sys = fz_new_file_begin(path, &fd);
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the record cannot be written:", path, "");
        return FZ_REGISTER_UNREACHABLE;
    }
    result = FZ_REGISTER_UNREACHABLE;
    sys = fz_file_write(fd, 0, content, write_content(version, data, len, content));
    if (sys == 0) {
        sys = fz_new_file_publish_durably(path, fd);
        result = FZ_REGISTER_UNKNOWN; /* it may have its name, and yet not be durable */
    }
    if (sys != 0) {
        fz_new_file_abandon(path, fd);
        fz_fail_errno(reterr, sys, "the record cannot be written:", path, "");
        return result;
    }
    close(fd);
    *ret_version = version;
    return FZ_REGISTER_OK;
}

static enum fz_register_result file_swap(void *ctx, uint32_t number, uint64_t expected, const char *data, size_t len,
                                         uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr)
{
    const struct file_register *reg = ctx;
    char path[FZ_PATH_SIZE];
    char guard_path[FZ_PATH_SIZE];
    struct fz_guard guard = {.file = FZ_KEPT_NONE};

    assert(len <= FZ_RECORD_SIZE_MAX);
    tell_nothing(status);
    int sys = record_path(reg, number, path);
    if (sys == 0)
        sys = fz_path_join(guard_path, reg->directory, "/records", "");
    if (sys == 0)
        sys = fz_guard_open(&guard, guard_path); /* anew each time, so that no child inherits it */
    if (sys == 0)
        sys = fz_guard_enter(&guard);
    if (sys != 0) {
        fz_fail_errno(reterr, sys, "the guard of the namespace cannot be entered:", guard_path, "");
        fz_guard_close(&guard);
        return FZ_REGISTER_UNREACHABLE;
    }
    enum fz_register_result result = swap_guarded(reg, number, path, expected, data, len, ret_version, reterr);
    fz_guard_leave(&guard);
    fz_guard_close(&guard);
    return result;
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
    *ret = (struct fz_register){.ctx = reg,
                                .register_class = FZ_REGISTER_ONE_HOST,
                                .read = file_read,
                                .read_all = file_read_all,
                                .swap = file_swap,
                                .close = file_close};
    return FRAZIL_OK;
}
