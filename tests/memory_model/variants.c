/* SPDX-License-Identifier: MIT */
#include "variants.h"

#include <stddef.h>

#define HINT "it tells why a tick is ahead of the clock; no id rests on it"
#define MORE_SWITCHES                                                                                                  \
    "it takes two switches, and a run of all of them takes too long; the simulator's worlds switch more often"
#define TWO_OLD                                                                                                        \
    "the number changes twice before its entry is written again, and in Relacy a load is one change late at most"
#define PLAIN "what it guards is no atomic, and Relacy interrupts nobody at it"
#define TOLD "the kernel tells who is the last, and orders what the others did"

#define ACQUIRE MODEL_NO_ACQUIRE
#define RELEASE MODEL_NO_RELEASE
#define IN_TWO MODEL_IN_TWO

const struct variant variants[] = {
    /* Slots are taken and given back by one operation. */
    {"frazil_next", "gen->word", IN_TWO, "fast", NULL},
    {"frazil_sno_next", "gen->word", IN_TWO, "sno", NULL},
    {"fz_take_anchored", "gen->word", IN_TWO, "batch", NULL},
    {"reserve", "gen->word", IN_TWO, "bare", NULL},
    {"lower_word", "gen->word", IN_TWO, "stale", NULL},

    /* A side is closed before it is left; whoever sees the word on the other one sees it closed. */
    {"reserve", "gen->word", RELEASE, "toggle", NULL},
    {"fz_observe", "gen->word", ACQUIRE, "toggle", NULL},
    {"fz_raise_u64", "target", IN_TWO, "toggle-often", NULL},
    {"fz_raise_u64", "target", RELEASE, "toggle", "the word's release, which follows, covers it"},
    {"fz_observe", "&shared->side_free[other]", ACQUIRE, "toggle", "its value decides, and nothing is read through it"},
    {"reserve", "gen->word", ACQUIRE, "toggle", "the word that it expects was read with acquire"},
    {"reserve", "&gen->shared->high_us", RELEASE, "toggle", HINT},

    /* The highest reading. */
    {"fz_observe", "&shared->high_us", ACQUIRE, "bare",
     "it keeps the clock's reading behind it; Relacy reorders no clocks"},
    {"fz_raise_i64", "target", RELEASE, "bare", HINT},
    {"fz_raise_i64", "target", IN_TWO, "bare", HINT},

    /* The word where its value is all. */
    {"lower_word", "gen->word", ACQUIRE, "stale", "nothing is read after it"},
    {"lower_word", "gen->word", RELEASE, "stale", "a swap goes on with what others have released through the word"},
    {"move_word", "gen->word", RELEASE, "replace", MORE_SWITCHES},
    {"move_word", "gen->word", IN_TWO, "replace", MORE_SWITCHES},
    {"publish_anchor", "gen->word", ACQUIRE, "stale", "it is at least what this thread has made of it itself"},

    /* One thread at a time has the list of unused slots. */
    {"enter_unused", "&unused->lock", ACQUIRE, "stale", PLAIN},
    {"enter_unused", "&unused->lock", IN_TWO, "stale", PLAIN},
    {"give_ticket_back", "&unused->lock", RELEASE, "stale", PLAIN},

    /* The anchor: what is read of it was published as a whole. */
    {"fz_anchor_read", "&anchor->version", ACQUIRE, "anchors", NULL},
    {"fz_anchor_read", "&anchor->counter", ACQUIRE, "anchors", NULL},
    {"fz_anchor_read", "&anchor->range", ACQUIRE, "anchors", NULL},
    {"fz_anchor_read", "&anchor->first_slot", ACQUIRE, "anchors", NULL},
    {"fz_anchor_read", "&anchor->first_id", ACQUIRE, "anchors", NULL},
    {"fz_anchor_publish", "&anchor->counter", RELEASE, "anchors", NULL},
    {"fz_anchor_publish", "&anchor->range", RELEASE, "anchors", NULL},
    {"fz_anchor_publish", "&anchor->first_slot", RELEASE, "anchors", NULL},
    {"fz_anchor_publish", "&anchor->first_id", RELEASE, "anchors", NULL},
    {"fz_anchor_publish", "&anchor->version", RELEASE, "anchors", NULL},
    {"fz_anchor_move", "&anchor->first_slot", RELEASE, "anchor-moved", NULL},
    {"fz_anchor_move", "&anchor->first_id", RELEASE, "anchor-moved", NULL},
    {"fz_anchor_move", "&anchor->version", RELEASE, "anchor-moved", NULL},
    {"fz_move_on", "&anchor->version", ACQUIRE, "lead", NULL},
    {"fz_move_on", "gen->word", ACQUIRE, "lead", "the slots up to there stay the worker's, whoever comes after it"},
    {"fz_anchor_shut", "&anchor->version", RELEASE, "anchor-closed",
     "in Relacy, though not in C11, it goes on with what the swap of lock_version has carried on"},
    {"fz_anchor_shut", "&anchor->range", RELEASE, "anchor-closed", "who reads 0 uses nothing else of the anchor"},
    {"lock_version", "&anchor->version", IN_TWO, "anchors", NULL},
    {"lock_version", "&anchor->version", ACQUIRE, "anchors",
     "it orders what two threads store in one place, which in Relacy always is as it was done"},

    /* The ring: so was a grant, by whichever of several writers was the last to claim the ring. */
    {"fz_grant_ring_look", "&ring->number", ACQUIRE, "ring-writers", NULL},
    {"fz_grant_ring_look", "&ring->entries[entry].parts[i]", ACQUIRE, "ring-reused", TWO_OLD},
    {"claim", "&ring->number", IN_TWO, "ring-writers", NULL},
    {"write_part", "part", RELEASE, "ring-reused", TWO_OLD},
    {"write_part", "part", IN_TWO, "ring-writers", NULL},
    {"publish", "&ring->number", RELEASE, "ring-writers", NULL},
    {"publish", "&ring->number", IN_TWO, "ring-writers", NULL},

    /* One thread at a time asks the granter. */
    {"enter", "&gen->keeper.inside", ACQUIRE, "extend", NULL},
    {"enter", "&gen->keeper.inside", IN_TWO, "extend", NULL},
    {"leave", "&gen->keeper.inside", RELEASE, "extend", NULL},
    {"fz_extension_lock_is_held", "&gen->keeper.inside", ACQUIRE, "extend", NULL},
    {"model_lock", "lock", ACQUIRE, "leave", NULL},
    {"model_lock", "lock", IN_TWO, "leave", "only one thread takes it"},
    {"model_unlock", "lock", RELEASE, "leave", NULL},
    {"last_used_tick", "gen->word", ACQUIRE, "leave", TOLD},
    {"last_used_tick", "&gen->shared->side_free[side]", ACQUIRE, "leave", TOLD},

    /* One measurement at a time. */
    {"fz_calibration_counts", "&calibration->busy", ACQUIRE, "calibration", NULL},
    {"fz_calibration_counts", "&calibration->busy", IN_TWO, "calibration", NULL},
    {"fz_calibration_counts", "&calibration->busy", RELEASE, "calibration", NULL},

    /* The ring of events: an event is read as it was written. */
    {"fz_event_read", "&place->version", ACQUIRE, "events", NULL},
    {"fz_event_read", "&place->unix_ms", ACQUIRE, "events", NULL},
    {"fz_event_read", "&place->value", ACQUIRE, "events", NULL},
    {"fz_event_read", "&place->kind", ACQUIRE, "events", NULL},
    {"fz_event_read", "&place->code", ACQUIRE, "events", NULL},
    {"fz_event_read", "&place->worker", ACQUIRE, "events", NULL},
    {"fz_event_write", "&place->version", RELEASE, "events", NULL},
    {"fz_event_write", "&place->unix_ms", RELEASE, "events", NULL},
    {"fz_event_write", "&place->value", RELEASE, "events", NULL},
    {"fz_event_write", "&place->kind", RELEASE, "events", NULL},
    {"fz_event_write", "&place->code", RELEASE, "events", NULL},
    {"fz_event_write", "&place->worker", RELEASE, "events", NULL},
    {"fz_event_write", "count", IN_TWO, "events", NULL},
    {"begin_event", "&place->version", IN_TWO, "events", NULL},
    {"begin_event", "&place->version", ACQUIRE, "events",
     "it orders what two threads store in one place, which in Relacy always is as it was done"},

    /* The message: a sentence is read as it was written. */
    {"fz_shared_message_read", "&message->version", ACQUIRE, "message", NULL},
    {"fz_shared_message_read", "&message->words[i]", ACQUIRE, "message", NULL},
    {"fz_shared_message_write", "&message->version", RELEASE, "message", NULL},
    {"fz_shared_message_write", "&message->words[i]", RELEASE, "message", NULL},

    {.function = NULL},
};
