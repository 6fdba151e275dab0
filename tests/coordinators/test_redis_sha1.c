/* SPDX-License-Identifier: MIT */
/* Goal of this test: a script's name is the one that Redis gives it, the SHA-1 of its text. */
#include "coordinators/redis/redis_sha1.h"
#include "lib/test.h"

static void assert_hash(const char *text, size_t len, const char *wanted)
{
    char found[FZ_REDIS_SHA1_LEN + 1];

    fz_redis_sha1(text, len, found);
    assert_string_equal(found, wanted);
}

TEST("The examples of the standard")
{
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    assert_hash("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_hash(two_blocks, strlen(two_blocks), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* The length stands in the last eight bytes of a block, or of one more. */
TEST("Texts of all lengths around those of a block")
{
    static char text[1000000];
    static const struct {
        size_t len;
        const char *hash;
    } wanted[] = {
        {0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"},   {1, "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"},
        {55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"},  {56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"},
        {63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"},  {64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
        {119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"}, {120, "f34c1488385346a55709ba056ddd08280dd4c6d6"},
        {128, "ad5b3fdbcb526778c2839d2f151ea753995e26a0"}, {1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
    };

    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        assert_hash(text, wanted[i].len, wanted[i].hash);
}
