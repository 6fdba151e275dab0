/* SPDX-License-Identifier: MIT */
/*
 * $PGDATA/frazil.owner says in which data directory, of which machine, a fixed worker number was first used.  A base
 * backup, a clone and a restored copy bring the file along, and lie elsewhere: there the number is refused.
 */
#include "frazil_pg.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/fd.h"

static const char OWNER_FILE[] = "frazil.owner";

enum { OWNER_SIZE = 256 };

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
 * When the directory was made, in nanoseconds; 0 where the system does not say.  Containers may have no machine's id,
 * and their volumes the same device and inode: this alone tells a copy of the files there.
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

/* The line that stands in the file: the worker, and what tells this directory from a copy. */
static void describe(const char *worker, char ret[OWNER_SIZE])
{
    struct stat directory;

    if (stat(DataDir, &directory) != 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not look at the data directory: %m")));
    snprintf(ret, OWNER_SIZE, "%s machine=" UINT64_FORMAT " device=%llu inode=%llu born=" UINT64_FORMAT "\n", worker,
             machine_hash(), (unsigned long long)directory.st_dev, (unsigned long long)directory.st_ino,
             birth_of_directory());
}

/* Reads the file; false: there is none. */
static bool read_owner(char ret[OWNER_SIZE])
{
    int fd = OpenTransientFile(OWNER_FILE, O_RDONLY); /* backends run in the data directory */

    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not open \"%s\": %m", OWNER_FILE)));
    ssize_t len = read(fd, ret, OWNER_SIZE - 1);
    if (len < 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not read \"%s\": %m", OWNER_FILE)));
    CloseTransientFile(fd);
    ret[len] = '\0';
    return true;
}

/* Writes a file of this process's own, and keeps it. */
static void write_file(const char *path, const char *text)
{
    int fd = OpenTransientFile(path, O_WRONLY | O_CREAT | O_TRUNC);

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || pg_fsync(fd) != 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not write \"%s\": %m", path)));
    CloseTransientFile(fd);
}

static void refuse(const char *owner, const char *here)
{
    /* The first word is the worker; another number is a decision of the operator's, and no copy. */
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("this data directory is a copy, or was moved: frazil.worker belongs to another one"),
             errdetail("%s says \"%.*s\", and this is \"%.*s\".", OWNER_FILE, (int)strcspn(owner, "\n"), owner,
                       (int)strcspn(here, "\n"), here),
             errhint("If the other server runs, or ever will, set another frazil.worker here. If this one takes its "
                     "place, run SELECT frazil_adopt().")));
}

void frazil_pg_check_owner(const char *worker)
{
    char here[OWNER_SIZE];
    char owner[OWNER_SIZE];
    char temporary[64];

    describe(worker, here);
    if (!read_owner(owner)) {
        /* Several backends may come here at once; one of the links is made, and all compare with it. */
        snprintf(temporary, sizeof temporary, "%s.%d", OWNER_FILE, MyProcPid);
        write_file(temporary, here);
        if (link(temporary, OWNER_FILE) != 0 && errno != EEXIST)
            ereport(ERROR, (errcode_for_file_access(), errmsg("could not make \"%s\": %m", OWNER_FILE)));
        unlink(temporary);
        fsync_fname(".", true);
        if (!read_owner(owner))
            ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("\"%s\" is gone again", OWNER_FILE)));
    }
    if (strcmp(owner, here) == 0)
        return;
    size_t len = strcspn(owner, " ");
    if (strlen(worker) != len || strncmp(owner, worker, len) != 0) {
        frazil_pg_adopt(worker); /* the setting names another number than before: it was chosen for this server */
        return;
    }
    refuse(owner, here);
}

void frazil_pg_adopt(const char *worker)
{
    char here[OWNER_SIZE];
    char temporary[64];

    describe(worker, here);
    snprintf(temporary, sizeof temporary, "%s.%d", OWNER_FILE, MyProcPid);
    write_file(temporary, here);
    (void)durable_rename(temporary, OWNER_FILE, ERROR);
}
