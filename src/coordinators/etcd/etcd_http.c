/* SPDX-License-Identifier: MIT */
#include "etcd_http.h"

#include <assert.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tls.h"
#include "core/wipe.h"
#include "lease/register.h"
#include "os/clients.h"
#include "os/quiet_signal.h"
#include "os/socket.h"

/*
 * Bytes that an answer may have.  A page of records has at most half of that, and reading JSON may take twenty times
 * the memory of its text.
 */
enum { REPLY_MAX = FZ_ANSWER_SIZE_MAX / 8, HEAD_MAX = 65536 };

/* The longest single sleep of curl; it knows when it has to wake up. */
enum { LOOK_MS = 1000 };

/* ---- callbacks of curl -------------------------------------------------------- */

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct fz_etcd_http *http = ctx;

    (void)purpose;
    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++) {
        if (fz_kept_fd_is_set(&http->sockets[i]))
            continue;
        int fd = fz_fd_above_standard(fz_socket_open(address->family, address->socktype));
        if (fd < 0)
            return CURL_SOCKET_BAD;
        (void)fz_kept_fd_set(&http->sockets[i], fd); /* cannot fail: it is open */
        http->is_resolved = true;
        return fd;
    }
    return CURL_SOCKET_BAD;
}

static int close_socket(void *ctx, curl_socket_t socket)
{
    struct fz_etcd_http *http = ctx;

    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++) {
        if (fz_kept_fd_get(&http->sockets[i]) == socket)
            fz_kept_fd_forget(&http->sockets[i]);
    }
    return close(socket);
}

/* The body of the request in hand. */
struct sending {
    const char *body;
    size_t len;
    size_t sent;
};

/*
 * Curl sends a request again by itself when a connection that it has kept ends
 * without an answer, and so a swap that was carried out would be answered by the conflict with
 * itself.  It cannot do that with a body that is read from here once.
 */
static size_t read_body(char *buf, size_t size, size_t n, void *ctx)
{
    struct sending *sending = ctx;
    size_t room = size * n;
    size_t left = sending->len - sending->sent;
    size_t len = left < room ? left : room;

    memcpy(buf, sending->body + sending->sent, len);
    sending->sent += len;
    return len;
}

static size_t take_reply(char *bytes, size_t size, size_t n, void *ctx)
{
    struct fz_etcd_http *http = ctx;
    size_t len = size * n;

    if (len > REPLY_MAX - http->reply_len) {
        http->is_too_long = true;
        return 0;
    }
    if (len > http->reply_room - http->reply_len) {
        size_t room = 2 * (http->reply_len + len);
        char *larger = realloc(http->reply, room);
        if (larger == NULL)
            return 0;
        http->reply = larger;
        http->reply_room = room;
    }
    memcpy(http->reply + http->reply_len, bytes, len);
    http->reply_len += len;
    return len;
}

/* Called with each line of the header.  Curl keeps all of them, and a server may send any number. */
static size_t take_header(char *line, size_t size, size_t n, void *ctx)
{
    static const char name[] = "date: ";
    struct fz_etcd_http *http = ctx;
    size_t len = size * n;
    size_t end = len;

    if (len > HEAD_MAX - http->head_len) {
        http->is_too_long = true;
        return 0;
    }
    http->head_len += len;
    while (end > 0 && (line[end - 1] == '\r' || line[end - 1] == '\n'))
        end--;
    if (end > sizeof name - 1 && curl_strnequal(line, name, sizeof name - 1))
        http->has_date = fz_etcd_date_read(line + sizeof name - 1, end - (sizeof name - 1), &http->date_unix_s);
    return len;
}

static bool has_sockets(const struct fz_etcd_http *http)
{
    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++) {
        if (fz_kept_fd_is_set(&http->sockets[i]))
            return true;
    }
    return false;
}

/* Whether its sockets are still its own: a program may have closed them, and opened something else. */
static bool is_own(const struct fz_etcd_http *http)
{
    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++) {
        if (fz_kept_fd_is_set(&http->sockets[i]) && fz_kept_fd_get(&http->sockets[i]) < 0)
            return false;
    }
    return true;
}

/*
 * All were its own when the exchange began, so what is not any more was closed by curl: one whose connection is not
 * made in time without calling close_socket() (as of 7.88).
 */
static void forget_closed(struct fz_etcd_http *http)
{
    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++) {
        if (fz_kept_fd_get(&http->sockets[i]) < 0)
            fz_kept_fd_forget(&http->sockets[i]);
    }
}

static void forget(struct fz_etcd_http *http)
{
    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++)
        fz_kept_fd_forget(&http->sockets[i]);
    http->curl = NULL;
    http->multi = NULL;
}

static void clean_up(struct fz_etcd_http *http)
{
    curl_easy_cleanup(http->curl);
    (void)curl_multi_cleanup(http->multi);
}

/* To clean up says good-bye to whatever has the sockets' numbers: rather than that, the handle is given up. */
static void drop(struct fz_etcd_http *http)
{
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGPIPE);
    if (http->curl != NULL && is_own(http) && fz_clients_enter(NULL) == FRAZIL_OK) {
        clean_up(http);
        fz_clients_leave();
    }
    forget(http);
    fz_quiet_signal_end(&quiet);
}

/* ---- the handle ----------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode initialised;

static void initialise(void)
{
    fz_tls_begin(); /* curl asks OpenSSL for random numbers without TLS, too */
    initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    json_object_seed(0); /* at its first use, threads wait for the one that is at it */
}

static bool set_text(CURL *curl, CURLoption option, const char *text)
{
    return text[0] == '\0' || curl_easy_setopt(curl, option, text) == CURLE_OK;
}

static bool set_number(CURL *curl, CURLoption option, long number)
{
    return curl_easy_setopt(curl, option, number) == CURLE_OK;
}

/* Sets the options that every request has. */
static bool set_up(struct fz_etcd_http *http, CURL *curl)
{
    const struct fz_etcd_url *url = http->url;

#if LIBCURL_VERSION_NUM >= 0x075700
    if (!set_number(curl, CURLOPT_QUICK_EXIT, 1)) /* does not wait for a resolver that hangs */
        return false;
#endif
    return set_number(curl, CURLOPT_NOSIGNAL, 1) && set_number(curl, CURLOPT_POST, 1) &&
           set_number(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) &&
           curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK && /* the environment's proxy is not used */
           curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->reason) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, http) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, close_socket) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_CLOSESOCKETDATA, http) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_body) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HEADERDATA, http) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_reply) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, http) == CURLE_OK && set_text(curl, CURLOPT_CAINFO, url->ca) &&
           set_text(curl, CURLOPT_SSLCERT, url->cert) && set_text(curl, CURLOPT_SSLKEY, url->key);
}

static bool make_handle(struct fz_etcd_http *http)
{
    pthread_once(&once, initialise);
    if (initialised != CURLE_OK)
        return false;
    http->curl = curl_easy_init();
    http->multi = curl_multi_init();
    if (http->curl != NULL && http->multi != NULL && set_up(http, http->curl) &&
        curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, 1L) == CURLM_OK)
        return true;
    clean_up(http);
    http->curl = NULL;
    http->multi = NULL;
    return false;
}

static bool append(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);

    if (longer != NULL)
        *list = longer;
    return longer != NULL;
}

static bool make_headers(struct curl_slist **list, const char *token)
{
    char line[FZ_ETCD_TOKEN_SIZE + 32];
    struct fz_sentence s = fz_sentence_in(line, sizeof line);

    fz_sentence_str(&s, "Authorization: ");
    fz_sentence_str(&s, token);
    bool made = append(list, "Content-Type: application/json") && append(list, "Expect:") &&
                (token[0] == '\0' || append(list, line));
    fz_wipe(line, sizeof line);
    return made;
}

/* One of them has the token. */
static void wipe_headers(const struct curl_slist *headers)
{
    for (; headers != NULL; headers = headers->next)
        fz_wipe(headers->data, strlen(headers->data));
}

static bool set_request(struct fz_etcd_http *http, const struct fz_etcd_request *request, struct sending *sending,
                        const struct curl_slist *headers)
{
    char address[FZ_URL_HOST_SIZE + 64];
    struct fz_sentence s = fz_sentence_in(address, sizeof address);

    fz_sentence_str(&s, http->url->common.tls ? "https://" : "http://");
    fz_url_show_host(&s, &http->url->common.hosts[request->host]);
    fz_sentence_str(&s, request->path);
    return curl_easy_setopt(http->curl, CURLOPT_URL, address) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_READDATA, sending) == CURLE_OK &&
           curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           set_number(http->curl, CURLOPT_POSTFIELDSIZE, (long)request->body_len) &&
           set_number(http->curl, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms) &&
           set_number(http->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)request->timeout_ms);
}

/* ---- exchanges -------------------------------------------------------------------- */

static void give_reason(struct fz_etcd_http *http, const char *text)
{
    struct fz_sentence s = fz_sentence_in(http->reason, sizeof http->reason);

    fz_sentence_str(&s, text);
}

/* As curl_easy_perform, but out of curl while it waits for a server, which it does until the time is over. */
static CURLcode run_curl(struct fz_etcd_http *http, const struct sending *sending)
{
    CURLMcode result = curl_multi_add_handle(http->multi, http->curl);
    CURLcode code = CURLE_OUT_OF_MEMORY;
    int running = 1;
    int left;

    while (result == CURLM_OK) {
        result = curl_multi_perform(http->multi, &running);
        if (result != CURLM_OK || running == 0)
            break;
        bool is_alone = http->is_resolved || sending->sent > 0;
        if (is_alone)
            fz_clients_pause();
        result = curl_multi_poll(http->multi, NULL, 0, LOOK_MS, NULL);
        if (is_alone && !fz_clients_resume())
            return CURLE_ABORTED_BY_CALLBACK;
    }
    const CURLMsg *said = curl_multi_info_read(http->multi, &left);
    if (said != NULL && said->msg == CURLMSG_DONE)
        code = said->data.result;
    (void)curl_multi_remove_handle(http->multi, http->curl);
    return code;
}

/*
 * Whether a certificate is the reason: the server's is not accepted, or a file of the URL's has none; or the server
 * speaks no TLS, which has no code of its own.
 */
static bool is_untrusted(const struct fz_etcd_http *http, CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
           code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_INVALIDCERTSTATUS ||
           (code == CURLE_SSL_CONNECT_ERROR && strstr(http->reason, "wrong version number") != NULL);
}

static enum fz_etcd_http_result perform(struct fz_etcd_http *http, const struct sending *sending, long *ret_status)
{
    CURLcode code = run_curl(http, sending);

    if (code == CURLE_OK) {
        (void)curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, ret_status);
        return FZ_ETCD_HTTP_ANSWERED;
    }
    if (code == CURLE_SEND_FAIL_REWIND)
        give_reason(http, "lost the connection before the reply");
    else if (http->is_too_long)
        give_reason(http, "the reply is too large: check that it is etcd");
    else if (http->reason[0] == '\0')
        give_reason(http, curl_easy_strerror(code));
    if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY)
        return FZ_ETCD_HTTP_FOREIGN;
    if (sending->sent == 0)
        return is_untrusted(http, code) ? FZ_ETCD_HTTP_UNTRUSTED : FZ_ETCD_HTTP_NOT_SENT;
    return code == CURLE_OPERATION_TIMEDOUT ? FZ_ETCD_HTTP_TIMED_OUT : FZ_ETCD_HTTP_SENT;
}

/* With the SIGPIPEs of others left to them. */
static enum fz_etcd_http_result exchange(struct fz_etcd_http *http, const struct fz_etcd_request *request,
                                         long *ret_status)
{
    struct sending sending = {request->body, request->body_len, 0};
    enum fz_etcd_http_result result = FZ_ETCD_HTTP_NOT_SENT;
    struct curl_slist *headers = NULL;
    struct fz_quiet_signal quiet;

    fz_quiet_signal_begin(&quiet, SIGPIPE);
    if ((http->curl != NULL || make_handle(http)) && make_headers(&headers, request->token) &&
        set_request(http, request, &sending, headers))
        result = perform(http, &sending, ret_status);
    else
        give_reason(http, "no memory for a request");
    if (http->curl != NULL) /* it keeps pointers to these */
        (void)curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, NULL);
    wipe_headers(headers);
    curl_slist_free_all(headers);
    fz_quiet_signal_end(&quiet);
    return result;
}

enum fz_etcd_http_result fz_etcd_http_post(struct fz_etcd_http *http, const struct fz_etcd_request *request,
                                           long *ret_status)
{
    frazil_error why;

    assert(request->timeout_ms > 0 && request->body_len > 0 && request->host < http->url->common.host_count);
    if (fz_clients_enter(&why) != FRAZIL_OK) {
        give_reason(http, why.message);
        return FZ_ETCD_HTTP_NOT_SENT;
    }
    atomic_store(&http->is_busy, true);
    give_reason(http, "");
    http->is_resolved = false;
    http->reply_len = 0;
    http->has_date = false;
    http->head_len = 0;
    http->is_too_long = false;
    if (!is_own(http))
        drop(http);
    enum fz_etcd_http_result result = exchange(http, request, ret_status);
    forget_closed(http);
    /* A handle has descriptors that nobody sees, and that it is still its own is told by those that are seen. */
    if (!has_sockets(http))
        drop(http);
    atomic_store(&http->is_busy, false);
    fz_clients_leave();
    return result;
}

void fz_etcd_http_start(struct fz_etcd_http *http, const struct fz_etcd_url *url)
{
    fz_wipe(http, sizeof *http);
    http->url = url;
    forget(http);
    if (fz_clients_enter(NULL) == FRAZIL_OK) {
        (void)pthread_once(&once, initialise);
        fz_clients_leave();
    }
}

/* Leads a socket nowhere, or closes it; false: it is closed. */
static bool lead_nowhere(int fd, int nowhere)
{
    if (nowhere >= 0 && dup2(nowhere, fd) == fd)
        return true;
    (void)close(fd);
    return false;
}

void fz_etcd_http_abandon(struct fz_etcd_http *http)
{
    bool may_enter = fz_clients_enter(NULL) == FRAZIL_OK;
    bool is_whole = !atomic_exchange(&http->is_busy, false) && is_own(http) && may_enter;
    int nowhere = is_whole ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

    /*
     * curl's last message on a TLS connection must go nowhere.  If there is no such place, or if a thread of the
     * parent's was changing the handle, or was inside curl for another one, when this process was born, the connection
     * is given up as it is.
     */
    for (size_t i = 0; i < FZ_ETCD_SOCKETS_MAX; i++) {
        int fd = fz_kept_fd_get(&http->sockets[i]);
        if (fd >= 0 && !lead_nowhere(fd, nowhere))
            is_whole = false;
    }
    if (nowhere >= 0)
        (void)close(nowhere);
    if (http->curl != NULL && is_whole)
        clean_up(http);
    if (may_enter)
        fz_clients_leave();
    forget(http);
}

void fz_etcd_http_stop(struct fz_etcd_http *http)
{
    drop(http);
    free(http->reply);
    http->reply = NULL;
}
