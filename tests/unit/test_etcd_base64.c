/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: Base64 as RFC 4648 has it, back and forth, and nothing else
 * is taken for it.
 */

#include "coordinators/etcd/base64.h"
#include "lib/test.h"

TEST("The vectors of the RFC")
{
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"},
                                             {"\xfb\xff", "+/8="}};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const char *bytes = vectors[i][0];
        const char *text = vectors[i][1];
        char encoded[FZ_BASE64_SIZE(8)];
        char decoded[8];
        size_t len = 4711;
        fz_base64_encode(bytes, strlen(bytes), encoded);
        assert_string_equal(encoded, text);
        assert_true(fz_base64_decode(text, strlen(text), decoded, strlen(bytes), &len));
        assert_int_equal(len, strlen(bytes));
        assert_memory_equal(decoded, bytes, len);
        if (len > 0)
            assert_false(fz_base64_decode(text, strlen(text), decoded, len - 1, &len));
    }
}

TEST("Every byte, in every place of a group of three")
{
    char bytes[258];
    char encoded[FZ_BASE64_SIZE(sizeof bytes)];
    char decoded[sizeof bytes];
    size_t len;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    for (size_t from = 0; from < 3; from++) {
        fz_base64_encode(bytes + from, sizeof bytes - from, encoded);
        assert_int_equal(strlen(encoded) + 1, FZ_BASE64_SIZE(sizeof bytes - from));
        assert_true(fz_base64_decode(encoded, strlen(encoded), decoded, sizeof decoded, &len));
        assert_int_equal(len, sizeof bytes - from);
        assert_memory_equal(decoded, bytes + from, len);
    }
}

TEST("A text that is cut, has other characters, padding in the middle, or bits behind the last byte, is refused")
{
    static const char *const texts[] = {"Z",    "Zg",       "Zg=",  "====",   "=g==",       "Z===", "Zg=v",
                                        "Zm9-", "Zg==Zg==", "Zm 9", "Zm9v\n", "\xc3\xa9Zm", "Zh==", "Zm9="};
    char decoded[16];
    size_t len = 4711;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (fz_base64_decode(texts[i], strlen(texts[i]), decoded, sizeof decoded, &len))
            fail_msg("taken: %s", texts[i]);
    }
    assert_false(fz_base64_decode("Zm\0v", 4, decoded, sizeof decoded, &len));
    assert_int_equal(len, 4711);
}
