/* SPDX-License-Identifier: MIT */
#include "complain.h"
#include "hex.h"
#include "ids.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <frazil/extras.h>

#define SNO_HEX_LEN (2 * FRAZIL_SNO_SIZE)

/* Fills *reterr as the library does. */
static frazil_err fail(frazil_error *reterr, frazil_err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static frazil_err fail(frazil_error *reterr, frazil_err code, const char *fmt, ...)
{
    va_list args;

    *reterr = (frazil_error){.code = code};
    va_start(args, fmt);
    (void)vsnprintf(reterr->message, sizeof reterr->message, fmt, args);
    va_end(args);
    return code;
}

const char *ids_form_name(int form)
{
    if (form == IDS_FORM_SNO)
        return "sno";
    return form == IDS_FORM_UUID ? "uuid" : frazil_text_name((frazil_text)form);
}

bool ids_form_is_of_sno(int form)
{
    return form == IDS_FORM_SNO || form == IDS_FORM_UUID || form == FRAZIL_TEXT_HEX || form == FRAZIL_TEXT_BYTES;
}

/* A sno's form, for an id that is none. */
static frazil_err fail_sno_only(int form, frazil_error *reterr)
{
    return fail(reterr, FRAZIL_EKIND, "the form %s is for snos: use --layout sno", ids_form_name(form));
}

/* A form of 64 bits, for a sno. */
static frazil_err fail_not_sno(int form, frazil_error *reterr)
{
    return fail(reterr, FRAZIL_EKIND, "a sno has 80 bits: its forms are " IDS_SNO_FORM_NAMES ", not %s",
                ids_form_name(form));
}

const char *const *ids_form_names(void)
{
    static const char *names[IDS_FORM_COUNT + 1];

    for (int form = 0; form < IDS_FORM_COUNT; form++)
        names[form] = ids_form_name(form);
    return names;
}

bool ids_form_choose(const char *option, const char *name, int *ret)
{
    frazil_text form;

    *ret = IDS_FORM_ANY;
    if (name == NULL)
        return true;
    for (*ret = IDS_FORM_SNO; *ret < IDS_FORM_COUNT; ++*ret) {
        if (strcmp(name, ids_form_name(*ret)) == 0)
            return true;
    }
    if (frazil_text_by_name(name, &form, NULL) == FRAZIL_OK) {
        *ret = (int)form;
        return true;
    }
    complain("%s takes one of" IDS_FORM_NAMES ", not %s%s", option, quoted(name), meant(name, ids_form_names()));
    return false;
}

/* ---- snos ---------------------------------------------------------------- */

void ids_sno_hex(const frazil_sno *sno, char buf[2 * FRAZIL_SNO_SIZE + 1])
{
    hex_write(sno->bytes, FRAZIL_SNO_SIZE, buf);
}

static frazil_err parse_sno_hex(const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    frazil_sno sno;
    size_t position;

    if (len != SNO_HEX_LEN)
        return fail(reterr, FRAZIL_EPARSE, "%s has %zu character%s: the hex digits of a sno are 20",
                    quoted(typed(text, len)), len, len == 1 ? "" : "s");
    if (!hex_read(text, FRAZIL_SNO_SIZE, sno.bytes, &position))
        return fail(reterr, FRAZIL_EPARSE, "the character at position %zu is not a hex digit", position);
    *ret = sno;
    return FRAZIL_OK;
}

static frazil_err parse_sno(int form, const char *text, size_t len, frazil_sno *ret, frazil_error *reterr)
{
    if (form == FRAZIL_TEXT_HEX || form == FRAZIL_TEXT_BYTES || (form == IDS_FORM_ANY && len == SNO_HEX_LEN))
        return parse_sno_hex(text, len, ret, reterr);
    if (form == IDS_FORM_UUID || (form == IDS_FORM_ANY && len == FRAZIL_UUID_LEN))
        return frazil_sno_uuid_parse(text, len, ret, reterr);
    if (form == IDS_FORM_SNO || form == IDS_FORM_ANY)
        return frazil_sno_decode(text, len, ret, reterr);
    return fail_not_sno(form, reterr);
}

/* ---- recognising ---------------------------------------------------------- */

static bool is_decimal(const char *text, size_t len)
{
    size_t digits = 0;

    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    return len > 0 && len <= 20 && digits == len;
}

/* Digits are decimal unless they could only be something else; 20 of them may be padded. */
static int decimal_form(const char *text, size_t len)
{
    return len == 20 && text[0] == '0' ? FRAZIL_TEXT_DEC_PADDED : FRAZIL_TEXT_DEC;
}

const char *ids_why_none(const char *text, size_t len)
{
    static char known[NOT_DECIMAL_SIZE];

    return not_decimal_because(text, len, known) ? known : IDS_NO_FORM;
}

static bool same_id(const struct id *a, const struct id *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == FRAZIL_LAYOUT_SNO ? memcmp(a->sno.bytes, b->sno.bytes, FRAZIL_SNO_SIZE) == 0
                                        : a->number == b->number;
}

/* Adds the reading of text in a form, unless there is none or the same id is there already. */
static size_t add_reading(frazil_layout_kind kind, int form, const char *text, size_t len, struct ids_reading *readings,
                          size_t count)
{
    struct ids_reading next = {.form = form};
    frazil_error ignored;

    if (ids_parse(kind, form, text, len, &next.id, &ignored) != FRAZIL_OK)
        return count;
    for (size_t i = 0; i < count; i++) {
        if (same_id(&readings[i].id, &next.id))
            return count;
    }
    readings[count] = next;
    return count + 1;
}

/* The readings as a 64-bit id. */
static size_t number_readings(const char *text, size_t len, struct ids_reading *readings)
{
    static const int likely_first[] = {FRAZIL_TEXT_HEX,    FRAZIL_TEXT_CROCKFORD, FRAZIL_TEXT_BASE62,
                                       FRAZIL_TEXT_BASE58, FRAZIL_TEXT_BASE64URL, FRAZIL_TEXT_BASE36,
                                       FRAZIL_TEXT_BIN,    FRAZIL_TEXT_BYTES};
    size_t count = 0;

    if (is_decimal(text, len))
        return add_reading(FRAZIL_LAYOUT_64, decimal_form(text, len), text, len, readings, 0);
    for (size_t i = 0; i < sizeof likely_first / sizeof likely_first[0]; i++)
        count = add_reading(FRAZIL_LAYOUT_64, likely_first[i], text, len, readings, count);
    return count;
}

size_t ids_readings(const char *text, size_t len, struct ids_reading ret[IDS_FORM_COUNT])
{
    size_t count = number_readings(text, len, ret);

    count = add_reading(FRAZIL_LAYOUT_SNO, IDS_FORM_SNO, text, len, ret, count);
    count = add_reading(FRAZIL_LAYOUT_SNO, IDS_FORM_UUID, text, len, ret, count);
    return add_reading(FRAZIL_LAYOUT_SNO, FRAZIL_TEXT_HEX, text, len, ret, count);
}

static frazil_err fail_ambiguous(const struct ids_reading *readings, size_t count, frazil_error *reterr)
{
    char names[128] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i == 0 ? "" : (i + 1 < count ? ", " : " or "), ids_form_name(readings[i].form));
    return fail(reterr, FRAZIL_EPARSE, "it can be %s: say %s, with --form (convert: --from)", names,
                count > 1 ? "which" : "so");
}

bool ids_only_sno(const char *text, size_t len)
{
    struct ids_reading readings[IDS_FORM_COUNT];

    /* Numbers come first among the readings; digits alone are a number, also one that is too large. */
    return !is_decimal(text, len) && ids_readings(text, len, readings) > 0 && readings[0].id.kind == FRAZIL_LAYOUT_SNO;
}

/* No 64-bit id in any form, or in the form that was asked for: says what it is, if that is known, else why. */
static frazil_err fail_number(const char *text, size_t len, frazil_err code, const char *why, frazil_error *reterr)
{
    char known[NOT_DECIMAL_SIZE];

    if (not_decimal_because(text, len, known))
        return fail(reterr, FRAZIL_EPARSE, "%s", known);
    return why == NULL ? code : fail(reterr, code, "%s", why);
}

static frazil_err parse_number(int form, const char *text, size_t len, uint64_t *ret, frazil_error *reterr)
{
    frazil_err err = frazil_id_parse((frazil_text)form, text, len, ret, reterr);

    return err == FRAZIL_OK || form != FRAZIL_TEXT_DEC ? err : fail_number(text, len, err, NULL, reterr);
}

static frazil_err recognise_number(const char *text, size_t len, uint64_t *ret, frazil_error *reterr)
{
    struct ids_reading readings[IDS_FORM_COUNT];
    size_t count;

    if (is_decimal(text, len))
        return parse_number(decimal_form(text, len), text, len, ret, reterr);
    count = ids_readings(text, len, readings);
    if (count == 0)
        return fail_number(text, len, FRAZIL_EPARSE, IDS_NO_FORM, reterr);
    if (readings[0].id.kind == FRAZIL_LAYOUT_SNO)
        return fail(reterr, FRAZIL_EPARSE, "it looks like a sno: use --layout sno");
    count = number_readings(text, len, readings);
    if (count > 1 || readings[0].form == FRAZIL_TEXT_BASE36 || readings[0].form == FRAZIL_TEXT_BASE58)
        return fail_ambiguous(readings, count, reterr);
    *ret = readings[0].id.number;
    return FRAZIL_OK;
}

/* ---- both kinds ------------------------------------------------------------ */

frazil_err ids_parse(frazil_layout_kind kind, int form, const char *text, size_t len, struct id *ret,
                     frazil_error *reterr)
{
    struct id id = {.kind = kind};
    frazil_err err;

    if (kind == FRAZIL_LAYOUT_SNO)
        err = parse_sno(form, text, len, &id.sno, reterr);
    else if (form >= IDS_FORM_SNO)
        err = fail_sno_only(form, reterr);
    else if (form == IDS_FORM_ANY)
        err = recognise_number(text, len, &id.number, reterr);
    else
        err = parse_number(form, text, len, &id.number, reterr);
    if (err == FRAZIL_OK)
        *ret = id;
    return err;
}

frazil_err ids_parse_data(frazil_layout_kind kind, int form, const char *text, size_t len, struct id *ret,
                          frazil_error *reterr)
{
    if (kind == FRAZIL_LAYOUT_64 && form == IDS_FORM_ANY) {
        if (!is_decimal(text, len))
            return fail_number(text, len, FRAZIL_EPARSE, "it is not a decimal number; give another form with --form",
                               reterr);
        form = decimal_form(text, len);
    }
    return ids_parse(kind, form, text, len, ret, reterr);
}

frazil_err ids_format(const struct id *id, int form, char buf[IDS_TEXT_SIZE], frazil_error *reterr)
{
    if (id->kind == FRAZIL_LAYOUT_64) {
        if (form >= IDS_FORM_SNO)
            return fail_sno_only(form, reterr);
        return frazil_id_format(form == IDS_FORM_ANY ? FRAZIL_TEXT_DEC : (frazil_text)form, id->number, buf,
                                IDS_TEXT_SIZE, NULL);
    }
    if (form == FRAZIL_TEXT_HEX || form == FRAZIL_TEXT_BYTES) {
        ids_sno_hex(&id->sno, buf);
    } else if (form == IDS_FORM_SNO || form == IDS_FORM_ANY) {
        frazil_sno_encode(&id->sno, buf);
        buf[FRAZIL_SNO_LEN] = '\0';
    } else if (form == IDS_FORM_UUID) {
        size_t len;
        return frazil_sno_uuid_format(&id->sno, buf, IDS_TEXT_SIZE, &len);
    } else {
        return fail_not_sno(form, reterr);
    }
    return FRAZIL_OK;
}
