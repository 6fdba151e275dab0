/* SPDX-License-Identifier: MIT */
/*
 * The files of the configuration as sections of keys and values, each with its place.  Nothing here knows what a key
 * means.
 *
 *     # a comment
 *     [generator orders]
 *     layout=twitter
 */
#ifndef FRAZILD_CONFIG_FILE_H
#define FRAZILD_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

/* Where something was said; line 0: in no file. */
struct place {
    const char *file;
    unsigned line;
};

struct config_row {
    char *key;
    char *value;
    struct place place;
};

/* [kind name]; name is "" where there is none. */
struct config_section {
    char *kind;
    char *name;
    struct place place;
    struct config_row *rows;
    size_t count;
};

struct config_file {
    struct config_section *sections;
    size_t count;
    size_t others; /* of them, of the files before the one that is being read */
    char **names;  /* of the files */
    size_t name_count;
    bool is_full;   /* a section too many was named already */
    bool skips;     /* the keys that follow: their section was refused */
    bool is_unread; /* one of them could not be read: what is missing may stand there */
};

/*
 * Reads the file at path, then all *.conf of the folder conf.d beside it, in the order of their names.  There may be no
 * such folder; one that cannot be listed is an error.  Each error is added to errors, a line each ("FILE:LINE: ..."),
 * and reading goes on: config_is_good(errors) if all is right.
 */
void config_file_read(struct config_file *file, const char *path, struct bytes *errors);

/* The same for a text, which stands in the place of a file of that name; errors name none of its lines. */
void config_file_read_text(struct config_file *file, const char *name, const char *text, struct bytes *errors);

/* Whether nothing was found wrong, for want of memory neither. */
bool config_is_good(const struct bytes *errors);

/* The memory that an allocation gave; where it gave none, that is an error, too. */
void *config_memory(void *memory, struct bytes *errors);

/* Frees it, and wipes the values first: a URL may hold a password. */
void config_file_free(struct config_file *file);

/* Adds a line to errors: the place, and the sentence. */
void config_complain(struct bytes *errors, struct place place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
