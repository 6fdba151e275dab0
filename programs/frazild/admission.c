/* SPDX-License-Identifier: MIT */
#include "admission.h"

#include "clock.h"
#include "trouble.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RETRY_MS 1000 /* while a coordinator is asked, or after it refused */

const struct refusal admission_no_memory = {CODE_TRYAGAIN, 100, "the daemon is out of memory"};

static void refuse(struct refusal *ret, enum reply_code code, uint64_t retry_ms, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void refuse(struct refusal *ret, enum reply_code code, uint64_t retry_ms, const char *fmt, ...)
{
    va_list args;

    ret->code = code;
    ret->retry_ms = retry_ms;
    va_start(args, fmt);
    (void)vsnprintf(ret->text, sizeof ret->text, fmt, args);
    va_end(args);
}

bool admission_may(const struct setup *setup, const struct user *user, enum verb verb, struct slice name)
{
    return setup->users.count == 0 || (user != NULL && users_may(user, verb, name));
}

enum access admission_find(const struct setup *setup, const struct user *user, enum verb verb, struct slice name,
                           struct generator **ret)
{
    struct generator *generator = generators_find(&setup->generators, name);

    if (!settings_is_name(name))
        return ACCESS_NO_NAME;
    if (!admission_may(setup, user, verb, name))
        return ACCESS_FORBIDDEN;
    if (generator == NULL)
        return ACCESS_ABSENT;
    *ret = generator;
    return ACCESS_GIVEN;
}

enum access admission_of_unnamed(const struct setup *setup, const struct user *user, enum verb verb,
                                 const struct generator *generator)
{
    if (generator != NULL && admission_may(setup, user, verb, slice_of(generator->name)))
        return ACCESS_GIVEN;
    return admission_may(setup, user, verb, slice_of("*")) ? ACCESS_ABSENT : ACCESS_FORBIDDEN;
}

/* The most ids that an engine can have for a request, if nobody else takes any: those of the ticks that begin in time.
 */
static uint64_t most_ids(const struct engine *engine, uint64_t timeout_ns)
{
    frazil_info info;

    frazil_get_info(engine->gen, &info, sizeof info);
    uint64_t tick_ns = (uint64_t)info.layout->tick_ms * NS_PER_MS, ticks = 1;
    if (engine->is_strict)
        return info.capacity;
    if (engine->lead_ns > UINT64_MAX / 4 || timeout_ns > UINT64_MAX / 4)
        return UINT64_MAX;
    ticks += (timeout_ns + engine->lead_ns + tick_ns - 1) / tick_ns;
    return ticks > UINT32_MAX ? UINT64_MAX : ticks * info.capacity;
}

bool admission_by_size(const struct generator *generator, uint32_t n, uint64_t timeout_ns, struct refusal *ret)
{
    if (n > generator->max_batch) {
        refuse(ret, CODE_LIMIT, 0, "generator %s gives at most %u id%s a request (max_batch)", generator->name,
               (unsigned)generator->max_batch, generator->max_batch == 1 ? "" : "s");
        return false;
    }
    uint64_t most = n > 1 ? most_ids(generator->engine, timeout_ns) : UINT64_MAX;
    if (n <= most)
        return true;
    refuse(ret, CODE_LIMIT, 0, "generator %s has at most %" PRIu64 " ids %s: request fewer at once", generator->name,
           most, generator->engine->is_strict ? "a tick, and on_full=error" : "within request_timeout");
    return false;
}

bool admission_by_rate(struct generator *generator, struct user *user, uint32_t n, uint64_t now_ns, struct refusal *ret)
{
    const char *whose = "user";
    uint64_t retry_ns = 0;

    if (user == NULL || rate_take(&user->rate, n, now_ns, &retry_ns)) {
        if (rate_take(&generator->rate, n, now_ns, &retry_ns))
            return true;
        admission_give_back(NULL, user, n);
        whose = "generator";
    }
    if (retry_ns == UINT64_MAX)
        refuse(ret, CODE_LIMIT, 0, "%u ids at once are more than rate= of the %s allows a second", (unsigned)n, whose);
    else
        refuse(ret, CODE_LIMIT, retry_ns / NS_PER_MS + 1, "rate= of the %s is reached", whose);
    return false;
}

void admission_give_back(struct generator *generator, struct user *user, uint32_t n)
{
    if (generator != NULL)
        rate_give_back(&generator->rate, n);
    if (user != NULL)
        rate_give_back(&user->rate, n);
}

/* When to come back, in whole milliseconds; `otherwise` where nobody knows. */
static uint64_t retry_ms_of(uint64_t retry_ns, uint64_t otherwise)
{
    return retry_ns == 0 ? otherwise : (retry_ns + NS_PER_MS - 1) / NS_PER_MS;
}

/* Whether an operator has to see to the coordinator that gives each id. */
static bool needs_operator(frazil_err code)
{
    return code == FRAZIL_EREFUSED || code == FRAZIL_ENAMESPACE;
}

void admission_explain(const struct id_request *id_request, struct refusal *ret)
{
    const char *name = id_request->engine->name, *why = frazil_strerror(id_request->code);
    bool is_away = id_request->code == FRAZIL_EUNREACHABLE;
    struct trouble trouble;

    trouble_find(id_request->engine, &trouble);
    bool is_new = strcmp(trouble.why, why) != 0; /* else it would be said twice */
    const char *colon = trouble.why[0] != '\0' && is_new ? ": " : "";
    if (!is_new)
        trouble.why[0] = '\0';
    if (dispatcher_is_passing(id_request->code))
        refuse(ret, CODE_TRYAGAIN, retry_ms_of(id_request->retry_ns, is_away ? RETRY_MS : 1), "generator %s: %s%s%s",
               name, why, colon, trouble.why);
    else if (id_request->code == FRAZIL_ELEASE) /* its reason may name files and hosts: no client's business */
        refuse(ret, CODE_FENCED, retry_ms_of(trouble.retry_ns, RETRY_MS),
               "generator %s: %s%s%s: the daemon's log says why", name, why, colon, trouble.why);
    else if (needs_operator(id_request->code)) /* of state= */
        refuse(ret, CODE_TRYAGAIN, RETRY_MS, "generator %s: %s: the daemon's log says why", name, why);
    else
        refuse(ret, id_request->code == FRAZIL_EEXHAUSTED ? CODE_EXHAUSTED : CODE_ERR, 0, "generator %s: %s", name,
               why);
}
