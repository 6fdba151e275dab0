/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a claim's file says is believed only if it is what this library writes, and is never read
 * past its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "core/crc32.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/claim_page.h"

enum { SIZE = sizeof(struct fz_claim_page) };

static const char *scratch;
static int fd; /* of one file */

BEFORE_EACH
{
    scratch = scratch_make();
    fd = open(scratch_path(scratch, "claim"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
}

AFTER_EACH
{
    close(fd);
    scratch_remove(scratch);
}

static int read_back(const void *bytes, size_t len)
{
    struct fz_claim_page found;

    assert_int_equal(ftruncate(fd, (off_t)len), 0);
    assert_int_equal(pwrite(fd, bytes, len, 0), len);
    int err = fz_claim_page_read(fd, &found);
    if (err == 0)
        assert_memory_equal(&found, bytes, SIZE);
    return err;
}

static struct fz_claim_page page_in_use(void)
{
    struct fz_claim_page page;

    fz_claim_page_make(&page, "/run/frazil");
    fz_claim_page_say_state(&page, "/var/lib/frazil/orders", 42, 4711);
    fz_claim_raise_tick(&page.end, 123456789);
    fz_claim_raise_tick(&page.floor, 23456789);
    fz_claim_raise_tick(&page.granted, 23456780);
    return page;
}

TEST("A page is read as it was written, whatever it says")
{
    struct fz_claim_page page;

    fz_claim_page_make(&page, "state=memory");
    assert_int_equal(read_back(&page, SIZE), 0);
    page = page_in_use();
    assert_int_equal(read_back(&page, SIZE), 0);
}

TEST("A page of which one bit was changed, anywhere, is none")
{
    const struct fz_claim_page page = page_in_use();
    unsigned char bytes[SIZE];

    for (size_t bit = 0; bit < 8 * SIZE; bit++) {
        memcpy(bytes, &page, SIZE);
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        if (read_back(bytes, SIZE) != EBADMSG)
            fail_msg("bit %zu", bit);
    }
}

TEST("Nor is one that another byte was written over, all of it or one of its ticks")
{
    const struct fz_claim_page page = page_in_use();
    unsigned char bytes[SIZE];

    for (int byte = 0; byte < 256; byte++) {
        memset(bytes, byte, SIZE);
        assert_int_equal(read_back(bytes, SIZE), EBADMSG);
        for (size_t tick = 0; tick < 3; tick++) {
            memcpy(bytes, &page, SIZE);
            memset(bytes + tick * sizeof(uint64_t), byte, sizeof(uint64_t));
            assert_int_equal(read_back(bytes, SIZE), EBADMSG);
        }
    }
}

TEST("Nor is one that is shorter or longer")
{
    struct {
        struct fz_claim_page page;
        char more;
    } longer = {.page = page_in_use()};

    for (size_t len = 0; len <= SIZE + 1; len++)
        assert_int_equal(read_back(&longer, len), len == SIZE ? 0 : EBADMSG);
}

TEST("A name without an end is none, though its check is right")
{
    const size_t begin = offsetof(struct fz_claim_page, holder);
    struct fz_claim_page page = page_in_use();
    const uint64_t mark = page.check & ~(uint64_t)UINT32_MAX;

    memset(page.holder, 'x', sizeof page.holder);
    page.check = mark | fz_crc32((const char *)&page + begin, SIZE - begin);
    assert_int_equal(read_back(&page, SIZE), EBADMSG);
    page = page_in_use();
    memset(page.state, 'x', sizeof page.state);
    page.check = mark | fz_crc32((const char *)&page + begin, SIZE - begin);
    assert_int_equal(read_back(&page, SIZE), EBADMSG);
}

TEST("A name that does not fit is cut, also one that somebody has overwritten and that has no end")
{
    char endless[2 * FZ_CLAIM_HOLDER_SIZE];
    struct fz_claim_page page;

    memset(endless, 'x', sizeof endless);
    fz_claim_page_make(&page, endless);
    assert_int_equal(strlen(page.holder), FZ_CLAIM_HOLDER_SIZE - 1);
    fz_claim_page_say_state(&page, endless, 1, 2);
    assert_int_equal(strlen(page.state), FZ_CLAIM_HOLDER_SIZE - 1);
    assert_int_equal(read_back(&page, SIZE), 0);
}

TEST("A tick rises only, is changed only by those who know it, and one that was overwritten stays unknown")
{
    struct fz_claim_page page;

    fz_claim_page_make(&page, "x");
    fz_claim_raise_tick(&page.end, 10);
    fz_claim_raise_tick(&page.end, 9);
    assert_int_equal(fz_claim_tick_of(&page.end), 10);
    fz_claim_swap_tick(&page.end, 9, 5);
    assert_int_equal(fz_claim_tick_of(&page.end), 10);
    fz_claim_swap_tick(&page.end, 10, 5);
    assert_int_equal(fz_claim_tick_of(&page.end), 5);
    atomic_store(&page.end, 5);
    fz_claim_raise_tick(&page.end, 100);
    assert_true(fz_claim_tick_of(&page.end) == FZ_CLAIM_UNKNOWN);
    fz_claim_raise_tick(&page.floor, UINT64_MAX - 1);
    assert_true(fz_claim_tick_of(&page.floor) == FZ_CLAIM_UNKNOWN);
}
