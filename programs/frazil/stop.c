/* SPDX-License-Identifier: MIT */
#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>

#include "cli/cli.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNALS (sizeof signals / sizeof signals[0])

static volatile sig_atomic_t wanted; /* the signal that came; 0: none has */

/* The next signal ends the process: a coordinator that is silent, or a reader that does not read, must not hold it. */
static void on_signal(int number)
{
    wanted = number;
    fz_cli_end_waits(true);
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == on_signal)
            (void)signal(signals[i], SIG_DFL);
    }
}

void stop_watch(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = on_signal};
        (void)sigemptyset(&action.sa_mask);
        (void)sigaction(signals[i], &action, NULL);
    }
}

bool stop_wanted(void)
{
    return wanted != 0;
}

double stop_seconds_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void stop_sleep_until(double seconds)
{
    sigset_t watched, before;

    /* Blocked between the look and the sleep, so that a signal that comes just then ends the sleep. */
    (void)sigemptyset(&watched);
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaddset(&watched, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &watched, &before);
    for (double left; !stop_wanted() && (left = seconds - stop_seconds_now()) > 0;) {
        const double longest_s = 3600;
        left = left < longest_s ? left : longest_s;
        struct timespec pause = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        (void)pselect(0, NULL, NULL, NULL, &pause, &before);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

void stop_allow_waits(void)
{
    fz_cli_end_waits(false);
}

void stop_die(void)
{
    if (wanted == 0)
        return;
    (void)signal((int)wanted, SIG_DFL);
    (void)raise((int)wanted);
}
