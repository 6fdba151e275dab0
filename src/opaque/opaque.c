/* SPDX-License-Identifier: MIT */
#include "frazil/opaque.h"

#include <string.h>

#include "aes.h"

#define ID_SIZE 8

/* ---- keys ---- */

static struct fz_opaque_key *inside(frazil_opaque_key *key)
{
    return (struct fz_opaque_key *)(void *)key;
}

static const struct fz_opaque_key *inside_of(const frazil_opaque_key *key)
{
    return (const struct fz_opaque_key *)(const void *)key;
}

const struct fz_aes *fz_aes_by_number(int number)
{
    switch (number) {
    case FZ_AES_PROCESSOR:
        return &fz_aes_processor;
    case FZ_AES_LIBCRYPTO:
        return &fz_aes_libcrypto;
    default:
        return NULL;
    }
}

frazil_err fz_opaque_key_init_with(frazil_opaque_key *ret, const uint8_t key[FRAZIL_OPAQUE_KEY_SIZE],
                                   enum fz_aes_number number)
{
    const struct fz_aes *aes = fz_aes_by_number((int)number);

    if (aes == NULL || !aes->is_usable())
        return FRAZIL_ENOTBUILT;
    aes->prepare(inside(ret), key);
    inside(ret)->backend = (int)number;
    return FRAZIL_OK;
}

frazil_err frazil_opaque_key_init(frazil_opaque_key *ret, const uint8_t key[FRAZIL_OPAQUE_KEY_SIZE])
{
    frazil_err err = fz_opaque_key_init_with(ret, key, FZ_AES_PROCESSOR);

    return err == FRAZIL_OK ? FRAZIL_OK : fz_opaque_key_init_with(ret, key, FZ_AES_LIBCRYPTO);
}

void frazil_opaque_key_wipe(frazil_opaque_key *key)
{
    memset(key, 0, sizeof *key);
    /* Claims to read what was written, so that the compiler may not leave it out. */
    __asm__ volatile("" : : "r"(key) : "memory");
}

const char *fz_opaque_backend(const frazil_opaque_key *key)
{
    const struct fz_aes *aes = fz_aes_by_number(inside_of(key)->backend);

    return aes == NULL ? "none" : aes->name;
}

/* ---- ids: eight bytes of id, big-endian, and as many zero bytes ---- */

frazil_err frazil_opaque_encrypt(const frazil_opaque_key *key, uint64_t id, uint8_t ret[FRAZIL_OPAQUE_SIZE])
{
    const struct fz_aes *aes = fz_aes_by_number(inside_of(key)->backend);
    uint8_t block[FZ_AES_BLOCK] = {0};

    if (aes == NULL)
        return FRAZIL_EINVAL;
    for (unsigned i = 0; i < ID_SIZE; i++)
        block[i] = (uint8_t)(id >> (56 - 8 * i) & 0xff);
    return aes->encrypt(inside_of(key), block, ret) ? FRAZIL_OK : FRAZIL_ESYS;
}

frazil_err frazil_opaque_decrypt(const frazil_opaque_key *key, const uint8_t opaque[FRAZIL_OPAQUE_SIZE],
                                 uint64_t *ret_id)
{
    const struct fz_aes *aes = fz_aes_by_number(inside_of(key)->backend);
    uint8_t block[FZ_AES_BLOCK];
    uint64_t id = 0;
    unsigned rest = 0;

    if (aes == NULL)
        return FRAZIL_EINVAL;
    if (!aes->decrypt(inside_of(key), opaque, block))
        return FRAZIL_ESYS;
    for (unsigned i = 0; i < ID_SIZE; i++) {
        id = id << 8 | block[i];
        rest |= block[ID_SIZE + i];
    }
    if (rest != 0)
        return FRAZIL_ECHECKSUM;
    *ret_id = id;
    return FRAZIL_OK;
}
