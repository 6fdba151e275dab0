/* SPDX-License-Identifier: MIT */
/*
 * Shared by simulated processes: pages of memory, which have the same address in
 * all of them, and open files.  Of a page and its copy on a copied host, the one of
 * the process that runs has its contents there.
 */
#ifndef SIMULATOR_SHARED_MEMORY_H
#define SIMULATOR_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_SIZE_MAX = 8192 };

struct host;
struct page;

/* Forgets all pages and files of the world before.  A page for each of so many processes has an address of its own. */
void shared_memory_begin(unsigned processes);

/* ---- pages ------------------------------------------------------------------ */

/* A new zeroed page of that many bytes, PAGE_SIZE_MAX at the most, held once. */
struct page *page_new(size_t size);

/* Holds it once more; or less, and frees it with the last. */
void page_hold(struct page *page);
void page_drop(struct page *page);

/* Maps it into the process that runs, where it stays until it is unmapped.  NULL: too many. */
void *page_map(struct page *page);
void page_unmap(const void *at);
bool page_is_mapped(const void *at);

/* The page that the process that runs has mapped there; NULL: none. */
struct page *page_at(const void *at);

/* Says that the page holds no generator's word. */
void page_set_aside(struct page *page);

/* The page with a word that the process that runs has mapped first; NULL: none. */
struct page *page_of_self(void);

/* Reads its first bytes, wherever they are. */
void page_read(const struct page *page, void *ret, size_t size);

/* Writes to it, likewise. */
void page_write(struct page *page, size_t at, const void *bytes, size_t size);

/* The oracle's note of a page: the highest slot that was issued from it.  Copied with it. */
uint64_t *page_highest(struct page *page);

/* How many live processes of the page's host have it mapped. */
unsigned page_users(const struct host *host, const struct page *page);

/* ---- open files -------------------------------------------------------------- */

/* Added to the number of a file that the process has mapped: a mapping keeps it open, and so its lock. */
#define FILE_MAPPED (UINT64_C(1) << 40)

/* A new one of the process that runs: a number that nothing else ever has. */
uint64_t file_open(void);

/* The process that runs has it, too. */
void file_keep(uint64_t file);

/* The process that runs has it no more.  False: it had none. */
bool file_close(uint64_t file);

/* Whether a process of the host still has it, or a mapping of it. */
bool file_is_open(const struct host *host, uint64_t file);

/* ---- for processes that are copied ---------------------------------------------- */

/* Puts the page's contents at its address. */
void page_make_resident(struct page *page);

/* Begins to copy what a host's processes share: forgets the copies that were made before. */
void pages_begin_copying(void);

/* The page's copy, one for all who share it; held once more for the caller. */
struct page *page_copy(struct page *page);

#endif
