/* SPDX-License-Identifier: MIT */
#ifdef FRAZIL_HAVE_OPAQUE

#include "key_file.h"

#include "cli/cli.h"
#include "command.h"
#include "complain.h"
#include "hex.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX_LEN ((size_t)2 * FRAZIL_OPAQUE_KEY_SIZE)

/* Reads at most size bytes; negative: errno. */
static ssize_t read_all(int fd, uint8_t *buf, size_t size)
{
    size_t len = 0;

    while (len < size) {
        ssize_t n = read(fd, buf + len, size - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

/* The key in what the file holds; false if that is no key. */
static bool key_of(const uint8_t *content, size_t len, uint8_t key[FRAZIL_OPAQUE_KEY_SIZE])
{
    size_t position;

    if (len == FRAZIL_OPAQUE_KEY_SIZE) {
        memcpy(key, content, len);
        return true;
    }
    if (len == HEX_LEN + 1 && content[HEX_LEN] == '\n')
        len--;
    return len == HEX_LEN && hex_read((const char *)content, FRAZIL_OPAQUE_KEY_SIZE, key, &position);
}

/* Overwrites a secret, through volatile so that the compiler cannot leave it out. */
static void wipe(void *buf, size_t size)
{
    volatile uint8_t *bytes = buf;

    while (size > 0)
        bytes[--size] = 0;
}

static int read_key(int fd, const char *path, frazil_opaque_key *ret)
{
    uint8_t content[HEX_LEN + 2], key[FRAZIL_OPAQUE_KEY_SIZE];
    struct stat st;
    int status = STATUS_USAGE;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        complain("the key file %s is not a regular file: name one", typed(path, strlen(path)));
        return STATUS_USAGE;
    }
    if (!fz_secret_is_kept(fd)) {
        const char *shown = typed(path, strlen(path));
        complain("others than its owner may use the key file %s: chmod 600 %s", shown, shown);
        return STATUS_USAGE;
    }
    ssize_t len = read_all(fd, content, sizeof content);
    if (len < 0) {
        complain("cannot read %s: %s", typed(path, strlen(path)), strerror(errno));
        return STATUS_FATAL;
    }
    if (!key_of(content, (size_t)len, key)) {
        complain("%s is no key file: 16 bytes were expected, or 32 hex digits", typed(path, strlen(path)));
    } else {
        frazil_err err = frazil_opaque_key_init(ret, key);
        if (err != FRAZIL_OK)
            complain("%s", frazil_strerror(err));
        status = complain_status(err);
    }
    wipe(content, sizeof content);
    wipe(key, sizeof key);
    return status;
}

int key_file_read(const char *path, frazil_opaque_key *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO is not waited for */

    memset(ret, 0, sizeof *ret);
    if (fd < 0) {
        complain("cannot open the key file %s: %s", typed(path, strlen(path)), strerror(errno));
        return STATUS_FATAL;
    }
    int status = read_key(fd, path, ret);
    (void)close(fd);
    return status;
}

#else

typedef int key_file_not_built; /* a file of C must declare something */

#endif
