/* SPDX-License-Identifier: MIT */
#include "spec.h"

#include "command.h"
#include "complain.h"

#include <stdlib.h>
#include <string.h>

/* Appends a text, with a space between it and what is there; returns where to go on. */
static char *append(const char *start, char *end, const char *text)
{
    size_t len = strlen(text);

    if (end > start && len > 0)
        *end++ = ' ';
    memcpy(end, text, len);
    return end + len;
}

char *spec_join(const struct arguments *args)
{
    size_t size = 1;
    char *spec, *end;

    for (int i = 0; i < args->count; i++)
        size += strlen(args->values[i]) + 1;
    spec = end = malloc(size);
    if (spec == NULL)
        return NULL;
    for (int i = 0; i < args->count; i++)
        end = append(spec, end, args->values[i]);
    *end = '\0';
    return spec;
}

int spec_run(const struct arguments *args, spec_fn *fn, const void *options)
{
    char *spec = spec_join(args);

    if (spec == NULL) {
        complain("out of memory");
        return STATUS_FATAL;
    }
    int status = fn(spec, options);
    free(spec);
    return status;
}
