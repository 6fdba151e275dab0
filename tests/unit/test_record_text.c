/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what registers keep of a record as text, and what they call it, is read as it was written, and
 * nothing else is taken for it.
 */

#include "lease/record_text.h"
#include "lib/test.h"

TEST("A record is called by its number, or the one of the namespace by that word")
{
    static const struct {
        uint32_t number;
        const char *name;
    } rows[] = {{0, "0"}, {7, "7"}, {FZ_NAMESPACE - 1, "4294967294"}, {FZ_NAMESPACE, "namespace"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[FZ_RECORD_NAME_SIZE];
        uint32_t number = 4711;
        fz_record_name_write(rows[i].number, name);
        assert_string_equal(name, rows[i].name);
        assert_true(fz_record_name_read(name, strlen(name), &number));
        assert_int_equal(number, rows[i].number);
    }
}

TEST("Nothing else is a name: no other way to write the number, none that is too large, no part of the word")
{
    static const char *const foreign[] = {"",   "x",         "07",         "-1",        "4294967295",
                                          "7 ", "Namespace", "namespace2", "namespacf", "99999999999999999999"};
    uint32_t number = 4711;

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        assert_false(fz_record_name_read(foreign[i], strlen(foreign[i]), &number));
    assert_false(fz_record_name_read("namespace", 8, &number));
    assert_int_equal(number, 4711);
}

TEST("A record's text is its version, a space and its data: any bytes, none, and as many as there may be")
{
    struct fz_record record = {.version = 0};
    char data[FZ_RECORD_SIZE_MAX];
    char text[FZ_RECORD_TEXT_SIZE + 1];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)i;
    size_t len = fz_record_text_write(UINT64_MAX, data, sizeof data, text);
    assert_int_equal(len, FZ_RECORD_TEXT_SIZE);
    assert_true(fz_record_text_read(text, len, &record));
    assert_true(record.version == UINT64_MAX);
    assert_int_equal(record.len, sizeof data);
    assert_memory_equal(record.data, data, sizeof data);
    text[len] = 'x';
    assert_false(fz_record_text_read(text, len + 1, &record));
    len = fz_record_text_write(1, NULL, 0, text);
    assert_int_equal(len, 2);
    assert_memory_equal(text, "1 ", 2);
    assert_true(fz_record_text_read(text, len, &record));
    assert_int_equal(record.version, 1);
    assert_int_equal(record.len, 0);
}

TEST("A text without a version, or without a space behind it, was not written here; nothing is touched")
{
    static const char *const foreign[] = {"", "7", " 7", "x 7", "0 7", "07 7", "-7 7", "18446744073709551616 7"};
    struct fz_record record = {.version = 4711, .len = 5};

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        assert_false(fz_record_text_read(foreign[i], strlen(foreign[i]), &record));
    assert_int_equal(record.version, 4711);
    assert_int_equal(record.len, 5);
}
