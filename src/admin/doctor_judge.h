/* SPDX-License-Identifier: MIT */
/*
 * Judges facts: pure functions from facts to findings, one for each subject.
 * Each is in a file of its own, beside the function that collects its facts.
 */
#ifndef FZ_ADMIN_DOCTOR_JUDGE_H
#define FZ_ADMIN_DOCTOR_JUDGE_H

#include "config/decision.h"
#include "doctor_findings.h"
#include "lease/register.h"
#include "leases.h"
#include "os/claim.h"
#include "os/clock.h"
#include "os/dirs.h"
#include "os/file.h"
#include "os/host.h"

/* ---- doctor_clock.c ------------------------------------------------------------- */

struct fz_clock_facts {
    bool frozen; /* clock=frozen: nothing else matters */
    int64_t now_unix_ms;
    int64_t epoch_unix_ms;
    int kernel_errno; /* 0: kernel is known */
    struct fz_kernel_clock kernel;
    int64_t max_skew_ms;  /* how far clocks may differ */
    bool has_coordinator; /* whose clock max_skew= is about */
    bool counter_constant;
    bool counter_usable;
    char source[FZ_CLOCK_SOURCE_SIZE]; /* empty: not known */
    bool compared;                     /* there was a run before, in this boot */
    int64_t step_us;                   /* by how much the clock was stepped since then */
};

/* A step that is smaller may be the measurement's. */
#define FZ_CLOCK_STEP_MIN_US 20000

/* Judges the clock. */
void fz_judge_clock(const struct fz_clock_facts *facts, const struct fz_findings *findings);

/* Collects the facts, and keeps the clock's offset in the run directory (NULL: there is none) for the next run. */
void fz_collect_clock(struct fz_clock_facts *ret, const struct fz_decision *decision, const char *run_dir);

/* ---- doctor_dirs.c ---------------------------------------------------------------- */

struct fz_dir_facts {
    char path[FZ_PATH_SIZE];
    frazil_error unusable; /* code FRAZIL_OK: it is usable, and what follows is known */
    int look_errno;        /* 0: disk is known */
    struct fz_disk disk;
    int flock_errno; /* 0: it is known whether locks work */
    bool flock_works;
};

/* Where a generator keeps what must outlive it.  FZ_KEEPS_WORD: by the coordinator, and a word is in the run directory.
 */
enum fz_keeps { FZ_KEEPS_FILES, FZ_KEEPS_WORD, FZ_KEEPS_ELSEWHERE, FZ_KEEPS_NOTHING };

/* Less room than this is none: files have a few KiB, and others write, too. */
#define FZ_DISK_FREE_MIN (1024 * 1024)

/* Judges one directory; is_state: the state directory, else the run directory. */
void fz_judge_dir(const struct fz_dir_facts *facts, bool is_state, const struct fz_findings *findings);

/* Says where nothing is kept here. */
void fz_judge_keeping(enum fz_keeps keeps, const struct fz_findings *findings);

/* A worker whose files no start can use, with the reason. */
void fz_judge_damage(uint32_t worker, const frazil_error *wrong, const struct fz_findings *findings);

/* A worker that has ids from this time on, later than a call waits. */
void fz_judge_ahead(uint32_t worker, int64_t from_unix_ms, int64_t now_unix_ms, const struct fz_findings *findings);

/* The same as fz_judge_damage for the word of a lease that the processes of this host share. */
void fz_judge_lease_damage(const frazil_error *wrong, const struct fz_findings *findings);

/* Makes the directory as opening would (wanted: as for fz_dir_prepare), and tries it out. */
void fz_collect_dir(struct fz_dir_facts *ret, enum fz_dir which, const char *wanted);

/* ---- doctor_worker.c -------------------------------------------------------------- */

/* Which generators share the sequence of a worker id that is given: those of one user's processes, and so on. */
enum fz_sharers { FZ_SHARED_BY_USER, FZ_SHARED_BY_NOBODY, FZ_SHARED_BY_FOLDER, FZ_SHARED_BY_HOSTS };

struct fz_worker_facts {
    frazil_error unusable; /* code FRAZIL_OK: choice is known */
    struct fz_worker_choice choice;
    bool is_shared; /* by the processes of this host: share=host */
    enum fz_sharers sharers;
    uint64_t workers;                  /* how many numbers there are for all */
    uint32_t hosts;                    /* 0: not said */
    char host_name[FZ_HOST_NAME_SIZE]; /* the input of hostname-hash; empty: it is not used */
};

/* Judges the source of worker ids. */
void fz_judge_worker(const struct fz_worker_facts *facts, const struct fz_findings *findings);

/* The other processes on this host, which could have the worker id. */
struct fz_users_facts {
    bool keeps_files;      /* otherwise the state is in memory */
    frazil_error unusable; /* why claims cannot be made; code FRAZIL_OK: they can */
    frazil_error taken;    /* the other process that has the worker id; code FRAZIL_OK: none */
    bool knows_disk;       /* the next two are known */
    struct fz_disk disk;   /* that claims are made on */
    char folder[FZ_PATH_SIZE];
};

/* Judges whether others on this host have the worker id, or could. */
void fz_judge_users(const struct fz_users_facts *facts, const struct fz_findings *findings);

/* Looks for other processes that have the worker id of a decision that claims one, unless any free one will do. */
void fz_collect_users(struct fz_users_facts *ret, const struct fz_decision *decision);

/* Programs of this host that have numbers by themselves, of those that a coordinator grants or counts for. */
struct fz_rivals_facts {
    bool counts; /* slots of one number (state=URL); otherwise it grants numbers */
    uint64_t count;
    uint32_t first;                /* the lowest of the numbers, */
    uint32_t last;                 /* the highest, */
    char who[FZ_CLAIM_OTHER_SIZE]; /* and who has the lowest */
};

/* Judges whether there are such programs. */
void fz_judge_rivals(const struct fz_rivals_facts *facts, const struct fz_findings *findings);

/* Looks for those that have numbers from first to last in the host directory. */
void fz_collect_rivals(struct fz_rivals_facts *ret, const struct fz_decision *decision, uint32_t first, uint32_t last);

/* Judges a key of the environment or the config file that has no effect here: fz_idle_visitor of struct fz_findings. */
void fz_judge_idle_key(void *findings, const char *key, const char *where);

/* A variable of the environment that is no setting: fz_key_slip of struct fz_findings. */
void fz_judge_slip(void *findings, const char *name, const char *advice);

/* Finds the right source for this number of hosts (0: a line for each size of fleet) and of worker ids. */
void fz_advise(uint32_t hosts, uint64_t workers, const struct fz_findings *findings);

/* ---- doctor_coordinator.c --------------------------------------------------------- */

struct fz_namespace_facts {
    frazil_error unreadable; /* code FRAZIL_OK: leases is known */
    struct fz_leases leases;
    const char *layout;  /* the spec's fingerprint */
    uint64_t horizon_ms; /* the spec's; 0: not said */
    uint32_t hosts;      /* 0: not said */
};

/* Judges what a coordinator says of itself: a sentence of fz_finding_visitor. */
void fz_judge_coordinator(enum fz_finding_level level, const char *sentence, int64_t max_skew_ms,
                          const struct fz_findings *findings);

/* Judges a namespace. */
void fz_judge_namespace(const struct fz_namespace_facts *facts, const struct fz_findings *findings);

/* Says why no coordinator can be asked. */
void fz_judge_absence(const frazil_error *why, const struct fz_findings *findings);

/* Asks the coordinator that gives the worker id, and judges what it says. */
void fz_diagnose_coordinator(const struct fz_decision *decision, const frazil_coordinator *const *given, uint32_t hosts,
                             const struct fz_findings *findings);

/* The same of the one whose slots a decision with state=URL takes.  It is asked for nothing that changes it. */
void fz_diagnose_slots(const struct fz_decision *decision, const frazil_coordinator *const *given,
                       const struct fz_findings *findings);

/* ---- doctor_layout.c -------------------------------------------------------------- */

/* Judges a layout at an instant. */
void fz_judge_layout(const frazil_layout *layout, int64_t now_unix_ms, const struct fz_findings *findings);

/* Judges how many bits it has, where that is the user's choice; as_konayuki: the spec says behaviour=konayuki. */
void fz_judge_layout_bits(const frazil_layout *layout, bool as_konayuki, const struct fz_findings *findings);

/* ---- doctor_fork.c ---------------------------------------------------------------- */

struct fz_fork_facts {
    bool wiped; /* the kernel wipes pages in a child */
    bool has_generation;
    bool compared; /* the machine of the run before is known, and so is this one */
    bool same_machine;
};

/* Judges what is known of children and copies. */
void fz_judge_fork(const struct fz_fork_facts *facts, const struct fz_findings *findings);

/* Collects the facts, and keeps the machine's id in the state directory (NULL: there is none) for the next run. */
void fz_collect_fork(struct fz_fork_facts *ret, const char *state_dir);

/* ---- doctor_memory.c -------------------------------------------------------------- */

/* Bytes of what is remembered, terminator included. */
#define FZ_MEMORY_SIZE 128

/*
 * Reads what the last run left in a directory under a name and leaves this run's
 * text, a line, there.  Returns whether there was a whole line; a file that cannot
 * be read or written is as none.
 */
bool fz_doctor_remember(const char *directory, const char *name, const char *text, char ret_last[FZ_MEMORY_SIZE]);

#endif
