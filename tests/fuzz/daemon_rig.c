/* SPDX-License-Identifier: MIT */
#include "daemon_rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "lease_thread.h"

enum { PATH_SIZE = 64, TEXT_SIZE = 4096 };

static const char secret[] =
    "f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7\n"; /* SHA-256 of hunter2 */

/* A file that is nowhere, with that text. */
static void write_file(const char *text, char path[PATH_SIZE])
{
    int fd = memfd_create("frazild", MFD_CLOEXEC);

    REQUIRE(fd >= 0 && fchmod(fd, S_IRUSR | S_IWUSR) == 0);
    REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    (void)snprintf(path, PATH_SIZE, "/proc/self/fd/%d", fd);
}

void daemon_rig_open(struct server *ret, enum protocol protocol, const char *address, bool has_users)
{
    char secret_path[PATH_SIZE], path[PATH_SIZE], text[TEXT_SIZE];
    struct opening opening = {0};
    struct bytes errors = {0};

    write_file(secret, secret_path);
    int len = snprintf(text, sizeof text,
                       "[listen %s]\naddress=%s\n"
                       "[generator main]\nworker=fixed:%d\nstate=memory\nkeys=k*\nmax_batch=100\n",
                       settings_protocol(protocol), address, has_users ? 2 : 1);
    if (has_users)
        (void)snprintf(text + len, sizeof text - (size_t)len,
                       "[user shop]\nsecret_file=%s\nallow=next:main inspect:* stats:main\n", secret_path);
    write_file(text, path);
    *ret = (struct server){.lease_threads = lease_threads_start()};
    (void)pthread_mutex_init(&ret->lock, NULL);
    ret->setup = setup_make(path, NULL, &opening, &errors);
    if (ret->setup == NULL)
        fprintf(stderr, "%.*s", (int)errors.len, errors.at);
    REQUIRE(ret->lease_threads != NULL && ret->setup != NULL);
}
