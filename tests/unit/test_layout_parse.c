/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the text of a layout means exactly one layout or is
 * refused with a sentence that says what would be right.
 */

#include "core/layout_internal.h"
#include "lib/test.h"

/* The layout of a text as its name and fingerprint. */
static void assert_parses(const char *text, const char *name, const char *fingerprint)
{
    char found[FRAZIL_FINGERPRINT_SIZE];
    frazil_layout layout;
    frazil_error err;

    if (frazil_layout_parse(text, strlen(text), &layout, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    assert_int_equal(frazil_layout_fingerprint(&layout, found, sizeof found, NULL), FRAZIL_OK);
    assert_string_equal(found, fingerprint);
    assert_string_equal(layout.name, name);
    assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, NULL), FRAZIL_OK);
}

static void assert_refused(const char *text, const char *why)
{
    frazil_layout layout;
    frazil_layout untouched;
    frazil_error err;

    memset(&layout, 0x5a, sizeof layout);
    memset(&untouched, 0x5a, sizeof untouched);
    if (frazil_layout_parse(text, strlen(text), &layout, &err) != FRAZIL_ELAYOUT)
        fail_msg("'%s' was not refused", text);
    assert_int_equal(err.code, FRAZIL_ELAYOUT);
    if (strstr(err.message, why) == NULL)
        fail_msg("'%s': %s", text, err.message);
    assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, NULL), FRAZIL_ELAYOUT);
    assert_memory_equal(&layout, &untouched, sizeof layout);
}

/* ---- presets and keys ---------------------------------------------------- */

TEST("A preset's name gives the preset")
{
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        char fingerprint[FRAZIL_FINGERPRINT_SIZE];
        const frazil_layout *preset = frazil_layout_preset(i);
        assert_int_equal(frazil_layout_fingerprint(preset, fingerprint, sizeof fingerprint, NULL), FRAZIL_OK);
        assert_parses(preset->name, preset->name, fingerprint);
    }
}

TEST("The name of a family leads to its layouts, and so does a slip in it")
{
    static const char *const families[] = {"snowflake", "Snowflake", "snowflke", "snowflake epoch=2026-01-01"};

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        assert_refused(families[i], "is a family of layouts: name one of them: twitter (Twitter's own), discord, ");
    assert_refused("sonyflak", ": did you mean sonyflake?");
}

TEST("A slip leads to the name that was meant; any other name that is none is an error that lists those that are")
{
    static const char *const unknown[] = {"", " ", "custom", "41", "epoch=0", "=", "\x1b[2J", "41.10.12"};
    static const char *const slips[] = {"twiter", "Twitter", "twitter\t", "\ttwitter", "twtiter"};

    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++)
        assert_refused(slips[i], ": did you mean twitter?");
    assert_refused("twiter epoch=2026-01-01 tick=1ms", ": did you mean twitter epoch=2026-01-01 tick=1ms?");
    assert_refused("\"twitter tick=10ms\"", "there is no layout '\"twitter': did you mean twitter tick=10ms?");
    assert_refused("'twiter epoch=0'", ": did you mean twitter epoch=0?");
    assert_refused("\"twitter\"", ": did you mean twitter?");
    assert_refused("sno,", "there is no layout 'sno,': did you mean sno?");
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_refused(unknown[i], "or one of frazil, konayuki, sfid, sno, post, flake, twitter, discord, "
                                   "instagram, mastodon, sonyflake, js53");
    }
    assert_refused("\x1b[2J", "'\\x1b[2J'");
    assert_refused("twitter/", "three fields were expected");
}

TEST("Epoch and tick can be overridden, in any order; what is then another layout no longer bears the preset's name")
{
    assert_parses("flake epoch=1300000000000", "custom", "42/5+5/12 epoch=1300000000000 tick=1ms");
    assert_parses("flake tick=10ms", "custom", "42/5+5/12 epoch=0 tick=10ms");
    assert_parses("flake epoch=0", "flake", "42/5+5/12 epoch=0 tick=1ms");
    assert_parses("flake tick=1ms epoch=1970-01-01", "flake", "42/5+5/12 epoch=0 tick=1ms");
    assert_parses("sonyflake tick=10ms", "sonyflake", "39/8s/16w epoch=1409529600000 tick=10ms");
    assert_parses("41/12/10 epoch=2026-01-01T00:00:00Z", "custom", "41/12/10 epoch=1767225600000 tick=1ms");
    assert_parses("41/12/10 epoch=2025-12-31T15:00:00-09:00 tick=2s", "custom",
                  "41/12/10 epoch=1767225600000 tick=2000ms");
    assert_parses("41/12/10 tick=2s epoch=-5", "custom", "41/12/10 epoch=-5 tick=2000ms");
    assert_parses("20/12/10 tick=24h", "custom", "20/12/10 epoch=1767225600000 tick=86400000ms");
    assert_parses("20/12/10 tick=3000us", "custom", "20/12/10 epoch=1767225600000 tick=3ms");
    assert_parses("  41/12/10   epoch=0  ", "custom", "41/12/10 epoch=0 tick=1ms");
    /* Neither key is right without the other, together they are. */
    assert_parses("63/0/1 epoch=0", "custom", "63/0/1 epoch=0 tick=1ms");
    assert_parses("62/0/1 tick=2ms epoch=-2", "custom", "62/0/1 epoch=-2 tick=2ms");
}

TEST("Each wrong key or value is refused, and says what would be right")
{
    assert_refused("twitter epcoh=0", "a layout has no key 'epcoh': only epoch and tick");
    assert_refused("twitter Epoch=0", "no key 'Epoch'");
    assert_refused("twitter =0", "no key ''");
    assert_refused("twitter epoch", "'epoch' after the layout: epoch=... or tick=... was expected");
    assert_refused("twitter 41/10/12", "'41/10/12' after the layout");
    assert_refused("twitter flake", "'flake' after the layout");
    assert_refused("twitter epoch=", "the key 'epoch' has no value");
    assert_refused("twitter tick=", "the key 'tick' has no value");
    assert_refused("twitter epoch= 0", "the key 'epoch' has no value");
    assert_refused("twitter epoch=0 epoch=0", "the key 'epoch' is given twice");
    assert_refused("twitter tick=1ms epoch=0 tick=2ms", "the key 'tick' is given twice");
    assert_refused("twitter epoch=0 tick=1ms tick=1ms", "the key 'tick' is given twice");
    assert_refused("twitter epoch=0 tick=1ms epoch=0", "the key 'epoch' is given twice");
    assert_refused("twitter epoch=now", "epoch: the time 'now' is wrong at position 1");
    assert_refused("twitter epoch=2026-02-29", "at position 9: expected a day that this month has");
    assert_refused("twitter epoch==0", "epoch: the time '=0'");
    assert_refused("twitter epoch=0,tick=1ms", "epoch: the time '0,tick=1ms' is wrong at position 2");
    assert_refused("twitter epoch=253402300800000", "is not between the years 0 and 9999");
    assert_refused("twitter tick=0", "tick: '0' is not a whole number of milliseconds from 1ms to 86400000ms");
    assert_refused("twitter tick=0ms", "tick: '0ms' is not a whole number");
    assert_refused("twitter tick=10", "tick: '10' is not a duration");
    assert_refused("twitter tick=500us", "tick: '500us' is not a whole number of milliseconds");
    assert_refused("twitter tick=1500us", "tick: '1500us' is not a whole number of milliseconds");
    assert_refused("twitter tick=86400001ms", "tick: '86400001ms' is not");
    assert_refused("twitter tick=none", "tick: 'none' is not");
    assert_refused("twitter tick=4294967297ms", "tick: '4294967297ms' is not");
    assert_refused("63/0/1", "63 bits of 1ms ticks since 2026-01-01T00:00:00.000Z do not fit");
    assert_refused("62/0/1 tick=2ms epoch=0 tick=1ms", "given twice");
    assert_refused("62/0/1 tick=3ms epoch=0", "do not fit");
}

TEST("A sno is what it is")
{
    assert_refused("sno epoch=0", "the 'epoch' of a sno is fixed");
    assert_refused("sno epoch=1262304000000", "the 'epoch' of a sno is fixed");
    assert_refused("sno tick=4ms", "the 'tick' of a sno is fixed");
    assert_refused("sno meta=1", "no key 'meta'");
}

/* ---- descriptions -------------------------------------------------------- */

TEST("The forms that the manual shows")
{
    assert_parses("41/10/12", "custom", "41/10/12 epoch=1767225600000 tick=1ms");
    assert_parses("41t/10w/12s", "custom", "41/10/12 epoch=1767225600000 tick=1ms");
    assert_parses("41/5+5/12", "custom", "41/5+5/12 epoch=1767225600000 tick=1ms");
    assert_parses("41/5+5w/12", "custom", "41/5+5/12 epoch=1767225600000 tick=1ms");
    assert_parses("39/8s/16w", "custom", "39/8s/16w epoch=1767225600000 tick=1ms");
    assert_parses("39/8s/1+15w tick=10ms", "custom", "39/8s/1+15w epoch=1767225600000 tick=10ms");
    assert_parses("41/0/22", "custom", "41/0/22 epoch=1767225600000 tick=1ms");
    assert_parses("41/22s/0w", "custom", "41/0/22 epoch=1767225600000 tick=1ms");
    assert_parses("48/0/16", "custom", "48/0/16 epoch=1767225600000 tick=1ms");
    assert_parses("1/31/32", "custom", "1/31/32 epoch=1767225600000 tick=1ms");
    assert_parses("1/32/31", "custom", "1/32/31 epoch=1767225600000 tick=1ms");
    assert_parses("1/0/1", "custom", "1/0/1 epoch=1767225600000 tick=1ms");
}

/*
 * The meaning of a description's letters: each of the four choices for each
 * field.  A field without a letter takes the first of t, w, s that no field
 * is called, so a correct description has each letter once and t in front.
 */
static bool names_expected(const char *letters, char names[3])
{
    const char *free_letter = "tws";

    memcpy(names, letters, 3);
    for (int i = 0; i < 3; i++) {
        while (*free_letter != '\0' && memchr(letters, *free_letter, 3) != NULL)
            free_letter++;
        if (names[i] == '-' && *free_letter != '\0')
            names[i] = *free_letter++;
    }
    return names[0] == 't' && names[1] != names[2] && names[1] != 't' && names[2] != 't';
}

TEST("Every way to letter three fields, or to leave letters out, is understood as above or refused")
{
    static const char choices[] = "-tws";
    int accepted = 0;

    for (int n = 0; n < 64; n++) {
        const char letters[3] = {choices[n / 16], choices[n / 4 % 4], choices[n % 4]};
        char names[3];
        char text[32];
        char field[3][8];
        char expected[64];
        for (int i = 0; i < 3; i++)
            snprintf(field[i], sizeof field[i], letters[i] == '-' ? "%d" : "%d%c", 20 + i, letters[i]);
        snprintf(text, sizeof text, "%s/%s/%s", field[0], field[1], field[2]);
        if (!names_expected(letters, names)) {
            assert_refused(text, "the field '");
            continue;
        }
        accepted++;
        snprintf(expected, sizeof expected, names[1] == 's' ? "20/21s/22w%s" : "20/21/22%s",
                 " epoch=1767225600000 tick=1ms");
        assert_parses(text, "custom", expected);
    }
    /* t or nothing in front, and behind it one of --, w-, s-, -w, -s, ws, sw. */
    assert_int_equal(accepted, 14);
}

TEST("Each wrong description is refused, and says what would be right")
{
    static const char *const widths[] = {"41//12",           "41/x/12",    "41/10/12x",
                                         "/10/12",           "41/10/",     "41/+5/12",
                                         "41/5+/12",         "41/5++5/12", "41/5+5+5/2",
                                         "41/05/12",         "41/-1/12",   "041/10/12",
                                         "41/1 0/12",        "41/w10/12",  "41/10ww/12",
                                         "41/10W/12",        "41/65/12",   "41/256/12",
                                         "41/w/12",          "41/5w+5/12", "41/5+5t/1s",
                                         "41/4294967297/12", "41/0x5/12",  "41/10/12\t",
                                         "41/10\x80/12",     "t/w/s",      "41/18446744073709551617/12"};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        assert_refused(widths[i], strchr(widths[i], ' ') != NULL ? "three fields" : "the field '");
    assert_refused("41/10/12x", "the field '12x' of the layout: a number of bits was expected, such as 10, 5+5 or 10w");
    assert_refused("41/10", "the layout '41/10': three fields were expected, time/worker/sequence, such as 41/10/12");
    assert_refused("41/10/12/1", "three fields were expected");
    assert_refused("///", "three fields were expected");
    assert_refused("12s/41t/10w", "the field '12s' of the layout: time must be the first field");
    assert_refused("10w/41/12", "time must be the first field");
    assert_refused("41t/10t/12", "the field '10t' of the layout: another field has the same letter");
    assert_refused("41/12/5+5", "the field '5+5' of the layout: only the worker can be split: mark it with w");
    assert_refused("20+21/10/12", "only the worker can be split");
    assert_refused("41/0+5/12", "the field '0+5' of the layout: both parts");
    assert_refused("41/5+0/12", "both parts");
    assert_refused("0/10/12", "0 bits of time in the layout: must be from 1 to 63");
    assert_refused("64/0/1", "64 bits of time");
    assert_refused("41/10/0", "0 bits of sequence in the layout: must be from 1 to 32");
    assert_refused("10/33/1", "33 bits of worker in the layout: must be from 0 to 32");
    assert_refused("10/20+20/1", "40 bits of worker");
    assert_refused("10/64+64/1", "128 bits of worker");
    assert_refused("10/1/33", "33 bits of sequence");
    assert_refused("41/12/12", "41 + 12 + 12 bits are 65: an id has 64");
}

TEST("A URL in place of a layout is not quoted in pieces, which could be those of a password")
{
    assert_refused("env:s3cret:41/10/12", "unexpected ':' at position 4 of the layout");
    assert_refused("41/joe:s3/cret", "unexpected ':' at position 7");
    assert_refused("41/s3/cret@h", "unexpected '@' at position 11");
    assert_refused("41/10/12 epoch=joe@h", "unexpected '@' at position 19");
    assert_parses("41/10/12 epoch=2026-01-01T00:00:00Z", "custom", "41/10/12 epoch=1767225600000 tick=1ms");
}

TEST("A text of any length is refused, not cut: what is too long for the sentence too")
{
    char text[5000];

    memset(text, '1', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_refused(text, "there is no layout '1111");
    memcpy(text, "41/10/", 6);
    assert_refused(text, "the field '1111");
    memset(text, ' ', sizeof text - 1);
    memcpy(text, "41/10/12", 8);
    assert_parses(text, "custom", "41/10/12 epoch=1767225600000 tick=1ms");
}

TEST("An error says how many bytes stand before what is wrong")
{
    /* A '^' stands before what is wrong, and is no part of the text. */
    static const char *const wrong[] = {
        "^twiter",
        "  ^twiter",
        "^",
        "^twitter/",
        " ^41/10",
        "41/^x/12",
        "41/10/^12x",
        "41/10/^",
        "41/^+5/12",
        "41/^5+0/12",
        "^10w/41t/12s",
        "41/10w/^12w",
        "^0/10/12",
        "^64/0/1",
        "10/^33/1",
        "10/^20+20/1",
        "10/1/^33",
        "41/10/^0",
        "41/^0s/12w",
        " ^41/12/12",
        "^63/0/1",
        "twitter ^epcoh=0",
        "twitter tick=1ms ^epcoh=0",
        "twitter ^epoch",
        "twitter   ^flake",
        "twitter epoch=^",
        "twitter tick=^ epoch=0",
        "twitter epoch=0 ^epoch=0",
        "twitter tick=1ms epoch=0 ^tick=2ms",
        "twitter epoch=^now",
        "twitter epoch=2026-02-^29",
        "twitter tick=1ms epoch=0^,1",
        "twitter epoch=^253402300800000",
        "twitter tick=2ms epoch=^253402300800000",
        "twitter tick=^0",
        "twitter epoch=0 tick=^500us",
        "62/0/1 epoch=0 tick=^3ms",
        "62/0/1 tick=^3ms epoch=0",
        "62/0/1 tick=^2ms epoch=2",
        "sno ^epoch=0",
        "sno ^tick=4ms",
        "env^:s3cret:41/10/12",
        "41/s3/cret^@h",
        "41/10/12 epoch=joe^@h",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t before = strcspn(wrong[i], "^");
        char text[64];
        frazil_layout layout;
        frazil_error err;
        snprintf(text, sizeof text, "%.*s%s", (int)before, wrong[i], wrong[i] + before + 1);
        assert_int_equal(frazil_layout_parse(text, strlen(text), &layout, &err), FRAZIL_ELAYOUT);
        if (err.position != (int64_t)before)
            fail_msg("'%s': %s at %lld, not at %zu", text, err.message, (long long)err.position, before);
    }
}

TEST("Where no text was parsed there is no position")
{
    frazil_layout layout = *frazil_layout_preset(0);
    frazil_error err = {.position = 7};

    layout.time_bits = 0;
    assert_int_equal(frazil_layout_validate(&layout, &err), FRAZIL_ELAYOUT);
    assert_int_equal(err.position, FRAZIL_NO_POSITION);
    err.position = 7;
    assert_int_equal(fz_layout_apply_key(&layout, "tick", 4, "x", 1, &err), FRAZIL_ELAYOUT);
    assert_int_equal(err.position, FRAZIL_NO_POSITION);
    err.position = 7;
    assert_int_equal(fz_layout_apply_key(&layout, "epoch", 5, "2026-13", 7, &err), FRAZIL_ELAYOUT);
    assert_int_equal(err.position, FRAZIL_NO_POSITION);
}

/* ---- one key alone ------------------------------------------------------- */

TEST("A key that fails changes nothing; one that does not, only its own member and the name")
{
    frazil_layout layout;
    frazil_error err;

    memcpy(&layout, frazil_layout_preset(0), sizeof layout); /* with the padding, for the comparison below */
    assert_int_equal(fz_layout_apply_key(&layout, "tick", 4, "x", 1, &err), FRAZIL_ELAYOUT);
    assert_int_equal(fz_layout_apply_key(&layout, "epoch", 5, "x", 1, NULL), FRAZIL_ELAYOUT);
    assert_int_equal(fz_layout_apply_key(&layout, "epochs", 6, "0", 1, NULL), FRAZIL_ELAYOUT);
    assert_int_equal(fz_layout_apply_key(&layout, "epoch", 5, "", 0, NULL), FRAZIL_ELAYOUT);
    assert_memory_equal(&layout, frazil_layout_preset(0), sizeof layout);

    assert_int_equal(fz_layout_apply_key(&layout, "tick=", 4, "10msx", 4, &err), FRAZIL_OK);
    assert_int_equal(layout.tick_ms, 10);
    assert_int_equal(layout.epoch_unix_ms, 1767225600000);
    assert_string_equal(layout.name, "custom");
    assert_int_equal(fz_layout_apply_key(&layout, "epoch", 5, "-1", 2, NULL), FRAZIL_OK);
    assert_int_equal(layout.tick_ms, 10);
    assert_int_equal(layout.epoch_unix_ms, -1);
}
