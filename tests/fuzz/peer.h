/* SPDX-License-Identifier: MIT */
/*
 * A coordinator that answers whatever it is asked with the bytes of an input, and then hangs up: for targets that hold
 * a register against hostile answers, its client library and the network between them included.
 */
#ifndef TESTS_FUZZ_PEER_H
#define TESTS_FUZZ_PEER_H

#include "frazil/coordinators.h"
#include "fuzz.h"

struct peer {
    const frazil_coordinator *(*coordinator)(void);
    const char *url;      /* up to the port */
    const char *rest;     /* the text that follows the port */
    bool speaks_first;    /* it greets before it has heard anything */
    const char *greeting; /* else its reply to the first message of a connection; NULL: the answer already */
    size_t greeting_len;
    const char *head; /* in front of each answer */
    size_t head_len;
};

/*
 * Does what the first byte of an input says (reads a record, reads all, replaces one, examines); the other bytes are
 * the answer.  For any bytes the register says what has happened: with success its header's promises hold,
 * without it there is a sentence, which shows no password.
 */
void peer_ask(const struct peer *peer, const uint8_t *data, size_t size);

#endif
