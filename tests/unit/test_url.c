/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the parser of all coordinators' URLs reads a URL as it is meant or refuses it with what would be
 * right, and a password never gets into a sentence.  coordinators/test_*_url.c test the peculiarities of each
 * coordinator.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/test.h"
#include "lib/url_rig.h"

struct x_url {
    struct fz_url common;
    uint32_t number;
    uint32_t ms;
    char file[FZ_URL_PATH_SIZE];
    char own[8];
};

static frazil_err read_own(struct fz_url_piece value, struct fz_url *url, frazil_error *reterr)
{
    struct x_url *x = (struct x_url *)url;

    return fz_url_copy(value, x->own, sizeof x->own) ? FRAZIL_OK : fz_fail(reterr, FRAZIL_ESPEC, "own is too long");
}

static frazil_err check(const struct fz_url_kind *kind, const struct fz_url *url, frazil_error *reterr)
{
    assert_string_equal(kind->what, "X");
    return strcmp(url->name, "forbidden") == 0 ? fz_fail(reterr, FRAZIL_ESPEC, "checked") : FRAZIL_OK;
}

static const struct fz_url_scheme schemes[] = {
    {.text = "x://"}, {.text = "xs://", .tls = true}, {.text = "x+unix://", .is_path = true}, {.text = NULL}};

static const struct fz_url_key keys[] = {
    {"number", FZ_URL_NUMBER, "3", "2", "17", offsetof(struct x_url, number), NULL},
    {"time", FZ_URL_DURATION, NULL, "10ms", "2s", offsetof(struct x_url, ms), NULL},
    {"file", FZ_URL_FILE, NULL, NULL, NULL, offsetof(struct x_url, file), NULL},
    {"own", FZ_URL_OWN, "first", NULL, NULL, 0, read_own},
    {.name = NULL}};

static const struct fz_url_kind plain = {.what = "X",
                                         .form = "x://HOST/NAME",
                                         .schemes = schemes,
                                         .keys = keys,
                                         .size = sizeof(struct x_url),
                                         .hosts_max = 4,
                                         .default_port = 7,
                                         .check = check};

static const struct fz_url_kind single = {.what = "X",
                                          .form = "x://HOST/NAME",
                                          .schemes = schemes,
                                          .keys = keys,
                                          .size = sizeof(struct x_url),
                                          .hosts_max = 1};

static const struct fz_url_kind user_alone = {.what = "X",
                                              .form = "x://HOST/NAME",
                                              .schemes = schemes,
                                              .keys = keys,
                                              .size = sizeof(struct x_url),
                                              .hosts_max = 1,
                                              .user_alone = true};

URL_PARSE(struct x_url, &plain)

static void assert_refused(const char *text, const char *why)
{
    url_assert_refused(&plain, text, FRAZIL_ESPEC, why);
}

/* ---- places ---------------------------------------------------------------------- */

TEST("Each part of a URL lies where it belongs; what is not said has its default")
{
    struct x_url url = parse("x://example.org/orders");

    assert_false(url.common.tls || url.common.is_path);
    assert_int_equal(url.common.host_count, 1);
    assert_string_equal(url.common.hosts[0].name, "example.org");
    assert_int_equal(url.common.hosts[0].port, 7);
    assert_string_equal(url.common.name, "orders");
    assert_int_equal(url.common.access.timeout_ms, 1000);
    assert_string_equal(url.common.access.user, "");
    assert_string_equal(url.common.access.password, "");
    assert_int_equal(url.number, 3);
    assert_int_equal(url.ms, 0);
    assert_string_equal(url.file, "");
    assert_string_equal(url.own, "first");
    url = parse("xs://joe:s3cret@h/a.b_c-d:e?timeout=250ms&number=17&time=2s&file=/a%20b&own=x");
    assert_true(url.common.tls);
    assert_string_equal(url.common.name, "a.b_c-d:e");
    assert_int_equal(url.common.access.timeout_ms, 250);
    assert_int_equal(url.number, 17);
    assert_int_equal(url.ms, 2000);
    assert_string_equal(url.file, "/a b");
    assert_string_equal(url.own, "x");
}

TEST("Hosts are separated by commas, each with a port of its own")
{
    struct x_url url = parse("x://zk1,10.0.0.7:2182,[2001:db8::1]:65535,[::1]/n");

    assert_int_equal(url.common.host_count, 4);
    assert_string_equal(url.common.hosts[0].name, "zk1");
    assert_int_equal(url.common.hosts[0].port, 7);
    assert_string_equal(url.common.hosts[1].name, "10.0.0.7");
    assert_int_equal(url.common.hosts[1].port, 2182);
    assert_string_equal(url.common.hosts[2].name, "2001:db8::1");
    assert_int_equal(url.common.hosts[2].port, 65535);
    assert_string_equal(url.common.hosts[3].name, "::1");
    assert_int_equal(url.common.hosts[3].port, 7);
    assert_refused("x://a,b,c,d,e/n", "the X URL names more than 4 hosts");
    url_assert_refused(&single, "x://a,b/n", FRAZIL_ESPEC, "the X URL names more than 1 host");
    static const char *const wrong[] = {"",       ",",       "a,",     ",a",      "a,,b",   "::1",   "[::1",
                                        "[::1]:", "[a[b:c]", "[::1]7", "a]b",     "a,b:0",  "a,b:x", "a b",
                                        "a\nb",   "a:",      "a:0",    "a:65536", "a:06379"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "x://%s/n", wrong[i]);
        assert_refused(text, strrchr(wrong[i], ':') != NULL && wrong[i][0] == 'a' ? "port" : "");
    }
}

TEST("User and password, percent-encoded or not; what is before the last '@' is theirs")
{
    struct x_url url = parse("x://:s3cret@h/x");

    assert_string_equal(url.common.access.user, "");
    assert_string_equal(url.common.access.password, "s3cret");
    url = parse("x://us%40er:s3cret%40%2f%3F%25%3A@h:1,i/x");
    assert_string_equal(url.common.access.user, "us@er");
    assert_string_equal(url.common.access.password, "s3cret@/?%:");
    assert_int_equal(url.common.host_count, 2);
    url = parse("x://joe:s3/cr:e@t@h/x");
    assert_string_equal(url.common.access.password, "s3/cr:e@t");
    assert_string_equal(url.common.hosts[0].name, "h");
}

TEST("Where a user needs no password it may stand alone, and only there")
{
    struct x_url url;

    assert_refused("x://joe@h/n", "there is no ':'");
    assert_refused("x://h/n?user=joe", "the X URL has a user without a password");
    assert_int_equal(fz_url_parse(&user_alone, "x://joe@h/n", &url.common, NULL), FRAZIL_OK);
    assert_string_equal(url.common.access.user, "joe");
    assert_string_equal(url.common.access.password, "");
    assert_int_equal(url.common.hosts[0].port, 0);
    assert_int_equal(fz_url_parse(&user_alone, "x://h/n?user=jo%65", &url.common, NULL), FRAZIL_OK);
    assert_string_equal(url.common.access.user, "joe");
    url_assert_refused(&user_alone, "x://@h/n", FRAZIL_ESPEC, "the user in the X URL is empty");
    url_assert_refused(&user_alone, "x://joe:@h/n", FRAZIL_ESPEC, "the password in the X URL is empty");
}

/* ---- refusals -------------------------------------------------------------------- */

TEST("Everything else is refused with what is wrong; no sentence has a password, wherever in the URL the mistake is")
{
    static const char *const texts[][2] = {
        {"", "this is no X URL: write x://HOST/NAME"},
        {"http://h/x", "this is no X URL"},
        {"x:/h/x", "this is no X URL"},
        {"x://h", "names no namespace"},
        {"x://h/", "names no namespace"},
        {"x://h/a/b", "an invalid one, 'a/b'"},
        {"x://h/a%20b", "an invalid one"},
        {"x://h/a b", "an invalid one"},
        {"x:///x", "'' in the X URL is not a host"},
        {"x://a b/x", "'a b' in the X URL is not a host"},
        {"x://:5432/x", "is not a host"},
        {"x://a,,b/x", "is not a host"},
        {"x://a,/x", "is not a host"},
        {"x://h:/x", "port ''"},
        {"x://h:0/x", "port '0'"},
        {"x://h:65536/x", "port '65536'"},
        {"x://h:02181/x", "port '02181'"},
        {"x://::1/x", "write HOST[:PORT], or [ADDRESS]"},
        {"x://a]b/x", "not a host"},
        {"x://h/forbidden", "checked"},
        {"x://h/x?number=", "'number' in the X URL must be a number from 2 to 17"},
        {"x://h/x?number=1", "from 2 to 17"},
        {"x://h/x?number=18", "from 2 to 17"},
        {"x://h/x?number=-1", "from 2 to 17"},
        {"x://h/x?number=s3cret", "from 2 to 17"},
        {"x://h/x?timeout=1", "'timeout' in the X URL must be from 10ms to 60s"},
        {"x://h/x?timeout=9ms", "from 10ms to 60s"},
        {"x://h/x?timeout=61s", "from 10ms to 60s"},
        {"x://h/x?timeout=none", "from 10ms to 60s"},
        {"x://h/x?timeout=s3cret", "from 10ms to 60s"},
        {"x://h/x?timeout", "from 10ms to 60s"},
        {"x://h/x?time=1ms", "'time' in the X URL must be from 10ms to 2s"},
        {"x://h/x?file=", "'file' in the X URL names no file"},
        {"x://h/x?file=%zz", "'file' in the X URL names no file"},
        {"x://h/x?own=12345678", "own is too long"},
        {"x://h/x?s3cret", "'...' is not a key of a X URL"},
        {"x://h/x?database=1", "'database' is not a key of a X URL; the keys are number, time, file, own, timeout, "
                               "password_file and user"},
        {"x://h/x?password=1", "'password' is not a key"},
        {"x://h/x?user=", "user= in the X URL is empty, too long, or not correctly percent-encoded"},
        {"x://h/x?user=%zz", "not correctly percent-encoded"},
        {"x://joe:s3cret@h/x?user=joe", "the X URL has a user before the '@' and another in user=: leave one out"},
        {"x://h/x?number=2&number=2", "the X URL has the key number twice: leave one out"},
        {"x://h/x?timeout=1s&number=3&timeout=2s", "the X URL has the key timeout twice: leave one out"},
        {"x://h/x?own=a&own=s3cret", "the X URL has the key own twice"},
        {"x://h/x?file=/a&file=/s3cret", "the X URL has the key file twice"},
        {"x://:s3cret@h/x?user=a&user=a", "the X URL has the key user twice"},
        {"x://s3cret@h/x", "there is no ':'"},
        {"x://:@h/x", "the password in the X URL is empty"},
        {"x://joe:@h/x", "the password in the X URL is empty"},
        {"x://:s3cret%4@h/x", "percent-encoded"},
        {"x://:s3cret%@h/x", "percent-encoded"},
        {"x://:s3cret%00@h/x", "percent-encoded"},
        {"x://:s3cret@/x", "not a host"},
        {"x://:s3cret@h:x/x", "must be a number from 1 to 65535; if it was meant"},
        {"x://:s3cret@h/x/y", "an invalid one, 'x/y'"},
        {"x://:s3cret@h/x?number=x", "'number'"},
        {"x://:s3?cret@h/x", "write %3F for a '?' in a password"},
        {"x://:s3cret?s3cret@h/x", "write %3F"},
        {"x://:s3cret@h/x?password_file=/etc/hostname", "give one of them"},
        {"x://h/x?password_file=", "'password_file' in the X URL names no file"},
        {"x://h/x?password_file=s3cret", "password_file in the X URL must be an absolute path"},
        {"x://h/x?password_file=%20/s3cret", "password_file in the X URL must be an absolute path"},
    };

    url_assert_all_refused(&plain, texts, sizeof texts / sizeof texts[0]);
}

TEST("Nothing that is too long is cut")
{
    char text[1200];
    char name[400];

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "x://h/%.63s", name);
    assert_int_equal(strlen(parse(text).common.name), 63);
    snprintf(text, sizeof text, "x://h/%.64s", name);
    assert_refused(text, "an invalid one");
    snprintf(text, sizeof text, "x://%.255s/x", name);
    assert_int_equal(strlen(parse(text).common.hosts[0].name), 255);
    snprintf(text, sizeof text, "x://%.256s/x", name);
    assert_refused(text, "not a host");
    snprintf(text, sizeof text, "x://joe:%.255s@h/x", name);
    assert_int_equal(strlen(parse(text).common.access.password), 255);
    snprintf(text, sizeof text, "x://joe:%.256s@h/x", name);
    assert_refused(text, "too long");
    snprintf(text, sizeof text, "x://h/x?file=%s%s%.226s", name, name, name);
    assert_refused(text, "names no file");
}

/* ---- the password file ------------------------------------------------------------- */

static void with_password_file(const char *content, char url[256])
{
    char path[] = "/tmp/frazil-password-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    snprintf(url, 256, "x://h/x?user=joe&password_file=%s", path);
}

static const char *path_in(const char *url)
{
    return strstr(url, "/tmp/");
}

TEST("The first line of the file is the password, without its end")
{
    static const char *const contents[] = {"s3cret", "s3cret\n", "s3cret\r\n", "s3cret\nmore", "s3cret\r\nmore"};
    char url[256];
    char longer[300];

    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        with_password_file(contents[i], url);
        assert_string_equal(parse(url).common.access.password, "s3cret");
        assert_string_equal(parse(url).common.access.user, "joe");
        unlink(path_in(url));
    }
    url_assert_refused(&plain, url, FRAZIL_ESYS, path_in(url));
    url_assert_refused(&plain, "x://h/x?password_file=/nonexistent", FRAZIL_ESYS, "'/nonexistent'");
    with_password_file("\ns3cret", url);
    assert_refused(url, "is empty");
    unlink(path_in(url));
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    with_password_file(longer, url);
    url_assert_refused(&plain, url, FRAZIL_ESYS, "cannot be read");
    unlink(path_in(url));
}

TEST("A password file that others may use is refused, with the chmod that is right; one for its owner alone is read")
{
    static const mode_t refused[] = {0644, 0604, 0620, 0660, 0601};
    char url[256];

    with_password_file("s3cret\n", url);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(chmod(path_in(url), refused[i]), 0);
        url_assert_refused(&plain, url, FRAZIL_ESYS, "chmod 600");
        url_assert_refused(&plain, url, FRAZIL_ESYS, path_in(url));
    }
    assert_int_equal(chmod(path_in(url), 0400), 0);
    assert_string_equal(parse(url).common.access.password, "s3cret");
    unlink(path_in(url));
}

/* ---- files for a client library ------------------------------------------------- */

/* Whether the URL with that file can be used; *ret_err says why not. */
static frazil_err check_file(const char *path, frazil_error *ret_err)
{
    struct x_url url;
    char text[256];

    snprintf(text, sizeof text, "x://h/x?file=%s", path);
    return fz_url_open(&plain, text, &url.common, ret_err);
}

TEST("A file on which a client library could wait for ever, or that it cannot read, is refused before that; others not")
{
    char path[] = "/tmp/frazil-test-XXXXXX";
    frazil_error err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(check_file(path, &err), FRAZIL_OK);
    assert_int_equal(check_file("/dev/null", &err), FRAZIL_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(check_file(path, &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(check_file(path, &err), FRAZIL_ESYS);
    assert_non_null(strstr(err.message, "cannot read the file of file=: "));
    assert_non_null(strstr(err.message, "it is a FIFO, not a regular file"));
    unlink(path);
    assert_int_equal(check_file("/tmp", &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, EISDIR);
}

/* ---- showing --------------------------------------------------------------------- */

TEST("Hosts are shown so that they can be read again")
{
    struct x_url url = parse("x://joe:s3cret@h,[::1]:9/x");
    char text[FZ_URL_HOST_SIZE + 8];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    fz_url_show_hosts(&s, &url.common);
    assert_string_equal(text, "h:7,[::1]:9");
    s = fz_sentence_in(text, sizeof text);
    fz_url_show_host(&s, &(struct fz_url_host){.name = "::1"});
    assert_string_equal(text, "[::1]");
    s = fz_sentence_in(text, sizeof text);
    fz_url_show_hosts(&s, &(struct fz_url){.is_path = true, .host_count = 1, .hosts = {{.name = "/run/x.sock"}}});
    assert_string_equal(text, "/run/x.sock");
}
