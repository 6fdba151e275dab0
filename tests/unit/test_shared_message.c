/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a message is read whole or not at all.
 */

#include "lib/test.h"
#include "state/shared_message.h"

TEST("The last text is read; a longer one is cut, an empty one takes it away")
{
    struct fz_shared_message message = {0};
    char text[FZ_SHARED_MESSAGE_SIZE];
    char longer[2 * FZ_SHARED_MESSAGE_SIZE];

    fz_shared_message_read(&message, text);
    assert_string_equal(text, "");
    fz_shared_message_write(&message, "the coordinator does not answer");
    fz_shared_message_write(&message, "it is back");
    fz_shared_message_read(&message, text);
    assert_string_equal(text, "it is back");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    fz_shared_message_write(&message, longer);
    fz_shared_message_read(&message, text);
    assert_int_equal(strspn(text, "x"), FZ_SHARED_MESSAGE_SIZE - 1);
    assert_int_equal(text[FZ_SHARED_MESSAGE_SIZE - 1], '\0');
    fz_shared_message_write(&message, "");
    fz_shared_message_read(&message, text);
    assert_string_equal(text, "");
}

TEST("A writer that was killed in the middle leaves nothing, and the next one is read again")
{
    struct fz_shared_message message = {0};
    char text[FZ_SHARED_MESSAGE_SIZE];

    fz_shared_message_write(&message, "one");
    message.version++;
    fz_shared_message_read(&message, text);
    assert_string_equal(text, "");
    fz_shared_message_write(&message, "two");
    fz_shared_message_read(&message, text);
    assert_string_equal(text, "two");
}
