/* SPDX-License-Identifier: MIT */
/* Goal of this test: whatever a client of the Redis protocol says, and however it is cut, the daemon's session answers
 * each command once, in well-formed replies, and keeps no more than it may. */
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "daemon_rig.h"
#include "fuzz.h"
#include "lease_thread.h"
#include "session.h"

enum { DEPTH_MAX = 4, REPLY_MAX = 66000, ERROR_MAX = 1500 };

/* A daemon with one event thread, for a conversation at a time. */
struct host {
    struct server server;
    struct event_thread event_thread;
    bool woken;
};

/* A conversation that is over. */
struct talk {
    struct bytes said; /* by the daemon */
    size_t used;
    enum session_state state;
};

static struct host open_host, guarded_host; /* everybody may do everything; users only */
static sem_t noted;                         /* a background job is done */

static void on_wake(void *woken)
{
    *(bool *)woken = true;
}

static void on_notify(struct event_thread *event_thread)
{
    (void)event_thread;
    (void)sem_post(&noted);
}

static void start(struct host *host, bool has_users)
{
    daemon_rig_open(&host->server, PROTOCOL_RESP, "127.0.0.1:0", has_users);
    host->event_thread.wake = on_wake;
    host->event_thread.notify = on_notify;
    host->event_thread.ids = malloc(MAX_BATCH_MAX * sizeof(frazil_sno));
    REQUIRE(host->event_thread.ids != NULL);
    server_open_event_thread(&host->server, &host->event_thread);
}

/* ---- replies ----------------------------------------------------------------------------- */

struct text {
    const char *at;
    size_t len;
};

/* The line that begins there, without its kind and its end, which it moves behind. */
static struct text read_line(struct text *rest)
{
    const char *end = memchr(rest->at, '\n', rest->len);

    REQUIRE(end != NULL && end - rest->at >= 2 && end[-1] == '\r');
    struct text line = {rest->at + 1, (size_t)(end - rest->at) - 2};
    for (size_t i = 0; i < line.len; i++)
        REQUIRE((unsigned char)line.at[i] >= ' ');
    rest->len -= (size_t)(end + 1 - rest->at);
    rest->at = end + 1;
    return line;
}

static size_t read_count(struct text line)
{
    char digits[24] = "";
    char *end;

    REQUIRE(line.len > 0 && line.len < sizeof digits);
    memcpy(digits, line.at, line.len);
    unsigned long count = strtoul(digits, &end, 10);
    REQUIRE(*end == '\0' && digits[0] != '-');
    return count;
}

/* Moves behind a reply, and notes its kind and those of its members. */
static void read_reply(struct text *rest, int depth, struct bytes *shape)
{
    REQUIRE(rest->len > 0 && depth < DEPTH_MAX);
    char kind = rest->at[0];
    struct text line = read_line(rest);
    bytes_add(shape, &kind, 1);
    bool is_null = line.len == 2 && memcmp(line.at, "-1", 2) == 0;
    if (kind == '$' && !is_null) {
        size_t len = read_count(line);
        REQUIRE(len <= REPLY_MAX && rest->len >= len + 2 && memcmp(rest->at + len, "\r\n", 2) == 0);
        rest->at += len + 2;
        rest->len -= len + 2;
    } else if ((kind == '*' || kind == '%') && !is_null) {
        for (size_t left = read_count(line) * (kind == '%' ? 2 : 1); left > 0; left--)
            read_reply(rest, depth + 1, shape);
    } else {
        REQUIRE(strchr("+-:(_#$*", kind) != NULL);
    }
}

static size_t read_replies(const struct bytes *said, struct bytes *shape)
{
    struct text rest = {said->at, said->len};
    size_t count = 0;

    for (; rest.len > 0; count++)
        read_reply(&rest, 0, shape);
    return count;
}

/* ---- conversations --------------------------------------------------------------------------- */

/* Does what the loop does while a session waits. */
static void await(struct host *host, const struct session *session)
{
    host->woken = false;
    while (!host->woken) {
        if (session->lease_job != NULL) {
            (void)sem_wait(&noted);
            lease_jobs_collect(&host->event_thread);
        } else {
            (void)poll(NULL, 0, 1);
            host->event_thread.now_ns = clock_ns();
            dispatcher_run(&host->event_thread.dispatcher, host->event_thread.now_ns);
        }
    }
}

/* Whether it can become known, in the middle of a look as well. */
static bool may_be_known(const struct host *host, const char *bytes, size_t len)
{
    static const char token[] = "hunter2";

    return host == &open_host || memmem(bytes, len, token, sizeof token - 1) != NULL;
}

/* One look of the session adds no more than its bound and one reply. */
static void check_look(struct session *session, const struct talk *talk, size_t left, size_t used, size_t need,
                       const struct bytes *out, bool known)
{
    REQUIRE(!out->failed && used <= left);
    REQUIRE(talk->state != SESSION_READ || need > left - used);
    REQUIRE(talk->state != SESSION_READ || need <= session_limit(session));
    REQUIRE(known ? out->len <= OUT_BYTES_MAX + REPLY_MAX : out->len <= OUT_BYTES_MAX_UNKNOWN + ERROR_MAX);
}

/* Says it in pieces of `step` bytes, and reads until the session wants more than there is. */
static struct talk hold(struct host *host, const char *bytes, size_t len, size_t step)
{
    struct talk talk = {.state = SESSION_READ};
    struct session session;
    size_t there = 0, used, need = 0;

    session_open(&session, &host->event_thread, &host->woken, 1);
    while (talk.state != SESSION_CLOSE && (talk.state != SESSION_READ || there < len)) {
        struct bytes out = {0};
        if (talk.state == SESSION_READ)
            there += len - there < step ? len - there : step;
        if (talk.state == SESSION_WAIT)
            await(host, &session);
        host->event_thread.now_ns = clock_ns();
        size_t left = there - talk.used;
        talk.state = session_run(&session, bytes + talk.used, left, &used, &need, &out);
        check_look(&session, &talk, left, used, need, &out, may_be_known(host, bytes, len));
        talk.used += used;
        bytes_add(&talk.said, out.at, out.len);
        bytes_free(&out);
    }
    session_close(&session);
    return talk;
}

/* How many commands stand in bytes that were all used. */
static size_t count_commands(const char *bytes, size_t len)
{
    struct resp_command command;
    size_t count = 0, need;
    const char *why;

    while (resp_read(bytes, len, COMMAND_BYTES_MAX, &command, &need, &why) == RESP_COMMAND) {
        count += command.count > 0;
        bytes += command.bytes;
        len -= command.bytes;
    }
    return count;
}

/* Whether the client asked for silence, so that there may be fewer replies than commands. */
static bool may_be_silent(const char *bytes, size_t len)
{
    static const char word[] = "reply";

    for (size_t i = 0; i + sizeof word - 1 <= len; i++) {
        if (strncasecmp(bytes + i, word, sizeof word - 1) == 0)
            return true;
    }
    return false;
}

static void check(struct host *host, const char *bytes, size_t len)
{
    struct talk whole = hold(host, bytes, len, len > 0 ? len : 1), cut = hold(host, bytes, len, 1);
    struct bytes shape = {0}, shape_of_cut = {0};
    size_t commands_run = count_commands(bytes, whole.used), replies = read_replies(&whole.said, &shape);

    (void)read_replies(&cut.said, &shape_of_cut);
    REQUIRE(whole.used == cut.used && whole.state == cut.state);
    REQUIRE(shape.len == shape_of_cut.len && (shape.len == 0 || memcmp(shape.at, shape_of_cut.at, shape.len) == 0));
    REQUIRE(replies <= commands_run + (whole.state == SESSION_CLOSE)); /* why it breaks off is a reply, too */
    REQUIRE(whole.state == SESSION_CLOSE || replies == commands_run || may_be_silent(bytes, len));
    bytes_free(&whole.said);
    bytes_free(&cut.said);
    bytes_free(&shape);
    bytes_free(&shape_of_cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (open_host.event_thread.ids == NULL) {
        REQUIRE(sem_init(&noted, 0, 0) == 0);
        start(&open_host, false);
        start(&guarded_host, true);
    }
    check(&open_host, (const char *)data, size);
    check(&guarded_host, (const char *)data, size);
    return 0;
}
