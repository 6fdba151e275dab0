/* SPDX-License-Identifier: MIT */
/* Goal of this test: the log gets each new reason for a failure once, and the number of the lines that it has not got.
 */
#include "captured_log.h"
#include "lib/test.h"
#include "monitor.h"

static const char *why;

#pragma GCC visibility push(default)
void __wrap_frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure);
#pragma GCC visibility pop

/* A grant that is not extended, for this reason. */
void __wrap_frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure)
{
    (void)gen;
    (void)size;
    *ret = (frazil_health){.failures = 1, .last_code = FRAZIL_EUNREACHABLE};
    if (ret_failure != NULL)
        (void)snprintf(ret_failure->message, sizeof ret_failure->message, "%s", why);
}

/* Looks once for each of these reasons, and then ends; what the log has got, for the caller to free. */
static char *log_of(const char *const *reasons, size_t count)
{
    char gen; /* which nobody looks at */
    struct engine engine = {.gen = (frazil *)(void *)&gen, .name = "main"};
    struct generator row = {.engine = &engine, .name = "main"};
    const struct generators set = {&row, 1};
    struct monitor monitor = {0};
    struct captured_log log = capture_log();

    for (size_t i = 0; i < count; i++) {
        why = reasons[i];
        monitor_look(&monitor, &set);
    }
    monitor_end(&set);
    return captured(log);
}

TEST("A reason that differs only in its durations is no new one")
{
    static const char *const reasons[] = {"no answer within 134 ms", "no answer within 1 s",
                                          "no answer within 1 s 20 ms", "no answer within 12 min", "refused"};
    char *text = log_of(reasons, 5);

    assert_string_equal(text, "frazild: generator main: its grant could not be extended: no answer within 134 ms\n"
                              "frazild: generator main: its grant is still not extended: refused\n");
    free(text);
}

TEST("At the end the log says how many lines about a generator were left out")
{
    const char *reasons[150];

    for (size_t i = 0; i < 150; i++) /* at most 60 lines, where a minute or two end meanwhile */
        reasons[i] = i % 2 == 0 ? "refused" : "silent";
    char *text = log_of(reasons, 150);

    if (strstr(text, "lines about generator main were left out\n") == NULL)
        fail_msg("%s", text);
    free(text);
}
