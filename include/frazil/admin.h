/* SPDX-License-Identifier: MIT */
/*
 * Administration, for operators' tools, daemons and pages: the worker ids of a namespace, the state files of a host,
 * compatible generators, and diagnosis.  The commands `frazil lease`, `frazil state` and `frazil doctor` are built on
 * these functions.
 *
 *   frazil_admin_leases *leases;
 *   frazil_admin_lease row;
 *   frazil_error err;
 *   if (frazil_admin_leases_open(&leases, "redis://10.0.0.5/orders", NULL, &err) != FRAZIL_OK)
 *       errx(1, "%s", err.message);
 *   for (size_t i = 0; frazil_admin_leases_row(leases, i, &row, sizeof row) == FRAZIL_OK; i++)
 *       printf("%" PRIu32 " %s %s\n", row.worker, frazil_admin_holding_name(row.holding), row.text);
 *   frazil_admin_leases_close(leases);
 *
 * This is a separate library: link libfrazil-admin too (pkg-config frazil-admin).  It needs no generator, issues no id
 * and takes no worker id.
 *
 * A handle is a snapshot from when it was opened.  It exists in memory only: no connection, no descriptor, no lock.
 * Rows are read by index, from 0; FRAZIL_ERANGE means that there is no such row.
 *
 * Structs may grow: size is sizeof *ret.  The rest of a longer struct (newer header) becomes zero; a shorter one (older
 * header) gets the members that it has.  Texts in a struct belong to the handle and are valid until it is closed.
 *
 * Threads: functions without a handle may be called from any thread.  Those that take a const handle may run in several
 * threads at once with one handle; the others need exclusive use of it.  Calls that read files or query a coordinator
 * block meanwhile, at most the coordinator's timeout for each request.
 *
 * Fork: parent and child each have their own copy of a handle, and each closes it.
 *
 * Secrets: no text in a row, a struct or an error contains a password of the spec, even if the spec is invalid.
 *
 * Errors: those listed at a function, and FRAZIL_ENOMEM.  A function that takes a spec also returns the errors of
 * frazil_open for an invalid one: FRAZIL_ESPEC, ELAYOUT, ERANGE, ESYS.  reterr may be NULL.
 */
#ifndef FRAZIL_ADMIN_H
#define FRAZIL_ADMIN_H

#include "coordinator.h"
#include "error.h"

FRAZIL_BEGIN_DECLS

/* ---- the worker ids of a namespace ------------------------------------------------------ */

/* The worker ids of a namespace, as they were when the handle was opened. */
typedef struct frazil_admin_leases frazil_admin_leases;

/* A namespace. */
typedef struct frazil_admin_leases_info {
    const char *layout;         /* its layout, as a fingerprint */
    uint64_t horizon_ms;        /* how long the coordinator may be unreachable at most */
    int64_t max_skew_ms;        /* how far clocks may differ */
    uint64_t workers;           /* how many worker ids it has */
    uint64_t held;              /* how many of them are held */
    uint64_t rows;              /* how many of them were ever taken: the number of rows */
    int64_t created_unix_ms;    /* 0: unknown */
    int64_t quarantine_unix_ms; /* no grants until then, because records may have been lost; 0: none */
} frazil_admin_leases_info;

/* The states of a worker id that was ever taken. */
typedef enum frazil_admin_holding {
    FRAZIL_ADMIN_HELD = 0,       /* its owner has it until its grant ends */
    FRAZIL_ADMIN_ABANDONED = 1,  /* its grant has ended without a release: another process may take it */
    FRAZIL_ADMIN_RELEASED = 2,   /* its owner released it */
    FRAZIL_ADMIN_UNREADABLE = 3, /* its record is damaged or foreign: no process can take it */
    FRAZIL_ENUM_IS_INT(FRAZIL_ADMIN_HOLDING)
} frazil_admin_holding;

/* A worker id. */
typedef struct frazil_admin_lease {
    uint32_t worker;       /* the number */
    uint32_t holding;      /* a frazil_admin_holding; if UNREADABLE, all numbers below are 0 */
    const char *text;      /* its last owner, "host:pid"; if UNREADABLE, the reason */
    int64_t until_unix_ms; /* the last instant that its owner may have used */
    int64_t since_unix_ms; /* when its owner took it */
    uint64_t owners;       /* how many owners it has had */
    uint64_t extensions;   /* how often its owner extended it */
} frazil_admin_lease;

/* "held", "abandoned", "released" or "unreadable"; "?" for another number.  Never freed.  Any thread. */
FRAZIL_API const char *frazil_admin_holding_name(uint32_t holding);

/*
 * Reads the namespace that a spec (or a URL alone) names.  coordinators: a NULL-terminated list of linked parts from
 * frazil/coordinators.h, used during the call only; may be NULL.  FRAZIL_ENAMESPACE: there is no such namespace, or it
 * cannot be understood; FRAZIL_EREFUSED: the coordinator refuses; FRAZIL_EUNREACHABLE: it does not answer;
 * FRAZIL_ENOTBUILT: its part is not installed.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                                            const frazil_coordinator *const *coordinators,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* Fills ret with the facts about the namespace.  Cannot fail. */
FRAZIL_API void frazil_admin_leases_get_info(const frazil_admin_leases *leases, frazil_admin_leases_info *ret,
                                             size_t size) FRAZIL_NONNULL(1, 2);

/* Reads the row at index; rows are sorted by worker id.  FRAZIL_ERANGE: there is no such row. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_row(const frazil_admin_leases *leases, size_t index,
                                                           frazil_admin_lease *ret, size_t size) FRAZIL_NONNULL(1, 3);

/* Frees it; NULL is allowed. */
FRAZIL_API void frazil_admin_leases_close(frazil_admin_leases *leases);

/* For frazil_admin_leases_init: no id was ever issued from this namespace, so the first ones need not wait. */
#define FRAZIL_ADMIN_NEVER_USED UINT32_C(1)

/*
 * Creates the namespace that a spec (or a URL alone) names, with its layout, horizon and max_skew.  flags: 0 or
 * FRAZIL_ADMIN_NEVER_USED; without that flag the spec must give horizon and max_skew of a lost namespace of the same
 * name (else FRAZIL_ESPEC).  *ret_opens_unix_ms: when grants begin.  FRAZIL_EINVAL: it exists already, an unknown flag,
 * or keys that need no namespace; FRAZIL_EEXHAUSTED: the layout has no tick left; other errors as
 * frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_init(const char *spec,
                                                            const frazil_coordinator *const *coordinators,
                                                            uint32_t flags, int64_t *ret_opens_unix_ms,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1, 4);

/*
 * Releases a worker id by hand.  The time granted so far stays used, so no id is repeated.  A process that holds the
 * worker id loses it.  FRAZIL_EINVAL: it was never taken, it is free already, or its kind of keys allows no safe
 * release; FRAZIL_ENAMESPACE: its record cannot be read; other errors as frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_release(const char *spec,
                                                               const frazil_coordinator *const *coordinators,
                                                               uint32_t worker, frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Measures how long a connected coordinator takes to answer a read, in microseconds.  FRAZIL_ESPEC: the coordinator is
 * a folder, which has no round trip; FRAZIL_EUNREACHABLE: it did not answer; other errors as frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_round_trip(const char *spec,
                                                                  const frazil_coordinator *const *coordinators,
                                                                  uint64_t *ret_us, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3);

/* ---- the state files of a host ---------------------------------------------------------- */

/* The state files of this host's workers (the word in the run directory, the grant in the state directory). */
typedef struct frazil_admin_state frazil_admin_state;

/* Where the state is kept. */
typedef struct frazil_admin_state_info {
    const char *layout;       /* as a fingerprint */
    const char *run_folder;   /* of the words */
    const char *state_folder; /* of the grants */
    uint64_t rows;            /* how many pairs of a worker and its sequence bounds have state, or may have it */
} frazil_admin_state_info;

/* A file of a worker.  This struct is part of another one, so it grows only into its reserved members. */
typedef struct frazil_admin_file {
    const char *path;     /* where it is, or would be */
    uint32_t exists;      /* 1: it exists; else 0 */
    uint32_t in_use;      /* 1: a process has it open */
    uint32_t stale;       /* 1: a word from before the boot, or a copy of one: the next start recreates it */
    int32_t wrong_code;   /* why no generator can use it, a frazil_err; FRAZIL_OK: nothing is wrong */
    const char *wrong;    /* the same as a sentence; "" if nothing is wrong */
    uint64_t reserved[2]; /* 0 */
} frazil_admin_file;

/* A worker, with one pair of sequence bounds; or with share=host the lease of this host's processes. */
typedef struct frazil_admin_kept {
    uint32_t worker;         /* the number */
    uint32_t is_wrong;       /* 1: a start with it fails because of its files */
    uint32_t is_part;        /* 1: the bounds exclude some sequence numbers of the layout */
    uint32_t has_grant;      /* 1: the grant is readable, and the members below the files come from it */
    uint64_t seq_min;        /* the lowest sequence number */
    uint64_t seq_max;        /* the highest one */
    frazil_admin_file word;  /* in the run directory */
    frazil_admin_file grant; /* in the state directory */
    uint64_t pid;            /* the process that wrote the grant; 0: it was released */
    int64_t from_unix_ms;    /* the first instant granted */
    int64_t until_unix_ms;   /* the last one that may have been used: the next start begins above it */
    int64_t highest_unix_ms; /* the last one ever used: far above, if the clock once was ahead */
    uint32_t is_lease;       /* 1: a lease: its coordinator stores its worker id and grants */
    uint32_t reserved;       /* 0 */
} frazil_admin_kept;

/*
 * Reads the state files of generators with this spec.  These are its worker's; with worker=file-lock or no worker,
 * those of all workers; with share=host, those of the lease of this host's processes.  Creates no directory.
 * FRAZIL_ESPEC also if generators with this spec keep no files on this host.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_open(frazil_admin_state **ret, const char *spec,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Checks whether this process could write the state files of generators with this spec.  The folders must exist or be
 * creatable, and allow new files.  This includes the folder of a URL and the host directory (host_dir=).  The folder of
 * worker=file:// must exist (FRAZIL_ENAMESPACE), because only frazil lease init creates it.  The call creates nothing,
 * and ignores existing files.  The spec must be complete, as frazil_options_text writes it: the environment is ignored.
 * Errors and messages as from opening, such as FRAZIL_ESYS.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_check(const char *spec, frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * Checks the URL of generators with this spec, of worker= or state=, and that the files that it names can be read.
 * FRAZIL_OK also if there is no URL.  It queries no coordinator, and creates nothing.  coordinators: as for
 * frazil_admin_leases_open.  The spec must be complete, as for frazil_admin_state_check.  Errors and messages as from
 * opening, such as FRAZIL_ESPEC, FRAZIL_EREFUSED, FRAZIL_ENOTBUILT, and FRAZIL_ESYS for a file.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_url_check(const char *spec,
                                                          const frazil_coordinator *const *coordinators,
                                                          frazil_error *reterr) FRAZIL_NONNULL(1);

/* Fills ret with where the state is kept.  Cannot fail. */
FRAZIL_API void frazil_admin_state_get_info(const frazil_admin_state *state, frazil_admin_state_info *ret, size_t size)
    FRAZIL_NONNULL(1, 2);

/* Reads the row at index; rows are sorted by worker and sequence bounds.  FRAZIL_ERANGE: there is no such row. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_row(const frazil_admin_state *state, size_t index,
                                                          frazil_admin_kept *ret, size_t size) FRAZIL_NONNULL(1, 3);

/* For frazil_admin_state_renew: includes files that look valid, such as one restored from an old backup. */
#define FRAZIL_ADMIN_ALL UINT32_C(1)

/*
 * Recreates the invalid files of a row, or all of them with FRAZIL_ADMIN_ALL in flags, and reads them again.  It skips
 * all time that may have been granted until now, so the next ids come some seconds later.  Processes that share a lease
 * take another worker id instead.  FRAZIL_ERANGE: no such row, or the clock is outside the layout's life;
 * FRAZIL_EINVAL: an unknown flag; FRAZIL_EWORKER: a process uses the worker with these or overlapping sequence bounds;
 * FRAZIL_ESYS.  On failure the files are unchanged, or the word is gone and a start fails as before.  On success the
 * texts of this row change in place, even those that the caller got before.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_renew(frazil_admin_state *state, size_t index, uint32_t flags,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1);

/* Frees it; NULL is allowed. */
FRAZIL_API void frazil_admin_state_close(frazil_admin_state *state);

/* ---- compatible generators --------------------------------------------------------------- */

/* Generators that one program intends to have open at the same time. */
typedef struct frazil_admin_group frazil_admin_group;

/* Creates an empty group.  The caller closes it.  FRAZIL_ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_group_open(frazil_admin_group **ret, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/*
 * Adds the generators of a spec, opened worker_ids times (>= 1) side by side, if they are compatible with the group.
 * name, copied, is what messages about later generators call them.  spec: complete, as frazil_options_text writes it:
 * the environment is ignored.  Specs are compared alone: no file is read, and no part is needed, which is what
 * frazil_admin_url_check and frazil_admin_state_check are for.  FRAZIL_EWORKER: they can issue the same ids as others
 * in the group: they share a layout, a worker id and a sequence number, but neither a word, nor slots, nor a source of
 * worker ids; FRAZIL_EPOOL: the source has fewer worker ids than the group needs; FRAZIL_ENAMESPACE: it has the
 * namespace of another one, but not its layout or terms; FRAZIL_EINVAL: worker_ids is 0; otherwise the errors of
 * frazil_open that can be found this way.  On failure the group is unchanged.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec,
                                                          uint32_t worker_ids, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 3);

/* Frees it, and wipes its copies of the specs; NULL is allowed. */
FRAZIL_API void frazil_admin_group_close(frazil_admin_group *group);

/* ---- diagnosis -------------------------------------------------------------------------- */

/* The findings about generators with a spec. */
typedef struct frazil_admin_doctor frazil_admin_doctor;

/* The severity of a finding; larger is worse. */
typedef enum frazil_admin_severity {
    FRAZIL_ADMIN_OK = 0,
    FRAZIL_ADMIN_WARN = 1, /* works, but may not be what you want */
    FRAZIL_ADMIN_FAIL = 2, /* unsafe, or does not work */
    FRAZIL_ENUM_IS_INT(FRAZIL_ADMIN_SEVERITY)
} frazil_admin_severity;

/* A summary of the findings. */
typedef struct frazil_admin_doctor_info {
    uint64_t rows;     /* how many findings there are */
    uint32_t worst;    /* the largest frazil_admin_severity among them */
    uint32_t reserved; /* 0 */
} frazil_admin_doctor_info;

/* A finding: something that an operator should know. */
typedef struct frazil_admin_finding {
    uint32_t severity;    /* a frazil_admin_severity */
    uint32_t subject_len; /* bytes of the subject at the start of id: "clock" */
    const char *id;       /* "clock.unsynchronised"; never changes; docs/doctor.md has its cause and cure */
    const char *text;     /* a sentence; for a warning or a failure, what is wrong and how to correct it */
} frazil_admin_finding;

/*
 * Examines what generators with this spec would use: the clock, the directories, the worker id, the coordinator, the
 * layout, forks and copies.  A URL alone stands for worker=URL, and an empty spec for what `frazil next` would do.
 * Creates the directories as opening would, and keeps two small files in them to compare with next time.  hosts: how
 * many hosts will use such specs; 0: unknown.  A reason why no generator could be opened is a finding, not an error.
 * coordinators: as for frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_doctor_open(frazil_admin_doctor **ret, const char *spec,
                                                            const frazil_coordinator *const *coordinators,
                                                            uint32_t hosts, frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Examines only the settings of the coordinator that a spec (or a URL alone) names, and writes nothing.  Errors as
 * frazil_admin_leases_open; a coordinator that does not answer is a finding.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_doctor_open_coordinator(frazil_admin_doctor **ret, const char *spec,
                                                                        const frazil_coordinator *const *coordinators,
                                                                        frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* Fills ret with the summary.  Cannot fail. */
FRAZIL_API void frazil_admin_doctor_get_info(const frazil_admin_doctor *doctor, frazil_admin_doctor_info *ret,
                                             size_t size) FRAZIL_NONNULL(1, 2);

/* Reads the finding at index; findings are grouped by subject.  FRAZIL_ERANGE: there is no such finding. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_doctor_row(const frazil_admin_doctor *doctor, size_t index,
                                                           frazil_admin_finding *ret, size_t size) FRAZIL_NONNULL(1, 3);

/* Frees it; NULL is allowed. */
FRAZIL_API void frazil_admin_doctor_close(frazil_admin_doctor *doctor);

/* "OK", "WARN" or "FAIL"; "?" for another number.  Never freed.  Any thread. */
FRAZIL_API const char *frazil_admin_severity_name(uint32_t severity);

/* ---- which coordinators can be used here ------------------------------------------------ */

/* A part: the driver for one kind of coordinator.  Its texts are never freed. */
typedef struct frazil_admin_part {
    const char *name;   /* "file", "redis" and so on */
    const char *client; /* its client library with the version, "hiredis 1.1.0"; NULL: the part cannot be used here */
} frazil_admin_part;

/*
 * Reads the part at index; the order is fixed, and new parts come last.  The call loads the part.  If that fails,
 * client is NULL, and frazil_coordinator_load says why.  FRAZIL_ERANGE: there is no such part.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_part_row(size_t index, frazil_admin_part *ret, size_t size)
    FRAZIL_NONNULL(2);

FRAZIL_END_DECLS

#endif
