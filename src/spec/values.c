/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <string.h>

#include "core/decimal.h"
#include "core/duration.h"
#include "core/nearest.h"
#include "core/sentence.h"

#define NS_PER_MS UINT64_C(1000000)

frazil_err fz_value_refuse(const struct fz_settings *settings, enum fz_key key, const char *right, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESPEC, "%s=%q: %s", fz_key_name(key), settings->value[key], right);
}

frazil_err fz_value_word(const struct fz_settings *settings, enum fz_key key, const struct fz_value_word *words,
                         const char *or_else, int *ret, frazil_error *reterr)
{
    const char *value = settings->value[key];

    if (value == NULL)
        return FRAZIL_OK;
    struct fz_nearest near = fz_nearest_to(value, strlen(value));
    char right[192];
    struct fz_sentence sentence = fz_sentence_in(right, sizeof right);
    fz_sentence_str(&sentence, "must be one of");
    for (; words->word[0] != '\0'; words++) {
        if (strcmp(words->word, value) == 0) {
            *ret = words->value;
            return FRAZIL_OK;
        }
        fz_sentence_char(&sentence, ' ');
        fz_sentence_str(&sentence, words->word);
        fz_nearest_offer(&near, words->word);
    }
    fz_sentence_str(&sentence, or_else);
    fz_nearest_say(&sentence, &near, "");
    return fz_value_refuse(settings, key, right, reterr);
}

frazil_err fz_value_duration(const struct fz_settings *settings, enum fz_key key, uint64_t *ret_ns,
                             frazil_error *reterr)
{
    const char *value = settings->value[key];
    frazil_error why;

    if (value == NULL)
        return FRAZIL_OK;
    if (fz_duration_parse(value, strlen(value), ret_ns, &why) != FRAZIL_OK)
        return fz_value_refuse(settings, key, why.message, reterr);
    return FRAZIL_OK;
}

frazil_err fz_value_ms(const struct fz_settings *settings, enum fz_key key, uint64_t max_ms, const char *right,
                       uint64_t *ret_ms, frazil_error *reterr)
{
    uint64_t ns = *ret_ms * NS_PER_MS;

    frazil_err err = fz_value_duration(settings, key, &ns, reterr);
    if (err == FRAZIL_OK && (ns / NS_PER_MS > max_ms || ns % NS_PER_MS != 0))
        err = fz_value_refuse(settings, key, right, reterr);
    if (err == FRAZIL_OK)
        *ret_ms = ns / NS_PER_MS;
    return err;
}

frazil_err fz_value_number(const struct fz_settings *settings, enum fz_key key, uint64_t min, uint64_t max,
                           uint64_t *ret, frazil_error *reterr)
{
    const char *value = settings->value[key];
    uint64_t number;

    if (value == NULL)
        return FRAZIL_OK;
    if (!fz_decimal_parse(value, strlen(value), &number))
        return fz_value_refuse(settings, key, "must be a whole number without sign or leading zero", reterr);
    if (number < min || number > max)
        return fz_fail(reterr, FRAZIL_ERANGE, "%s=%u: must be from %u to %u for this layout", fz_key_name(key), number,
                       min, max);
    *ret = number;
    return FRAZIL_OK;
}
