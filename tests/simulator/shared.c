/* SPDX-License-Identifier: MIT */
#include "shared.h"

#include <stdlib.h>
#include <string.h>

#include "process.h"

enum { PAGE_SLOTS = 64, ALIGNMENT = 64 };

/* Addresses of shared pages, and the pages. */
struct page_slot {
    _Alignas(ALIGNMENT) char bytes[PAGE_SIZE_MAX];
    struct page *resident;
    unsigned pages; /* that have this address */
};

struct page {
    struct page *next;
    struct page_slot *slot;
    unsigned held;
    char *saved;
    uint64_t highest;  /* see page_highest */
    struct page *copy; /* the last one that was made */
};

static struct page_slot page_slots[PAGE_SLOTS];
static struct page *pages; /* all of them */
static uint64_t files;     /* that were ever opened */

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

void shared_begin(void)
{
    while (pages != NULL) {
        struct page *next = pages->next;
        free(pages->saved);
        free(pages);
        pages = next;
    }
    for (size_t i = 0; i < PAGE_SLOTS; i++)
        page_slots[i] = (struct page_slot){.pages = 0};
    files = 0;
}

/* ---- contents ------------------------------------------------------------------ */

void page_make_resident(struct page *page)
{
    struct page_slot *slot = page->slot;

    if (slot->resident == page)
        return;
    if (slot->resident != NULL) {
        slot->resident->saved = must(malloc(PAGE_SIZE_MAX));
        memcpy(slot->resident->saved, slot->bytes, PAGE_SIZE_MAX);
    }
    if (page->saved != NULL)
        memcpy(slot->bytes, page->saved, PAGE_SIZE_MAX);
    else
        memset(slot->bytes, 0, PAGE_SIZE_MAX);
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

struct page *page_copy_of(struct page *page)
{
    return page->copy != NULL ? page->copy : page;
}

static struct page *add_page(struct page_slot *slot)
{
    struct page *page = must(calloc(1, sizeof *page));

    page->slot = slot;
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
    page->copy = add_page(page->slot);
    page->copy->saved = must(malloc(PAGE_SIZE_MAX));
    page->copy->highest = page->highest;
    if (page->slot->resident == page)
        memcpy(page->copy->saved, page->slot->bytes, PAGE_SIZE_MAX);
    else if (page->saved != NULL)
        memcpy(page->copy->saved, page->saved, PAGE_SIZE_MAX);
    else
        memset(page->copy->saved, 0, PAGE_SIZE_MAX);
    return page->copy;
}

/* ---- pages ------------------------------------------------------------------------ */

struct page *page_new(void)
{
    for (size_t i = 0; i < PAGE_SLOTS; i++) {
        if (page_slots[i].pages == 0)
            return add_page(&page_slots[i]);
    }
    return NULL;
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
    page->slot->pages--;
}

void *page_map(struct page *page)
{
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

bool page_is_mapped(const void *at)
{
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (self()->pages[i] != NULL && self()->pages[i]->slot->bytes == at)
            return true;
    }
    return false;
}

struct page *page_of_self(void)
{
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (self()->pages[i] != NULL)
            return self()->pages[i];
    }
    return NULL;
}

uint64_t *page_highest(struct page *page)
{
    return &page->highest;
}

unsigned page_users(const struct page *page)
{
    unsigned count = 0;

    for (const struct process *p = process_first(); p != NULL; p = p->next) {
        for (unsigned i = 0; p->live && i < PAGES_MAX; i++)
            count += p->pages[i] == page;
    }
    return count;
}

/* ---- open files -------------------------------------------------------------------- */

uint64_t file_open(void)
{
    for (unsigned i = 0; i < OPEN_FILES_MAX; i++) {
        if (self()->open_files[i] == 0)
            return self()->open_files[i] = ++files;
    }
    abort();
}

void file_close(uint64_t file)
{
    for (unsigned i = 0; i < OPEN_FILES_MAX; i++) {
        if (self()->open_files[i] == file)
            self()->open_files[i] = 0;
    }
}

bool file_is_open(const struct host *host, uint64_t file)
{
    for (const struct process *p = process_first(); p != NULL; p = p->next) {
        for (unsigned i = 0; p->live && p->host == host && i < OPEN_FILES_MAX; i++) {
            if (p->open_files[i] == file)
                return true;
        }
    }
    return false;
}
