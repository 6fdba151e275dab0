/* SPDX-License-Identifier: MIT */
#include "redis_url.h"

#include <stddef.h>
#include <string.h>

static const struct fz_url_scheme schemes[] = {{.text = "redis://"},
                                               {.text = "redis+unix://", .is_path = true},
                                               {.text = "rediss://", .tls = true},
                                               {.text = NULL}};

static const struct fz_url_key keys[] = {
    {"db", FZ_URL_NUMBER, "0", "0", "65535", offsetof(struct fz_redis_url, db), NULL},
    {"wait", FZ_URL_NUMBER, "0", "0", "16", offsetof(struct fz_redis_url, wait_replicas), NULL},
    {.name = NULL}};

static frazil_err read_place(const struct fz_url_kind *kind, struct fz_url_piece place, struct fz_url *url,
                             frazil_error *reterr)
{
    if (!url->is_path)
        return fz_url_read_hosts(kind, place, url, reterr);
    url->host_count = 1;
    if (place.len > 0 && place.at[0] == '/' && fz_url_copy(place, url->hosts[0].name, sizeof url->hosts[0].name))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC, "the Redis URL names no absolute path of a socket: write %s", kind->form);
}

static const struct fz_url_kind redis = {
    .what = "Redis",
    .form = "redis://[[USER]:PASSWORD@]HOST[:PORT]/NAMESPACE, or redis+unix:///PATH/OF/SOCKET/NAMESPACE",
    .schemes = schemes,
    .keys = keys,
    .size = sizeof(struct fz_redis_url),
    .hosts_max = 1,
    .default_port = 6379,
    .read_place = read_place};
const struct fz_url_kind *const fz_redis_url_kind = &redis;

frazil_err fz_redis_url_check_namespace(const char *name, frazil_error *reterr)
{
    if (strspn(name, "0123456789") < strlen(name))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "a namespace of digits alone, /%s, is read as the number of a database: give it a name; database "
                   "%s is /NAME?db=%s",
                   name, name, name);
}

void fz_redis_url_show(const struct fz_redis_url *url, char buf[FZ_REDIS_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_REDIS_SHOWN_SIZE);

    fz_sentence_str(&s, url->common.is_path ? "redis+unix://" : url->common.tls ? "rediss://" : "redis://");
    fz_url_show_hosts(&s, &url->common);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->common.name);
    fz_sentence_str(&s, "?db=");
    fz_sentence_u64(&s, url->db);
}
