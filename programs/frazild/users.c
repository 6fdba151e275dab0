/* SPDX-License-Identifier: MIT */
#include "users.h"

#include "files.h"
#include "generators.h"
#include "tls.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEX_LEN 64
#define SECRET_BYTES_MAX ((size_t)4 << 10)

static const char *const verbs[VERB_COUNT] = {[VERB_NONE] = "",
#define VERB_NAME(identifier, name) [VERB_##identifier] = name,
                                              VERBS(VERB_NAME)
#undef VERB_NAME
};

#define VERB_LISTED(identifier, name) name ", "
static const char listed_verbs[] = VERBS(VERB_LISTED) "and *";
#undef VERB_LISTED

/* Calls fit for each "verb:pattern" until it says true. */
static bool any_rule(const char *allow, bool (*fit)(const char *rule, size_t len, const void *ctx), const void *ctx)
{
    struct slice rule;

    while (slice_next_word(&allow, &rule)) {
        if (fit(rule.at, rule.len, ctx))
            return true;
    }
    return false;
}

/* The verb that a rule begins with, up to its colon; VERB_COUNT: `*`, any; VERB_NONE: none of ours. */
static enum verb verb_of(const char *rule, size_t len)
{
    const char *colon = memchr(rule, ':', len);
    size_t verb_len = colon != NULL ? (size_t)(colon - rule) : 0;

    if (verb_len == 1 && rule[0] == '*')
        return VERB_COUNT;
    for (int verb = VERB_NONE + 1; verb < VERB_COUNT; verb++) {
        if (strlen(verbs[verb]) == verb_len && memcmp(rule, verbs[verb], verb_len) == 0)
            return (enum verb)verb;
    }
    return VERB_NONE;
}

struct question {
    enum verb verb;
    struct slice generator;
};

static bool allows(const char *rule, size_t len, const void *ctx)
{
    const struct question *question = ctx;
    enum verb verb = verb_of(rule, len);
    const char *colon = memchr(rule, ':', len);

    if (verb != VERB_COUNT && verb != question->verb)
        return false;
    struct slice pattern = {colon + 1, len - (size_t)(colon + 1 - rule)};
    return question->generator.len == 0 || pattern_fits(pattern, question->generator);
}

bool users_may(const struct user *user, enum verb verb, struct slice generator)
{
    struct question question = {verb, generator};

    return user == NULL || verb == VERB_NONE || any_rule(user->allow, allows, &question);
}

bool users_see(const struct user *user, const char *generator)
{
    return users_may(user, VERB_STATS, slice_of(generator)) || users_may(user, VERB_NEXT, slice_of(generator));
}

/* A pattern with another character than a name has fits no generator. */
static bool is_wrong_rule(const char *rule, size_t len, const void *ctx)
{
    const char *colon = memchr(rule, ':', len);
    size_t pattern_len = colon != NULL ? len - (size_t)(colon + 1 - rule) : 0;

    (void)ctx;
    return verb_of(rule, len) == VERB_NONE || pattern_len == 0 ||
           strspn(colon + 1, "*abcdefghijklmnopqrstuvwxyz0123456789_.-") < pattern_len;
}

/* The user of a rule, and what it is compared with. */
struct rule_check {
    const struct settings *settings;
    const struct user_settings *user;
    struct bytes *warnings;
};

/* Warns of a rule that fits no generator; goes on to the next rule. */
static bool look_at_rule(const char *rule, size_t len, const void *ctx)
{
    const struct rule_check *check = ctx;
    const char *colon = memchr(rule, ':', len);
    struct slice pattern = {colon + 1, len - (size_t)(colon + 1 - rule)};

    for (size_t i = 0; i < check->settings->generator_count; i++) {
        if (pattern_fits(pattern, slice_of(check->settings->generators[i].name)))
            return false;
    }
    config_complain(check->warnings, check->user->place,
                    "warning: [user %s]: no generator matches %.*s of its allow=", check->user->name, (int)len, rule);
    return false;
}

void users_look_at_rules(const struct settings *settings, struct bytes *warnings)
{
    for (size_t i = 0; i < settings->user_count; i++) {
        const struct rule_check check = {settings, &settings->users[i], warnings};
        (void)any_rule(settings->users[i].allow, look_at_rule, &check);
    }
}

static bool read_hex(const char *text, unsigned char *to)
{
    for (size_t i = 0; i < HEX_LEN / 2; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

/* Whether it is the hash of nothing, or of an end of line: a script whose variable is not set writes one of these. */
static bool is_hash_of_nothing(const unsigned char *sha256)
{
    static const char *const nothing[] = {"", "\n"};
    unsigned char hash[HEX_LEN / 2];

    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        if (gnutls_hash_fast(GNUTLS_DIG_SHA256, nothing[i], strlen(nothing[i]), hash) == 0 &&
            memcmp(hash, sha256, sizeof hash) == 0)
            return true;
    }
    return false;
}

/* The file holds the SHA-256 of the token in 64 hex digits; what follows a blank or a line is a comment. */
static void read_secret(struct user *user, const struct user_settings *settings, struct bytes *errors)
{
    struct bytes text = {0};
    mode_t mode = 0;
    const char *why = file_read(settings->secret_file, SECRET_BYTES_MAX, &text, &mode);

    if (why != NULL) {
        config_complain(errors, settings->place, "[user %s]: its secret_file cannot be read: %s", settings->name, why);
    } else if ((mode & (S_IWGRP | S_IRWXO)) != 0) {
        config_complain(errors, settings->place,
                        "[user %s]: others may read or change its secret_file: chmod 640 or 600", settings->name);
    } else {
        bool good = text.len >= HEX_LEN && (text.len == HEX_LEN || memchr(" \t\r\n", text.at[HEX_LEN], 4) != NULL);
        user->has_secret = good && read_hex(text.at, user->sha256);
        if (!user->has_secret)
            config_complain(errors, settings->place,
                            "[user %s]: its secret_file does not begin with the SHA-256 of a token, 64 hex digits, as "
                            "frazild --new-token prints it",
                            settings->name);
        else if (is_hash_of_nothing(user->sha256))
            config_complain(errors, settings->place,
                            "[user %s]: its secret_file has the SHA-256 of an empty token: take the line that frazild "
                            "--new-token prints",
                            settings->name);
    }
    file_wipe(&text);
}

/* Reads the secret or the certificate by which a user is known. */
static void read_proof(struct user *user, const struct user_settings *row, const struct settings *settings,
                       struct bytes *errors)
{
    bool asks = settings->listen[PROTOCOL_RESPS].tls_client_ca[0] != '\0' ||
                settings->listen[PROTOCOL_HTTPS].tls_client_ca[0] != '\0';
    gnutls_hash_hd_t hash;

    user->certificate = row->certificate;
    if (row->secret_file[0] != '\0')
        read_secret(user, row, errors);
    if (row->secret_file[0] == '\0' && row->certificate[0] == '\0')
        config_complain(errors, row->place, "[user %s] needs secret_file= or certificate=", row->name);
    if (row->certificate[0] != '\0' && !asks)
        config_complain(errors, row->place,
                        "[user %s]: certificate= needs tls_client_ca= in [listen resps] or [listen https]", row->name);
    if (gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) != 0) {
        bytes_add_text(errors, "out of memory\n");
        return;
    }
    (void)gnutls_hash(hash, user->sha256, sizeof user->sha256);
    (void)gnutls_hash(hash, row->certificate, strlen(row->certificate));
    gnutls_hash_deinit(hash, user->proof);
}

/* A look for a row: its text, and the rows to compare it with. */
struct look {
    const struct user *rows;
    const unsigned char *sha256;
    struct slice name;
    bool any_case;
};

static bool has_name(size_t row, const void *ctx)
{
    const struct look *look = ctx;

    return slice_equals(slice_of(look->rows[row].name), look->name);
}

static bool has_token(size_t row, const void *ctx)
{
    const struct look *look = ctx;

    return gnutls_memcmp(look->rows[row].sha256, look->sha256, sizeof look->rows[row].sha256) == 0;
}

static bool has_certificate(size_t row, const void *ctx)
{
    const struct look *look = ctx;
    struct slice its = slice_of(look->rows[row].certificate);

    return look->any_case ? slice_equals_any_case(its, look->name) : slice_equals(its, look->name);
}

static size_t find_token(const struct users *users, const unsigned char *sha256)
{
    const struct look look = {.rows = users->rows, .sha256 = sha256};

    return row_index_find(&users->by_token, sha256, sizeof users->rows->sha256, has_token, &look);
}

/* The first user with this name of a certificate, DNS in any case.  Names are in the index without their case. */
static size_t find_certificate(const struct users *users, struct slice name, bool any_case)
{
    const struct look look = {.rows = users->rows, .name = name, .any_case = any_case};
    char small[TLS_NAME_MAX];

    if (name.len > sizeof small)
        return NO_ROW;
    slice_lower(name, small);
    return row_index_find(&users->by_certificate, small, name.len, has_certificate, &look);
}

/* A token identifies the client, so no two users may have one.  Only its hash is known here. */
static void add_token(struct users *users, size_t row, const struct user_settings *settings, struct bytes *errors)
{
    const struct user *user = &users->rows[row];
    size_t other = user->has_secret ? find_token(users, user->sha256) : NO_ROW;

    if (other != NO_ROW)
        config_complain(errors, settings->place,
                        "[user %s] has the token of [user %s]: give it its own, as printed by frazild --new-token",
                        user->name, users->rows[other].name);
    else if (user->has_secret && !row_index_add(&users->by_token, user->sha256, sizeof user->sha256, row))
        (void)config_memory(NULL, errors);
}

/* Likewise no two users may have one name of a certificate, where a URI has a case, and DNS has none. */
static void add_certificate(struct users *users, size_t row, const struct user_settings *settings, struct bytes *errors)
{
    struct slice name = slice_of(users->rows[row].certificate);
    bool is_uri = slice_holds(name, ":");
    char small[TLS_NAME_MAX];

    if (name.len > sizeof small) {
        config_complain(errors, settings->place, "[user %s]: certificate= has at most %d bytes", settings->name,
                        TLS_NAME_MAX);
        return;
    }
    size_t other = name.len > 0 ? find_certificate(users, name, !is_uri) : NO_ROW;
    if (other != NO_ROW)
        config_complain(errors, settings->place,
                        "[user %s] has the certificate= of [user %s]: give each user its own name", settings->name,
                        users->rows[other].name);
    slice_lower(name, small);
    if (name.len > 0 && !row_index_add(&users->by_certificate, small, name.len, row))
        (void)config_memory(NULL, errors);
}

void users_open(struct users *users, const struct settings *settings, struct bytes *errors)
{
    *users = (struct users){.rows = calloc(settings->user_count + 1, sizeof *users->rows)};
    if (users->rows == NULL || !row_index_open(&users->by_name, settings->user_count) ||
        !row_index_open(&users->by_token, settings->user_count) ||
        !row_index_open(&users->by_certificate, settings->user_count)) {
        bytes_add_text(errors, "out of memory\n");
        return;
    }
    for (size_t i = 0; i < settings->user_count; i++) {
        const struct user_settings *row = &settings->users[i];
        struct user *user = &users->rows[users->count++];
        user->name = row->name;
        user->allow = row->allow;
        user->rate.per_second = row->rate;
        read_proof(user, row, settings, errors);
        if (!row_index_add(&users->by_name, user->name, strlen(user->name), i))
            (void)config_memory(NULL, errors);
        add_token(users, i, row, errors);
        add_certificate(users, i, row, errors);
        if (row->allow[0] == '\0')
            config_complain(errors, row->place, "[user %s] needs allow=, such as next:* inspect:*", row->name);
        if (any_rule(row->allow, is_wrong_rule, NULL))
            config_complain(errors, row->place,
                            "[user %s]: allow= takes VERB:PATTERN, separated by spaces; the verbs are %s, and a "
                            "pattern is the name of a generator, or has * for any characters",
                            row->name, listed_verbs);
    }
}

void users_close(struct users *users)
{
    if (users->rows != NULL)
        explicit_bzero(users->rows, users->count * sizeof *users->rows);
    free(users->rows);
    row_index_close(&users->by_name);
    row_index_close(&users->by_token);
    row_index_close(&users->by_certificate);
    *users = (struct users){0};
}

struct user *users_find(const struct users *users, struct slice name)
{
    const struct look look = {.rows = users->rows, .name = name};
    size_t row = row_index_find(&users->by_name, name.at, name.len, has_name, &look);

    return row != NO_ROW ? &users->rows[row] : NULL;
}

struct user *users_by_token(const struct users *users, struct slice name, struct slice token)
{
    unsigned char sha256[32];

    if (token.at == NULL || gnutls_hash_fast(GNUTLS_DIG_SHA256, token.at, token.len, sha256) != 0)
        return NULL;
    size_t row = find_token(users, sha256);
    if (row == NO_ROW || (name.at != NULL && !slice_equals(name, slice_of(users->rows[row].name))))
        return NULL;
    return &users->rows[row];
}

/* The users of a certificate's names. */
struct owners {
    const struct users *users;
    size_t first; /* in the configuration; NO_ROW: none yet */
};

static void add_owner(struct slice name, bool any_case, void *ctx)
{
    struct owners *owners = ctx;
    size_t row = find_certificate(owners->users, name, any_case);

    if (row < owners->first) /* than which NO_ROW is not less */
        owners->first = row;
}

struct user *users_by_certificate(const struct users *users, gnutls_session_t session)
{
    struct owners owners = {users, NO_ROW};

    if (users->count > 0)
        tls_client_names(session, add_owner, &owners);
    return owners.first != NO_ROW ? &users->rows[owners.first] : NULL;
}

static void write_hex(const unsigned char *from, char *to)
{
    for (size_t i = 0; i < HEX_LEN / 2; i++)
        (void)snprintf(to + 2 * i, 3, "%02x", from[i]);
}

int users_print_new_token(void)
{
    unsigned char random_bytes[HEX_LEN / 2], sha256[HEX_LEN / 2];
    char token[HEX_LEN + 1], hash[HEX_LEN + 1];

    if (gnutls_rnd(GNUTLS_RND_KEY, random_bytes, sizeof random_bytes) != 0)
        return EXIT_FAILURE;
    write_hex(random_bytes, token);
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, HEX_LEN, sha256) != 0)
        return EXIT_FAILURE;
    write_hex(sha256, hash);
    int printed = printf("token, for the client:   %s\nline of the secret_file: %s\n", token, hash);
    explicit_bzero(random_bytes, sizeof random_bytes);
    explicit_bzero(token, sizeof token);
    return printed < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
