/* SPDX-License-Identifier: MIT */
/*
 * A TCP proxy on the loopback that passes on everything, until it is told to
 * misbehave.  A thread of its own.
 */
#ifndef TESTS_LIB_PROXY_H
#define TESTS_LIB_PROXY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum proxy_mode {
    PROXY_PASS,
    PROXY_HOLD_REQUESTS, /* requests are kept until the mode changes */
    PROXY_HOLD_REPLIES,  /* replies are */
    PROXY_LOSE_REPLIES,  /* requests are passed on, replies thrown away */
    PROXY_CUT_REPLIES,   /* the first bytes of a reply, and then the end */
    PROXY_CUT_LATE,      /* all of a reply but the last byte, and then the end */
    PROXY_RESET,         /* requests are passed on, and the reply is a reset */
    PROXY_END_ONCE, /* the first reply is the end of the connection, and then PROXY_PASS: who asks again is heard */
    PROXY_SLOW,     /* replies come some time later */
    PROXY_LATE,     /* replies come seconds later, or when the mode changes */
    PROXY_DRIBBLE,  /* replies come a byte at a time, with a pause after each */
    PROXY_SAY,      /* requests are thrown away, and answered with a text */
    PROXY_HANG_UP   /* each connection is closed at once */
};

enum { PROXY_LINKS_MAX = 256 };

struct proxy_link {
    int client;
    int server;
    bool has_lost; /* replies were thrown away: no later one may follow, as no stream has a hole */
};

struct proxy {
    uint16_t port;
    uint16_t target;
    int listener;
    int wake[2];
    pthread_t thread;
    _Atomic int mode;
    _Atomic unsigned changes; /* how often the mode was set */
    _Atomic unsigned noted;   /* how many of these the thread knows of */
    _Atomic int stopping;
    _Atomic unsigned accepted;  /* connections */
    _Atomic unsigned requests;  /* chunks of bytes that came from clients: a round trip each, for small ones */
    _Atomic unsigned replies;   /* chunks that came from the server, its end included */
    _Atomic(const char *) text; /* for PROXY_SAY */
    _Atomic long slow_ns;       /* for PROXY_SLOW, less than a second: 50 ms unless a test sets it */
    struct proxy_link links[PROXY_LINKS_MAX];
};

/* Listens on a free port and passes on to the target port.  Never NULL; memory of its own, as a test that fails leaves
 * its stack to others while the thread runs on.
 */
struct proxy *proxy_start(uint16_t target);

/* Changes what it does; on return it does. */
void proxy_set(struct proxy *proxy, enum proxy_mode mode);

/* Changes it to PROXY_SAY with this text, which must outlive it; on return it says it. */
void proxy_say(struct proxy *proxy, const char *text);

/* Waits until the counter has reached n; fails the test if it never does. */
void proxy_await(_Atomic unsigned *counter, unsigned n);

/* Ends it, and all connections through it, and frees it. */
void proxy_stop(struct proxy *proxy);

#endif
