/* SPDX-License-Identifier: MIT */
#include "client_environment.h"

#include <stddef.h>
#include <string.h>

#include "os/host.h"

static bool starts_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_of_postgresql(const char *url)
{
    return starts_with(url, "postgres://") || starts_with(url, "postgresql://");
}

/* All that libpq may read, but for two that never decide where a URL leads. */
static bool is_read_by_libpq(const char *variable)
{
    if (starts_with(variable, "PGPASSWORD=") || starts_with(variable, "PGAPPNAME="))
        return false;
    return starts_with(variable, "PG") || starts_with(variable, "HOME=");
}

/* The first one behind `before` in the order of their texts; NULL: none.  The environment itself has no order. */
static const char *variable_behind(const char *before)
{
    const char *found = NULL;

    for (char *const *variable = fz_environment_all(); *variable != NULL; variable++) {
        if (is_read_by_libpq(*variable) && (before == NULL || strcmp(*variable, before) > 0) &&
            (found == NULL || strcmp(*variable, found) < 0))
            found = *variable;
    }
    return found;
}

void fz_client_environment(const char *url, fz_variable_visitor visit, void *ctx)
{
    if (!is_of_postgresql(url))
        return;
    for (const char *variable = variable_behind(NULL); variable != NULL; variable = variable_behind(variable))
        visit(ctx, variable);
}

bool fz_client_reads_files(const char *url)
{
    /* libpq trusts the environment of a set-user-ID program, which we do not look at. */
    return is_of_postgresql(url) && (fz_environment("PGSERVICE") != NULL || fz_foreign_variable("PG") != NULL);
}
