/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "lib/scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/asserts.h"

enum { BUFFERS = 8, SIZE = 512 };

const char *scratch_make(void)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = malloc(SIZE);

    assert_non_null(dir);
    snprintf(dir, SIZE, "%s/frazil-test-XXXXXX", tmp == NULL ? "/tmp" : tmp);
    assert_non_null(mkdtemp(dir));
    return dir;
}

void scratch_prefer_memory(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
}

const char *scratch_path(const char *dir, const char *name)
{
    static char path[BUFFERS][SIZE];
    static unsigned next;
    char *buf = path[next++ % BUFFERS];

    assert_true(snprintf(buf, SIZE, "%s/%s", dir, name) < SIZE);
    return buf;
}

const char *scratch_host(const char *dir)
{
    static char path[SIZE];

    assert_true(snprintf(path, SIZE, "%s/host", dir) < SIZE);
    assert_true(mkdir(path, 0700) == 0 && chmod(path, 01777) == 0);
    return path;
}

void scratch_write(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

size_t scratch_read(const char *path, void *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    size_t len = fread(bytes, 1, size, file);
    assert_int_equal(fclose(file), 0);
    return len;
}

bool scratch_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Ends the walk before anything behind it is seen. */
static int refuse_root(const char *path, const struct stat *status, int type, struct FTW *where)
{
    struct stat root;

    (void)path;
    (void)type;
    (void)where;
    return stat("/", &root) != 0 || (root.st_dev == status->st_dev && root.st_ino == status->st_ino);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

void scratch_delete(const char *path)
{
    /* A test that mounts, and fails before it unmounts, must not cost the machine its files. */
    assert_int_equal(nftw(path, refuse_root, 8, FTW_PHYS), 0);
    assert_int_equal(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void scratch_remove(const char *dir)
{
    scratch_delete(dir);
    free((void *)(uintptr_t)dir);
}

unsigned scratch_open_fds(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}
