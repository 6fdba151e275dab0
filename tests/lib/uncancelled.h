/* SPDX-License-Identifier: MIT */
/* For stand-ins before the library's rooms: simulated threads share one real thread, which nobody cancels. */
#ifndef TESTS_LIB_UNCANCELLED_H
#define TESTS_LIB_UNCANCELLED_H

#include <pthread.h>

#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(function, arg)                                                                            \
    {                                                                                                                  \
        void (*const cleanup_function)(void *) = (function);                                                           \
        void *const cleanup_arg = (arg);
#define pthread_cleanup_pop(execute)                                                                                   \
    if (execute)                                                                                                       \
        cleanup_function(cleanup_arg);                                                                                 \
    }

#endif
