/* SPDX-License-Identifier: MIT */
#include "call.h"

#include "resp_write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void command_count(const struct session *session, const struct command *row, enum reply_code code, uint64_t times)
{
    size_t at = row != NULL ? (size_t)(row - commands) : COUNTED_COMMANDS - 1;

    count(&session->event_thread->counters.calls[session->has_tls ? PROTOCOL_RESPS : PROTOCOL_RESP][at][code], times);
}

void command_fail(const struct session *session, const struct call *call, enum reply_code code, const char *fmt, ...)
{
    char text[1400];
    va_list args;
    int len = snprintf(text, sizeof text, "%s ", reply_code_text(code));

    va_start(args, fmt);
    (void)vsnprintf(text + len, sizeof text - (size_t)len, fmt, args);
    va_end(args);
    resp_error(call->out, text);
    command_count(session, call->row, code, 1);
}

void command_refuse(const struct session *session, const struct call *call, const struct refusal *refusal)
{
    if (refusal->retry_ms > 0)
        command_fail(session, call, refusal->code, "%s retry_ms=%" PRIu64, refusal->text, refusal->retry_ms);
    else
        command_fail(session, call, refusal->code, "%s", refusal->text);
}

static void forbid(struct session *session, const struct call *call, const char *with, struct slice generator)
{
    const struct user *user = session_user(session);

    if (user != NULL)
        command_fail(session, call, CODE_NOPERM, "user %s may not do %s %s%.*s: see allow= of the user", user->name,
                     call->row->name, with, (int)generator.len, generator.at);
    else
        command_fail(session, call, CODE_NOAUTH, "Authentication required: AUTH user token");
}

bool command_may(struct session *session, const struct call *call)
{
    const struct slice none = {"", 0};

    if (admission_may(session->event_thread->setup, session_user(session), call->row->verb, none))
        return true;
    forbid(session, call, "with this daemon", none);
    return false;
}

struct generator *command_generator(struct session *session, const struct call *call, struct slice name)
{
    struct generator *generator = NULL;

    switch (admission_find(session->event_thread->setup, session_user(session), call->row->verb, name, &generator)) {
    case ACCESS_NO_NAME:
        command_fail(session, call, CODE_ERR,
                     "no name of a generator: a name is a small letter, then up to 63 of a-z0-9_.-");
        break;
    case ACCESS_FORBIDDEN:
        forbid(session, call, "with ", name);
        break;
    case ACCESS_ABSENT:
        command_fail(session, call, CODE_ERR, "there is no generator %.*s: GENERATORS lists them", (int)name.len,
                     name.at);
        break;
    case ACCESS_GIVEN:
        break;
    }
    return generator;
}

struct generator *command_unnamed(struct session *session, const struct call *call, struct generator *generator,
                                  const char *with, const char *absent)
{
    enum access access =
        admission_of_unnamed(session->event_thread->setup, session_user(session), call->row->verb, generator);

    if (access == ACCESS_GIVEN)
        return generator;
    if (access == ACCESS_FORBIDDEN)
        forbid(session, call, with, (struct slice){"", 0});
    else
        command_fail(session, call, CODE_ERR, "%s", absent);
    return NULL;
}

struct generator *command_default(struct session *session, const struct call *call)
{
    return command_unnamed(session, call, generators_default(&session->event_thread->setup->generators),
                           "without the name of a generator",
                           "there are several generators and none is called main: name one of those that GENERATORS "
                           "lists");
}
