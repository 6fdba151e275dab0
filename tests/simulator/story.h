/* SPDX-License-Identifier: MIT */
/*
 * The events of a run, one by one: as a hash, so that two runs can be
 * compared, as lines for people, and as counters of the faults that struck.
 */
#ifndef SIMULATOR_STORY_H
#define SIMULATOR_STORY_H

#include <stdbool.h>
#include <stdint.h>

/* X(identifier, sentence): what can be told.  The sentence shows up to three numbers. */
#define EVENTS(X)                                                                                                      \
    X(BOOTS, "host %llu boots; its clock is %lld ms off")                                                              \
    X(RESUMES, "host %llu is resumed; its clock is %lld ms off")                                                       \
    X(STARTS, "starts; kind %llu, keeper %llu, thread %llu")                                                           \
    X(OPENS, "has a generator for worker %llu")                                                                        \
    X(OPEN_FAILS, "cannot open a generator: error %lld")                                                               \
    X(ISSUES, "worker %llu: %llu ids from slot %llu on")                                                               \
    X(REFUSED, "gets no id: error %lld")                                                                               \
    X(CLOSES, "closes its generator")                                                                                  \
    X(STOPS, "stops its generator, for all who have it")                                                               \
    X(JOINS, "has a generator, as have %llu others of its process")                                                    \
    X(EXITS, "exits")                                                                                                  \
    X(KEEPS, "keeps: error %lld")                                                                                      \
    X(RECORDS, "the coordinator stores record %llu, version %llu, until %llu")                                         \
    X(CONFLICT, "the coordinator refuses a swap of record %llu: version %llu, not %llu")                               \
    X(STORES, "the disk of host %llu keeps worker %llu until %llu")                                                    \
    X(CREATES, "creates the namespace: error %lld")                                                                    \
    X(FREES, "frees worker %llu by hand: error %lld")                                                                  \
    X(HEALS, "all faults end; progress is due at %llu ms")                                                             \
    X(RECOVERED, "has issued after the faults")                                                                        \
    X(ENDS, "the end: %llu ids")

/* X(identifier, class, sentence): the faults.  Each kind must have struck in a campaign. */
#define FAULTS(X)                                                                                                      \
    X(KILLED, "F1", "process %llu is killed")                                                                          \
    X(POWER_LOST, "F2", "power is lost on host %llu")                                                                  \
    X(WRITE_LOST, "F2", "a write that was not synced is lost")                                                         \
    X(WRITE_TORN, "F2", "a write is torn after %llu bytes")                                                            \
    X(NAME_LOST, "F2", "a file's name was not durable and is lost")                                                    \
    X(CLOCK_AHEAD, "F3", "the clock of host %llu steps ahead by %llu ms")                                              \
    X(CLOCK_BACK, "F3", "the clock of host %llu steps back by %llu ms")                                                \
    X(CLOCK_DRIFTS, "F3", "the clock of host %llu drifts by %lld ppm")                                                 \
    X(CLOCK_STOPS, "F3", "the clock of host %llu stops")                                                               \
    X(BOOTED_WRONG, "F3", "host %llu boots with a clock that is %lld ms off")                                          \
    X(PAUSED, "F4", "process %llu is stopped for %llu us in the middle of something")                                  \
    X(PAUSED_LONG, "F4", "process %llu is stopped for longer than its grant: %llu us")                                 \
    X(REQUEST_LOST, "F5", "request %llu is lost")                                                                      \
    X(REPLY_LOST, "F5", "the reply to request %llu is lost")                                                           \
    X(DELAYED, "F5", "request %llu is delayed by %llu us")                                                             \
    X(DUPLICATED, "F5", "request %llu arrives twice")                                                                  \
    X(REORDERED, "F5", "request %llu overtakes an earlier one of the same sender")                                     \
    X(CUT_OFF, "F5", "host %llu can neither send nor receive")                                                         \
    X(CUT_TO, "F5", "host %llu's requests are lost")                                                                   \
    X(CUT_FROM, "F5", "replies to host %llu are lost")                                                                 \
    X(CRASHED, "F6", "the coordinator crashes for %llu ms")                                                            \
    X(WIPED, "F6", "the coordinator is wiped")                                                                         \
    X(ROLLED_BACK, "F6", "the coordinator falls back to an older state")                                               \
    X(WRONG_CLOCK, "F6", "the coordinator's clock is set %lld ms off")                                                 \
    X(DISK_FULL, "F7", "host %llu's disk is full")                                                                     \
    X(DISK_READ_ONLY, "F7", "host %llu's disk is read-only")                                                           \
    X(DISK_FAILS, "F7", "a sync fails on host %llu")                                                                   \
    X(DISK_SLOW, "F7", "host %llu's disk takes %llu ms to sync")                                                       \
    X(STALE_COPY, "F7", "the state file of worker %llu is replaced by an older copy")                                  \
    X(FILE_REMOVED, "F7", "the state file of worker %llu is removed")                                                  \
    X(FILE_DAMAGED, "F7", "the state file of worker %llu is damaged")                                                  \
    X(FILE_FOREIGN, "F7", "the state file of worker %llu is another layout's")                                         \
    X(RUN_WIPED, "F7", "host %llu's run directory is emptied")                                                         \
    X(FORKED, "F8", "forks process %llu")                                                                              \
    X(FORKED_INSIDE, "F8", "forks process %llu while other threads open or close")                                     \
    X(CLONED, "F9", "host %llu is resumed a second time, as host %llu")                                                \
    X(MIXED_LAYOUT, "F10", "another layout asks for this namespace and is refused: error %lld")                        \
    X(MIXED_WORKERS, "F10", "worker ids outside the namespace are asked for and refused: error %lld")                  \
    X(SHARD_REFUSED, "F12", "sequence numbers %llu to %llu overlap with those of a generator that runs: refused")      \
    X(SHARD_CHANGED, "F12", "a generator has the sequence numbers %llu to %llu, and others than before")               \
    X(OTHER_NUMBERS, "F15", "the namespace is created again with a horizon of %llu ms and a max_skew of %llu ms")      \
    X(OPERATOR_CLOCK, "F15", "the operator's clock is %lld ms off")                                                    \
    X(POOL_ENDED, "F11", "no worker id is left")                                                                       \
    X(LIFE_ENDED, "F11", "the layout's life has ended")

/* X(identifier, class, sentence): what only fleets go through.  Each must have struck in a campaign of them. */
#define FLEET_FAULTS(X)                                                                                                \
    X(STORM, "S1", "%llu services start within %llu ms")                                                               \
    X(OUTLASTED, "S2", "the coordinator comes back after %llu ms: %llu services have no ids")                          \
    X(ROLLED, "S3", "the services of the host of number %llu are started again; killed: %llu")                         \
    X(POOL_TIGHT, "S4", "%llu services run with %llu worker ids")

/* X(identifier, class, sentence): what only processes that share a lease go through.  Likewise. */
#define MEMBERS_FAULTS(X)                                                                                              \
    X(SENT_AWAY, "M1", "all processes of host %llu leave, and come back after %llu ms")                                \
    X(JOINED, "M2", "goes on with the lease of worker %llu, which %llu others have")                                   \
    X(LAST_LEFT, "M3", "is the last to leave its lease, of worker %llu")                                               \
    X(RETURNED, "M4", "comes back to a lease that all had left, or died with: worker %llu")                            \
    X(WENT_ON, "M5", "host %llu swaps for worker %llu: its lease has %llu worker ids by now")

/* X(identifier, class, sentence): what only users of one host go through.  Likewise. */
#define USERS_FAULTS(X)                                                                                                \
    X(USER_REFUSED, "U1", "worker %llu is refused: another process of the host has it, or asks for it")                \
    X(USED_AHEAD, "U2", "worker %llu is refused: it may have been used at a time that the clock has yet to show")      \
    X(PASSED_OVER, "U3", "takes worker %llu, as others have lower ones")                                               \
    X(TAKEN_OVER, "U4", "worker %llu passes to run directory %llu from %llu")                                          \
    X(CLAIMS_REMOVED, "U5", "what user %llu has in the host directory of host %llu is removed")

enum event {
#define EVENT_ENUM(identifier, sentence) TOLD_##identifier,
    EVENTS(EVENT_ENUM)
#undef EVENT_ENUM
#define FAULT_ENUM(identifier, class_, sentence) STRUCK_##identifier,
        FAULTS(FAULT_ENUM) FLEET_FAULTS(FAULT_ENUM) MEMBERS_FAULTS(FAULT_ENUM) USERS_FAULTS(FAULT_ENUM)
#undef FAULT_ENUM
            EVENTS_TOTAL
};

#define FIRST_FAULT STRUCK_KILLED
#define FIRST_FLEET_FAULT STRUCK_STORM
#define FIRST_MEMBERS_FAULT STRUCK_SENT_AWAY
#define FIRST_USERS_FAULT STRUCK_USER_REFUSED
#define FAULTS_TOTAL (EVENTS_TOTAL - FIRST_FAULT)

/* Begins the story of a run; aloud: it is printed as it is told. */
void story_begin(bool aloud);

/* Tells an event, with its numbers; counts it if it is a fault. */
void tell(enum event event, uint64_t a, uint64_t b, uint64_t c);

/* Adds a sentence of somebody else's to the story aloud.  It is not part of the hash. */
void tell_aside(const char *sentence);

/* The hash of all that was told. */
uint64_t story_hash(void);

/* How often a fault has struck since story_begin. */
uint64_t story_struck(enum event fault);

/* The name and the class of a fault. */
const char *fault_name(enum event fault);
const char *fault_class(enum event fault);

#endif
