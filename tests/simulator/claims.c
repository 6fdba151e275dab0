/* SPDX-License-Identifier: MIT */
#include "rooms/stand_in_files.h" /* first, as it says what the headers of the system declare */

#include <string.h>

#include "claims.h"
#include "core/crc32.h"
#include "faults.h"
#include "host.h"
#include "os/claim.h"
#include "process.h"
#include "shared_memory.h"
#include "world.h"

const char fz_default_host_dir[FZ_DEFAULT_HOST_DIR_SIZE] = "/dev/shm";

/* Descriptors are above the three that programs know. */
enum { FIRST_FD = 2, CLAIM_SIZE = sizeof(struct fz_claim_page) };

static uint64_t file_of(int fd)
{
    return (uint64_t)fd - FIRST_FD;
}

static bool opener_lives(const struct host *host, uint64_t file)
{
    return file != 0 && file_is_open(host, file);
}

/* ---- the files ------------------------------------------------------------------- */

static void drop(struct claim_file *file)
{
    page_drop(file->page);
    *file = (struct claim_file){.page = NULL};
}

static bool is_in_use(const struct host *host, const struct claim_file *file)
{
    for (unsigned i = 0; i < CLAIM_OPENERS_MAX; i++) {
        if (opener_lives(host, file->openers[i].file))
            return true;
    }
    return false;
}

static struct claim_file *find_path(struct host *host, const char *path)
{
    for (unsigned i = 0; i < CLAIM_FILES_MAX; i++) {
        if (host->claims[i].has_name && strcmp(host->claims[i].path, path) == 0)
            return &host->claims[i];
    }
    return NULL;
}

static struct claim_file *make(struct host *host, const char *path, mode_t mode)
{
    for (unsigned i = 0; i < CLAIM_FILES_MAX && strlen(path) < sizeof host->claims[i].path; i++) {
        struct claim_file *file = &host->claims[i];
        if (file->page != NULL && !file->has_name && !is_in_use(host, file))
            drop(file);
        if (file->page != NULL)
            continue;
        *file = (struct claim_file){.has_name = true,
                                    .page = page_new(CLAIM_SIZE),
                                    .uid = self()->user.uid,
                                    .mode = mode,
                                    .inode = ++host->inodes};
        page_set_aside(file->page);
        memcpy(file->path, path, strlen(path) + 1);
        return file;
    }
    return NULL;
}

static void add_opener(const struct host *host, struct claim_file *file, uint64_t opener)
{
    for (unsigned i = 0; i < CLAIM_OPENERS_MAX; i++) {
        if (opener_lives(host, file->openers[i].file))
            continue; /* those of the dead are still there */
        file->openers[i].file = opener;
        file->openers[i].lock = 0;
        return;
    }
    world_fail("the simulated host directory has no room for all who open a file");
}

static bool has_opener(const struct claim_file *file, uint64_t opener, unsigned *ret_nth)
{
    for (*ret_nth = 0; file->page != NULL && *ret_nth < CLAIM_OPENERS_MAX; (*ret_nth)++) {
        if (file->openers[*ret_nth].file == opener)
            return true;
    }
    return false;
}

/* The file that a descriptor stands for, and which of its openers that is.  NULL: none. */
static struct claim_file *find_open(int fd, unsigned *ret_nth)
{
    static unsigned last; /* most calls are for the same file as the call before */

    if (has_opener(&self()->host->claims[last], file_of(fd), ret_nth))
        return &self()->host->claims[last];
    for (unsigned i = 0; i < CLAIM_FILES_MAX; i++) {
        if (has_opener(&self()->host->claims[i], file_of(fd), ret_nth)) {
            last = i;
            return &self()->host->claims[i];
        }
    }
    return NULL;
}

void claims_lose_power(struct host *host)
{
    for (unsigned i = 0; i < CLAIM_FILES_MAX; i++) {
        if (host->claims[i].page != NULL)
            drop(&host->claims[i]);
    }
}

bool claims_remove(struct host *host, unsigned uid)
{
    bool struck = false;

    for (unsigned i = 0; i < CLAIM_FILES_MAX; i++) {
        struct claim_file *file = &host->claims[i];
        if (file->has_name && file->uid == uid) {
            file->has_name = false;
            struck = true;
        }
    }
    return struck;
}

const char *claims_name_in(const struct claim_file *file, const char *folder)
{
    size_t len = strlen(folder);

    return file->has_name && strncmp(file->path, folder, len) == 0 && file->path[len] == '/' ? file->path + len + 1
                                                                                             : NULL;
}

/* ---- the calls ------------------------------------------------------------------------ */

static int fails_with(int err)
{
    errno = err;
    return -1;
}

int sim_open(const char *path, int flags, mode_t mode)
{
    struct host *host = self()->host;

    faults_call(2 * US);
    struct claim_file *file = find_path(host, path);
    if (file != NULL && (flags & O_EXCL) != 0)
        return fails_with(EEXIST);
    if (file == NULL && (flags & O_CREAT) == 0)
        return fails_with(ENOENT);
    if (file != NULL && file->uid != self()->user.uid && ((flags & O_RDWR) != 0 || (file->mode & S_IROTH) == 0))
        return fails_with(EACCES);
    if (file == NULL)
        file = make(host, path, mode);
    if (file == NULL)
        return fails_with(ENOSPC);
    uint64_t opener = file_open();
    add_opener(host, file, opener);
    return (int)opener + FIRST_FD;
}

int sim_close(int fd)
{
    unsigned nth;

    faults_call(US);
    struct claim_file *file = find_open(fd, &nth);
    (void)file_close(file_of(fd));
    if (file != NULL && !opener_lives(self()->host, file_of(fd)))
        file->openers[nth].file = 0;
    return 0;
}

static int say_status(const struct claim_file *file, struct stat *ret)
{
    if (file == NULL)
        return fails_with(ENOENT);
    *ret = (struct stat){.st_mode = S_IFREG | file->mode,
                         .st_nlink = file->has_name,
                         .st_uid = file->uid,
                         .st_ino = (ino_t)file->inode,
                         .st_dev = 1,
                         .st_size = (off_t)file->size};
    return 0;
}

/* All that does not lie in the host directory is a folder, among them those of states: each has an inode of its own. */
static int say_folder_status(const char *path, struct stat *ret)
{
    *ret = (struct stat){.st_mode = S_IFDIR | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO,
                         .st_ino = fz_crc32(path, strlen(path)),
                         .st_dev = 1};
    return 0;
}

int sim_stat(const char *path, struct stat *ret)
{
    size_t len = strlen(fz_default_host_dir);

    faults_call(US);
    return strncmp(path, fz_default_host_dir, len) == 0 && path[len] == '/'
               ? say_status(find_path(self()->host, path), ret)
               : say_folder_status(path, ret);
}

int sim_fstat(int fd, struct stat *ret)
{
    unsigned nth;

    faults_step();
    const struct claim_file *file = find_open(fd, &nth);
    return file != NULL ? say_status(file, ret) : fails_with(EBADF);
}

int sim_fchmod(int fd, mode_t mode)
{
    unsigned nth;

    faults_call(US);
    struct claim_file *file = find_open(fd, &nth);
    if (file == NULL)
        return fails_with(EBADF);
    file->mode = mode;
    return 0;
}

int sim_flock(int fd, int operation)
{
    unsigned own;

    faults_call(US);
    const struct host *host = self()->host;
    struct claim_file *file = find_open(fd, &own);
    int wanted = operation & ~LOCK_NB;
    if (file == NULL)
        return fails_with(EBADF);
    for (unsigned i = 0; wanted != LOCK_UN && i < CLAIM_OPENERS_MAX; i++) {
        int lock = file->openers[i].lock;
        if (i != own && lock != 0 && (lock == LOCK_EX || wanted == LOCK_EX) &&
            opener_lives(host, file->openers[i].file))
            return fails_with(EWOULDBLOCK);
    }
    file->openers[own].lock = wanted == LOCK_UN ? 0 : wanted;
    return 0;
}

int sim_read_first(int fd, void *buf, size_t size, size_t *ret_len)
{
    unsigned nth;

    faults_call(US);
    const struct claim_file *file = find_open(fd, &nth);
    *ret_len = 0;
    if (file == NULL)
        return EBADF;
    *ret_len = size < file->size ? size : (size_t)file->size;
    page_read(file->page, buf, *ret_len);
    return 0;
}

int sim_write(int fd, uint64_t offset, const void *buf, size_t len)
{
    unsigned nth;

    faults_call(US);
    struct claim_file *file = find_open(fd, &nth);
    if (file == NULL)
        return EBADF;
    page_write(file->page, (size_t)offset, buf, len);
    if (file->size < offset + len)
        file->size = offset + len;
    return 0;
}

void *sim_mmap(int fd, size_t size)
{
    unsigned nth;

    (void)size;
    faults_call(2 * US);
    const struct claim_file *file = find_open(fd, &nth);
    void *at = file == NULL ? NULL : page_map(file->page);
    if (at == NULL) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    file_keep(file_of(fd) | FILE_MAPPED);
    return at;
}

/* Whichever of the process's mappings it is: all of them lock in the same way. */
static void forget_mapping(const struct claim_file *file)
{
    for (unsigned i = 0; i < CLAIM_OPENERS_MAX; i++) {
        if (file->openers[i].file != 0 && file_close(file->openers[i].file | FILE_MAPPED))
            return;
    }
}

int sim_munmap(void *at, size_t size)
{
    const struct page *page = page_at(at);

    (void)size;
    for (unsigned i = 0; i < CLAIM_FILES_MAX; i++) {
        if (page != NULL && self()->host->claims[i].page == page)
            forget_mapping(&self()->host->claims[i]);
    }
    page_unmap(at);
    return 0;
}

int sim_unlink(const char *path)
{
    faults_call(2 * US);
    struct claim_file *file = find_path(self()->host, path);
    if (file == NULL)
        return fails_with(ENOENT);
    if (file->uid != self()->user.uid)
        return fails_with(EPERM);
    file->has_name = false;
    return 0;
}

uid_t sim_geteuid(void)
{
    return self()->user.uid;
}

/* Nobody has a name. */
int sim_no_file(const char *path, char *buf, size_t size, size_t *ret_len)
{
    (void)path;
    (void)buf;
    (void)size;
    *ret_len = 0;
    return ENOENT;
}
