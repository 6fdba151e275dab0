/* SPDX-License-Identifier: MIT */
#include "frazil/error.h"

_Static_assert(sizeof(frazil_error) == 1024, "programs elsewhere have made room for as much");

/* Switches and no table: that would hold a pointer for each sentence, which is relocated in each process. */
const char *frazil_strerror(frazil_err err)
{
    switch (err) {
#define SENTENCE_CASE(name, number, err_class, sentence)                                                               \
    case FRAZIL_##name:                                                                                                \
        return sentence;
        FRAZIL_ERRORS(SENTENCE_CASE)
#undef SENTENCE_CASE
    default:
        return "not an error of frazil";
    }
}

const char *frazil_err_name(frazil_err err)
{
    switch (err) {
#define NAME_CASE(name, number, err_class, sentence)                                                                   \
    case FRAZIL_##name:                                                                                                \
        return "FRAZIL_" #name;
        FRAZIL_ERRORS(NAME_CASE)
#undef NAME_CASE
    default:
        return "FRAZIL_?";
    }
}

frazil_err_class frazil_err_classify(frazil_err err)
{
    switch (err) {
#define CLASS_CASE(name, number, err_class, sentence)                                                                  \
    case FRAZIL_##name:                                                                                                \
        return FRAZIL_CLASS_##err_class;
        FRAZIL_ERRORS(CLASS_CASE) /* NOLINT(bugprone-branch-clone): a row for each */
#undef CLASS_CASE
    default:
        return FRAZIL_CLASS_FATAL;
    }
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
