/* SPDX-License-Identifier: MIT */
/*
 * The common part of the fuzz targets.  A target is a file fuzz_NAME.c with one LLVMFuzzerTestOneInput, which holds a
 * parser against what its header promises.  It is linked with libFuzzer (make fuzz) or with replay.c, which gives it
 * the inputs of corpus/NAME (make check).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinators/common/url.h"
#include "frazil/error.h"

/* One input.  Returns 0; a broken promise ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, and says where, unless the condition holds. */
#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_broken(#condition, __FILE__, __LINE__))

/* Says which promise was broken, and aborts. */
_Noreturn void fuzz_broken(const char *condition, const char *file, int line);

/* The input as a string, up to its first zero byte, in memory of exactly its size; the caller frees it. */
char *fuzz_string(const uint8_t *data, size_t size);

/* Fills memory with what no parser writes there; then, whether it still is as it was filled. */
void fuzz_fill(void *memory, size_t size);
bool fuzz_is_untouched(const void *memory, size_t size);

/* An error says its code and one sentence, which is terminated and shows no control character; err is no success. */
void fuzz_require_error(frazil_err err, const frazil_error *why);

/*
 * The word "hunter2" is not in the sentence if it stands where a password does in the URL: behind the scheme and before
 * an '@', and nowhere else.
 */
void fuzz_require_secret_kept(const char *url, const char *sentence);

/* A parser of URLs; `url` is its struct, of `size` bytes, which begins with a struct fz_url. */
struct fuzz_url_parser {
    size_t size;
    size_t hosts_max;
    frazil_err (*parse)(const char *text, void *url, frazil_error *reterr);
    void (*check)(const void *url, const char *text); /* requires what the coordinator itself promises */
};

/*
 * Gives the input to the parser: what is refused leaves the struct untouched, what is read has a host, a
 * namespace and a timeout, and no sentence tells the password.
 */
void fuzz_url(const struct fuzz_url_parser *parser, const uint8_t *data, size_t size);

/* Each host has a name and a port, or the path of a socket. */
void fuzz_require_hosts(const struct fz_url *url);

/* The target of the URLs that the function reads into such a struct; check as in fuzz_url_parser. */
#define FUZZ_URL(parse_url, url_struct, most_hosts, check_own)                                                         \
    static frazil_err parse_any(const char *text, void *url, frazil_error *reterr)                                     \
    {                                                                                                                  \
        return parse_url(text, url, reterr);                                                                           \
    }                                                                                                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                                       \
    {                                                                                                                  \
        static const struct fuzz_url_parser parser = {sizeof(url_struct), most_hosts, parse_any, check_own};           \
        fuzz_url(&parser, data, size);                                                                                 \
        return 0;                                                                                                      \
    }

#endif
