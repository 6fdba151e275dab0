/* SPDX-License-Identifier: MIT */
/*
 * The URLs of all coordinators:
 *
 *   SCHEME://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE[?KEY=VALUE&...]
 *
 * One parser reads them all.  Each coordinator adds data (struct fz_url_kind): its schemes, its keys, and
 * functions for the parts that it writes in another way.
 *
 * User, password and names of files are percent-encoded.  A password never appears
 * in a sentence, wherever in the URL the mistake is.
 *
 * Every function that returns a frazil_err returns FRAZIL_ESPEC and what would be right, unless it
 * says more.  Texts are not copied unless it says so.  Any thread.
 */
#ifndef FZ_COMMON_URL_H
#define FZ_COMMON_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sentence.h"
#include "frazil/error.h"

/* Bytes, terminators included. */
#define FZ_URL_HOST_SIZE 256
#define FZ_URL_SECRET_SIZE 256
#define FZ_URL_NAMESPACE_SIZE 64
#define FZ_URL_PATH_SIZE 1024

#define FZ_URL_HOSTS_MAX 16

/* A piece of the URL's text. */
struct fz_url_piece {
    const char *at; /* NULL: it is not there at all */
    size_t len;
};

/* ---- the parts of a URL -------------------------------------------------------- */

struct fz_url_host {
    char name[FZ_URL_HOST_SIZE]; /* or an address; one of IPv6 without its brackets; or the path of a socket */
    uint16_t port;               /* 0: none was given, and there is no default */
};

/* The user of a request, and how long an answer may take. */
struct fz_url_access {
    char user[FZ_URL_SECRET_SIZE];     /* empty: none */
    char password[FZ_URL_SECRET_SIZE]; /* empty: none */
    uint32_t timeout_ms;
};

/* The parts that every URL has; each coordinator's own struct begins with it. */
struct fz_url {
    bool tls;
    bool is_path; /* of a socket, in hosts[0].name */
    struct fz_url_host hosts[FZ_URL_HOSTS_MAX];
    size_t host_count; /* 1 .. the kind's hosts_max */
    struct fz_url_access access;
    char name[FZ_URL_NAMESPACE_SIZE];
};

/* ---- the URLs of one coordinator ------------------------------------ */

struct fz_url_scheme {
    const char *text; /* "redis://" */
    bool is_path;     /* the path of a socket stands in place of credentials and hosts */
    bool tls;
};

/* Reads a part of a URL into the coordinator's struct.  FRAZIL_ESPEC, and what would be right. */
typedef frazil_err (*fz_url_reader)(struct fz_url_piece piece, struct fz_url *url, frazil_error *reterr);

enum fz_url_type {
    FZ_URL_NUMBER,        /* a uint32_t */
    FZ_URL_DURATION,      /* a uint32_t of milliseconds */
    FZ_URL_FILE,          /* the name of a file, FZ_URL_PATH_SIZE bytes */
    FZ_URL_PASSWORD_FILE, /* whose first line is the password */
    FZ_URL_USER,
    FZ_URL_OWN /* read by the row's own function */
};

/*
 * A key behind the '?'.  These rows are the only place where a key, its default and its range are said: the parser
 * reads them, and a test compares the manual with them.
 */
struct fz_url_key {
    const char *name;
    enum fz_url_type type;
    const char *initial; /* its value where a URL has none; NULL: none */
    const char *least;   /* of a number or a duration */
    const char *most;
    size_t offset; /* in the coordinator's struct, where it has one */
    fz_url_reader read;
};

/* The keys that every URL has, ended by one without a name. */
extern const struct fz_url_key fz_url_common_keys[];

struct fz_url_kind;

/* Reads one part of a URL of that kind, as fz_url_reader. */
typedef frazil_err (*fz_url_part_reader)(const struct fz_url_kind *kind, struct fz_url_piece piece, struct fz_url *url,
                                         frazil_error *reterr);

struct fz_url_kind {
    const char *what;                    /* "Redis", for sentences */
    const char *form;                    /* the form to write it in */
    const struct fz_url_scheme *schemes; /* ended by one without a text */
    const struct fz_url_key *keys;       /* beside the common ones; ended by one without a name */
    size_t size;                         /* of the coordinator's struct */
    size_t hosts_max;                    /* 1 .. FZ_URL_HOSTS_MAX */
    uint16_t default_port;               /* 0: none */
    bool user_alone;                     /* a user needs no password: USER@ is good */
    fz_url_part_reader read_place;       /* of the hosts; NULL: fz_url_read_hosts */
    fz_url_part_reader read_path;        /* of what follows them; NULL: it is the namespace */
    /* Looks at the whole, at last; NULL: there is no more to check. */
    frazil_err (*check)(const struct fz_url_kind *kind, const struct fz_url *url, frazil_error *reterr);
};

/*
 * Reads a URL into *ret, which has kind->size bytes, and the password file that it names.  FRAZIL_ESYS: that file
 * cannot be read.  On failure *ret is wiped.  After success the caller wipes it when it is done with it.
 */
FZ_PRIVATE frazil_err fz_url_parse(const struct fz_url_kind *kind, const char *text, struct fz_url *ret,
                                   frazil_error *reterr);

/* The same for a URL that is to be used.  FRAZIL_ESYS: as fz_url_check_files, too. */
FZ_PRIVATE frazil_err fz_url_open(const struct fz_url_kind *kind, const char *text, struct fz_url *ret,
                                  frazil_error *reterr);

/*
 * Whether the files that a parsed URL names can be read.  Asked each time before connecting: a client library looks
 * when it needs them, or goes on without.  FRAZIL_ESYS, and which one; `shown` is the URL for sentences.
 */
FZ_PRIVATE frazil_err fz_url_check_files(const struct fz_url_kind *kind, const struct fz_url *url, const char *shown,
                                         frazil_error *reterr);

/* ---- for the functions of a kind ---------------------------------------------- */

/* 1 .. kind->hosts_max of them, separated by commas: HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
FZ_PRIVATE frazil_err fz_url_read_hosts(const struct fz_url_kind *kind, struct fz_url_piece piece, struct fz_url *url,
                                        frazil_error *reterr);

/* The name of a namespace: 1 .. FZ_URL_NAMESPACE_SIZE - 1 letters, digits and "._-:". */
FZ_PRIVATE frazil_err fz_url_read_name(const struct fz_url_kind *kind, struct fz_url_piece piece,
                                       char ret[FZ_URL_NAMESPACE_SIZE], frazil_error *reterr);

/* ---- text ----------------------------------------------------------------- */

/* Whether the piece is that word. */
FZ_PRIVATE bool fz_url_is(struct fz_url_piece piece, const char *word);

/* The first place of a character in it; NULL: none. */
FZ_PRIVATE const char *fz_url_find(struct fz_url_piece piece, char c);

/* Takes off the front what stands before the first c, or all of it; what is left begins behind the c. */
FZ_PRIVATE struct fz_url_piece fz_url_cut(struct fz_url_piece *rest, char c);

/* Copies it as a string.  false: does not fit, or has a zero byte. */
FZ_PRIVATE bool fz_url_copy(struct fz_url_piece piece, char *ret, size_t size);

/* The same, and undoes percent-encoding.  false also: that is wrong. */
FZ_PRIVATE bool fz_url_decode(struct fz_url_piece piece, char *ret, size_t size);

/* ---- for sentences ------------------------------------------------------------- */

/* HOST:PORT, with brackets where they are needed; HOST alone if there is no port. */
FZ_PRIVATE void fz_url_show_host(struct fz_sentence *s, const struct fz_url_host *host);

/* All of them, with commas between; or the path of the socket. */
FZ_PRIVATE void fz_url_show_hosts(struct fz_sentence *s, const struct fz_url *url);

#endif
