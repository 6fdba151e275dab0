/* SPDX-License-Identifier: MIT */
/*
 * Where a worker id can come from: one table.  The parser, the sentences that list the sources, the help, the doctor
 * and the completion are made of it.  A new source is a row here and its function in
 * worker_sources.c.
 */
#ifndef FZ_CONFIG_WORKER_SOURCES_H
#define FZ_CONFIG_WORKER_SOURCES_H

#include "decision.h"

/* A key can have an effect for these; SLOTS are those of a state=URL, and ANY is for a key that needs nothing. */
enum {
    FZ_FOR_ANY = 0,
    FZ_FOR_URL = 1,
    FZ_FOR_NAME = 2,
    FZ_FOR_ADDRESS = 4,
    FZ_FOR_HASH = 8,
    FZ_FOR_SLOTS = 16,
    FZ_FOR_CLOCK = FZ_FOR_URL | FZ_FOR_SLOTS /* of a coordinator */
};

/* The doctor's verdict on a source. */
enum fz_verdict {
    FZ_VERDICT_GIVEN,     /* safe if nobody else is given the same number */
    FZ_VERDICT_LOCK,      /* safe on one host */
    FZ_VERDICT_ORDINAL,   /* safe within one StatefulSet */
    FZ_VERDICT_OCTET,     /* safe within one /24 network */
    FZ_VERDICT_HASH,      /* two hosts may have the same number */
    FZ_VERDICT_LEASED,    /* safe */
    FZ_VERDICT_IN_PROCESS /* unique in one process */
};

/* clang-format off */
/*
 * X(function, name, argument, verdict, keys, words): fz_worker_from_FUNCTION reads it.  The name stands before the ':'
 * of the argument if it has one, and is empty for any URL.  Words are for the sentence that lists all.
 */
#define FZ_WORKER_SOURCES(X) \
    X(fixed,         "fixed",         ":N",    GIVEN,      0,                            "fixed:N (a number)") \
    X(env,           "env",           ":NAME", GIVEN,      0,                            "env:NAME (a number in an environment variable)") \
    X(ordinal,       "ordinal",       "",      ORDINAL,    FZ_FOR_NAME,                  "ordinal (the number after the last '-' of the host's name)") \
    X(file_lock,     "file-lock",     "",      LOCK,       0,                            "file-lock (the lowest number free on this host: for one host only)") \
    X(url,           "",              "URL",   LEASED,     FZ_FOR_URL,                   "the URL of a coordinator for fleets (redis://HOST/NAMESPACE and others)") \
    X(ip_last_octet, "ip-last-octet", "",      OCTET,      FZ_FOR_ADDRESS,               "ip-last-octet") \
    X(ip_hash,       "ip-hash",       "",      HASH,       FZ_FOR_ADDRESS | FZ_FOR_HASH, "ip-hash") \
    X(hostname_hash, "hostname-hash", "",      HASH,       FZ_FOR_NAME | FZ_FOR_HASH,    "hostname-hash") \
    X(auto,          "auto",          "",      IN_PROCESS, 0,                            "and for layout=sno auto (unique within one process only)")
/* clang-format on */

struct fz_worker_ask;

struct fz_worker_source {
    char name[16];
    char argument[8];
    enum fz_verdict verdict;
    unsigned keys; /* FZ_FOR_ bits: which keys have an effect with it */
    frazil_err (*read)(const struct fz_worker_ask *ask, struct fz_worker_choice *choice, frazil_error *reterr);
};

/* The table, in its order; NULL behind its end.  Never freed. */
FZ_PRIVATE const struct fz_worker_source *fz_worker_source_at(size_t i);

/* The source that worker=given names; NULL: there is none.  *ret_argument: what stands behind its name and ':'. */
FZ_PRIVATE const struct fz_worker_source *fz_worker_source_of(const char *given, const char **ret_argument);

#endif
