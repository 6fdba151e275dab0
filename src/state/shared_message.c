/* SPDX-License-Identifier: MIT */
#include "shared_message.h"

#include <string.h>

void fz_shared_message_write(struct fz_shared_message *message, const char *text)
{
    uint64_t version = atomic_load_explicit(&message->version, memory_order_relaxed) | 1;
    uint64_t words[FZ_SHARED_MESSAGE_WORDS] = {0};
    size_t len = strnlen(text, sizeof words - 1);

    memcpy(words, text, len);
    atomic_store_explicit(&message->version, version, memory_order_relaxed);
    for (size_t i = 0; i < FZ_SHARED_MESSAGE_WORDS; i++)
        atomic_store_explicit(&message->words[i], words[i], memory_order_release);
    atomic_store_explicit(&message->version, version + 1, memory_order_release);
}

void fz_shared_message_read(const struct fz_shared_message *message, char ret[FZ_SHARED_MESSAGE_SIZE])
{
    uint64_t words[FZ_SHARED_MESSAGE_WORDS];
    uint64_t version = atomic_load_explicit(&message->version, memory_order_acquire);

    for (size_t i = 0; i < FZ_SHARED_MESSAGE_WORDS; i++)
        words[i] = atomic_load_explicit(&message->words[i], memory_order_acquire);
    if ((version & 1) != 0 || atomic_load_explicit(&message->version, memory_order_relaxed) != version)
        words[0] = 0;
    memcpy(ret, words, sizeof words);
    ret[FZ_SHARED_MESSAGE_SIZE - 1] = '\0';
}
