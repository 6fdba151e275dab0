/* SPDX-License-Identifier: MIT */
#include "color.h"
#include "complain.h"

#include "cli/cli.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* In the order of their names. */
enum when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

static enum when color = COLOR_AUTO;

bool color_choose(const char *when)
{
    static const char *const names[] = {"auto", "always", "never", NULL};

    if (when == NULL)
        return true;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(when, names[i]) == 0) {
            color = (enum when)i;
            return true;
        }
    }
    complain("--color takes auto, always or never, not %s%s", quoted(when), meant(when, names));
    return false;
}

/* Whether standard output is a terminal that knows colours, and nobody asked for none. */
static bool is_wanted(void)
{
    const char *no_color = fz_typed_variable("NO_COLOR");
    const char *term = fz_typed_variable("TERM");

    if (no_color != NULL && *no_color != '\0')
        return false;
    return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

bool color_in_use(void)
{
    static int wanted =
        -1; /* asked for each line: a system call for each would be most of the time that a line takes */

    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    if (wanted < 0)
        wanted = is_wanted();
    return wanted == 1;
}
