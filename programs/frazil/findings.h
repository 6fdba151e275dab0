/* SPDX-License-Identifier: MIT */
/* The findings of `frazil verify`: how often, and the first few of each kind. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "ids.h"
#include "periods.h"
#include "worker_stats.h"

/* As the table of findings.c has them. */
enum finding_kind { FINDING_DUPLICATE, FINDING_DISORDER, FINDING_FUTURE, FINDING_FOREIGN, FINDING_KINDS };

struct finding {
    struct id id;
    const char *file; /* not copied; unused for duplicates */
    uint64_t line;
    uint64_t times; /* how often a duplicate is there */
};

struct findings {
    size_t list_max; /* how many of each kind are kept */
    struct {
        uint64_t count;
        struct finding *list;
        size_t kept;
    } kinds[FINDING_KINDS];
    struct periods periods;
    uint64_t ids;
    uint64_t unreadable;
    uint64_t untallied; /* ids of workers beyond WORKER_STATS_MAX */
};

/* Notes a finding.  Too little memory loses the example, not the count. */
void findings_add(struct findings *findings, enum finding_kind kind, const struct finding *finding);

/* Frees the examples and the periods. */
void findings_free(struct findings *findings);

/* Whether there is anything to complain of. */
bool findings_any(const struct findings *findings);

/* Prints the report, for people or as one JSON object. */
void findings_text(const struct findings *findings, const struct ids_layout *layout, struct worker_stats *stats);
void findings_json(const struct findings *findings, const struct ids_layout *layout, struct worker_stats *stats);

#endif
