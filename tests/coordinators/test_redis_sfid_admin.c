/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what cannot be is refused before anything is connected to, and operators
 * see sfid's keys and what is special about them.
 */

#include "lib/findings.h"
#include "lib/sfid_rig.h"
#include "lib/test.h"
#include "os/clock.h"

/* ---- opening ---------------------------------------------------------------------- */

static void assert_refused(const struct fz_lease_request *request, frazil_err code, const char *words)
{
    struct taker taker;

    memset(&taker, 0, sizeof taker);
    assert_int_equal(
        frazil_coordinator_redis()->open_granter(frazil_coordinator_redis(), request, &taker.granter, &taker.err),
        code);
    sfid_assert_said(&taker, words);
    assert_null(taker.granter.ctx);
}

HOOKS_OF(sfid)

TEST("An impossible request is refused before anything is connected to")
{
    struct taker taker;
    const struct fz_lease_request good = sfid_request(&taker, 0, 1024);
    struct fz_lease_request bad = good;

    bad.count = 1025;
    assert_refused(&bad, FRAZIL_ERANGE, "worker ids 0 to 1024: the layout has 0 to 1023");
    bad.base = 1024;
    bad.count = 0;
    assert_refused(&bad, FRAZIL_ERANGE, "the layout has 0 to 1023");
    const frazil_layout wide = sfid_layout_of("37/17/9");
    bad = good;
    bad.layout = &wide;
    bad.count = 0;
    assert_refused(&bad, FRAZIL_ERANGE, "a key of sfid holds 0 to 65535");
    bad = good;
    bad.max_skew_ms = 60000;
    assert_refused(&bad, FRAZIL_ERANGE, "max_skew is 1 min");
    const frazil_layout slow = sfid_layout_of("30/10/12 tick=61s");
    bad = good;
    bad.layout = &slow;
    assert_refused(&bad, FRAZIL_ERANGE, "ticks of 1 min 1 s are too long");
    bad = good;
    bad.url = "sfid+rediss://x/shop";
    assert_refused(&bad, FRAZIL_ENOTBUILT, "TLS");
    bad.url = "sfid+redis://x/";
    assert_refused(&bad, FRAZIL_ESPEC, "");
    bad.url = "sfid+http://x/shop";
    assert_refused(&bad, FRAZIL_ESPEC, "this is no Redis URL");
}

/* ---- for operators ------------------------------------------------------------------ */

struct listing {
    struct fz_lease_entry entries[8];
    size_t n;
};

static void note_entry(void *ctx, const struct fz_lease_entry *entry)
{
    struct listing *listing = ctx;

    assert_true(listing->n < 8);
    listing->entries[listing->n++] = *entry;
}

TEST("Both kinds of owner are listed, and what a frazil has released; the layout is that of the frazils, or sfid's")
{
    struct listing listing = {.n = 0};
    struct fz_namespace_record space;
    struct taker takers[2];
    frazil_error err;
    char url[128];

    snprintf(url, sizeof url, SFID_APP, (unsigned)sfid_rig.server.port, "10s");
    assert_int_equal(
        frazil_coordinator_redis()->list(frazil_coordinator_redis(), url, note_entry, &listing, &space, &err),
        FRAZIL_OK);
    assert_int_equal(listing.n, 0);
    assert_string_equal(space.layout, "41/10/12 epoch=1766361600000 tick=1ms");
    assert_int_equal(space.workers, 1024);
    assert_int_equal(space.horizon_ms, 600000);

    assert_true(sfid_takes(3, "somebody"));
    sfid_ask("PEXPIRE %s 400000", sfid_key(3));
    sfid_open_plain(&takers[0], 5, 1);
    sfid_open_plain(&takers[1], 1023, 1);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_must(sfid_acquire(&takers[1]), &takers[1]);
    sfid_release(&takers[1], 0);
    int64_t now_ms = fz_real_now().unix_ms;
    assert_int_equal(
        frazil_coordinator_redis()->list(frazil_coordinator_redis(), url, note_entry, &listing, &space, &err),
        FRAZIL_OK);
    assert_int_equal(listing.n, 3);
    const struct fz_lease_entry *entry = listing.entries;
    assert_int_equal(entry->worker, 3);
    assert_true(entry->readable);
    assert_string_equal(entry->record.owner, "somebody");
    assert_in_range(entry->record.until, sfid_tick_of(now_ms + 380000), sfid_tick_of(now_ms + 410000));
    assert_in_range(entry->record.since_unix_ms, now_ms - 220000, now_ms - 190000);
    entry++;
    assert_int_equal(entry->worker, 5);
    assert_string_equal(entry->record.owner, "web-3:411");
    assert_int_equal(entry->record.until, takers[0].held.until);
    assert_in_range(entry->record.since_unix_ms, now_ms - 60000, now_ms + 1000);
    assert_false(entry->record.released);
    entry++;
    assert_int_equal(entry->worker, 1023);
    assert_true(entry->record.released);
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("There is nothing to create, and nothing that could be taken away safely: both are said")
{
    const struct fz_namespace_options options = {.layout = sfid_layout()};
    frazil_error err;

    assert_int_equal(
        frazil_coordinator_redis()->init(frazil_coordinator_redis(), "sfid+redis://x/shop", &options, &err),
        FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "need no namespace"));
    assert_int_equal(frazil_coordinator_redis()->release(frazil_coordinator_redis(), "sfid+redis://x/shop", 5, &err),
                     FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "10 minutes after its last heartbeat"));
}

static struct findings diagnose_as(const char *user)
{
    return findings_at(frazil_coordinator_redis(), "sfid+redis://%s127.0.0.1:%u/shop?timeout=60s", user,
                       (unsigned)sfid_rig.server.port);
}

TEST("A user who may write one of both keys: the doctor names the other one, and writes nothing to find out")
{
    sfid_ask("ACL SETUSER reader on >pw ~frazil:* ~sfid:* +eval +evalsha +time +info +config|get +get +pttl +hget");
    sfid_ask("ACL SETUSER reader +hset");
    assert_found(diagnose_as("reader:pw@"), "FAIL writes: refused, so that nothing can be granted: SET of 'sfid:");
    sfid_ask("ACL SETUSER reader -hset +set");
    assert_found(diagnose_as("reader:pw@"), "granted: EXPIRE of 'sfid:");
    sfid_ask("ACL SETUSER reader +expire");
    assert_found(diagnose_as("reader:pw@"), "granted: PEXPIREAT of 'sfid:");
    sfid_ask("ACL SETUSER reader +pexpireat");
    assert_found(diagnose_as("reader:pw@"), "granted: HSET of 'frazil:sfid:");
    sfid_ask("ACL SETUSER reader +hset");
    assert_found(diagnose_as("reader:pw@"), "OK writes: allowed\n");
    assert_string_equal(sfid_ask("EXISTS %s", sfid_key(0)), "0");
}

TEST("The findings tell of this use: by time, how many are taken, and policies that throw away what expires")
{
    struct taker taker;

    assert_true(sfid_takes(3, "somebody"));
    sfid_open_plain(&taker, 5, 1);
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_release(&taker, 0);
    sfid_close_taker(&taker);
    struct findings findings = diagnose_as("");
    assert_found(findings, "OK slots of sfid taken: 1\n");
    assert_found(findings, "WARN class: by time");
    assert_found(findings, "OK role: master\n");
    sfid_ask("CONFIG SET maxmemory-policy volatile-ttl");
    sfid_ask("CONFIG SET maxmemory 100000000");
    findings = diagnose_as("");
    assert_found(findings, "FAIL eviction: maxmemory-policy 'volatile-ttl' evicts keys in use");
    sfid_ask("CONFIG SET maxmemory 0");
    sfid_ask("CONFIG SET maxmemory-policy noeviction");
    for (unsigned pid = 0; pid < 1024; pid++)
        sfid_ask("SET %s x EX 600", sfid_key(pid));
    assert_found(diagnose_as(""), "FAIL slots of sfid taken: 1024: all of them\n");
}
