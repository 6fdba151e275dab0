/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an answer in MySQL's protocol means no more than it says.  A statement that was carried out is
 * never taken for a refused one, whatever comes behind it.  A setting that has no name, or another value than today's,
 * is no surprise.
 */
#include <mysqld_error.h>

#include "lib/flood.h"
#include "lib/mysql_server.h"
#include "lib/test.h"

/* A server of MariaDB's, without TLS and without a password; a login that succeeds is the second packet. */
static const char greeting[] = "\123\0\0\0\12"
                               "10.11.0-MariaDB\0\1\0\0\0saltsalt\0\11\242\55\2\0\13\0\25"
                               "\0\0\0\0\0\0\0\0\0\0saltsaltsalt\0mysql_native_password\0";

enum { PART_MAX = 128 };

/* The packets that a server sends. */
struct script {
    size_t len;
    unsigned char next; /* number of a packet */
    char bytes[4096];
};

static void add_packet(struct script *script, const char *bytes, size_t len)
{
    const char head[] = {(char)len, 0, 0, (char)script->next++};

    assert_true(len < 256 && script->len + sizeof head + len <= sizeof script->bytes);
    memcpy(script->bytes + script->len, head, sizeof head);
    memcpy(script->bytes + script->len + sizeof head, bytes, len);
    script->len += sizeof head + len;
}

/* A statement without rows was carried out, and another one's answer follows. */
static void add_done(struct script *script)
{
    add_packet(script, "\0\0\0\12\0\0\0", 7);
}

static void add_error(struct script *script, unsigned number)
{
    const char bytes[] = {(char)0xff, (char)(number & 255), (char)(number >> 8), '#', 'H', 'Y', '0', '0', '0', 'n',
                          'o'};

    add_packet(script, bytes, sizeof bytes);
}

/* The last answer: n columns without names, and a row; without values there is no row. */
static void add_rows(struct script *script, const char *const *values, size_t n)
{
    static const char column[] = "\3def\0\0\0\0\0\14\55\0\377\0\0\0\375\0\0\0\0";
    static const char end[] = "\376\0\0\2\0";
    char row[PART_MAX];
    size_t len = 0;

    add_packet(script, (const char[]){(char)n}, 1);
    for (size_t i = 0; i < n; i++)
        add_packet(script, column, sizeof column);
    add_packet(script, end, sizeof end - 1);
    for (size_t i = 0; values != NULL && i < n; i++) {
        size_t value_len = values[i] == NULL ? 0 : strlen(values[i]);
        assert_true(len + 1 + value_len <= sizeof row);
        row[len++] = values[i] == NULL ? (char)0xfb : (char)value_len;
        memcpy(row + len, values[i] == NULL ? "" : values[i], value_len);
        len += value_len;
    }
    if (values != NULL)
        add_packet(script, row, len);
    add_packet(script, end, sizeof end - 1);
}

/* A login, and the answer about the session's settings; setting: one that is not as it should be, and its value. */
static struct script begin(const char *const setting[2])
{
    struct script script = {.next = 2};

    add_packet(&script, "\0\0\0\2\0\0\0", 7);
    script.next = 1;
    add_done(&script);
    add_done(&script);
    add_rows(&script, setting, 2);
    script.next = 1;
    return script;
}

/* The requests: a read, a swap of a record that is there, or one of a new record. */
enum request { READ, UPDATE, INSERT };

/* Asks somebody who says all that, and the answer when an INSERT comes; NULL: none is waited for. */
static enum fz_register_result ask_as(const char *user, const struct script *script, const struct script *answer,
                                      enum request request)
{
    const struct flood flood = {.pace = FLOOD_TRICKLE | FLOOD_FIRST,
                                .greeting = greeting,
                                .greeting_len = sizeof greeting - 1,
                                .head = script->bytes,
                                .head_len = script->len,
                                .piece = answer == NULL ? "x" : answer->bytes,
                                .piece_len = answer == NULL ? 1 : answer->len};
    enum fz_register_result result;
    struct fz_record record;
    uint64_t untouched = 4711;
    uint16_t port;

    pid_t server = flood_start_cued(&flood, answer == NULL ? NULL : "INSERT INTO", &port);
    struct fz_register reg =
        mysql_open_url("mysql://%s@127.0.0.1:%u/app/orders?timeout=60s&ssl-mode=DISABLED", user, (unsigned)port);
    result =
        request == READ ? register_read(&reg, 7, &record) : register_swap(&reg, 7, request == UPDATE, "x", &untouched);
    assert_int_equal(untouched, 4711);
    register_close(&reg);
    flood_stop(server);
    return result;
}

static enum fz_register_result ask(const struct script *script, enum request request)
{
    return ask_as("me", script, NULL, request);
}

/* Puts a new record into a table with the right key; the answer to the INSERT is this one. */
static enum fz_register_result insert(const struct script *answer)
{
    static const char *const key[] = {"namespace,number", "ascii_bin", NULL};
    struct script script = begin(NULL);

    add_rows(&script, key, sizeof key / sizeof key[0]);
    return ask_as("me", &script, answer, INSERT);
}

TEST("A server that would have the password told gets none, unless it proves who it is")
{
    static const char another_way[] = "\376mysql_clear_password";
    struct script script = {.next = 2};

    add_packet(&script, another_way, sizeof another_way);
    assert_int_equal(ask_as("me:s3cret", &script, NULL, READ), FZ_REGISTER_REFUSED);
    register_assert_said("asks for a password in a way that would expose it");
}

TEST("An error of the second statement does not undo the first: the write may have been carried out")
{
    static const unsigned numbers[] = {ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK,   ER_CHECKREAD,
                                       ER_DISK_FULL,         ER_NO_SUCH_TABLE,   ER_OPTION_PREVENTS_STATEMENT,
                                       ER_PARSE_ERROR,       ER_BAD_FIELD_ERROR, ER_TABLEACCESS_DENIED_ERROR};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct script script = begin(NULL);
        add_done(&script);
        add_error(&script, numbers[i]);
        assert_int_equal(ask(&script, UPDATE), FZ_REGISTER_UNKNOWN);
    }
    struct script script = begin(NULL);
    add_error(&script, ER_LOCK_WAIT_TIMEOUT);
    assert_int_equal(ask(&script, UPDATE), FZ_REGISTER_UNREACHABLE); /* of the first */
}

TEST("An error that nobody knows leaves a write open, and is told with its number: the connection was not lost")
{
    static const unsigned numbers[] = {1030 /* of the storage engine */, 1644 /* of a trigger */, 4711};
    char said[64];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct script script = begin(NULL);
        add_error(&script, numbers[i]);
        assert_int_equal(ask(&script, UPDATE), FZ_REGISTER_UNKNOWN);
        snprintf(said, sizeof said, "failed, and may have been carried out: 'no' (%u)", numbers[i]);
        register_assert_said(said);
    }
}

TEST("An error that nobody knows leaves nothing open while the session is set up: no write was sent")
{
    struct script script = {.next = 2};

    add_packet(&script, "\0\0\0\2\0\0\0", 7);
    script.next = 1;
    add_error(&script, 4711);
    assert_int_equal(ask(&script, UPDATE), FZ_REGISTER_UNREACHABLE);
    register_assert_said("'no' (4711)");
}

TEST("Nor does one in place of the table's key, which is asked for before the write")
{
    struct script script = begin(NULL);

    add_error(&script, 4711);
    assert_int_equal(ask(&script, INSERT), FZ_REGISTER_UNREACHABLE);
    register_assert_said("'no' (4711)");
}

TEST("An answer that does not describe the table is no leave to put a new record into it")
{
    static const char *const fields[] = {"namespace,number"};
    struct script script = begin(NULL);

    add_rows(&script, fields, 1);
    assert_int_equal(ask(&script, INSERT), FZ_REGISTER_REFUSED);
    register_assert_said("does not describe its tables, as MySQL and MariaDB do");
    script = begin(NULL);
    add_rows(&script, NULL, 3);
    assert_int_equal(ask(&script, INSERT), FZ_REGISTER_REFUSED);
    register_assert_said("does not describe its tables, as MySQL and MariaDB do");
}

TEST("A setting that has no name, or a value that nobody knows yet, ends in an answer")
{
    static const char *const nameless[] = {NULL, "ON"};
    static const char *const no_lock[] = {"read_only", "NO_LOCK"};
    static const char *const galera[] = {"wsrep_on", "ON"};
    struct script script = begin(nameless);

    assert_int_equal(ask(&script, READ), FZ_REGISTER_UNREACHABLE);
    script = begin(no_lock);
    assert_int_equal(ask(&script, READ), FZ_REGISTER_UNREACHABLE);
    register_assert_said("is read-only");
    script = begin(galera);
    assert_int_equal(ask(&script, READ), FZ_REGISTER_REFUSED);
}

TEST("read_only is a number, or a word since MariaDB 12: only 0 and OFF are no")
{
    static const struct {
        const char *read_only;
        enum fz_register_result result;
    } rows[] = {{"0", FZ_REGISTER_OK},
                {"OFF", FZ_REGISTER_OK},
                {"1", FZ_REGISTER_UNREACHABLE},
                {"ON", FZ_REGISTER_UNREACHABLE},
                {"NO_LOCK", FZ_REGISTER_UNREACHABLE},
                {"NO_LOCK_NO_ADMIN", FZ_REGISTER_UNREACHABLE},
                {"", FZ_REGISTER_UNREACHABLE},
                {NULL, FZ_REGISTER_UNREACHABLE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const values[] = {"1795687794832707", rows[i].read_only, "1.2.3306.4", "InnoDB 5", "7", "data"};
        struct script script = begin(NULL);
        add_rows(&script, values, sizeof values / sizeof values[0]);
        assert_int_equal(ask(&script, READ), rows[i].result);
    }
}

TEST("A server that does not tell when it was started is refused: nobody would notice that it has lost records")
{
    static const char *const values[] = {"1795687794832707", "0", "1.2.3306", "InnoDB 5", "7", "data"};
    struct script script = begin(NULL);

    add_rows(&script, values, sizeof values / sizeof values[0]);
    assert_int_equal(ask(&script, READ), FZ_REGISTER_REFUSED);
    register_assert_said("does not report its time and identity, as MySQL and MariaDB do");
}

TEST("A request that lost a race is made once more; one that waited for a lock is not")
{
    static const char *const values[] = {"1795687794832707", "0", "1.2.3306.4", "InnoDB 5", "7", "data"};
    static const struct {
        unsigned number;
        enum fz_register_result result;
    } rows[] = {{ER_LOCK_DEADLOCK, FZ_REGISTER_OK},
                {ER_CHECKREAD, FZ_REGISTER_OK},
                {ER_LOCK_WAIT_TIMEOUT, FZ_REGISTER_UNREACHABLE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct script script = begin(NULL);
        add_error(&script, rows[i].number);
        script.next = 1;
        add_rows(&script, values, sizeof values / sizeof values[0]);
        assert_int_equal(ask(&script, READ), rows[i].result);
    }
}

TEST("Each way in which a server says that it only reads is known")
{
    static const unsigned numbers[] = {ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION,
                                       1836 /* of MySQL, which MariaDB's header does not have */};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct script script = begin(NULL);
        add_error(&script, numbers[i]);
        assert_int_equal(ask(&script, UPDATE), FZ_REGISTER_UNREACHABLE);
        register_assert_said("is read-only, as replicas are");
    }
}

TEST("An INSERT that changed nothing is a conflict: the record is there already")
{
    static const char *const values[] = {"1795687794832707", "0", "1.2.3306.4", "InnoDB 5", NULL};
    struct script answer = {.next = 1};

    add_done(&answer);
    add_rows(&answer, values, sizeof values / sizeof values[0]);
    assert_int_equal(insert(&answer), FZ_REGISTER_CONFLICT);
}

TEST("A write whose answer lacks the time, the server or the table's engine may have been carried out")
{
    static const char *const rows[][5] = {{"x", "0", "1.2.3306.4", "InnoDB 5", "8"},
                                          {"1795687794832707", "0", NULL, "InnoDB 5", "8"},
                                          {"1795687794832707", "0", "1.2.3306.4", "MyISAM 5", "8"},
                                          {"1795687794832707", "1", "1.2.3306.4", "InnoDB 5", "8"},
                                          {"1795687794832707", "0", "one", "InnoDB 5", "8"},
                                          {"1795687794832707", "0", "1.2.3306", "InnoDB 5", "8"},
                                          {"1795687794832707", "0", "1.2.3306.4", "InnoDB 5", "0"}}; /* not one row */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct script script = begin(NULL);
        add_done(&script);
        add_rows(&script, rows[i], 5);
        assert_int_equal(ask(&script, UPDATE), FZ_REGISTER_UNKNOWN);
        struct script answer = {.next = 1};
        add_done(&answer);
        add_rows(&answer, rows[i], 5);
        assert_int_equal(insert(&answer), FZ_REGISTER_UNKNOWN);
    }
}
