/* SPDX-License-Identifier: MIT */
#include "daemon.h"

#include "clock.h"
#include "drain_times.h"
#include "lease_thread.h"
#include "log.h"
#include "loop.h"
#include "monitor.h"
#include "opening.h"
#include "reload.h"
#include "service.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXIT_OF_START 4
#define DRAIN_LOOK_NS (50 * NS_PER_MS)
#define LATE_NS (30 * NS_PER_S)  /* that a busy host may take beyond drain_timeout */
#define FAILED_NS (1 * NS_PER_S) /* for the end of a daemon that could not start */
#define SILENT_NS (2 * NS_PER_S) /* a longer wait is logged */

struct daemon {
    const char *path;
    struct listeners listeners;
    struct server server;
    struct loop *loops;
    unsigned count;
    struct reloader *reloader;
    sigset_t signals;
    sigset_t ends; /* but for SIGHUP */
    pthread_t main;
    atomic_bool in_background; /* a thread does what may wait for others */
    atomic_bool is_cut;        /* a thread is in the middle of something, and will never go on */
    struct opening opening;    /* of the start */
    struct bytes errors;
    struct drain_times times;
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

/* Signals come to the main thread alone, which waits for them.  SIGUSR1 is our own: what was done in the background is
 * over. */
static void block_signals(struct daemon *daemon)
{
    (void)sigemptyset(&daemon->signals);
    (void)sigaddset(&daemon->signals, SIGTERM);
    (void)sigaddset(&daemon->signals, SIGINT);
    (void)sigaddset(&daemon->signals, SIGUSR1);
    daemon->ends = daemon->signals;
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
    const struct setup *setup = daemon->server.setup;

    for (size_t i = 0; i < setup->generators.count; i++) {
        const struct engine *engine = setup->generators.rows[i].engine;
        for (frazil_info info; engine != NULL; engine = engine->next) {
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

static bool start_loops(struct daemon *daemon)
{
    unsigned want = threads_of(&daemon->server.setup->settings);

    daemon->loops = calloc(want, sizeof *daemon->loops);
    if (daemon->loops == NULL)
        return false;
    while (daemon->count < want) {
        if (!loop_open(&daemon->loops[daemon->count++], &daemon->server)) /* counted all the same: it holds the setup */
            return false;
    }
    for (unsigned i = 0; i < want; i++) {
        if (!loop_start(&daemon->loops[i]))
            return false;
    }
    return true;
}

static bool is_end(int number)
{
    return number == SIGTERM || number == SIGINT;
}

/* Waits for one of these signals; 0 after wait_ns. */
static int next_signal(const sigset_t *signals, uint64_t wait_ns)
{
    struct timespec wait = {(time_t)(wait_ns / NS_PER_S), (long)(wait_ns % NS_PER_S)};
    int number = sigtimedwait(signals, NULL, &wait);

    return number > 0 ? number : 0;
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/*
 * Has a thread do what may wait for coordinators or name servers, and waits for it until a moment, or until SIGTERM or
 * SIGINT.  The log gets `waits` if that takes long.  False: it is not over.
 */
static bool run_in_background(struct daemon *daemon, void *(*work)(void *), const char *waits, uint64_t end_ns)
{
    uint64_t silent_ns = clock_ns() + SILENT_NS;
    pthread_t thread;
    int number = 0;

    atomic_store(&daemon->in_background, true);
    if (pthread_create(&thread, NULL, work, daemon) != 0) {
        (void)work(daemon); /* without a thread it keeps this one busy, deaf to signals */
        return true;
    }
    while (atomic_load(&daemon->in_background)) {
        uint64_t now_ns = clock_ns();
        if (now_ns >= silent_ns) {
            log_line(LOG_ALWAYS, "%s", waits);
            silent_ns = UINT64_MAX;
        }
        number = now_ns < end_ns ? next_signal(&daemon->ends, earlier(end_ns, silent_ns) - now_ns) : SIGTERM;
        if (is_end(number) && atomic_load(&daemon->in_background))
            return false;
    }
    /* It came just as the work was over, and was taken from the queue: it is still to be heard, by serve or drain. */
    if (is_end(number))
        (void)pthread_kill(daemon->main, number);
    return pthread_join(thread, NULL) == 0;
}

/* Each background thread ends with this, which wakes the main thread. */
static void *end_background(struct daemon *daemon)
{
    atomic_store(&daemon->in_background, false);
    (void)pthread_kill(daemon->main, SIGUSR1);
    return NULL;
}

/* Reads the configuration, and opens the generators. */
static void *read_configuration(void *arg)
{
    struct daemon *daemon = arg;

    daemon->server.setup = setup_make(daemon->path, NULL, &daemon->opening, &daemon->errors);
    return end_background(daemon);
}

static void *open_listeners(void *arg)
{
    struct daemon *daemon = arg;
    struct setup *setup = daemon->server.setup;

    raise_files(&setup->settings);
    listeners_open(&daemon->listeners, &setup->settings, &daemon->errors);
    memcpy(setup->is_reached, daemon->listeners.is_reached, sizeof setup->is_reached);
    return end_background(daemon);
}

/* A thread is in the middle of something and reads the settings: nothing can be freed. */
static void end_early(void)
{
    log_line(LOG_ALWAYS, "ended before it was ready");
    _exit(EXIT_SUCCESS);
}

/* Those of the generators that are open, when others are waited for no longer. */
static void give_worker_ids_back(struct daemon *daemon)
{
    const uint64_t end_ns = clock_ns() + FAILED_NS;

    /* A thread that is in the middle of something is about to wait, or to be over. */
    while (!opening_give_up(&daemon->opening, FAILED_NS) && atomic_load(&daemon->in_background) && clock_ns() < end_ns)
        (void)poll(NULL, 0, 1);
}

static bool start(struct daemon *daemon)
{
    struct bytes *errors = &daemon->errors;

    (void)pthread_mutex_init(&daemon->server.lock, NULL);
    daemon->server.listeners = &daemon->listeners;
    if (!run_in_background(daemon, read_configuration,
                           "not ready yet: waiting for a coordinator, a free worker id or a name server", UINT64_MAX)) {
        give_worker_ids_back(daemon);
        end_early();
    }
    if (daemon->server.setup != NULL &&
        !run_in_background(daemon, open_listeners, "not ready yet: waiting for a name server", UINT64_MAX)) {
        /* All generators are open, and that thread does not use them. */
        generators_close(&daemon->server.setup->generators, FAILED_NS); /* gives the worker ids back */
        end_early();
    }
    if (!config_is_good(errors) || daemon->server.setup == NULL) {
        setup_log_errors(errors);
        return false;
    }
    daemon->server.lease_threads = lease_threads_start();
    daemon->reloader = daemon->server.lease_threads != NULL ? reloader_start(daemon->path, &daemon->server) : NULL;
    if (daemon->reloader != NULL && start_loops(daemon))
        return true;
    log_line(
        LOG_ALWAYS,
        "a thread cannot be started: %s: raise the limits on threads, memory and descriptors (TasksMax=, MemoryMax=, "
        "LimitNOFILE=; ulimit -u, -v, -n), or set a smaller threads=",
        strerror(errno));
    return false;
}

/* Whether SIGTERM or SIGINT comes within that time, or within a second: after that the manager is told again. */
static bool is_ended_within(const struct daemon *daemon, uint64_t wait_ns)
{
    service_tell_again();
    int number = next_signal(&daemon->ends, wait_ns < MONITOR_NS ? wait_ns : MONITOR_NS);
    return is_end(number);
}

/* Drains: another SIGTERM or SIGINT ends the delay, and one after that cuts what is left. */
static void drain(struct daemon *daemon, int why)
{
    struct setup *setup = server_hold_setup(&daemon->server);
    uint64_t delay_ns = why == SIGINT ? 0 : setup->settings.daemon.drain_delay_ns;
    uint64_t timeout_ns = setup->settings.daemon.drain_timeout_ns;
    uint64_t end_ns = clock_ns() + delay_ns;

    atomic_store(&daemon->server.leaving, true); /* before anybody is told */
    service_tell_stopping(delay_ns + timeout_ns + LATE_NS);
    log_line(LOG_ALWAYS, "%s: draining", why == SIGINT ? "SIGINT" : "SIGTERM");
    monitor_end(&setup->generators);
    setup_release(setup); /* the reloader has it, too, and waits for us */
    uint64_t now_ns = clock_ns();
    while (now_ns < end_ns && !is_ended_within(daemon, end_ns - now_ns))
        now_ns = clock_ns();
    atomic_store(&daemon->server.draining, true);
    server_wake_event_threads(&daemon->server);
    daemon->times = drain_times_of(clock_ns(), timeout_ns);
    /* Not for the connections alone: a loop that was not woken yet has not taken those whom the system has let in. */
    while (atomic_load(&daemon->server.running) > 0 && clock_ns() < daemon->times.cut_ns) {
        if (is_ended_within(daemon, DRAIN_LOOK_NS))
            drain_times_cut(&daemon->times, clock_ns());
    }
    unsigned left = atomic_load(&daemon->server.connections);
    if (left > 0)
        log_line(LOG_ALWAYS, "%u connection%s cut", left, left == 1 ? " is" : "s are");
}

/* All that may wait for coordinators at the end.  Leases that a client asked for come last: nobody will read them. */
static void *close_all(void *arg)
{
    struct daemon *daemon = arg;
    const struct drain_times *times = &daemon->times;

    atomic_store(&daemon->is_cut,
                 !reloader_stop(daemon->reloader, times->cut_ns, (times->closed_ns - times->cut_ns) / 2));
    uint64_t now_ns = clock_ns();
    if (daemon->server.setup != NULL) /* gives the worker ids back */
        setup_release_within(daemon->server.setup, times->closed_ns > now_ns ? times->closed_ns - now_ns : 0);
    lease_threads_stop(daemon->server.lease_threads);
    return end_background(daemon);
}

/* Frees everything, as far as no coordinator is waited for at the end of the time; then the process ends here. */
static void stop(struct daemon *daemon, int status)
{
    atomic_store(&daemon->server.cutting, true);
    server_wake_event_threads(&daemon->server);
    for (unsigned i = 0; i < daemon->count; i++)
        loop_join(&daemon->loops[i]);
    listeners_close(&daemon->listeners);
    bool is_closed = run_in_background(daemon, close_all, "waiting for coordinators, which take worker ids back",
                                       daemon->times.end_ns);
    log_left_out(true);
    if (!is_closed || atomic_load(&daemon->is_cut)) {
        log_line(LOG_ALWAYS,
                 "requests that still waited for a coordinator were cut: a worker id may be free only when its grant "
                 "has ended");
        _exit(status); /* threads are in the middle of something: nothing can be freed */
    }
    for (unsigned i = 0; i < daemon->count; i++) /* after the reloader, which wakes them */
        loop_close(&daemon->loops[i]);
    free(daemon->loops);
}

/* Serves until SIGTERM or SIGINT, which it returns. */
static int serve(struct daemon *daemon)
{
    uint64_t watchdog_ns = service_watchdog_ns();
    uint64_t wait_ns = watchdog_ns > 0 && watchdog_ns / 2 < MONITOR_NS ? watchdog_ns / 2 : MONITOR_NS;
    struct monitor monitor = {0};

    for (;;) {
        struct setup *setup = server_hold_setup(&daemon->server);
        monitor_look(&monitor, &setup->generators);
        setup_release(setup); /* the reloader has it, too, and waits for us */
        listeners_look_at_paths(&daemon->listeners);
        service_tell_again();
        int number = next_signal(&daemon->signals, wait_ns);
        if (is_end(number))
            return number;
        if (number == SIGHUP)
            reloader_ask(daemon->reloader);
        if (watchdog_ns > 0 && server_is_alive(&daemon->server)) /* else the manager finds out */
            service_tell_alive();
    }
}

int daemon_run(const char *path)
{
    struct daemon daemon = {.path = path, .main = pthread_self()};

    block_signals(&daemon);
    if (!start(&daemon)) {
        daemon.times = drain_times_of(clock_ns(), FAILED_NS);
        stop(&daemon, EXIT_OF_START);
        return EXIT_OF_START;
    }
    server_note_setup(&daemon.server);
    say_where(&daemon);
    service_tell_ready();
    drain(&daemon, serve(&daemon));
    stop(&daemon, EXIT_SUCCESS);
    log_line(LOG_ALWAYS, "stopped");
    return EXIT_SUCCESS;
}
