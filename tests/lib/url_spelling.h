/* SPDX-License-Identifier: MIT */
/*
 * URLs of coordinators as values, made at random of the tables by which the coordinators read them, and ways to spell
 * them: with or without the default port, in capitals, percent-encoded, the keys in another order.
 */
#ifndef TESTS_LIB_URL_SPELLING_H
#define TESTS_LIB_URL_SPELLING_H

#include "coordinators/common/url.h"

enum { URL_KEYS_MAX = 12, URL_HOSTS_MAX = 2, URL_VALUES = 3, URL_TEXT_SIZE = 1024 };

/* The parts of a URL that decide where it leads, or how; behind them come the keys of its kind. */
enum url_part { URL_SCHEME, URL_USER, URL_PASSWORD, URL_HOST, URL_PORT, URL_DATABASE, URL_NAME, URL_FIRST_KEY };

/* Each member but the kind is one of URL_VALUES values; 0: it is not said. */
struct url_meaning {
    const struct fz_url_kind *kind;
    unsigned scheme; /* of those that differ */
    unsigned user;
    unsigned password;
    unsigned hosts; /* how many */
    unsigned host[URL_HOSTS_MAX];
    unsigned port[URL_HOSTS_MAX];
    unsigned database;
    unsigned name;
    unsigned key[URL_KEYS_MAX];
};

/* The i-th kind of this build; NULL behind the last. */
const struct fz_url_kind *url_kind(size_t i);

/* The i-th key of a kind, of its own and the common ones; NULL: there are no more. */
const struct fz_url_key *url_key(const struct fz_url_kind *kind, size_t i);

/* One of n numbers; the state changes. */
unsigned url_pick(uint64_t *random, unsigned n);

/* A URL of the kind, which its parser need not accept.  Files that it names are below the folder. */
void url_make(struct url_meaning *ret, const struct fz_url_kind *kind, uint64_t *random);

/* Changes a part.  false: it has none such, and stays as it is. */
bool url_change(struct url_meaning *url, unsigned part, uint64_t *random);

/* Whether its coordinator knows who logs in by the password alone. */
bool url_is_of_password(const struct url_meaning *url);

/* The name of a part, for sentences. */
const char *url_part_name(const struct fz_url_kind *kind, unsigned part);

/* Writes one of its spellings; password files are in the folder, in which url_write_files has made them. */
void url_say(const struct url_meaning *url, const char *folder, uint64_t *random, char ret[URL_TEXT_SIZE]);
void url_write_files(const char *folder);

#endif
