/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two specs share a word, a lease or a generator if and only if they mean the same.  One table says
 * what each key decides, and must have a row for every key there is.  test_pairs makes more of them by chance.
 */
#include "config/decide.h"
#include "config/identity.h"
#include "config/keys.h"
#include "frazil.h"
#include "lib/identity.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/host.h"

EACH_IN_SCRATCH

/* Files: a word for a worker id.  Lease: a word for a lease that all processes of the host share. */
#define FILES "state=file run_dir=/run state_dir=/state "
#define LEASE "share=host run_dir=/run "
#define URL "redis://u:p@h:1/n"

/* Which of them two specs do not share. */
enum { NOTHING = 0, PLACE = 1, GENERATOR = 2, BOTH = PLACE | GENERATOR };

static const struct row {
    enum fz_key key;
    int apart;
    const char *one; /* @ is the folder of the test */
    const char *other;
} rows[] = {
    /* Labels and spellings decide nothing. */
    {FZ_KEY_LAYOUT, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=41/10/12"},
    {FZ_KEY_LAYOUT, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=konayuki"},
    {FZ_KEY_LAYOUT, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 layout='41/5+5/12 tick=1ms'"},
    {FZ_KEY_LAYOUT, NOTHING, FILES "worker=fixed:7 layout=twitter",
     FILES "layout='41/10/12 epoch=1288834974657' worker=fixed:7"},
    {FZ_KEY_LAYOUT, NOTHING, FILES "worker=fixed:7 layout=sonyflake",
     FILES "layout='39/8s/16w epoch=2014-09-01 tick=10ms' worker=fixed:7"},
    {FZ_KEY_LAYOUT, NOTHING, LEASE "worker=" URL, LEASE "layout=41/5+5/12 worker=" URL},
    /* The width of time is no part of an id's value; a coordinator is asked, as it fixes the width. */
    {FZ_KEY_LAYOUT, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=40/10/12"},
    {FZ_KEY_LAYOUT, BOTH, LEASE "worker=" URL, LEASE "layout=40/10/12 worker=" URL},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7 layout=twitter", FILES "worker=fixed:7 layout=discord"},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=41/9/13"},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=41/12s/10w"},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=42/9/12"},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=40/10/13"},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 layout=sno"},
    {FZ_KEY_LAYOUT, BOTH, FILES "worker=fixed:7 layout=sno",
     FILES "worker=fixed:7 layout='31/16/16 epoch=2010-01-01 tick=4ms'"},
    {FZ_KEY_LAYOUT, BOTH, LEASE "worker=" URL, LEASE "layout=twitter worker=" URL},
    {FZ_KEY_EPOCH, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 epoch=2026-01-01T00:00:00Z"},
    {FZ_KEY_EPOCH, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 epoch=2025-01-01"},
    {FZ_KEY_TICK, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 tick=1ms"},
    {FZ_KEY_TICK, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 tick=2ms"},

    /* How it behaves is the generator's affair alone. */
    {FZ_KEY_BEHAVIOUR, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 behaviour=post"},
    {FZ_KEY_ON_FULL, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 on_full=error"},
    {FZ_KEY_ON_BACKWARD, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 on_backward=error"},
    {FZ_KEY_MAX_LEAD, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 max_lead=2s"},
    {FZ_KEY_MAX_WAIT, GENERATOR, LEASE "worker=" URL, LEASE "max_wait=1s worker=" URL},
    {FZ_KEY_OPEN_WAIT, NOTHING, LEASE "worker=" URL, LEASE "open_wait=1s worker=" URL},
    {FZ_KEY_START, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 start=random"},
    {FZ_KEY_ALLOW_SHORT_LIFE, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 allow_short_life=yes"},
    {FZ_KEY_KEEPER, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 keeper=inline"},
    {FZ_KEY_KEEPER, GENERATOR, LEASE "worker=" URL, LEASE "keeper=inline worker=" URL},
    {FZ_KEY_CLOCK, GENERATOR, "worker=fixed:7 state=memory", "worker=fixed:7 clock=frozen:0"},

    /* The worker id counts, and not where it comes from. */
    {FZ_KEY_WORKER, NOTHING, FILES "worker=fixed:7", "worker='fixed:7' " FILES},
    {FZ_KEY_WORKER, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:8"},
    {FZ_KEY_PARTITION, NOTHING, FILES "layout=sno partition=A,10", FILES "layout=sno worker=fixed:16650"},
    {FZ_KEY_PARTITION, BOTH, FILES "layout=sno partition=A,10", FILES "layout=sno partition=A,11"},
    {FZ_KEY_DATACENTER, NOTHING, FILES "layout=twitter datacenter=1 worker=fixed:3",
     FILES "layout='41/10/12 epoch=1288834974657' worker=fixed:35"},
    {FZ_KEY_DATACENTER, BOTH, FILES "layout=twitter datacenter=1 worker=fixed:3",
     FILES "layout=twitter datacenter=2 worker=fixed:3"},
    {FZ_KEY_BASE, NOTHING, FILES "worker=fixed:3 base=4", FILES "worker=fixed:7"},
    {FZ_KEY_BASE, BOTH, LEASE "worker=" URL, LEASE "base=1 worker=" URL},
    {FZ_KEY_COUNT, BOTH, LEASE "worker=" URL, LEASE "count=2 worker=" URL},
    {FZ_KEY_HOSTNAME, NOTHING, FILES "worker=ordinal hostname=orders-7", FILES "worker=ordinal hostname=payments-7"},
    {FZ_KEY_HOSTNAME, BOTH, FILES "worker=ordinal hostname=orders-7", FILES "worker=ordinal hostname=orders-8"},
    {FZ_KEY_IP, NOTHING, FILES "worker=ip-last-octet ip=10.0.0.7", FILES "worker=ip-last-octet ip=10.0.1.7"},
    {FZ_KEY_IP, BOTH, FILES "worker=ip-last-octet ip=10.0.0.7", FILES "worker=ip-last-octet ip=10.0.0.8"},
    {FZ_KEY_EXPECT, NOTHING, FILES "worker=ip-hash ip=10.0.0.7 expect=2", FILES "worker=ip-hash ip=10.0.0.7 expect=3"},
    {FZ_KEY_SEQ_MIN, NOTHING, FILES "worker=fixed:7 seq_min=5 seq_max=9", FILES "worker=fixed:7 seq_min=9 seq_max=5"},
    {FZ_KEY_SEQ_MIN, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 seq_min=5"},
    {FZ_KEY_SEQ_MAX, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 seq_max=4095"},
    {FZ_KEY_SEQ_MAX, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 seq_max=9"},
    {FZ_KEY_SEQ_MAX, BOTH, LEASE "worker=" URL, LEASE "seq_max=9 worker=" URL},

    /* Where it is kept. */
    {FZ_KEY_STATE, BOTH, FILES "worker=fixed:7", "worker=fixed:7 state=memory"},
    {FZ_KEY_STATE, GENERATOR, "worker=fixed:7 start=zero state=redis://h/n",
     "worker=fixed:7 start=zero state=redis://h/m"},
    {FZ_KEY_BATCH, GENERATOR, "worker=fixed:7 start=zero state=redis://h/n",
     "worker=fixed:7 start=zero batch=3 state=redis://h/n"},
    {FZ_KEY_NAMESPACE, BOTH, FILES "worker=fixed:7", FILES "worker=fixed:7 namespace=n"},
    {FZ_KEY_NAMESPACE, BOTH, LEASE "worker=" URL, LEASE "namespace=n worker=" URL},
    {FZ_KEY_RUN_DIR, BOTH, "state=file state_dir=/state run_dir=/run worker=fixed:7",
     "state=file state_dir=/state run_dir=/other worker=fixed:7"},
    {FZ_KEY_STATE_DIR, BOTH, "state=file state_dir=/state run_dir=/run worker=fixed:7",
     "state=file state_dir=/other run_dir=/run worker=fixed:7"},
    {FZ_KEY_HOST_DIR, GENERATOR, FILES "worker=fixed:7", FILES "worker=fixed:7 host_dir=/other"},
    {FZ_KEY_HOST_DIR, GENERATOR, "state=memory worker=fixed:7", "state=memory worker=fixed:7 host_dir=/other"},
    {FZ_KEY_NAMESPACE, GENERATOR, "state=memory worker=fixed:7", "state=memory worker=fixed:7 namespace=n"},

    /* The terms of a lease, which all who share it have in common. */
    {FZ_KEY_SHARE, BOTH, LEASE "worker=" URL, "run_dir=/run worker=" URL},
    {FZ_KEY_HORIZON, BOTH, LEASE "worker=" URL, LEASE "horizon=9s worker=" URL},
    {FZ_KEY_WORKERS, BOTH, LEASE "worker=" URL, LEASE "workers=9 worker=" URL},
    {FZ_KEY_MAX_SKEW, BOTH, LEASE "worker=" URL, LEASE "max_skew=9ms worker=" URL},
    {FZ_KEY_ON_LOSS, GENERATOR, "worker=" URL, "on_loss=stop worker=" URL},

    {FZ_KEY_CONFIG, NOTHING, FILES "worker=fixed:7", FILES "config=@/seven"},
    {FZ_KEY_CONFIG, NOTHING, FILES "worker=fixed:7", FILES "worker=fixed:7 config=@/eight"},
    {FZ_KEY_CONFIG, BOTH, FILES "worker=fixed:7", FILES "config=@/eight"},

    /* Of a URL everything counts; a password does for the generator that has logged in with it. */
    {FZ_KEY_WORKER, GENERATOR, LEASE "worker=" URL, LEASE "worker=redis://u:q@h:1/n"},
    {FZ_KEY_WORKER, GENERATOR, LEASE "worker=redis://u:p:q@h:1/n", LEASE "worker=redis://u:r:q@h:1/n"},
    {FZ_KEY_WORKER, GENERATOR, LEASE "worker=redis://:p@h:1/n?user=u", LEASE "worker=redis://:q@h:1/n?user=u"},
    {FZ_KEY_WORKER, GENERATOR, LEASE "worker=etcd://u:p@h:1/n", LEASE "worker=etcd://u:q@h:1/n"},
    /* A password that alone says who logs in may choose among tenants. */
    {FZ_KEY_WORKER, NOTHING, LEASE "worker=redis://:p@h:1/n", LEASE "worker=redis://:%70@H:1/n?db=0"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://:p@h:1/n", LEASE "worker=redis://:q@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=rediss://:p@h:1/n", LEASE "worker=rediss://:q@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://:p:q@h:1/n", LEASE "worker=redis://:r:q@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://:p@h:1/n", LEASE "worker=redis://h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://default:p@h:1/n", LEASE "worker=redis://d%65fault:q@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://:p@h:1/n?user=default", LEASE "worker=redis://:q@h:1/n?user=default"},
    {FZ_KEY_WORKER, GENERATOR, LEASE "worker=redis://u:p/1@h:1/n", LEASE "worker=redis://u:p@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL, LEASE "worker=redis://v:p@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL, LEASE "worker=redis://:p@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL, LEASE "worker=redis://u:p@g:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL, LEASE "worker=redis://u:p@h:2/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL, LEASE "worker=redis://u:p@h:1/m"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL, LEASE "worker=rediss://u:p@h:1/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL "?db=0", LEASE "worker=" URL "?db=1"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=" URL "?user=a", LEASE "worker=" URL "?user=b"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://h/orders?password_file=/run/app%401.service/pw",
     LEASE "worker=redis://h/payments?password_file=/run/app%401.service/pw"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis://h:1/orders?password_file=/pw@",
     LEASE "worker=redis://h:1/payments?password_file=/pw@"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=redis+unix:///a:b@c/sock/n", LEASE "worker=redis+unix:///a:d@c/sock/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=mysql://u:p@h/db/n?table=a", LEASE "worker=mysql://u:p@h/db/n?table=b"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=postgres://h/a/n", LEASE "worker=postgres://h/b/n"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=postgres://h/a/n?table=a", LEASE "worker=postgres://h/a/n?table=b"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=postgres://h/a/n?table=a.t", LEASE "worker=postgres://h/a/n?table=b.t"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=postgres://h/a/n?table=t", LEASE "worker=postgres://h/a/n?table=b.t"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=postgres://h/a/n", LEASE "worker=postgres://h/a/n?table=b.frazil_lease"},
    {FZ_KEY_WORKER, NOTHING, LEASE "worker=postgres://h/a/n?table=t", LEASE "worker=postgres://h/a/n?table=public.t"},
    {FZ_KEY_WORKER, NOTHING, LEASE "worker=postgres://h/a/n",
     LEASE "worker=postgres://h/a/n?table=public.frazil_lease"},
    {FZ_KEY_WORKER, BOTH, LEASE "worker=postgres://a@h/a/n", LEASE "worker=postgres://b@h/a/n"},
};
enum { ROWS = sizeof rows / sizeof rows[0], TEXT_SIZE = 4096 };

/* ---- the identities of a spec --------------------------------------------------- */

static void decide_row(const char *text, struct fz_decision *ret)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    const char *folder = strstr(text, "config=@");
    size_t before = folder == NULL ? strlen(text) : (size_t)(folder - text) + strlen("config=");
    char spec[TEXT_SIZE];
    frazil_error why;

    snprintf(spec, sizeof spec, "%.*s%s%s", (int)before, text, folder == NULL ? "" : scratch,
             folder == NULL ? "" : text + before + 1);
    if (fz_decide(ret, spec, &occasion, &why) != FRAZIL_OK)
        fail_msg("%s: %s", spec, why.message);
}

static void identify(const char *text, struct identity *ret)
{
    struct fz_decision decision;

    decide_row(text, &decision);
    identity_of(&decision, ret);
    fz_decision_free(&decision);
}

static void write_configs(void)
{
    static const char seven[] = "worker=fixed:7\n";
    static const char eight[] = "worker=fixed:8\n";

    scratch_write(scratch_path(scratch, "seven"), seven, strlen(seven));
    scratch_write(scratch_path(scratch, "eight"), eight, strlen(eight));
}

/* ---- the keys ------------------------------------------------------------------------------ */

TEST("For every key somebody has decided whether it parts two specs")
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        size_t row = 0;
        while (row < ROWS && (int)rows[row].key != key)
            row++;
        if (row == ROWS)
            fail_msg("nobody has decided what %s= means for an identity: give it a row", fz_key_name((enum fz_key)key));
    }
}

TEST("Two specs have one place and one generator if they mean the same, and each its own if they do not")
{
    static struct identity one;
    static struct identity other;

    write_configs();
    for (size_t i = 0; i < ROWS; i++) {
        identify(rows[i].one, &one);
        identify(rows[i].other, &other);
        int apart = identity_apart(&one, &other);
        if (apart != rows[i].apart)
            fail_msg("%s and %s: %d apart, not %d:\n%s\n%s\n%s\n%s", rows[i].one, rows[i].other, apart, rows[i].apart,
                     one.place, other.place, one.generator, other.generator);
    }
}

TEST("A layout made from numbers has the place of the preset, and a preset has it by its own description")
{
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        const frazil_layout *preset = frazil_layout_preset(i);
        static struct identity named;
        static struct identity said;
        char spec[TEXT_SIZE];
        char text[FRAZIL_FINGERPRINT_SIZE];
        snprintf(spec, sizeof spec, FILES "allow_short_life=yes worker=fixed:0 layout=%s", preset->name);
        identify(spec, &named);
        assert_int_equal(frazil_layout_fingerprint(preset, text, sizeof text, NULL), FRAZIL_OK);
        snprintf(spec, sizeof spec, FILES "allow_short_life=yes worker=fixed:0 layout='%s'", text);
        identify(spec, &said);
        assert_string_equal(named.place, said.place);
        assert_string_equal(named.generator, said.generator);
    }
}

/* ---- two generators on one host ---------------------------------------------------------- */

#define SLOTS "start=zero state=redis://u:p@h:1/"

static const struct relation {
    enum fz_relation relation;
    const char *one;
    const char *other;
} relations[] = {
    /* Nothing in common: the layout, the worker id, or the sequence numbers. */
    {FZ_RELATION_APART, "state=memory worker=fixed:7", "state=memory worker=fixed:8"},
    {FZ_RELATION_APART, "state=memory worker=fixed:7", "state=memory worker=fixed:7 layout=twitter"},
    {FZ_RELATION_APART, "state=memory worker=fixed:7 seq_max=9", "state=memory worker=fixed:7 seq_min=10"},
    {FZ_RELATION_APART, "worker=fixed:8", "worker=redis://h/a workers=8"},
    {FZ_RELATION_APART, "worker=redis://h/a base=8", "worker=redis://h/b count=8"},
    {FZ_RELATION_APART, FILES "worker=file-lock base=8 count=2", FILES "worker=file-lock base=10 namespace=n"},

    /* One word; one folder of claims. */
    {FZ_RELATION_SHARED, FILES "worker=fixed:7", FILES "worker=fixed:7 on_full=error layout=40/5+5/12"},
    {FZ_RELATION_SHARED, FILES "worker=file-lock", FILES "worker=file-lock count=2"},
    {FZ_RELATION_SHARED, FILES "worker=file-lock", "state=memory worker=fixed:7"},
    {FZ_RELATION_TWINS, "state=memory worker=fixed:7", "state=memory worker=fixed:7"},
    {FZ_RELATION_TWINS, "state=memory worker=fixed:7", "state=memory worker=fixed:7 layout=40/5+5/12"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", "state=memory worker=fixed:7"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", FILES "worker=fixed:7 seq_min=5"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", FILES "worker=fixed:7 namespace=n"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", FILES "worker=fixed:7 host_dir=/other"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", "state=file state_dir=/state run_dir=/other worker=fixed:7"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", "state=file state_dir=/other run_dir=/run worker=fixed:7"},
    {FZ_RELATION_TWINS, FILES "worker=file-lock", FILES "worker=fixed:7 namespace=n"},
    {FZ_RELATION_TWINS, FILES "worker=file-lock", FILES "worker=fixed:7 host_dir=/other"},
    {FZ_RELATION_TWINS, FILES "worker=fixed:7", "worker=fixed:7 clock=frozen:0"},

    /* One line of slots. */
    {FZ_RELATION_SHARED, "worker=fixed:7 " SLOTS "n", "worker=fixed:7 batch=3 start=zero state=redis://u:q@H:1/n"},
    {FZ_RELATION_TWINS, "worker=fixed:7 " SLOTS "n", "worker=fixed:7 " SLOTS "m"},
    {FZ_RELATION_TWINS, "worker=fixed:7 start=zero state=redis://:p@h/n",
     "worker=fixed:7 start=zero state=redis://:q@h/n"},
    {FZ_RELATION_TWINS, "worker=fixed:7 " SLOTS "n", "worker=fixed:7 seq_min=5 " SLOTS "n"},
    {FZ_RELATION_TWINS, "worker=fixed:7 " SLOTS "n", FILES "worker=fixed:7"},

    /* One namespace of one coordinator; another one parts on purpose. */
    {FZ_RELATION_SHARED, "worker=redis://u:p@h/a", "worker=redis://u:q@H:6379/a count=3"},
    {FZ_RELATION_SHARED, "worker=postgres://h/a/n?table=a&user=b", "worker=postgresql://h/a/n?user=b&table=a"},
    {FZ_RELATION_SHARED, "worker=postgres://h/a/n", "worker=postgresql://h/a/n?table=public.frazil_lease"},
    {FZ_RELATION_APART, "worker=postgres://h/a/n", "worker=postgres://h/a/n?table=web.frazil_lease"},
    {FZ_RELATION_APART, "worker=redis://h/a", "worker=redis://h/b"},
    {FZ_RELATION_APART, "worker=redis://h/a", "worker=redis://g/a"},
    {FZ_RELATION_APART, "worker=redis://h/a", "worker=redis://h:6380/a"},
    {FZ_RELATION_APART, "worker=redis://u:p@h/a", "worker=redis://v:p@h/a"},
    {FZ_RELATION_APART, "worker=redis://h/a?db=1", "worker=redis://h/a?db=2"},
    {FZ_RELATION_APART, "worker=redis://:p@h/a", "worker=redis://:q@h/a"},
    {FZ_RELATION_APART, "worker=redis://h/a base=8", "worker=redis://h/b count=9"},
    {FZ_RELATION_TWINS, "worker=redis://h/a", FILES "worker=fixed:7"},
    {FZ_RELATION_TWINS, "worker=redis://h/a workers=8", FILES "worker=fixed:7"},
    {FZ_RELATION_TWINS, "worker=redis://h/a", FILES "worker=file-lock"},

    /* Drawn in this process. */
    {FZ_RELATION_SHARED, "layout=sno worker=auto", "layout=sno worker=auto state=memory"},
    {FZ_RELATION_TWINS, "layout=sno worker=auto", "layout=sno partition=A,10"},
};

TEST("Two generators on one host share what keeps their ids apart, have nothing in common, or are twins")
{
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        struct fz_decision one, other;
        decide_row(relations[i].one, &one);
        decide_row(relations[i].other, &other);
        if (fz_relation_of(&one, &other) != relations[i].relation ||
            fz_relation_of(&other, &one) != relations[i].relation)
            fail_msg("%s and %s: %d and %d, not %d", relations[i].one, relations[i].other,
                     (int)fz_relation_of(&one, &other), (int)fz_relation_of(&other, &one), (int)relations[i].relation);
        fz_decision_free(&one);
        fz_decision_free(&other);
    }
}

/* ---- where a client library looks -------------------------------------------------------- */

/* Whether a variable of the environment parts two openings of a URL. */
static void assert_variable(const char *variable, const char *text, int apart)
{
    static struct identity first;
    static struct identity second;

    assert_int_equal(unsetenv(variable), 0);
    identify(text, &first);
    assert_int_equal(setenv(variable, "5433", 1), 0);
    identify(text, &second);
    assert_int_equal(unsetenv(variable), 0);
    int found = identity_apart(&first, &second);
    if (found != apart)
        fail_msg("%s of %s: %d apart, not %d", variable, text, found, apart);
}

TEST("A client that takes its server from the environment has another coordinator when that changes")
{
    static const char *const names[] = {"PGHOST",    "PGHOSTADDR",    "PGPORT", "PGDATABASE",   "PGUSER",
                                        "PGOPTIONS", "PGSERVICEFILE", "HOME",   "PGUNKNOWNTOUS"};
    char home[TEXT_SIZE];

    snprintf(home, sizeof home, "%s", getenv("HOME") == NULL ? "/" : getenv("HOME"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_variable(names[i], LEASE "worker=postgres:///db/n", BOTH);
        assert_variable(names[i], LEASE "worker=postgresql://h/db/n", BOTH);
        assert_variable(names[i], "worker=fixed:1 start=zero state=postgres:///db/n", GENERATOR);
        assert_variable(names[i], LEASE "worker=redis://h:1/n", NOTHING);
    }
    assert_int_equal(setenv("HOME", home, 1), 0);
}

TEST("A password or a name in the environment does not part processes, and neither does the order of its variables")
{
    static struct identity first;
    static struct identity second;
    static const char text[] = LEASE "worker=postgres:///db/n";

    assert_variable("PGPASSWORD", text, NOTHING);
    assert_variable("PGAPPNAME", text, NOTHING);
    assert_int_equal(setenv("PGHOST", "h", 1), 0);
    assert_int_equal(setenv("PGPORT", "5433", 1), 0);
    identify(text, &first);
    assert_int_equal(unsetenv("PGHOST"), 0);
    assert_int_equal(setenv("PGHOST", "h", 1), 0);
    identify(text, &second);
    assert_int_equal(unsetenv("PGHOST"), 0);
    assert_int_equal(unsetenv("PGPORT"), 0);
    assert_string_equal(first.place, second.place);
    assert_string_equal(first.generator, second.generator);
}

TEST(
    "With PGSERVICE only libpq knows where a URL leads: share=host is refused, or left alone if it came from elsewhere")
{
    static const char *const urls[] = {"postgres://h/db/n", "postgresql:///db/n"};
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    struct fz_decision decision;
    frazil_error why;
    char spec[TEXT_SIZE];

    assert_int_equal(setenv("PGSERVICE", "orders", 1), 0);
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        snprintf(spec, sizeof spec, LEASE "worker=%s", urls[i]);
        assert_int_equal(fz_decide(&decision, spec, &occasion, &why), FRAZIL_ESPEC);
        assert_non_null(
            strstr(why.message, "unset it and name host, user and database in the URL, or set share=process"));
    }
    decide_row(LEASE "worker=" URL, &decision);
    assert_int_equal(decision.state.kind, FZ_STATE_SHARED);
    fz_decision_free(&decision);
    assert_int_equal(setenv("FRAZIL_SHARE", "host", 1), 0);
    decide_row("worker=postgres://h/db/n", &decision);
    assert_int_equal(unsetenv("FRAZIL_SHARE"), 0);
    assert_int_equal(unsetenv("PGSERVICE"), 0);
    assert_int_equal(decision.state.kind, FZ_STATE_MEMORY);
    fz_decision_free(&decision);
}

/* ---- the boot ------------------------------------------------------------------------------ */

static const char *boot_is; /* NULL: as the system has it */

/* The linker has all of the program call these (tests/cmake/programs.cmake). */
int __real_fz_boot_id(char ret[FZ_BOOT_ID_SIZE]);
int __wrap_fz_boot_id(char ret[FZ_BOOT_ID_SIZE]);

int __wrap_fz_boot_id(char ret[FZ_BOOT_ID_SIZE])
{
    if (boot_is == NULL)
        return __real_fz_boot_id(ret);
    snprintf(ret, FZ_BOOT_ID_SIZE, "%s", boot_is);
    return 0;
}

/* Whether a lease has another name and another check after another boot. */
static bool is_renamed_by_a_boot(const char *text)
{
    static struct identity first;
    static struct identity second;

    boot_is = "11111111-2222-3333-4444-555555555555";
    identify(text, &first);
    boot_is = "11111111-2222-3333-4444-555555555556";
    identify(text, &second);
    boot_is = NULL;
    assert_int_not_equal(first.place[0], '\0');
    return strcmp(first.place, second.place) != 0;
}

TEST("Names of leases allow no password to be tried without the boot's id; no other lease has it in its name")
{
    static const char *const of_password[] = {"redis://:p@h:1/n", "rediss://default:p@h:1/n",
                                              "redis://:p@h:1/n?user=default"};
    static const char *const others[] = {URL, "redis://h:1/n", "etcd://u:p@h:1/n", "postgres://u:p@h/db/n"};
    char text[TEXT_SIZE];

    for (size_t i = 0; i < sizeof of_password / sizeof of_password[0]; i++) {
        snprintf(text, sizeof text, LEASE "worker=%s", of_password[i]);
        if (!is_renamed_by_a_boot(text))
            fail_msg("%s: one name for two boots", text);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(text, sizeof text, LEASE "worker=%s", others[i]);
        if (is_renamed_by_a_boot(text))
            fail_msg("%s: two names for two boots", text);
    }
}

/* ---- the folder's name --------------------------------------------------------------------- */

TEST("The folder without namespace= is called as the layout's value")
{
    struct fz_decision decision;

    decide_row(FILES "worker=fixed:7 layout=twitter", &decision);
    assert_string_equal(decision.places.name, "10-12-epoch-1288834974657-tick-1ms");
    fz_decision_free(&decision);
    decide_row(FILES "worker=fixed:7 layout='41/12s/10w epoch=-5'", &decision);
    assert_string_equal(decision.places.name, "12s-10w-epoch--5-tick-1ms");
    fz_decision_free(&decision);
    decide_row(FILES "layout=sno partition=1", &decision);
    assert_string_equal(decision.places.name, "sno");
    fz_decision_free(&decision);
}
