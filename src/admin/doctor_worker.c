/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include <unistd.h>

#include "config/worker_sources.h"
#include "core/collision.h"
#include "core/layout_internal.h"
#include "doctor_judge.h"
#include "os/clock.h"
#include "os/guard.h"
#include "state/grant_store.h"
#include "state/shared_page.h"
#include "state/store.h"
#include "state/store_files.h"

/* Above this chance, in parts per million, a fleet will see a collision sooner or later. */
enum { LIKELY_PPM = 10000, PPM_PER_PERCENT = 10000 };

/* Of a folder in memory each file takes a page. */
enum { CLAIM_BYTES = 4096 };

/* "3.8532 %" */
static void write_chance(char *buf, size_t size, uint32_t ppm)
{
    struct fz_sentence s = fz_sentence_in(buf, size);

    fz_sentence_u64(&s, ppm / PPM_PER_PERCENT);
    fz_sentence_char(&s, '.');
    for (uint32_t unit = PPM_PER_PERCENT / 10; unit > 0; unit /= 10)
        fz_sentence_char(&s, (char)('0' + ppm / unit % 10));
    fz_sentence_str(&s, " %");
}

/* ---- sources ----------------------------------------------------------------------- */

static void judge_lock(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    if (facts->hosts > 1)
        fz_found(findings, FZ_FOUND_WORKER_LOCK_MANY,
                 "with file-lock each of the %u hosts begins at worker id %u: they make the same ids: use the URL of a "
                 "coordinator, or fixed:N, env:NAME or ordinal",
                 (uint64_t)facts->hosts, (uint64_t)facts->choice.first);
    else if (facts->choice.was_default)
        fz_found(findings, FZ_FOUND_WORKER_DEFAULT,
                 "no worker= is named, and `frazil next` uses file-lock: right for processes of one host, wrong with a "
                 "second host (the library has no default): name a source");
    else
        fz_found(findings, FZ_FOUND_WORKER_LOCK,
                 "file-lock: each process of this host has its own number, of %u; for one host only, and not beside a "
                 "coordinator, which grants the same numbers",
                 (uint64_t)facts->choice.count);
}

/* fixed:N and env:NAME */
static void judge_given(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    static const char *const sharers[] = {
        [FZ_SHARED_BY_USER] = "all processes of this user with it share one sequence",
        [FZ_SHARED_BY_NOBODY] = "only one generator may have it, because its state is in memory",
        [FZ_SHARED_BY_FOLDER] = "all processes that count in the folder of state= share one sequence"};
    uint64_t worker = facts->choice.first;

    if (facts->hosts > 1)
        fz_found(findings, FZ_FOUND_WORKER_GIVEN_MANY,
                 "worker id %u is safe if no other of the %u hosts has it, which cannot be seen from here: check "
                 "where the numbers are assigned",
                 worker, (uint64_t)facts->hosts);
    else
        fz_found(findings, FZ_FOUND_WORKER_GIVEN,
                 "worker id %u; %s, no other host may have it and no coordinator grant it", worker,
                 sharers[facts->sharers]);
}

/* Hosts that take slots from one place may have the same number, wherever that comes from. */
static void judge_slots(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    fz_found(findings, FZ_FOUND_WORKER_GIVEN,
             "worker id %u; all that take its slots from the state= of this spec, on any number of hosts, share one "
             "sequence: processes that have the number with another state= make the same ids",
             (uint64_t)facts->choice.first);
}

static void judge_hash(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    uint32_t hosts = facts->hosts > 0 ? facts->hosts : facts->choice.expect;
    uint32_t ppm = facts->choice.collision_ppm;
    char chance[32];

    if (facts->hosts > 0 && fz_collision_ppm(facts->hosts, facts->workers, &ppm) != FRAZIL_OK)
        ppm = 1000000; /* more hosts than can be computed */
    write_chance(chance, sizeof chance, ppm);
    fz_found(findings, ppm >= LIKELY_PPM ? FZ_FOUND_WORKER_HASH_LIKELY : FZ_FOUND_WORKER_HASH,
             "worker id %u by hash: the probability that two of %u hosts share a number, and make the same ids, is %s: "
             "use a coordinator",
             (uint64_t)facts->choice.first, (uint64_t)hosts, chance);
}

/* Whether text is len characters that all stand in an alphabet. */
static bool is_of(const char *text, size_t len, const char *alphabet)
{
    return strlen(text) >= len && strspn(text, alphabet) >= len;
}

/* A name that nobody chose: that of a container (12 hex digits), or of a pod of a Deployment (NAME-HASH-SUFFIX). */
static bool is_made_up(const char *name)
{
    static const char pod_alphabet[] = "bcdfghjklmnpqrstvwxz2456789"; /* Kubernetes makes no words */
    enum { CONTAINER_LEN = 12, POD_SUFFIX_LEN = 5, POD_HASH_MIN = 8, POD_HASH_MAX = 10 };
    size_t len = strlen(name);

    if (len == CONTAINER_LEN)
        return is_of(name, len, "0123456789abcdef");
    const char *suffix = strrchr(name, '-');
    if (suffix == NULL || strlen(suffix + 1) != POD_SUFFIX_LEN || !is_of(suffix + 1, POD_SUFFIX_LEN, pod_alphabet))
        return false;
    size_t hash_len = 0;
    while (hash_len < (size_t)(suffix - name) && suffix[-1 - (ptrdiff_t)hash_len] != '-')
        hash_len++;
    return hash_len >= POD_HASH_MIN && hash_len <= POD_HASH_MAX && hash_len < (size_t)(suffix - name) &&
           is_of(suffix - hash_len, hash_len, pod_alphabet);
}

static void judge_host_name(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    if (is_made_up(facts->host_name))
        fz_found(
            findings, FZ_FOUND_WORKER_NAME_RANDOM,
            "the host's name %q looks generated by a container engine: it changes at a restart, and the "
            "worker id with it: set a name that stays (docker run --hostname, a StatefulSet), or use a coordinator",
            facts->host_name);
}

static void judge_leased(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    fz_finding_show(findings, FZ_FOUND_WORKER_LEASED,
                    facts->is_shared
                        ? "leased from a coordinator: the processes of this host share one number (share=host)"
                        : "leased from a coordinator: each process has its own number, on any number of hosts");
}

static void judge_in_process(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    (void)facts;
    fz_finding_show(
        findings, FZ_FOUND_WORKER_IN_PROCESS,
        "worker=auto is unique within one process only, and processes that start together repeat each other's ids: if "
        "ids of several are combined, name a partition with worker=");
}

static void judge_ordinal(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    fz_found(findings, FZ_FOUND_WORKER_ORDINAL,
             "worker id %u, from the host's name: safe for the pods of one StatefulSet without hostNetwork",
             (uint64_t)facts->choice.first);
}

static void judge_octet(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    fz_found(findings, FZ_FOUND_WORKER_OCTET,
             "worker id %u, from the host's address: safe only if all hosts are in one /24 network: otherwise use a "
             "coordinator",
             (uint64_t)facts->choice.first);
}

static void judge_source(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    typedef void (*judge)(const struct fz_worker_facts *facts, const struct fz_findings *findings);
    static const judge judges[] = {
        [FZ_VERDICT_GIVEN] = judge_given,          [FZ_VERDICT_LOCK] = judge_lock, [FZ_VERDICT_ORDINAL] = judge_ordinal,
        [FZ_VERDICT_OCTET] = judge_octet,          [FZ_VERDICT_HASH] = judge_hash, [FZ_VERDICT_LEASED] = judge_leased,
        [FZ_VERDICT_IN_PROCESS] = judge_in_process};
    const struct fz_worker_source *source = facts->choice.source;

    /* A partition is a number that was given, as fixed:N is. */
    judges[source == NULL ? FZ_VERDICT_GIVEN : source->verdict](facts, findings);
}

void fz_judge_worker(const struct fz_worker_facts *facts, const struct fz_findings *findings)
{
    if (facts->unusable.code != FRAZIL_OK) {
        fz_finding_show(findings, FZ_FOUND_WORKER_UNUSABLE, facts->unusable.message);
        return;
    }
    if (facts->sharers == FZ_SHARED_BY_HOSTS) {
        judge_slots(facts, findings);
        return;
    }
    if (facts->hosts > facts->workers)
        fz_found(findings, FZ_FOUND_WORKER_TOO_FEW,
                 "%u hosts need a worker id each, and there are %u: take a layout with more worker bits",
                 (uint64_t)facts->hosts, facts->workers);
    judge_source(facts, findings);
    judge_host_name(facts, findings);
}

/* ---- the others on this host ------------------------------------------------------------- */

/* A claim needs a page of memory, where the folder lies in memory, and an inode. */
static void judge_host_disk(const struct fz_users_facts *facts, const struct fz_findings *findings)
{
    if (facts->disk.free_bytes < CLAIM_BYTES)
        fz_found(findings, FZ_FOUND_HOST_FULL, "no space is left in the host directory %q: free some space there",
                 facts->folder);
    else if (facts->disk.has_no_files)
        fz_found(findings, FZ_FOUND_HOST_FULL,
                 "no inode is free in the host directory %q, so no claim can be created: remove files there",
                 facts->folder);
    if (facts->disk.kind == FZ_DISK_REMOTE || facts->disk.kind == FZ_DISK_FUSE)
        fz_found(
            findings, FZ_FOUND_HOST_REMOTE,
            "the host directory %q is on a network file system or FUSE, whose mounts may pass each other no locks: "
            "name a local folder, one for all programs of this host, with host_dir=",
            facts->folder);
}

void fz_judge_users(const struct fz_users_facts *facts, const struct fz_findings *findings)
{
    if (facts->knows_disk)
        judge_host_disk(facts, findings);
    if (facts->unusable.code != FRAZIL_OK)
        fz_found(findings, FZ_FOUND_HOST_UNUSABLE, "%s", facts->unusable.message);
    if (facts->taken.code != FRAZIL_OK)
        fz_found(findings, FZ_FOUND_WORKER_OTHER_USER, "%s", facts->taken.message);
}

/* The word that the claim is of; none, if it is not there or cannot be used. */
static struct fz_claim_word word_of(const struct fz_decision *decision)
{
    const struct fz_places *places = &decision->places;
    const struct fz_word_identity identity = {
        .fingerprint = places->value, .worker = decision->worker.first, .bounds = decision->bounds};
    struct fz_word_file_status status = {.exists = false};
    char path[FZ_PATH_SIZE];

    frazil_err err = fz_store_find_folder(path, FZ_DIR_RUN, places->run_dir, places->name, NULL);
    if (err == FRAZIL_OK)
        err = fz_store_file(path, path, decision->worker.first, FZ_STORE_WORD_SUFFIX, NULL);
    if (err == FRAZIL_OK)
        err = fz_word_file_inspect(&status, path, &identity, sizeof(struct fz_shared), NULL);
    if (err != FRAZIL_OK || !status.exists || status.stale)
        return (struct fz_claim_word){.nonce = 0};
    return (struct fz_claim_word){.nonce = status.nonce, .device = status.device, .inode = status.inode};
}

/* A run directory that others use with another state directory. */
static void look_at_state(struct fz_users_facts *facts, uint32_t worker, const struct fz_claim_key *key)
{
    char theirs[FZ_CLAIM_HOLDER_SIZE];

    if (key->word.nonce != 0 && key->state != NULL && fz_claim_state_differs(key, worker, theirs))
        (void)fz_store_refuse_state(worker, key->holder, theirs, key->state, &facts->taken);
}

/* The files of a spec that keeps any, by which claims are judged. */
struct own_files {
    char run_dir[FZ_PATH_SIZE];
    char state[FZ_PATH_SIZE];
    char grant[FZ_PATH_SIZE];
    struct fz_grant_memory memory;
};

static void name_files(struct own_files *files, const struct fz_decision *decision, struct fz_claim_key *key)
{
    const struct fz_places *places = &decision->places;
    uint32_t worker = decision->worker.first;

    if (fz_dir_find(files->run_dir, FZ_DIR_RUN, places->run_dir, NULL) == FRAZIL_OK)
        key->holder = files->run_dir;
    key->word = word_of(decision);
    if (fz_store_find_folder(files->state, FZ_DIR_STATE, places->state_dir, places->name, NULL) != FRAZIL_OK)
        return;
    key->state = files->state;
    if (fz_store_file(files->grant, files->state, worker, FZ_STORE_GRANT_SUFFIX, NULL) != FRAZIL_OK)
        return;
    fz_grant_store_remember(&files->memory, files->grant, &decision->bounds, fz_guard_deadline());
    key->grants = &files->memory.grants;
}

void fz_collect_users(struct fz_users_facts *ret, const struct fz_decision *decision)
{
    struct fz_users_facts facts = {.keeps_files = decision->state.kind == FZ_STATE_FILES};
    uint32_t worker = decision->worker.first;
    struct fz_claim_other other;
    struct fz_claim_key key;
    struct own_files files;

    frazil_err err = fz_store_claim_key(&key, facts.folder, decision, fz_real_now().unix_ms, &facts.unusable);
    facts.knows_disk = err == FRAZIL_OK && fz_disk_look(facts.folder, &facts.disk) == 0;
    if (err == FRAZIL_OK)
        (void)fz_claim_folder_check(facts.folder, &facts.unusable);
    if (err == FRAZIL_OK && !decision->worker.lock) {
        if (facts.keeps_files)
            name_files(&files, decision, &key);
        /* A process with the state in memory may be the one that the doctor was asked about. */
        if (fz_claim_find(&key, worker, &other) == FZ_CLAIM_TAKEN && (facts.keeps_files || other.uid != geteuid()))
            (void)fz_claim_refuse(worker, &key, &other, &facts.taken);
        else if (facts.keeps_files)
            look_at_state(&facts, worker, &key);
    }
    *ret = facts;
}

/* ---- the others on this host whose worker ids come from elsewhere ---------------------------- */

#define ONE_RANGE_EACH "take all worker ids from one source, or give each source its own range with base= and count="

void fz_judge_rivals(const struct fz_rivals_facts *facts, const struct fz_findings *findings)
{
    uint64_t first = facts->first;

    if (facts->count > 0 && facts->counts)
        fz_found(findings, FZ_FOUND_WORKER_OTHER_SOURCE,
                 "worker id %u is in use on this host without the state= of this spec, by %s, so both can make the "
                 "same ids: give all the same state=, or this one another worker id",
                 first, facts->who);
    else if (facts->count > 0 && facts->last == first)
        fz_found(findings, FZ_FOUND_WORKER_OTHER_SOURCE,
                 "worker id %u, which this coordinator can grant, is in use on this host from another source, by %s, "
                 "so both can make the same ids: " ONE_RANGE_EACH,
                 first, facts->who);
    else if (facts->count > 0)
        fz_found(findings, FZ_FOUND_WORKER_OTHER_SOURCE,
                 "worker ids from %u to %u, which this coordinator can grant, are in use on this host from another "
                 "source, %u by %s, so both can make the same ids: " ONE_RANGE_EACH,
                 first, (uint64_t)facts->last, first, facts->who);
}

/* A host directory that is missing is not made: nobody has a claim there. */
void fz_collect_rivals(struct fz_rivals_facts *ret, const struct fz_decision *decision, uint32_t first, uint32_t last)
{
    const char *host_dir = decision->places.host_dir;
    char value[FRAZIL_FINGERPRINT_SIZE];
    const struct fz_claim_key key = {
        .folder = host_dir != NULL ? host_dir : fz_default_host_dir, .fingerprint = value, .bounds = decision->bounds};
    struct fz_claims_held held;

    fz_layout_value(&decision->layout, value);
    (void)fz_claim_find_held(&key, first, last, &held);
    *ret = (struct fz_rivals_facts){
        .counts = decision->state.kind == FZ_STATE_URL, .count = held.count, .first = held.first, .last = held.last};
    if (held.count > 0)
        fz_claim_say_other(ret->who, &held.other);
}

/* ---- settings ------------------------------------------------------------------------ */

void fz_judge_idle_key(void *findings, const char *key, const char *where)
{
    fz_found(findings, FZ_FOUND_WORKER_IDLE_KEY,
             "%s is given in the environment or the config file, and has no effect here: it is for %s", key, where);
}

void fz_judge_slip(void *findings, const char *name, const char *advice)
{
    fz_found(findings, FZ_FOUND_ENVIRONMENT_SLIP,
             "%s is set in the environment, but is not a setting, so nothing opens%s", name, advice);
}

/* ---- advice ------------------------------------------------------------------------- */

/* Fleets up to this size, and what is right for them. */
static const struct {
    uint32_t hosts;
    const char *advice;
} sizes[] = {
    {1, "worker=file-lock, or fixed:0 where all processes are to share one sequence"},
    {16, "numbers assigned by hand or by the orchestrator: fixed:N, env:NAME, or ordinal in a StatefulSet"},
    {UINT32_MAX, "a coordinator, as in worker=redis://HOST/NAMESPACE; it assigns all numbers"},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void advise_of_hashes(uint32_t hosts, uint64_t workers, const struct fz_findings *findings)
{
    char chance[32];
    uint32_t ppm;

    if (fz_collision_ppm(hosts, workers, &ppm) != FRAZIL_OK)
        return;
    write_chance(chance, sizeof chance, ppm);
    fz_found(findings, FZ_FOUND_ADVICE,
             "%u hosts by hash of %u worker ids: the probability that two share a number is %s", (uint64_t)hosts,
             workers, chance);
}

static void advise_size(size_t i, const struct fz_findings *findings)
{
    if (i == 0)
        fz_found(findings, FZ_FOUND_ADVICE, "1 host: %s", sizes[i].advice);
    else if (i < SIZES - 1)
        fz_found(findings, FZ_FOUND_ADVICE, "%u to %u hosts: %s", (uint64_t)sizes[i - 1].hosts + 1,
                 (uint64_t)sizes[i].hosts, sizes[i].advice);
    else
        fz_found(findings, FZ_FOUND_ADVICE, "more than %u hosts, or hosts that come and go: %s",
                 (uint64_t)sizes[i - 1].hosts, sizes[i].advice);
}

void fz_advise(uint32_t hosts, uint64_t workers, const struct fz_findings *findings)
{
    static const uint32_t examples[] = {5, 20, 50};

    for (size_t i = 0; i < SIZES; i++) {
        bool fits = hosts <= sizes[i].hosts && (i == 0 || hosts > sizes[i - 1].hosts);
        if (hosts == 0 || fits)
            advise_size(i, findings);
    }
    for (size_t i = 0; hosts == 0 && i < sizeof examples / sizeof examples[0]; i++)
        advise_of_hashes(examples[i], workers, findings);
    if (hosts > 1)
        advise_of_hashes(hosts, workers, findings);
}
