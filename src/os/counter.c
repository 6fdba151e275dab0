/* SPDX-License-Identifier: MIT */
#include "counter.h"

#include <string.h>

#include "file.h"

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Whether name is one of the space-terminated words in list. */
static bool is_in_list(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *word = list; *word != '\0'; word = strchr(word, ' ') + 1) {
        if (strncmp(word, name, len) == 0 && word[len] == ' ')
            return true;
    }
    return false;
}

bool fz_counter_usable(void)
{
    char name[64];
    size_t len;

    if (!fz_counter_is_constant())
        return false;
    if (fz_file_read(CLOCKSOURCE_FILE, name, sizeof name, &len) != 0)
        return false;
    name[strcspn(name, "\n")] = '\0';
    return is_in_list(FZ_COUNTER_CLOCKSOURCES, name);
}
