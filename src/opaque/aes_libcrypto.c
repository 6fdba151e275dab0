/* SPDX-License-Identifier: MIT */
/* AES by libcrypto, for processors without the instructions.  Which is why its speed does not matter much here. */
#include "aes.h"

#ifdef FRAZIL_HAVE_LIBCRYPTO

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

static bool is_usable(void)
{
    return true;
}

/* libcrypto prepares the key itself, for each block. */
static void prepare(struct fz_opaque_key *key, const uint8_t raw[FRAZIL_OPAQUE_KEY_SIZE])
{
    memset(key, 0, sizeof *key);
    memcpy(key->round_keys[0][0], raw, FRAZIL_OPAQUE_KEY_SIZE);
}

/* A single block is the one case in which ECB is what one wants. */
static bool process(const struct fz_opaque_key *key, int encrypt, const uint8_t in[FZ_AES_BLOCK],
                    uint8_t ret[FZ_AES_BLOCK])
{
    uint8_t block[2 * FZ_AES_BLOCK]; /* libcrypto asks for room for one block more */
    int len = 0;

    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bool ok = ctx != NULL &&
              EVP_CipherInit_ex(ctx, EVP_aes_128_ecb(), NULL, key->round_keys[0][0], NULL, encrypt) == 1 &&
              EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 && EVP_CipherUpdate(ctx, block, &len, in, FZ_AES_BLOCK) == 1 &&
              len == FZ_AES_BLOCK;
    EVP_CIPHER_CTX_free(ctx);
    if (ok)
        memcpy(ret, block, FZ_AES_BLOCK);
    return ok;
}

static bool encrypt(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK])
{
    return process(key, 1, in, ret);
}

static bool decrypt(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK])
{
    return process(key, 0, in, ret);
}

const struct fz_aes fz_aes_libcrypto = {"libcrypto", is_usable, prepare, encrypt, decrypt};

#else

static bool is_usable(void)
{
    return false;
}

const struct fz_aes fz_aes_libcrypto = {.name = "libcrypto", .is_usable = is_usable};

#endif
