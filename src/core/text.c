/* SPDX-License-Identifier: MIT */
#include "frazil/text.h"

#include <string.h>

#include "nearest.h"
#include "sentence.h"
#include "text_internal.h"

static const char text_names[FZ_TEXT_COUNT][12] = {
#define TEXT_NAME(identifier, number, name, room) [number] = name,
    FRAZIL_TEXTS(TEXT_NAME)
#undef TEXT_NAME
};

/*
 * How many bytes fz_text_write can touch: as many are written where they shall stay, with fewer by way of a copy.
 * The groups of bin are written with a space behind each, also the last.
 */
static const uint8_t text_room[FZ_TEXT_COUNT] = {
#define TEXT_ROOM(identifier, number, name, characters) [number] = (characters) + ((characters) == 79),
    FRAZIL_TEXTS(TEXT_ROOM)
#undef TEXT_ROOM
};

/* Whether there is such a form; a caller can pass any number as one. */
static bool is_form(frazil_text form)
{
    return (unsigned)form < FZ_TEXT_COUNT;
}

const char *frazil_text_name(frazil_text form)
{
    return is_form(form) ? text_names[form] : NULL;
}

/* Not memcmp, which clang turns into bcmp, which the core does without. */
static bool same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* There is no such form; which one may have been meant. */
static frazil_err fail_form(const char *name, frazil_error *reterr)
{
#define TEXT_LISTED(identifier, number, listed, room) ", " listed
    static const char forms_after_comma[] = FRAZIL_TEXTS(TEXT_LISTED);
#undef TEXT_LISTED
    struct fz_nearest near = fz_nearest_to(name, fz_text_len(name));
    char meant[40];
    struct fz_sentence s = fz_sentence_in(meant, sizeof meant);

    for (unsigned form = 0; form < FZ_TEXT_COUNT; form++)
        fz_nearest_offer(&near, text_names[form]);
    fz_nearest_say(&s, &near, "");
    return fz_fail(reterr, FRAZIL_EINVAL, "there is no text form %q%s%s %s", name, meant,
                   near.word == NULL ? ": must be one of" : " The forms are", forms_after_comma + 2);
}

frazil_err frazil_text_by_name(const char *name, frazil_text *ret, frazil_error *reterr)
{
    for (unsigned form = 0; form < FZ_TEXT_COUNT; form++) {
        if (same_text(name, text_names[form])) {
            *ret = (frazil_text)form;
            return FRAZIL_OK;
        }
    }
    return fail_form(name, reterr);
}

frazil_err frazil_id_format(frazil_text form, uint64_t id, char *buf, size_t size, size_t *ret_len)
{
    char text[FRAZIL_TEXT_SIZE];
    size_t len;

    if (!is_form(form))
        return FRAZIL_EINVAL;
    if (size > text_room[form]) {
        len = fz_text_write(form, id, buf);
    } else {
        len = fz_text_write(form, id, text);
        if (len >= size)
            return FRAZIL_EBUFFER;
        memcpy(buf, text, len);
    }
    buf[len] = '\0';
    if (ret_len != NULL)
        *ret_len = len;
    return FRAZIL_OK;
}

frazil_err frazil_id_parse(frazil_text form, const char *text, size_t len, uint64_t *ret_id, frazil_error *reterr)
{
    if (!is_form(form))
        return fz_fail(reterr, FRAZIL_EINVAL, "there is no text form number %d; the forms are numbered from 0 to %d",
                       (int64_t)(int)form, (int64_t)FZ_TEXT_COUNT - 1);
    return fz_text_read(form, text, len, ret_id, reterr);
}
