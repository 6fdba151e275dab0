/* SPDX-License-Identifier: MIT */
#include "call.h"

#include "resp_write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void command_count(const struct session *session, const struct command *row, enum reply_code code, uint64_t times)
{
    size_t at = row != NULL ? (size_t)(row - commands) : COUNTED_COMMANDS - 1;

    count(&session->event_thread->counters.calls[session->has_tls][at][code], times);
}

void command_fail(const struct session *session, const struct call *call, enum reply_code code, const char *fmt, ...)
{
#define CODE_TEXT(name, text) text,
    static const char *const codes[] = {REPLY_CODES(CODE_TEXT)};
#undef CODE_TEXT
    char text[1400];
    va_list args;
    int len = snprintf(text, sizeof text, "%s ", codes[code]);

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

bool command_may(struct session *session, const struct call *call, const char *generator)
{
    struct user *user = session_user(session);

    if (session->event_thread->setup->users.count == 0 || (user != NULL && users_may(user, call->row->verb, generator)))
        return true;
    if (user != NULL)
        command_fail(session, call, CODE_NOPERM, "user %s may not do %s with %s: see allow= of the user", user->name,
                     call->row->name, generator[0] != '\0' ? generator : "this daemon");
    else
        command_fail(session, call, CODE_NOAUTH, "Authentication required: AUTH user token");
    return false;
}

struct generator *command_generator(struct session *session, const struct call *call, struct slice name)
{
    struct generator *generator = generators_find(&session->event_thread->setup->generators, name);

    if (generator == NULL || !settings_is_name(name)) {
        command_fail(session, call, CODE_ERR, "there is no generator of that name: GENERATORS lists them");
        return NULL;
    }
    return command_may(session, call, generator->name) ? generator : NULL;
}
