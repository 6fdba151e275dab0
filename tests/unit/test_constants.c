/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whoever cannot see macros gets their values as rows, those of the headers that the library was
 * compiled with.
 */

#include "frazil.h"
#include "lib/test.h"

enum { ROOM = 500 };

static frazil_constant rows[ROOM];

/* How many rows have that name; the last one's value. */
static size_t rows_named(const char *name, int64_t *ret_value)
{
    size_t found = 0;

    for (size_t i = 0; i < frazil_get_constants(rows, ROOM); i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        *ret_value = rows[i].value;
        found++;
    }
    return found;
}

/* tests/api/constants.sh compares all of them with the headers. */
TEST("Constants are there under their names, once, also those that fill 64 bits")
{
    int64_t value = 0;

    assert_int_equal(rows_named("FRAZIL_EFULL", &value), 1);
    assert_int_equal(value, FRAZIL_EFULL);
    assert_int_equal(rows_named("FRAZIL_WAIT_FOREVER", &value), 1);
    assert_true((uint64_t)value == FRAZIL_WAIT_FOREVER);
    assert_int_equal(rows_named("FRAZIL_EVENT_WARN_EARLY_CLOCK", &value), 1);
    assert_int_equal(value, FRAZIL_EVENT_WARN_EARLY_CLOCK);
    for (size_t i = 0; i < frazil_get_constants(rows, ROOM); i++) {
        frazil_constant row = rows[i];
        assert_true(strlen(row.name) < 32);
        assert_int_equal(rows_named(row.name, &value), 1);
    }
}

TEST("As many rows are filled as there is room for, and the number of all is told")
{
    const size_t all = frazil_get_constants(NULL, 0);
    frazil_constant few[3] = {{.value = 0}, {.value = 0}, {.name = "untouched"}};

    assert_true(all > 90 && all < ROOM);
    assert_int_equal(frazil_get_constants(few, 2), all);
    assert_int_equal(frazil_get_constants(rows, ROOM), all);
    assert_string_equal(few[1].name, rows[1].name);
    assert_string_equal(few[2].name, "untouched");
    assert_null(rows[all].name);
}

TEST("The version is a number that grows with each of its parts")
{
    char text[32];

    assert_int_equal(frazil_version_number(), FRAZIL_VERSION_NUMBER);
    (void)snprintf(text, sizeof text, "%u.%u.%u", frazil_version_number() / 1000000,
                   frazil_version_number() / 1000 % 1000, frazil_version_number() % 1000);
    assert_string_equal(text, frazil_version());
}

TEST("A library fits programs of its major version and of its minor version or an older one")
{
    assert_true(FRAZIL_VERSION_FITS(frazil_version_number()));
    assert_true(FRAZIL_VERSION_FITS(FRAZIL_VERSION_NUMBER + 1));
    assert_false(FRAZIL_VERSION_FITS(FRAZIL_VERSION_NUMBER - 1000));
    assert_false(FRAZIL_VERSION_FITS(FRAZIL_VERSION_NUMBER + 1000000));
#undef FRAZIL_VERSION_MINOR
#define FRAZIL_VERSION_MINOR 2
    assert_true(FRAZIL_VERSION_FITS(1002000) && FRAZIL_VERSION_FITS(1002009) && FRAZIL_VERSION_FITS(1030000));
    assert_false(FRAZIL_VERSION_FITS(1001009) || FRAZIL_VERSION_FITS(2002000) || FRAZIL_VERSION_FITS(2000));
}
