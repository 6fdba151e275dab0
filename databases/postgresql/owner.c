/* SPDX-License-Identifier: MIT */
/*
 * $PGDATA/frazil.owner says which data directory makes ids with which worker number: a line for each number that was
 * ever used here, or where this directory was copied from.  A base backup, a clone and a restored copy bring the file
 * along, and lie elsewhere: there these numbers are refused.  The postmaster writes it at its first start, so that also
 * a copy that is made before the first id has it.
 */
#include "frazil_pg.h"

#include <sys/stat.h>
#include <unistd.h>

#include "access/xlog.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "postmaster/bgworker.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "utils/memutils.h"

static const char OWNER_FILE[] = "frazil.owner"; /* the server runs in the data directory */

#define LINE_FORMAT(number) "worker=%u timeline=%u machine=" number " device=" number " inode=" number " born=" number

enum { LINE_SIZE = 256 };

/* A data directory is told from its copies by this. */
struct directory {
    uint64 machine;
    uint64 device;
    uint64 inode; /* 0: nobody knows which directory it is */
    uint64 born;  /* when it was made, in nanoseconds; 0: unknown */
};

/* A worker number, and who has it. */
struct line {
    uint32 worker;
    uint32 timeline; /* on which it was had, if it was derived from the timeline; else 0 */
    struct directory owner;
};

/* ---- directories ----------------------------------------------------------------- */

/* The machine's id, not as it is: others may see the file, and it is to stay private. */
static uint64 machine_hash(void)
{
    char id[64];
    int fd = OpenTransientFile("/etc/machine-id", O_RDONLY);

    if (fd < 0)
        return 0;
    ssize_t len = read(fd, id, sizeof id);
    CloseTransientFile(fd);
    return len <= 0 ? 0 : hash_bytes_extended((const unsigned char *)id, (int)len, UINT64CONST(0x6672617a696c));
}

/*
 * When the directory was made.  Containers may have no machine's id, and their volumes the same device and inode: this
 * alone tells a copy of the files there.
 */
static uint64 birth_of_directory(void)
{
#if defined(__linux__) && defined(STATX_BTIME)
    struct statx directory;

    if (statx(AT_FDCWD, DataDir, 0, STATX_BTIME, &directory) == 0 && (directory.stx_mask & STATX_BTIME) != 0)
        return (uint64)directory.stx_btime.tv_sec * 1000000000 + directory.stx_btime.tv_nsec;
#endif
    return 0;
}

static struct directory this_directory(void)
{
    struct stat directory;

    if (stat(DataDir, &directory) != 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not look at the data directory: %m")));
    return (struct directory){machine_hash(), directory.st_dev, directory.st_ino, birth_of_directory()};
}

/*
 * Whether it is the same directory.  A device has another number after a boot, so it counts only where a time of birth
 * is unknown.  A number from outside goes with its volume to another machine, as containers do.
 */
static bool is_same(const struct directory *a, const struct directory *b, frazil_pg_source source)
{
    bool may_move = source == FRAZIL_PG_OUTSIDE;

    if (a->inode != b->inode || (a->machine != b->machine && !may_move))
        return false;
    if (a->born != 0 && b->born != 0)
        return a->born == b->born;
    return a->device == b->device || may_move;
}

/* ---- the file -------------------------------------------------------------------- */

static void write_line(const struct line *line, char ret[LINE_SIZE])
{
    snprintf(ret, LINE_SIZE, LINE_FORMAT(UINT64_FORMAT), line->worker, line->timeline, line->owner.machine,
             line->owner.device, line->owner.inode, line->owner.born);
}

/* false: it is damaged. */
static bool read_line(const char *text, struct line *ret)
{
    int end = 0;

    return sscanf(text, LINE_FORMAT(UINT64_FORMAT) "%n", &ret->worker, &ret->timeline, &ret->owner.machine,
                  &ret->owner.device, &ret->owner.inode, &ret->owner.born, &end) == 6 &&
           strcmp(text + end, "\n") == 0;
}

/* The lines of the file; none: NIL. */
static List *read_owners(bool *ret_is_damaged)
{
    List *owners = NIL;
    char text[LINE_SIZE];
    FILE *file = AllocateFile(OWNER_FILE, "r");

    *ret_is_damaged = false;
    if (file == NULL && errno == ENOENT)
        return NIL;
    if (file == NULL)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not open \"%s\": %m", OWNER_FILE)));
    while (fgets(text, sizeof text, file) != NULL) {
        struct line *line = palloc0(sizeof *line);
        if (read_line(text, line))
            owners = lappend(owners, line);
        else
            *ret_is_damaged = true;
    }
    if (ferror(file))
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not read \"%s\": %m", OWNER_FILE)));
    FreeFile(file);
    return owners;
}

static List *read_sound_owners(void)
{
    bool is_damaged;
    List *owners = read_owners(&is_damaged);

    if (is_damaged)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("\"%s\" is damaged", OWNER_FILE),
                        errhint("If no other server has the worker number of frazil.worker, or ever will, run SELECT "
                                "frazil_adopt().")));
    return owners;
}

static void write_owners(const List *owners)
{
    const char *temporary = psprintf("%s.new", OWNER_FILE); /* of the process that has the lock */
    FILE *file = AllocateFile(temporary, "w");
    bool is_written = file != NULL;
    char text[LINE_SIZE];
    ListCell *cell;

    foreach (cell, owners) {
        write_line(lfirst(cell), text);
        is_written = is_written && fprintf(file, "%s\n", text) > 0;
    }
    if (!is_written || fflush(file) != 0 || pg_fsync(fileno(file)) != 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not write \"%s\": %m", temporary)));
    FreeFile(file);
    (void)durable_rename(temporary, OWNER_FILE, ERROR);
}

static struct line *find(const List *owners, uint32 worker)
{
    ListCell *cell;

    foreach (cell, owners) {
        struct line *line = lfirst(cell);
        if (line->worker == worker)
            return line;
    }
    return NULL;
}

/* ---- whose a number is ----------------------------------------------------------- */

static void refuse(const struct line *line, const struct line *here)
{
    char theirs[LINE_SIZE];
    char ours[LINE_SIZE];

    write_line(line, theirs);
    write_line(here, ours);
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             line->owner.inode == 0
                 ? errmsg("this server began as a copy, and its original may have the worker number %u", line->worker)
                 : errmsg("this data directory is a copy, or was moved: the worker number %u belongs to another one",
                          line->worker),
             errdetail("%s says \"%s\", and this is \"%s\".", OWNER_FILE, theirs, ours),
             errhint("If the other server runs, or ever will, set another frazil.worker here. If this one takes its "
                     "place for good, run SELECT frazil_adopt().")));
}

/*
 * Whether the number is another's.  One that a timeline gave is free again on a later one: timeline:BASE/COUNT comes to
 * each of its numbers again.
 */
static bool is_anothers(const struct line *line, const struct line *here, frazil_pg_source source)
{
    bool is_of_before = line != NULL && line->timeline != 0 && line->timeline < here->timeline;

    return line != NULL && !is_of_before && !is_same(&line->owner, &here->owner, source);
}

/* Writes down whose it is now. */
static void put(const struct line *wanted, frazil_pg_source source, bool is_adopted)
{
    bool is_damaged; /* no matter to who adopts */

    if (IsUnderPostmaster) /* the postmaster is alone at its start */
        LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    List *owners = is_adopted ? read_owners(&is_damaged) : read_sound_owners();
    struct line *line = find(owners, wanted->worker);
    if (line == NULL) {
        line = palloc0(sizeof *line);
        owners = lappend(owners, line);
    } else if (!is_adopted && is_anothers(line, wanted, source)) {
        refuse(line, wanted);
    }
    *line = *wanted;
    write_owners(owners);
    if (IsUnderPostmaster)
        LWLockRelease(AddinShmemInitLock);
}

/* Writes down that the number is had here, unless it stands there.  It is not another's. */
static void keep(const struct line *line, struct line *here, frazil_pg_source source)
{
    if (line != NULL && here->owner.born == 0 && is_same(&line->owner, &here->owner, source))
        here->owner.born = line->owner.born;
    if (line == NULL || memcmp(line, here, sizeof *here) != 0)
        put(here, source, false);
}

static struct line line_here(const frazil_pg_worker *worker)
{
    return (struct line){worker->number, worker->timeline, this_directory()};
}

void frazil_pg_check_owner(const frazil_pg_worker *worker)
{
    struct line here = line_here(worker);
    const struct line *line = find(read_sound_owners(), worker->number);

    if (is_anothers(line, &here, worker->source))
        refuse(line, &here);
    keep(line, &here, worker->source);
}

void frazil_pg_adopt(const frazil_pg_worker *worker)
{
    struct line here = line_here(worker);

    put(&here, worker->source, true);
}

/* ---- the start, and a promotion -------------------------------------------------- */

/*
 * The number of a copy that has no file is nobody's: the copy was made before its original had one, and the number in
 * its settings may have come with it.  A number of another one is refused when somebody wants an id.
 */
static void note_start(void)
{
    frazil_pg_worker worker = frazil_pg_any_number();
    const List *owners = read_sound_owners();
    const struct line *line = find(owners, worker.number);
    struct line here = line_here(&worker);

    if (owners == NIL && (frazil_pg_starts_as_standby() || access(BACKUP_LABEL_FILE, F_OK) == 0)) {
        here.owner = (struct directory){.inode = 0};
        ereport(WARNING,
                (errmsg("this server begins as a copy, and its original may have the worker number %u", worker.number),
                 errhint("If no other server has it, or ever will, run SELECT frazil_adopt().")));
    }
    if (!is_anothers(line, &here, worker.source))
        keep(line, &here, worker.source);
}

void frazil_pg_note_start(void)
{
    BackgroundWorker worker = {
        .bgw_name = "frazil owner",
        .bgw_type = "frazil owner",
        .bgw_flags = BGWORKER_SHMEM_ACCESS,
        .bgw_start_time = BgWorkerStart_RecoveryFinished,
        .bgw_restart_time = BGW_NEVER_RESTART,
        .bgw_library_name = "frazil",
        .bgw_function_name = "frazil_pg_owner_main",
    };
    frazil_error err;

    RegisterBackgroundWorker(&worker);
    if (frazil_pg_is_of_timeline() && frazil_pg_starts_as_standby())
        return; /* its number comes with the promotion */
    PG_TRY();
    {
        note_start();
    }
    PG_CATCH();
    {
        frazil_pg_catch(&err); /* as an ERROR it would keep the server from starting */
        ereport(WARNING, (errmsg("frazil makes no ids: %s", err.message)));
    }
    PG_END_TRY();
}

/* An ERROR ends it.  The server's log has it with its hint: an operator who promotes a standby looks there. */
void frazil_pg_owner_main(Datum arg)
{
    (void)arg;
    BackgroundWorkerUnblockSignals();
    frazil_pg_worker worker = frazil_pg_any_number();
    frazil_pg_check_owner(&worker);
    proc_exit(0);
}
