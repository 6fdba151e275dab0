/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: every text form of an id, and the two scrambled ones, read back what they write, and read nothing
 * else but what their header says.
 */
#include <ctype.h>
#include <string.h>

#include "core/text_internal.h"
#include "frazil/extras.h"
#include "frazil/text.h"
#include "fuzz.h"

enum { SALT = 0x2545f491 };

/* Whether b, without its spaces and in lower case, is a. */
static bool is_same(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (b[i] == ' ')
            continue;
        if (tolower((unsigned char)*a) != tolower((unsigned char)b[i]))
            return false;
        a++;
    }
    return *a == '\0';
}

/* The same, with letters that look like digits read as them. */
static bool is_same_in_crockford(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = (char)tolower((unsigned char)b[i]);
        c = c == 'o' ? '0' : (c == 'i' || c == 'l') ? '1' : c;
        if (tolower((unsigned char)a[i]) != c)
            return false;
    }
    return a[len] == '\0';
}

/* Whether a text may stand for an id whose own text is `own`. */
static bool may_stand_for(frazil_text form, const char *text, size_t len, const char *own)
{
    switch (form) {
    case FRAZIL_TEXT_HEX:
        if (len > 2 && text[1] == 'x') {
            const char *digits = own + (18 - len);
            return len <= 18 && strspn(own, "0") >= 18 - len && is_same(digits, text + 2, len - 2);
        }
        return len == 16 && is_same(own, text, len);
    case FRAZIL_TEXT_HEX0X:
    case FRAZIL_TEXT_HEX_SHORT:
        return len == strlen(own) && is_same(own, text, len);
    case FRAZIL_TEXT_CROCKFORD:
        return len == 13 && is_same_in_crockford(own, text, len);
    case FRAZIL_TEXT_BYTES:
        return (len == 16 || len == 23) && is_same(own, text, len);
    default:
        return len == strlen(own) && memcmp(own, text, len) == 0;
    }
}

static void read_form(frazil_text form, const char *text, size_t len)
{
    frazil_error why;
    char own[FRAZIL_TEXT_SIZE];
    uint64_t id;
    uint64_t again;

    fuzz_fill(&id, sizeof id);
    frazil_err err = frazil_id_parse(form, text, len, &id, &why);
    REQUIRE(frazil_id_parse(form, text, len, &again, NULL) == err);
    if (err != FRAZIL_OK) {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE && fuzz_is_untouched(&id, sizeof id));
        return;
    }
    REQUIRE(again == id && frazil_id_format(form, id, own, sizeof own, NULL) == FRAZIL_OK);
    REQUIRE(may_stand_for(form, text, len, own));
}

static void read_scrambled(bool checked, const char *text, size_t len)
{
    frazil_error why;
    char own[FRAZIL_TEXT_SIZE];
    uint64_t id;

    fuzz_fill(&id, sizeof id);
    frazil_err err = frazil_unscramble(SALT, checked ? FRAZIL_KASUMI_CHECKED : 0, text, len, &id, &why);
    if (err != FRAZIL_OK) {
        fuzz_require_error(err, &why);
        REQUIRE(err == FRAZIL_EPARSE || (checked && err == FRAZIL_ECHECKSUM));
        REQUIRE(fuzz_is_untouched(&id, sizeof id));
        return;
    }
    REQUIRE(frazil_scramble(SALT, checked ? FRAZIL_KASUMI_CHECKED : 0, id, own, sizeof own, NULL) == FRAZIL_OK);
    REQUIRE(strlen(own) == len && memcmp(own, text, len) == 0);
}

/* Every number has its text in every form. */
static void write_all(uint64_t id)
{
    char text[FRAZIL_TEXT_SIZE];
    uint64_t again;

    for (unsigned form = 0; form < FZ_TEXT_COUNT; form++) {
        REQUIRE(frazil_id_format((frazil_text)form, id, text, sizeof text, NULL) == FRAZIL_OK);
        REQUIRE(frazil_id_parse((frazil_text)form, text, strlen(text), &again, NULL) == FRAZIL_OK && again == id);
    }
    for (unsigned checked = 0; checked < 2; checked++) {
        REQUIRE(frazil_scramble(SALT, checked == 1 ? FRAZIL_KASUMI_CHECKED : 0, id, text, sizeof text, NULL) ==
                FRAZIL_OK);
        REQUIRE(frazil_unscramble(SALT, checked == 1 ? FRAZIL_KASUMI_CHECKED : 0, text, strlen(text), &again, NULL) ==
                    FRAZIL_OK &&
                again == id);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1;
    uint64_t id;

    if (size == 0)
        return 0;
    unsigned form = (data[0] - (unsigned)'0') % (FZ_TEXT_COUNT + 2);
    if (form < FZ_TEXT_COUNT)
        read_form((frazil_text)form, text, size - 1);
    else
        read_scrambled(form == FZ_TEXT_COUNT, text, size - 1);
    if (size >= sizeof id) {
        memcpy(&id, data, sizeof id);
        write_all(id);
    }
    return 0;
}
