/* SPDX-License-Identifier: MIT */
/*
 * konayuki's file counter: slots of one worker, counted in a folder of this host.
 *
 *   konayuki+file:///PATH    a file "worker-N.count" for each worker, "TICK PLACE",
 *                            the last slot taken, under its guard "worker-N.lock"
 *
 * A tick's first place is 0 or a random one, then one more each time, and when the
 * tick is full, or the clock has gone back, callers wait.  A count that is not
 * there, or is empty, may have been wiped: no slot of the present tick is taken then.
 * One that is short is an error, and so is a folder that is gone.
 *
 * The folder is made with those above it, as konayuki makes it.  Nothing in it is
 * synced, and every slot costs a lock: it is for programs that have konayuki's set-up.
 * The key state=file does the same through shared memory, and survives a restart.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/foreign.h"
#include "core/decimal.h"
#include "core/sentence.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/guard.h"
#include "os/own_file.h"

#define PREFIX "konayuki+file://"

/* "TICK PLACE\n", of one width, so that a count is always written over whole. */
enum { NUMBER_LEN = 20, COUNT_SIZE = 2 * NUMBER_LEN + 2 };

struct file_slots {
    char base[FZ_PATH_SIZE]; /* FOLDER/worker-N */
    char path[FZ_PATH_SIZE]; /* of the count */
    struct fz_folder folder;
    frazil_random random;
    uint64_t capacity;
    bool random_start;
};

/* The last slot taken. */
struct count {
    bool known;
    uint64_t tick;
    uint64_t place;
};

static void write_number(char *at, uint64_t number)
{
    for (size_t i = NUMBER_LEN; i-- > 0; number /= 10)
        at[i] = (char)('0' + number % 10);
}

static bool read_counter(const char *at, uint64_t *ret)
{
    while (*at == '0' && at[1] >= '0' && at[1] <= '9')
        at++;
    size_t len = strspn(at, "0123456789");
    return fz_decimal_parse(at, len, ret);
}

static bool parse_count(const char text[COUNT_SIZE], struct count *ret)
{
    char copy[COUNT_SIZE];

    memcpy(copy, text, sizeof copy);
    if (copy[NUMBER_LEN] != ' ' || copy[COUNT_SIZE - 1] != '\n' || strspn(copy, "0123456789") != NUMBER_LEN ||
        strspn(copy + NUMBER_LEN + 1, "0123456789") != NUMBER_LEN)
        return false;
    ret->known = true;
    return read_counter(copy, &ret->tick) && read_counter(copy + NUMBER_LEN + 1, &ret->place);
}

static frazil_err read_count(const struct file_slots *slots, int fd, struct count *ret, frazil_error *reterr)
{
    char text[COUNT_SIZE + 1];
    ssize_t got;

    do
        got = pread(fd, text, sizeof text, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fz_fail_errno(reterr, errno, "cannot read the count", slots->path, "");
    *ret = (struct count){.known = false};
    if (got == 0) /* its creator may have been killed before it wrote */
        return FRAZIL_OK;
    if (got != COUNT_SIZE || !parse_count(text, ret) || ret->place >= slots->capacity)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "%s is not a slot count of frazil, or is of another layout: remove it, and counting restarts at "
                       "the next tick",
                       slots->path);
    return FRAZIL_OK;
}

static frazil_err write_count(const struct file_slots *slots, int fd, uint64_t tick, uint64_t place,
                              frazil_error *reterr)
{
    char text[COUNT_SIZE];

    write_number(text, tick);
    text[NUMBER_LEN] = ' ';
    write_number(text + NUMBER_LEN + 1, place);
    text[COUNT_SIZE - 1] = '\n';
    int sys = fz_file_write(fd, 0, text, sizeof text);
    return sys == 0 ? FRAZIL_OK : fz_fail_errno(reterr, sys, "cannot write the count", slots->path, "");
}

static frazil_err none_now(frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_EFULL, "all slots of this tick are taken");
}

static frazil_err take_counted(struct file_slots *slots, int fd, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                               frazil_error *reterr)
{
    struct count count = {.known = false};
    uint64_t place = 0;

    frazil_err err = read_count(slots, fd, &count, reterr);
    if (err != FRAZIL_OK)
        return err;
    if (!count.known) {
        /* It may have been wiped: whatever was taken of this tick is taken. */
        err = write_count(slots, fd, now_tick, slots->capacity - 1, reterr);
        return err == FRAZIL_OK ? none_now(reterr) : err;
    }
    if (count.tick > now_tick || (count.tick == now_tick && count.place + 1 == slots->capacity))
        return none_now(reterr);
    if (count.tick == now_tick)
        place = count.place + 1;
    else if (slots->random_start)
        place = slots->random.next(slots->random.ctx) % slots->capacity;
    if (n > slots->capacity - place)
        n = slots->capacity - place;
    err = write_count(slots, fd, now_tick, place + n - 1, reterr);
    if (err == FRAZIL_OK)
        *ret = (struct fz_slot_run){.tick = now_tick, .place = place, .count = n};
    return err;
}

static frazil_err take_guarded(struct file_slots *slots, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                               frazil_error *reterr)
{
    int fd;
    int sys = fz_own_file_open(slots->path, O_RDWR | O_CREAT, &fd);

    if (sys != 0)
        return fz_fail_errno(reterr, sys, "cannot open the count", slots->path, "");
    frazil_err err = take_counted(slots, fd, now_tick, n, ret, reterr);
    close(fd);
    return err;
}

static frazil_err folder_is_gone(const struct file_slots *slots, frazil_error *reterr)
{
    char folder[FZ_PATH_SIZE];

    memcpy(folder, slots->base, sizeof folder);
    *strrchr(folder, '/') = '\0';
    return fz_fail_errno(reterr, ENOENT, "the folder of the counts was removed:", folder,
                         ": create it again (mkdir -m 700), and counting restarts at the next tick");
}

static frazil_err take(void *ctx, struct fz_deadline deadline, uint64_t now_tick, uint64_t n, struct fz_slot_run *ret,
                       frazil_error *reterr)
{
    struct file_slots *slots = ctx;
    struct fz_guard guard = {.file = FZ_KEPT_NONE};

    if (fz_folder_at(&slots->folder, slots->base) == FZ_REFUSED_ELSEWHERE)
        return fz_fail_errno(reterr, FZ_REFUSED_ELSEWHERE, "cannot use the count", slots->path, "");
    int sys = fz_guard_open(&guard, slots->base); /* anew each time, so that no child inherits it */
    if (sys == 0)
        sys = fz_guard_enter(&guard, fz_deadline_earlier(deadline, fz_guard_deadline()));
    if (sys != 0) {
        fz_guard_close(&guard);
        if (sys == ENOENT)
            return folder_is_gone(slots, reterr);
        return fz_guard_fail(sys, "the lock of the count cannot be opened:", slots->base, reterr);
    }
    frazil_err err = take_guarded(slots, now_tick, n, ret, reterr);
    fz_guard_leave(&guard);
    fz_guard_close(&guard);
    return err;
}

static frazil_err name_files(struct file_slots *slots, const struct fz_slots_request *request, frazil_error *reterr)
{
    char folder[FZ_PATH_SIZE];
    char file[32];
    struct fz_sentence name = fz_sentence_in(file, sizeof file);

    frazil_err err = fz_dir_prepare(folder, FZ_DIR_TREE, request->url + sizeof PREFIX - 1, reterr);
    if (err != FRAZIL_OK)
        return err;
    fz_sentence_str(&name, "/worker-");
    fz_sentence_u64(&name, request->worker);
    int sys = fz_path_join(slots->base, folder, file, "");
    if (sys == 0)
        sys = fz_path_join(slots->path, slots->base, ".count", "");
    if (sys == 0)
        fz_folder_note(&slots->folder, slots->base);
    return sys == 0 ? FRAZIL_OK : fz_fail_errno(reterr, sys, "cannot name the count in", folder, "");
}

frazil_err fz_konayuki_counter_open(const frazil_coordinator *self, const struct fz_slots_request *request,
                                    struct fz_slot_source *ret, frazil_error *reterr)
{
    (void)self;
    if (strncmp(request->url, PREFIX "/", sizeof PREFIX) != 0)
        return fz_fail(
            reterr, FRAZIL_ESPEC,
            "state=%q: must be konayuki+file:// and an absolute path, as in konayuki+file:///var/lib/konayuki",
            request->url);
    struct file_slots *slots = calloc(1, sizeof *slots);
    if (slots == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    slots->random = *request->random;
    slots->capacity = fz_bounds_count(&request->bounds);
    slots->random_start = request->random_start;
    frazil_err err = name_files(slots, request, reterr);
    if (err != FRAZIL_OK) {
        free(slots);
        return err;
    }
    *ret = (struct fz_slot_source){.ctx = slots, .is_folder = true, .take = take, .close = free};
    return FRAZIL_OK;
}
