/* SPDX-License-Identifier: MIT */
/*
 * Looks for what may go wrong with generators of a spec on this host, before it
 * does: the clock, the directories, the worker source, the coordinator, the
 * layout, forks and copies.
 *
 * Facts are collected by system calls, and judged by pure functions
 * (doctor_judge.h), so that each finding can be brought about in a test.
 */
#ifndef FZ_ADMIN_DOCTOR_H
#define FZ_ADMIN_DOCTOR_H

#include <stdint.h>

#include "frazil/coordinator.h"
#include "frazil/error.h"

enum fz_health {
    FZ_HEALTH_OK,
    FZ_HEALTH_WARN, /* works, and may not be what is wanted */
    FZ_HEALTH_FAIL  /* unsafe, or does not work */
};

/* One thing that an operator should know.  All of it lasts as long as the call of the visitor. */
struct fz_diagnosis {
    enum fz_health health;
    const char *id;   /* "clock.unsynchronised": for ever; what is before the dot is the subject */
    const char *text; /* a sentence; a warning or a failure says what would be right */
};

typedef void (*fz_diagnosis_visitor)(void *ctx, const struct fz_diagnosis *diagnosis);

/*
 * Examines what generators with this spec would use; a URL alone stands for
 * worker=URL, and an empty spec for what `frazil next` would do.  Makes the
 * directories as opening would, and keeps two small files in them, to compare with
 * at the next time.  given: as for
 * fz_target_find.  hosts: how many will make ids with such specs; 0: not said.
 * Findings come subject by subject.  A reason why a generator could not be opened is
 * a finding, except for a spec that cannot be understood: FRAZIL_ESPEC, ELAYOUT,
 * ERANGE; FRAZIL_ENOMEM.
 */
frazil_err fz_doctor(const char *spec, const frazil_coordinator *const *given, uint32_t hosts,
                     fz_diagnosis_visitor visit, void *ctx, frazil_error *reterr);

/*
 * Diagnoses only the settings of the coordinator that a spec (or a URL alone) names.  A folder gives no finding: all
 * that is known of it is that it serves one host, which is what a user means by it.  Errors as fz_target_open and a
 * coordinator's diagnose.
 */
frazil_err fz_doctor_of_coordinator(const char *spec_or_url, const frazil_coordinator *const *given,
                                    fz_diagnosis_visitor visit, void *ctx, frazil_error *reterr);

#endif
