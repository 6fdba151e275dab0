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

/* Requires what the coordinator itself promises of a URL that was read into its struct. */
typedef void fuzz_url_check(const void *url, const char *text);

/*
 * Reads the input as a URL of that kind: what is refused leaves zeros, what is read has a host, a namespace and a
 * timeout, and no sentence tells the password.
 */
void fuzz_url(const struct fz_url_kind *kind, fuzz_url_check *check, const uint8_t *data, size_t size);

/* Each host has a name and a port, or the path of a socket. */
void fuzz_require_hosts(const struct fz_url *url);

/* The target of the URLs of that kind. */
#define FUZZ_URL(kind, check_own)                                                                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                                       \
    {                                                                                                                  \
        fuzz_url(kind, check_own, data, size);                                                                         \
        return 0;                                                                                                      \
    }

#endif
