/* SPDX-License-Identifier: MIT */
#include "frazil/error.h"

static const struct {
    frazil_err err;
    frazil_err_class err_class;
    char name[20];
    const char *sentence;
} errors[] = {
#define ERROR_ROW(name, number, err_class, sentence)                                                                   \
    {FRAZIL_##name, FRAZIL_CLASS_##err_class, "FRAZIL_" #name, sentence},
    FRAZIL_ERRORS(ERROR_ROW)
#undef ERROR_ROW
};

enum { ERROR_COUNT = sizeof errors / sizeof errors[0] };

_Static_assert(sizeof(frazil_error) == 1024, "programs elsewhere have made room for as much");

/* The row of err, or -1. */
static int error_row(frazil_err err)
{
    for (size_t i = 0; i < ERROR_COUNT; i++) {
        if (errors[i].err == err)
            return (int)i;
    }
    return -1;
}

const char *frazil_strerror(frazil_err err)
{
    int row = error_row(err);

    return row < 0 ? "not an error of frazil" : errors[row].sentence;
}

const char *frazil_err_name(frazil_err err)
{
    int row = error_row(err);

    return row < 0 ? "FRAZIL_?" : errors[row].name;
}

frazil_err_class frazil_err_classify(frazil_err err)
{
    int row = error_row(err);

    return row < 0 ? FRAZIL_CLASS_FATAL : errors[row].err_class;
}

const char *frazil_err_class_name(frazil_err_class err_class)
{
    switch (err_class) {
    case FRAZIL_CLASS_NONE:
        return "none";
    case FRAZIL_CLASS_USAGE:
        return "usage";
    case FRAZIL_CLASS_RETRY:
        return "retry";
    case FRAZIL_CLASS_FENCED:
        return "fenced";
    case FRAZIL_CLASS_FATAL:
        return "fatal";
    default:
        return "?";
    }
}
