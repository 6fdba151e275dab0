/* SPDX-License-Identifier: MIT */
/* How much a client wants a type, by the fields Accept of a head. */
#include "http_head.h"

/* How exactly a range names a type. */
enum fit { FIT_NONE, FIT_ANY, FIT_GROUP, FIT_TYPE };

/* A weight of Accept as RFC 9110 has it, 0 to 1 with up to three digits behind the point, in thousandths; 0: none. */
static unsigned read_weight(struct slice text)
{
    unsigned weight = 0, unit = 1000;

    if (text.len == 0 || text.len > 5 || (text.len > 1 && text.at[1] != '.'))
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (i == 1)
            continue; /* the point */
        if (text.at[i] < '0' || text.at[i] > '9')
            return 0;
        weight += (unsigned)(text.at[i] - '0') * unit;
        unit /= 10;
    }
    return weight <= 1000 ? weight : 0;
}

static enum fit fit_of(struct slice name, const char *type)
{
    struct slice rest = slice_of(type), group = slice_cut(&rest, '/'), its_group = slice_cut(&name, '/');

    if (slice_equals(name, slice_of("*")) && slice_equals(its_group, slice_of("*")))
        return FIT_ANY;
    if (!slice_equals_any_case(its_group, group))
        return FIT_NONE;
    if (slice_equals(name, slice_of("*")))
        return FIT_GROUP;
    return slice_equals_any_case(name, rest) ? FIT_TYPE : FIT_NONE;
}

static unsigned weight_of(struct slice parameters)
{
    unsigned weight = 1000;

    while (parameters.at != NULL) {
        struct slice parameter = slice_cut(&parameters, ';');
        if (slice_skip(&parameter, "q=") || slice_skip(&parameter, "Q="))
            weight = read_weight(parameter);
    }
    return weight;
}

unsigned http_accept(const struct http_head *head, const char *type)
{
    enum fit best = FIT_NONE;
    unsigned weight = 0;

    for (size_t i = 0; i < head->count; i++) {
        struct slice list = head->fields[i].value;
        while (head->fields[i].name == FIELD_ACCEPT && list.at != NULL) {
            struct slice range = slice_cut(&list, ',');
            enum fit fit = fit_of(slice_cut(&range, ';'), type);
            if (fit == FIT_NONE || fit < best)
                continue;
            unsigned its = weight_of(range);
            weight = fit > best || its > weight ? its : weight;
            best = fit;
        }
    }
    return weight;
}
