/* SPDX-License-Identifier: MIT */
/* The commands that give ids. */
#include "batch.h"
#include "commands.h"
#include "forms.h"

#include <inttypes.h>

static bool is_number(struct slice word)
{
    return word.len > 0 && word.at[0] >= '0' && word.at[0] <= '9';
}

static bool read_count(const struct session *session, const struct call *call, struct slice word, uint32_t *ret)
{
    uint64_t n;

    if (!slice_number(word, UINT32_MAX, &n) || n == 0) {
        command_fail(session, call, CODE_ERR, "the count of ids must be a number from 1 to 4294967295, not %.*s",
                     word.len < 30 ? (int)word.len : 30, word.at);
        return false;
    }
    *ret = (uint32_t)n;
    return true;
}

static bool read_form(const struct session *session, const struct call *call, const struct engine *engine,
                      struct slice word, int *ret)
{
    if (form_by_name(engine, word, ret))
        return true;
    command_fail(session, call, CODE_ERR, "FORM takes %s", form_names(engine));
    return false;
}

/* [gen] [n]: the generator, then the count; *ret_at: the first word behind them. */
static bool read_target(struct session *session, const struct call *call, struct wish *wish, bool *ret_counted,
                        size_t *ret_at)
{
    const struct resp_command *words = call->words;
    size_t at = 1;
    bool named = at < words->count && !is_number(words->args[at]) && !slice_is(words->args[at], "FORM") &&
                 !slice_is(words->args[at], "META");

    wish->generator = named ? command_generator(session, call, words->args[at]) : command_default(session, call);
    if (wish->generator == NULL)
        return false;
    at += named;
    wish->n = 1;
    *ret_counted = at < words->count && is_number(words->args[at]);
    if (*ret_counted && !read_count(session, call, words->args[at++], &wish->n))
        return false;
    *ret_at = at;
    return true;
}

static bool fail_word(const struct session *session, const struct call *call, size_t at)
{
    struct slice word = call->words->args[at];

    command_fail(session, call, CODE_ERR, "syntax error at %.*s: %s %s", word.len < 30 ? (int)word.len : 30, word.at,
                 call->row->name, call->row->arguments);
    return false;
}

void cmd_next(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct wish wish = {0};
    bool counted;
    size_t at;

    if (!read_target(session, call, &wish, &counted, &at))
        return;
    wish.form = form_default(wish.generator->engine);
    if (at + 1 < words->count && slice_is(words->args[at], "FORM")) {
        if (!read_form(session, call, wish.generator->engine, words->args[at + 1], &wish.form))
            return;
        at += 2;
    }
    if (at < words->count)
        (void)fail_word(session, call, at);
    else
        batch_take(session, call, &wish, counted ? SHAPE_ARRAY : SHAPE_ONE);
}

void cmd_next_bin(struct session *session, struct call *call)
{
    struct wish wish = {0};
    bool counted;
    size_t at;

    if (!read_target(session, call, &wish, &counted, &at))
        return;
    if (at < call->words->count)
        (void)fail_word(session, call, at);
    else
        batch_take(session, call, &wish, SHAPE_BINARY);
}

void cmd_sno(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct wish wish = {.form = FORM_SNO};
    uint64_t meta = 0;
    bool counted;
    size_t at;

    if (!read_target(session, call, &wish, &counted, &at))
        return;
    if (!wish.generator->engine->is_sno) {
        command_fail(session, call, CODE_ERR, "generator %s gives 64-bit ids, not snos: use NEXT",
                     wish.generator->name);
        return;
    }
    if (at + 1 < words->count && slice_is(words->args[at], "META")) {
        if (!slice_number(words->args[at + 1], 255, &meta)) {
            command_fail(session, call, CODE_ERR, "META takes a byte: 0 to 255");
            return;
        }
        at += 2;
    }
    wish.meta = (uint8_t)meta;
    if (at < words->count)
        (void)fail_word(session, call, at);
    else
        batch_take(session, call, &wish, counted ? SHAPE_ARRAY : SHAPE_ONE);
}

/* The numbers that a client counts back from the answer are its own only where ids follow each other without a gap.
 * More than max_batch is refused by all commands in the same way. */
static bool can_reserve(const struct session *session, const struct call *call, const struct generator *generator,
                        uint32_t n)
{
    const struct engine *engine = generator->engine;
    frazil_info info;

    frazil_get_info(engine->gen, &info, sizeof info);
    if (n == 1 || n > generator->max_batch || (!engine->layout.sequence_above_worker && n <= info.capacity))
        return true;
    if (engine->layout.sequence_above_worker)
        command_fail(
            session, call, CODE_ERR,
            "INCRBY above 1 reserves consecutive numbers, and those of generator %s are not: the layout has the "
            "worker below the sequence; NEXT %s n gives n ids",
            generator->name, generator->name);
    else
        command_fail(session, call, CODE_LIMIT,
                     "INCRBY reserves consecutive numbers, and a tick of generator %s has %" PRIu64
                     ": NEXT %s n gives n "
                     "ids",
                     generator->name, info.capacity, generator->name);
    return false;
}

void cmd_incr(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct wish wish = {.n = 1};

    if (words->count > 2 && !read_count(session, call, words->args[2], &wish.n))
        return;
    struct generator *found = generators_by_key(&session->event_thread->setup->generators, words->args[1]);
    wish.generator = command_unnamed(session, call, found, "with this key",
                                     "no generator matches this key: it is no generator's name, and no keys= pattern "
                                     "of the configuration fits");
    if (wish.generator == NULL)
        return;
    if (wish.generator->engine->is_sno)
        command_fail(session, call, CODE_ERR, "generator %s has snos, which are not integers: use SNO",
                     wish.generator->name);
    else if (can_reserve(session, call, wish.generator, wish.n))
        batch_take(session, call, &wish, SHAPE_INTEGER);
}
