/* SPDX-License-Identifier: MIT */
/*
 * Opaque ids: 128 bits that tell nothing about the id without the key, except whether two of them are equal.  Each is
 * one AES-128 block of the id (8 bytes, big-endian) and 64 zero bits.  Decryption checks these bits: it accepts a
 * forged or altered one with a probability of 2^-64.
 *
 * This is a separate, optional library: link libfrazil-opaque too (pkg-config frazil-opaque).  It uses the processor's
 * AES instructions if there are any, and else libcrypto if it was built with that.
 */
#ifndef FRAZIL_OPAQUE_H
#define FRAZIL_OPAQUE_H

#include "error.h"

FRAZIL_BEGIN_DECLS

#define FRAZIL_OPAQUE_KEY_SIZE 16 /* bytes of a key */
#define FRAZIL_OPAQUE_SIZE 16     /* bytes of an opaque id */
#define FRAZIL_OPAQUE_LEN 32      /* hex digits of its text */

/* A prepared key.  By value; holds secrets: wipe it with frazil_opaque_key_wipe. */
typedef struct frazil_opaque_key {
    uint64_t secret[64]; /* the library's own, 512 bytes with room to grow */
} frazil_opaque_key;

/*
 * Prepares a key of 16 bytes.  FRAZIL_ENOTBUILT: the processor has no AES
 * instructions and the library was built without libcrypto.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_opaque_key_init(frazil_opaque_key *ret,
                                                          const uint8_t key[FRAZIL_OPAQUE_KEY_SIZE])
    FRAZIL_NONNULL(1, 2);

/* Overwrites a prepared key, which cannot be used afterwards.  Cannot fail. */
FRAZIL_API void frazil_opaque_key_wipe(frazil_opaque_key *key) FRAZIL_NONNULL(1);

/* Encrypts an id.  FRAZIL_EINVAL: a wiped key.  FRAZIL_ESYS: libcrypto failed.  Any thread; one key serves all. */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_opaque_encrypt(const frazil_opaque_key *key, uint64_t id,
                                                         uint8_t ret[FRAZIL_OPAQUE_SIZE]) FRAZIL_NONNULL(1, 3);

/*
 * Decrypts an opaque id.  FRAZIL_ECHECKSUM: it was not made with this key.  FRAZIL_EINVAL: a wiped key.  FRAZIL_ESYS:
 * libcrypto failed.  Any thread.
 */
FRAZIL_API FRAZIL_CHECK frazil_err frazil_opaque_decrypt(const frazil_opaque_key *key,
                                                         const uint8_t opaque[FRAZIL_OPAQUE_SIZE], uint64_t *ret_id)
    FRAZIL_NONNULL(1, 2, 3);

FRAZIL_END_DECLS

#endif
