/* SPDX-License-Identifier: MIT */
#include "shared_note.h"

#include <string.h>

void fz_shared_note_write(struct fz_shared_note *note, const char *text)
{
    uint64_t version = atomic_load_explicit(&note->version, memory_order_relaxed) | 1;
    uint64_t words[FZ_SHARED_NOTE_WORDS] = {0};
    size_t len = strnlen(text, sizeof words - 1);

    memcpy(words, text, len);
    atomic_store_explicit(&note->version, version, memory_order_relaxed);
    for (size_t i = 0; i < FZ_SHARED_NOTE_WORDS; i++)
        atomic_store_explicit(&note->words[i], words[i], memory_order_release);
    atomic_store_explicit(&note->version, version + 1, memory_order_release);
}

void fz_shared_note_read(const struct fz_shared_note *note, char ret[FZ_SHARED_NOTE_SIZE])
{
    uint64_t words[FZ_SHARED_NOTE_WORDS];
    uint64_t version = atomic_load_explicit(&note->version, memory_order_acquire);

    for (size_t i = 0; i < FZ_SHARED_NOTE_WORDS; i++)
        words[i] = atomic_load_explicit(&note->words[i], memory_order_acquire);
    if ((version & 1) != 0 || atomic_load_explicit(&note->version, memory_order_relaxed) != version)
        words[0] = 0;
    memcpy(ret, words, sizeof words);
    ret[FZ_SHARED_NOTE_SIZE - 1] = '\0';
}
