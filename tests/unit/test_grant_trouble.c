/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a grant file may be removed, copied back, cut, damaged or
 * written by somebody else, and the disk may fail.  All of that leads to a safe state
 * or to an error with a way out; and a file can be shown and made anew.
 */

#include "core/crc32.h"
#include "core/word.h"
#include "lib/host_grants.h"
#include "lib/test.h"

BEFORE_EACH
{
    host_empty_disk();
}

/* ---- files that are not what they were ----------------------------------- */

TEST("A file that was removed, or came back from a copy, under its owner's hands may have granted anything up to now + "
     "reserve to others: all that is given up")
{
    static struct power_disk copy;
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    copy = host_disk;
    host_extend(&a, NOW + 50);
    host_extend(&a, NOW + 80);
    uint64_t version = a.grant.version;
    host_disk = copy;
    host_extend(&a, NOW + 90);
    host_assert_grant(&a, NOW + 90 + RESERVE + 1, NOW + 90 + RESERVE + 1);
    assert_true(a.grant.version > version);
    version = a.grant.version;

    host_disk.exists = false;
    host_extend(&a, NOW + 100);
    host_assert_grant(&a, NOW + 100 + RESERVE + 1, NOW + 100 + RESERVE + 1);
    assert_true(a.grant.version > version);
    host_start(&b, 2);
    host_acquire(&b, NOW);
    assert_int_equal(b.grant.floor, NOW + 100 + RESERVE + 2);

    /* Also when the clock is behind what is held. */
    host_start(&a, 3);
    host_acquire(&a, NOW + 5000);
    host_disk.exists = false;
    host_extend(&a, NOW + 4000);
    host_start(&b, 4);
    host_acquire(&b, NOW + 5050);
    assert_int_equal(b.grant.floor, NOW + 5000 + RESERVE + 1);
}

TEST("The newest record of the copy is not overwritten before its successor is durable, whatever their numbers")
{
    static struct power_disk copy;

    for (unsigned extensions = 1; extensions <= 2; extensions++) {
        struct host_process a;
        host_empty_disk();
        host_start(&a, 1);
        host_acquire(&a, NOW);
        copy = host_disk;
        for (unsigned i = 1; i <= extensions; i++)
            host_extend(&a, NOW + 10 * i);
        uint64_t slot = FZ_GRANT_SLOT_DISTANCE; /* its one record has number 1 */
        host_disk = copy;
        host_extend(&a, NOW + 50);
        assert_memory_equal(host_disk.cache + slot, copy.cache + slot, FZ_GRANT_SLOT_SIZE);
    }
}

TEST("A relative that is far ahead, on an island, comes back with the one that took the worker again")
{
    static struct power_disk copy;
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_start(&b, 1);
    host_acquire(&a, NOW);
    copy = host_disk;
    host_extend(&a, YEAR_2106);
    host_acquire(&b, YEAR_2106);
    host_disk = copy;
    host_extend(&a, NOW + 50);
    host_extend(&b, NOW + 50);
    host_assert_grant(&b, NOW + 50 + RESERVE + 1, NOW + 50 + RESERVE + 1);
}

TEST("A relative's answer to a file that came back is everybody's")
{
    static struct power_disk copy;
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_start(&b, 1);
    host_acquire(&a, NOW);
    host_acquire(&b, NOW);
    copy = host_disk;
    host_extend(&a, NOW + 50);
    host_extend(&b, NOW + 50);
    host_disk = copy;
    host_extend(&a, NOW + 60);
    host_extend(&b, NOW + 60);
    assert_int_equal(b.grant.floor, a.grant.floor);
    assert_int_equal(b.grant.version, a.grant.version);
}

TEST("One bad slot is a write that was never finished: the other one counts, and the next write mends it")
{
    struct host_process a;
    struct host_process b;
    struct host_process c;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_extend(&a, NOW + 50);
    host_extend(&a, NOW + 80);
    uint64_t newest = (a.grant.version & 1) * FZ_GRANT_SLOT_DISTANCE;
    host_disk.cache[newest + 100] ^= 1;
    host_start(&b, 2);
    host_acquire(&b, NOW);
    assert_int_equal(b.grant.floor, NOW + 50 + RESERVE + 1);
    host_disk.cache[FZ_GRANT_SLOT_DISTANCE - newest + 100] ^= 1; /* the other one */
    host_start(&c, 3);
    host_acquire(&c, NOW);
    assert_int_equal(c.grant.floor, b.grant.until + 1);
}

TEST("Two are damage, and so is a file that was cut or has grown: no guess is made, and a way out is named")
{
    static const uint64_t sizes[] = {0, 1, 512, FZ_GRANT_FILE_SIZE - 1, FZ_GRANT_FILE_SIZE + 1};
    struct host_process a;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        host_disk.size = sizes[i];
        host_assert_refused(&a, false, NOW, FRAZIL_ESTATE,
                            (const char *[]){"/disk/worker-7.grant", "bytes", "8192", "`frazil state init`", NULL});
        host_assert_refused(&a, true, NOW + 50, FRAZIL_ESTATE, (const char *[]){"`frazil state init`", NULL});
    }
    host_disk.size = FZ_GRANT_FILE_SIZE;
    memset(host_disk.cache, 0, sizeof host_disk.cache);
    host_assert_refused(&a, false, NOW, FRAZIL_ESTATE,
                        (const char *[]){"/disk/worker-7.grant", "damaged", "`frazil state init`", NULL});
}

TEST("A slot in the other one's place is no slot: somebody has shifted bytes about")
{
    struct host_process a;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    unsigned char *slot = host_disk.cache + (a.grant.version & 1) * FZ_GRANT_SLOT_DISTANCE;
    memmove(host_disk.cache + (~a.grant.version & 1) * FZ_GRANT_SLOT_DISTANCE, slot, FZ_GRANT_SLOT_SIZE);
    memset(slot, 0, FZ_GRANT_SLOT_SIZE);
    host_assert_refused(&a, false, NOW, FRAZIL_ESTATE, (const char *[]){"damaged", NULL});
}

TEST("A file of another worker or layout is refused with both values")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_start(&b, 2);
    b.file.owner.worker = 8;
    host_assert_refused(&b, false, NOW, FRAZIL_ESTATE, (const char *[]){"worker 7", "8", "state_dir=", NULL});
    host_start(&b, 2);
    memcpy(b.file.owner.fingerprint, "41/5+5", 6);
    host_assert_refused(&b, false, NOW, FRAZIL_ESTATE,
                        (const char *[]){"41/10/12 epoch", "41/5+5", "state_dir=", "namespace=", NULL});
    host_assert_refused(&b, true, NOW, FRAZIL_ESTATE, (const char *[]){"41/10/12 epoch", NULL});
}

static void put_version(unsigned slot, uint64_t version)
{
    unsigned char *bytes = host_disk.cache + slot * FZ_GRANT_SLOT_DISTANCE;

    memcpy(bytes, "fzgrant", 8);
    fz_store_le64(bytes + 8, version);
    uint64_t crc = fz_crc32(bytes, FZ_GRANT_SLOT_SIZE - 4);
    for (int i = 0; i < 4; i++)
        bytes[FZ_GRANT_SLOT_SIZE - 4 + i] = (unsigned char)(crc >> 8 * i);
}

TEST("A newer or older file is refused, also when one slot only is")
{
    struct host_process a;

    for (unsigned slot = 0; slot < 2; slot++) {
        host_empty_disk();
        host_start(&a, 1);
        host_acquire(&a, NOW);
        put_version(slot, 3);
        host_assert_refused(&a, false, NOW, FRAZIL_ESTATE, (const char *[]){"version 3", "version 1", "new", NULL});
        put_version(slot, 0);
        host_assert_refused(&a, true, NOW + 50, FRAZIL_ESTATE, (const char *[]){"version 0", "version 1", "old", NULL});
    }
}

/* ---- disks that fail ----------------------------------------------------- */

TEST("A disk that fails is an error at open; later the present grant stands, and the disk may come back")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_disk.fails_reading = true;
    host_assert_refused(&a, true, NOW + 50, FRAZIL_EAGAIN, (const char *[]){"the disk failed", NULL});
    host_assert_refused(&a, false, NOW + 50, FRAZIL_ESYS, (const char *[]){"the disk failed", NULL});
    host_disk.fails_reading = false;
    host_disk.locked = true;
    host_assert_refused(&a, true, NOW + 50, FRAZIL_EAGAIN, (const char *[]){"the disk failed", NULL});
    host_assert_refused(&a, false, NOW + 50, FRAZIL_ESYS, (const char *[]){"the disk failed", NULL});
    a.granter.release(&a.file, FZ_DEADLINE_NONE, &a.grant, NOW);
    host_disk.locked = false;
    host_extend(&a, NOW + 50);
    host_start(&b, 2);
    host_acquire(&b, NOW);
    assert_int_equal(b.grant.floor, NOW + 50 + RESERVE + 1);
}

/* ---- showing and repairing ----------------------------------------------- */

TEST("The file can be looked at without changing it")
{
    struct fz_file_port port = power_disk_port(&host_disk);
    struct fz_grant_record record = {.pid = 4242};
    struct host_process a;
    bool exists = true;

    assert_int_equal(fz_grant_file_inspect(&port, FZ_DEADLINE_NONE, &exists, &record, NULL), FRAZIL_OK);
    assert_false(exists);
    assert_int_equal(record.pid, 4242);
    host_start(&a, 1);
    host_acquire(&a, NOW);
    unsigned changes = host_disk.changes;
    assert_int_equal(fz_grant_file_inspect(&port, FZ_DEADLINE_NONE, &exists, &record, NULL), FRAZIL_OK);
    assert_true(exists);
    assert_int_equal(record.until, NOW + RESERVE);
    assert_int_equal(record.pid, 101);
    a.granter.release(&a.file, FZ_DEADLINE_NONE, &a.grant, NOW + 5);
    assert_int_equal(fz_grant_file_inspect(&port, FZ_DEADLINE_NONE, &exists, &record, NULL), FRAZIL_OK);
    assert_int_equal(record.until, NOW + 5);
    assert_int_equal(record.pid, 0);
    assert_int_equal(host_disk.changes, changes + 2); /* the release's */
    host_disk.size = 0;
    assert_int_equal(fz_grant_file_inspect(&port, FZ_DEADLINE_NONE, &exists, &record, NULL), FRAZIL_ESTATE);
    host_disk.locked = true;
    assert_int_equal(fz_grant_file_inspect(&port, FZ_DEADLINE_NONE, &exists, &record, NULL), FRAZIL_ESYS);
    assert_false(host_disk.is_inside);
}

TEST("Records that could be read are kept, others are given up to now + reserve; each grant is lost")
{
    struct fz_grant_record record;
    struct host_process a;
    struct host_process b;
    bool exists;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_extend(&a, YEAR_2106); /* an island, which is kept */
    host_start(&b, 2);
    assert_int_equal(fz_grant_file_init(&b.file, FZ_DEADLINE_NONE, NOW + 300, NULL), FRAZIL_OK);
    assert_int_equal(fz_grant_file_inspect(&b.file.port, FZ_DEADLINE_NONE, &exists, &record, NULL), FRAZIL_OK);
    assert_true(record.sequence > a.grant.version);
    assert_int_equal(record.nonce, 0); /* nobody's */
    assert_int_equal(record.pid, 0);
    host_acquire(&b, NOW);
    host_assert_grant(&b, NOW + 300 + RESERVE + 1, NOW + 300 + RESERVE + 1);
    host_disk.has_others = true;
    host_assert_refused(&a, true, YEAR_2106 + 50, FRAZIL_ELEASE, (const char *[]){"took worker 7 over", NULL});
    host_disk.has_others = false;
    host_start(&a, 3);
    host_acquire(&a, YEAR_2106);
    assert_int_equal(a.grant.floor, YEAR_2106 + RESERVE + 1);

    host_disk.size = 17;
    assert_int_equal(fz_grant_file_init(&b.file, FZ_DEADLINE_NONE, NOW + 500, NULL), FRAZIL_OK);
    host_acquire(&b, NOW);
    assert_int_equal(b.grant.floor, NOW + 500 + RESERVE + 1);
    host_disk.exists = false;
    assert_int_equal(fz_grant_file_init(&b.file, FZ_DEADLINE_NONE, NOW + 700, NULL), FRAZIL_OK);
    host_acquire(&b, NOW);
    assert_int_equal(b.grant.floor, NOW + 700 + RESERVE + 1);
}

TEST("A file that is in use is not made anew; nor is one on a disk that fails")
{
    struct host_process a;
    frazil_error err;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    unsigned changes = host_disk.changes;
    host_disk.has_others = true;
    assert_int_equal(fz_grant_file_init(&a.file, FZ_DEADLINE_NONE, NOW, &err), FRAZIL_EWORKER);
    host_assert_says(&err, (const char *[]){"/disk/worker-7.grant", "in use", NULL});
    host_disk.has_others = false;
    host_disk.fails_reading = true;
    assert_int_equal(fz_grant_file_init(&a.file, FZ_DEADLINE_NONE, NOW, &err), FRAZIL_ESYS);
    host_disk.fails_reading = false;
    host_disk.fails_looking = true;
    assert_int_equal(fz_grant_file_init(&a.file, FZ_DEADLINE_NONE, NOW, &err), FRAZIL_ESYS);
    host_disk.locked = true;
    assert_int_equal(fz_grant_file_init(&a.file, FZ_DEADLINE_NONE, NOW, &err), FRAZIL_ESYS);
    assert_int_equal(host_disk.changes, changes);
    assert_false(host_disk.is_inside);
}
