/* SPDX-License-Identifier: MIT */
/*
 * A program that takes an id every few milliseconds until it is told to end: `taker SPEC CLOCK RECORD IDS PAUSE_US`.
 *
 * Its clock is the host's: the real one, ahead by as many ms as the file CLOCK says.  All that it knows stands in the
 * file RECORD, mapped, so that nothing is lost when it is killed: a head, then its ids in the order in which it took
 * them, IDS at the most.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

static volatile sig_atomic_t is_over;

static void end_soon(int number)
{
    (void)number;
    is_over = 1;
}

static void *map(const char *path, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *memory = fd < 0 || ftruncate(fd, (off_t)size) != 0
                       ? MAP_FAILED
                       : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(fd);
    return memory;
}

/* ---- its clock --------------------------------------------------------------------- */

static uint64_t monotonic_ns(void *ctx)
{
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void host_now(void *ctx, frazil_instant *ret)
{
    const _Atomic int64_t *offset_ms = ctx;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    ret->unix_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + *offset_ms;
    ret->ns = (uint32_t)(now.tv_nsec % 1000000);
}

static void sleep_until(void *ctx, uint64_t ns)
{
    const struct timespec until = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    (void)ctx;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void pause_us(uint64_t us)
{
    sleep_until(NULL, monotonic_ns(NULL) + us * 1000);
}

/* ---- its life ---------------------------------------------------------------------- */

static void note_error(struct record *record, const frazil_error *err)
{
    memcpy(record->error, err->message,
           sizeof record->error < sizeof err->message ? sizeof record->error : sizeof err->message);
    record->error[sizeof record->error - 1] = '\0';
    record->errors++;
}

static frazil_err open_once(frazil **ret, const char *spec, _Atomic int64_t *offset_ms, frazil_error *reterr)
{
    const frazil_clock clock = {sizeof clock, offset_ms, host_now, monotonic_ns, sleep_until};
    frazil_options *options;
    frazil_err err = frazil_options_open(&options, reterr);

    if (err != FRAZIL_OK)
        return err;
    err = frazil_options_spec(options, spec, strlen(spec), reterr);
    if (err == FRAZIL_OK)
        err = frazil_options_clock(options, &clock, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_with(ret, options, reterr);
    frazil_options_close(options);
    return err;
}

/* As a supervisor does: again and again, until it opens. */
static frazil *open_somehow(const char *spec, _Atomic int64_t *offset_ms, struct record *record)
{
    frazil *gen = NULL;
    frazil_error err;

    while (!is_over && open_once(&gen, spec, offset_ms, &err) != FRAZIL_OK) {
        note_error(record, &err);
        pause_us(200000);
    }
    return gen;
}

/* One that was without ids for long writes that down. */
static void note_id(struct record *record, uint64_t id)
{
    uint64_t now_ns = monotonic_ns(NULL);

    if (record->count > 0 && now_ns - record->last_ns >= RECORD_GAP_NS && record->gap_count < RECORD_GAPS) {
        record->gaps[record->gap_count] = (struct record_gap){record->last_ns, now_ns};
        record->gap_count++;
    }
    if (record->count == 0)
        record->first_ns = now_ns;
    record->last_ns = now_ns;
    record->ids[record->count] = id;
    record->count++;
}

static void take(frazil *gen, struct record *record, uint64_t room, uint64_t pause)
{
    frazil_info info;
    frazil_error err;
    uint64_t id;

    while (!is_over && record->count < room) {
        if (frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) == FRAZIL_OK)
            note_id(record, id);
        else
            note_error(record, &err);
        frazil_get_info(gen, &info, sizeof info);
        record->worker = info.worker;
        pause_us(pause);
    }
}

int main(int argc, char **argv)
{
    const struct sigaction ending = {.sa_handler = end_soon};

    if (argc != 6) {
        fputs("usage: taker SPEC CLOCK RECORD IDS PAUSE_US\n", stderr);
        return 2;
    }
    uint64_t room = strtoull(argv[4], NULL, 10);
    struct record *record = map(argv[3], sizeof *record + room * sizeof record->ids[0]);
    _Atomic int64_t *offset_ms = map(argv[2], sizeof *offset_ms);
    sigaction(SIGTERM, &ending, NULL);
    record->started_ns = monotonic_ns(NULL);
    frazil *gen = open_somehow(argv[1], offset_ms, record);
    if (gen == NULL)
        return 1;
    take(gen, record, room, strtoull(argv[5], NULL, 10));
    frazil_close(gen);
    return record->count < room ? 0 : 3;
}
