/* SPDX-License-Identifier: MIT */
#include "members.h"

#include <string.h>

#include "coordinator.h"
#include "host.h"
#include "stored.h"
#include "story.h"
#include "world.h"

enum { TOKEN_LEN = 32, LEASES_MAX = 256, PLACES = 2 };

struct lease {
    unsigned host;
    char token[TOKEN_LEN];
    unsigned count; /* places that were ever filled */
    struct {
        uint32_t worker;
        uint64_t until;
        bool is_lost; /* somebody else has swapped for it since */
        bool is_far;  /* it was seen far ahead of the coordinator's clock since */
    } places[PLACES];
};

static struct {
    struct lease leases[LEASES_MAX];
    unsigned count;
} all;

void members_begin(void)
{
    all.count = 0;
}

static struct lease *find_or_add(const struct host *host, const char *token)
{
    for (unsigned i = 0; i < all.count; i++) {
        if (all.leases[i].host == host->number && memcmp(all.leases[i].token, token, TOKEN_LEN) == 0)
            return &all.leases[i];
    }
    if (all.count == LEASES_MAX) {
        world_fail("there is no room for the leases of all hosts");
        all.count = 0;
    }
    struct lease *lease = &all.leases[all.count++];
    *lease = (struct lease){.host = host->number};
    memcpy(lease->token, token, TOKEN_LEN);
    return lease;
}

static void note_lost(const struct lease *winner, uint32_t worker)
{
    for (unsigned i = 0; i < all.count; i++) {
        for (unsigned place = 0; place < all.leases[i].count; place++) {
            if (&all.leases[i] != winner && all.leases[i].places[place].worker == worker)
                all.leases[i].places[place].is_lost = true;
        }
    }
}

/* The place of the worker id, or one that it may have; PLACES: there is none. */
static unsigned find_place(const struct lease *lease, uint32_t worker)
{
    for (unsigned place = 0; place < lease->count; place++) {
        if (lease->places[place].worker == worker)
            return place;
    }
    if (lease->count < PLACES)
        return lease->count;
    unsigned left = 0;
    while (left < PLACES && !lease->places[left].is_lost && !lease->places[left].is_far)
        left++;
    return left;
}

void members_note_clock(void)
{
    for (unsigned i = 0; i < all.count; i++) {
        for (unsigned place = 0; place < all.leases[i].count; place++)
            all.leases[i].places[place].is_far =
                all.leases[i].places[place].is_far || coordinator_is_far_ahead(all.leases[i].places[place].until);
    }
}

void members_swapped(const struct host *host, const struct member_swap *swap)
{
    static const char key[] = " token=";
    const char *token = strstr(swap->record, key);
    uint32_t worker = swap->worker;

    if (token == NULL || strlen(token) < sizeof key - 1 + TOKEN_LEN)
        return;
    struct lease *lease = find_or_add(host, token + sizeof key - 1);
    note_lost(lease, worker);
    if (!swap->counts || stored_gives_back(swap->record))
        return;
    unsigned place = find_place(lease, worker);
    if (place == PLACES) {
        world_fail("a lease of host %u swaps for worker %u, and nobody has taken worker %u or %u from it", host->number,
                   (unsigned)worker, (unsigned)lease->places[0].worker, (unsigned)lease->places[1].worker);
        return;
    }
    if (place == lease->count)
        lease->count++;
    if (place > 0 && lease->places[place].worker != worker)
        tell(STRUCK_WENT_ON, host->number, worker, lease->count);
    lease->places[place].worker = worker;
    lease->places[place].until = swap->until;
    lease->places[place].is_lost = false;
    lease->places[place].is_far = coordinator_is_far_ahead(swap->until);
}

void members_copied(const struct host *from, const struct host *to)
{
    unsigned count = all.count;

    for (unsigned i = 0; i < count; i++) {
        if (all.leases[i].host == from->number) {
            struct lease *copy = find_or_add(to, all.leases[i].token);
            *copy = all.leases[i];
            copy->host = to->number;
        }
    }
}
