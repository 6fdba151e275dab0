/* SPDX-License-Identifier: MIT */
#include "word_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sentence.h"
#include "fail_errno.h"
#include "file.h"
#include "frazil/layout.h"
#include "host.h"
#include "own_file.h"
#include "shards.h"

#define BYTE_ORDER_MARK UINT64_C(0x0102030405060708)

static const char magic[8] = "fz word";

static const char word_way_out[] =
    "stop the processes that use it, and run `frazil state init` with their spec, or name "
    "another directory with run_dir=";

/* Native byte order and sizes: the payload has them, too. */
struct header {
    char magic[8];
    uint64_t byte_order;
    uint32_t version;
    uint32_t pointer_bits;
    uint64_t payload_size;
    uint64_t nonce;
    uint64_t inode; /* its own: a copy has another one */
    uint64_t worker;
    char boot_id[FZ_BOOT_ID_SIZE]; /* empty: written where the system has none */
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    uint64_t seq_min;
    uint64_t seq_max;
    uint64_t device; /* with the inode */
    uint64_t birth;  /* as fz_file_birth says: a copy may have the inode's number and the device's */
};

_Static_assert(sizeof(struct header) <= FZ_WORD_FILE_HEADER_SIZE, "the payload begins behind the header");

static size_t file_size(size_t payload_size)
{
    return FZ_WORD_FILE_HEADER_SIZE + payload_size;
}

/* ---- whose is it? -------------------------------------------------------- */

static frazil_err wrong_number(const char *path, const char *what, uint64_t found, uint64_t expected,
                               frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESTATE, "the word file %q has %s %u, here it is %u: %s", path, what, found, expected,
                   word_way_out);
}

static frazil_err wrong_version(const struct header *header, const char *path, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESTATE,
                   "the word file %q has version %u, this frazil knows version %u: use one frazil for all, or %s", path,
                   (uint64_t)header->version, (uint64_t)FZ_WORD_FILE_VERSION, word_way_out);
}

/* Nothing else in the header can be believed before this is known. */
static frazil_err check_format(const struct header *header, size_t len, const char *path, frazil_error *reterr)
{
    if (len != FZ_WORD_FILE_HEADER_SIZE)
        return wrong_number(path, "a header with a length of", len, FZ_WORD_FILE_HEADER_SIZE, reterr);
    if (memcmp(header->magic, magic, sizeof magic) != 0)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "%q is not a word file of frazil: name another directory with run_dir=", path);
    if (header->byte_order != BYTE_ORDER_MARK)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "the word file %q was written with the other byte order, so on another machine: %s", path,
                       word_way_out);
    if (header->version != FZ_WORD_FILE_VERSION)
        return wrong_version(header, path, reterr);
    if (header->pointer_bits != sizeof(void *) * 8)
        return wrong_number(path, "a pointer size in bits of", header->pointer_bits, sizeof(void *) * 8, reterr);
    return FRAZIL_OK;
}

static frazil_err check_identity(const struct header *header, const struct fz_word_identity *identity, const char *path,
                                 frazil_error *reterr)
{
    const struct fz_bounds *bounds = &identity->bounds;

    size_t len = strnlen(header->fingerprint, sizeof header->fingerprint);

    if (header->worker != identity->worker)
        return wrong_number(path, "worker", header->worker, identity->worker, reterr);
    if (len != strlen(identity->fingerprint) || memcmp(header->fingerprint, identity->fingerprint, len) != 0)
        return fz_fail(reterr, FRAZIL_ESTATE, "the word file %q has the layout %Q, here it is %q: %s", path,
                       header->fingerprint, len, identity->fingerprint, word_way_out);
    if (header->seq_min != bounds->min || header->seq_max != bounds->max)
        return fz_fail(reterr, FRAZIL_ESTATE,
                       "the word file %q is of the sequence numbers %u to %u, here it is of %u to %u: %s", path,
                       header->seq_min, header->seq_max, bounds->min, bounds->max, word_way_out);
    return FRAZIL_OK;
}

static frazil_err check_size(const struct header *header, uint64_t size, size_t payload_size, const char *path,
                             frazil_error *reterr)
{
    if (header->payload_size != payload_size)
        return wrong_number(path, "a payload size of", header->payload_size, payload_size, reterr);
    if (size != file_size(payload_size))
        return wrong_number(path, "a size in bytes of", size, file_size(payload_size), reterr);
    return FRAZIL_OK;
}

/* ---- finding and making -------------------------------------------------- */

/* All that an open knows besides the file. */
struct opening {
    struct fz_word_file *file;
    const struct fz_word_identity *identity;
    char boot_id[FZ_BOOT_ID_SIZE];      /* empty where the system has none */
    struct fz_word_file_status *status; /* when it is only looked at */
    bool is_open;                       /* *file stays open afterwards */
    struct fz_deadline deadline;
    frazil_error *reterr;
};

static frazil_err fail_sys(const struct opening *o, int sys, const char *what)
{
    return fz_fail_errno(o->reterr, sys, what, o->file->path, "");
}

static int read_header(int fd, struct header *ret, size_t *ret_len)
{
    char block[FZ_WORD_FILE_HEADER_SIZE] = {0};

    int err = fz_file_read_first(fd, block, sizeof block, ret_len);
    memcpy(ret, block, sizeof *ret);
    return err;
}

/* Whether its word may be one of before the boot, of which one that has no id tells nothing. */
static bool is_of_another_boot(const struct opening *o, const struct header *header)
{
    return o->boot_id[0] == '\0' || header->boot_id[0] == '\0' ||
           memcmp(header->boot_id, o->boot_id, sizeof o->boot_id) != 0;
}

/* Whether it was made as another file. */
static bool is_copy(const struct header *header, int fd, const struct stat *status)
{
    return header->inode != status->st_ino || header->device != status->st_dev || header->birth != fz_file_birth(fd);
}

/*
 * Whether its word may be an old one.  Only if no process has the file: a process that has it found it valid, and no
 * process outlives a boot.  So the lock counts, not only boot ids, which may differ in containers on one kernel.
 */
static bool is_stale(const struct opening *o, int fd, const struct header *header, const struct stat *status)
{
    return (is_copy(header, fd, status) || is_of_another_boot(o, header)) && fz_own_file_lock(fd, LOCK_EX) == 0;
}

/*
 * Looks over a file that was opened just now, with that status.  *ret_stale: it is from before the boot or a copy,
 * so that its word may be an old one; whose it was does not matter then.
 */
static frazil_err look_over(const struct opening *o, const struct stat *status, bool *ret_stale)
{
    struct fz_word_file *file = o->file;
    struct header header = {.version = 0};
    size_t len = 0;

    int fd = fz_kept_fd_known(&file->file);
    int sys = read_header(fd, &header, &len);
    if (sys != 0)
        return fail_sys(o, sys, "the word file cannot be read:");
    frazil_err err = check_format(&header, len, file->path, o->reterr);
    if (err != FRAZIL_OK)
        return err;
    *ret_stale = is_stale(o, fd, &header, status);
    if (*ret_stale)
        return FRAZIL_OK;
    err = check_identity(&header, o->identity, file->path, o->reterr);
    if (err == FRAZIL_OK)
        err = check_size(&header, (uint64_t)status->st_size, file->payload_size, file->path, o->reterr);
    file->nonce = header.nonce;
    return err;
}

/* Opens the file and keeps it.  0 or an errno. */
static int open_and_keep(struct fz_word_file *file, struct stat *ret_status)
{
    return fz_own_file_keep(file->path, O_RDWR, &file->file, ret_status);
}

/*
 * 0: no other process has the file, which was opened just now, or gets it before drop().  Or an errno; EWOULDBLOCK:
 * another one has it.
 */
static int take_alone(struct fz_word_file *file)
{
    int sys = fz_own_file_lock(fz_kept_fd_known(&file->file), LOCK_EX);

    file->alone = sys == 0;
    return sys;
}

/* Opens the file if there is one that is not stale; otherwise none is kept. */
static frazil_err find(const struct opening *o)
{
    struct fz_word_file *file = o->file;
    struct stat status;
    bool stale = false;

    int sys = open_and_keep(file, &status);
    if (sys == ENOENT)
        return FRAZIL_OK;
    if (sys != 0)
        return fail_sys(o, sys, "the word file cannot be opened:");
    frazil_err err = look_over(o, &status, &stale);
    /* It stays where it is: the new file is renamed over it, so no moment is without a file. */
    if (err == FRAZIL_OK && stale)
        fz_kept_fd_close(&file->file);
    return err;
}

/* Writes a header into an empty file and gives the payload its place on the disk.  0 or an errno. */
static int fill(const struct opening *o, int fd)
{
    struct fz_word_file *file = o->file;
    struct header header = {.byte_order = BYTE_ORDER_MARK, .version = FZ_WORD_FILE_VERSION};
    struct stat status;

    int sys = fz_host_entropy(&file->nonce);
    if (sys != 0)
        return sys;
    if (fstat(fd, &status) != 0)
        return errno;
    memcpy(header.magic, magic, sizeof magic);
    header.pointer_bits = sizeof(void *) * 8;
    header.payload_size = file->payload_size;
    header.nonce = file->nonce;
    /* A copy of the file has another number, or the same one on another file system, and is found stale by it. */
    header.inode = status.st_ino;
    header.device = status.st_dev;
    header.birth = fz_file_birth(fd);
    header.worker = o->identity->worker;
    header.seq_min = o->identity->bounds.min;
    header.seq_max = o->identity->bounds.max;
    memcpy(header.boot_id, o->boot_id, sizeof header.boot_id);
    memcpy(header.fingerprint, o->identity->fingerprint, strlen(o->identity->fingerprint));

    /* Reserved, so that a full disk is an error here and not a SIGBUS when the word is first touched. */
    sys = fz_file_reserve(fd, file_size(file->payload_size));
    return sys == 0 ? fz_file_write(fd, 0, &header, sizeof header) : sys;
}

static frazil_err make(const struct opening *o)
{
    struct fz_word_file *file = o->file;
    int fd;

    int sys = fz_new_file_begin(file->path, &fd);
    if (sys != 0)
        return fail_sys(o, sys, "the word file cannot be made:");
    sys = fill(o, fd);
    if (sys == 0)
        sys = fz_kept_fd_set(&file->file, fd);
    if (sys == 0)
        sys = fz_new_file_publish(file->path);
    if (sys != 0) {
        /* Forgotten first: abandoning closes the descriptor. */
        fz_kept_fd_forget(&file->file);
        fz_new_file_abandon(file->path, fd);
        return fail_sys(o, sys, "the word file cannot be made:");
    }
    file->created = true;
    return FRAZIL_OK;
}

/* ---- the other words of the worker ---------------------------------------- */

/* An opening, and what became of it. */
struct neighbours {
    const struct opening *opening;
    const char *way_out;
    frazil_err err;
};

/* Refuses a word that a process has, and that is not this one. */
static bool check_neighbour(void *ctx, const char *path, const struct fz_bounds *bounds)
{
    struct neighbours *neighbours = ctx;
    const struct opening *o = neighbours->opening;
    const struct fz_bounds *own = &o->identity->bounds;
    int fd;

    if (fz_bounds_are_equal(bounds, own))
        return true;
    int sys = fz_own_file_open(path, O_RDWR, &fd);
    if (sys == ENOENT)
        return true;
    if (sys == 0) {
        sys = fz_own_file_try(fd);
        close(fd);
    }
    if (sys == EWOULDBLOCK)
        neighbours->err =
            fz_fail(o->reterr, FRAZIL_EWORKER,
                    "other processes use worker %u with the sequence numbers %u to %u, which overlap "
                    "with %u to %u here: %s (%q)",
                    o->identity->worker, bounds->min, bounds->max, own->min, own->max, neighbours->way_out, path);
    else if (sys != 0)
        neighbours->err = fz_fail_errno(o->reterr, sys, "cannot determine whether a process uses", path, "");
    return neighbours->err == FRAZIL_OK;
}

/* Nobody can open another word of this worker meanwhile: they have one guard. */
static frazil_err check_neighbours(const struct opening *o, const char *way_out)
{
    struct neighbours neighbours = {.opening = o, .way_out = way_out, .err = FRAZIL_OK};

    int sys = fz_shards_visit(o->file->worker_path, &o->identity->bounds, check_neighbour, &neighbours);
    if (neighbours.err != FRAZIL_OK)
        return neighbours.err;
    return sys == 0 ? FRAZIL_OK : fail_sys(o, sys, "the other words of the worker cannot be looked through:");
}

/* ---- mapping ------------------------------------------------------------- */

/* 0 or an errno. */
static int map_word(struct fz_word_file *file, int fd)
{
    char *pages = mmap(NULL, file_size(file->payload_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (pages == MAP_FAILED)
        return errno;
    file->payload = pages + FZ_WORD_FILE_HEADER_SIZE;
    return 0;
}

/*
 * The mapping keeps the open file, and with it the lock, also when a program closes all descriptors; not on an
 * overlay, which maps the file below: there the descriptor alone keeps it.
 */
static void drop(struct fz_word_file *file)
{
    if (file->payload != NULL)
        munmap((char *)file->payload - FZ_WORD_FILE_HEADER_SIZE, file_size(file->payload_size));
    file->payload = NULL;
    if (file->alone) /* a child that was forked meanwhile would keep everybody else out */
        fz_own_file_unlock_and_close(&file->file);
    else
        fz_kept_fd_close(&file->file);
    file->alone = false;
}

static frazil_err find_or_make(struct opening *o)
{
    struct fz_word_file *file = o->file;

    frazil_err err = check_neighbours(o, "give both the same bounds or disjoint ones, or this one another worker");
    if (err == FRAZIL_OK)
        err = find(o);
    if (err == FRAZIL_OK && !fz_kept_fd_is_set(&file->file))
        err = make(o);
    if (err != FRAZIL_OK)
        return err;
    int fd = fz_kept_fd_known(&file->file);
    /* Still inside the guard, so nobody can find the file unlocked and take it for one that nobody has. */
    int sys = fz_own_file_lock(fd, LOCK_SH);
    if (sys == 0)
        sys = map_word(file, fd);
    if (sys != 0)
        return fail_sys(o, sys, "the word file cannot be locked and mapped:");
    file->device = file->file.mark.device;
    file->inode = file->file.mark.inode;
    if (o->identity->prepare != NULL)
        o->identity->prepare(file->payload);
    err = o->identity->admit == NULL ? FRAZIL_OK : o->identity->admit(o->identity->ctx, file, o->reterr);
    if (err != FRAZIL_OK && file->created)
        (void)unlink(file->path);
    o->is_open = err == FRAZIL_OK;
    return err;
}

/*
 * Carries something out inside the file's guard.  A lock that was only tested is given up inside as well: the next
 * process would take it for a process that has the file.
 */
static frazil_err do_guarded(struct opening *o, frazil_err (*act)(struct opening *o))
{
    struct fz_word_file *file = o->file;

    int sys = fz_guard_open_and_enter(&file->guard, file->worker_path, o->deadline);
    if (sys != 0)
        return fz_guard_fail(sys, "the lock of the word file cannot be opened:", file->worker_path, o->reterr);
    frazil_err err = act(o);
    if (!o->is_open)
        drop(file);
    fz_guard_leave_for_good(&file->guard);
    return err;
}

/* Prepares an opening and carries it out; if it is_open then, what is open is in *file. */
static frazil_err begin(struct opening *o, const char *path, const struct fz_bounds *bounds,
                        frazil_err (*act)(struct opening *o))
{
    struct fz_word_file *file = o->file;

    if (fz_path_join(file->worker_path, path, "", "") != 0 || fz_shards_file(file->path, path, bounds) != 0)
        return fz_fail(o->reterr, FRAZIL_ESPEC, "the path of the word file is too long: %q", path);
    int sys = fz_boot_id(o->boot_id);
    if (sys != 0 && sys != ENOTSUP)
        return fz_fail_errno(o->reterr, sys, "cannot determine the boot id", NULL,
                             "; let this program see /proc/sys (a service: without ProcSubset=pid)");
    if (sys == 0)
        o->boot_id[strlen(o->boot_id)] = '\n'; /* as the kernel writes it, and the files do */
    frazil_err err = do_guarded(o, act);
    fz_guard_close(&file->guard);
    return err;
}

frazil_err fz_word_file_open(struct fz_word_file *ret, const char *path, const struct fz_word_identity *identity,
                             size_t payload_size, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_word_file file = {.guard = {.file = FZ_KEPT_NONE}, .file = FZ_KEPT_NONE, .payload_size = payload_size};
    struct opening o = {.file = &file, .identity = identity, .deadline = deadline, .reterr = reterr};

    assert(payload_size >= 1 && strlen(identity->fingerprint) < FRAZIL_FINGERPRINT_SIZE);
    frazil_err err = begin(&o, path, &identity->bounds, find_or_make);
    if (err == FRAZIL_OK)
        *ret = file;
    return err;
}

/* ---- from outside ---------------------------------------------------------- */

/* Opens the file and finds out whether anybody else has it; none is kept if there is none. */
static frazil_err open_from_outside(const struct opening *o, struct stat *ret_status, bool *ret_in_use)
{
    struct fz_word_file *file = o->file;

    int sys = open_and_keep(file, ret_status);
    if (sys == ENOENT)
        return FRAZIL_OK;
    if (sys == 0)
        sys = take_alone(file);
    *ret_in_use = sys == EWOULDBLOCK;
    return sys == 0 || sys == EWOULDBLOCK ? FRAZIL_OK : fail_sys(o, sys, "the word file cannot be opened:");
}

static frazil_err diagnose(struct opening *o)
{
    struct fz_word_file_status *status = o->status;
    struct opening looking = *o;
    struct stat found;

    frazil_err err = open_from_outside(o, &found, &status->in_use);
    status->exists = fz_kept_fd_is_set(&o->file->file);
    if (err != FRAZIL_OK || !status->exists)
        return err;
    looking.reterr = &status->wrong; /* a file that cannot be used is a finding here, and no failure */
    err = look_over(&looking, &found, &status->stale);
    status->nonce = o->file->nonce;
    status->device = found.st_dev;
    status->inode = found.st_ino;
    if (err == FRAZIL_ESTATE || err == FRAZIL_OK)
        return FRAZIL_OK;
    if (o->reterr != NULL)
        *o->reterr = status->wrong;
    return err;
}

frazil_err fz_word_file_inspect(struct fz_word_file_status *ret, const char *path,
                                const struct fz_word_identity *identity, size_t payload_size, frazil_error *reterr)
{
    struct fz_word_file file = {.guard = {.file = FZ_KEPT_NONE}, .file = FZ_KEPT_NONE, .payload_size = payload_size};
    struct fz_word_file_status status = {.wrong = {.code = FRAZIL_OK}};
    struct opening o = {
        .file = &file, .identity = identity, .status = &status, .deadline = fz_guard_deadline(), .reterr = reterr};

    frazil_err err = begin(&o, path, &identity->bounds, diagnose);
    if (err == FRAZIL_OK)
        *ret = status;
    return err;
}

static frazil_err discard(struct opening *o)
{
    struct stat found;
    bool in_use = false;

    frazil_err err = check_neighbours(o, "stop them first");
    if (err == FRAZIL_OK)
        err = open_from_outside(o, &found, &in_use);
    if (err != FRAZIL_OK || !fz_kept_fd_is_set(&o->file->file))
        return err;
    if (in_use)
        return fz_fail(o->reterr, FRAZIL_EWORKER, "the word file %q is in use: stop the processes that have it first",
                       o->file->path);
    /* Its content is not asked for: this is the way out where nothing can be read any more. */
    return unlink(o->file->path) == 0 ? FRAZIL_OK : fail_sys(o, errno, "the word file cannot be removed:");
}

frazil_err fz_word_file_discard(const char *path, const struct fz_word_identity *identity, frazil_error *reterr)
{
    struct fz_word_file file = {.guard = {.file = FZ_KEPT_NONE}, .file = FZ_KEPT_NONE};
    struct opening o = {.file = &file, .identity = identity, .deadline = fz_guard_deadline(), .reterr = reterr};

    return begin(&o, path, &identity->bounds, discard);
}

/* ---- afterwards ---------------------------------------------------------- */

bool fz_word_file_is_current(const struct fz_word_file *file)
{
    struct stat status;

    /* Our mapping keeps the file, so its inode's number cannot have been given to another. */
    return stat(file->path, &status) == 0 && status.st_ino == file->inode && status.st_dev == file->device &&
           (uint64_t)status.st_size == file_size(file->payload_size);
}

bool fz_word_file_leave(struct fz_word_file *file, struct fz_deadline deadline)
{
    bool current = fz_word_file_is_current(file);

    /* Entered before the lock is dropped, and left by close: no process opens the word while we look which others have
     * it. */
    (void)fz_guard_open_and_enter(&file->guard, file->worker_path, deadline);
    drop(file);
    if (!current || !fz_kept_fd_is_set(&file->guard.file))
        return false; /* the name is another word's by now, or there is no guard: nothing can be told of ours */
    /* Only now does the kernel tell others' hold on the file from what was ours. */
    return open_and_keep(file, NULL) == 0 && take_alone(file) == 0 &&
           map_word(file, fz_kept_fd_known(&file->file)) == 0;
}

int fz_word_file_remove(struct fz_word_file *file)
{
    assert(fz_kept_fd_is_set(&file->guard.file));
    return unlink(file->path) == 0 ? 0 : errno;
}

void fz_word_file_close(struct fz_word_file *file)
{
    drop(file);
    fz_guard_leave_for_good(&file->guard);
}
