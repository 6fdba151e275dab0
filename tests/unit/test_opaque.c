/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each back end is AES-128 (FIPS 197 and NIST's examples),
 * they agree, an opaque id leads back to its id, and an altered or foreign one
 * is refused.
 */

#include "frazil/opaque.h"
#include "lib/near_miss.h"
#include "lib/test.h"
#include "opaque/aes.h"

#define UNTOUCHED UINT64_C(0xdeadbeefdeadbeef)

static const enum fz_aes_number back_ends[] = {FZ_AES_PROCESSOR, FZ_AES_LIBCRYPTO};
#define BACK_ENDS (sizeof back_ends / sizeof back_ends[0])

static void bytes_of(const char *hex, uint8_t ret[16])
{
    assert_int_equal(strlen(hex), 32);
    for (size_t i = 0; i < 16; i++) {
        unsigned byte = 0;
        for (size_t digit = 2 * i; digit < 2 * i + 2; digit++)
            byte = byte << 4 | (unsigned)(strchr("0123456789abcdef", hex[digit]) - strchr("0123456789abcdef", '0'));
        ret[i] = (uint8_t)byte;
    }
}

static void seeded_bytes(uint64_t *seed, uint8_t ret[16])
{
    for (size_t i = 0; i < 16; i++)
        ret[i] = (uint8_t)(seeded_next(seed) & 0xff);
}

/* Calls check with each back end that this machine has, and prints which. */
static void with_each_back_end(void (*check)(enum fz_aes_number))
{
    size_t usable = 0;

    for (size_t i = 0; i < BACK_ENDS; i++) {
        const struct fz_aes *aes = fz_aes_by_number((int)back_ends[i]);
        print_message("%s: %s\n", aes->name, aes->is_usable() ? "tested" : "not here");
        if (aes->is_usable()) {
            usable++;
            check(back_ends[i]);
        }
    }
    if (usable == 0)
        skip();
}

/* The fields that the back ends see. */
static const struct fz_opaque_key *inside_of(const frazil_opaque_key *key)
{
    return (const struct fz_opaque_key *)(const void *)key;
}

static frazil_opaque_key key_of(enum fz_aes_number number, const uint8_t raw[16])
{
    frazil_opaque_key key;

    assert_int_equal(fz_opaque_key_init_with(&key, raw, number), FRAZIL_OK);
    assert_string_equal(fz_opaque_backend(&key), fz_aes_by_number((int)number)->name);
    return key;
}

/* ---- AES-128 --------------------------------------------------------------------- */

/* FIPS 197 appendices B and C.1; NIST SP 800-38A F.1.1; the variable key and text tests' first and last (AESAVS). */
static const struct {
    const char *key, *plain, *cipher;
} known[] = {
    {"2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"},
    {"000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"},
    {"2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"},
    {"2b7e151628aed2a6abf7158809cf4f3c", "ae2d8a571e03ac9c9eb76fac45af8e51", "f5d3d58503b9699de785895a96fdbaaf"},
    {"2b7e151628aed2a6abf7158809cf4f3c", "30c81c46a35ce411e5fbc1191a0a52ef", "43b1cd7f598ece23881b00e3ed030688"},
    {"2b7e151628aed2a6abf7158809cf4f3c", "f69f2445df4f9b17ad2b417be66c3710", "7b0c785e27e8ad3f8223207104725dd4"},
    {"80000000000000000000000000000000", "00000000000000000000000000000000", "0edd33d3c621e546455bd8ba1418bec8"},
    {"ffffffffffffffffffffffffffffffff", "00000000000000000000000000000000", "a1f6258c877d5fcd8964484538bfc92c"},
    {"00000000000000000000000000000000", "80000000000000000000000000000000", "3ad78e726c1ec02b7ebfe92b23d9ec34"},
    {"00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff", "3f5b8cc9ea855a0afa7347d23e8d664e"},
};

static void check_known_answers(enum fz_aes_number number)
{
    const struct fz_aes *aes = fz_aes_by_number((int)number);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t raw[16], plain[16], cipher[16], block[16];
        bytes_of(known[i].key, raw);
        bytes_of(known[i].plain, plain);
        bytes_of(known[i].cipher, cipher);
        frazil_opaque_key key = key_of(number, raw);
        assert_true(aes->encrypt(inside_of(&key), plain, block));
        assert_memory_equal(block, cipher, sizeof block);
        assert_true(aes->decrypt(inside_of(&key), cipher, block));
        assert_memory_equal(block, plain, sizeof block);
        /* In place. */
        assert_true(aes->encrypt(inside_of(&key), block, block));
        assert_memory_equal(block, cipher, sizeof block);
        assert_true(aes->decrypt(inside_of(&key), block, block));
        assert_memory_equal(block, plain, sizeof block);
    }
}

TEST("AES gives the answers that FIPS 197, SP 800-38A and AESAVS publish")
{
    with_each_back_end(check_known_answers);
}

TEST("Key schedules of FIPS 197 appendix A.1: the first is the key itself, which libcrypto works from")
{
    uint8_t raw[16], expected[16];

    bytes_of("2b7e151628aed2a6abf7158809cf4f3c", raw);
    if (!fz_aes_processor.is_usable())
        skip();
    frazil_opaque_key key = key_of(FZ_AES_PROCESSOR, raw);
    const struct fz_opaque_key inside = *inside_of(&key);
    assert_memory_equal(inside.round_keys[0][0], raw, 16);
    bytes_of("a0fafe1788542cb123a339392a6c7605", expected);
    assert_memory_equal(inside.round_keys[0][1], expected, 16);
    bytes_of("d014f9a8c9ee2589e13f0cc8b6630ca6", expected);
    assert_memory_equal(inside.round_keys[0][10], expected, 16);
}

TEST("Both back ends give the same opaque id for every key and id, and read each other's")
{
    uint64_t seed = 11;

    if (!fz_aes_processor.is_usable() || !fz_aes_libcrypto.is_usable())
        skip();
    for (int i = 0; i < 5000; i++) {
        uint8_t raw[16], a[16], b[16];
        uint64_t id = seeded_next(&seed);
        uint64_t back = ~id;
        seeded_bytes(&seed, raw);
        frazil_opaque_key processor = key_of(FZ_AES_PROCESSOR, raw);
        frazil_opaque_key libcrypto = key_of(FZ_AES_LIBCRYPTO, raw);
        assert_int_equal(frazil_opaque_encrypt(&processor, id, a), FRAZIL_OK);
        assert_int_equal(frazil_opaque_encrypt(&libcrypto, id, b), FRAZIL_OK);
        assert_memory_equal(a, b, 16);
        assert_int_equal(frazil_opaque_decrypt(&libcrypto, a, &back), FRAZIL_OK);
        assert_true(back == id);
        assert_int_equal(frazil_opaque_decrypt(&processor, b, &back), FRAZIL_OK);
        assert_true(back == id);
    }
}

/* ---- ids --------------------------------------------------------------------------- */

static void check_block(enum fz_aes_number number)
{
    uint8_t raw[16], block[16], cipher[16], opaque[16];

    bytes_of("000102030405060708090a0b0c0d0e0f", raw);
    bytes_of("0123456789abcdef0000000000000000", block);
    frazil_opaque_key key = key_of(number, raw);
    assert_true(fz_aes_by_number((int)number)->encrypt(inside_of(&key), block, cipher));
    assert_int_equal(frazil_opaque_encrypt(&key, UINT64_C(0x0123456789abcdef), opaque), FRAZIL_OK);
    assert_memory_equal(opaque, cipher, 16);
}

TEST("The block is the id, high byte first, and eight zero bytes")
{
    with_each_back_end(check_block);
}

static void check_forgeries(enum fz_aes_number number)
{
    uint64_t seed = 12;

    for (int i = 0; i < 50; i++) {
        uint8_t raw[16], opaque[16];
        uint64_t id = UNTOUCHED;
        seeded_bytes(&seed, raw);
        frazil_opaque_key key = key_of(number, raw);
        assert_int_equal(frazil_opaque_encrypt(&key, seeded_next(&seed), opaque), FRAZIL_OK);
        for (size_t bit = 0; bit < 128; bit++) {
            opaque[bit / 8] ^= (uint8_t)(1U << bit % 8);
            assert_int_equal(frazil_opaque_decrypt(&key, opaque, &id), FRAZIL_ECHECKSUM);
            opaque[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        raw[i % 16] ^= 1;
        frazil_opaque_key other = key_of(number, raw);
        assert_int_equal(frazil_opaque_decrypt(&other, opaque, &id), FRAZIL_ECHECKSUM);
        assert_true(id == UNTOUCHED);
        assert_int_equal(frazil_opaque_decrypt(&key, opaque, &id), FRAZIL_OK);
    }
}

TEST("One altered bit, whichever, or another key, and the opaque id is refused; the id is untouched")
{
    with_each_back_end(check_forgeries);
}

static void check_zero_bits(enum fz_aes_number number)
{
    const struct fz_aes *aes = fz_aes_by_number((int)number);
    uint8_t raw[16] = {1, 2, 3};
    frazil_opaque_key key = key_of(number, raw);

    for (size_t bit = 0; bit < 64; bit++) {
        uint8_t block[16] = {0};
        uint64_t id = UNTOUCHED;
        block[8 + bit / 8] = (uint8_t)(1U << bit % 8);
        assert_true(aes->encrypt(inside_of(&key), block, block));
        assert_int_equal(frazil_opaque_decrypt(&key, block, &id), FRAZIL_ECHECKSUM);
        assert_true(id == UNTOUCHED);
    }
}

TEST("All 64 bits behind the id are checked: a block with any one of them set is refused")
{
    with_each_back_end(check_zero_bits);
}

/* ---- keys --------------------------------------------------------------------------- */

TEST("A key says whose AES it uses; the processor's is preferred")
{
    const uint8_t raw[16] = {0};
    frazil_opaque_key key;
    bool processor = fz_aes_processor.is_usable();
    bool libcrypto = fz_aes_libcrypto.is_usable();

    if (!processor && !libcrypto) {
        assert_int_equal(frazil_opaque_key_init(&key, raw), FRAZIL_ENOTBUILT);
        return;
    }
    assert_int_equal(frazil_opaque_key_init(&key, raw), FRAZIL_OK);
    assert_string_equal(fz_opaque_backend(&key), processor ? "processor" : "libcrypto");
    if (libcrypto) {
        key = key_of(FZ_AES_LIBCRYPTO, raw);
        assert_string_equal(fz_opaque_backend(&key), "libcrypto");
    }
    assert_int_equal(fz_opaque_key_init_with(&key, raw, FZ_AES_NONE), FRAZIL_ENOTBUILT);
}

static void check_wipe(enum fz_aes_number number)
{
    const uint8_t raw[16] = {0xde, 0xad, 0xbe, 0xef};
    const frazil_opaque_key nothing = {{0}};
    frazil_opaque_key key;
    uint8_t opaque[16] = {0};
    uint64_t id = UNTOUCHED;

    memset(&key, 0, sizeof key);
    assert_int_equal(fz_opaque_key_init_with(&key, raw, number), FRAZIL_OK);
    frazil_opaque_key_wipe(&key);
    assert_memory_equal(&key, &nothing, sizeof key);
    assert_string_equal(fz_opaque_backend(&key), "none");
    assert_int_equal(frazil_opaque_encrypt(&key, 1, opaque), FRAZIL_EINVAL);
    assert_int_equal(frazil_opaque_decrypt(&key, opaque, &id), FRAZIL_EINVAL);
    assert_int_equal(opaque[0], 0);
    assert_true(id == UNTOUCHED);
}

TEST("Nothing of a key is left when it is wiped, and it can no longer be used")
{
    with_each_back_end(check_wipe);
}
