/* SPDX-License-Identifier: MIT */
/* The behaviours: one table, of which their words and the rules of a generator are made. */
#ifndef FZ_CONFIG_BEHAVIOURS_H
#define FZ_CONFIG_BEHAVIOURS_H

/* The systems that are settings of frazil, and frazil's own: the name, and what it does when. */
/* clang-format off */
/* X(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns) */
#define FZ_BEHAVIOURS(X) \
    X(FRAZIL,         "frazil",         WAIT,  HOLD,     SPREAD, FZ_SECONDS(1), FZ_SECONDS(2)) \
    X(KONAYUKI,       "konayuki",       WAIT,  WAIT,     ZERO,   0,             FZ_SECONDS(10)) \
    X(SFID,           "sfid",           LEAD,  HOLD,     ZERO,   FZ_NO_LIMIT,   0) \
    X(SNO,            "sno",            WAIT,  TICKTOCK, ZERO,   0,             FZ_SECONDS(2)) \
    X(POST,           "post",           WAIT,  WAIT,     ZERO,   0,             FZ_SECONDS(2)) \
    X(FLAKE,          "flake",          ERROR, ERROR,    ZERO,   0,             0) \
    X(FLAKE_CALLBACK, "flake-callback", WAIT,  WAIT,     ZERO,   0,             0)
/* clang-format on */

#define FZ_SECONDS(n) ((n)*UINT64_C(1000000000))

enum fz_behaviour {
#define BEHAVIOUR_ENUM(identifier, name, on_full, on_backward, start, max_lead_ns, max_wait_ns)                        \
    FZ_BEHAVIOUR_##identifier,
    FZ_BEHAVIOURS(BEHAVIOUR_ENUM)
#undef BEHAVIOUR_ENUM
};

#endif
