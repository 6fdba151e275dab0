/* SPDX-License-Identifier: MIT */
/* The keys that a spec may have: one table, of which all lists of keys are made or checked. */
#ifndef FZ_CONFIG_KEYS_H
#define FZ_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * X(identifier, name, whose, kind, member, needs, where): every key there is.  The environment's name is FRAZIL_ and
 * the name in upper case.
 * - whose: IDS: it says what ids look like, which is the program's affair, so the environment counts only where the
 *   program says nothing. PLACE: it says where the program runs, which is the operator's, so the environment fills in
 *   what the spec leaves out.
 * - kind: what its value is (values.c), and the member of fz_values that it is read into; TEXT stays in the settings.
 * - needs: the worker ids that it has an effect with (FZ_FOR_ in worker_sources.h), and where: the words for them.
 */
/* clang-format off */
#define FZ_KEYS(X) \
    X(LAYOUT,           "layout",           IDS,   LAYOUT,   layout,           ANY,     "") \
    X(EPOCH,            "epoch",            IDS,   PART,     layout,           ANY,     "") \
    X(TICK,             "tick",             IDS,   PART,     layout,           ANY,     "") \
    X(BEHAVIOUR,        "behaviour",        IDS,   WORD,     behaviour,        ANY,     "") \
    X(WORKER,           "worker",           PLACE, TEXT,     settings,         ANY,     "") \
    X(PARTITION,        "partition",        PLACE, TEXT,     settings,         ANY,     "") \
    X(DATACENTER,       "datacenter",       PLACE, NUMBER,   datacenter,       ANY,     "") \
    X(BASE,             "base",             PLACE, NUMBER,   base,             ANY,     "") \
    X(COUNT,            "count",            PLACE, NUMBER,   count,            ANY,     "") \
    X(HOSTNAME,         "hostname",         PLACE, TEXT,     settings,         NAME,    "worker=ordinal and worker=hostname-hash") \
    X(IP,               "ip",               PLACE, TEXT,     settings,         ADDRESS, "worker=ip-hash and worker=ip-last-octet") \
    X(EXPECT,           "expect",           PLACE, TEXT,     settings,         HASH,    "worker=ip-hash and worker=hostname-hash") \
    X(ON_FULL,          "on_full",          IDS,   WORD,     on_full,          ANY,     "") \
    X(ON_BACKWARD,      "on_backward",      IDS,   WORD,     on_backward,      ANY,     "") \
    X(MAX_LEAD,         "max_lead",         IDS,   DURATION, max_lead_ns,      ANY,     "") \
    X(MAX_WAIT,         "max_wait",         IDS,   DURATION, max_wait_ns,      ANY,     "") \
    X(OPEN_WAIT,        "open_wait",        PLACE, DURATION, open_wait_ns,     ANY,     "") \
    X(START,            "start",            IDS,   WORD,     start,            ANY,     "") \
    X(SEQ_MIN,          "seq_min",          IDS,   NUMBER,   seq_min,          ANY,     "") \
    X(SEQ_MAX,          "seq_max",          IDS,   NUMBER,   seq_max,          ANY,     "") \
    X(CLOCK,            "clock",            IDS,   CLOCK,    frozen_unix_ms,   ANY,     "") \
    X(STATE,            "state",            PLACE, WORD,     state,            ANY,     "") \
    X(BATCH,            "batch",            PLACE, NUMBER,   batch,            ANY,     "") \
    X(NAMESPACE,        "namespace",        PLACE, TEXT,     settings,         ANY,     "") \
    X(RUN_DIR,          "run_dir",          PLACE, TEXT,     settings,         ANY,     "") \
    X(STATE_DIR,        "state_dir",        PLACE, TEXT,     settings,         ANY,     "") \
    X(HOST_DIR,         "host_dir",         PLACE, TEXT,     settings,         ANY,     "") \
    X(KEEPER,           "keeper",           PLACE, WORD,     keeper,           ANY,     "") \
    X(HORIZON,          "horizon",          PLACE, DURATION, horizon_ns,       URL,     "worker=URL, a namespace of a coordinator") \
    X(WORKERS,          "workers",          PLACE, NUMBER,   workers,          URL,     "worker=URL, a namespace of a coordinator") \
    X(ON_LOSS,          "on_loss",          PLACE, WORD,     on_loss,          URL,     "worker=URL, as only a leased worker id can be lost") \
    X(SHARE,            "share",            PLACE, WORD,     share,            URL,     "worker=URL, as other worker ids are shared or kept by themselves") \
    X(MAX_SKEW,         "max_skew",         PLACE, DURATION, max_skew_ns,      CLOCK,   "worker=URL and state=URL, whose users share a coordinator's clock") \
    X(ALLOW_SHORT_LIFE, "allow_short_life", IDS,   WORD,     allow_short_life, ANY,     "") \
    X(CONFIG,           "config",           PLACE, TEXT,     settings,         ANY,     "")
/* clang-format on */

enum fz_key {
#define FZ_KEY_ENUM(identifier, name, whose, kind, member, needs, where) FZ_KEY_##identifier,
    FZ_KEYS(FZ_KEY_ENUM)
#undef FZ_KEY_ENUM
        FZ_KEYS_TOTAL
};

/*
 * X(word, identifier, before): what other generators of ids call one of our settings, in lower case and without '_' and
 * '-'.  A number N of theirs is written as KEY=beforeN.
 */
/* clang-format off */
#define FZ_KEY_SYNONYMS(X) \
    X("workerid",     WORKER,     "fixed:") \
    X("workernumber", WORKER,     "fixed:") \
    X("workernum",    WORKER,     "fixed:") \
    X("machine",      WORKER,     "fixed:") \
    X("machineid",    WORKER,     "fixed:") \
    X("node",         WORKER,     "fixed:") \
    X("nodeid",       WORKER,     "fixed:") \
    X("nodenumber",   WORKER,     "fixed:") \
    X("instanceid",   WORKER,     "fixed:") \
    X("serverid",     WORKER,     "fixed:") \
    X("shardid",      WORKER,     "fixed:") \
    X("podid",        WORKER,     "fixed:") \
    X("datacenterid", DATACENTER, "") \
    X("datacentreid", DATACENTER, "") \
    X("dc",           DATACENTER, "") \
    X("dcid",         DATACENTER, "") \
    X("customepoch",  EPOCH,      "") \
    X("epochms",      EPOCH,      "") \
    X("twepoch",      EPOCH,      "")
/* clang-format on */

/* In the environment, the name of a key begins with this. */
#define FZ_ENVIRONMENT_PREFIX "FRAZIL_"

/*
 * X(word): the first words of other variables with this prefix: of the extension for SQLite, of the installation of
 * bindings (SYSTEM, SOURCE), of the PHP packages' doctor (COMMAND) and of an example (LIBRARY).  Any name with the
 * word SERVICE or PORT is Kubernetes', which tells each container of all services.  All others are errors; variables of
 * the tests and tools of this tree begin with TEST_.
 */
#define FZ_OTHER_VARIABLES(X) X("SQLITE") X("SYSTEM") X("SOURCE") X("COMMAND") X("LIBRARY")

/* Bytes of the name that a key has in the environment, and of what is said of a variable; terminators included. */
#define FZ_KEY_VARIABLE_SIZE 64
#define FZ_KEY_ADVICE_SIZE 160

/* The name of a key.  Never freed. */
FZ_PRIVATE const char *fz_key_name(enum fz_key key);

/* Whether a key says what ids look like, and not where the program runs. */
FZ_PRIVATE bool fz_key_is_of_ids(enum fz_key key);

/* The name of its variable in the environment. */
FZ_PRIVATE void fz_key_variable(enum fz_key key, char name[FZ_KEY_VARIABLE_SIZE]);

/* The key with this name; FZ_KEYS_TOTAL: there is none. */
FZ_PRIVATE enum fz_key fz_key_named(const char *name, size_t len);

/*
 * Word i that a key takes as its value, counted from 0, in the order of sentences (values.c has them); NULL past the
 * last one, and for a key without.  Never freed.
 */
FZ_PRIVATE const char *fz_key_word(enum fz_key key, size_t i);

struct fz_sentence;

/*
 * Says what was meant by a name that is no key, as in ": did you mean worker=fixed:3?", or else otherwise.  Of the
 * value, which may be anything, a plain number is shown.
 */
FZ_PRIVATE void fz_key_say_meant(struct fz_sentence *s, const char *name, size_t len, const char *value,
                                 size_t value_len, const char *otherwise);

/*
 * Calls visit for each variable of the environment with the prefix that is neither a key's nor one of
 * FZ_OTHER_VARIABLES.  advice goes on after "but is not a setting", with what to write in its place.  The variable that
 * worker=env:NAME reads is what its owner says it is; worker is the value of that key, or NULL.
 */
typedef void (*fz_key_slip)(void *ctx, const char *name, const char *advice);
FZ_PRIVATE void fz_key_find_slips(const char *worker, fz_key_slip visit, void *ctx);

#endif
