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
 * thread of ours is nothing that a program asked for.  worker: another one than it says; NULL: the same.
 */
static frazil_err complete_spec(const char *spec, const char *worker, char **ret, frazil_error *reterr)
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
    if (err == FRAZIL_OK && worker != NULL)
        err = frazil_options_set(options, "worker", worker, strlen(worker), reterr);
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
    frazil_err err = complete_spec(spec, NULL, &text, reterr);
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
                 "the layout of the generator '%s' is sno, and a sno is not an integer: choose a layout of 64-bit ids",
                 name);
        err = FRAZIL_EKIND;
    }
    return err;
}

/* Notes a generator whose ids are not of the default layout. */
static void note_layout(struct fz_sqlite_connection *connection, const char *name, const frazil_layout *layout)
{
    if (!frazil_layout_equal(layout, frazil_layout_preset(0)))
        memcpy(connection->of_other_layout, name, strlen(name) + 1);
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
    frazil_info info;
    frazil_get_info(opened->gen, &info, sizeof info);
    note_layout(connection, name, info.layout);
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

frazil_err fz_sqlite_take(frazil *gen, uint64_t *ret_id, frazil_error *reterr)
{
    frazil_err err = frazil_next(gen, ret_id);

    if (err != FRAZIL_OK)
        err = frazil_take(gen, ret_id, 1, 0, reterr); /* says why, or succeeds */
    if (err == FRAZIL_OK && *ret_id > INT64_MAX) {
        err = FRAZIL_ERANGE;
        snprintf(reterr->message, sizeof reterr->message,
                 "the layout's ids have reached 2^63, above SQLite's integers: move to a layout of 63 bits");
    }
    return err;
}

/* ---- layouts that calls without a layout would misread ------------------------------ */

/* The layout in " key=value key='a value' ...". */
static bool layout_in(const char *text, frazil_layout *ret)
{
    const char *value = strstr(text, " layout=");

    if (value == NULL)
        return false;
    value += strlen(" layout=");
    bool is_quoted = *value == '\'';
    value += is_quoted ? 1 : 0;
    return frazil_layout_parse(value, strcspn(value, is_quoted ? "'" : " "), ret, NULL) == FRAZIL_OK;
}

/* Looks at the generator main, which need not be open, nor have a worker number.  One that cannot be right is none. */
static void look_at_main(struct fz_sqlite_connection *connection)
{
    const char *spec = NULL;
    frazil_layout layout;
    char *text = NULL;

    (void)fz_sqlite_find_spec(FZ_SQLITE_MAIN, &spec);
    if (complete_spec(spec, "fixed:0", &text, NULL) != FRAZIL_OK)
        (void)!complete_spec(spec, NULL, &text, NULL);
    char *spaced = text == NULL ? NULL : sqlite3_mprintf(" %s", text);
    if (spaced != NULL && layout_in(spaced, &layout))
        note_layout(connection, FZ_SQLITE_MAIN, &layout);
    sqlite3_free(spaced);
    sqlite3_free(text);
}

const char *fz_sqlite_of_other_layout(struct fz_sqlite_connection *connection)
{
    if (!connection->is_looked_at)
        look_at_main(connection);
    connection->is_looked_at = true;
    return connection->of_other_layout[0] == '\0' ? NULL : connection->of_other_layout;
}
