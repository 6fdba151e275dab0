/* SPDX-License-Identifier: MIT */
#include "page.h"

#include "complain.h"
#include "output.h"

#include <string.h>
#include <unistd.h>

bool page_is_there(const char *path)
{
    if (access(path, R_OK) == 0)
        return true;
    complain("there is no page at %s: make page builds it, and make install puts it there", typed(path, strlen(path)));
    return false;
}

/* Appends text with all but letters and digits as %XX, so that no text can end the part that it stands in. */
static void put_escaped(const char *text, size_t len)
{
    static const char plain[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._/";

    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\0' && strchr(plain, text[i]) != NULL)
            output_format("%c", text[i]);
        else
            output_format("%%%02X", (unsigned)(unsigned char)text[i]);
    }
}

static void put_pair(const char *name, const char *value)
{
    if (value == NULL)
        return;
    output_format("&%s=", name);
    put_escaped(value, strlen(value));
}

void page_print(const char *path, const char *id, size_t len, const char *layout, const char *form)
{
    output_string("file://");
    put_escaped(path, strlen(path));
    output_string("#id=");
    put_escaped(id, len);
    put_pair("layout", layout);
    put_pair("form", form);
    output_string("\n");
}
