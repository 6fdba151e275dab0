/* SPDX-License-Identifier: MIT */
/* The commands that look at ids, layouts and generators. */
#include "commands.h"
#include "info.h"
#include "resp_write.h"

#include <string.h>

static void write_info(const struct session *session, const struct call *call, const struct info *info)
{
    resp_map(call->out, session->version, info->count);
    for (size_t i = 0; i < info->count; i++) {
        resp_text(call->out, info->pairs[i].key);
        if (!info->pairs[i].is_number)
            resp_text(call->out, info->pairs[i].text);
        else if (info->pairs[i].number <= INT64_MAX)
            resp_integer(call->out, info->pairs[i].number);
        else
            resp_digits(call->out, &info->pairs[i].number, 1);
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
    const struct generator *generator = NULL;

    if (at + 2 == words->count && slice_is(words->args[at], "LAYOUT"))
        return command_may(session, call) && parse_layout(session, call, words->args[at + 1], ret);
    if (at + 1 == words->count)
        generator = command_generator(session, call, words->args[at]);
    else if (at == words->count)
        generator = command_default(session, call);
    else
        command_fail(session, call, CODE_ERR, "give a generator, or LAYOUT and a layout");
    if (generator != NULL)
        *ret = generator->engine->layout;
    return generator != NULL;
}

void cmd_inspect(struct session *session, struct call *call)
{
    frazil_layout layout;
    struct info_id id;
    struct info info;
    frazil_error err;

    if (!read_layout(session, call, 2, &layout))
        return;
    if (info_read_id(&layout, call->words->args[1], &id, &err) != FRAZIL_OK ||
        info_of_id(&layout, &id, &info, &err) != FRAZIL_OK)
        command_fail(session, call, CODE_ERR, "%s", err.message);
    else
        write_info(session, call, &info);
}

void cmd_compose(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct generator *generator = command_generator(session, call, words->args[1]);
    char text[INFO_TEXT_SIZE];
    struct info_id id;
    frazil_error err;

    if (generator == NULL)
        return;
    if (info_compose(&generator->engine->layout, words->args[2], words->args[3], words->args[4], &id, &err) !=
        FRAZIL_OK) {
        command_fail(session, call, CODE_ERR, "%s", err.message);
        return;
    }
    info_write_id(&id, text);
    resp_text(call->out, text);
}

void cmd_range(struct session *session, struct call *call)
{
    struct generator *generator = command_generator(session, call, call->words->args[1]);
    struct info info;
    frazil_error err;

    if (generator == NULL)
        return;
    if (info_range(&generator->engine->layout, call->words->args[2], call->words->args[3], &info, &err) != FRAZIL_OK)
        command_fail(session, call, CODE_ERR, "%s", err.message);
    else
        write_info(session, call, &info);
}

void cmd_layout(struct session *session, struct call *call)
{
    frazil_layout layout;
    struct info info;

    if (!command_may(session, call))
        return;
    if (call->words->count == 1) {
        size_t count = 0;
        while (frazil_layout_preset(count) != NULL)
            count++;
        resp_array(call->out, count);
        for (size_t i = 0; frazil_layout_preset(i) != NULL; i++)
            resp_text(call->out, frazil_layout_preset(i)->name);
    } else if (parse_layout(session, call, call->words->args[1], &layout)) {
        info_of_layout(&layout, &info);
        write_info(session, call, &info);
    }
}

void cmd_generators(struct session *session, struct call *call)
{
    const struct generators *set = &session->event_thread->setup->generators;
    const struct user *user = session_user(session);
    struct info info;
    size_t visible = 0;

    for (size_t i = 0; i < set->count; i++)
        visible += users_see(user, set->rows[i].name);
    resp_map(call->out, session->version, visible);
    for (size_t i = 0; i < set->count; i++) {
        if (!users_see(user, set->rows[i].name))
            continue;
        resp_text(call->out, set->rows[i].name);
        info_of_generator(&set->rows[i], &info);
        write_info(session, call, &info);
    }
}

void cmd_stats(struct session *session, struct call *call)
{
    struct generator *generator = command_generator(session, call, call->words->args[1]);
    struct info info;

    if (generator == NULL)
        return;
    info_of_stats(generator, &info);
    write_info(session, call, &info);
}
