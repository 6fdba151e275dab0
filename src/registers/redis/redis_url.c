/* SPDX-License-Identifier: MIT */
#include "redis_url.h"

#include <string.h>

#include "core/wipe.h"

/* The places of the schemes. */
enum { PLAIN, UNIX, TLS };

static const struct fz_url_scheme schemes[] = {
    [PLAIN] = {"redis://", false}, [UNIX] = {"redis+unix://", true}, [TLS] = {"rediss://", false}, {NULL, false}};

static const struct fz_url_kind redis = {
    .what = "Redis",
    .form = "redis://[[USER]:PASSWORD@]HOST[:PORT]/NAMESPACE, or redis+unix:///PATH/OF/SOCKET/NAMESPACE",
    .keys = "db, timeout, wait, password_file and user",
    .schemes = schemes,
    .default_port = 6379};

static frazil_err read_key(void *ctx, struct fz_url_piece key, struct fz_url_piece value, bool *ret_known,
                           frazil_error *reterr)
{
    struct fz_redis_url *url = ctx;

    if (fz_url_is(key, "db"))
        return fz_url_read_number(&redis, key, value, UINT16_MAX, &url->db, reterr);
    if (fz_url_is(key, "wait"))
        return fz_url_read_number(&redis, key, value, 16, &url->wait_replicas, reterr);
    *ret_known = false;
    return FRAZIL_OK;
}

static frazil_err read_place(struct fz_url_piece place, struct fz_redis_url *url, frazil_error *reterr)
{
    if (!url->is_unix)
        return fz_url_read_host(&redis, place, &url->host, reterr);
    if (place.len > 0 && place.at[0] == '/' && fz_url_copy(place, url->host.name, sizeof url->host.name))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "the Redis URL names no socket by an absolute path: write %s", redis.form);
}

frazil_err fz_redis_url_parse(const char *text, struct fz_redis_url *ret, frazil_error *reterr)
{
    struct fz_redis_url url = {.access.timeout_ms = FZ_URL_TIMEOUT_MS_DEFAULT};
    struct fz_url_pieces pieces;

    frazil_err err = fz_url_split(&redis, text, &pieces, reterr);
    if (err != FRAZIL_OK)
        return err;
    url.tls = pieces.scheme == TLS;
    url.is_unix = pieces.scheme == UNIX;
    err = fz_url_read_credentials(&redis, pieces.credentials, &url.access, reterr);
    if (err == FRAZIL_OK)
        err = read_place(pieces.place, &url, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_read_name(&redis, pieces.path, url.name, reterr);
    if (err == FRAZIL_OK)
        err = fz_url_read_query(&redis, pieces.query, &url.access, read_key, &url, reterr);
    if (err == FRAZIL_OK)
        *ret = url;
    fz_wipe(&url, sizeof url);
    return err;
}

void fz_redis_url_show(const struct fz_redis_url *url, char buf[FZ_REDIS_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_REDIS_SHOWN_SIZE);

    fz_sentence_str(&s, schemes[url->is_unix ? UNIX : url->tls ? TLS : PLAIN].text);
    if (url->is_unix)
        fz_sentence_str(&s, url->host.name);
    else
        fz_url_show_host(&s, &url->host);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->name);
    fz_sentence_str(&s, "?db=");
    fz_sentence_u64(&s, url->db);
}
