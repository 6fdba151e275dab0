/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *what_it_is(mode_t mode)
{
    if (S_ISFIFO(mode))
        return "it is a FIFO or a pipe: name a regular file, which can be read again";
    if (S_ISDIR(mode))
        return "it is a directory: name a regular file";
    return S_ISREG(mode) ? NULL : "it is not a regular file: name one";
}

/* Reads len bytes, in memory that need not grow: no copy of a secret is left behind. */
static const char *read_all(int fd, size_t len, struct bytes *to)
{
    char *room = bytes_room(to, len + 1);

    if (room == NULL)
        return "out of memory";
    while (to->len <= len) {
        ssize_t n = read(fd, room + to->len, len + 1 - to->len);
        if (n < 0 && errno != EINTR)
            return strerror(errno);
        if (n == 0)
            break;
        to->len += n > 0 ? (size_t)n : 0;
    }
    return to->len == len ? NULL : "it changed while it was read";
}

static const char *read_opened(int fd, size_t most, struct bytes *ret, mode_t *ret_mode)
{
    struct stat about;

    if (fstat(fd, &about) != 0)
        return strerror(errno);
    const char *why = what_it_is(about.st_mode);
    if (why != NULL)
        return why;
    if ((uintmax_t)about.st_size > most)
        return "it is too large";
    if (ret_mode != NULL)
        *ret_mode = about.st_mode;
    return read_all(fd, (size_t)about.st_size, ret);
}

const char *file_read(const char *path, size_t most, struct bytes *ret, mode_t *ret_mode)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return strerror(errno);
    const char *why = read_opened(fd, most, ret, ret_mode);
    (void)close(fd);
    if (why != NULL)
        file_wipe(ret);
    return why;
}

bool file_is_absent(const char *path)
{
    struct stat about;
    int why = errno;
    bool is_absent = lstat(path, &about) != 0 && errno == ENOENT;

    errno = why;
    return is_absent;
}

void file_wipe(struct bytes *bytes)
{
    if (bytes->at != NULL)
        explicit_bzero(bytes->at, bytes->size);
    bytes_free(bytes);
}
