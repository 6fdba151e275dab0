/* SPDX-License-Identifier: MIT */
/*
 * Values that several threads read and write without a lock, each part by itself: a
 * value that is read was written as a whole.
 */
#include <string.h>

#include "generator/anchor.h"
#include "generator/events.h"
#include "model.h"
#include "scenarios.h"
#include "state/grant_ring.h"
#include "state/shared_message.h"

/* ---- the anchor -------------------------------------------------------------------- */

static struct fz_anchor anchor;

static void publish(uint64_t i)
{
    const struct fz_anchor_view view = {.counter = i, .range = 10 + i, .first_slot = 20 + i, .first_id = 30 + i};

    fz_anchor_publish(&anchor, &view, &(struct fz_anchor_lead){.end = 0});
}

static void begin_anchor(void)
{
    memset(&anchor, 0, sizeof anchor);
    publish(1);
    model_share(&anchor.version, sizeof anchor.version);
    model_share(&anchor.counter, sizeof anchor.counter);
    model_share(&anchor.range, sizeof anchor.range);
    model_share(&anchor.first_slot, sizeof anchor.first_slot);
    model_share(&anchor.first_id, sizeof anchor.first_id);
    model_count(&anchor.lead_end, sizeof anchor.lead_end);
    model_count(&anchor.lead_us, sizeof anchor.lead_us);
    model_count(&anchor.grant_number, sizeof anchor.grant_number);
}

/* To where the second one would be. */
static void move(void)
{
    (void)fz_anchor_move(&anchor, 2, 22, 32, 0);
}

static void read_moved(void)
{
    struct fz_anchor_view view;

    if (fz_anchor_read(&anchor, &view))
        model_expect(view.first_id == view.first_slot + 10, "an anchor that nobody has moved there");
}

static void publish_second(void)
{
    publish(2);
}

static void publish_third(void)
{
    publish(3);
}

static void publish_and_close(void)
{
    publish(2);
    fz_anchor_close(&anchor);
}

static void close_anchor(void)
{
    fz_anchor_close(&anchor);
}

static void read_anchor(void)
{
    struct fz_anchor_view view;

    if (!fz_anchor_read(&anchor, &view) || view.range == 0)
        return;
    uint64_t i = view.counter;
    model_expect(view.range == 10 + i && view.first_slot == 20 + i && view.first_id == 30 + i,
                 "an anchor that nobody has published");
}

/* ---- the ring ---------------------------------------------------------------------------- */

static struct fz_grant_ring grants;

/* How many have put a grant in the place of the one with that number. */
static unsigned replaced[4];

static struct fz_grant grant(uint32_t i)
{
    return (struct fz_grant){.worker = i, .floor = 10 * i, .until = 10 * i + 5, .version = 2 * i};
}

static void put(uint32_t i)
{
    uint64_t number;
    struct fz_grant seen = fz_grant_ring_look(&grants, &number);
    struct fz_grant next = grant(i);

    if (fz_grant_ring_put(&grants, number, &next))
        model_expect(++replaced[seen.worker] == 1, "two grants were put in the place of one");
}

static void begin_ring(void)
{
    memset(&grants, 0, sizeof grants);
    memset(replaced, 0, sizeof replaced);
    put(1);
    model_share(&grants.number, sizeof grants.number);
    for (unsigned i = 0; i < FZ_GRANT_ENTRIES; i++) {
        for (unsigned part = 0; part < FZ_GRANT_PARTS; part++)
            model_share(&grants.entries[i].parts[part], sizeof grants.entries[i].parts[part]);
    }
}

static void put_second(void)
{
    put(2);
}

static void put_third(void)
{
    put(3);
}

static void put_twice(void)
{
    put(2);
    put(3);
}

static void read_ring(void)
{
    struct fz_grant seen = fz_grant_ring_read(&grants);
    struct fz_grant whole = grant(seen.worker);

    model_expect(seen.floor == whole.floor && seen.until == whole.until && seen.version == whole.version,
                 "I2: a grant that was never in force");
}

/* ---- the calibration ----------------------------------------------------------------------- */

static struct fz_calibration calibration;

static uint64_t counter_port(void *ctx)
{
    (void)ctx;
    return 1;
}

/* Measuring asks for the time, and nothing else does. */
static uint64_t monotonic_port(void *ctx)
{
    (void)ctx;
    model_plain_write(0);
    return 1;
}

static void begin_calibration(void)
{
    memset(&calibration, 0, sizeof calibration);
    model_share(&calibration.busy, sizeof calibration.busy);
    model_share(&calibration.due_counter, sizeof calibration.due_counter);
    model_share(&calibration.period, sizeof calibration.period);
    model_share(&calibration.counts_per_ms, sizeof calibration.counts_per_ms);
}

static void measure(void)
{
    const struct fz_counter_source source = {.counter = counter_port, .monotonic_ns = monotonic_port};

    fz_calibration_counts(&calibration, &source, 1000);
}

/* ---- the message --------------------------------------------------------------------------------- */

static struct fz_shared_message message;

static void begin_message(void)
{
    memset(&message, 0, sizeof message);
    fz_shared_message_write(&message, "aaaaaaaaaaaa");
    model_share(&message.version, sizeof message.version);
    for (unsigned i = 0; i < FZ_SHARED_MESSAGE_WORDS; i++)
        model_share(&message.words[i], sizeof message.words[i]);
}

static void write_messages(void)
{
    fz_shared_message_write(&message, "bbbbbbbbbbbb");
    fz_shared_message_write(&message, "cccccccccccc");
}

static void read_message(void)
{
    char text[FZ_SHARED_MESSAGE_SIZE];

    fz_shared_message_read(&message, text);
    model_expect(text[0] == '\0' || (strspn(text, (const char[]){text[0], '\0'}) == 12 && text[12] == '\0'),
                 "a sentence that nobody has written");
}

/* ---- the ring of events ------------------------------------------------------------------------ */

static struct fz_event_ring ring;
static _Atomic uint64_t event_count;

static void write_event(uint32_t i)
{
    const frazil_event event = {
        .kind = i, .code = (int32_t)(10 + i), .worker = 20 + i, .unix_ms = 30 + i, .value = 40 + i};

    fz_event_write(&ring, &event_count, &event);
}

static void begin_events(void)
{
    struct fz_event_place *place = &ring.places[0];

    memset(&ring, 0, sizeof ring);
    memset(&event_count, 0, sizeof event_count);
    write_event(1);
    model_share(&event_count, sizeof event_count);
    model_share(&place->version, sizeof place->version);
    model_share(&place->unix_ms, sizeof place->unix_ms);
    model_share(&place->value, sizeof place->value);
    model_share(&place->kind, sizeof place->kind);
    model_share(&place->code, sizeof place->code);
    model_share(&place->worker, sizeof place->worker);
}

static void write_second_event(void)
{
    write_event(2);
}

static void write_third_event(void)
{
    write_event(3);
}

static void read_events(void)
{
    frazil_event event = {.kind = 0};

    if (!fz_event_read(&ring, model_choose(2), &event))
        return;
    uint32_t i = event.kind;
    model_expect(event.code == (int32_t)(10 + i) && event.worker == 20 + i && event.unix_ms == 30 + i &&
                     event.value == 40 + i,
                 "an event that nobody has told");
}

static void end_events(void)
{
    model_expect(atomic_load_explicit(&event_count, memory_order_relaxed) == 3, "an event that was not counted");
}

const struct scenario parts_scenarios[] = {
    {.name = "anchor",
     .rule = "an anchor is read while it is published and closed",
     .threads = 2,
     .begin = begin_anchor,
     .run = {publish_and_close, read_anchor}},
    {.name = "anchors",
     .rule = "an anchor is read while two threads publish others",
     .threads = 3,
     .bound = 3,
     .begin = begin_anchor,
     .run = {publish_second, publish_third, read_anchor}},
    {.name = "anchor-closed",
     .rule = "an anchor is read while one thread publishes another and a second one closes it",
     .threads = 3,
     .bound = 2,
     .begin = begin_anchor,
     .run = {publish_second, close_anchor, read_anchor}},
    {.name = "anchor-moved",
     .rule = "an anchor is read while it is moved on",
     .threads = 2,
     .begin = begin_anchor,
     .run = {move, read_moved}},
    {.name = "ring-writers",
     .rule = "the grant is read while two threads put others in its place",
     .threads = 3,
     .bound = 1,
     .begin = begin_ring,
     .run = {put_second, put_third, read_ring}},
    {.name = "ring-reused",
     .rule = "the grant is read while its place on the board is used again",
     .threads = 2,
     .bound = 2,
     .begin = begin_ring,
     .run = {put_twice, read_ring}},
    {.name = "calibration",
     .rule = "one thread at a time measures the counter",
     .threads = 2,
     .begin = begin_calibration,
     .run = {measure, measure}},
    {.name = "message",
     .rule = "the sentence about a failure is read while others are written",
     .threads = 2,
     .begin = begin_message,
     .run = {write_messages, read_message}},
    {.name = "events",
     .rule = "an event is read while two threads write others in its place",
     .threads = 3,
     .bound = 2,
     .begin = begin_events,
     .run = {write_second_event, write_third_event, read_events},
     .end = end_events},
    {.name = NULL},
};
