/* SPDX-License-Identifier: MIT */
#include "default_worker.h"

#include <stdio.h>
#include <string.h>

#define SOURCE "file-lock"

frazil_err default_worker_check(frazil_options *options, bool *ret_assumed, frazil_error *err)
{
    const frazil_err missing = frazil_options_check(options, err);
    const frazil_error without = *err;

    *ret_assumed = missing == FRAZIL_ENOWORKER;
    if (!*ret_assumed)
        return missing;
    char none[1];
    frazil_err code = frazil_options_set(options, "worker", SOURCE, strlen(SOURCE), err);
    if (code == FRAZIL_OK)
        code = frazil_options_text(options, 0, none, sizeof none, NULL, err);
    if (code == FRAZIL_EBUFFER) /* file-lock works here: whatever else is wrong is no fault of it */
        return frazil_options_check(options, err);
    if (code != FRAZIL_ESPEC)
        return code;
    frazil_error both = without;
    size_t len = strlen(both.message);
    int rest = (int)(sizeof both.message - len); /* what does not fit is cut */
    (void)snprintf(both.message + len, (size_t)rest, " (worker=" SOURCE ", the default, does not work here: %.*s)",
                   rest, err->message);
    *err = both;
    return missing;
}
