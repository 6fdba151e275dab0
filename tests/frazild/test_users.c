/* SPDX-License-Identifier: MIT */
/* Goal of this test: of hundreds of users each is found by its name and its token, and by nobody else's. */
#include "lib/test.h"
#include "row_index.h"
#include "users.h"

#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 300

static char folder[64];
static struct settings settings;
static struct users users;
static struct bytes errors;
static char (*texts)[3][80]; /* of each user: name, secret_file, certificate */

/* The token of user i. */
static struct slice token_of(unsigned i)
{
    static char text[32];

    (void)snprintf(text, sizeof text, "token-%u", i);
    return slice_of(text);
}

static void write_secret(const char *path, struct slice token)
{
    unsigned char sha256[32];
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(gnutls_hash_fast(GNUTLS_DIG_SHA256, token.at, token.len, sha256), 0);
    for (size_t i = 0; i < sizeof sha256; i++)
        assert_true(fprintf(file, "%02x", sha256[i]) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

BEFORE_EACH
{
    (void)snprintf(folder, sizeof folder, "/tmp/frazild-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    texts = calloc(COUNT, sizeof *texts);
    settings = (struct settings){.users = calloc(COUNT, sizeof *settings.users), .user_count = COUNT};
    assert_true(texts != NULL && settings.users != NULL);
    for (int i = 0; i < PROTOCOL_COUNT; i++)
        settings.listen[i].tls_client_ca = "ca";
    for (unsigned i = 0; i < COUNT; i++) {
        (void)snprintf(texts[i][0], sizeof texts[i][0], "user%u", i);
        (void)snprintf(texts[i][1], sizeof texts[i][1], "%s/%u", folder, i);
        (void)snprintf(texts[i][2], sizeof texts[i][2], "u%u.internal", i);
        settings.users[i] = (struct user_settings){.name = texts[i][0],
                                                   .place = {"f", i + 1},
                                                   .secret_file = texts[i][1],
                                                   .certificate = texts[i][2],
                                                   .allow = "*:*"};
        write_secret(texts[i][1], token_of(i));
    }
    errors = (struct bytes){0};
}

AFTER_EACH
{
    users_close(&users);
    bytes_free(&errors);
    for (unsigned i = 0; i < COUNT; i++)
        (void)unlink(texts[i][1]);
    (void)rmdir(folder);
    free(settings.users);
    free(texts);
}

TEST("Each of hundreds is found by its name and by its token, and nobody by another one's")
{
    const struct slice anybody = {NULL, 0};

    users_open(&users, &settings, &errors);
    assert_int_equal(errors.len, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        struct user *user = &users.rows[i];
        assert_ptr_equal(users_find(&users, slice_of(texts[i][0])), user);
        assert_ptr_equal(users_by_token(&users, anybody, token_of(i)), user);
        assert_ptr_equal(users_by_token(&users, slice_of(texts[i][0]), token_of(i)), user);
        assert_null(users_by_token(&users, slice_of(texts[(i + 1) % COUNT][0]), token_of(i)));
    }
    assert_null(users_find(&users, slice_of("user")));
    assert_null(users_find(&users, slice_of("")));
    assert_null(users_by_token(&users, anybody, token_of(COUNT)));
    assert_null(users_by_token(&users, anybody, anybody));
    assert_null(users_by_token(&users, slice_of(""), token_of(0)));
}

TEST("Nobody is found by the token of a user who has none")
{
    static const char zeros[] = "";

    settings.users[1].secret_file = zeros;
    users_open(&users, &settings, &errors);
    assert_int_equal(errors.len, 0);
    assert_null(users_by_token(&users, (struct slice){NULL, 0}, token_of(1)));
    assert_non_null(users_by_token(&users, (struct slice){NULL, 0}, token_of(2)));
}

/* Opens the users, who have this mistake and no other. */
static void expect_error(const char *text)
{
    users_close(&users);
    errors.len = 0;
    users_open(&users, &settings, &errors);
    bytes_add(&errors, "", 1);
    assert_string_equal(errors.at, text);
}

TEST("No two users have one token or one name in a certificate")
{
    settings.users[299].secret_file = texts[17][1];
    expect_error("f:300: [user user299] has the token of [user user17]: give it its own, as printed by frazild "
                 "--new-token\n");
    settings.users[299].secret_file = texts[299][1];
    settings.users[298].certificate = "U5.Internal";
    expect_error("f:299: [user user298] has the certificate= of [user user5]: give each user its own name\n");
    settings.users[5].certificate = "urn:a";
    settings.users[298].certificate = "urn:A";
    expect_error("");
    settings.users[5].certificate = "urn:A";
    expect_error("f:299: [user user298] has the certificate= of [user user5]: give each user its own name\n");
}

TEST("A name of a certificate that none can have is refused")
{
    char name[257];

    memset(name, 'a', sizeof name);
    name[255] = '\0';
    settings.users[0].certificate = name;
    expect_error("");
    name[255] = 'a';
    name[256] = '\0';
    expect_error("f:1: [user user0]: certificate= has at most 255 bytes\n");
}

static size_t looks;

static bool is_row(size_t row, const void *ctx)
{
    if (++looks > 100000)
        fail_msg("a look does not end");
    return row == *(const size_t *)ctx;
}

TEST("A look meets few rows, however many there are")
{
    struct row_index index;

    assert_true(row_index_open(&index, 10000));
    for (size_t i = 0; i < 10000; i++)
        assert_true(row_index_add(&index, &i, sizeof i, i));
    looks = 0;
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(row_index_find(&index, &i, sizeof i, is_row, &i), i);
    assert_true(looks < 20000);
    for (size_t i = 10000; i < 20000; i++)
        assert_int_equal(row_index_find(&index, &i, sizeof i, is_row, &i), NO_ROW);
    assert_true(looks < 50000);
    row_index_close(&index);
    assert_int_equal(row_index_find(&index, &looks, sizeof looks, is_row, &looks), NO_ROW);
}

TEST("A look ends, also where the rows would just fill the slots")
{
    for (size_t count = 1; count <= 64; count *= 2) {
        struct row_index index;
        assert_true(row_index_open(&index, count));
        for (size_t i = 0; i < count; i++)
            assert_true(row_index_add(&index, &i, sizeof i, i));
        looks = 0;
        assert_int_equal(row_index_find(&index, &count, sizeof count, is_row, &count), NO_ROW);
        row_index_close(&index);
    }
}
