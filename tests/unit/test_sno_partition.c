/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a partition of a sno is read from each spelling that people have for its two bytes, and written as
 * one of them.  Nothing else is a partition; partition= of a spec is the same number as worker=fixed:N.
 */

#include "frazil.h"
#include "lib/rig.h"
#include "lib/test.h"

static void assert_reads(const char *text, uint16_t expected)
{
    uint16_t partition = 0x5a5a;
    frazil_error err;

    if (frazil_sno_partition_parse(text, strlen(text), &partition, &err) != FRAZIL_OK)
        fail_msg("%s: %s", text, err.message);
    assert_int_equal(partition, expected);
}

static void assert_refused(const char *text, frazil_err code)
{
    uint16_t partition = 0x5a5a;
    frazil_error err;

    if (frazil_sno_partition_parse(text, strlen(text), &partition, &err) != code)
        fail_msg("'%s' is not refused as %s", text, frazil_err_name(code));
    assert_int_equal(err.code, code);
    assert_int_equal(partition, 0x5a5a);
}

TEST("All spellings of the partition that sno's documentation shows, Partition{'A', 10}, and of others")
{
    static const char *const same[] = {"16650",    "A,10",   "'A',10", "'A', 10",  "{'A', 10}",
                                       "{'A',10}", "{A,10}", "65,10",  "{65, 10}", "A, 10"};

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        assert_reads(same[i], 65 * 256 + 10);
    assert_reads("P,0", 'P' * 256);
    assert_reads("0", 0);
    assert_reads("65535", 65535);
    assert_reads("255,255", 65535);
    assert_reads("'0',' '", '0' * 256 + ' ');
    assert_reads("0,a", 'a');
}

TEST("All else is refused, and nothing is written")
{
    static const char *const wrong[] = {
        "",      ",",     "A",       "A,",     ",10",     "A,256",  "256,0",  "A,010",  "A,-1",   "A 10",
        "{A,10", "A,10}", "{A,10}}", "A,10 ",  " A,10",   "A,  10", "A,10,1", "AB,10",  "'AB',1", "'A,10",
        "A',10", "'',1",  "''',1",   "'\\',1", "0x41,10", "+1,2",   "-1",     "016650", "16650 ", "1 6650",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(wrong[i], FRAZIL_EPARSE);
    assert_refused("65536", FRAZIL_ERANGE);
    assert_refused("18446744073709551615", FRAZIL_ERANGE);
}

TEST("A written text is read back, for all partitions; the buffer that is asked for suffices")
{
    for (unsigned partition = 0; partition <= UINT16_MAX; partition++) {
        char text[FRAZIL_SNO_PARTITION_SIZE];
        size_t len = 0;
        assert_int_equal(frazil_sno_partition_format((uint16_t)partition, text, sizeof text, &len), FRAZIL_OK);
        assert_int_equal(strlen(text), len);
        assert_reads(text, (uint16_t)partition);
    }
}

TEST("The text is the one that a person would write; with a byte too little there is none")
{
    char text[FRAZIL_SNO_PARTITION_SIZE] = "x";
    size_t len = 9;

    assert_int_equal(frazil_sno_partition_format(16650, text, 4, &len), FRAZIL_EBUFFER);
    assert_string_equal(text, "x");
    assert_int_equal(len, 9);
    assert_int_equal(frazil_sno_partition_format(16650, text, 5, &len), FRAZIL_OK);
    assert_string_equal(text, "A,10");
    assert_int_equal(frazil_sno_partition_format(65535, text, sizeof text, &len), FRAZIL_OK);
    assert_string_equal(text, "255,255");
}

TEST("partition= is worker=fixed:N in another spelling")
{
    static const char *const same[] = {"layout=sno partition=A,10", "layout=sno partition='{\\'A\\', 10}'",
                                       "layout=sno partition=16650", "layout=sno worker=fixed:16650"};

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct rig rig = {.random_state = 1};
        rig_open(&rig, same[i], RIG_NOW);
        assert_int_equal(rig_sno_parts(&rig).partition, 16650);
        rig_close(&rig);
    }
}

TEST("It is for snos alone, and not beside worker=")
{
    assert_open_refused("partition=A,10", NULL, FRAZIL_ESPEC, "is for layout=sno");
    assert_open_refused("layout=sno partition=A,10 worker=fixed:3", NULL, FRAZIL_ESPEC, "both given");
    assert_open_refused("layout=sno partition=A,300", NULL, FRAZIL_ESPEC, "is not a partition");
    assert_open_refused("layout=sno partition=65536", NULL, FRAZIL_ESPEC, "above 65535");
    assert_open_refused("layout=sno partition=A,10 count=100", NULL, FRAZIL_EWORKER, "from 0 to 99");
}
