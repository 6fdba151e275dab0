/* SPDX-License-Identifier: MIT */
/* Tells an operator about a ZooKeeper: its version, how many servers the URL names, which users may write. */
#include "zookeeper_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lease/report.h"
#include "os/socket.h"

/* Bytes of the answer to "srvr", which is a page of counters. */
enum { ANSWER_SIZE = 2048 };

struct diagnosis {
    struct fz_zookeeper_batch batch;
    const char *folder;
    struct fz_report report;
    int rc;
    bool is_open; /* anybody may change or delete what is below the folder */
};

/* ---- the server's own words ------------------------------------------- */

/* Sends four letters to the server at fd's other end, and reads until it hangs up.  false: no answer. */
static bool ask(int peer, const char *letters, uint64_t deadline_ns, char ret[ANSWER_SIZE])
{
    struct sockaddr_storage address;
    socklen_t address_len = sizeof address;
    size_t len = 0;

    if (getpeername(peer, (struct sockaddr *)&address, &address_len) != 0)
        return false;
    int fd = fz_socket_open(address.ss_family, SOCK_STREAM);
    if (fd < 0)
        return false;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    bool good = connect(fd, (struct sockaddr *)&address, address_len) == 0 || errno == EINPROGRESS;
    good = good && fz_zookeeper_wait(fd, POLLOUT, deadline_ns) > 0 &&
           send(fd, letters, strlen(letters), MSG_NOSIGNAL) == (ssize_t)strlen(letters);
    while (good && len < ANSWER_SIZE - 1 && fz_zookeeper_wait(fd, POLLIN, deadline_ns) > 0) {
        ssize_t got = recv(fd, ret + len, ANSWER_SIZE - 1 - len, 0);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    close(fd);
    ret[len] = '\0';
    return len > 0;
}

/* The rest of the line that begins with these words.  false: there is none. */
static bool line_of(const char *answer, const char *words, char *ret, size_t size)
{
    size_t words_len = strlen(words);

    for (const char *line = answer; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t len = strcspn(line, "\r\n");
        if (len < words_len || memcmp(line, words, words_len) != 0 || len - words_len >= size)
            continue;
        memcpy(ret, line + words_len, len - words_len);
        ret[len - words_len] = '\0';
        return true;
    }
    return false;
}

static void diagnose_server(struct fz_zookeeper_connection *connection, struct fz_deadline deadline,
                            const struct diagnosis *diagnosis)
{
    char answer[ANSWER_SIZE];
    char version[128];
    char mode[32];

    if (!ask(fz_kept_fd_get(&connection->socket), "srvr", fz_zookeeper_deadline(connection, deadline), answer) ||
        !line_of(answer, "Mode: ", mode, sizeof mode)) {
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "mode: unknown, because the server does not answer %q: allow it in 4lw.commands.whitelist",
                      "srvr");
        return;
    }
    if (line_of(answer, "Zookeeper version: ", version, sizeof version)) {
        version[strcspn(version, "-,")] = '\0';
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "version: %q", version);
    }
    if (strcmp(mode, "standalone") == 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "mode: %q: while this server is down no grant can be extended, and only its disk has the "
                      "records: run three",
                      mode);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "mode: %q", mode);
}

static void diagnose_url(const struct fz_zookeeper_url *url, const struct diagnosis *diagnosis)
{
    bool alone = url->common.host_count == 1;

    fz_report_say(&diagnosis->report, alone ? FZ_FINDING_WARN : FZ_FINDING_OK, "servers: %u in the URL%s",
                  (uint64_t)url->common.host_count,
                  alone ? ": name the whole ensemble, so that another one is found when this one is down" : "");
}

/* ---- the permissions ------------------------------------------------------------ */

static void on_acl(int rc, struct ACL_vector *acl, struct Stat *stat, const void *data)
{
    struct diagnosis *diagnosis = (struct diagnosis *)(uintptr_t)data;
    int harmful = ZOO_PERM_WRITE | ZOO_PERM_CREATE | ZOO_PERM_DELETE | ZOO_PERM_ADMIN;

    (void)stat;
    diagnosis->batch.awaited--;
    diagnosis->rc = rc;
    for (int i = 0; rc == ZOK && acl != NULL && i < acl->count; i++)
        diagnosis->is_open =
            diagnosis->is_open || (strcmp(acl->data[i].id.scheme, "world") == 0 && (acl->data[i].perms & harmful) != 0);
}

static int send_get_acl(struct fz_zookeeper_batch *batch, zhandle_t *handle)
{
    struct diagnosis *diagnosis = (struct diagnosis *)batch;
    int rc = zoo_aget_acl(handle, diagnosis->folder, on_acl, diagnosis);

    batch->awaited += rc == ZOK;
    return rc;
}

static void report_permissions(const struct diagnosis *diagnosis)
{
    if (diagnosis->is_open)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "permissions: everybody may change %q and everything below it: create the namespace with a URL "
                      "that has user and password",
                      diagnosis->folder);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "permissions: not everybody may change %q", diagnosis->folder);
}

/* ---- all of it -------------------------------------------------------------------- */

enum fz_register_result fz_zookeeper_diagnose(struct fz_zookeeper_connection *connection, const char *folder,
                                              struct fz_deadline deadline, fz_finding_visitor visit, void *visit_ctx,
                                              frazil_error *reterr)
{
    struct diagnosis diagnosis = {.batch.send = send_get_acl, .folder = folder, .report = {visit, visit_ctx}};
    enum fz_register_result result =
        fz_zookeeper_exchange(connection, &diagnosis.batch, fz_zookeeper_deadline(connection, deadline), reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    diagnose_server(connection, deadline, &diagnosis);
    diagnose_url(&connection->url, &diagnosis);
    if (diagnosis.rc == ZNONODE) /* as has been said: there is no namespace */
        return FZ_REGISTER_OK;
    if (diagnosis.rc != ZOK)
        return fz_zookeeper_error_reply(connection, diagnosis.rc, folder, reterr);
    report_permissions(&diagnosis);
    return FZ_REGISTER_OK;
}
