/* SPDX-License-Identifier: MIT */
/* A loop of the daemon without its thread, and clients of it: the test says which event comes. */
#ifndef TESTS_FRAZILD_CLIENT_RIG_H
#define TESTS_FRAZILD_CLIENT_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"

extern struct setup setup;
extern struct loop *loop;

struct client {
    int fd; /* its end */
    struct connection *its;
};

/* The loop, for one test; close_loop closes all connections and clients, too. */
void open_loop(void);
void close_loop(void);

/* One whose connection has little room for what it has not read. */
struct client client_new(void);

/* Whether the loop still has its connection. */
bool is_open(struct client client);

/* It says this; it has gone.  Neither of it reaches the daemon before its event happens. */
void say(struct client client, const char *text);
void die(struct client client);
void happens(struct client client, uint32_t events);

/* Asks, and gets this answer and no byte more. */
void expect_answer(struct client client, const char *question, const char *answer);

#endif
