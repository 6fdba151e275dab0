/* SPDX-License-Identifier: MIT */
/* The kind of world that a seed makes. */
#ifndef SIMULATOR_PLAN_H
#define SIMULATOR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "frazil/layout.h"
#include "oracle.h"

enum { SERVICES_MAX = 3 };

struct plan {
    bool leased; /* worker ids come from a coordinator; otherwise each host has its own, kept in files */
    struct promises promises;
    char layout_text[128];
    char name_space[64]; /* of words and grants in files */
    unsigned said;       /* how often the layout was */
    frazil_layout layout;
    uint64_t life_ends_ns; /* when the layout's last tick begins; UINT64_MAX: not in this world */
    unsigned hosts;
    bool is_fleet;      /* see fleet.h */
    char policies[256]; /* the part of the spec that all generators share */
    uint64_t horizon_ns;
    uint64_t max_skew_ns;
    bool has_clock;     /* the coordinator; and an incarnation: those that may fall back to an older state have both */
    bool lossy;         /* the coordinator may lose records */
    bool tight;         /* and clocks differ by as much as they may, by whole ticks: nothing is granted to spare */
    unsigned services;  /* of a host */
    bool divides;       /* they divide the sequence of one worker id, and now and then want another part of it */
    bool of_members;    /* they share one lease: share=host */
    bool of_users;      /* they are of several users, and have several run directories: users.h */
    unsigned numbers;   /* worker ids of each host, then */
    bool shares_state;  /* two of the run directories have one state directory */
    bool shared;        /* threads open and close for themselves, by frazil_open_shared, and any of them forks */
    bool varies;        /* operators create the namespace again with another horizon and a larger max_skew */
    bool wipes_run;     /* run directories are emptied; otherwise state files are lost */
    uint64_t wild_ns;   /* how far clocks may be off; 0: within max_skew */
    uint64_t faults_ns; /* how long faults go on */
    unsigned faults;    /* how many happen by themselves */
    unsigned step_mean; /* steps between two that are interrupted */
    uint64_t think_ns;  /* the longest pause between two calls */
};

extern struct plan plan;

/*
 * Writes the layout as keys of a spec, each time in the next one of several ways.  No random number decides about it:
 * the world is the same whatever its layout is called.
 */
void plan_say_layout(char *text, size_t size);

/* When a tick begins, on a clock that is right. */
uint64_t plan_tick_ns(uint64_t tick);

/* ANY: most of them; MEMBERS: the services of a host share one lease; USERS: they are of several users. */
enum kind_of_world { WORLD_ANY, WORLD_MEMBERS, WORLD_USERS };

/* Makes one, by chance. */
void plan_make(enum kind_of_world kind);

#endif
