/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "complain.h"
#include "ids.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Appends a text without its quotes; NULL adds nothing. */
static void append_unquoted(char *buf, size_t size, const char *before, const char *text)
{
    char *plain = text == NULL ? NULL : fz_typed_unquoted(text);
    size_t len = strlen(buf);

    if (plain != NULL)
        (void)snprintf(buf + len, size - len, "%s%s", before, plain);
    free(plain);
}

/* The layout that a generator without a spec would have, as far as the environment says. */
static void text_from_environment(char *buf, size_t size)
{
    const char *layout = fz_typed_variable("FRAZIL_LAYOUT");

    append_unquoted(buf, size, "", layout != NULL ? layout : "frazil");
    append_unquoted(buf, size, " epoch=", fz_typed_variable("FRAZIL_EPOCH"));
    append_unquoted(buf, size, " tick=", fz_typed_variable("FRAZIL_TICK"));
}

bool ids_layout_choose(const char *text, struct ids_layout *ret)
{
    char plain[512] = "";
    frazil_error err;

    if (text == NULL)
        text_from_environment(plain, sizeof plain);
    else
        append_unquoted(plain, sizeof plain, "", text);
    if (frazil_layout_parse(plain, strlen(plain), &ret->layout, &err) != FRAZIL_OK) {
        complain("%s%s", text == NULL ? "FRAZIL_LAYOUT: " : "", err.message);
        return false;
    }
    ids_layout_label(ret);
    return true;
}
