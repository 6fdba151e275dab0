/* SPDX-License-Identifier: MIT */
#include "shown.h"

#include <stdlib.h>
#include <string.h>

/* The text follows. */
struct head {
    uint64_t version;
    uint32_t number;
    uint32_t len;
};

void shown_add(struct shown *shown, uint32_t number, const struct fz_record *record)
{
    const struct head head = {.version = record->version, .number = number, .len = (uint32_t)record->len};

    if (shown->room - shown->size < sizeof head + record->len) {
        shown->room = 2 * shown->room + sizeof head + FZ_RECORD_SIZE_MAX;
        shown->bytes = realloc(shown->bytes, shown->room);
        if (shown->bytes == NULL)
            abort();
    }
    memcpy(shown->bytes + shown->size, &head, sizeof head);
    memcpy(shown->bytes + shown->size + sizeof head, record->data, record->len);
    shown->size += sizeof head + record->len;
}

void shown_visit(const struct shown *shown, fz_record_visitor visit, void *ctx)
{
    for (size_t at = 0; at < shown->size;) {
        struct fz_record record;
        struct head head;
        memcpy(&head, shown->bytes + at, sizeof head);
        record.version = head.version;
        record.len = head.len;
        memcpy(record.data, shown->bytes + at + sizeof head, head.len);
        visit(ctx, head.number, &record);
        at += sizeof head + head.len;
    }
}

void shown_free(struct shown *shown)
{
    free(shown->bytes);
    *shown = (struct shown){.size = 0};
}
