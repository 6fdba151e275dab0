/* SPDX-License-Identifier: MIT */
#include "claim_page.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/crc32.h"
#include "file.h"

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the ticks must be lock-free to be shared between processes");

/* A tick in the upper bits, its check in the lower ones. */
enum { CHECK_BITS = 14 };
#define LAST_TICK (UINT64_MAX >> CHECK_BITS)

/* Neither zeros nor another byte repeated is a tick, and another file's checks are not these. */
#define CHECK_OF_NONE UINT64_C(0x2a5a)
#define CHECK_OF_TEXTS UINT64_C(0x667a636c00000000)

/* ---- ticks ----------------------------------------------------------------- */

static uint64_t with_check(uint64_t tick)
{
    uint64_t kept = tick < LAST_TICK ? tick : LAST_TICK;
    uint64_t hash = kept * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CHECK_BITS);

    return kept << CHECK_BITS | (hash ^ CHECK_OF_NONE);
}

static uint64_t without_check(uint64_t checked)
{
    uint64_t tick = checked >> CHECK_BITS;

    return tick < LAST_TICK && checked == with_check(tick) ? tick : FZ_CLAIM_UNKNOWN;
}

uint64_t fz_claim_tick_of(const fz_claim_tick *tick)
{
    return without_check(atomic_load_explicit(tick, memory_order_acquire));
}

void fz_claim_raise_tick(fz_claim_tick *tick, uint64_t wanted)
{
    uint64_t found = atomic_load_explicit(tick, memory_order_relaxed);

    while (without_check(found) < wanted &&
           !atomic_compare_exchange_weak_explicit(tick, &found, with_check(wanted), memory_order_acq_rel,
                                                  memory_order_relaxed)) {
    }
}

void fz_claim_swap_tick(fz_claim_tick *tick, uint64_t from, uint64_t wanted)
{
    uint64_t found = with_check(from);

    (void)atomic_compare_exchange_strong_explicit(tick, &found, with_check(wanted), memory_order_acq_rel,
                                                  memory_order_relaxed);
}

/* ---- texts ----------------------------------------------------------------- */

static uint64_t check_of_texts(const struct fz_claim_page *page)
{
    const size_t begin = offsetof(struct fz_claim_page, holder);

    return CHECK_OF_TEXTS | fz_crc32((const char *)page + begin, sizeof *page - begin);
}

void fz_claim_say_text(char ret[FZ_CLAIM_HOLDER_SIZE], const char *text)
{
    memset(ret, 0, FZ_CLAIM_HOLDER_SIZE);
    for (size_t i = 0; i < FZ_CLAIM_HOLDER_SIZE - 1 && text[i] != '\0'; i++)
        ret[i] = text[i];
}

void fz_claim_page_make(struct fz_claim_page *ret, const char *holder)
{
    memset(ret, 0, sizeof *ret);
    atomic_init(&ret->end, with_check(0));
    atomic_init(&ret->floor, with_check(0));
    atomic_init(&ret->granted, with_check(0));
    fz_claim_say_text(ret->holder, holder);
    ret->check = check_of_texts(ret);
}

void fz_claim_page_say_state(struct fz_claim_page *page, const char *state, uint64_t device, uint64_t inode)
{
    fz_claim_say_text(page->state, state);
    page->state_device = device;
    page->state_inode = inode;
    page->check = check_of_texts(page);
}

/* Anybody can compute the checks, so the texts must end as well. */
static bool is_whole(const struct fz_claim_page *page)
{
    return page->check == check_of_texts(page) && page->holder[0] != '\0' &&
           page->holder[sizeof page->holder - 1] == '\0' && page->state[sizeof page->state - 1] == '\0' &&
           fz_claim_tick_of(&page->end) != FZ_CLAIM_UNKNOWN && fz_claim_tick_of(&page->floor) != FZ_CLAIM_UNKNOWN &&
           fz_claim_tick_of(&page->granted) != FZ_CLAIM_UNKNOWN;
}

int fz_claim_page_read(int fd, struct fz_claim_page *ret)
{
    struct {
        struct fz_claim_page page;
        char more;
    } found;
    size_t len = 0;

    int err = fz_file_read_first(fd, &found, sizeof found.page + 1, &len);
    if (err != 0)
        return err;
    if (len != sizeof found.page || !is_whole(&found.page))
        return EBADMSG;
    memcpy(ret, &found.page, sizeof *ret);
    return 0;
}
