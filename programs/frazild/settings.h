/* SPDX-License-Identifier: MIT */
/*
 * The settings of the daemon: numbers and choices, made out of the files of the configuration by one table of keys.
 */
#ifndef FRAZILD_SETTINGS_H
#define FRAZILD_SETTINGS_H

#include <frazil.h>
#include <frazil/admin.h>
#include <frazil/options.h>
#include <stdbool.h>
#include <stdint.h>

#include "config_file.h"
#include "settings_values.h"
#include "slice.h"

#define NAME_MAX_LEN 64     /* of generators and users */
#define GENERATORS_MAX 1024 /* each costs descriptors and a lease */
#define DEFAULT_FILE "/etc/frazil/frazild.conf"
#define DEFAULT_FOLDER "/etc/frazil/conf.d" /* which config_file_read finds beside that file */

/* The protocols that can be listened for. */
enum protocol { PROTOCOL_RESP, PROTOCOL_RESPS, PROTOCOL_HTTP, PROTOCOL_HTTPS, PROTOCOL_COUNT };

struct daemon_settings {
    uint32_t threads; /* 0: as many as there are processors, 8 at most */
    uint32_t max_connections;
    uint64_t request_timeout_ns; /* a command that waits for ids, or is not there in full */
    uint64_t stall_timeout_ns;   /* a reply that nobody reads */
    uint64_t idle_timeout_ns;    /* 0: an idle connection stays */
    uint64_t drain_delay_ns;
    uint64_t drain_timeout_ns;
    uint32_t incr_reply; /* an enum incr_reply */
    const char *page;    /* for browsers, at /; "": the installed one */
};

/* A section [listen PROTOCOL]. */
struct listen_settings {
    bool given;
    struct place place;
    const char *addresses; /* separated by blanks */
    bool insecure;         /* an address beyond this host may do without TLS and users */
    const char *tls_certificate;
    const char *tls_key;
    const char *tls_client_ca; /* the signers of clients; "": these are not asked for a certificate */
    uint32_t mode;             /* of a unix socket; NO_MODE: there is none */
    const char *hosts;         /* names of this host that clients of HTTP may use, separated by blanks */
};

/* A section [generator NAME]. */
struct generator_settings {
    const char *name;
    struct place place;
    frazil_options *options; /* the keys of the spec */
    const char *keys;        /* patterns of INCR's keys, separated by blanks; "" for none */
    uint32_t max_batch;
    uint32_t rate;         /* ids a second; 0: no limit */
    uint32_t worker_ids;   /* how many it takes */
    bool from_environment; /* opened as `frazil next` does: nothing is configured */
    bool assumes_worker;   /* nobody named a worker: it is file-lock */
    bool is_understood;    /* its options say what a generator needs */
    bool is_in_use;        /* it runs already, and nothing of its options has changed */
};

/* A section [user NAME]. */
struct user_settings {
    const char *name;
    struct place place;
    const char *secret_file;
    const char *certificate; /* a name in the client's certificate; "": none */
    const char *allow;       /* verb:pattern, separated by blanks */
    uint32_t rate;           /* ids a second; 0: no limit */
};

/* A spec in full, with its passwords.  It is no text that free() takes: spec_free wipes it first. */
struct spec {
    char *text; /* NULL: there is none */
};

struct settings {
    struct config_file file; /* all texts are in it */
    struct daemon_settings daemon;
    struct listen_settings listen[PROTOCOL_COUNT];
    struct generator_settings *generators;
    size_t generator_count;
    struct user_settings *users;
    size_t user_count;
    frazil_admin_group *group; /* of the generators, while they are read */
    bool built_in;             /* no file: the settings for a first try */
};

/*
 * Reads the settings from a file, or, where path is NULL, from DEFAULT_FILE; if there is neither that nor
 * DEFAULT_FOLDER, they are those for a first try.  Wrong lines are added to errors; the settings are of use only if
 * there are none.
 */
void settings_read(struct settings *settings, const char *path, struct bytes *errors);

/*
 * The spec of a generator as the library understands it.  Without a text: it is none, or there is no memory, which is
 * added to errors.  The caller ends it by spec_free.
 */
struct spec settings_spec(const struct generator_settings *generator, struct bytes *errors);
void spec_free(struct spec *spec);

/* Whether a generator has this name. */
bool settings_have_generator(const struct settings *settings, const char *name);

/*
 * Looks whether this host lets generators be opened now that are not in use: the time that its clock shows, and the
 * folders that this process can use.  Adds to errors what prevents it.
 */
void settings_look_at_host(const struct settings *settings, struct bytes *errors);

/* Writes them as a file of the configuration, with defaults, and with "..." where a password is. */
void settings_print(const struct settings *settings, struct bytes *out);

/* Frees them. */
void settings_free(struct settings *settings);

/* The name of a protocol, as [listen NAME] has it, and the protocol of a name; PROTOCOL_COUNT: there is none. */
const char *settings_protocol(enum protocol protocol);
enum protocol settings_protocol_of(struct slice name);

/* Whether it is served through TLS; whether it is HTTP, with or without it. */
bool protocol_has_tls(enum protocol protocol);
bool protocol_is_http(enum protocol protocol);

/* Whether a text is a name of a generator or user: [a-z][a-z0-9_.-]{0,63}. */
bool settings_is_name(struct slice text);

#endif
