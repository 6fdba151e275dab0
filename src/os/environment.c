/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

extern char **environ;

bool fz_environment_is_foreign(void)
{
#ifdef __linux__
    /* The kernel's word about the start: it also knows of capabilities, and giving the rights up does not change it. */
    return getauxval(AT_SECURE) != 0;
#else
    return getuid() != geteuid() || getgid() != getegid();
#endif
}

const char *fz_environment(const char *name)
{
    return fz_environment_is_foreign() ? NULL : getenv(name);
}

char *const *fz_environment_all(void)
{
    static char *const none[] = {NULL};

    return fz_environment_is_foreign() || environ == NULL ? none : environ;
}
