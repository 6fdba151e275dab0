/* SPDX-License-Identifier: MIT */
#include "extension.h"

#include <stdlib.h>

enum { GENERATORS_MAX = 64 };

/* The specs that frazil_sqlite_config was told.  They are written before connections read them. */
static struct named_spec {
    char name[FZ_SQLITE_NAME_SIZE];
    char *spec;
} named_specs[GENERATORS_MAX];
static size_t named_spec_count;

bool fz_sqlite_is_name(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len < FZ_SQLITE_NAME_SIZE && name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

static struct named_spec *named_spec(const char *name)
{
    for (size_t i = 0; i < named_spec_count; i++) {
        if (strcmp(named_specs[i].name, name) == 0)
            return &named_specs[i];
    }
    return NULL;
}

FZ_EXPORT int frazil_sqlite_config(const char *name, const char *spec)
{
    if (name == NULL || spec == NULL || !fz_sqlite_is_name(name))
        return SQLITE_MISUSE;
    struct named_spec *named = named_spec(name);
    if (named == NULL && named_spec_count == GENERATORS_MAX)
        return SQLITE_FULL;
    /* Not sqlite3_malloc: a loaded extension has no SQLite before its entry point was called. */
    char *copy = malloc(strlen(spec) + 1);
    if (copy == NULL)
        return SQLITE_NOMEM;
    memcpy(copy, spec, strlen(spec) + 1);
    if (named == NULL) {
        named = &named_specs[named_spec_count++];
        memcpy(named->name, name, strlen(name) + 1);
    }
    free(named->spec);
    named->spec = copy;
    return SQLITE_OK;
}

/* The variable of a name, or NULL: a set-user-ID program's environment belongs to somebody else. */
static const char *spec_of_environment(const char *name)
{
    char variable[sizeof FZ_SQLITE_ENVIRONMENT + FZ_SQLITE_NAME_SIZE];
    size_t len = sizeof FZ_SQLITE_ENVIRONMENT - 1;

    memcpy(variable, FZ_SQLITE_ENVIRONMENT, len);
    for (const char *c = name; *c != '\0'; c++)
        variable[len++] = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    variable[len] = '\0';
#if defined(__GLIBC__)
    return secure_getenv(variable);
#else
    return getenv(variable);
#endif
}

bool fz_sqlite_find_spec(const char *name, const char **ret_spec)
{
    const struct named_spec *named = named_spec(name);

    *ret_spec = named != NULL ? named->spec : fz_sqlite_is_name(name) ? spec_of_environment(name) : NULL;
    return *ret_spec != NULL || strcmp(name, FZ_SQLITE_MAIN) == 0;
}

frazil_err fz_sqlite_no_generator(const char *name, frazil_error *reterr)
{
    if (fz_sqlite_is_name(name))
        snprintf(reterr->message, sizeof reterr->message,
                 "there is no generator '%s': set its spec in the environment, as %s and its name in capitals, before "
                 "the program starts",
                 name, FZ_SQLITE_ENVIRONMENT);
    else
        snprintf(reterr->message, sizeof reterr->message,
                 "'%.63s' is not a generator's name: a-z, then a-z, 0-9 and _, at most 63 characters", name);
    return FRAZIL_ESPEC;
}
