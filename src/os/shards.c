/* SPDX-License-Identifier: MIT */
#include "shards.h"

#include <errno.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "dirs.h"

int fz_shards_folder(char ret_path[FZ_PATH_SIZE], const char *path)
{
    return fz_path_join(ret_path, path, ".shards", "");
}

/* PATH.shards/MIN-MAX.  0 or ENAMETOOLONG. */
static int name_part(char ret_path[FZ_PATH_SIZE], const char *path, const struct fz_bounds *bounds)
{
    char name[2 * FZ_DECIMAL_MAX_LEN + 3];
    struct fz_sentence text = fz_sentence_in(name, sizeof name);

    fz_sentence_char(&text, '/');
    fz_sentence_u64(&text, bounds->min);
    fz_sentence_char(&text, '-');
    fz_sentence_u64(&text, bounds->max);
    return fz_path_join(ret_path, path, ".shards", name);
}

int fz_shards_file(char ret_path[FZ_PATH_SIZE], const char *path, const struct fz_bounds *bounds)
{
    return fz_bounds_are_all(bounds) ? fz_path_join(ret_path, path, "", "") : name_part(ret_path, path, bounds);
}

/* ---- looking through them -------------------------------------------------- */

struct search {
    const char *path;
    const struct fz_bounds *bounds;
    fz_shard_visitor visit;
    void *ctx;
    bool enough;
    int err;
};

/* False: the name is not one that fz_shards_file gives. */
static bool parse_name(const char *name, struct fz_bounds *ret)
{
    const char *dash = strchr(name, '-');

    return dash != NULL && fz_decimal_parse(name, (size_t)(dash - name), &ret->min) &&
           fz_decimal_parse(dash + 1, strlen(dash + 1), &ret->max) && ret->min <= ret->max;
}

static void look_at_name(void *ctx, const char *name)
{
    struct search *search = ctx;
    struct fz_bounds found = {.top = search->bounds->top};
    char path[FZ_PATH_SIZE];

    if (search->enough || search->err != 0 || !parse_name(name, &found) || !fz_bounds_overlap(&found, search->bounds))
        return;
    search->err = name_part(path, search->path, &found);
    if (search->err == 0)
        search->enough = !search->visit(search->ctx, path, &found);
}

int fz_shards_visit(const char *path, const struct fz_bounds *bounds, fz_shard_visitor visit, void *ctx)
{
    const struct fz_bounds all = {.min = 0, .max = bounds->top, .top = bounds->top};
    struct search search = {.path = path, .bounds = bounds, .visit = visit, .ctx = ctx};
    char folder[FZ_PATH_SIZE];

    if (!visit(ctx, path, &all))
        return 0;
    int err = fz_shards_folder(folder, path);
    if (err == 0)
        err = fz_list_dir(folder, look_at_name, &search);
    if (err == ENOENT) /* nobody has ever used a part of the sequence */
        err = 0;
    return err == 0 ? search.err : err;
}
