/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doctor_judge.h"
#include "os/dirs.h"

/* ---- judging --------------------------------------------------------------------- */

static void judge_run_disk(const struct fz_dir_facts *facts, const struct fz_findings *findings)
{
    if (facts->disk.kind == FZ_DISK_UNKNOWN)
        fz_found(findings, FZ_FOUND_RUN_GOOD,
                 "%q, %u KiB free; cannot determine whether it is in memory, as it should be", facts->path,
                 facts->disk.free_bytes / 1024);
    else if (facts->disk.kind == FZ_DISK_REMOTE)
        fz_found(findings, FZ_FOUND_RUN_REMOTE,
                 "the run directory %q is on a network file system, but memory cannot be shared between hosts: name "
                 "one in memory with run_dir=",
                 facts->path);
    else if (facts->disk.kind == FZ_DISK_FUSE)
        fz_found(
            findings, FZ_FOUND_RUN_ON_DISK,
            "the run directory %q is on FUSE, whose mounts may pass each other no locks: name one in memory (tmpfs) "
            "with run_dir=",
            facts->path);
    else if (facts->disk.kind != FZ_DISK_MEMORY)
        fz_found(
            findings, FZ_FOUND_RUN_ON_DISK,
            "the run directory %q is on a disk, which has to write back a page that changes with every id: name one in "
            "memory (tmpfs) with run_dir=",
            facts->path);
    else
        fz_found(findings, FZ_FOUND_RUN_GOOD, "%q, in memory, %u KiB free", facts->path, facts->disk.free_bytes / 1024);
}

static void judge_state_disk(const struct fz_dir_facts *facts, const struct fz_findings *findings)
{
    if (facts->disk.kind == FZ_DISK_UNKNOWN || facts->disk.kind == FZ_DISK_FUSE)
        fz_found(findings, FZ_FOUND_STATE_GOOD,
                 "%q, %u KiB free; cannot determine whether it is on a permanent local disk, as "
                 "it should",
                 facts->path, facts->disk.free_bytes / 1024);
    else if (facts->disk.kind == FZ_DISK_MEMORY)
        fz_found(findings, FZ_FOUND_STATE_IN_MEMORY,
                 "the state directory %q is in memory: a boot erases up to when ids were issued, and a clock set back "
                 "then repeats them: name one on a disk with state_dir=",
                 facts->path);
    else if (facts->disk.kind == FZ_DISK_LAYER)
        fz_found(
            findings, FZ_FOUND_STATE_LAYER,
            "the state directory %q belongs to the container and is lost with it: mount a volume, and name it with "
            "state_dir=",
            facts->path);
    else if (facts->disk.kind == FZ_DISK_REMOTE)
        fz_found(findings, FZ_FOUND_STATE_REMOTE,
                 "the state directory %q is on a network file system: give each host its own, on a local disk, with "
                 "state_dir=",
                 facts->path);
    else
        fz_found(findings, FZ_FOUND_STATE_GOOD, "%q, on a disk, %u KiB free", facts->path,
                 facts->disk.free_bytes / 1024);
}

static void judge_room(const struct fz_dir_facts *facts, bool is_state, const struct fz_findings *findings)
{
    if (facts->disk.free_bytes < FZ_DISK_FREE_MIN)
        fz_found(findings, is_state ? FZ_FOUND_STATE_FULL : FZ_FOUND_RUN_FULL,
                 "only %u KiB are free in %q: free some space", facts->disk.free_bytes / 1024, facts->path);
    else if (facts->disk.has_no_files)
        fz_found(findings, is_state ? FZ_FOUND_STATE_FULL : FZ_FOUND_RUN_FULL,
                 "no inode is free in %q, so no file can be created: remove files there", facts->path);
    if (facts->disk.open_to_others)
        fz_found(findings, is_state ? FZ_FOUND_STATE_OPEN : FZ_FOUND_RUN_OPEN,
                 "users other than its owner may write to %q, and can remove the files: chmod go-w", facts->path);
}

void fz_judge_dir(const struct fz_dir_facts *facts, bool is_state, const struct fz_findings *findings)
{
    if (facts->unusable.code != FRAZIL_OK) {
        fz_finding_show(findings, is_state ? FZ_FOUND_STATE_UNUSABLE : FZ_FOUND_RUN_UNUSABLE, facts->unusable.message);
        return;
    }
    if (facts->look_errno == 0) {
        (is_state ? judge_state_disk : judge_run_disk)(facts, findings);
        judge_room(facts, is_state, findings);
    }
    if (facts->look_errno != 0 || facts->flock_errno != 0)
        fz_found(findings, is_state ? FZ_FOUND_STATE_UNUSABLE : FZ_FOUND_RUN_UNUSABLE,
                 "%q cannot be tested (errno %d): check its permissions, or name another directory", facts->path,
                 (int64_t)(facts->look_errno != 0 ? facts->look_errno : facts->flock_errno));
    else if (!facts->flock_works)
        fz_found(findings, is_state ? FZ_FOUND_STATE_NO_LOCKS : FZ_FOUND_RUN_NO_LOCKS,
                 "locks (flock) do not work in %q: name a directory on another file system", facts->path);
}

void fz_judge_keeping(enum fz_keeps keeps, const struct fz_findings *findings)
{
    if (keeps == FZ_KEEPS_WORD)
        fz_finding_show(findings, FZ_FOUND_STATE_ELSEWHERE,
                        "kept by the coordinator: this host's processes need only the run directory, to share a lease");
    else if (keeps == FZ_KEEPS_ELSEWHERE)
        fz_finding_show(findings, FZ_FOUND_STATE_ELSEWHERE, "kept by the coordinator: nothing on this host is needed");
    else if (keeps == FZ_KEEPS_NOTHING)
        fz_finding_show(
            findings, FZ_FOUND_STATE_NONE,
            "no grant is recorded: ids can repeat after a boot with the clock set back, and with clock=frozen or "
            "worker=auto after any restart: leave out state=memory and clock=frozen, and name a partition");
}

/* A guard that another process holds for long delays starts, and damages nothing. */
static enum fz_finding damage_of(const frazil_error *wrong)
{
    return wrong->code == FRAZIL_EAGAIN ? FZ_FOUND_STATE_HELD_UP : FZ_FOUND_STATE_DAMAGED;
}

void fz_judge_damage(uint32_t worker, const frazil_error *wrong, const struct fz_findings *findings)
{
    fz_found(findings, damage_of(wrong), "worker %u cannot start: %s", (uint64_t)worker, wrong->message);
}

void fz_judge_ahead(uint32_t worker, int64_t from_unix_ms, int64_t now_unix_ms, const struct fz_findings *findings)
{
    fz_found(findings, FZ_FOUND_STATE_AHEAD,
             "worker %u can issue no id before %t, in %u s, because the clock was once ahead: take another worker id, "
             "or stop the processes that use it, and run `frazil state init --all` with their spec",
             (uint64_t)worker, from_unix_ms, (uint64_t)(from_unix_ms - now_unix_ms) / 1000);
}

void fz_judge_lease_damage(const frazil_error *wrong, const struct fz_findings *findings)
{
    fz_found(findings, damage_of(wrong), "the lease of this host's processes cannot be opened: %s", wrong->message);
}

/* ---- collecting -------------------------------------------------------------------- */

void fz_collect_dir(struct fz_dir_facts *ret, enum fz_dir which, const char *wanted)
{
    struct fz_dir_facts facts = {.unusable = {.code = FRAZIL_OK}};

    if (fz_dir_prepare(facts.path, which, wanted, &facts.unusable) == FRAZIL_OK) {
        facts.look_errno = fz_disk_look(facts.path, &facts.disk);
        facts.flock_errno = fz_disk_try_flock(facts.path, &facts.flock_works);
    }
    *ret = facts;
}
