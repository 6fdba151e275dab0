/* SPDX-License-Identifier: MIT */
/* Goal of this test: requests of one session are answered one after another, however they come and whatever is missing.
 */
#include "failing_memory.h"
#include "http_exchange.h"
#include "http_request.h"
#include "lib/test.h"
#include "session.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define HEAD(path) "HEAD " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

static struct setup setup;
static struct server server;
static struct event_thread event_thread;
static struct session session;
static struct bytes out;

static void open_session(void)
{
    setup = (struct setup){.settings.daemon.page = "/nowhere"};
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++)
        setup.settings.listen[protocol].hosts = "";
    server = (struct server){.event_thread_count = 1, .event_threads = {&event_thread}};
    memset(&event_thread, 0, sizeof event_thread);
    event_thread.server = &server;
    event_thread.setup = &setup;
    atomic_init(&event_thread.seen_ns, UINT64_MAX / 2);
    session_open(&session, &event_thread, NULL, 1);
    session.is_http = true;
    out = (struct bytes){0};
}

static void close_session(void)
{
    session_close(&session);
    bytes_free(&out);
}

BEFORE_EACH
{
    open_session();
}

AFTER_EACH
{
    memory_fails_at(0);
    close_session();
}

static unsigned count_replies(unsigned status)
{
    char line[32];
    unsigned count = 0;

    (void)snprintf(line, sizeof line, "HTTP/1.1 %u ", status);
    bytes_add(&out, "", 1);
    for (const char *at = out.at; (at = strstr(at, line)) != NULL; at++)
        count++;
    out.len--;
    return count;
}

/* Gives the session bytes, as a connection does: again what it has not used. */
static enum session_state give(const char *bytes, size_t len, size_t *ret_used)
{
    size_t need;

    return session_run(&session, bytes, len, ret_used, &need, &out);
}

TEST("Requests that come byte by byte are answered as those that come at once")
{
    static const char text[] = GET("/livez") GET("/nothing") "\r\n" GET("/v1/layouts/41/10/12");
    size_t begin = 0, used;

    for (size_t len = 1; len < sizeof text; len++) {
        assert_int_equal(give(text + begin, len - begin, &used), SESSION_READ);
        begin += used;
    }
    assert_int_equal(begin, sizeof text - 1);
    size_t pieces = out.len;
    out.len = 0;
    assert_int_equal(give(text, sizeof text - 1, &used), SESSION_READ);
    assert_int_equal(used, sizeof text - 1);
    assert_int_equal(out.len, pieces);
    assert_int_equal(count_replies(200), 2);
    assert_int_equal(count_replies(404), 1);
}

TEST("A session that asks much lets others have their turn, and then goes on")
{
    char text[100 * (sizeof GET("/livez") - 1) + 1];
    size_t used, more;

    for (size_t at = 0; at + 1 < sizeof text; at += sizeof GET("/livez") - 1)
        memcpy(text + at, GET("/livez"), sizeof GET("/livez") - 1);
    assert_int_equal(give(text, sizeof text - 1, &used), SESSION_YIELD);
    assert_int_equal(count_replies(200), 64);
    assert_int_equal(give(text + used, sizeof text - 1 - used, &more), SESSION_READ);
    assert_int_equal(count_replies(200), 100);
}

/* Sixty of these requests, for the caller to free. */
static char *many_times(const char *request, size_t *ret_len)
{
    enum { TIMES = 60 };
    size_t len = strlen(request);
    char *text = malloc(TIMES * len);

    assert_non_null(text);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(text + i * len, request, len);
    *ret_len = TIMES * len;
    return text;
}

TEST("A client that does not read is not answered without bounds")
{
    size_t len, used;

    char *text = many_times(GET("/openapi.json"), &len);
    assert_int_equal(give(text, len, &used), SESSION_FULL);
    assert_true(out.len > OUT_BYTES_MAX && out.len < 2 * OUT_BYTES_MAX);
    assert_true(used < len);
    free(text);
}

/* Reads what has come, and goes on until the session reads again; how many bytes that were. */
static size_t read_all(void)
{
    enum session_state state;
    size_t total = out.len, used;

    do {
        out.len = 0;
        state = give("", 0, &used);
        assert_true(out.len <= OUT_BYTES_MAX);
        total += out.len;
    } while (state == SESSION_FULL);
    assert_int_equal(state, SESSION_READ);
    out.len = 0;
    return total;
}

static struct page *new_page(size_t len)
{
    struct page *page = calloc(1, sizeof *page);

    atomic_init(&page->holders, 1);
    memset(bytes_room(&page->bytes, len), 'x', len);
    page->bytes.len = len;
    return page;
}

#define PAGE "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n"

TEST("A page is sent as its client reads it, and is no copy")
{
    const size_t len = 20 * OUT_BYTES_MAX;
    struct page *page = setup.page = new_page(len);
    struct setup next = setup;
    size_t used;

    next.page = NULL;
    assert_int_equal(give(PAGE GET("/livez"), sizeof PAGE GET("/livez") - 1, &used), SESSION_FULL);
    assert_int_equal(used, sizeof PAGE - 1);
    assert_true(out.len <= OUT_BYTES_MAX);
    assert_int_equal(atomic_load(&page->holders), 2);
    event_thread.setup = &next; /* a reload */
    page_release(page);
    size_t head = (size_t)(strstr(out.at, "\r\n\r\n") + 4 - out.at);
    assert_int_equal(read_all(), head + len);
    assert_int_equal(give(GET("/livez"), sizeof GET("/livez") - 1, &used), SESSION_READ);
    assert_int_equal(count_replies(200), 1);
}

TEST("A client that leaves amid a page, or is cut there, lets it go and gets nothing more")
{
    struct page *page = setup.page = new_page(2 * OUT_BYTES_MAX);
    size_t used;

    for (unsigned at = 0; at < 8; at++) { /* which piece of memory is missing; 0: none */
        memory_fails_at(at);
        enum session_state state = give(PAGE, sizeof PAGE - 1, &used);
        assert_int_equal(state == SESSION_FULL, at == 0 || memory_calls() < at);
        memory_fails_at(0);
        size_t sent = out.len;
        session_cut(&session, &out);
        assert_int_equal(out.len, sent);
        close_session();
        assert_int_equal(atomic_load(&page->holders), 1);
        open_session();
        setup.page = page;
    }
    page_release(page);
}

TEST("A reply without its body costs as much of a turn as one with it")
{
    size_t len, used;

    char *text = many_times(HEAD("/openapi.json"), &len);
    assert_int_equal(give(text, len, &used), SESSION_FULL);
    assert_true(used > 0 && used < len / 4);
    free(text);
    assert_true(out.len < OUT_BYTES_MAX / 8);
}

TEST("Behind a head that is refused nothing is read")
{
    static const char text[] = "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n" GET("/livez");
    size_t used;

    assert_int_equal(give(text, sizeof text - 1, &used), SESSION_CLOSE);
    assert_int_equal(count_replies(400), 1);
    assert_int_equal(count_replies(200), 0);
    assert_int_equal(give(text + used, sizeof text - 1 - used, &used), SESSION_CLOSE);
    assert_int_equal(count_replies(200), 0);
}

/* How many replies say that they are the last. */
static unsigned count_ends(void)
{
    unsigned count = 0;

    bytes_add(&out, "", 1);
    for (const char *at = out.at; (at = strstr(at, "Connection: close")) != NULL; at++)
        count++;
    out.len--;
    return count;
}

TEST("A daemon that ends answers all requests that have come, and closes with the last answer")
{
    static const char text[] = GET("/livez") GET("/nothing") GET("/livez") "\r\n";
    size_t used;

    atomic_store(&server.leaving, true);
    assert_int_equal(give(text, sizeof text - 1, &used), SESSION_CLOSE);
    assert_int_equal(count_replies(200) + count_replies(404), 3);
    assert_int_equal(count_ends(), 1);
    close_session();
    open_session();
    atomic_store(&server.leaving, true);
    assert_int_equal(give(GET("/livez") GET("/livez") "GET /li", 2 * sizeof GET("/livez") + 5, &used), SESSION_CLOSE);
    assert_int_equal(count_replies(200), 2); /* a client that never pauses learns of the end, too */
    assert_int_equal(count_ends(), 1);
}

TEST("A session that waits for nothing is cut without a word")
{
    session_cut(&session, &out);
    session.is_http = false;
    session_cut(&session, &out);
    assert_int_equal(out.len, 0);
}

TEST("A client is unknown until it has asked something, and may be ended when nothing of it is unread")
{
    size_t used;

    assert_int_not_equal(session_limit(&session), COMMAND_BYTES_MAX);
    assert_false(session_may_end(&session, 0));
    assert_int_equal(give("GET /li", 7, &used), SESSION_READ);
    assert_int_not_equal(session_limit(&session), COMMAND_BYTES_MAX);
    assert_int_equal(give(GET("/livez"), sizeof GET("/livez") - 1, &used), SESSION_READ);
    assert_int_equal(session_limit(&session), COMMAND_BYTES_MAX);
    assert_true(session_may_end(&session, 0));
    assert_false(session_may_end(&session, 1));
    assert_true(session_idle_ns(&session) > 0);
}

/* Asks each time without another piece of memory: the session has all of the replies, or is to be closed. */
TEST("Whichever memory is missing, a reply is whole, or none is sent and the connection ends")
{
    static const char text[] =
        GET("/metrics") GET("/v1/layouts") GET("/") GET("/openapi.json") GET("/v1/generators/none/ids") GET("/livez?x");
    bool all_failed = false;

    for (unsigned at = 1; !all_failed; at++) {
        size_t used;
        memory_fails_at(at);
        enum session_state state = give(text, sizeof text - 1, &used);
        all_failed = memory_calls() < at;
        memory_fails_at(0);
        if (state == SESSION_READ && !out.failed) {
            assert_int_equal(count_replies(200), 4);
            assert_int_equal(count_replies(403) + count_replies(400), 2);
        } else {
            assert_true(out.failed);
        }
        close_session();
        open_session();
    }
}
