/* SPDX-License-Identifier: MIT */
#include "lib/url_rig.h"

#include <string.h>

#include "lib/asserts.h"

enum { SIZE_MAX_OF_ALL = 32768, FILLED = 0x5a };

void url_assert_refused(const struct fz_url_kind *kind, const char *text, frazil_err code, const char *why)
{
    static union {
        struct fz_url url;
        unsigned char bytes[SIZE_MAX_OF_ALL];
    } result;
    frazil_error err;

    assert_in_range(kind->size, sizeof result.url, sizeof result);
    memset(&result, FILLED, sizeof result);
    frazil_err refused = fz_url_parse(kind, text, &result.url, &err);
    if (refused != code || strstr(err.message, why) == NULL)
        fail_msg("%s: %d: %s; wanted: %s", text, (int)refused, refused == FRAZIL_OK ? "" : err.message, why);
    assert_null(strstr(err.message, "s3cret"));
    for (size_t i = 0; i < sizeof result; i++)
        assert_int_equal(result.bytes[i], i < kind->size ? 0 : FILLED);
}

void url_assert_all_refused(const struct fz_url_kind *kind, const char *const texts[][2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        url_assert_refused(kind, texts[i][0], FRAZIL_ESPEC, texts[i][1]);
}

void url_must_parse(const struct fz_url_kind *kind, const char *text, struct fz_url *ret)
{
    frazil_error err;

    if (fz_url_parse(kind, text, ret, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
}
