/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whoever cannot see macros gets their values from functions, those of the headers that the program
 * was compiled with.
 */

#include "frazil.h"
#include "lib/test.h"

TEST("Each constant that has a function is what that returns")
{
    assert_int_equal(frazil_layout_name_size(), FRAZIL_LAYOUT_NAME_SIZE);
    assert_int_equal(frazil_fingerprint_size(), FRAZIL_FINGERPRINT_SIZE);
    assert_int_equal(frazil_error_message_size(), FRAZIL_ERROR_MESSAGE_SIZE);
    assert_true(frazil_no_position() == FRAZIL_NO_POSITION);
    assert_int_equal(frazil_time_size(), FRAZIL_TIME_SIZE);
    assert_int_equal(frazil_sno_size(), FRAZIL_SNO_SIZE);
    assert_int_equal(frazil_sno_len(), FRAZIL_SNO_LEN);
    assert_int_equal(frazil_sno_partition_size(), FRAZIL_SNO_PARTITION_SIZE);
    assert_int_equal(frazil_sno_snapshot_size(), FRAZIL_SNO_SNAPSHOT_SIZE);
    assert_true(frazil_wait_default() == FRAZIL_WAIT_DEFAULT);
    assert_true(frazil_wait_uncounted() == FRAZIL_WAIT_UNCOUNTED);
    assert_true(frazil_wait_forever() == FRAZIL_WAIT_FOREVER);
    assert_true(frazil_lease_all_used() == FRAZIL_LEASE_ALL_USED);
}

TEST("The version is a number that grows with each of its parts")
{
    char text[32];

    assert_int_equal(frazil_version_number(), FRAZIL_VERSION_NUMBER);
    (void)snprintf(text, sizeof text, "%u.%u.%u", frazil_version_number() / 1000000,
                   frazil_version_number() / 1000 % 1000, frazil_version_number() % 1000);
    assert_string_equal(text, frazil_version());
}
