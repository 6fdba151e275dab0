/* SPDX-License-Identifier: MIT */
/* Specs as values, made at random, and what a change of one of them means; lib/spec_spelling.h spells them. */
#ifndef TESTS_LIB_SPEC_MEANING_H
#define TESTS_LIB_SPEC_MEANING_H

#include "config/keys.h"
#include "frazil/layout.h"
#include "lib/url_spelling.h"

/* The things that processes share. */
enum spec_shape {
    SPEC_FILES,  /* the word and the grant of a worker id */
    SPEC_MEMORY, /* a generator of the process */
    SPEC_SLOTS,  /* a line of slots of a coordinator */
    SPEC_LEASE,  /* a lease of the host */
    SPEC_ALONE,  /* a lease of one process */
    SPEC_SHAPES
};

/* Ways to say a worker id. */
enum spec_way {
    SPEC_FIXED,
    SPEC_BASE,
    SPEC_DATACENTER,
    SPEC_ORDINAL,
    SPEC_OCTET,
    SPEC_VARIABLE,
    SPEC_PARTITION,
    SPEC_HASH,
    SPEC_ANY
};

/* Two specs that differ in a key do not share this. */
enum { SPEC_NOTHING = 0, SPEC_PLACE = 1, SPEC_GENERATOR = 2, SPEC_BOTH = SPEC_PLACE | SPEC_GENERATOR };

struct spec_meaning {
    enum spec_shape shape;
    enum spec_way way; /* SPEC_ANY: each spelling has its own */
    bool from_config;  /* all stands in a config file */
    frazil_layout layout;
    uint32_t worker;
    uint64_t seq_min;
    uint64_t seq_max;
    struct url_meaning url;
    const char *line; /* SPEC_SLOTS: the URL of a server that is there, in place of `url`; NULL: none is */
    unsigned choice[FZ_KEYS_TOTAL]; /* which value of a key that has a few; 0: the default */
};

/* The bits that an address of a network gives. */
enum { SPEC_OCTET_BITS = 8 };

enum { SPEC_VALUES = 3, SPEC_SPELLINGS = 2 };

/* A key with a few values, each with its spellings; NULL: not said.  @ is the folder of the test. */
struct spec_choice {
    enum fz_key key;
    unsigned shapes; /* where the key can be said: 1 << shape */
    int apart;       /* where something is shared beyond the process; otherwise generators alone */
    const char *values[SPEC_VALUES][SPEC_SPELLINGS];
};

/* The i-th of them; NULL: there are no more. */
const struct spec_choice *spec_choice(size_t i);

/* Whether a behaviour decides about a key: beside a behaviour no such key is said, so that two behaviours differ. */
bool spec_is_policy(enum fz_key key);

/* The largest sequence number of a layout. */
uint64_t spec_top(const frazil_layout *layout);

/* Whether this build can make one: some keys are said beside URLs alone, and it may have no coordinator. */
bool spec_is_here(enum fz_key key);

/* Makes one in which the key can count.  false: nobody has decided what the key means. */
bool spec_make(struct spec_meaning *ret, enum fz_key key, uint64_t *random);

/* Changes what the key says, and returns in what the two differ then. */
int spec_change(struct spec_meaning *meaning, enum fz_key key, uint64_t *random);

#endif
