/* SPDX-License-Identifier: MIT */
/* Shared by claim.c and claim_search.c: names of claims, and a look at those of others. */
#ifndef FZ_OS_CLAIM_INTERNAL_H
#define FZ_OS_CLAIM_INTERNAL_H

#include <stdbool.h>
#include <sys/stat.h>

#include "claim.h"

/*
 * The bit of a file's mode that says that it is finished, and that its number may be in use.  The bit has no other use,
 * and a program that cuts a file short leaves it.
 */
enum { FZ_CLAIM_FINISHED = S_IXUSR };

/* Whether a file of that status is finished. */
FZ_PRIVATE bool fz_claim_is_finished(const struct stat *status);

/* Whether its mode keeps its own user from it: as frazil makes it, it does not. */
static inline bool fz_claim_is_closed(const struct stat *status)
{
    return (status->st_mode & (S_IRUSR | S_IWUSR)) != (S_IRUSR | S_IWUSR);
}

/* The advice for a host directory that cannot be used.  Two different directories part programs in silence. */
#define FZ_OTHER_HOST_DIR "name one folder for all programs of this host with host_dir="

/* Makes the host directory for all users if it is not there.  0 or an errno. */
FZ_PRIVATE int fz_claim_folder_make(const char *path);

/*
 * The path of the own claim, FOLDER/frazil-claim-HASHES-WORKER-MIN-MAX-WORD.  *ret_beginning: how much of it all claims
 * on the number have in common.  0 or ENAMETOOLONG.
 */
FZ_PRIVATE int fz_claim_path(char path[FZ_CLAIM_PATH_SIZE], const struct fz_claim_key *key, uint32_t worker,
                             size_t *ret_beginning);

/* The result of a search. */
struct fz_claim_found {
    uint64_t floor;     /* the first tick that none of those that were looked at can have used */
    bool is_lower;      /* the one that is in the way goes before the own */
    bool has_leftovers; /* there are claims that can be taken over */
};

/* Looks for others.  As fz_claim_try.  page: of the own claim, which is held, or NULL. */
FZ_PRIVATE int fz_claim_search(const struct fz_claim_key *key, const char *own_path, size_t beginning,
                               struct fz_claim_page *page, struct fz_claim_other *ret_other,
                               struct fz_claim_found *ret);

/*
 * Has the own claim say what leftovers say, and removes them.  Only for a process that a search has given the number:
 * one that is refused must leave them to those who search at the same time.
 */
FZ_PRIVATE void fz_claim_take_over(const struct fz_claim_key *key, const char *own_path, size_t beginning,
                                   struct fz_claim_page *page);

/* The later one of both: of a claim's end and floor, the first tick that nobody it knows of can have used. */
FZ_PRIVATE uint64_t fz_claim_later(uint64_t end, uint64_t floor);

#endif
