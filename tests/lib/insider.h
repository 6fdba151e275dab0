/* SPDX-License-Identifier: MIT */
/* A thread that is inside some client library, where a fork finds it. */
#ifndef TESTS_LIB_INSIDER_H
#define TESTS_LIB_INSIDER_H

#include <pthread.h>

struct insider {
    pthread_t thread;
    int go[2];
    int there[2];
};

/* Starts it; it is inside when this returns. */
void insider_start(struct insider *insider);

/* Lets it leave and ends it.  Fails the test if it never was inside. */
void insider_end(struct insider *insider);

#endif
