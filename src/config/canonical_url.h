/* SPDX-License-Identifier: MIT */
/* One text for all spellings of a URL, by which it is known whether two of them lead to one place. */
#ifndef FZ_CONFIG_CANONICAL_URL_H
#define FZ_CONFIG_CANONICAL_URL_H

#include <stdbool.h>

typedef void (*fz_url_writer)(void *ctx, char c);

/*
 * Calls write for each character of the text.  It has the usual scheme, the port that is meant, hosts in lower case,
 * one percent-encoding and the keys behind the '?' in one order; numbers and durations have one spelling, and a default
 * that is said is as one that is not.  Two URLs of different meaning never have one text.  A password is
 * left out unless it is asked for: then whether there is one counts, too.
 */
FZ_PRIVATE void fz_canonical_url_write(const char *url, bool with_password, fz_url_writer write, void *ctx);

/* Whether it has a path of a file, in which nothing is decoded, with a "%41" or the like in it. */
FZ_PRIVATE bool fz_url_has_encoded_path(const char *url);

/*
 * Whether the password alone identifies the user, so that two of them may lead to two places: a Redis URL has one, and
 * names no user but "default".  Servers that speak Redis' protocol, and proxies, choose a tenant by it.
 */
FZ_PRIVATE bool fz_url_is_of_password(const char *url);

#endif
