/* SPDX-License-Identifier: MIT */
#include "sql_place.h"

#include "core/sentence.h"

frazil_err fz_sql_place_read_hosts(const struct fz_url_kind *kind, struct fz_url_piece place, struct fz_url *url,
                                   frazil_error *reterr)
{
    if (place.len > 0)
        return fz_url_read_hosts(kind, place, url, reterr);
    url->host_count = 1;
    return FRAZIL_OK;
}

frazil_err fz_sql_place_read_path(const struct fz_url_kind *kind, struct fz_url_piece path, struct fz_url *url,
                                  char *ret_database, size_t size, frazil_error *reterr)
{
    struct fz_url_piece name = path;
    struct fz_url_piece database = fz_url_cut(&name, '/');

    if (!fz_url_decode(database, ret_database, size) || ret_database[0] == '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the %s URL names no database, or an invalid one, %Q: write %s",
                       kind->what, database.at == NULL ? "" : database.at, database.len, kind->form);
    return fz_url_read_name(kind, name, url->name, reterr);
}

void fz_sql_place_show(const struct fz_url_kind *kind, const struct fz_url *url, const char *database, char *buf,
                       size_t size)
{
    struct fz_sentence s = fz_sentence_in(buf, size);

    fz_sentence_str(&s, kind->schemes[0].text);
    fz_url_show_hosts(&s, url);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, database);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->name);
}
