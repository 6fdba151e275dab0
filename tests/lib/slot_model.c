/* SPDX-License-Identifier: MIT */
#include "lib/slot_model.h"

enum reason { NOW, FULL, BACKWARD };

static enum reason reason_for(const struct model *model, const struct model_rules *rules, uint64_t first, uint64_t last)
{
    if (last / rules->capacity <= model->now)
        return NOW;
    if (first / rules->capacity <= model->now)
        return FULL;
    return model->now < model->high ? BACKWARD : FULL;
}

static bool other_side_is_free(const struct model *model, const struct model_rules *rules)
{
    return rules->on_backward == MODEL_TICKTOCK && model->now >= model->free[model->side ^ 1];
}

/* Where the call begins; toggles the model when it must. */
static uint64_t choose(struct model *model, const struct model_rules *rules)
{
    uint64_t tick = model->next / rules->capacity;

    if (tick < model->now && !(tick != 0 && tick == model->carried && model->now == tick + 1))
        return model->now * rules->capacity;
    if (reason_for(model, rules, model->next, model->next) == BACKWARD && other_side_is_free(model, rules)) {
        model->free[model->side] = tick + 1;
        model->side ^= 1;
        model->high = model->now;
        return model->now * rules->capacity;
    }
    return model->next;
}

/* The tick in which these slots may be issued, if nothing but time passes. */
static uint64_t due_tick(const struct model *model, const struct model_rules *rules, enum reason reason, uint64_t first,
                         uint64_t last)
{
    uint64_t tick = last / rules->capacity;
    uint64_t led = tick > rules->max_lead ? tick - rules->max_lead : 0;
    uint64_t full = rules->on_full == MODEL_LEAD ? led : tick;
    /* From either tick on the clock is not behind any more, and what holds for full ticks holds. */
    uint64_t forward = first / rules->capacity < model->high ? first / rules->capacity : model->high;
    uint64_t back = full > forward ? full : forward;

    if (reason == FULL)
        return full;
    if (rules->on_backward == MODEL_TICKTOCK)
        return model->free[model->side ^ 1] < back ? model->free[model->side ^ 1] : back;
    return rules->on_backward == MODEL_HOLD && led < forward ? led : back;
}

static void pass(struct model *model, struct model_outcome *outcome, uint64_t ticks)
{
    model->now += ticks;
    outcome->waited += ticks;
    if (model->now > model->high)
        model->high = model->now;
}

struct model_outcome model_take(struct model *model, const struct model_rules *rules, uint64_t n, uint64_t patience)
{
    struct model_outcome outcome = {.code = FRAZIL_OK};

    pass(model, &outcome, 0);
    const struct model before = *model;
    outcome.first = choose(model, rules);
    outcome.side = model->side;
    uint64_t last = outcome.first + n - 1;
    enum reason reason = reason_for(model, rules, outcome.first, last);
    uint64_t carried =
        reason == FULL && last / rules->capacity > model->carried ? last / rules->capacity : model->carried;

    while (reason != NOW) {
        uint64_t due = due_tick(model, rules, reason, outcome.first, last);
        uint64_t left = due > model->now ? due - model->now : 0;
        if ((reason == FULL ? rules->on_full : rules->on_backward) == MODEL_ERROR || left > patience - outcome.waited) {
            uint64_t now = model->now;
            outcome.code = reason == FULL ? FRAZIL_EFULL : FRAZIL_ECLOCK;
            outcome.was_refused_late = outcome.waited > 0;
            *model = before;
            model->now = now;
            if (now > model->high)
                model->high = now;
            if (outcome.was_refused_late)
                model->carried = carried;
            return outcome;
        }
        if (left == 0)
            break;
        pass(model, &outcome, left);
        reason = reason_for(model, rules, outcome.first, last);
        if (reason == BACKWARD && other_side_is_free(model, rules)) {
            struct model_outcome again;
            uint64_t waited = outcome.waited;
            again = model_take(model, rules, n, patience - waited);
            again.waited += waited;
            return again;
        }
    }
    model->next = last + 1;
    model->carried = carried;
    return outcome;
}
