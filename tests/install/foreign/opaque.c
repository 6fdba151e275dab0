/* SPDX-License-Identifier: MIT */
/* A stranger's program: hides an id, and finds it again. */
#include <frazil/opaque.h>
#include <stdio.h>

int main(void)
{
    const uint8_t bytes[FRAZIL_OPAQUE_KEY_SIZE] = "sixteen letters";
    frazil_opaque_key key;
    uint8_t opaque[FRAZIL_OPAQUE_SIZE];
    uint64_t id = 0;
    frazil_err err = frazil_opaque_key_init(&key, bytes);

    if (err == FRAZIL_ENOTBUILT) {
        puts("no AES here");
        return 0;
    }
    if (err != FRAZIL_OK || frazil_opaque_encrypt(&key, 42, opaque) != FRAZIL_OK ||
        frazil_opaque_decrypt(&key, opaque, &id) != FRAZIL_OK)
        return 1;
    puts("opaque, and back");
    frazil_opaque_key_wipe(&key);
    return id == 42 ? 0 : 1;
}
