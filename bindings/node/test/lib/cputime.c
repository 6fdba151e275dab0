/* SPDX-License-Identifier: MIT */
/* For event-loop.test.js: how much of the processor's time its thread has used, which no Node before 23.9 says. */
#define _POSIX_C_SOURCE 200809L
#define NAPI_VERSION 8
#include <node_api.h>
#include <time.h>

static napi_value used_ms(napi_env env, napi_callback_info info)
{
    struct timespec used;
    napi_value value = NULL;

    (void)info;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    (void)napi_create_double(env, (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6, &value);
    return value;
}

NAPI_MODULE_INIT()
{
    (void)napi_create_function(env, "usedMs", NAPI_AUTO_LENGTH, used_ms, NULL, &exports);
    return exports;
}
