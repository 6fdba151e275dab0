/* SPDX-License-Identifier: MIT */
/*
 * AES-128 of one block, by the processor or a library.  There is no AES in
 * portable C here: one made of tables leaks its key through its timing.
 */
#ifndef FZ_OPAQUE_AES_H
#define FZ_OPAQUE_AES_H

#include "frazil/opaque.h"

#define FZ_AES_BLOCK 16
#define FZ_AES_ROUNDS 10

/* Whose AES does the work. */
enum fz_aes_number { FZ_AES_NONE = 0, FZ_AES_PROCESSOR = 1, FZ_AES_LIBCRYPTO = 2 };

/* The contents of a frazil_opaque_key.  Its memory was declared as numbers, so the compiler must expect it anywhere. */
struct __attribute__((may_alias)) fz_opaque_key {
    uint8_t round_keys[2][FZ_AES_ROUNDS + 1]
                      [FZ_AES_BLOCK]; /* to encrypt, to decrypt; the first one is the key itself */
    int backend;                      /* fz_aes_number; FZ_AES_NONE: wiped */
};

_Static_assert(sizeof(struct fz_opaque_key) <= sizeof(frazil_opaque_key), "a key has room for what it holds");

struct fz_aes {
    const char *name;
    /* Whether this machine and this build have it. */
    bool (*is_usable)(void);
    /* Fills key->round_keys. */
    void (*prepare)(struct fz_opaque_key *key, const uint8_t raw[FRAZIL_OPAQUE_KEY_SIZE]);
    /* One block; in and ret may be the same.  False: the system failed, ret is untouched. */
    bool (*encrypt)(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK]);
    bool (*decrypt)(const struct fz_opaque_key *key, const uint8_t in[FZ_AES_BLOCK], uint8_t ret[FZ_AES_BLOCK]);
};

extern const struct fz_aes fz_aes_processor; /* aes_x86.c, aes_arm.c, or aes_other.c, which is never usable */
extern const struct fz_aes fz_aes_libcrypto; /* not usable where it was not built in */

/* The back end of that number; NULL for FZ_AES_NONE. */
const struct fz_aes *fz_aes_by_number(int number);

/* frazil_opaque_key_init with a back end of the caller's choice.  FRAZIL_ENOTBUILT: it is not usable. */
frazil_err fz_opaque_key_init_with(frazil_opaque_key *ret, const uint8_t key[FRAZIL_OPAQUE_KEY_SIZE],
                                   enum fz_aes_number number);

/* Which AES a key uses: "processor" or "libcrypto", or "none" once it is wiped.  For tests. */
const char *fz_opaque_backend(const frazil_opaque_key *key);

#endif
