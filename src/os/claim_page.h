/* SPDX-License-Identifier: MIT */
/*
 * The content of a claim's file.  Nobody believes one that was overwritten: each tick carries a check of itself, as
 * several processes raise it without a lock, and the rest has one check, as it is written in one call by a process that
 * nobody shares the file with.
 */
#ifndef FZ_OS_CLAIM_PAGE_H
#define FZ_OS_CLAIM_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

/* Bytes of the holder's name, terminator included. */
enum { FZ_CLAIM_HOLDER_SIZE = 232 };

/* A tick with its check.  0: none was used; so what may be tick 0 itself is said by the tick behind it. */
typedef _Atomic uint64_t fz_claim_tick;

/* In native byte order. */
struct fz_claim_page {
    fz_claim_tick end;                 /* the first tick that cannot have been used */
    fz_claim_tick floor;               /* likewise, by those whose claims were taken over */
    fz_claim_tick granted;             /* the tick behind the first one that the state folder has granted to the word */
    uint64_t check;                    /* of what follows */
    char holder[FZ_CLAIM_HOLDER_SIZE]; /* the holder's name, for others to read */
    char state[FZ_CLAIM_HOLDER_SIZE];  /* the folder of the holders' grants, */
    uint64_t state_device;             /* and which one that is; 0: there is none */
    uint64_t state_inode;
};

/*
 * A tick that was overwritten is read as this one, and so is one beyond 35,000 years of milliseconds: the last there
 * can be.  The number may have been used up to any tick then.
 */
#define FZ_CLAIM_UNKNOWN UINT64_MAX

/*
 * Copies a text; what does not fit is left out.  It may be that of a page that another process has overwritten, and
 * then has no end: no more is read than fits.
 */
FZ_PRIVATE void fz_claim_say_text(char ret[FZ_CLAIM_HOLDER_SIZE], const char *text);

/* Makes it ready for its first holder; what does not fit of the name is left out. */
FZ_PRIVATE void fz_claim_page_make(struct fz_claim_page *ret, const char *holder);

/* Says where the grants are kept.  Nobody else may have the page. */
FZ_PRIVATE void fz_claim_page_say_state(struct fz_claim_page *page, const char *state, uint64_t device, uint64_t inode);

/* Reads it from a file.  0, an errno, or EBADMSG: the file has another size, or was overwritten. */
FZ_PRIVATE int fz_claim_page_read(int fd, struct fz_claim_page *ret);

/* Any thread and process. */
FZ_PRIVATE uint64_t fz_claim_tick_of(const fz_claim_tick *tick);

/* Raises it; a lower one changes nothing.  Any thread and process. */
FZ_PRIVATE void fz_claim_raise_tick(fz_claim_tick *tick, uint64_t wanted);

/* Changes it if it is still that one.  Any thread and process. */
FZ_PRIVATE void fz_claim_swap_tick(fz_claim_tick *tick, uint64_t from, uint64_t wanted);

#endif
