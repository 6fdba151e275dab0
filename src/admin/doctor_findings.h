/* SPDX-License-Identifier: MIT */
/*
 * Every finding there is.  docs/doctor.md has a row for each, with its cause and
 * its cure, and a test that brings each about compares the two.
 */
#ifndef FZ_ADMIN_DOCTOR_FINDINGS_H
#define FZ_ADMIN_DOCTOR_FINDINGS_H

#include "core/sentence.h"
#include "doctor.h"

/* clang-format off */
/* X(identifier, health, id).  TOPIC is what the part for a coordinator calls its finding: "eviction", "role". */
#define FZ_FINDINGS(X) \
    X(CLOCK_SYNCHRONISED,     OK,   "clock.synchronised") \
    X(CLOCK_UNSYNCHRONISED,   WARN, "clock.unsynchronised") \
    X(CLOCK_INACCURATE,       WARN, "clock.inaccurate") \
    X(CLOCK_UNKNOWN,          WARN, "clock.unknown") \
    X(CLOCK_COUNTER,          OK,   "clock.counter") \
    X(CLOCK_NO_COUNTER,       WARN, "clock.no-counter") \
    X(CLOCK_STEADY,           OK,   "clock.steady") \
    X(CLOCK_STEPPED,          WARN, "clock.stepped") \
    X(CLOCK_FROZEN,           WARN, "clock.frozen") \
    X(CLOCK_BEFORE_EPOCH,     FAIL, "clock.before-epoch") \
    X(RUN_GOOD,               OK,   "run.directory") \
    X(RUN_UNUSABLE,           FAIL, "run.unusable") \
    X(RUN_ON_DISK,            WARN, "run.on-disk") \
    X(RUN_REMOTE,             FAIL, "run.remote") \
    X(RUN_FULL,               FAIL, "run.full") \
    X(RUN_OPEN,               WARN, "run.open") \
    X(RUN_NO_LOCKS,           FAIL, "run.no-locks") \
    X(STATE_GOOD,             OK,   "state.directory") \
    X(STATE_UNUSABLE,         FAIL, "state.unusable") \
    X(STATE_IN_MEMORY,        FAIL, "state.in-memory") \
    X(STATE_LAYER,            WARN, "state.layer") \
    X(STATE_REMOTE,           WARN, "state.remote") \
    X(STATE_FULL,             FAIL, "state.full") \
    X(STATE_OPEN,             WARN, "state.open") \
    X(STATE_NO_LOCKS,         FAIL, "state.no-locks") \
    X(STATE_DAMAGED,          FAIL, "state.damaged") \
    X(STATE_AHEAD,            FAIL, "state.ahead") \
    X(STATE_HELD_UP,          FAIL, "state.held-up") \
    X(STATE_ELSEWHERE,        OK,   "state.elsewhere") \
    X(STATE_NONE,             WARN, "state.none") \
    X(WORKER_UNUSABLE,        FAIL, "worker.unusable") \
    X(WORKER_DEFAULT,         WARN, "worker.default") \
    X(WORKER_LOCK,            OK,   "worker.file-lock") \
    X(WORKER_LOCK_MANY,       FAIL, "worker.file-lock-many") \
    X(WORKER_GIVEN,           OK,   "worker.given") \
    X(WORKER_GIVEN_MANY,      WARN, "worker.given-many") \
    X(WORKER_ORDINAL,         OK,   "worker.ordinal") \
    X(WORKER_OCTET,           WARN, "worker.last-octet") \
    X(WORKER_HASH,            WARN, "worker.hash") \
    X(WORKER_HASH_LIKELY,     FAIL, "worker.hash-likely") \
    X(WORKER_NAME_RANDOM,     WARN, "worker.random-name") \
    X(WORKER_IN_PROCESS,      WARN, "worker.in-process") \
    X(WORKER_LEASED,          OK,   "worker.leased") \
    X(WORKER_OTHER_USER,      FAIL, "worker.other-user") \
    X(WORKER_OTHER_SOURCE,    WARN, "worker.other-source") \
    X(HOST_UNUSABLE,          FAIL, "host.unusable") \
    X(HOST_FULL,              FAIL, "host.full") \
    X(HOST_REMOTE,            FAIL, "host.remote") \
    X(WORKER_TOO_FEW,         FAIL, "worker.too-few") \
    X(WORKER_IDLE_KEY,        OK,   "worker.idle-key") \
    X(ENVIRONMENT_SLIP,       FAIL, "environment.slip") \
    X(COORDINATOR_ABSENT,     FAIL, "coordinator.absent") \
    X(COORDINATOR_REFUSED,    FAIL, "coordinator.refused") \
    X(COORDINATOR_SILENT,     FAIL, "coordinator.silent") \
    X(COORDINATOR_NO_NAME,    FAIL, "coordinator.no-namespace") \
    X(COORDINATOR_SKEW,       OK,   "coordinator.clock") \
    X(COORDINATOR_SKEWED,     FAIL, "coordinator.clock-differs") \
    X(COORDINATOR_FINE,       OK,   "coordinator.TOPIC") \
    X(COORDINATOR_DOUBTFUL,   WARN, "coordinator.TOPIC") \
    X(COORDINATOR_UNSAFE,     FAIL, "coordinator.TOPIC") \
    X(COORDINATOR_NAME,       OK,   "coordinator.namespace") \
    X(COORDINATOR_UNREADABLE, FAIL, "coordinator.unreadable") \
    X(COORDINATOR_LAYOUT,     FAIL, "coordinator.layout-differs") \
    X(COORDINATOR_HORIZON,    WARN, "coordinator.horizon-differs") \
    X(COORDINATOR_WAIT,       WARN, "coordinator.quarantine") \
    X(COORDINATOR_LOW,        WARN, "coordinator.almost-full") \
    X(COORDINATOR_FULL,       FAIL, "coordinator.full") \
    X(LAYOUT_LIFE,            OK,   "layout.life") \
    X(LAYOUT_AGEING,          WARN, "layout.ageing") \
    X(LAYOUT_SHORT_LIFE,      FAIL, "layout.short-life") \
    X(LAYOUT_ENDED,           FAIL, "layout.ended") \
    X(LAYOUT_SECONDS,         WARN, "layout.epoch-in-seconds") \
    X(LAYOUT_UNSIGNED,        OK,   "layout.positive") \
    X(LAYOUT_SIGN_BIT,        WARN, "layout.sign-bit") \
    X(LAYOUT_FITS_53,         OK,   "layout.53-bits") \
    X(LAYOUT_OVER_53,         OK,   "layout.over-53-bits") \
    X(LAYOUT_SPARE_BITS,      OK,   "layout.spare-bits") \
    X(LAYOUT_NOT_KONAYUKI,    WARN, "layout.not-konayuki") \
    X(FORK_WIPED,             OK,   "fork.wiped") \
    X(FORK_NOT_WIPED,         WARN, "fork.not-wiped") \
    X(FORK_SAME_MACHINE,      OK,   "fork.machine") \
    X(FORK_OTHER_MACHINE,     WARN, "fork.other-machine") \
    X(FORK_GENERATION,        OK,   "fork.generation") \
    X(FORK_NO_GENERATION,     OK,   "fork.no-generation") \
    X(ADVICE,                 OK,   "advice.hosts")
/* clang-format on */

enum fz_finding {
#define FZ_FINDING_ENUM(identifier, health, id) FZ_FOUND_##identifier,
    FZ_FINDINGS(FZ_FINDING_ENUM)
#undef FZ_FINDING_ENUM
        FZ_FINDINGS_TOTAL
};

/* How good a finding is, and its id.  Never freed. */
enum fz_health fz_finding_health(enum fz_finding finding);
const char *fz_finding_id(enum fz_finding finding);

/* Where findings go. */
struct fz_findings {
    fz_diagnosis_visitor visit;
    void *ctx;
};

/* Shows a finding with the sentence of fz_fail's format. */
#define fz_found(findings, finding, ...)                                                                               \
    do {                                                                                                               \
        frazil_error found;                                                                                            \
        (void)fz_fail_with(&found, FRAZIL_EINVAL, __VA_ARGS__);                                                        \
        fz_finding_show(findings, finding, found.message);                                                             \
    } while (0)

/* Shows a finding with a sentence that is there. */
void fz_finding_show(const struct fz_findings *findings, enum fz_finding finding, const char *text);

#endif
