/* SPDX-License-Identifier: MIT */
#include "lib/layouts.h"

#include <string.h>

#include "lib/asserts.h"

frazil_layout parse_layout(const char *text)
{
    frazil_layout layout;
    frazil_error err;

    if (frazil_layout_parse(text, strlen(text), &layout, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    return layout;
}

frazil_layout_info describe_layout(const frazil_layout *layout)
{
    frazil_layout_info info;

    frazil_layout_get_info(layout, &info, sizeof info);
    return info;
}
