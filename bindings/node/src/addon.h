/* SPDX-License-Identifier: MIT */
/*
 * frazil for Node: what the files of the addon share.
 *
 * JavaScript calls native functions through one door (addon.c), which hands them their arguments as a struct args.  The
 * functions stand in tables, one for each file.  The functions that make one id are bound to their generator and
 * skip the door, because each nanosecond counts there (generator.c).
 */
#ifndef FRAZIL_NODE_ADDON_H
#define FRAZIL_NODE_ADDON_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <frazil.h>
#ifndef FRAZIL_KASUMI_CHECKED /* the two-file form has it inside */
#include <frazil/extras.h>
#endif

/* The data of an environment: the main thread is one, and so is each worker thread. */
struct addon {
    uint64_t *cell;                           /* CELL_WORDS words that JavaScript reads through a BigUint64Array */
    napi_ref cell_holder;                     /* its ArrayBuffer, which stays as long as the environment */
    napi_ref error_class;                     /* FrazilError */
    unsigned closes;                          /* works that close a generator now */
    struct promise *first_close, *last_close; /* closes that wait for one of these to end */
};

/* The words of the cell: an id, and after how many nanoseconds to come back. */
enum { CELL_ID = 0, CELL_RETRY_NS = 1, CELL_WORDS = 2 };

enum { ARGUMENTS_MOST = 8, TEXTS_MOST = 4 };

/* The arguments of one native call. */
struct args {
    napi_env env;
    struct addon *addon;
    napi_value value[ARGUMENTS_MOST]; /* undefined where the caller gave fewer */
    char *text[TEXTS_MOST];           /* freed when the call is over */
    size_t texts;
    bool wrong; /* an exception is pending: the function returns at once */
};

/* A native function by name; a table of them ends with an entry without a name. */
struct native {
    const char *name;
    napi_value (*call)(struct args *args);
};

extern const struct native natives_of_generators[];
extern const struct native natives_of_promises[];
extern const struct native natives_of_layouts[];
extern const struct native natives_of_texts[];
extern const struct native natives_of_snos[];

/* ---- arguments (values.c) ---------------------------------------------------------- */
/* Each reads argument i, whose name is for the error.  A value of another type throws, sets args->wrong and gives 0. */

uint64_t arg_id(struct args *args, size_t i);                    /* bigint, decimal text or 8 bytes */
uint64_t arg_u64(struct args *args, size_t i, const char *name); /* bigint or a whole number that is exact */
uint32_t arg_u32(struct args *args, size_t i, const char *name);
int64_t arg_ms(struct args *args, size_t i, const char *name);   /* whole number or Date */
int64_t arg_time(struct args *args, size_t i, const char *name); /* the same, or a text with its zone */
bool arg_bool(struct args *args, size_t i);                      /* true, and nothing else, is true */
frazil_sno arg_sno(struct args *args, size_t i);                 /* 16 characters or 10 bytes */
/* The text is terminated, lives until the call is over, and may have zero bytes inside. */
const char *arg_text(struct args *args, size_t i, const char *name, size_t *ret_len);
/* The bytes of a Uint8Array, in place. */
uint8_t *arg_bytes(struct args *args, size_t i, const char *name, size_t *ret_len);
/* The words of a BigUint64Array, in place. */
uint64_t *arg_words(struct args *args, size_t i, const char *name, size_t *ret_len);
uint8_t arg_meta(struct args *args, size_t i);                    /* of snos; 0 to 255 (generator.c) */
frazil_sno *arg_snos(struct args *args, size_t i, size_t *ret_n); /* room for snos, ten bytes each, in place */
/* The pointer of an External that this addon made. */
void *arg_external(struct args *args, size_t i);
bool is_missing(struct args *args, size_t i); /* undefined or null */

/* ---- results (values.c) ------------------------------------------------------------ */

napi_value make_id(struct args *args, uint64_t id);
napi_value make_number(struct args *args, double value);
napi_value make_ms(struct args *args, int64_t unix_ms); /* throws where a number cannot hold it */
napi_value make_bool(struct args *args, bool value);
napi_value make_text(struct args *args, const char *text, size_t len);
napi_value make_bytes(struct args *args, const void *bytes, size_t len); /* a Uint8Array with a copy */
napi_value make_object(struct args *args);
void set_member(struct args *args, napi_value object, const char *name, napi_value value);

/* ---- errors (errors.c) ------------------------------------------------------------- */

/* A FrazilError of err; why has the sentence if the function gave one, else its code is 0. */
napi_value make_error(napi_env env, const struct addon *addon, frazil_err err, const frazil_error *why);
/* Throws it, and returns NULL.  why may be NULL. */
napi_value throw_error(struct args *args, frazil_err err, const frazil_error *why);
/* Throw FRAZIL_EINVAL and FRAZIL_ERANGE with a sentence of ours, unless an exception is pending. */
napi_value throw_wrong(struct args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
napi_value throw_range(struct args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- handles (handle.c) ------------------------------------------------------------- */

/* A manual clock, held by its External and by each generator that runs on it. */
struct clock {
    frazil_manual_clock *manual;
    unsigned holders;
};

/* A generator of an environment.  Used by the thread of that environment alone, but for `gen` in a promise's work. */
struct handle {
    frazil *gen;         /* NULL: closed */
    struct addon *addon; /* of its environment */
    struct clock *clock; /* NULL: it runs on the real one */
    char *spec;          /* what its options mean, without passwords */
    uint64_t max_wait_ns;
    bool is_remote;          /* taking ids may ask a server or a disk, so promises do it in a thread of the pool */
    bool is_shared;          /* others of the process may have the generator, too */
    bool is_closing;         /* close was called while works were running: the last of them closes it */
    struct promise *closing; /* which is then kept; NULL: nobody waits for that */
    unsigned holders;        /* JavaScript objects and works that point here */
    unsigned works;          /* promises that use gen in a thread of the pool */
    struct handle *previous, *next;
    napi_env env;
};

/* A request to open a generator, understood and not yet carried out. */
struct request {
    frazil_options *options;
    struct clock *clock;
    char *spec; /* what the options mean, without passwords */
    uint64_t max_wait_ns;
    bool is_remote;
    bool is_shared;
};

/* Reads arguments first (spec or missing), first + 1 (list of keys and values), + 2 (clock), + 3 (layout). */
bool request_read(struct args *args, size_t first, struct request *ret);
void request_free(struct request *request);

/* Each call of a closed generator throws this sentence. */
#define CLOSED_SENTENCE "the generator is closed: open another one"

/* Makes the handle of an open generator, and keeps it in the list of those that are open.  It takes the clock and the
 * text of the request.  NULL: out of memory. */
struct handle *handle_new(napi_env env, struct addon *addon, frazil *gen, struct request *request);
/* The object that JavaScript gets: the External and the bound functions. */
napi_value handle_object(napi_env env, struct handle *handle);
void handle_hold(struct handle *handle);
void handle_release(struct handle *handle);
/* Closes its generator, or lets the last work do so.  Waits wait_ns at most. */
void handle_close(struct handle *handle, uint64_t wait_ns);
/* Closes all generators of an environment, or, with env NULL, of the process: it is about to end. */
void handles_close_all(napi_env env);
/* Ends the takes of an environment that wait in a thread of the pool; those of shared generators only if told to. */
void handles_stop_takes(napi_env env, bool shared_ones);
/* The open generator of argument i; throws where it is closed. */
frazil *arg_generator(struct args *args, size_t i, struct handle **ret);
void clock_release(struct clock *clock);

/* The bound functions (generator.c): data is the handle. */
napi_value bound_next(napi_env env, napi_callback_info info);
napi_value bound_next_waiting(napi_env env, napi_callback_info info);
napi_value bound_try_next(napi_env env, napi_callback_info info);
napi_value bound_next_text(napi_env env, napi_callback_info info);

#endif
