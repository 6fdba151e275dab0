/* SPDX-License-Identifier: MIT */
/* Goal of this test: what a client left out is equal to nothing, and bytes count as they are, a zero among them. */
#include "lib/test.h"
#include "slice.h"

static const struct slice absent = {NULL, 0};

static void expect_part(struct slice part, const char *text)
{
    assert_true(slice_equals(part, slice_of(text)));
}

TEST("An absent slice is equal to nothing, not even to another one or to an empty text")
{
    struct slice moved = absent;

    assert_false(slice_equals(absent, absent) || slice_equals(absent, slice_of("")) ||
                 slice_equals(slice_of(""), absent));
    assert_false(slice_equals_any_case(absent, absent) || slice_equals_any_case(absent, slice_of("")) ||
                 slice_equals_any_case(slice_of(""), absent));
    assert_false(slice_is(absent, "") || slice_holds(absent, "") || slice_skip(&moved, ""));
    assert_null(moved.at);
    assert_null(slice_of(NULL).at);
    assert_null(slice_cut(&moved, ',').at);
}

TEST("Slices are equal if all of their bytes are, behind a zero as well")
{
    const struct slice word = {"no\0ne", 5};

    assert_true(slice_equals(slice_of(""), slice_of("")));
    assert_true(slice_equals(word, (struct slice){"no\0ne", 5}));
    assert_false(slice_equals(word, (struct slice){"no\0nf", 5}));
    assert_false(slice_equals(word, slice_of("no")));
    assert_false(slice_equals(slice_of("none"), slice_of("None")));
    assert_true(slice_equals_any_case(slice_of("nOne-["), slice_of("None-[")));
    assert_false(slice_equals_any_case(slice_of("["), slice_of("{")));
    assert_false(slice_equals_any_case(word, (struct slice){"NO\0NF", 5}));
}

TEST("A word is found in either case, and whole")
{
    assert_true(slice_is(slice_of("form"), "FORM"));
    assert_false(slice_is(slice_of("for"), "FORM"));
    assert_false(slice_is(slice_of("forms"), "FORM"));
}

TEST("A text is held wherever it stands")
{
    assert_true(slice_holds((struct slice){"a\0text/html", 11}, "text/html"));
    assert_true(slice_holds(slice_of("text/html"), "text/html"));
    assert_false(slice_holds((struct slice){"text/html", 8}, "text/html"));
}

TEST("A text that it begins with is skipped, or it stays as it was")
{
    struct slice slice = slice_of("Bearer x");

    assert_false(slice_skip(&slice, "bearer "));
    assert_true(slice_skip(&slice, "Bearer "));
    expect_part(slice, "x");
    assert_false(slice_skip(&slice, "xx"));
    assert_true(slice_skip(&slice, "x"));
    expect_part(slice, "");
}

TEST("Parts are cut without the blanks around them, until there is none")
{
    struct slice slice = slice_of(" \ta\t ,, b c ,");

    expect_part(slice_cut(&slice, ','), "a");
    expect_part(slice_cut(&slice, ','), "");
    expect_part(slice_cut(&slice, ','), "b c");
    expect_part(slice_cut(&slice, ','), "");
    assert_null(slice.at);
    assert_null(slice_cut(&slice, ',').at);
}

TEST("A number is digits alone, up to the most that is wanted, and never wraps")
{
    uint64_t number;

    assert_true(slice_number(slice_of("0255"), 255, &number));
    assert_int_equal(number, 255);
    assert_false(slice_number(slice_of("256"), 255, &number));
    assert_false(slice_number(slice_of("18446744073709551617"), 255, &number)); /* 2^64 + 1 */
    assert_false(slice_number(slice_of("+1"), 255, &number));
    assert_false(slice_number(slice_of(""), 255, &number));
}

TEST("The words of a list come one after the other, whatever blanks stand around them")
{
    static const char *const lists[] = {"a bc d", "  a\tbc \t d ", "\ta  bc\td\t\t"};
    struct slice word;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const char *list = lists[i];
        assert_true(slice_next_word(&list, &word) && slice_equals(word, slice_of("a")));
        assert_true(slice_next_word(&list, &word) && slice_equals(word, slice_of("bc")));
        assert_true(slice_next_word(&list, &word) && slice_equals(word, slice_of("d")));
        assert_false(slice_next_word(&list, &word));
        assert_false(slice_next_word(&list, &word));
    }
}

TEST("A list of blanks has no words")
{
    const char *empty = "", *blanks = " \t ";
    struct slice word;

    assert_false(slice_next_word(&empty, &word));
    assert_false(slice_next_word(&blanks, &word));
}
