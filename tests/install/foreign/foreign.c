/* SPDX-License-Identifier: MIT */
/* A stranger's program: takes an id, and takes it apart. */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    frazil *gen;
    frazil_error err;
    frazil_layout layout;
    frazil_fields fields;
    uint64_t id;

    if (frazil_open(&gen, "layout=twitter worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (frazil_next(gen, &id) != FRAZIL_OK)
        return 1;
    frazil_close(gen);
    if (frazil_layout_parse("twitter", strlen("twitter"), &layout, NULL) != FRAZIL_OK ||
        frazil_id_decompose(&layout, id, &fields, NULL) != FRAZIL_OK)
        return 1;
    printf("frazil %s: %" PRIu64 " of worker %" PRIu32 "\n", frazil_version(), id, fields.worker);
    return fields.worker == 7 ? 0 : 1;
}
