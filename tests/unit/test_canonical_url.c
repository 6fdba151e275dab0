/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two URLs are known as one place if and only if the coordinator that reads them reads the same. The
 * pairs are made of the coordinators' own tables, so a new key is among them, or the test asks for values of it.
 */
#include "config/canonical_url.h"
#include "config/coordinators.h"
#include "core/lower.h"
#include "lib/pairs.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "lib/url_spelling.h"

EACH_IN_SCRATCH

enum { ROUNDS = 60, TRIES = 2000, URL_SIZE_MAX = 16384 };

/* ---- meanings ------------------------------------------------------------------ */

struct collected {
    char text[URL_TEXT_SIZE * 3];
    size_t len;
};

static void collect(void *ctx, char c)
{
    struct collected *to = ctx;

    assert_true(to->len + 1 < sizeof to->text);
    to->text[to->len++] = c;
}

static void place_of(const char *url, bool with_password, struct collected *ret)
{
    memset(ret, 0, sizeof *ret);
    fz_canonical_url_write(url, with_password, collect, ret);
}

static bool is_same_place(const char *one, const char *other, bool with_password)
{
    static struct collected a;
    static struct collected b;

    place_of(one, with_password, &a);
    place_of(other, with_password, &b);
    return strcmp(a.text, b.text) == 0;
}

/* All that the coordinator reads of a URL.  false: it refuses it. */
static bool read_url(const struct fz_url_kind *kind, const char *text, unsigned char ret[URL_SIZE_MAX])
{
    struct fz_url *url = (struct fz_url *)ret;

    assert_true(kind->size <= URL_SIZE_MAX);
    memset(ret, 0, URL_SIZE_MAX);
    if (fz_url_parse(kind, text, url, NULL) != FRAZIL_OK)
        return false;
    for (size_t i = 0; !url->is_path && i < url->host_count; i++) {
        for (char *c = url->hosts[i].name; *c != '\0'; c++)
            *c = fz_lower(*c);
    }
    return true;
}

/* ---- pairs ------------------------------------------------------------------------------ */

static _Alignas(max_align_t) unsigned char one_read[URL_SIZE_MAX];
static _Alignas(max_align_t) unsigned char other_read[URL_SIZE_MAX];

/* Two spellings of a URL that the coordinator accepts, and one of another URL that differs in one part. */
struct three {
    char one[URL_TEXT_SIZE];
    char same[URL_TEXT_SIZE];
    char other[URL_TEXT_SIZE];
};

/* false: URLs of this kind do not have that part. */
static bool make_three(struct three *ret, const struct fz_url_kind *kind, unsigned part, uint64_t *random)
{
    for (int i = 0; i < TRIES; i++) {
        struct url_meaning url;
        url_make(&url, kind, random);
        url_say(&url, scratch, random, ret->one);
        url_say(&url, scratch, random, ret->same);
        if (!url_change(&url, part, random))
            continue;
        url_say(&url, scratch, random, ret->other);
        if (read_url(kind, ret->one, one_read) && read_url(kind, ret->other, other_read))
            return true;
    }
    return false;
}

static void try_three(const struct fz_url_kind *kind, unsigned part, const struct three *urls)
{
    const char *name = url_part_name(kind, part);
    bool is_secret = part == URL_PASSWORD;

    if (memcmp(one_read, other_read, kind->size) == 0)
        fail_msg("%s: %s and %s mean the same", name, urls->one, urls->other);
    if (is_same_place(urls->one, urls->other, true) || is_same_place(urls->one, urls->other, false) != is_secret)
        fail_msg("%s: %s and %s are wrongly taken for one place, or for two", name, urls->one, urls->other);
    if (!read_url(kind, urls->same, other_read) || memcmp(one_read, other_read, kind->size) != 0)
        fail_msg("%s and %s do not mean the same", urls->one, urls->same);
    if (!is_same_place(urls->one, urls->same, true) || !is_same_place(urls->one, urls->same, false))
        fail_msg("%s and %s are taken for two places", urls->one, urls->same);
}

TEST("URLs of one meaning are one place, and URLs that differ in any part are two")
{
    const struct fz_url_kind *kind;
    static struct three urls;

    url_write_files(scratch);
    for (size_t k = 0; (kind = url_kind(k)) != NULL; k++) {
        for (unsigned part = 0; part < URL_FIRST_KEY || url_key(kind, part - URL_FIRST_KEY) != NULL; part++) {
            uint64_t random = pairs_seed(k * 64 + part);
            size_t made = 0;
            for (size_t i = 0; i < pairs_of(ROUNDS); i++) {
                if (!make_three(&urls, kind, part, &random))
                    break;
                try_three(kind, part, &urls);
                made++;
            }
            if (made == 0 && part >= URL_FIRST_KEY)
                fail_msg("no URL of %s has %s=", kind->what, url_part_name(kind, part));
        }
    }
}

TEST("The port that a URL leaves out is the one that the coordinator takes")
{
    const struct fz_url_kind *kind;

    for (size_t k = 0; (kind = url_kind(k)) != NULL; k++) {
        for (size_t i = 0; kind->schemes[i].text != NULL; i++)
            assert_int_equal(fz_coordinator_port(kind->schemes[i].text), kind->default_port);
    }
}

TEST("A table that names no schema is that of the schema public, and no other schema is")
{
    assert_true(is_same_place("postgres://h/a/n", "postgres://h/a/n?table=public.frazil_lease", true));
    assert_true(is_same_place("postgres://h/a/n?table=ids", "postgresql://h/a/n?table=public.ids", true));
    assert_false(is_same_place("postgres://h/a/n", "postgres://h/a/n?table=web.frazil_lease", true));
    assert_false(is_same_place("postgres://h/a/n?table=ids", "postgres://h/a/n?table=web.ids", true));
    assert_false(is_same_place("postgres://h/a/n?table=ids", "postgres://h/a/n?table=Public.ids", true));
    assert_false(is_same_place("postgres://h/a/n?table=ids", "postgres://h/a/n?table=public_.ids", true));
}

TEST("Nothing is decoded in the path of a file or a socket, and a key that is there twice, which is refused later, is "
     "there once")
{
    assert_false(is_same_place("file:///a%41", "file:///aA", true));
    assert_false(is_same_place("file:///a?b&c", "file:///a?c&b", true));
    assert_false(is_same_place("file:///A", "file:///a", true));
    assert_false(is_same_place("redis+unix:///a%41/n", "redis+unix:///aA/n", true));
    assert_true(is_same_place("redis+unix:///a/n?db=1&wait=2", "redis+unix:///a/n?wait=2&db=1", true));
    assert_true(is_same_place("redis://h/n?db=1&db=2", "redis://h/n?db=2", true));
    assert_false(is_same_place("redis://h/n?db=1&db=2", "redis://h/n?db=2&db=1", true));
    assert_false(is_same_place("etcd://[fe80::1%eth0]/n", "etcd://[fe80::1%ETH0]/n", true));
    assert_true(is_same_place("postgres://h/a!b/n", "postgres://h/a%21b/n", true));
    assert_false(is_same_place("redis://a:b%3Ac@h/n", "redis://a%3Ab:c@h/n", true));
    assert_true(is_same_place("sfid+redis://H/app", "sfid+redis://h:6379/app", true));
}
