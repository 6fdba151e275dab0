/* SPDX-License-Identifier: MIT */
#include "overlap.h"

#include "command.h"
#include "complain.h"
#include "fields.h"
#include "output.h"

#include <inttypes.h>

static const char *json_bool(bool value)
{
    return value ? "true" : "false";
}

/* Whether a layout had come to its end by then, and when that was. */
static bool has_ended(const struct ids_layout *layout, int64_t since_unix_ms, char when[FIELDS_TEXT_SIZE])
{
    frazil_layout_info info;

    frazil_layout_get_info(&layout->layout, &info, sizeof info);
    (void)fields_time(info.last_unix_ms, when);
    return layout->layout.kind == FRAZIL_LAYOUT_64 && since_unix_ms >= info.last_unix_ms;
}

static void print_json(const struct ids_layout *before, const struct ids_layout *after, const char *since,
                       const frazil_overlap *overlap)
{
    char safe[FIELDS_TEXT_SIZE];

    output_format("{\"before\":\"%s\",\"after\":\"%s\",\"since\":\"%s\",\"safe\":%s,\"can_collide\":%s,"
                  "\"can_missort\":%s",
                  before->label, after->label, since, json_bool(!overlap->can_collide && !overlap->can_missort),
                  json_bool(overlap->can_collide), json_bool(overlap->can_missort));
    if (before->layout.kind == FRAZIL_LAYOUT_64)
        output_format(",\"old_last\":\"%" PRIu64 "\",\"new_first\":\"%" PRIu64 "\"", overlap->old_last,
                      overlap->new_first);
    if (before->layout.kind == FRAZIL_LAYOUT_64 && overlap->ever_safe)
        output_format(",\"safe_from\":\"%s\"", fields_time(overlap->safe_unix_ms, safe));
    output_string("}\n");
}

static void print_safe(const struct ids_layout *before, const struct ids_layout *after, const char *since,
                       const frazil_overlap *overlap)
{
    output_format("Safe: moving from %s to %s at %s, ", before->label, after->label, since);
    if (before->layout.kind == FRAZIL_LAYOUT_SNO)
        output_string("snos of the same layout stay apart.\n");
    else
        output_format("every new id (from %" PRIu64 ") is above every old one (to %" PRIu64 ").\n", overlap->new_first,
                      overlap->old_last);
}

static void print_unsafe(const struct ids_layout *before, const struct ids_layout *after, const char *since,
                         const frazil_overlap *overlap)
{
    char safe[FIELDS_TEXT_SIZE];

    output_format("Not safe: moving from %s to %s at %s, new ids can %s old ones:\n", before->label, after->label,
                  since,
                  overlap->can_collide ? (overlap->can_missort ? "equal and sort before" : "equal") : "sort before");
    output_format("new ids begin at %" PRIu64 ", old ids reach to %" PRIu64 ".\n", overlap->new_first,
                  overlap->old_last);
    if (overlap->ever_safe)
        output_format("It is safe to begin issuing new ids at %s, if old ones end at %s.\n",
                      fields_time(overlap->safe_unix_ms, safe), since);
    else
        output_string(
            "New ids never get above the old ones, and no epoch changes that: the new layout has too few bits. "
            "Choose one with larger ids.\n");
}

int overlap_print(const struct ids_layout *before, const struct ids_layout *after, int64_t since_unix_ms, bool json)
{
    char since[FIELDS_TEXT_SIZE], ended[FIELDS_TEXT_SIZE];
    frazil_overlap overlap;
    frazil_error err;

    if (frazil_layout_overlap(&before->layout, &after->layout, since_unix_ms, &overlap, sizeof overlap, &err) !=
        FRAZIL_OK) {
        complain("%s", err.message);
        return STATUS_BAD_VALUE;
    }
    bool safe = !overlap.can_collide && !overlap.can_missort;
    (void)fields_time(since_unix_ms, since);
    if (has_ended(before, since_unix_ms, ended) && !json)
        output_format("The old layout, %s, ends at %s: it may have issued all of its ids.\n", before->label, ended);
    if (json)
        print_json(before, after, since, &overlap);
    else if (safe)
        print_safe(before, after, since, &overlap);
    else
        print_unsafe(before, after, since, &overlap);
    return safe ? STATUS_OK : STATUS_BAD_VALUE;
}
