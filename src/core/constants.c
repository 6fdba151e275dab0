/* SPDX-License-Identifier: MIT */
/* The constants of the headers as rows: other languages cannot see macros. */
#include "frazil.h"
#include "frazil/extras.h"
#include "sentence.h"

/* clang-format off */
/* Those that are in no list of the headers. */
#define CONSTANTS(X) \
    X(FRAZIL_VERSION_NUMBER) \
    X(FRAZIL_VERSION_MAJOR) \
    X(FRAZIL_VERSION_MINOR) \
    X(FRAZIL_VERSION_PATCH) \
    X(FRAZIL_ERROR_MESSAGE_SIZE) \
    X(FRAZIL_NO_POSITION) \
    X(FRAZIL_LAYOUT_NAME_SIZE) \
    X(FRAZIL_FINGERPRINT_SIZE) \
    X(FRAZIL_TEXT_SIZE) \
    X(FRAZIL_TIME_SIZE) \
    X(FRAZIL_SNO_SIZE) \
    X(FRAZIL_SNO_LEN) \
    X(FRAZIL_SNO_PARTITION_SIZE) \
    X(FRAZIL_SNO_SNAPSHOT_SIZE) \
    X(FRAZIL_BYTES_SIZE) \
    X(FRAZIL_KASUMI_LEN) \
    X(FRAZIL_KASUMI_CHECKED_LEN) \
    X(FRAZIL_KASUMI_CHECKED) \
    X(FRAZIL_UUID_SIZE) \
    X(FRAZIL_UUID_LEN) \
    X(FRAZIL_SNO_JSON_SIZE) \
    X(FRAZIL_WAIT_DEFAULT) \
    X(FRAZIL_WAIT_FOREVER) \
    X(FRAZIL_LEASE_ALL_USED) \
    X(FRAZIL_CLOCK_FROZEN) \
    X(FRAZIL_OPTIONS_WITH_SECRETS) \
    X(FRAZIL_LAYOUT_64) \
    X(FRAZIL_LAYOUT_SNO) \
    X(FRAZIL_CLASS_NONE) \
    X(FRAZIL_CLASS_USAGE) \
    X(FRAZIL_CLASS_RETRY) \
    X(FRAZIL_CLASS_FENCED) \
    X(FRAZIL_CLASS_FATAL) \
    X(FRAZIL_ENVIRONMENT_BY_KEY) \
    X(FRAZIL_ENVIRONMENT_NONE) \
    X(FRAZIL_ENVIRONMENT_ALL) \
    X(FRAZIL_STATE_MEMORY) \
    X(FRAZIL_STATE_FILE) \
    X(FRAZIL_STATE_GRANT) \
    X(FRAZIL_STATE_SLOTS) \
    X(FRAZIL_STATS_MOST) \
    X(FRAZIL_HEALTH_SERVING) \
    X(FRAZIL_HEALTH_NEEDS_GRANT) \
    X(FRAZIL_HEALTH_BEHIND) \
    X(FRAZIL_HEALTH_FENCED) \
    X(FRAZIL_HEALTH_EXHAUSTED) \
    X(FRAZIL_HEALTH_STOPPED) \
    X(FRAZIL_FAST_NONE) \
    X(FRAZIL_FAST_X86_TSC) \
    X(FRAZIL_FAST_ARM_CNTVCT)
/* clang-format on */

#define ROW_OF_CONSTANT(name) ROW(#name, (int64_t)(name))
#define ROW_OF_ERROR(name, number, err_class, sentence) number,
#define ROW_OF_TEXT(identifier, number, name, reads) ROW("FRAZIL_TEXT_" #identifier, number)
#define ROW_OF_STATISTIC(capitals, number, name, what) ROW("FRAZIL_STAT_" #capitals, number)
#define ROW_OF_EVENT(kind, number, name, what) ROW("FRAZIL_EVENT_" #kind, number)
#define ALL_BUT_ERRORS                                                                                                 \
    CONSTANTS(ROW_OF_CONSTANT)                                                                                         \
    FRAZIL_TEXTS(ROW_OF_TEXT) FRAZIL_EVENTS(ROW_OF_EVENT) FRAZIL_STATS(ROW_OF_STATISTIC)

/*
 * The names, each with its terminator, one behind the other: they need neither room to spare nor relocations.
 * frazil_err_name has those of errors.
 */
static const char constant_names[] =
#define ROW(name, value) name "\0"
    ALL_BUT_ERRORS;
#undef ROW

/* Errors come first. */
static const int64_t constant_values[] = {
#define ROW(name, value) value,
    FRAZIL_ERRORS(ROW_OF_ERROR) ALL_BUT_ERRORS
#undef ROW
};

enum {
    CONSTANT_COUNT = sizeof constant_values / sizeof constant_values[0],
    ERROR_COUNT = sizeof(int64_t[]){FRAZIL_ERRORS(ROW_OF_ERROR)} / sizeof(int64_t)
};

size_t frazil_get_constants(frazil_constant *ret, size_t n)
{
    const char *name = constant_names;

    for (size_t i = 0; i < CONSTANT_COUNT && i < n; i++) {
        ret[i].value = constant_values[i];
        if (i < ERROR_COUNT) {
            ret[i].name = frazil_err_name((frazil_err)constant_values[i]);
            continue;
        }
        ret[i].name = name;
        name += fz_text_len(name) + 1;
    }
    return CONSTANT_COUNT;
}

const char *frazil_version(void)
{
    return FRAZIL_VERSION;
}

uint32_t frazil_version_number(void)
{
    return FRAZIL_VERSION_NUMBER;
}
