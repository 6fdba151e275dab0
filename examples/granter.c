/* SPDX-License-Identifier: MIT */
/*
 * Worker ids from a source of the program's own: a table in a file, one line of which is a worker id.  A granter keeps
 * one rule: no two grants of a worker id overlap in time, for any holders, also after a crash.  So the end of a
 * grant is on the disk before anybody learns of it, and the next grant of that worker id begins there.
 *
 * Takes the table's path.  For hosts that share a disk; yours may be a database that you run anyway.
 */
#include <fcntl.h>
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { WORKERS = 16, GRANT_MS = 10000 };

/* One worker id.  All zero: never granted. */
struct row {
    int64_t end_unix_ms; /* of all that was ever granted of it */
    uint64_t version;    /* raised by each grant: who finds another one has lost the worker id */
};

/* Opens the table and locks it against all other processes; -1: no.  A new descriptor each time needs no care at forks.
 */
static int enter(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0 && flock(fd, LOCK_EX) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool read_row(int fd, uint32_t worker, struct row *ret)
{
    *ret = (struct row){0};
    ssize_t len = pread(fd, ret, sizeof *ret, (off_t)worker * (off_t)sizeof *ret);
    return len == 0 || len == (ssize_t)sizeof *ret;
}

/* Durable when it returns true: that is what the promise to other processes rests on. */
static bool write_row(int fd, uint32_t worker, const struct row *row)
{
    return pwrite(fd, row, sizeof *row, (off_t)worker * (off_t)sizeof *row) == (ssize_t)sizeof *row &&
           fdatasync(fd) == 0;
}

static frazil_err fail(frazil_error *reterr, const char *message)
{
    snprintf(reterr->message, sizeof reterr->message, "%s", message);
    return FRAZIL_EAGAIN;
}

/* Takes the first worker id whose last grant is over. */
static frazil_err take(int fd, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    struct row row;

    for (uint32_t worker = 0; worker < WORKERS; worker++) {
        if (!read_row(fd, worker, &row))
            return fail(reterr, "the table cannot be read");
        if (row.end_unix_ms > now_unix_ms)
            continue;
        const int64_t from = row.end_unix_ms;
        row = (struct row){.end_unix_ms = now_unix_ms + GRANT_MS, .version = row.version + 1};
        if (!write_row(fd, worker, &row))
            return fail(reterr, "the table cannot be written");
        *ret = (frazil_grant){
            .worker = worker, .from_unix_ms = from, .end_unix_ms = row.end_unix_ms, .token = row.version};
        return FRAZIL_OK;
    }
    return FRAZIL_EPOOL;
}

static frazil_err acquire(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    int fd = enter(ctx);

    if (fd < 0)
        return fail(reterr, "the table cannot be opened");
    frazil_err err = take(fd, now_unix_ms, ret, reterr);
    close(fd);
    return err;
}

static frazil_err extend(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr)
{
    struct row row;
    int fd = enter(ctx);

    if (fd < 0)
        return fail(reterr, "the table cannot be opened");
    frazil_err err = FRAZIL_OK;
    if (!read_row(fd, held->worker, &row)) {
        err = fail(reterr, "the table cannot be read");
    } else if (row.version != held->token) {
        err = take(fd, now_unix_ms, ret, reterr); /* somebody has taken it over, above its end: take another one */
    } else if (now_unix_ms + GRANT_MS > held->end_unix_ms) {
        row = (struct row){.end_unix_ms = now_unix_ms + GRANT_MS, .version = row.version + 1};
        ret->end_unix_ms = row.end_unix_ms;
        ret->token = row.version;
        /* In doubt the row may be longer than what is held, which wastes time and repeats nothing. */
        if (!write_row(fd, held->worker, &row))
            err = fail(reterr, "the table cannot be written");
    }
    close(fd);
    return err;
}

static void release(void *ctx, const frazil_grant *held, int64_t used_end_unix_ms)
{
    struct row row;
    int fd = enter(ctx);

    if (fd < 0)
        return; /* the grant runs out by itself */
    if (read_row(fd, held->worker, &row) && row.version == held->token) {
        row = (struct row){.end_unix_ms = used_end_unix_ms, .version = row.version + 1};
        (void)write_row(fd, held->worker, &row);
    }
    close(fd);
}

static frazil_err open_over(frazil **ret, const frazil_granter *granter, frazil_error *reterr)
{
    frazil_options *options;
    frazil_err err = frazil_options_open(&options, reterr);

    if (err != FRAZIL_OK)
        return err;
    err = frazil_options_granter(options, granter, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_with(ret, options, reterr);
    frazil_options_close(options);
    return err;
}

int main(int argc, char **argv)
{
    frazil *gen;
    frazil_error err;
    uint64_t id;

    if (argc != 2) {
        fprintf(stderr, "usage: granter TABLE\n");
        return 2;
    }
    const frazil_granter granter = {
        .size = sizeof granter, .ctx = argv[1], .acquire = acquire, .extend = extend, .release = release};
    if (open_over(&gen, &granter, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (int i = 0; i < 10; i++) {
        if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        printf("%" PRIu64 "\n", id);
    }
    frazil_close(gen);
    return 0;
}
