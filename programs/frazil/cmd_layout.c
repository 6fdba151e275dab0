/* SPDX-License-Identifier: MIT */
/* frazil layout: the presets, one layout, or the move from one to another. */
#include "color.h"
#include "command.h"
#include "complain.h"
#include "fields.h"
#include "fit.h"
#include "ids.h"
#include "options.h"
#include "output.h"
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define YEAR_MS 31556952000.0
/* A layout with less is refused when a generator is opened, unless it is asked for. */
#define YEARS_LEFT_MIN 10.0

/* A layout and what follows from it. */
struct sheet {
    struct ids_layout chosen;
    frazil_layout_info info;
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];
    char epoch[FIELDS_TEXT_SIZE], last[FIELDS_TEXT_SIZE], sign_bit[FIELDS_TEXT_SIZE];
    double years_left;
    unsigned digits;              /* of an id of now as decimal; 0: there is none yet, or it is a sno */
    char grows[FIELDS_TEXT_SIZE]; /* when there is one more; empty: never */
};

/* How many digits decimal ids have now, and when that changes: from then on, texts do not sort like the numbers. */
static void find_digits(struct sheet *sheet)
{
    const frazil_layout *l = &sheet->chosen.layout;
    uint64_t first = l->kind == FRAZIL_LAYOUT_64 ? frazil_id_first(l, fields_now()) : 0;
    uint64_t power = 1;
    frazil_fields parts = {0};

    sheet->grows[0] = '\0';
    for (sheet->digits = 0; first != 0 && power <= first; sheet->digits++) {
        if (power > UINT64_MAX / 10) {
            sheet->digits++;
            return;
        }
        power *= 10;
    }
    if (sheet->digits > 0 && frazil_id_decompose(l, power, &parts, NULL) == FRAZIL_OK)
        (void)fields_time(parts.unix_ms, sheet->grows);
}

static void fill_sheet(struct sheet *sheet)
{
    const frazil_layout *l = &sheet->chosen.layout;

    frazil_layout_get_info(l, &sheet->info, sizeof sheet->info);
    if (frazil_layout_fingerprint(l, sheet->fingerprint, sizeof sheet->fingerprint, NULL) != FRAZIL_OK)
        sheet->fingerprint[0] = '\0';
    (void)fields_time(l->epoch_unix_ms, sheet->epoch);
    (void)fields_time(sheet->info.last_unix_ms, sheet->last);
    (void)fields_time(sheet->info.sign_bit_unix_ms, sheet->sign_bit);
    find_digits(sheet);
    sheet->years_left = ((double)sheet->info.last_unix_ms - (double)fields_now()) / YEAR_MS;
}

static void print_json(const struct sheet *s)
{
    const frazil_layout *l = &s->chosen.layout;

    output_format("{\"layout\":\"%s\",\"fingerprint\":\"%s\",\"epoch\":\"%s\",\"tick_ms\":%" PRIu32
                  ",\"time_bits\":%u,\"worker_bits\":%u,\"datacenter_bits\":%u,\"sequence_bits\":%u,",
                  s->chosen.label, s->fingerprint, s->epoch, l->tick_ms, (unsigned)l->time_bits,
                  (unsigned)l->worker_bits, (unsigned)l->datacenter_bits, (unsigned)l->sequence_bits);
    output_string("\"fields\":");
    picture_json(l);
    output_format(",\"workers\":%" PRIu64 ",\"ids_per_tick\":%" PRIu64 ",\"ids_per_second\":%" PRIu64
                  ",\"last\":\"%s\",\"years_left\":%.1f,",
                  s->info.workers, s->info.ids_per_tick, s->info.ids_per_second, s->last, s->years_left);
    if (s->info.reaches_sign_bit)
        output_format("\"sign_bit_from\":\"%s\",", s->sign_bit);
    if (s->digits > 0)
        output_format("\"digits\":%u,", s->digits);
    if (s->grows[0] != '\0')
        output_format("\"digits_grow\":\"%s\",", s->grows);
    output_format("\"fits_53_bits\":%s}\n", s->info.fits_53_bits ? "true" : "false");
}

static void print_life(const struct sheet *s)
{
    if (s->years_left <= 0)
        output_format("last instant    %s  (past: no id can be issued)\n", s->last);
    else
        output_format("last instant    %s  (%.1f years left%s)\n", s->last, s->years_left,
                      s->years_left < YEARS_LEFT_MIN ? ": generators refuse it without allow_short_life=yes" : "");
    if (s->info.reaches_sign_bit)
        output_format("sign bit        from %s on ids are negative as signed 64-bit numbers\n", s->sign_bit);
    else if (s->chosen.layout.kind == FRAZIL_LAYOUT_64)
        output_string("sign bit        never reached\n");
    if (s->chosen.layout.kind == FRAZIL_LAYOUT_64)
        output_format("53 bits         %s\n", s->info.fits_53_bits ? "every id is exact in a double, for life"
                                                                   : "ids are not exact in a double: use strings");
}

static void print_digits(const struct sheet *s)
{
    if (s->years_left <= 0 || s->digits == 0)
        return;
    if (s->grows[0] == '\0')
        output_format("digits          %u, for life\n", s->digits);
    else
        output_format("digits          %u, and %u from %s on: decimal texts sort wrongly then\n", s->digits,
                      s->digits + 1, s->grows);
}

static void print_text(const struct sheet *s)
{
    const frazil_layout *l = &s->chosen.layout;

    output_format("layout          %s\n\n", s->chosen.label);
    picture_draw(l, NULL);
    output_format("\nfingerprint     %s\n", s->fingerprint);
    output_format("epoch           %s  (%" PRId64 ")\n", s->epoch, l->epoch_unix_ms);
    if (fields_is_in_seconds(l->epoch_unix_ms))
        output_format("                in milliseconds; if those were seconds, write epoch=%" PRId64 "000\n",
                      l->epoch_unix_ms);
    output_format("tick            %" PRIu32 " ms\n", l->tick_ms);
    output_format("workers         %" PRIu64, s->info.workers);
    if (l->datacenter_bits > 0)
        output_format("  (%u datacenters of %u)", 1U << l->datacenter_bits,
                      1U << (l->worker_bits - l->datacenter_bits));
    output_format("\nids a tick      %" PRIu64 "  (each worker)\n", s->info.ids_per_tick);
    output_format("ids a second    %" PRIu64 "  (each worker)\n", s->info.ids_per_second);
    print_life(s);
    print_digits(s);
}

static void print_table_row(const struct sheet *s)
{
    char fields[FRAZIL_FINGERPRINT_SIZE];
    bool is_sno = s->chosen.layout.kind == FRAZIL_LAYOUT_SNO;

    (void)snprintf(fields, sizeof fields, "%s", is_sno ? "39/1+8+16/16" : s->fingerprint);
    fields[strcspn(fields, " ")] = '\0';
    output_format("%-9s  %-12s %4" PRIu32 "  %.10s  %-25s %7" PRIu64 " %9" PRIu64 "\n", s->chosen.label, fields,
                  s->chosen.layout.tick_ms, s->epoch, s->last, s->info.workers, s->info.ids_per_second);
}

static int print_list(bool json)
{
    if (!json)
        output_format("%-9s  %-12s %4s  %-10s  %-25s %7s %9s\n", "name", "fields", "tick", "epoch", "last instant",
                      "workers", "ids/s");
    for (size_t i = 0; frazil_layout_preset(i) != NULL; i++) {
        struct sheet sheet = {.chosen = {.layout = *frazil_layout_preset(i)}};
        ids_layout_label(&sheet.chosen);
        fill_sheet(&sheet);
        if (json)
            print_json(&sheet);
        else
            print_table_row(&sheet);
    }
    return STATUS_OK;
}

static int print_one(const char *text, bool json)
{
    struct sheet sheet;

    if (!ids_layout_choose(text, &sheet.chosen))
        return STATUS_USAGE;
    fill_sheet(&sheet);
    if (json)
        print_json(&sheet);
    else
        print_text(&sheet);
    return STATUS_OK;
}

/* ---- the move from one to another -------------------------------------------------- */

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

static void print_overlap_json(const struct ids_layout *before, const struct ids_layout *after, const char *since,
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
        output_string("snos of the same layout never collide.\n");
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
        output_string("New ids never exceed the old ones, whatever the epoch: the new layout has too few bits. "
                      "Choose one with larger ids.\n");
}

/* Prints a plain sentence or one JSON object; STATUS_OK if the move is safe, else STATUS_BAD_VALUE. */
static int overlap_print(const struct ids_layout *before, const struct ids_layout *after, int64_t since_unix_ms,
                         bool json)
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
        print_overlap_json(before, after, since, &overlap);
    else if (safe)
        print_safe(before, after, since, &overlap);
    else
        print_unsafe(before, after, since, &overlap);
    return safe ? STATUS_OK : STATUS_BAD_VALUE;
}

/* ---- the command ----------------------------------------------------------------- */

static int layout_overlap_run(int argc, char **argv)
{
    struct option_time since = {false, 0};
    struct ids_layout before, after;
    struct arguments args;
    bool json = false;
    int status;
    const struct option_row rows[] = {
        {"since", 's', OPTION_TIME, &since, "TIME", "when the new layout begins (default now)", 0},
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object", 0},
        {0},
    };
    static const struct option_help help = {
        "layout overlap", "[OPTION]... OLD NEW",
        "Says whether ids can collide or sort wrongly when all move from one layout to\n"
        "another.  Exit status: 0 safe, 1 not.",
        "  frazil layout overlap twitter '41/10/12 epoch=2010-01-01'", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (args.count != 2) {
        complain("layout overlap takes two layouts, the old and the new one, not %d", args.count);
        return STATUS_USAGE;
    }
    if (!ids_layout_choose(args.values[0], &before) || !ids_layout_choose(args.values[1], &after))
        return STATUS_USAGE;
    return overlap_print(&before, &after, since.given ? since.unix_ms : fields_now(), json);
}

static int layout_find_run(int argc, char **argv)
{
    struct arguments args;
    bool json = false;
    int status;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object", 0},
        {0},
    };
    static const struct option_help help = {"layout find", "[OPTION]... ID=TIME...",
                                            "Finds bits, tick and epoch of ids whose times are known.",
                                            "  frazil layout find 136169504773242881=2024-01-11T18:08:59Z ...", NULL};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    return fit_print(args.values, (size_t)args.count, json);
}

static const struct command layout_overlap = {"overlap", "whether a change of layouts is safe", layout_overlap_run};
static const struct command layout_find = {"find", "the layout of ids whose times are known", layout_find_run};
static const struct command *const layout_actions[] = {&layout_overlap, &layout_find, NULL};

static int layout_show_run(int argc, char **argv)
{
    const char *color = NULL;
    struct arguments args;
    bool json = false;
    int status;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "one object per line", 0},
        {"color", 0, OPTION_TEXT, &color, "WHEN", "auto, always, never", 0},
        {0},
    };
    static const struct option_help help = {
        "layout", "[OPTION]... [LAYOUT | ACTION...]", "Lists the layouts, or shows one.",
        "LAYOUT: a preset, or a description and its keys in one argument: bits of time,\n"
        "worker and sequence, epoch=TIME, tick=10ms.  Split worker: 41/5+5/12; letters\n"
        "t, w, s for another order: 39/8s/16w.\n\n"
        "  frazil layout '41/12/10 epoch=2026-01-01T00:00:00Z'",
        layout_actions};

    if (!options_read(&help, rows, argc, argv, &args, &status))
        return status;
    if (!color_choose(color))
        return STATUS_USAGE;
    if (args.count > 1) {
        complain("layout takes one layout: quote a description with its keys");
        return STATUS_USAGE;
    }
    return args.count == 0 ? print_list(json) : print_one(args.values[0], json);
}

static int cmd_layout_run(int argc, char **argv)
{
    int status;

    return options_run_action(layout_actions, argc, argv, &status) ? status : layout_show_run(argc, argv);
}

const struct command cmd_layout = {"layout", "list layouts, show one, compare two", cmd_layout_run};
