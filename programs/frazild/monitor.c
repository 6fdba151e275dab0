/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include "clock.h"
#include "info.h"
#include "log.h"
#include "trouble.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define STEP_NS                                                                                                        \
    INT64_C(250000000) /* a clock that is slewed moves by less than a thousandth of a second each second               \
                        */

#define AGAIN_NS (600 * NS_PER_S) /* a reason that lasts is told so often */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the text behind a number and behind its unit of time, if it has one. */
static const char *after_number(const char *text)
{
    static const char *const units[] = {" d", " h", " min", " s", " ms", " us"};

    while (is_digit(*text))
        text++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t len = strlen(units[i]);
        if (strncmp(text, units[i], len) != 0 || (text[len] >= 'a' && text[len] <= 'z'))
            continue;
        text += len;
        return text[0] == ' ' && is_digit(text[1]) ? text + 1 : text; /* "1 s 20 ms" is one duration */
    }
    return text;
}

/* A sentence as a number, but for its own numbers, such as how long an answer was waited for. */
static uint64_t number_of(const char *sentence)
{
    uint64_t number = 1;

    while (*sentence != '\0') {
        if (is_digit(*sentence))
            sentence = after_number(sentence);
        else
            number = number * 31 + (unsigned char)*sentence++;
    }
    return number;
}

static const char *what_fails(const struct engine *engine, bool is_first)
{
    if (engine->taker != NULL)
        return is_first ? "its coordinator gives no ids" : "its coordinator still gives no ids";
    return is_first ? "its grant could not be extended" : "its grant is still not extended";
}

static void look_at_failures(struct engine *engine, const frazil_health *health, const char *why)
{
    struct seen *seen = &engine->seen;
    uint64_t now_ns = clock_ns(), reason = number_of(why) + (uint64_t)health->last_code;
    bool is_first = health->failures > 0 && seen->failures == 0;
    bool is_other = health->failures > 0 && (reason != seen->reason || now_ns - seen->told_ns > AGAIN_NS);

    if (is_first || is_other) {
        log_event(&seen->limit, "generator %s: %s: %s", engine->name, what_fails(engine, is_first), why);
        seen->reason = reason;
        seen->told_ns = now_ns;
    } else if (health->failures == 0 && seen->failures > 0 && engine->taker == NULL) {
        log_event(&seen->limit, "generator %s: the grant of worker %" PRIu32 " is extended again", engine->name,
                  health->worker);
    }
    seen->failures = health->failures;
}

static void log_trouble(struct engine *engine, const frazil_health *health)
{
    char until[FRAZIL_TIME_SIZE] = "";
    struct trouble trouble;

    trouble_find(engine, &trouble);
    bool is_known = trouble.retry_ns > 0 &&
                    frazil_time_format(trouble_end_unix_ms(&trouble), until, sizeof until, NULL) == FRAZIL_OK;
    log_event(&engine->seen.limit, "generator %s: worker %" PRIu32 " is %s: %s%s%s", engine->name, health->worker,
              info_health_name(health->state), trouble.why, is_known ? "; this can change at " : "", until);
}

static void look_at_state(struct engine *engine, const frazil_health *health)
{
    struct seen *seen = &engine->seen;

    if (health->worker != seen->worker)
        log_event(&seen->limit, "generator %s: worker %" PRIu32 " is replaced by worker %" PRIu32, engine->name,
                  seen->worker, health->worker);
    if (health->state != seen->state && health->state == FRAZIL_HEALTH_SERVING)
        log_event(&seen->limit, "generator %s: worker %" PRIu32 " issues ids again", engine->name, health->worker);
    else if (health->state != seen->state)
        log_trouble(engine, health);
    seen->worker = health->worker;
    seen->state = health->state;
}

static void look_at_engine(struct engine *engine)
{
    frazil_health health;
    frazil_error why = {.message = "no reason is known"};

    engine_health(engine, &health, &why);
    look_at_failures(engine, &health, why.message);
    look_at_state(engine, &health);
    log_left_out_about(&engine->seen.limit, "generator", engine->name, false);
}

static void look_at_clock(struct monitor *monitor)
{
    struct timespec wall;

    (void)clock_gettime(CLOCK_REALTIME, &wall);
    int64_t offset_ns = (int64_t)wall.tv_sec * (int64_t)NS_PER_S + wall.tv_nsec - (int64_t)clock_ns();
    int64_t step_ns = monitor->has_looked ? offset_ns - monitor->offset_ns : 0;
    if (step_ns >= STEP_NS || step_ns <= -STEP_NS)
        log_line(LOG_CLOCK, "the clock was set %s by %" PRId64 " ms", step_ns > 0 ? "forward" : "back",
                 (step_ns > 0 ? step_ns : -step_ns) / (int64_t)NS_PER_MS);
    monitor->offset_ns = offset_ns;
    monitor->has_looked = true;
}

void monitor_look(struct monitor *monitor, const struct generators *set)
{
    look_at_clock(monitor);
    log_left_out(false);
    for (size_t i = 0; i < set->count; i++) {
        for (struct engine *engine = set->rows[i].engine; engine != NULL; engine = engine->next)
            look_at_engine(engine);
    }
}

void monitor_end(const struct generators *set)
{
    for (size_t i = 0; i < set->count; i++) {
        for (struct engine *engine = set->rows[i].engine; engine != NULL; engine = engine->next)
            log_left_out_about(&engine->seen.limit, "generator", engine->name, true);
    }
}
