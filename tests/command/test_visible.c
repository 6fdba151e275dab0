/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: of every character of Unicode, and of bytes that are none,
 * visible.h says the same as is worked out here another way; what it writes is
 * harmless itself.
 */

#include "lib/test.h"
#include "visible.h"

/* The bytes of a code point, surrogates included, as if it were a character. */
static size_t encode(uint32_t code, char out[5])
{
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = len; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(len == 1 ? code : marks[len] | code);
    out[len] = '\0';
    return len;
}

static bool is_surrogate(uint32_t code)
{
    return code >= 0xd800 && code <= 0xdfff;
}

TEST("Each character either stays whole or becomes an escape of printable ASCII, and the whole of it is used up")
{
    unsigned hidden = 0;

    for (uint32_t code = 1; code <= 0x10ffff; code++) {
        char text[5], out[VISIBLE_MAX];
        size_t written = 0, len = encode(code, text);
        size_t plain = visible_plain(VISIBLE_TEXT, text, len);
        assert_true(plain == 0 || plain == len);
        if (plain == len)
            continue;
        hidden += !is_surrogate(code);
        assert_int_equal(visible_escape(VISIBLE_TEXT, text, len, out, &written), is_surrogate(code) ? 1 : len);
        assert_true(written <= sizeof out);
        assert_int_equal(visible_plain(VISIBLE_TEXT, out, written), written);
    }
    /* C0 without 0, DEL and C1, 1 + 1 + 1, 5, 7, 16, 1, 3, and 128 tags. */
    assert_int_equal(hidden, 31 + 33 + 3 + 5 + 7 + 16 + 1 + 3 + 128);
}

TEST("In JSON an escape is four digits, a pair beyond the first plane, and U+FFFD for a byte that is no character")
{
    static const struct {
        const char *text, *json;
        size_t used;
    } cases[] = {{"\"", "\\\"", 1},
                 {"\\", "\\\\", 1},
                 {"\n", "\\u000a", 1},
                 {"\xc2\x9b", "\\u009b", 2},
                 {"\xe2\x80\xac", "\\u202c", 3},
                 {"\xf3\xa0\x81\x81", "\\udb40\\udc41", 4},
                 {"\xff", "\\ufffd", 1},
                 {"\xe2\x80", "\\ufffd", 1},
                 {"\xed\xa0\x80", "\\ufffd", 1},
                 {"\xc0\xaf", "\\ufffd", 1},
                 {"\xf4\x90\x80\x80", "\\ufffd", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[VISIBLE_MAX];
        size_t written = 0, len = strlen(cases[i].text);
        assert_int_equal(visible_plain(VISIBLE_JSON, cases[i].text, len), 0);
        assert_int_equal(visible_escape(VISIBLE_JSON, cases[i].text, len, out, &written), cases[i].used);
        assert_int_equal(written, strlen(cases[i].json));
        assert_memory_equal(out, cases[i].json, written);
    }
}

TEST("Eight bytes are looked at together: one that is not plain is found at each place, and nothing before it is lost")
{
    static const char bad[] = {1, 0x1f, 0x7f, (char)0x80, (char)0xff, '"', '\\'};

    for (size_t at = 0; at < 40; at++) {
        for (size_t i = 0; i < sizeof bad; i++) {
            char text[48];
            memset(text, i % 2 == 0 ? '~' : ' ', sizeof text);
            assert_int_equal(visible_plain(VISIBLE_JSON, text, sizeof text), sizeof text);
            text[at] = bad[i];
            assert_int_equal(visible_plain(VISIBLE_JSON, text, sizeof text), at);
            if (bad[i] == '"' || bad[i] == '\\')
                assert_int_equal(visible_plain(VISIBLE_TEXT, text, sizeof text), sizeof text);
        }
    }
}

TEST("A text is cut between characters")
{
    const char *text = "ab\xe2\x82\xac\xff";

    assert_int_equal(visible_cut(text, 6, 6), 6);
    assert_int_equal(visible_cut(text, 6, 5), 5);
    assert_int_equal(visible_cut(text, 6, 4), 2);
    assert_int_equal(visible_cut(text, 6, 3), 2);
    assert_int_equal(visible_cut(text, 6, 2), 2);
    assert_int_equal(visible_cut(text, 6, 0), 0);
}
