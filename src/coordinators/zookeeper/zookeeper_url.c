/* SPDX-License-Identifier: MIT */
#include "zookeeper_url.h"

#include <string.h>

/* Names that a node may not have, although their letters are allowed. */
static bool is_dots(struct fz_url_piece name)
{
    return fz_url_is(name, ".") || fz_url_is(name, "..");
}

static frazil_err read_name(const struct fz_url_kind *kind, struct fz_url_piece piece, struct fz_url *url,
                            frazil_error *reterr)
{
    if (is_dots(piece))
        return fz_fail(reterr, FRAZIL_ESPEC, "no node of a ZooKeeper can have the name %Q: choose another namespace",
                       piece.at, piece.len);
    return fz_url_read_name(kind, piece, url->name, reterr);
}

/* ZooKeeper knows a user by name and password together. */
static frazil_err check_user(const struct fz_url_kind *kind, const struct fz_url *url, frazil_error *reterr)
{
    const struct fz_url_access *access = &url->access;

    (void)kind;
    if (access->user[0] == '\0' && access->password[0] != '\0')
        return fz_fail(reterr, FRAZIL_ESPEC, "the ZooKeeper URL has a password without a user: write USER:PASSWORD@");
    if (strchr(access->user, ':') != NULL)
        return fz_fail(reterr, FRAZIL_ESPEC, "the user in the ZooKeeper URL has a ':', which ZooKeeper does not allow");
    return FRAZIL_OK;
}

static frazil_err read_node(struct fz_url_piece value, struct fz_url *url, frazil_error *reterr);

static const struct fz_url_scheme schemes[] = {{.text = "zookeeper://"}, {.text = NULL}};

static const struct fz_url_key keys[] = {{"path", FZ_URL_OWN, "/frazil", NULL, NULL, 0, read_node}, {.name = NULL}};

static const struct fz_url_kind zookeeper = {.what = "ZooKeeper",
                                             .form =
                                                 "zookeeper://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE",
                                             .schemes = schemes,
                                             .keys = keys,
                                             .size = sizeof(struct fz_zookeeper_url),
                                             .hosts_max = FZ_URL_HOSTS_MAX,
                                             .default_port = 2181,
                                             .read_path = read_name,
                                             .check = check_user};
const struct fz_url_kind *const fz_zookeeper_url_kind = &zookeeper;

/* "/NAME", "/NAME/NAME" and so on, each as the name of a namespace. */
static bool is_path(const char *path)
{
    struct fz_url_piece rest = {path, strlen(path)};
    char name[FZ_URL_NAMESPACE_SIZE];

    if (rest.len == 0 || fz_url_cut(&rest, '/').len > 0)
        return false;
    for (bool more = true; more;) {
        more = fz_url_find(rest, '/') != NULL;
        struct fz_url_piece part = fz_url_cut(&rest, '/');
        if (is_dots(part) || fz_url_read_name(&zookeeper, part, name, NULL) != FRAZIL_OK)
            return false;
    }
    return true;
}

static bool is_own(const char *path)
{
    static const char own[] = "/zookeeper";

    return strncmp(path, own, sizeof own - 1) == 0 && (path[sizeof own - 1] == '/' || path[sizeof own - 1] == '\0');
}

static frazil_err read_node(struct fz_url_piece value, struct fz_url *common, frazil_error *reterr)
{
    struct fz_zookeeper_url *url = (struct fz_zookeeper_url *)common;

    if (fz_url_decode(value, url->path, sizeof url->path) && is_path(url->path) && !is_own(url->path))
        return FRAZIL_OK;
    return fz_fail(reterr, FRAZIL_ESPEC,
                   "path=%Q in the ZooKeeper URL: must be the path of a node, as /frazil, each of its names 1 to %u "
                   "letters, digits, '.', '_', '-' and ':', and not below /zookeeper, which is ZooKeeper's own",
                   value.at, value.len, (uint64_t)FZ_URL_NAMESPACE_SIZE - 1);
}

void fz_zookeeper_url_show(const struct fz_zookeeper_url *url, char buf[FZ_ZOOKEEPER_SHOWN_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_ZOOKEEPER_SHOWN_SIZE);

    fz_sentence_str(&s, schemes[0].text);
    fz_url_show_hosts(&s, &url->common);
    fz_sentence_str(&s, url->path);
    fz_sentence_char(&s, '/');
    fz_sentence_str(&s, url->common.name);
}
