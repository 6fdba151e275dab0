/* SPDX-License-Identifier: MIT */
/*
 * The work of operators, for their tools, daemons and pages: the worker ids of a namespace, what a host keeps of its
 * workers, whether generators go together, and what may go wrong.  The command's `lease`, `state` and `doctor` are made
 * of these functions.
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
 * A library of its own: link libfrazil-admin as well (pkg-config frazil-admin).  It needs no generator, issues no id
 * and takes no worker id.
 *
 * A handle holds what there was when it was opened, and is in memory alone: no connection, no descriptor, no lock.
 * Rows are asked for by their index, from 0 on; FRAZIL_ERANGE says that there are not so many.
 *
 * Structs grow: size is sizeof *ret.  A longer struct of a newer header is filled up with zeros, a shorter one of an
 * older header is filled as far as it goes.  Texts in a struct are the handle's and last until it is closed.
 *
 * Threads: functions without a handle may be called from any thread.  Those that take a const handle may be called for
 * one handle by several threads at once; the others need it for themselves.  Calls that ask a coordinator or read files
 * block for as long as these take, at most a coordinator's timeout for each of their questions.
 *
 * Fork: parent and child have each a handle of their own, and both close it.
 *
 * Secrets: no text in a row, a struct or an error holds a password of the spec, whatever is wrong with it.
 *
 * Errors: what a function says it returns, FRAZIL_ENOMEM, and, where it takes a spec, those of frazil_open for a spec
 * that cannot be understood: FRAZIL_ESPEC, ELAYOUT, ERANGE, ESYS.  reterr may be NULL.
 */
#ifndef FRAZIL_ADMIN_H
#define FRAZIL_ADMIN_H

#include "coordinator.h"
#include "error.h"

FRAZIL_BEGIN_DECLS

/* ---- the worker ids of a namespace ------------------------------------------------------ */

/* The worker ids of a namespace, as they were when it was looked at. */
typedef struct frazil_admin_leases frazil_admin_leases;

/* A namespace. */
typedef struct frazil_admin_leases_info {
    const char *layout;         /* its layout, as a fingerprint */
    uint64_t horizon_ms;        /* for how long the coordinator may be away at most */
    int64_t max_skew_ms;        /* how far clocks may differ */
    uint64_t workers;           /* how many worker ids it has */
    uint64_t held;              /* how many of them are held */
    uint64_t rows;              /* how many of them were ever taken, each a row */
    int64_t created_unix_ms;    /* 0: nobody noted it */
    int64_t quarantine_unix_ms; /* nothing is granted up to here, as records may have been lost; 0: there is none */
} frazil_admin_leases_info;

/* The states of a worker id that was once taken. */
typedef enum frazil_admin_holding {
    FRAZIL_ADMIN_HELD = 0,       /* until its end it is one owner's */
    FRAZIL_ADMIN_ABANDONED = 1,  /* its grant has ended, and nobody gave it back: the next one takes it */
    FRAZIL_ADMIN_RELEASED = 2,   /* given back */
    FRAZIL_ADMIN_UNREADABLE = 3, /* its record is damaged, or somebody else's: nobody takes it */
    FRAZIL_ENUM_IS_INT(FRAZIL_ADMIN_HOLDING)
} frazil_admin_holding;

/* A worker id. */
typedef struct frazil_admin_lease {
    uint32_t worker;       /* the number */
    uint32_t holding;      /* a frazil_admin_holding; for one that is UNREADABLE the rest is 0 */
    const char *text;      /* its last owner, "host:pid"; of one that is UNREADABLE, why it is */
    int64_t until_unix_ms; /* the last instant that its owner may have used */
    int64_t since_unix_ms; /* when its owner took it */
    uint64_t owners;       /* how many have had it */
    uint64_t extensions;   /* how often its owner extended it */
} frazil_admin_lease;

/* "held", "abandoned", "released" or "unreadable"; "?" for another number.  Never freed.  Any thread. */
FRAZIL_API const char *frazil_admin_holding_name(uint32_t holding);

/*
 * Looks at the namespace that a spec (or a URL alone) names.  coordinators: parts that are not to be loaded, from
 * frazil/coordinators.h, NULL at the end; may be NULL, and need be there during the call only.  FRAZIL_ENAMESPACE:
 * there is no such namespace, or it cannot be understood; FRAZIL_EREFUSED: the coordinator refuses;
 * FRAZIL_EUNREACHABLE: it does not answer;
 * FRAZIL_ENOTBUILT: its part is not installed.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_open(frazil_admin_leases **ret, const char *spec,
                                                            const frazil_coordinator *const *coordinators,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* The namespace.  Cannot fail. */
FRAZIL_API void frazil_admin_leases_get_info(const frazil_admin_leases *leases, frazil_admin_leases_info *ret,
                                             size_t size) FRAZIL_NONNULL(1, 2);

/* The row of this index, in the order of the worker ids.  FRAZIL_ERANGE: there are not so many. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_row(const frazil_admin_leases *leases, size_t index,
                                                           frazil_admin_lease *ret, size_t size) FRAZIL_NONNULL(1, 3);

/* Frees it; NULL is allowed. */
FRAZIL_API void frazil_admin_leases_close(frazil_admin_leases *leases);

/* frazil_admin_leases_init: nobody ever had ids from this namespace, so that the first ones need not wait. */
#define FRAZIL_ADMIN_NEVER_USED UINT32_C(1)

/*
 * Creates the namespace that a spec (or a URL alone) names, with its layout, horizon and max_skew.  flags: 0 or
 * FRAZIL_ADMIN_NEVER_USED; without that the spec says horizon and max_skew as a lost namespace of the same name had
 * them, or it is FRAZIL_ESPEC.  *ret_opens_unix_ms: from when on ids are granted.  FRAZIL_EINVAL: it is there already,
 * another flag, or keys that need no namespace; FRAZIL_EEXHAUSTED: the layout has no tick left; other errors as
 * frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_init(const char *spec,
                                                            const frazil_coordinator *const *coordinators,
                                                            uint32_t flags, int64_t *ret_opens_unix_ms,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1, 4);

/*
 * Frees a worker id by hand; what was granted of it stays taken, so that no id is repeated.  A process that holds it
 * loses it.  FRAZIL_EINVAL: nobody ever took it, it is free already, or it is in keys of which none can be freed
 * safely; FRAZIL_ENAMESPACE: its record cannot be read; other errors as frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_release(const char *spec,
                                                               const frazil_coordinator *const *coordinators,
                                                               uint32_t worker, frazil_error *reterr) FRAZIL_NONNULL(1);

/*
 * How long the coordinator takes to answer a read once it is connected to, in microseconds.  FRAZIL_ESPEC: a folder,
 * which is no way off; FRAZIL_EUNREACHABLE: it did not say; other errors as frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_leases_round_trip(const char *spec,
                                                                  const frazil_coordinator *const *coordinators,
                                                                  uint64_t *ret_us, frazil_error *reterr)
    FRAZIL_NONNULL(1, 3);

/* ---- what a host keeps of its workers --------------------------------------------------- */

/* The files that this host keeps of its workers (the word in the run directory, the grant in the state directory). */
typedef struct frazil_admin_state frazil_admin_state;

/* Where it is kept. */
typedef struct frazil_admin_state_info {
    const char *layout;       /* as a fingerprint */
    const char *run_folder;   /* of the words */
    const char *state_folder; /* of the grants */
    uint64_t rows;            /* of how many workers, and sequence bounds, something is kept, or looked for */
} frazil_admin_state_info;

/* A file of a worker.  It lies inside another struct, so it grows into its reserved members alone. */
typedef struct frazil_admin_file {
    const char *path;     /* where it is, or would be */
    uint32_t exists;      /* 1: it is there; else 0 */
    uint32_t in_use;      /* 1: a process has it open */
    uint32_t stale;       /* 1: a word from before the boot, or a copy of one: the next start makes it anew */
    int32_t wrong_code;   /* why no start can use it, as a frazil_err; FRAZIL_OK: nothing is wrong */
    const char *wrong;    /* the same as a sentence; "" if nothing is wrong */
    uint64_t reserved[2]; /* 0 */
} frazil_admin_file;

/* A worker, with one pair of sequence bounds; or with share=host the lease of this host's processes. */
typedef struct frazil_admin_kept {
    uint32_t worker;         /* the number */
    uint32_t is_wrong;       /* 1: a start with it fails for what is kept of it */
    uint32_t is_part;        /* 1: the bounds are not all sequence numbers of the layout */
    uint32_t has_grant;      /* 1: the grant can be read, and what follows the files is in it */
    uint64_t seq_min;        /* the lowest sequence number */
    uint64_t seq_max;        /* the highest one */
    frazil_admin_file word;  /* in the run directory */
    frazil_admin_file grant; /* in the state directory */
    uint64_t pid;            /* the process that wrote the grant; 0: it was given back */
    int64_t from_unix_ms;    /* the first instant granted */
    int64_t until_unix_ms;   /* the last one that may have been used: the next start begins above it */
    int64_t highest_unix_ms; /* the last one that ever was: far above, if the clock once was ahead */
    uint32_t is_lease;       /* 1: of a lease, whose coordinator knows its number and keeps its grants */
    uint32_t reserved;       /* 0 */
} frazil_admin_kept;

/*
 * Looks at what generators with this spec keep: of its worker, or, with worker=file-lock or none, of all workers that
 * anything is kept of; with share=host, of the lease of this host's processes.  Makes no directory.  FRAZIL_ESPEC also
 * if the spec keeps nothing on this host.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_open(frazil_admin_state **ret, const char *spec,
                                                           frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Whether this process could keep what generators with this spec keep on this host: the folders are there or can be
 * made, and files can be made in them.  It looks at the folder of a URL and at the host directory (host_dir=), too.  It
 * makes nothing, and does not look at files that are there.  The spec is all that they are opened with, as
 * frazil_options_text tells it: the environment does not count here.  Errors and sentences as opening would have them,
 * such as FRAZIL_ESYS.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_check(const char *spec, frazil_error *reterr) FRAZIL_NONNULL(1);

/* Where it is kept.  Cannot fail. */
FRAZIL_API void frazil_admin_state_get_info(const frazil_admin_state *state, frazil_admin_state_info *ret, size_t size)
    FRAZIL_NONNULL(1, 2);

/* The row of this index, in the order of workers and sequence bounds.  FRAZIL_ERANGE: there are not so many. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_row(const frazil_admin_state *state, size_t index,
                                                          frazil_admin_kept *ret, size_t size) FRAZIL_NONNULL(1, 3);

/* frazil_admin_state_renew: includes files that look right, such as one restored from an old copy. */
#define FRAZIL_ADMIN_ALL UINT32_C(1)

/*
 * Makes the wrong files of a row anew, or all of them with FRAZIL_ADMIN_ALL in flags, and looks at them again.  All
 * that may have been granted until now is given up, so the next ids come some seconds later.  Processes that share a
 * lease take another worker id instead.  FRAZIL_ERANGE: no such row, or the clock shows no tick of the layout;
 * FRAZIL_EINVAL: another flag; FRAZIL_EWORKER: a process uses the worker, or another one with overlapping sequence
 * bounds; FRAZIL_ESYS.  On failure the files are as they were, or the word is gone and a start fails as before.  On
 * success the texts of this row change to the new ones, also those that the caller got before.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_state_renew(frazil_admin_state *state, size_t index, uint32_t flags,
                                                            frazil_error *reterr) FRAZIL_NONNULL(1);

/* Frees it; NULL is allowed. */
FRAZIL_API void frazil_admin_state_close(frazil_admin_state *state);

/* ---- generators that go together --------------------------------------------------------- */

/* Generators that one program is to have open at the same time. */
typedef struct frazil_admin_group frazil_admin_group;

/* A group without a generator.  The caller closes it.  FRAZIL_ENOMEM. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_group_open(frazil_admin_group **ret, frazil_error *reterr)
    FRAZIL_NONNULL(1);

/*
 * Adds the generators of a spec, opened worker_ids times (>= 1) one beside the other, if they go with those of the
 * group: what opening them would refuse is found without opening one, and no coordinator is asked.  name, copied, is
 * what sentences about later ones call them.
 * spec: all that they are opened with, as frazil_options_text tells it: the environment does not count here.
 * coordinators: as for frazil_admin_leases_open.  FRAZIL_EWORKER: they can make the same ids as others of the group, as
 * they have one layout, a worker id and a sequence number in common, and neither one word, one line of slots, nor one
 * source of worker ids; FRAZIL_EPOOL: the source has fewer worker ids than the group takes; FRAZIL_EINVAL: worker_ids
 * is 0; otherwise the errors of frazil_open that can be found this way.  On failure the group is as before.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec,
                                                          const frazil_coordinator *const *coordinators,
                                                          uint32_t worker_ids, frazil_error *reterr)
    FRAZIL_NONNULL(1, 2, 3);

/* Frees it, and wipes what it holds of the specs; NULL is allowed. */
FRAZIL_API void frazil_admin_group_close(frazil_admin_group *group);

/* ---- what may go wrong ------------------------------------------------------------------ */

/* The findings of a look at generators of a spec. */
typedef struct frazil_admin_doctor frazil_admin_doctor;

/* How good a finding is; the larger the worse. */
typedef enum frazil_admin_severity {
    FRAZIL_ADMIN_OK = 0,
    FRAZIL_ADMIN_WARN = 1, /* works, and may not be what is wanted */
    FRAZIL_ADMIN_FAIL = 2, /* unsafe, or does not work */
    FRAZIL_ENUM_IS_INT(FRAZIL_ADMIN_SEVERITY)
} frazil_admin_severity;

/* All of it. */
typedef struct frazil_admin_doctor_info {
    uint64_t rows;     /* how many findings there are */
    uint32_t worst;    /* the largest frazil_admin_severity among them */
    uint32_t reserved; /* 0 */
} frazil_admin_doctor_info;

/* One thing that an operator should know. */
typedef struct frazil_admin_finding {
    uint32_t severity;    /* a frazil_admin_severity */
    uint32_t subject_len; /* bytes of the subject, with which the id begins: "clock" */
    const char *id;       /* "clock.unsynchronised": for ever; docs/doctor.md has the cause and the cure of each */
    const char *text;     /* a sentence; of a warning or a failure, what is wrong and what would be right */
} frazil_admin_finding;

/*
 * Examines what generators with this spec would use: the clock, the directories, the worker id, the coordinator, the
 * layout, forks and copies.  A URL alone stands for worker=URL, and an empty spec for what `frazil next` would do.
 * Makes the directories as opening would, and keeps two small files in them, to compare with next time.  hosts:
 * how many hosts will use such specs; 0: unknown.  A reason why no generator could be opened is a finding and no
 * error.  coordinators: as for frazil_admin_leases_open.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_doctor_open(frazil_admin_doctor **ret, const char *spec,
                                                            const frazil_coordinator *const *coordinators,
                                                            uint32_t hosts, frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/*
 * Examines the settings of the coordinator alone that a spec (or a URL alone) names, and writes nothing.  Errors as
 * frazil_admin_leases_open; a coordinator that does not answer is a finding.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_doctor_open_coordinator(frazil_admin_doctor **ret, const char *spec,
                                                                        const frazil_coordinator *const *coordinators,
                                                                        frazil_error *reterr) FRAZIL_NONNULL(1, 2);

/* All of it.  Cannot fail. */
FRAZIL_API void frazil_admin_doctor_get_info(const frazil_admin_doctor *doctor, frazil_admin_doctor_info *ret,
                                             size_t size) FRAZIL_NONNULL(1, 2);

/* The finding of this index; they stand subject by subject.  FRAZIL_ERANGE: there are not so many. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_doctor_row(const frazil_admin_doctor *doctor, size_t index,
                                                           frazil_admin_finding *ret, size_t size) FRAZIL_NONNULL(1, 3);

/* Frees it; NULL is allowed. */
FRAZIL_API void frazil_admin_doctor_close(frazil_admin_doctor *doctor);

/* "OK", "WARN" or "FAIL"; "?" for another number.  Never freed.  Any thread. */
FRAZIL_API const char *frazil_admin_severity_name(uint32_t severity);

/* ---- which coordinators can be used here ------------------------------------------------ */

/* A part that knows a kind of coordinator.  Its texts are never freed. */
typedef struct frazil_admin_part {
    const char *name;   /* "file", "redis" and so on */
    const char *client; /* its client library with the version, "hiredis 1.1.0"; NULL: the part cannot be used here */
} frazil_admin_part;

/*
 * The part of this index, in a fixed order to which new ones are added at the end.  The call loads the part.  If that
 * fails, client is NULL, and frazil_coordinator_load says why.  FRAZIL_ERANGE: there are not so many.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_admin_part_row(size_t index, frazil_admin_part *ret, size_t size)
    FRAZIL_NONNULL(2);

FRAZIL_END_DECLS

#endif
