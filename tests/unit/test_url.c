/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what the URLs of coordinators have in common and the Redis
 * one does not use: several hosts, users without passwords, names of files.  All
 * else is in registers/test_redis_url.c.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "lib/test.h"
#include "registers/common/url.h"

static const struct fz_url_scheme schemes[] = {{"x://", false}, {NULL, false}};

static const struct fz_url_kind plain = {
    .what = "X", .form = "x://HOST/NAME", .keys = "timeout", .schemes = schemes, .default_port = 7};

static const struct fz_url_kind user_alone = {
    .what = "X", .form = "x://HOST/NAME", .keys = "timeout", .schemes = schemes, .default_port = 7, .user_alone = true};

static struct fz_url_piece piece(const char *text)
{
    return (struct fz_url_piece){text, strlen(text)};
}

TEST("A password file that others may use is refused, with the chmod that is right; one for its owner alone is read")
{
    static const mode_t refused[] = {0644, 0604, 0620, 0660, 0601};
    char path[] = "/tmp/frazil-password-XXXXXX";
    char query[128];
    struct fz_url_access access;
    frazil_error err;

    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "s3cret\n", 7), 7);
    snprintf(query, sizeof query, "password_file=%s", path);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        access = (struct fz_url_access){.user = ""};
        assert_int_equal(fchmod(fd, refused[i]), 0);
        assert_int_equal(fz_url_read_query(&plain, piece(query), &access, NULL, NULL, &err), FRAZIL_ESYS);
        assert_non_null(strstr(err.message, path));
        assert_non_null(strstr(err.message, "chmod 600"));
        assert_string_equal(access.password, "");
    }
    access = (struct fz_url_access){.user = ""};
    assert_int_equal(fchmod(fd, 0400), 0);
    assert_int_equal(fz_url_read_query(&plain, piece(query), &access, NULL, NULL, &err), FRAZIL_OK);
    assert_string_equal(access.password, "s3cret");
    close(fd);
    unlink(path);
}

TEST("Each part of a URL lies where it belongs; a part that is missing has no text at all")
{
    struct fz_url_pieces pieces;

    assert_int_equal(fz_url_split(&plain, "x://a:b@h1,h2/d/n?k=v", &pieces, NULL), FRAZIL_OK);
    assert_true(fz_url_is(pieces.credentials, "a:b"));
    assert_true(fz_url_is(pieces.place, "h1,h2"));
    assert_true(fz_url_is(pieces.path, "d/n"));
    assert_true(fz_url_is(pieces.query, "k=v"));
    assert_int_equal(fz_url_split(&plain, "x://h", &pieces, NULL), FRAZIL_OK);
    assert_null(pieces.credentials.at);
    assert_null(pieces.path.at);
    assert_null(pieces.query.at);
}

TEST("Hosts are separated by commas, each with a port of its own")
{
    struct fz_url_host hosts[3];
    size_t n = 0;
    frazil_error err;

    assert_int_equal(fz_url_read_hosts(&plain, piece("a,b:8,[::1]:9"), hosts, 3, &n, &err), FRAZIL_OK);
    assert_int_equal(n, 3);
    assert_string_equal(hosts[0].name, "a");
    assert_int_equal(hosts[0].port, 7);
    assert_string_equal(hosts[1].name, "b");
    assert_int_equal(hosts[1].port, 8);
    assert_string_equal(hosts[2].name, "::1");
    assert_int_equal(hosts[2].port, 9);
    n = 4711;
    assert_int_equal(fz_url_read_hosts(&plain, piece("a,b,c,d"), hosts, 3, &n, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "names more than 3 hosts"));
    static const char *const wrong[] = {"", ",", "a,", ",a", "a,,b", "a,b:0", "a,b:x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(fz_url_read_hosts(&plain, piece(wrong[i]), hosts, 3, &n, &err), FRAZIL_ESPEC);
    assert_int_equal(n, 4711);
}

TEST("Where a user needs no password he may stand alone, and only there")
{
    struct fz_url_access access = {.timeout_ms = 1};

    assert_int_equal(fz_url_read_credentials(&plain, piece("joe"), &access, NULL), FRAZIL_ESPEC);
    assert_int_equal(fz_url_read_credentials(&user_alone, piece("joe"), &access, NULL), FRAZIL_OK);
    assert_string_equal(access.user, "joe");
    assert_string_equal(access.password, "");
    assert_int_equal(fz_url_read_query(&user_alone, piece("timeout=2s"), &access, NULL, NULL, NULL), FRAZIL_OK);
    assert_int_equal(access.timeout_ms, 2000);
    assert_int_equal(fz_url_read_query(&plain, piece("timeout=2s"), &access, NULL, NULL, NULL), FRAZIL_ESPEC);
    assert_int_equal(fz_url_read_credentials(&user_alone, piece(""), &access, NULL), FRAZIL_ESPEC);
    assert_int_equal(fz_url_read_credentials(&user_alone, piece("joe:"), &access, NULL), FRAZIL_ESPEC);
}

TEST("A file's name is percent-decoded, and may not be empty")
{
    char path[FZ_URL_PATH_SIZE] = "untouched";
    frazil_error err;

    assert_int_equal(fz_url_read_path(&plain, piece("ca"), piece(""), path, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "'ca' in the X URL names no file"));
    assert_int_equal(fz_url_read_path(&plain, piece("ca"), piece("%zz"), path, &err), FRAZIL_ESPEC);
    assert_string_equal(path, "untouched");
    assert_int_equal(fz_url_read_path(&plain, piece("ca"), piece("/a%20b"), path, &err), FRAZIL_OK);
    assert_string_equal(path, "/a b");
}

TEST("A host is shown so that it can be read again")
{
    char text[FZ_URL_HOST_SIZE + 8];
    struct fz_sentence s = fz_sentence_in(text, sizeof text);

    fz_url_show_host(&s, &(struct fz_url_host){.name = "::1", .port = 9});
    fz_url_show_host(&s, &(struct fz_url_host){.name = "h", .port = 10});
    assert_string_equal(text, "[::1]:9h:10");
}
