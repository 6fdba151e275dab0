/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an option that libmariadb does not take, or loses for want of memory, ends the connection before
 * anything is sent.  Without it the login would be weaker, or the process would crash.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mysql.h>
#include <stdarg.h>

#include "coordinators/mysql/mysql_connection.h"
#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/register_rig.h"
#include "lib/test.h"
#include "os/deadline.h"

enum { NONE = -1, OPTIONS_MAX = 64 };

/* The options that are asked for, and one that is not taken. */
static struct {
    int fails;  /* it is refused */
    int forgot; /* it is taken, and then it is not there */
    int asked[OPTIONS_MAX];
    size_t n;
    unsigned connect_timeout_s;
} options;

static struct fz_deadline deadline; /* of the call that connects */

/* In place of libmariadb's. */
int mysql_optionsv(MYSQL *mysql, enum mysql_option option, ...)
{
    int (*real)(MYSQL *, enum mysql_option, ...);
    void *address = dlsym(RTLD_NEXT, "mysql_optionsv");
    va_list arguments;

    memcpy(&real, &address, sizeof real);
    va_start(arguments, option);
    const void *value = va_arg(arguments, const void *);
    va_end(arguments);
    assert_in_range(options.n, 0, OPTIONS_MAX - 1);
    options.asked[options.n++] = (int)option;
    if (option == MYSQL_OPT_CONNECT_TIMEOUT)
        memcpy(&options.connect_timeout_s, value, sizeof options.connect_timeout_s);
    if ((int)option == options.fails)
        return 1;
    return (int)option == options.forgot ? 0 : real(mysql, option, value);
}

/* Tries to connect where nobody listens. */
static void assert_refused(const char *why)
{
    struct fz_register reg = register_open(frazil_coordinator_mysql()->open_register,
                                           "mysql://u:secret@127.0.0.1:1/ids/orders?timeout=5s&ssl-ca=/etc/passwd&"
                                           "ssl-cert=/etc/group&ssl-key=/etc/hosts");
    struct fz_mysql_connection *connection = reg.ctx;
    MYSQL_RES *rows = NULL;
    frazil_error err;

    options.n = 0;
    connection->sql.deadline = deadline;
    assert_int_equal(fz_mysql_carry_out(connection, "SELECT 1", &rows, &err), FZ_REGISTER_UNREACHABLE);
    if (strstr(err.message, why) == NULL)
        fail_msg("option %d, %d: %s", options.fails, options.forgot, err.message);
    register_close(&reg);
}

BEFORE_EACH
{
    options.fails = options.forgot = NONE;
    deadline = FZ_DEADLINE_NONE;
}

TEST("With all options there is nothing wrong but the server")
{
    assert_refused("cannot connect: 'Can");
    assert_in_range(options.n, 14, OPTIONS_MAX);
}

TEST("libmariadb itself waits for no longer than the call may, by whole seconds, and than the URL's timeout")
{
    assert_refused("cannot connect");
    assert_int_equal(options.connect_timeout_s, 5);
    deadline = fz_deadline_in(900000000);
    assert_refused("cannot connect");
    assert_int_equal(options.connect_timeout_s, 1);
}

TEST("Each option counts, and the first one that fails is the last one that is asked for")
{
    int asked[OPTIONS_MAX];

    assert_refused("");
    size_t n = options.n;
    memcpy(asked, options.asked, sizeof asked);
    for (size_t i = 0; i < n; i++) {
        options.fails = asked[i];
        assert_refused("out of memory");
        assert_int_equal(options.n, i + 1);
    }
}

TEST("A text that libmariadb has lost is noticed")
{
    static const int texts[] = {MYSQL_OPT_SSL_CA, MYSQL_OPT_SSL_CERT, MYSQL_OPT_SSL_KEY, MYSQL_DEFAULT_AUTH};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        options.forgot = texts[i];
        assert_refused("out of memory");
    }
}
