/* SPDX-License-Identifier: MIT */
/* Every parser of URLs must treat a wrong one like this: say why, without its password, and leave nothing behind. */
#ifndef TESTS_LIB_URL_RIG_H
#define TESTS_LIB_URL_RIG_H

#include "coordinators/common/url.h"

/*
 * Fails the test unless the URL is refused with this code, in a sentence that holds `why` and no password ("s3cret", in
 * all tests).
 */
void url_assert_refused(const struct fz_url_kind *kind, const char *text, frazil_err code, const char *why);

/* Fails the test unless each {text, why} of a table is refused so, with FRAZIL_ESPEC. */
void url_assert_all_refused(const struct fz_url_kind *kind, const char *const texts[][2], size_t n);

/* Reads it as fz_url_parse does; fails the test, with the sentence, if it is refused. */
void url_must_parse(const struct fz_url_kind *kind, const char *text, struct fz_url *ret);

/* Defines parse(text), which returns the struct of such a URL. */
#define URL_PARSE(type, kind)                                                                                          \
    static type parse(const char *text)                                                                                \
    {                                                                                                                  \
        type url;                                                                                                      \
        url_must_parse(kind, text, &url.common);                                                                       \
        return url;                                                                                                    \
    }

#endif
