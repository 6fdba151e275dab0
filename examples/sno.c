/* SPDX-License-Identifier: MIT */
/*
 * snos: 80 bits, sixteen characters that sort as the ids do, and a byte of yours in
 * each, here the kind of the thing that it names.  That byte lies above the sequence:
 * within 4 ms, snos sort by it.  The partition is the worker id.
 */
#include <frazil.h>
#include <stdio.h>

enum { KIND_ORDER = 'o', KIND_INVOICE = 'i' };

static frazil_err show(frazil *gen, uint8_t kind)
{
    frazil_sno id;
    frazil_sno_fields fields;
    char text[FRAZIL_SNO_LEN];
    frazil_err err = frazil_sno_next(gen, kind, &id);

    if (err != FRAZIL_OK)
        return err;
    frazil_sno_encode(&id, text);
    frazil_sno_decompose(&id, &fields);
    printf("%.*s %c %d\n", FRAZIL_SNO_LEN, text, fields.meta, fields.partition);
    return FRAZIL_OK;
}

int main(void)
{
    frazil *gen;
    frazil_error err;

    if (frazil_open(&gen, "layout=sno worker=fixed:300", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    frazil_err shown = show(gen, KIND_ORDER);
    if (shown == FRAZIL_OK)
        shown = show(gen, KIND_INVOICE);
    frazil_close(gen);
    return shown == FRAZIL_OK ? 0 : 1;
}
