/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include "clock.h"
#include "info.h"
#include "log.h"
#include "trouble.h"

#include <inttypes.h>
#include <time.h>

#define STEP_NS                                                                                                        \
    INT64_C(250000000) /* a clock that is slewed moves by less than a thousandth of a second each second               \
                        */

static void log_trouble(const struct engine *engine, const frazil_health *health)
{
    char until[FRAZIL_TIME_SIZE] = "";
    struct trouble trouble;

    trouble_find(engine, &trouble);
    bool is_known = trouble.retry_ns > 0 &&
                    frazil_time_format(trouble_end_unix_ms(&trouble), until, sizeof until, NULL) == FRAZIL_OK;
    log_line(LOG_GRANT, "generator %s: worker %" PRIu32 " is %s: %s%s%s", engine->name, health->worker,
             info_health_name(health->state), trouble.why, is_known ? "; this can change at " : "", until);
}

static void info_of_engine(struct engine *engine)
{
    frazil_health health;
    frazil_error why = {.message = "no reason is known"};

    engine_health(engine, &health, &why);
    if (health.failures > 0 && engine->seen_failures == 0)
        log_line(LOG_GRANT, "generator %s: %s: %s", engine->name,
                 engine->errands != NULL ? "its coordinator gives no ids" : "its grant could not be extended",
                 why.message);
    else if (health.failures == 0 && engine->seen_failures > 0 && engine->errands == NULL)
        log_line(LOG_GRANT, "generator %s: the grant of worker %" PRIu32 " is extended again", engine->name,
                 health.worker);
    if (health.state != engine->seen_state && health.state == FRAZIL_HEALTH_SERVING)
        log_line(LOG_GRANT, "generator %s: worker %" PRIu32 " issues ids again", engine->name, health.worker);
    else if (health.state != engine->seen_state)
        log_trouble(engine, &health);
    engine->seen_failures = health.failures;
    engine->seen_state = health.state;
}

static void look_at_clock(struct monitor *monitor)
{
    struct timespec wall;

    (void)clock_gettime(CLOCK_REALTIME, &wall);
    int64_t offset_ns = (int64_t)wall.tv_sec * (int64_t)NS_PER_S + wall.tv_nsec - (int64_t)clock_ns();
    int64_t step_ns = monitor->has_looked ? offset_ns - monitor->offset_ns : 0;
    if (step_ns >= STEP_NS || step_ns <= -STEP_NS)
        log_line(LOG_GRANT, "the clock was set %s by %" PRId64 " ms", step_ns > 0 ? "forward" : "back",
                 (step_ns > 0 ? step_ns : -step_ns) / (int64_t)NS_PER_MS);
    monitor->offset_ns = offset_ns;
    monitor->has_looked = true;
}

void monitor_look(struct monitor *monitor, const struct generators *set)
{
    look_at_clock(monitor);
    for (size_t i = 0; i < set->count; i++) {
        for (struct engine *engine = set->rows[i].engine; engine != NULL; engine = engine->next)
            info_of_engine(engine);
    }
}
