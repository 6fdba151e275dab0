/* SPDX-License-Identifier: MIT */
#include "metrics.h"

#include "info.h"

#include <dirent.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* HELP and TYPE of a metric. */
static void head(struct bytes *out, const char *name, const char *type, const char *help)
{
    bytes_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The sum of a counter over all event threads; `at` is its place in struct counters. */
static uint64_t sum(const struct server *server, size_t at)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < server->event_thread_count; i++) {
        const char *counters = (const char *)&server->event_threads[i]->counters;
        total += atomic_load_explicit((const _Atomic uint64_t *)(const void *)(counters + at), memory_order_relaxed);
    }
    return total;
}

/* ---- requests -------------------------------------------------------------------------- */

static uint64_t calls_of(const struct server *server, enum protocol protocol, size_t row, size_t code)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < server->event_thread_count; i++)
        total +=
            atomic_load_explicit(&server->event_threads[i]->counters.calls[protocol][row][code], memory_order_relaxed);
    return total;
}

static void write_requests(const struct server *server, metrics_name_fn name_of, struct bytes *out)
{
    head(out, "frazild_requests_total", "counter", "Requests that were answered, by request and code.");
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++) {
        for (size_t i = 0; i < (size_t)COUNTED_COMMANDS * CODE_COUNT; i++) {
            size_t row = i / CODE_COUNT, code = i % CODE_COUNT;
            uint64_t calls = calls_of(server, (enum protocol)protocol, row, code);
            const char *name = name_of((enum protocol)protocol, row);
            if (calls > 0)
                bytes_format(out, "frazild_requests_total{protocol=\"%s\",request=\"%s\",code=\"%s\"} %" PRIu64 "\n",
                             settings_protocol((enum protocol)protocol), name != NULL ? name : "unknown",
                             reply_code_text((enum reply_code)code), calls);
        }
    }
}

/* A histogram's buckets, whose bounds are `bounds` in units of 1/scale. */
struct histogram {
    const char *name;
    const uint64_t *bounds;
    size_t buckets; /* one more than there are bounds */
    double scale;
    size_t at; /* of the first bucket, in struct counters */
};

static void write_buckets(const struct server *server, const struct histogram *histogram, struct bytes *out)
{
    uint64_t total = 0;

    for (size_t i = 0; i < histogram->buckets; i++) {
        total += sum(server, histogram->at + i * sizeof(uint64_t));
        if (i + 1 < histogram->buckets)
            bytes_format(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", histogram->name,
                         (double)histogram->bounds[i] / histogram->scale, total);
    }
    bytes_format(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_count %" PRIu64 "\n", histogram->name, total,
                 histogram->name, total);
}

static void write_histograms(const struct server *server, struct bytes *out)
{
    static const uint64_t durations[] = DURATION_BOUNDS_US, sizes[] = BATCH_BOUNDS;
    static const struct histogram duration = {"frazild_request_duration_seconds", durations, DURATION_BUCKETS, 1e6,
                                              offsetof(struct counters, durations)};
    static const struct histogram batch = {"frazild_batch_ids", sizes, BATCH_BUCKETS, 1,
                                           offsetof(struct counters, batches)};

    head(out, duration.name, "histogram", "Time from a request for ids to its ids.");
    write_buckets(server, &duration, out);
    bytes_format(out, "%s_sum %.9f\n", duration.name,
                 (double)sum(server, offsetof(struct counters, duration_ns)) / 1e9);
    head(out, batch.name, "histogram", "Ids that a request asked for and got.");
    write_buckets(server, &batch, out);
    bytes_format(out, "%s_sum %" PRIu64 "\n", batch.name, sum(server, offsetof(struct counters, batch_ids)));
}

/* ---- connections ------------------------------------------------------------------------- */

/* A counter with its label. */
struct labelled {
    const char *label;
    size_t at; /* in struct counters */
};

static void write_labelled(const struct server *server, const char *name, const char *label,
                           const struct labelled *rows, size_t count_of_rows, struct bytes *out)
{
    for (size_t i = 0; i < count_of_rows; i++)
        bytes_format(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, rows[i].label, sum(server, rows[i].at));
}

static void write_connections(const struct server *server, struct bytes *out)
{
    static const struct labelled refused[] = {{"max_connections", offsetof(struct counters, refused_full)},
                                              {"descriptors", offsetof(struct counters, refused_files)},
                                              {"memory", offsetof(struct counters, refused_memory)}};
    static const struct labelled cut[] = {{"stalled", offsetof(struct counters, cut_stalled)},
                                          {"slow", offsetof(struct counters, cut_slow)},
                                          {"broken", offsetof(struct counters, cut_broken)},
                                          {"idle", offsetof(struct counters, cut_idle)},
                                          {"revoked", offsetof(struct counters, cut_revoked)}};
    static const struct labelled bytes[] = {{"in", offsetof(struct counters, bytes_in)},
                                            {"out", offsetof(struct counters, bytes_out)}};

    head(out, "frazild_connections", "gauge", "Connections that are open.");
    bytes_format(out, "frazild_connections %u\n", atomic_load(&server->connections));
    head(out, "frazild_connections_accepted_total", "counter", "Connections that were accepted.");
    bytes_format(out, "frazild_connections_accepted_total %" PRIu64 "\n",
                 sum(server, offsetof(struct counters, accepted)));
    head(out, "frazild_connections_refused_total", "counter", "Connections that were refused, by missing resource.");
    write_labelled(server, "frazild_connections_refused_total", "reason", refused, 3, out);
    head(out, "frazild_connections_cut_total", "counter", "Connections that the daemon cut, by the reason.");
    write_labelled(server, "frazild_connections_cut_total", "reason", cut, 5, out);
    head(out, "frazild_bytes_total", "counter", "Bytes of requests and replies.");
    write_labelled(server, "frazild_bytes_total", "direction", bytes, 2, out);
    head(out, "frazild_draining", "gauge", "1 after SIGTERM.");
    bytes_format(out, "frazild_draining %d\n", atomic_load(&server->leaving) ? 1 : 0);
}

static void write_tls(const struct server *server, const struct setup *setup, struct bytes *out)
{
    static const struct labelled handshakes[] = {{"done", offsetof(struct counters, tls_handshakes)},
                                                 {"failed", offsetof(struct counters, tls_failures)}};

    head(out, "frazild_tls_handshakes_total", "counter", "TLS handshakes, by result.");
    write_labelled(server, "frazild_tls_handshakes_total", "result", handshakes, 2, out);
    head(out, "frazild_tls_certificate_end_timestamp_seconds", "gauge", "When a certificate of the listener expires.");
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++) {
        if (setup->tls[protocol] != NULL)
            bytes_format(out, "frazild_tls_certificate_end_timestamp_seconds{protocol=\"%s\"} %" PRId64 "\n",
                         settings_protocol((enum protocol)protocol), tls_end_unix_s(setup->tls[protocol]));
    }
}

/* ---- generators ---------------------------------------------------------------------------- */

/* A number of one of a generator's engines as it is now; false: it has none. */
struct gauge {
    const char *name;
    const char *help;
    bool (*read)(const struct engine *engine, double *ret);
};

static frazil_health health_of(const struct engine *engine)
{
    frazil_health health;

    engine_health(engine, &health, NULL);
    return health;
}

static bool read_worker(const struct engine *engine, double *ret)
{
    *ret = health_of(engine).worker;
    return true;
}

static bool read_serving(const struct engine *engine, double *ret)
{
    *ret = health_of(engine).state == FRAZIL_HEALTH_SERVING ? 1 : 0;
    return true;
}

static bool read_failures(const struct engine *engine, double *ret)
{
    *ret = engine->taker == NULL ? (double)health_of(engine).failures : 0; /* else they are of no grant */
    return true;
}

static bool read_grant_end(const struct engine *engine, double *ret)
{
    frazil_health health = health_of(engine);

    *ret = (double)health.grant_end_unix_ms / 1000;
    return health.needs_grant != 0;
}

static bool read_layout_end(const struct engine *engine, double *ret)
{
    frazil_layout_info info;

    frazil_layout_get_info(&engine->layout, &info, sizeof info);
    *ret = (double)info.last_unix_ms / 1000;
    return true;
}

static bool read_tick(const struct engine *engine, double *ret)
{
    *ret = (double)engine->layout.tick_ms / 1000;
    return true;
}

static bool read_waiting(const struct engine *engine, double *ret)
{
    *ret = (double)atomic_load(&engine->waiting);
    return true;
}

static const struct gauge gauges[] = {
    {"frazil_worker", "The worker id, for snos the partition.", read_worker},
    {"frazil_serving", "1: it serves ids, and more than a quarter of its grant is left.", read_serving},
    {"frazil_grant_failures", "Attempts to extend the grant that failed, in a row.", read_failures},
    {"frazil_grant_end_timestamp_seconds", "When the grant ends: no id is issued after it.", read_grant_end},
    {"frazil_layout_end_timestamp_seconds", "When the layout has no more ticks.", read_layout_end},
    {"frazil_tick_seconds", "How long a tick of the layout is.", read_tick},
    {"frazild_waiting_requests", "Requests that wait for ids.", read_waiting},
};

/* A line's name and labels; the engines of a generator that has several are numbered. */
static void write_name(const char *name, const struct generator *generator, unsigned nth, struct bytes *out)
{
    bytes_format(out, "%s{generator=\"%s\"", name, generator->name);
    if (generator->engine->next != NULL)
        bytes_format(out, ",nth=\"%u\"", nth);
    bytes_add_text(out, "} ");
}

static void write_gauge(const struct gauge *gauge, const struct generator *generator, struct bytes *out)
{
    unsigned nth = 0;
    double value;

    for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next, nth++) {
        if (!gauge->read(engine, &value))
            continue;
        write_name(gauge->name, generator, nth, out);
        bytes_format(out, "%.3f\n", value);
    }
}

/* The next generator from *at on that the user may see, and moves behind it; NULL: there is none. */
static const struct generator *next_seen(const struct metrics_view *view, size_t *at)
{
    const struct generators *set = &view->setup->generators;

    while (*at < set->count) {
        const struct generator *generator = &set->rows[(*at)++];
        if (users_may(view->user, VERB_STATS, slice_of(generator->name)))
            return generator;
    }
    return NULL;
}

/* The statistics of an engine at one moment. */
struct look {
    size_t count;
    frazil_stat stats[FRAZIL_STATS_MOST];
};

/* A look at each engine that the user may see, in their order, for the caller to free.  NULL: there is none, or no
 * memory. */
static struct look *look_at_engines(const struct metrics_view *view, struct bytes *out)
{
    const struct generator *generator;
    struct look *looks = NULL;
    size_t count = 0;

    for (size_t at = 0; (generator = next_seen(view, &at)) != NULL;) {
        for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next) {
            struct look *more = realloc(looks, (count + 1) * sizeof *looks);
            if (more == NULL) {
                free(looks);
                out->failed = true;
                return NULL;
            }
            looks = more;
            looks[count].count = frazil_get_stats(engine->gen, looks[count].stats, FRAZIL_STATS_MOST);
            count++;
        }
    }
    return looks;
}

/* A metric's lines stand together, so the looks come before all lines. */
static void write_statistics(const struct metrics_view *view, struct bytes *out)
{
    struct look *looks = look_at_engines(view, out);
    const struct generator *generator;

    for (size_t i = 0; looks != NULL && i < looks->count; i++) {
        const struct look *look = looks;
        char name[64];
        (void)snprintf(name, sizeof name, "frazil_%s", looks->stats[i].name);
        bytes_format(out, "# HELP %s The statistic of that name, see frazil_get_stats(3).\n# TYPE %s untyped\n", name,
                     name);
        for (size_t at = 0; (generator = next_seen(view, &at)) != NULL;) {
            unsigned nth = 0;
            for (const struct engine *engine = generator->engine; engine != NULL; engine = engine->next, look++) {
                write_name(name, generator, nth++, out);
                bytes_format(out, "%" PRIu64 "\n", look->stats[i].value);
            }
        }
    }
    free(looks);
}

static void write_generators(const struct metrics_view *view, struct bytes *out)
{
    const struct generator *generator;

    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++) {
        head(out, gauges[i].name, "gauge", gauges[i].help);
        for (size_t at = 0; (generator = next_seen(view, &at)) != NULL;)
            write_gauge(&gauges[i], generator, out);
    }
    head(out, "frazild_ids_total", "counter", "Ids that clients of this daemon got.");
    for (size_t at = 0; (generator = next_seen(view, &at)) != NULL;)
        bytes_format(out, "frazild_ids_total{generator=\"%s\"} %" PRIu64 "\n", generator->name,
                     generator_ids(generator));
    write_statistics(view, out);
}

/* ---- the process ------------------------------------------------------------------------------ */

static unsigned open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned files = 0;

    if (folder == NULL)
        return 0;
    while (readdir(folder) != NULL)
        files++;
    (void)closedir(folder);
    return files > 3 ? files - 3 : 0; /* ".", ".." and the folder itself */
}

uint64_t metrics_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    char line[128] = "", *end;

    if (file == NULL)
        return 0;
    bool good = fgets(line, sizeof line, file) != NULL;
    (void)fclose(file);
    (void)strtoull(line, &end, 10); /* the first number is all of its addresses */
    return good ? strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void write_process(const struct server *server, struct bytes *out)
{
    struct rusage usage = {0};
    struct rlimit files = {0};

    (void)getrusage(RUSAGE_SELF, &usage);
    (void)getrlimit(RLIMIT_NOFILE, &files);
    head(out, "frazild_build_info", "gauge", "1, with the version as a label.");
    bytes_format(out, "frazild_build_info{version=\"%s\"} 1\n", frazil_version());
    head(out, "frazild_config_last_reload_successful", "gauge",
         "0: the last SIGHUP found errors, and the old configuration stays.");
    bytes_format(out, "frazild_config_last_reload_successful %d\n", atomic_load(&server->keeps_old) ? 0 : 1);
    head(out, "frazild_config_last_reload_success_timestamp_seconds", "gauge", "When the configuration was read.");
    bytes_format(out, "frazild_config_last_reload_success_timestamp_seconds %" PRId64 "\n",
                 atomic_load(&server->read_unix_s));
    head(out, "process_start_time_seconds", "gauge", "When the process started.");
    bytes_format(out, "process_start_time_seconds %" PRId64 "\n", server->event_threads[0]->started_unix_s);
    head(out, "process_cpu_seconds_total", "counter", "CPU time that the process used.");
    bytes_format(out, "process_cpu_seconds_total %.6f\n",
                 (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    head(out, "process_resident_memory_bytes", "gauge", "Resident memory of the process.");
    bytes_format(out, "process_resident_memory_bytes %" PRIu64 "\n", metrics_resident_bytes());
    head(out, "process_open_fds", "gauge", "Open file descriptors of the process.");
    bytes_format(out, "process_open_fds %u\n", open_files());
    head(out, "process_max_fds", "gauge", "Limit on open file descriptors.");
    bytes_format(out, "process_max_fds %" PRIu64 "\n", (uint64_t)files.rlim_cur);
}

void metrics_write(const struct metrics_view *view, struct bytes *out)
{
    write_generators(view, out);
    if (!users_may(view->user, VERB_STATS, slice_of("*")))
        return; /* the rest tells of all generators */
    write_requests(view->server, view->name_of, out);
    write_histograms(view->server, out);
    write_connections(view->server, out);
    write_tls(view->server, view->setup, out);
    write_process(view->server, out);
}
