/* SPDX-License-Identifier: MIT */
/* A stranger's program: scrambles an id that it took, and finds it again. */
#include <frazil.h>
#include <frazil/extras.h>
#include <stdio.h>

int main(void)
{
    char text[FRAZIL_KASUMI_CHECKED_LEN + 1];
    frazil_error err;
    frazil *gen;
    uint64_t id;
    uint64_t back = 0;

    if (frazil_open(&gen, "worker=fixed:7", &err) != FRAZIL_OK) {
        puts(err.message);
        return 1;
    }
    if (frazil_next(gen, &id) != FRAZIL_OK)
        return 1;
    frazil_close(gen);
    if (frazil_scramble(661807, FRAZIL_KASUMI_CHECKED, id, text, sizeof text, NULL) != FRAZIL_OK ||
        frazil_unscramble(661807, FRAZIL_KASUMI_CHECKED, text, sizeof text - 1, &back, NULL) != FRAZIL_OK)
        return 1;
    printf("%s\n", text);
    return back == id ? 0 : 1;
}
