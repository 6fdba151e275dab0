/* SPDX-License-Identifier: MIT */
#include "quotes.h"

#include <stdlib.h>
#include <string.h>

char *fz_unquoted(const char *value)
{
    size_t len = strlen(value), at = 1, end = 0;
    char *plain = calloc(len + 1, 1);

    if (plain == NULL)
        return NULL;
    for (; value[0] == '\'' && value[at] != '\0' && value[at] != '\''; at++) {
        if (value[at] == '\\' && (value[at + 1] == '\'' || value[at + 1] == '\\'))
            at++;
        plain[end++] = value[at];
    }
    /* Not all of it stands in one pair of quotes, as in partition's 'A','B'. */
    if (value[0] != '\'' || at + 1 != len)
        memcpy(plain, value, len + 1);
    return plain;
}
