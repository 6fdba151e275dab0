/* SPDX-License-Identifier: MIT */
#include "picture.h"
#include "color.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 78
#define FIELDS_MAX 6

struct field {
    const char *names[3]; /* from long to short: the longest that fits is written */
    char letter;
    unsigned bits;
    unsigned color; /* of the terminal's palette */
};

static size_t sno_fields(struct field *fields)
{
    static const struct field all[] = {{{"time", "t", ""}, 't', 39, 36},
                                       {{"ticktock", "tt", "k"}, 'k', 1, 31},
                                       {{"meta", "m", ""}, 'm', 8, 35},
                                       {{"partition", "part", "p"}, 'p', 16, 33},
                                       {{"sequence", "seq", "s"}, 's', 16, 32}};

    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof all[0];
}

/* A field that the layout does not have is left out. */
static void add_field(struct field *fields, size_t *count, struct field field)
{
    if (field.bits > 0)
        fields[(*count)++] = field;
}

static size_t number_fields(const frazil_layout *l, struct field *fields)
{
    struct field sequence = {{"sequence", "seq", "s"}, 's', l->sequence_bits, 32};
    unsigned zero_bits = 64U - l->time_bits - l->worker_bits - l->sequence_bits;
    unsigned in_datacenter_bits = (unsigned)l->worker_bits - l->datacenter_bits;
    size_t n = 0;

    add_field(fields, &n, (struct field){{"zero", "0", ""}, '0', zero_bits, 90});
    add_field(fields, &n, (struct field){{"time", "t", ""}, 't', l->time_bits, 36});
    if (l->sequence_above_worker)
        add_field(fields, &n, sequence);
    add_field(fields, &n, (struct field){{"datacenter", "dc", "d"}, 'd', l->datacenter_bits, 35});
    add_field(fields, &n, (struct field){{"worker", "wkr", "w"}, 'w', in_datacenter_bits, 33});
    if (!l->sequence_above_worker)
        add_field(fields, &n, sequence);
    return n;
}

/* The bit at a distance from the highest one. */
static char bit_of(const struct id *id, unsigned from_top)
{
    unsigned bit;

    if (id->kind == FRAZIL_LAYOUT_SNO)
        bit = id->sno.bytes[from_top / 8] >> (7 - from_top % 8) & 1U;
    else
        bit = (unsigned)(id->number >> (63 - from_top) & 1U);
    return (char)('0' + bit);
}

/* Writes the text of a field as wide as the field; after the last one of a row there is nothing. */
static void put_field(const struct field *field, const char *text, bool last)
{
    if (color_in_use())
        output_color(field->color);
    output_format("%-*s", last ? 0 : (int)field->bits, text);
    if (color_in_use())
        output_color(0);
    output_string(last ? "\n" : " ");
}

static void put_bits(const struct field *field, const struct id *id, unsigned from_top, bool last)
{
    char bits[65];

    for (unsigned i = 0; i < field->bits; i++)
        bits[i] = id != NULL ? bit_of(id, from_top + i) : field->letter;
    bits[field->bits] = '\0';
    put_field(field, bits, last);
}

/* The longest of "name bits", "name" and shorter names that is no wider than the field. */
static void put_label(const struct field *field, bool last)
{
    char label[32] = "";

    for (size_t i = 0; i < sizeof field->names / sizeof field->names[0]; i++) {
        (void)snprintf(label, sizeof label, "%s %u", field->names[i], field->bits);
        if (strlen(label) <= field->bits)
            break;
        (void)snprintf(label, sizeof label, "%s", field->names[i]);
        if (strlen(label) <= field->bits)
            break;
    }
    put_field(field, label, last);
}

static size_t fields_of(const frazil_layout *layout, struct field *fields)
{
    return layout->kind == FRAZIL_LAYOUT_SNO ? sno_fields(fields) : number_fields(layout, fields);
}

void picture_json(const frazil_layout *layout)
{
    struct field fields[FIELDS_MAX];
    size_t count = fields_of(layout, fields);

    for (size_t i = 0; i < count; i++)
        output_format("%s{\"name\":\"%s\",\"bits\":%u}", i == 0 ? "[" : ",", fields[i].names[0], fields[i].bits);
    output_string("]");
}

void picture_draw(const frazil_layout *layout, const struct id *id)
{
    struct field fields[FIELDS_MAX];
    size_t count = fields_of(layout, fields);
    unsigned from_top = 0;

    for (size_t first = 0, end; first < count; first = end) {
        unsigned columns = 0;
        for (end = first; end < count && columns + fields[end].bits < COLUMNS; end++)
            columns += fields[end].bits + 1;
        for (size_t i = first; i < end; i++) {
            put_bits(&fields[i], id, from_top, i + 1 == end);
            from_top += fields[i].bits;
        }
        for (size_t i = first; i < end; i++)
            put_label(&fields[i], i + 1 == end);
    }
}
