/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include "assert.h"
#include "lower.h"

enum { PORT_DIGITS_MAX = 5 };

static bool begins_with(const char *text, size_t len, const char *word, size_t word_len)
{
    for (size_t i = 0; i < word_len; i++) {
        if (i >= len || fz_lower(text[i]) != word[i])
            return false;
    }
    return true;
}

/* How long the character is there, plain or percent-encoded; 0: it is another one. */
static size_t is_at(const char *text, size_t len, char c, const char *encoded)
{
    if (len > 0 && text[0] == c)
        return 1;
    return begins_with(text, len, encoded, 3) ? 3 : 0;
}

/* How long the ':' or '/' there is, which separate a scheme from what follows. */
static size_t separator(const char *text, size_t len)
{
    size_t slash = is_at(text, len, '/', "%2f");

    return slash != 0 ? slash : is_at(text, len, ':', "%3a");
}

/* Whether nothing before a place has a ':', in what begins as a path: an '@' there is part of a file's name. */
static bool is_path(const struct fz_secrets *s, size_t end)
{
    if (s->len < 2 || s->text[0] != '/' || separator(s->text + 1, s->len - 1) != 0)
        return false;
    for (size_t i = 0; i < end; i++) {
        if (is_at(s->text + i, s->len - i, ':', "%3a") != 0)
            return false;
    }
    return true;
}

/* Finds what stands before the last '@' in anything that has a ':' or '/' and so could be a URL. */
static void find_credentials(struct fz_secrets *s)
{
    bool has_separator = false;
    size_t begin = 0;

    for (size_t i = 0; i < s->len; i++) {
        has_separator = has_separator || separator(s->text + i, s->len - i) != 0;
        if (is_at(s->text + i, s->len - i, '@', "%40") != 0)
            s->end = i;
    }
    if (!has_separator || is_path(s, s->end))
        s->end = 0;
    while (begin < s->end && separator(s->text + begin, s->end - begin) == 0)
        begin++;
    if (begin == s->end) /* nothing there that could be a scheme */
        begin = 0;
    for (size_t n = 1; begin < s->end && n > 0; begin += n)
        n = separator(s->text + begin, s->end - begin);
    s->begin = begin;
}

/* Whether what begins behind a ':' is a port, whose end can be seen. */
static bool is_port(const char *text, size_t len)
{
    size_t digits = 0;

    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    return digits > 0 && digits <= PORT_DIGITS_MAX && digits < len && (text[digits] == '/' || text[digits] == ',');
}

/* Where the password begins in the hosts of a URL without '@', which begin at a place; len: there is none. */
static size_t find_in_hosts(const struct fz_secrets *s, size_t at)
{
    bool in_brackets = false;
    size_t host = at;

    for (; at < s->len && s->text[at] != '/'; at++) {
        char c = s->text[at];
        if (c == '[' && at == host)
            in_brackets = true;
        else if (c == ']')
            in_brackets = false;
        else if (c == ',')
            host = at + 1;
        else if (c == ':' && !in_brackets && (at == host || !is_port(s->text + at + 1, s->len - at - 1)))
            return at + 1;
    }
    return s->len;
}

/* Finds a URL behind the credentials that has a ':' without the '@' of a password: the '@' may have been cut off. */
static void find_open(struct fz_secrets *s)
{
    s->open = s->len;
    for (size_t i = s->end; i + 3 <= s->len && s->open == s->len; i++) {
        if (begins_with(s->text + i, s->len - i, "://", 3))
            s->open = find_in_hosts(s, i + 3);
    }
}

/* Finds where the keys of a URL begin.  Unknown keys count as well, as password= may be mistyped. */
static void find_query(struct fz_secrets *s)
{
    bool in_url = false;

    s->query = s->len;
    for (size_t i = 0; i < s->len && s->query == s->len; i++) {
        in_url = in_url || begins_with(s->text + i, s->len - i, "://", 3);
        if (in_url && i >= s->end && s->text[i] == '?')
            s->query = i;
    }
}

struct fz_secrets fz_secrets_of(const char *text, size_t len)
{
    struct fz_secrets secrets = {.text = text, .len = len};

    find_credentials(&secrets);
    find_open(&secrets);
    find_query(&secrets);
    return secrets;
}

/* Whether the characters before a place are the name of a key for secrets, and its '='. */
static bool follows_key(const struct fz_secrets *s, size_t at)
{
    static const struct {
        char name[12];
        size_t len;
    } keys[] = {{"password=", 9}, {"passwd=", 7}, {"pwd=", 4}, {"secret=", 7}, {"token=", 6}};

    if (at == 0 || s->text[at - 1] != '=')
        return false;
    if (at > s->query)
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (at >= keys[i].len && begins_with(s->text + at - keys[i].len, keys[i].len, keys[i].name, keys[i].len))
            return true;
    }
    return false;
}

/* Where the secret that begins at a place ends; the place itself if none begins there, or an empty one. */
static size_t end_of_secret(const struct fz_secrets *secrets, size_t at)
{
    if (at >= secrets->open)
        return secrets->len;
    if (at >= secrets->begin && at < secrets->end)
        return secrets->end;
    if (!follows_key(secrets, at))
        return at;
    while (at < secrets->len && secrets->text[at] != '&')
        at++;
    return at;
}

size_t fz_secrets_next(const struct fz_secrets *secrets, size_t at, bool *ret_is_secret)
{
    FZ_ASSERT(at < secrets->len);
    size_t end = at < secrets->len ? end_of_secret(secrets, at) : at;

    *ret_is_secret = end > at;
    return end > at ? end : at + 1;
}
