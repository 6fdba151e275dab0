/* SPDX-License-Identifier: MIT */
#include "extension.h"

struct fz_sqlite_opened {
    char name[FZ_SQLITE_NAME_SIZE];
    frazil *gen;
    struct fz_sqlite_opened *next;
};

void fz_sqlite_release(void *ctx)
{
    struct fz_sqlite_connection *connection = ctx;

    if (--connection->users > 0)
        return;
    while (connection->generators != NULL) {
        struct fz_sqlite_opened *first = connection->generators;
        connection->generators = first->next;
        frazil_close(first->gen);
        sqlite3_free(first);
    }
    sqlite3_free(connection);
}

/*
 * The spec in full, from sqlite3_malloc: with the environment, and with keeper=inline where nothing else is said, as a
 * thread of ours is nothing that a program asked for.
 */
static frazil_err complete_spec(const char *spec, char **ret, frazil_error *reterr)
{
    frazil_options *options;
    size_t len = 0;
    frazil_err err = frazil_options_open(&options, reterr);

    *ret = NULL;
    if (err != FRAZIL_OK)
        return err;
    err = frazil_options_set(options, "keeper", "inline", strlen("inline"), reterr);
    if (err == FRAZIL_OK && spec != NULL)
        err = frazil_options_spec(options, spec, strlen(spec), reterr);
    if (err == FRAZIL_OK && spec == NULL)
        err = frazil_options_environment(options, FRAZIL_ENVIRONMENT_ALL, reterr);
    if (err == FRAZIL_OK) {
        char none[1];
        err = frazil_options_text(options, FRAZIL_OPTIONS_WITH_SECRETS, none, sizeof none, &len, reterr);
    }
    if (err == FRAZIL_EBUFFER) {
        *ret = sqlite3_malloc64(len + 1);
        err = *ret == NULL ? FRAZIL_ENOMEM
                           : frazil_options_text(options, FRAZIL_OPTIONS_WITH_SECRETS, *ret, len + 1, &len, reterr);
    }
    frazil_options_close(options);
    return err;
}

/* frazil_open_shared by the name, for ids that SQLite can hold. */
static frazil_err open_by_name(frazil **ret, const char *name, frazil_error *reterr)
{
    frazil_info info;
    const char *spec;
    char *text;

    if (!fz_sqlite_find_spec(name, &spec))
        return fz_sqlite_no_generator(name, reterr);
    frazil_err err = complete_spec(spec, &text, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_shared(ret, text, reterr);
    sqlite3_free(text);
    if (err == FRAZIL_ENOWORKER) { /* the sentence has the key of a spec, which nobody writes in SQL */
        size_t len = strlen(reterr->message);
        snprintf(reterr->message + len, sizeof reterr->message - len,
                 "; in the environment it is FRAZIL_WORKER, such as FRAZIL_WORKER=fixed:7, before the program starts");
    }
    if (err == FRAZIL_OK)
        frazil_get_info(*ret, &info, sizeof info);
    if (err == FRAZIL_OK && info.layout->kind != FRAZIL_LAYOUT_64) {
        frazil_close(*ret);
        snprintf(reterr->message, sizeof reterr->message,
                 "the layout of the generator '%s' is sno, and a sno is no integer: choose a layout of 64-bit ids",
                 name);
        err = FRAZIL_EKIND;
    }
    return err;
}

/* Opens the generator and puts it first.  NULL: *reterr says why. */
static struct fz_sqlite_opened *open_generator(struct fz_sqlite_connection *connection, const char *name,
                                               frazil_error *reterr)
{
    struct fz_sqlite_opened *opened = sqlite3_malloc64(sizeof *opened);

    reterr->code = opened == NULL ? FRAZIL_ENOMEM : open_by_name(&opened->gen, name, reterr);
    if (reterr->code != FRAZIL_OK) {
        sqlite3_free(opened);
        return NULL;
    }
    memcpy(opened->name, name, strlen(name) + 1);
    opened->next = connection->generators;
    connection->generators = opened;
    return opened;
}

frazil *fz_sqlite_generator(struct fz_sqlite_connection *connection, const char *name, frazil_error *reterr)
{
    for (struct fz_sqlite_opened **link = &connection->generators; *link != NULL; link = &(*link)->next) {
        struct fz_sqlite_opened *found = *link;
        if (strcmp(found->name, name) != 0)
            continue;
        *link = found->next;
        found->next = connection->generators;
        connection->generators = found;
        return found->gen;
    }
    struct fz_sqlite_opened *opened = open_generator(connection, name, reterr);
    return opened != NULL ? opened->gen : NULL;
}

frazil_err fz_sqlite_take(frazil *gen, uint64_t *ret_ids, size_t n, frazil_error *reterr)
{
    frazil_err err = n == 1 ? frazil_next(gen, ret_ids) : frazil_take(gen, ret_ids, n, FRAZIL_WAIT_DEFAULT, reterr);

    if (err != FRAZIL_OK && n == 1)
        err = frazil_take(gen, ret_ids, 1, 0, reterr); /* says why, or succeeds */
    if (err == FRAZIL_OK && ret_ids[n - 1] > INT64_MAX) {
        err = FRAZIL_ERANGE;
        snprintf(reterr->message, sizeof reterr->message,
                 "the layout's ids have reached 2^63, and integers of SQLite end there: move to a layout of 63 bits");
    }
    return err;
}
