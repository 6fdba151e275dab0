/* SPDX-License-Identifier: MIT */
/*
 * Ids of both kinds as one value, the layout that a user chose, and the text
 * forms by which ids come in and go out.
 */
#ifndef IDS_H
#define IDS_H

#include <frazil.h>

#include <stdbool.h>
#include <stddef.h>

/* A layout, and what to call it: the preset's name, or the text that makes it. */
struct ids_layout {
    frazil_layout layout;
    char label[FRAZIL_FINGERPRINT_SIZE];
};

/*
 * The layout of --layout; for NULL that of the environment (FRAZIL_LAYOUT with
 * FRAZIL_EPOCH and FRAZIL_TICK, as generators read them), else `frazil`.
 * Complains and returns false if it is not valid.
 */
bool ids_layout_choose(const char *text, struct ids_layout *ret);

/* The label of a valid layout. */
void ids_layout_label(struct ids_layout *layout);

struct id {
    frazil_layout_kind kind;
    uint64_t number; /* 64-bit ids */
    frazil_sno sno;  /* snos */
};

/* Forms: those of frazil_text, those of snos, and "whichever it is". */
#define IDS_ONE(identifier, number, name, room) +1
enum { IDS_FORM_SNO = FRAZIL_TEXTS(IDS_ONE), IDS_FORM_UUID, IDS_FORM_COUNT, IDS_FORM_ANY = -1 };

/* The names of all forms, each behind a space: the library's table, and what snos have beside it. */
#define IDS_FORM_NAME(identifier, number, name, room) " " name
#define IDS_FORM_NAMES FRAZIL_TEXTS(IDS_FORM_NAME) " sno uuid"
#ifdef __wasm__
#define IDS_FILE_HINT "" /* a page in a browser has no standard input */
#else
#define IDS_FILE_HINT "; give a file as standard input: <FILE"
#endif
#define IDS_NO_FORM "not an id in any known form:" IDS_FORM_NAMES "; write it without blanks and commas" IDS_FILE_HINT

/* Why a text without any reading is no id: what it is, where that is known.  Valid until the next call. */
const char *ids_why_none(const char *text, size_t len);

/* Their help, in two lines. */
#define IDS_FORM_HELP "FORM: of snos sno, uuid, hex or bytes; of 64-bit ids one of\n" FRAZIL_TEXTS(IDS_FORM_NAME)

/* Of them those of a sno. */
#define IDS_SNO_FORM_NAMES "sno, uuid, hex and bytes"

/* Whether a sno has the form. */
bool ids_form_is_of_sno(int form);

/* Their names, and NULL. */
const char *const *ids_form_names(void);

/* The form of that name; NULL is IDS_FORM_ANY.  Complains, naming the option, and returns false for an unknown one. */
bool ids_form_choose(const char *option, const char *name, int *ret);

/* "dec", ..., "uuid". */
const char *ids_form_name(int form);

/* Bytes that ids_format can need, terminator included. */
#define IDS_TEXT_SIZE FRAZIL_TEXT_SIZE

/*
 * Writes an id in a form (IDS_FORM_ANY: decimal, and sno's own text).  A sno has
 * the forms sno, uuid, hex and bytes, and a 64-bit id all but sno and uuid: FRAZIL_EKIND.
 */
frazil_err ids_format(const struct id *id, int form, char buf[IDS_TEXT_SIZE], frazil_error *reterr);

/*
 * Reads an id of a kind in a form.  With IDS_FORM_ANY the form is recognised.  FRAZIL_EPARSE, with the forms in
 * question, if the text could be different ids, or if its form has no fixed length, because any word has such a
 * form.
 */
frazil_err ids_parse(frazil_layout_kind kind, int form, const char *text, size_t len, struct id *ret,
                     frazil_error *reterr);

/*
 * The same for data, where a word such as null or total must not become an id:
 * with IDS_FORM_ANY a 64-bit id is decimal and nothing else.
 */
frazil_err ids_parse_data(frazil_layout_kind kind, int form, const char *text, size_t len, struct id *ret,
                          frazil_error *reterr);

/* Every reading of a text as an id. */
struct ids_reading {
    int form;
    struct id id;
};

/*
 * All ids that the text can stand for, each once under its most likely form, the
 * most likely one first; returns how many.  Only digits are decimal.  hexshort is
 * never guessed: most short texts could be one.
 */
size_t ids_readings(const char *text, size_t len, struct ids_reading ret[IDS_FORM_COUNT]);

/* Whether a text can be a sno and nothing else. */
bool ids_only_sno(const char *text, size_t len);

/* The ten bytes of a sno as 20 hex digits and a terminator. */
void ids_sno_hex(const frazil_sno *sno, char buf[2 * FRAZIL_SNO_SIZE + 1]);

/* ---- texts that are nearly an id ----------- */

/* Bytes that a sentence can need, terminator included. */
#define NOT_DECIMAL_SIZE FRAZIL_ERROR_MESSAGE_SIZE

/*
 * Writes the sentence for an id of another system (a UUID), or for a text that other programs write numbers like: with
 * a sign, with an exponent or a point, in quotes, between spaces, with an n behind it, behind a byte order mark, in
 * UTF-16, or above 2^64 - 1.
 * False for all others; buf is then untouched.
 */
bool not_decimal_because(const char *text, size_t len, char buf[NOT_DECIMAL_SIZE]);

#endif
