/* SPDX-License-Identifier: MIT */
/*
 * A spec says everything, and what it does not say comes from FRAZIL_... in the
 * environment.  A wrong one gives a sentence that says why; nothing is guessed or made to
 * fit.  The class of an error tells the caller what to do about it.
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const wrong[] = {
    "layout=twitter",                             /* no worker id */
    "layout=twitter worker=fixed:1024",           /* there are 1024, from 0 */
    "layout=twitter worker=env:EXAMPLE_UNSET",    /* the deployment forgot it */
    "layout=twitter worker=fixed:7 on_ful=error", /* a slip of the pen */
    "layout=41/12/12 worker=fixed:7",             /* 65 bits */
};

static const char right[] = "layout='41/5+5/12 epoch=2024-01-01' datacenter=2 worker=fixed:7"
                            " on_full=error on_backward=error max_wait=0s state=memory";

int main(void)
{
    frazil *gen;
    frazil_error err;
    frazil_info info;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (frazil_open(&gen, wrong[i], &err) == FRAZIL_OK)
            return 1;
        printf("%s: %s\n", frazil_err_name(err.code), err.message);
        if (frazil_err_classify(err.code) != FRAZIL_CLASS_USAGE)
            return 1;
    }
    if (frazil_open(&gen, right, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    frazil_get_info(gen, &info, sizeof info);
    printf("worker %" PRIu32 " is %" PRIu32 " in datacenter %" PRIu32 ", %" PRIu64 " ids a millisecond\n", info.worker,
           info.worker_in_datacenter, info.datacenter, info.capacity);
    frazil_close(gen);
    return 0;
}
