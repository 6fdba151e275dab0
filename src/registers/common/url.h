/* SPDX-License-Identifier: MIT */
/*
 * What the URLs of all coordinators have in common:
 *
 *   SCHEME://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/NAMESPACE[?KEY=VALUE&...]
 *
 * and, of the keys, these:
 *
 *   timeout=1s       how long one operation may take, connecting included; 10ms .. 60s
 *   password_file=F  the password is the first line of this file
 *   user=NAME        for password_file
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

#define FZ_URL_TIMEOUT_MS_DEFAULT 1000

/* A piece of the URL's text. */
struct fz_url_piece {
    const char *at; /* NULL: it is not there at all */
    size_t len;
};

struct fz_url_scheme {
    const char *text; /* "redis://" */
    bool is_path;     /* the path of a socket stands in place of credentials and hosts */
};

/* What one coordinator's URLs are like. */
struct fz_url_kind {
    const char *what;                    /* "Redis", for sentences */
    const char *form;                    /* what to write */
    const char *keys;                    /* all of them, for sentences: "timeout, password_file and user" */
    const struct fz_url_scheme *schemes; /* ended by one without a text */
    uint16_t default_port;
    bool user_alone; /* a user needs no password: USER@ is good */
};

/* A URL taken apart; the pieces lie in its text. */
struct fz_url_pieces {
    size_t scheme; /* its place among the schemes */
    struct fz_url_piece credentials;
    struct fz_url_piece place; /* hosts, or the path of a socket */
    struct fz_url_piece path;  /* behind the '/' after the place; behind the last one if the scheme is_path */
    struct fz_url_piece query; /* behind the '?' */
};

struct fz_url_host {
    char name[FZ_URL_HOST_SIZE]; /* or an address; one of IPv6 without its brackets */
    uint16_t port;
};

/* What every coordinator needs beyond the place. */
struct fz_url_access {
    char user[FZ_URL_SECRET_SIZE];     /* empty: none */
    char password[FZ_URL_SECRET_SIZE]; /* empty: none */
    uint32_t timeout_ms;
};

/* ---- text ----------------------------------------------------------------- */

/* Whether the piece is that word. */
FZ_PRIVATE bool fz_url_is(struct fz_url_piece piece, const char *word);

/* The first, or the last, place of a character in it; NULL: none. */
FZ_PRIVATE const char *fz_url_find(struct fz_url_piece piece, char c);
FZ_PRIVATE const char *fz_url_find_last(struct fz_url_piece piece, char c);

/* What lies before, or after, the character at `where`. */
FZ_PRIVATE struct fz_url_piece fz_url_before(struct fz_url_piece piece, const char *where);
FZ_PRIVATE struct fz_url_piece fz_url_after(struct fz_url_piece piece, const char *where);

/* Takes off the front what stands before the first c, or all of it; what is left begins behind the c. */
FZ_PRIVATE struct fz_url_piece fz_url_cut(struct fz_url_piece *rest, char c);

/* Copies it as a string.  false: does not fit, or has a zero byte. */
FZ_PRIVATE bool fz_url_copy(struct fz_url_piece piece, char *ret, size_t size);

/* The same, and undoes percent-encoding.  false also: that is wrong. */
FZ_PRIVATE bool fz_url_decode(struct fz_url_piece piece, char *ret, size_t size);

/* ---- the parts of a URL ------------------------------------------------------ */

/* Takes a URL apart.  What may be secret is recognised before anything is quoted. */
FZ_PRIVATE frazil_err fz_url_split(const struct fz_url_kind *kind, const char *text, struct fz_url_pieces *ret,
                                   frazil_error *reterr);

/* USER:PASSWORD; leaves *ret as it is if there are none. */
FZ_PRIVATE frazil_err fz_url_read_credentials(const struct fz_url_kind *kind, struct fz_url_piece piece,
                                              struct fz_url_access *ret, frazil_error *reterr);

/* HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
FZ_PRIVATE frazil_err fz_url_read_host(const struct fz_url_kind *kind, struct fz_url_piece piece,
                                       struct fz_url_host *ret, frazil_error *reterr);

/* 1 .. max of them, separated by commas.  On failure ret may have been written to. */
FZ_PRIVATE frazil_err fz_url_read_hosts(const struct fz_url_kind *kind, struct fz_url_piece piece,
                                        struct fz_url_host *ret, size_t max, size_t *ret_n, frazil_error *reterr);

/* The name of a namespace: 1 .. FZ_URL_NAMESPACE_SIZE - 1 letters, digits and "._-:". */
FZ_PRIVATE frazil_err fz_url_read_name(const struct fz_url_kind *kind, struct fz_url_piece piece,
                                       char ret[FZ_URL_NAMESPACE_SIZE], frazil_error *reterr);

/* ---- keys -------------------------------------------------------------------- */

/* A key that only this coordinator knows.  *ret_known is true; set it to false for one that it does not know either. */
typedef frazil_err (*fz_url_key_reader)(void *ctx, struct fz_url_piece key, struct fz_url_piece value, bool *ret_known,
                                        frazil_error *reterr);

/*
 * Reads all keys: those above into *access, which has what the credentials say, others through read_key
 * (NULL: there are none).  FRAZIL_ESYS: the password file cannot be read.  On failure *access may hold
 * half of it: the caller wipes it.
 */
FZ_PRIVATE frazil_err fz_url_read_query(const struct fz_url_kind *kind, struct fz_url_piece query,
                                        struct fz_url_access *access, fz_url_key_reader read_key, void *ctx,
                                        frazil_error *reterr);

/* A number from 0 to max as the value of a key. */
FZ_PRIVATE frazil_err fz_url_read_number(const struct fz_url_kind *kind, struct fz_url_piece key,
                                         struct fz_url_piece value, uint64_t max, uint32_t *ret, frazil_error *reterr);

/* The name of a file as the value of a key. */
FZ_PRIVATE frazil_err fz_url_read_path(const struct fz_url_kind *kind, struct fz_url_piece key,
                                       struct fz_url_piece value, char ret[FZ_URL_PATH_SIZE], frazil_error *reterr);

/* ---- for sentences ------------------------------------------------------------- */

/* HOST:PORT, with brackets where they are needed. */
FZ_PRIVATE void fz_url_show_host(struct fz_sentence *s, const struct fz_url_host *host);

#endif
