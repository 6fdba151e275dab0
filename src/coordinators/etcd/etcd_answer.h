/* SPDX-License-Identifier: MIT */
/* The forms that values have in the gateway's JSON, in questions and answers.  Any thread. */
#ifndef FZ_COORDINATORS_ETCD_ANSWER_H
#define FZ_COORDINATORS_ETCD_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/sentence.h"

/* A 64-bit number, which stands there as a string.  false: it is none, or missing (value may be NULL). */
bool fz_etcd_number(const json_t *value, uint64_t *ret);

/* Bytes, which stand there in Base64.  false: they do not, or are more than size; what is missing is empty. */
bool fz_etcd_bytes(const json_t *value, char *ret, size_t size, size_t *ret_len);

/* Bytes as such a value, which the caller owns.  NULL: no memory. */
FZ_PRIVATE json_t *fz_etcd_text(const char *bytes, size_t len);

/* {"key": KEY}.  NULL: no memory. */
FZ_PRIVATE json_t *fz_etcd_key(const char *key);

/*
 * A transaction that gives a key this value if the condition holds, and else counts it.  It takes over condition and
 * value; NULL: no memory, or one of them is NULL.
 */
FZ_PRIVATE json_t *fz_etcd_transaction(json_t *condition, const char *key, json_t *value);

/* The id of a cluster or member as etcdctl shows it. */
void fz_etcd_show_id(struct fz_sentence *s, uint64_t id);

#endif
