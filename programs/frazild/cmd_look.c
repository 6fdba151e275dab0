/* SPDX-License-Identifier: MIT */
/* The commands that look at ids, layouts and generators. */
#include "commands.h"
#include "looks.h"
#include "resp_write.h"

#include <string.h>

static void write_look(const struct session *session, const struct call *call, const struct look *look)
{
    resp_map(call->out, session->version, look->count);
    for (size_t i = 0; i < look->count; i++) {
        resp_text(call->out, look->pairs[i].key);
        if (!look->pairs[i].is_number)
            resp_text(call->out, look->pairs[i].text);
        else if (look->pairs[i].number <= INT64_MAX)
            resp_integer(call->out, look->pairs[i].number);
        else
            resp_digits(call->out, look->pairs[i].number);
    }
}

static bool parse_layout(const struct session *session, const struct call *call, struct slice text, frazil_layout *ret)
{
    frazil_error err;

    if (frazil_layout_parse(text.at, text.len, ret, &err) == FRAZIL_OK)
        return true;
    command_fail(session, call, CODE_ERR, "%s", err.message);
    return false;
}

/* [gen | LAYOUT l] from the word `at` on: the layout of the ids. */
static bool read_layout(struct session *session, const struct call *call, size_t at, frazil_layout *ret)
{
    const struct resp_command *words = call->words;
    struct generator *generator = generators_default(&session->event_thread->setup->generators);

    if (at + 2 == words->count && slice_is(words->args[at], "LAYOUT"))
        return command_may(session, call, "") && parse_layout(session, call, words->args[at + 1], ret);
    if (at + 1 == words->count) {
        generator = command_generator(session, call, words->args[at]);
        if (generator == NULL)
            return false;
    } else if (at < words->count || generator == NULL) {
        command_fail(session, call, CODE_ERR, "say whose ids: a generator, or LAYOUT and a layout");
        return false;
    } else if (!command_may(session, call, generator->name)) {
        return false;
    }
    *ret = generator->engine->layout;
    return true;
}

void cmd_inspect(struct session *session, struct call *call)
{
    frazil_layout layout;
    struct look_id id;
    struct look look;
    frazil_error err;

    if (!read_layout(session, call, 2, &layout))
        return;
    if (look_read_id(&layout, call->words->args[1], &id, &err) != FRAZIL_OK ||
        look_at_id(&layout, &id, &look, &err) != FRAZIL_OK)
        command_fail(session, call, CODE_ERR, "%s", err.message);
    else
        write_look(session, call, &look);
}

void cmd_compose(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct generator *generator = command_generator(session, call, words->args[1]);
    char text[LOOK_TEXT_SIZE];
    struct look_id id;
    frazil_error err;

    if (generator == NULL)
        return;
    if (look_compose(&generator->engine->layout, words->args[2], words->args[3], words->args[4], &id, &err) !=
        FRAZIL_OK) {
        command_fail(session, call, CODE_ERR, "%s", err.message);
        return;
    }
    look_write_id(&id, text);
    resp_text(call->out, text);
}

void cmd_range(struct session *session, struct call *call)
{
    struct generator *generator = command_generator(session, call, call->words->args[1]);
    struct look look;
    frazil_error err;

    if (generator == NULL)
        return;
    if (look_range(&generator->engine->layout, call->words->args[2], call->words->args[3], &look, &err) != FRAZIL_OK)
        command_fail(session, call, CODE_ERR, "%s", err.message);
    else
        write_look(session, call, &look);
}

void cmd_layout(struct session *session, struct call *call)
{
    frazil_layout layout;
    struct look look;

    if (!command_may(session, call, ""))
        return;
    if (call->words->count == 1) {
        resp_array(call->out, frazil_layout_preset_count());
        for (size_t i = 0; i < frazil_layout_preset_count(); i++)
            resp_text(call->out, frazil_layout_preset(i)->name);
    } else if (parse_layout(session, call, call->words->args[1], &layout)) {
        look_at_layout(&layout, &look);
        write_look(session, call, &look);
    }
}

void cmd_generators(struct session *session, struct call *call)
{
    const struct generators *set = &session->event_thread->setup->generators;
    const struct user *user = session_user(session);
    struct look look;
    size_t visible = 0;

    for (size_t i = 0; i < set->count; i++)
        visible += users_may(user, VERB_STATS, set->rows[i].name) || users_may(user, VERB_NEXT, set->rows[i].name);
    resp_map(call->out, session->version, visible);
    for (size_t i = 0; i < set->count; i++) {
        if (!users_may(user, VERB_STATS, set->rows[i].name) && !users_may(user, VERB_NEXT, set->rows[i].name))
            continue;
        resp_text(call->out, set->rows[i].name);
        look_at_generator(&set->rows[i], &look);
        write_look(session, call, &look);
    }
}

void cmd_stats(struct session *session, struct call *call)
{
    struct generator *generator = command_generator(session, call, call->words->args[1]);
    struct look look;

    if (generator == NULL)
        return;
    look_at_stats(generator, &look);
    write_look(session, call, &look);
}
