/* SPDX-License-Identifier: MIT */
#include "daemon.h"

#include "clock.h"
#include "errands.h"
#include "log.h"
#include "loop.h"
#include "service.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define EXIT_OF_START 4
#define DRAIN_LOOK_NS (50 * NS_PER_MS)
#define RELEASE_LOOK_MS 5
#define CLOSE_TIME_NS (30 * NS_PER_S) /* to give all worker ids back */
#define STUCK_NS (10 * NS_PER_S)      /* a lane wakes up each second */

struct daemon {
    const char *path;
    struct listeners listeners;
    struct shared shared;
    struct loop *loops;
    unsigned count;
    sigset_t signals;
};

static unsigned threads_of(const struct settings *settings)
{
    cpu_set_t mine;
    unsigned most = 8;

    if (settings->daemon.threads > 0)
        return settings->daemon.threads;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return 1;
    unsigned processors = (unsigned)CPU_COUNT(&mine);
    return processors < most ? processors : most;
}

/* Signals come to the main thread alone, which waits for them. */
static void block_signals(struct daemon *daemon)
{
    (void)sigemptyset(&daemon->signals);
    (void)sigaddset(&daemon->signals, SIGTERM);
    (void)sigaddset(&daemon->signals, SIGINT);
    (void)sigaddset(&daemon->signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &daemon->signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

/* A connection is a descriptor: the soft limit is raised as far as the hard one allows. */
static void raise_files(const struct settings *settings)
{
    struct rlimit files;
    const rlim_t others = 256; /* generators, coordinators, loops */

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    rlim_t want = settings->daemon.max_connections + others;
    if (files.rlim_cur < want) {
        files.rlim_cur = files.rlim_max == RLIM_INFINITY || files.rlim_max > want ? want : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur < want)
        log_line(LOG_ALWAYS,
                 "only %llu descriptors are allowed, which are fewer than max_connections: raise "
                 "LimitNOFILE= or ulimit -n",
                 (unsigned long long)files.rlim_cur);
}

static void say_where(const struct daemon *daemon)
{
    const struct setup *setup = daemon->shared.setup;

    for (size_t i = 0; i < setup->generators.count; i++) {
        const struct engine *engine = setup->generators.rows[i].engine;
        for (frazil_generator_info info; engine != NULL; engine = engine->next) {
            frazil_get_info(engine->gen, &info, sizeof info);
            log_line(LOG_ALWAYS, "generator %s: layout %s, worker %" PRIu32, engine->name, engine->layout.name,
                     info.worker);
        }
    }
    for (size_t i = 0; i < daemon->listeners.count; i++) {
        const struct listener *row = &daemon->listeners.rows[i];
        const char *port = strrchr(row->text, ':');
        log_line(LOG_ALWAYS, "listening: %s %s", settings_protocol(row->protocol), row->text);
        if (setup->settings.built_in && row->protocol == PROTOCOL_RESP)
            log_line(LOG_ALWAYS, "try: redis-cli -p %s NEXT", port + 1);
        if (setup->settings.built_in && row->protocol == PROTOCOL_HTTP)
            log_line(LOG_ALWAYS, "try: curl -H X-Requested-With:curl http://%s/v1/generators/main/ids", row->text);
    }
    log_line(LOG_ALWAYS, "frazild %s is ready", frazil_version());
}

/* Each line of the errors as a line of the log. */
static void log_errors(struct bytes *errors)
{
    bytes_add(errors, "", 1);
    char *line = errors->failed ? NULL : errors->at;

    if (errors->failed)
        log_line(LOG_ALWAYS, "out of memory");
    while (line != NULL && *line != '\0') {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        log_line(LOG_ALWAYS, "%s", line);
        line = end != NULL ? end + 1 : NULL;
    }
    bytes_free(errors);
}

static bool start_loops(struct daemon *daemon)
{
    unsigned want = threads_of(&daemon->shared.setup->settings);

    daemon->loops = calloc(want, sizeof *daemon->loops);
    if (daemon->loops == NULL)
        return false;
    while (daemon->count < want) {
        if (!loop_start(&daemon->loops[daemon->count], &daemon->shared)) {
            log_line(LOG_ALWAYS, "a thread cannot be started: %s", strerror(errno));
            return false;
        }
        daemon->count++;
    }
    return true;
}

static bool start(struct daemon *daemon)
{
    struct bytes errors = {0};

    (void)pthread_mutex_init(&daemon->shared.lock, NULL);
    daemon->shared.listeners = &daemon->listeners;
    daemon->shared.setup = setup_make(daemon->path, NULL, &errors);
    if (daemon->shared.setup != NULL) {
        raise_files(&daemon->shared.setup->settings);
        listeners_open(&daemon->listeners, &daemon->shared.setup->settings, &errors);
    }
    if (!config_is_good(&errors) || daemon->shared.setup == NULL) {
        log_errors(&errors);
        return false;
    }
    daemon->shared.errands = errands_start();
    return daemon->shared.errands != NULL && start_loops(daemon);
}

static void wake_all(struct daemon *daemon)
{
    for (unsigned i = 0; i < daemon->count; i++)
        loop_wake(&daemon->loops[i]);
}

/* Waits for one of our signals; 0 after wait_ns. */
static int next_signal(const struct daemon *daemon, uint64_t wait_ns)
{
    struct timespec wait = {(time_t)(wait_ns / NS_PER_S), (long)(wait_ns % NS_PER_S)};
    int number = sigtimedwait(&daemon->signals, NULL, &wait);

    return number > 0 ? number : 0;
}

static void note_setup(struct shared *shared)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    atomic_store(&shared->read_unix_s, now.tv_sec);
}

/* Has all lanes go over to a new setup; the old one is released here, as giving a worker id back may take seconds. */
static void go_over(struct daemon *daemon, struct setup *now)
{
    struct setup *before = daemon->shared.setup;

    (void)pthread_mutex_lock(&daemon->shared.lock);
    daemon->shared.setup = now;
    (void)pthread_mutex_unlock(&daemon->shared.lock);
    wake_all(daemon);
    while (atomic_load(&before->holders) > 1)
        (void)poll(NULL, 0, RELEASE_LOOK_MS);
    setup_release(before);
}

/* Reads the configuration anew, and keeps the old one if it has mistakes. */
static void reload(struct daemon *daemon)
{
    struct bytes errors = {0};

    service_tell_reloading();
    struct setup *now = setup_make(daemon->path, daemon->shared.setup, &errors);
    atomic_store(&daemon->shared.keeps_old, now == NULL);
    if (now != NULL) {
        go_over(daemon, now);
        note_setup(&daemon->shared);
        log_line(LOG_ALWAYS, "SIGHUP: the configuration was read: %zu generators, %zu users", now->generators.count,
                 now->users.count);
    } else {
        log_errors(&errors);
        log_line(LOG_ALWAYS, "SIGHUP: the configuration stays as it was");
    }
    service_tell("READY=1");
}

/* Drains: a second SIGTERM or SIGINT cuts what is left. */
static void drain(struct daemon *daemon, int why)
{
    const struct daemon_settings *settings = &daemon->shared.setup->settings.daemon;
    uint64_t delay_ns = why == SIGINT ? 0 : settings->drain_delay_ns;
    uint64_t end_ns;

    atomic_store(&daemon->shared.leaving, true); /* before anybody is told */
    service_tell_stopping(delay_ns + settings->drain_timeout_ns + CLOSE_TIME_NS);
    log_line(LOG_ALWAYS, "%s: draining", why == SIGINT ? "SIGINT" : "SIGTERM");
    end_ns = clock_ns() + delay_ns;
    while (clock_ns() < end_ns) {
        int number = next_signal(daemon, end_ns - clock_ns());
        if (number == SIGTERM || number == SIGINT)
            break;
    }
    atomic_store(&daemon->shared.draining, true);
    wake_all(daemon);
    end_ns = clock_ns() + settings->drain_timeout_ns;
    /* Not for the connections alone: a loop that was not woken yet has not taken those whom the system has let in. */
    while (atomic_load(&daemon->shared.running) > 0 && clock_ns() < end_ns) {
        int number = next_signal(daemon, DRAIN_LOOK_NS);
        if (number == SIGTERM || number == SIGINT)
            break;
    }
    unsigned left = atomic_load(&daemon->shared.connections);
    if (left > 0)
        log_line(LOG_ALWAYS, "%u connections are cut", left);
}

static void stop(struct daemon *daemon)
{
    atomic_store(&daemon->shared.cutting, true);
    wake_all(daemon);
    for (unsigned i = 0; i < daemon->count; i++)
        loop_join(&daemon->loops[i]);
    errands_stop(daemon->shared.errands);
    listeners_close(&daemon->listeners);
    if (daemon->shared.setup != NULL)
        setup_release(daemon->shared.setup); /* gives the worker ids back */
    free(daemon->loops);
}

/* Tells the manager of services that all lanes are alive, or lets it find out that one is not. */
static void tell_watchdog(const struct daemon *daemon)
{
    uint64_t now_ns = clock_ns();

    for (unsigned i = 0; i < daemon->shared.lane_count; i++) {
        if (now_ns > atomic_load_explicit(&daemon->shared.lanes[i]->seen_ns, memory_order_relaxed) + STUCK_NS)
            return;
    }
    service_tell("WATCHDOG=1");
}

/* Serves until SIGTERM or SIGINT, which it returns. */
static int serve(struct daemon *daemon)
{
    uint64_t watchdog_ns = service_watchdog_ns();
    uint64_t wait_ns = watchdog_ns > 0 && watchdog_ns / 2 < WATCH_NS ? watchdog_ns / 2 : WATCH_NS;
    struct watch watch = {0};

    for (;;) {
        watch_look(&watch, &daemon->shared.setup->generators);
        int number = next_signal(daemon, wait_ns);
        if (number == SIGTERM || number == SIGINT)
            return number;
        if (number == SIGHUP)
            reload(daemon);
        if (watchdog_ns > 0)
            tell_watchdog(daemon);
    }
}

int daemon_run(const char *path)
{
    struct daemon daemon = {.path = path};

    block_signals(&daemon);
    if (!start(&daemon)) {
        stop(&daemon);
        return EXIT_OF_START;
    }
    note_setup(&daemon.shared);
    say_where(&daemon);
    service_tell("READY=1");
    drain(&daemon, serve(&daemon));
    stop(&daemon);
    log_line(LOG_ALWAYS, "stopped");
    return EXIT_SUCCESS;
}
