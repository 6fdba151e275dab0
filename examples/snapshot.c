/* SPDX-License-Identifier: MIT */
/*
 * A snapshot carries a sno generator over a restart where there is no place for
 * files: take it when the generator has stopped, keep its JSON, open the next one
 * from it.  Ids go on above those before, also if the clock has gone back meanwhile.
 */
#include <frazil.h>
#include <stdio.h>
#include <string.h>

static frazil_err print_sno(frazil *gen)
{
    frazil_sno id;
    char text[FRAZIL_SNO_LEN];
    frazil_err err = frazil_sno_next(gen, 0, &id);

    if (err == FRAZIL_OK) {
        frazil_sno_encode(&id, text);
        printf("%.*s\n", FRAZIL_SNO_LEN, text);
    }
    return err;
}

/* The first run: an id, and what to keep when it ends. */
static frazil_err run_once(char *ret_json, size_t size, frazil_error *reterr)
{
    frazil *gen;
    frazil_err err = frazil_open(&gen, "layout=sno worker=fixed:300 state=memory", reterr);

    if (err != FRAZIL_OK)
        return err;
    err = print_sno(gen);
    if (err == FRAZIL_OK)
        err = frazil_sno_snapshot(gen, ret_json, size, NULL);
    frazil_close(gen);
    return err;
}

/* The next one.  The partition and the bounds of the sequence stand in the snapshot. */
static frazil_err run_again(const char *json, frazil_error *reterr)
{
    frazil *gen;
    frazil_options *options;
    frazil_err err = frazil_options_open(&options, reterr);

    if (err != FRAZIL_OK)
        return err;
    err = frazil_options_snapshot(options, json, strlen(json), reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_with(&gen, options, reterr);
    frazil_options_close(options);
    if (err != FRAZIL_OK)
        return err;
    err = print_sno(gen);
    frazil_close(gen);
    return err;
}

int main(void)
{
    char json[FRAZIL_SNO_SNAPSHOT_SIZE];
    frazil_error err = {0};

    if (run_once(json, sizeof json, &err) != FRAZIL_OK || printf("%s\n", json) < 0 ||
        run_again(json, &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return 0;
}
