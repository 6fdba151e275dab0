/* SPDX-License-Identifier: MIT */
#include "complain.h"
#include "console/console.h"
#include "ids.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void ids_layout_label(struct ids_layout *layout)
{
    if (strcmp(layout->layout.name, "custom") != 0) {
        (void)snprintf(layout->label, sizeof layout->label, "%s", layout->layout.name);
        return;
    }
    frazil_err err = frazil_layout_fingerprint(&layout->layout, layout->label, sizeof layout->label, NULL);
    assert(err == FRAZIL_OK);
    (void)err;
}

/* The layout that a generator without a spec would have, as far as the environment says. */
static void text_from_environment(char *buf, size_t size)
{
    const char *layout = fz_typed_variable("FRAZIL_LAYOUT");
    const char *epoch = fz_typed_variable("FRAZIL_EPOCH");
    const char *tick = fz_typed_variable("FRAZIL_TICK");

    (void)snprintf(buf, size, "%s%s%s%s%s", layout != NULL ? layout : "frazil", epoch != NULL ? " epoch=" : "",
                   epoch != NULL ? epoch : "", tick != NULL ? " tick=" : "", tick != NULL ? tick : "");
}

bool ids_layout_choose(const char *text, struct ids_layout *ret)
{
    char from_environment[512];
    frazil_error err;

    if (text == NULL) {
        text_from_environment(from_environment, sizeof from_environment);
        text = from_environment;
    }
    if (frazil_layout_parse(text, strlen(text), &ret->layout, &err) != FRAZIL_OK) {
        complain("%s%s", text == from_environment ? "FRAZIL_LAYOUT: " : "", err.message);
        return false;
    }
    ids_layout_label(ret);
    return true;
}
