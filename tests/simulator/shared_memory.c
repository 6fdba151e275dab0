/* SPDX-License-Identifier: MIT */
#include "shared_memory.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "process.h"

/* So few that some pages are there in turns; in a fleet there are as many more as it has processes. */
enum { FEWEST_PAGE_SLOTS = 64, ALIGNMENT = 64 };

/* Addresses of shared pages, and the pages. */
struct page_slot {
    _Alignas(ALIGNMENT) char bytes[PAGE_SIZE_MAX];
    struct page *resident;
    unsigned pages; /* that have this address; none: it is one of the free slots */
    struct page_slot *next_free;
};

struct page {
    struct page *next;
    struct page_slot *slot;
    size_t size;
    bool is_aside; /* see page_set_aside */
    unsigned held;
    char *saved;
    uint64_t highest;  /* see page_highest */
    struct page *copy; /* the last one that was made */
};

static struct page_slot *page_slots;
static struct page_slot *free_page_slots;
static size_t page_slots_count;
static size_t shared_slot; /* the last that more than one page was given */
static struct page *pages; /* all of them */
static uint64_t files;     /* that were ever opened */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void make_page_slots(size_t count)
{
    if (page_slots_count != count) {
        free(page_slots);
        page_slots = must(aligned_alloc(ALIGNMENT, count * sizeof *page_slots));
        page_slots_count = count;
    }
    free_page_slots = NULL;
    for (size_t i = count; i > 0; i--) {
        page_slots[i - 1].pages = 0;
        page_slots[i - 1].resident = NULL;
        page_slots[i - 1].next_free = free_page_slots;
        free_page_slots = &page_slots[i - 1];
    }
}

void shared_memory_begin(unsigned processes)
{
    while (pages != NULL) {
        struct page *next = pages->next;
        free(pages->saved);
        free(pages);
        pages = next;
    }
    make_page_slots(FEWEST_PAGE_SLOTS + processes);
    files = 0;
    shared_slot = 0;
}

/* ---- contents ------------------------------------------------------------------ */

void page_make_resident(struct page *page)
{
    struct page_slot *slot = page->slot;

    if (slot->resident == page)
        return;
    if (slot->resident != NULL) {
        slot->resident->saved = must(malloc(slot->resident->size));
        memcpy(slot->resident->saved, slot->bytes, slot->resident->size);
    }
    if (page->saved != NULL)
        memcpy(slot->bytes, page->saved, page->size);
    else
        memset(slot->bytes, 0, page->size);
    free(page->saved);
    page->saved = NULL;
    slot->resident = page;
}

/* ---- copies ---------------------------------------------------------------------- */

void pages_begin_copying(void)
{
    for (struct page *page = pages; page != NULL; page = page->next)
        page->copy = NULL;
}

static struct page *add_page(struct page_slot *slot, size_t size)
{
    struct page *page = must(calloc(1, sizeof *page));

    page->slot = slot;
    page->size = size;
    page->held = 1;
    page->next = pages;
    pages = page;
    slot->pages++;
    return page;
}

struct page *page_copy(struct page *page)
{
    if (page->copy != NULL) {
        page_hold(page->copy);
        return page->copy;
    }
    page->copy = add_page(page->slot, page->size);
    page->copy->saved = must(malloc(page->size));
    page->copy->highest = page->highest;
    page->copy->is_aside = page->is_aside;
    if (page->slot->resident == page)
        memcpy(page->copy->saved, page->slot->bytes, page->size);
    else if (page->saved != NULL)
        memcpy(page->copy->saved, page->saved, page->size);
    else
        memset(page->copy->saved, 0, page->size);
    return page->copy;
}

/* ---- pages ------------------------------------------------------------------------ */

/* At an address that no page has, or else at the next of all. */
struct page *page_new(size_t size)
{
    struct page_slot *slot = free_page_slots;

    if (slot == NULL) {
        shared_slot = (shared_slot + 1) % page_slots_count;
        slot = &page_slots[shared_slot];
    } else {
        free_page_slots = slot->next_free;
    }
    return add_page(slot, size);
}

void page_hold(struct page *page)
{
    page->held++;
}

void page_drop(struct page *page)
{
    if (--page->held > 0)
        return;
    free(page->saved);
    page->saved = NULL;
    if (page->slot->resident == page)
        page->slot->resident = NULL;
    if (--page->slot->pages == 0) {
        page->slot->next_free = free_page_slots;
        free_page_slots = page->slot;
    }
}

static bool has_other_page_there(const struct page *page)
{
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (self()->pages[i] != NULL && self()->pages[i] != page && self()->pages[i]->slot == page->slot)
            return true;
    }
    return false;
}

void *page_map(struct page *page)
{
    if (has_other_page_there(page))
        return NULL;
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (self()->pages[i] == NULL) {
            self()->pages[i] = page;
            page_hold(page);
            page_make_resident(page);
            return page->slot->bytes;
        }
    }
    return NULL;
}

void page_unmap(const void *at)
{
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        struct page *page = self()->pages[i];
        if (page != NULL && page->slot->bytes == at) {
            self()->pages[i] = NULL;
            page_drop(page);
            return;
        }
    }
    abort();
}

struct page *page_at(const void *at)
{
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (self()->pages[i] != NULL && self()->pages[i]->slot->bytes == at)
            return self()->pages[i];
    }
    return NULL;
}

bool page_is_mapped(const void *at)
{
    return page_at(at) != NULL;
}

void page_set_aside(struct page *page)
{
    page->is_aside = true;
}

void page_read(const struct page *page, void *ret, size_t size)
{
    if (page->slot->resident == page)
        memcpy(ret, page->slot->bytes, size);
    else if (page->saved != NULL)
        memcpy(ret, page->saved, size);
    else
        memset(ret, 0, size);
}

void page_write(struct page *page, size_t at, const void *bytes, size_t size)
{
    bool is_resident = page->slot->resident == page;

    if (!is_resident && page->saved == NULL)
        page->saved = must(calloc(1, page->size));
    memcpy((is_resident ? page->slot->bytes : page->saved) + at, bytes, size);
}

struct page *page_of_self(void)
{
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (self()->pages[i] != NULL && !self()->pages[i]->is_aside)
            return self()->pages[i];
    }
    return NULL;
}

uint64_t *page_highest(struct page *page)
{
    return &page->highest;
}

unsigned page_users(const struct host *host, const struct page *page)
{
    unsigned count = 0;

    for (const struct process *p = host->processes; p != NULL; p = p->next_of_host) {
        for (unsigned i = 0; p->live && i < PAGES_MAX; i++)
            count += p->pages[i] == page;
    }
    return count;
}

/* ---- open files -------------------------------------------------------------------- */

uint64_t file_open(void)
{
    file_keep(++files);
    return files;
}

void file_keep(uint64_t file)
{
    unsigned i = 0;

    while (i < OPEN_FILES_MAX && self()->open_files[i] != 0)
        i++;
    if (i == OPEN_FILES_MAX)
        abort();
    self()->open_files[i] = file;
}

bool file_close(uint64_t file)
{
    bool closed = false;

    for (unsigned i = 0; i < OPEN_FILES_MAX; i++) {
        if (self()->open_files[i] == file) {
            self()->open_files[i] = 0;
            closed = true;
        }
    }
    return closed;
}

bool file_is_open(const struct host *host, uint64_t file)
{
    for (const struct process *p = host->processes; p != NULL; p = p->next_of_host) {
        for (unsigned i = 0; p->live && i < OPEN_FILES_MAX; i++) {
            if ((p->open_files[i] & ~FILE_MAPPED) == file)
                return true;
        }
    }
    return false;
}
