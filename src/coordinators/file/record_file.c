/* SPDX-License-Identifier: MIT */
#include "record_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/crc32.h"
#include "lease/record_text.h"
#include "os/fail_errno.h"
#include "os/file.h"

static const char record_magic[] = "frazil-record ";

enum { MAGIC_LEN = sizeof record_magic - 1, CRC_AT = FZ_RECORD_SLOT_SIZE - 4 };

_Static_assert(MAGIC_LEN + FZ_RECORD_TEXT_SIZE + 1 <= CRC_AT, "the longest record fits");

/* ---- slots ----------------------------------------------------------------- */

static size_t record_offset(uint64_t version)
{
    return (version & 1) * FZ_RECORD_SLOT_DISTANCE;
}

static void write_crc(char slot[FZ_RECORD_SLOT_SIZE])
{
    uint32_t crc = fz_crc32(slot, CRC_AT);

    for (unsigned i = 0; i < 4; i++)
        slot[CRC_AT + i] = (char)(crc >> (8 * i) & 0xff);
}

static bool has_crc(const char slot[FZ_RECORD_SLOT_SIZE])
{
    uint32_t crc = 0;

    for (unsigned i = 0; i < 4; i++)
        crc |= (uint32_t)(unsigned char)slot[CRC_AT + i] << (8 * i);
    return crc == fz_crc32(slot, CRC_AT);
}

/* The slot is zeros before. */
static void encode(const struct fz_record *record, char slot[FZ_RECORD_SLOT_SIZE])
{
    memcpy(slot, record_magic, MAGIC_LEN);
    size_t len = fz_record_text_write(record->version, record->data, record->len, slot + MAGIC_LEN);
    slot[MAGIC_LEN + len] = '\n';
    write_crc(slot);
}

static bool decode(const char slot[FZ_RECORD_SLOT_SIZE], struct fz_record *ret)
{
    if (memcmp(slot, record_magic, MAGIC_LEN) != 0 || !has_crc(slot))
        return false;
    const char *text = slot + MAGIC_LEN;
    size_t len = CRC_AT - MAGIC_LEN;
    while (len > 0 && text[len - 1] == '\0')
        len--;
    return len > 0 && text[len - 1] == '\n' && fz_record_text_read(text, len - 1, ret);
}

/* ---- reading ---------------------------------------------------------------- */

static enum fz_record_form read_record_slots(const char *content, struct fz_record *ret)
{
    enum fz_record_form form = FZ_RECORD_DAMAGED;
    struct fz_record record;

    for (uint64_t slot = 0; slot < 2; slot++) {
        if (!decode(content + record_offset(slot), &record) || (record.version & 1) != slot)
            continue;
        if (form == FZ_RECORD_DAMAGED || record.version > ret->version)
            *ret = record;
        form = FZ_RECORD_SLOTS;
    }
    return form;
}

enum fz_record_form fz_record_file_parse(const char *content, size_t len, struct fz_record *ret)
{
    return len == FZ_RECORD_FILE_SIZE ? read_record_slots(content, ret) : FZ_RECORD_DAMAGED;
}

int fz_record_file_read(const char *path, struct fz_record *ret, enum fz_record_form *ret_form)
{
    char content[FZ_RECORD_FILE_SIZE + 1];
    size_t len = 0;

    int err = fz_file_read(path, content, sizeof content, &len);
    *ret_form = FZ_RECORD_DAMAGED;
    if (err == ENOENT) {
        ret->version = 0;
        *ret_form = FZ_RECORD_ABSENT;
        return 0;
    }
    if (err != 0)
        return err == FZ_REFUSED_LENGTH ? 0 : err;
    *ret_form = fz_record_file_parse(content, len, ret);
    return 0;
}

/* ---- writing ----------------------------------------------------------------- */

int fz_record_file_write(int fd, const struct fz_record *record, enum fz_record_step *ret_step)
{
    char slot[FZ_RECORD_SLOT_SIZE] = {0};

    encode(record, slot);
    *ret_step = FZ_RECORD_NOT_DONE; /* a record that is written in part fails its checksum */
    int err = fz_file_write(fd, record_offset(record->version), slot, sizeof slot);
    if (err != 0)
        return err;
    *ret_step = FZ_RECORD_PERHAPS;
    return fz_file_sync(fd);
}

int fz_record_file_create(const char *path, const struct fz_record *record, enum fz_record_step *ret_step)
{
    char content[FZ_RECORD_FILE_SIZE] = {0}; /* all of it is written, so that the disk keeps room for both slots */
    int fd;

    encode(record, content + record_offset(record->version));
    *ret_step = FZ_RECORD_NOT_DONE;
    int err = fz_new_file_begin(path, &fd);
    if (err != 0)
        return err;
    err = fz_file_write(fd, 0, content, sizeof content);
    if (err == 0)
        err = fz_file_sync(fd);
    if (err == 0)
        err = fz_new_file_publish(path);
    if (err != 0) {
        fz_new_file_abandon(path, fd);
        return err;
    }
    close(fd);
    *ret_step = FZ_RECORD_PERHAPS;
    return fz_new_file_sync_name(path);
}
