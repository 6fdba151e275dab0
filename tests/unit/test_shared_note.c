/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a note is read whole or not at all.
 */

#include "lib/test.h"
#include "state/shared_note.h"

TEST("The last text is read; a longer one is cut, an empty one takes it away")
{
    struct fz_shared_note note = {0};
    char text[FZ_SHARED_NOTE_SIZE];
    char longer[2 * FZ_SHARED_NOTE_SIZE];

    fz_shared_note_read(&note, text);
    assert_string_equal(text, "");
    fz_shared_note_write(&note, "the coordinator does not answer");
    fz_shared_note_write(&note, "it is back");
    fz_shared_note_read(&note, text);
    assert_string_equal(text, "it is back");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    fz_shared_note_write(&note, longer);
    fz_shared_note_read(&note, text);
    assert_int_equal(strspn(text, "x"), FZ_SHARED_NOTE_SIZE - 1);
    assert_int_equal(text[FZ_SHARED_NOTE_SIZE - 1], '\0');
    fz_shared_note_write(&note, "");
    fz_shared_note_read(&note, text);
    assert_string_equal(text, "");
}

TEST("A writer that was killed in the middle leaves nothing, and the next one is read again")
{
    struct fz_shared_note note = {0};
    char text[FZ_SHARED_NOTE_SIZE];

    fz_shared_note_write(&note, "one");
    note.version++;
    fz_shared_note_read(&note, text);
    assert_string_equal(text, "");
    fz_shared_note_write(&note, "two");
    fz_shared_note_read(&note, text);
    assert_string_equal(text, "two");
}
