/* SPDX-License-Identifier: MIT */
/*
 * The counters of the metrics.  Each event thread counts for itself, and the reader of the metrics adds them up.
 */
#ifndef FRAZILD_COUNTERS_H
#define FRAZILD_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

/* X(name, text): the first word of an error to a RESP client, and the label of a request in the metrics. */
#define REPLY_CODES(X)                                                                                                 \
    X(OK, "OK")                                                                                                        \
    X(ERR, "ERR")                                                                                                      \
    X(TRYAGAIN, "TRYAGAIN")                                                                                            \
    X(FENCED, "FENCED")                                                                                                \
    X(EXHAUSTED, "EXHAUSTED")                                                                                          \
    X(LIMIT, "LIMIT")                                                                                                  \
    X(NOAUTH, "NOAUTH")                                                                                                \
    X(WRONGPASS, "WRONGPASS")                                                                                          \
    X(NOPERM, "NOPERM")                                                                                                \
    X(EXECABORT, "EXECABORT")                                                                                          \
    X(NOPROTO, "NOPROTO")                                                                                              \
    X(INTERNAL, "INTERNAL")

enum reply_code {
#define REPLY_CODE(name, text) CODE_##name,
    REPLY_CODES(REPLY_CODE)
#undef REPLY_CODE
        CODE_COUNT
};

/* Its text. */
const char *reply_code_text(enum reply_code code);

#define COUNTED_COMMANDS 64 /* more than there are */

/* Upper bounds of the histogram of durations, in microseconds; the last bucket has none. */
#define DURATION_BOUNDS_US                                                                                             \
    {                                                                                                                  \
        50, 100, 250, 500, 1000, 2500, 5000, 10000, 50000, 250000, 1000000, 5000000                                    \
    }
#define DURATION_BUCKETS 13

/* Upper bounds of the histogram of ids a request. */
#define BATCH_BOUNDS                                                                                                   \
    {                                                                                                                  \
        1, 10, 100, 1000, 10000, 65536                                                                                 \
    }
#define BATCH_BUCKETS 7

struct counters {
    _Atomic uint64_t calls[4][COUNTED_COMMANDS][CODE_COUNT]; /* by enum protocol */
    _Atomic uint64_t durations[DURATION_BUCKETS];            /* of requests for ids */
    _Atomic uint64_t duration_ns;
    _Atomic uint64_t batches[BATCH_BUCKETS];
    _Atomic uint64_t batch_ids;
    _Atomic uint64_t bytes_in;
    _Atomic uint64_t bytes_out;
    _Atomic uint64_t accepted;
    _Atomic uint64_t refused_full;  /* max_connections */
    _Atomic uint64_t refused_files; /* no descriptor was free */
    _Atomic uint64_t refused_memory;
    _Atomic uint64_t cut_stalled;
    _Atomic uint64_t cut_slow;
    _Atomic uint64_t cut_broken;  /* not the protocol */
    _Atomic uint64_t cut_idle;    /* idle_timeout */
    _Atomic uint64_t cut_revoked; /* its user, token or certificate is no longer valid */
    _Atomic uint64_t tls_handshakes;
    _Atomic uint64_t tls_failures; /* of handshakes */
};

/* Requests for ids that ended together. */
struct counted_ids {
    uint32_t each;     /* ids a request */
    uint32_t requests; /* all of them */
    uint32_t answered; /* with their ids */
    uint64_t ns;       /* that each of them took */
};

/* Counts requests for ids: their number, size and duration. */
void counters_add_ids(struct counters *counters, const struct counted_ids *ids);

/* Adds to a counter that one thread alone adds to: no lock of the bus. */
static inline void count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
