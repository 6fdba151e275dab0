/* SPDX-License-Identifier: MIT */
/* The commands about the daemon, and those that it has to refuse. */
#include "commands.h"
#include "metrics.h"
#include "resp_write.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The ten fields that it has since Redis 7.0, in its order; the last four are empty lists. */
static void write_command(const struct command *row, struct bytes *out)
{
    bool fixed = row->least == row->most;
    size_t len = strlen(row->name);
    char name[16];

    slice_lower((struct slice){row->name, len}, name);
    resp_array(out, 10);
    resp_bulk(out, name, len);
    if (fixed)
        resp_integer(out, row->least);
    else
        bytes_format(out, ":-%zu\r\n", row->least);
    resp_array(out, 1);
    resp_status(out, "fast");
    bool key = (row->flags & COMMAND_KEY) != 0;
    for (int i = 0; i < 3; i++)
        resp_integer(out, key ? 1 : 0);
    for (int i = 0; i < 4; i++) /* ACL categories, tips, key specifications, subcommands */
        resp_array(out, 0);
}

static void write_docs(const struct command *row, int version, struct bytes *out)
{
    resp_text(out, row->name);
    resp_map(out, version, 3);
    resp_text(out, "summary");
    resp_text(out, row->help);
    resp_text(out, "arguments_text");
    resp_text(out, row->arguments);
    resp_text(out, "group");
    resp_text(out, row->verb == VERB_NONE ? "connection" : "ids");
}

static size_t visible_commands(void)
{
    size_t visible = 0;

    for (const struct command *row = commands; row->name != NULL; row++)
        visible += (row->flags & COMMAND_HIDDEN) == 0;
    return visible;
}

/* The command that clients may know of; NULL: there is none, or it is hidden. */
static const struct command *find_visible(struct slice name)
{
    const struct command *row = commands_find(name);

    return row != NULL && (row->flags & COMMAND_HIDDEN) == 0 ? row : NULL;
}

static void command_list(struct bytes *out)
{
    resp_array(out, visible_commands());
    for (const struct command *row = commands; row->name != NULL; row++) {
        if ((row->flags & COMMAND_HIDDEN) == 0)
            resp_text(out, row->name);
    }
}

static void command_info(const struct resp_command *words, struct session *session, struct bytes *out)
{
    resp_array(out, words->count - 2);
    for (size_t i = 2; i < words->count; i++) {
        const struct command *row = find_visible(words->args[i]);
        if (row != NULL)
            write_command(row, out);
        else
            resp_null(out, session->version);
    }
}

static void command_docs(const struct resp_command *words, struct session *session, struct bytes *out)
{
    size_t known = 0;

    for (size_t i = 2; i < words->count; i++)
        known += find_visible(words->args[i]) != NULL;
    resp_map(out, session->version, words->count > 2 ? known : visible_commands());
    for (const struct command *row = commands; row->name != NULL && words->count == 2; row++) {
        if ((row->flags & COMMAND_HIDDEN) == 0)
            write_docs(row, session->version, out);
    }
    for (size_t i = 2; i < words->count; i++) {
        const struct command *row = find_visible(words->args[i]);
        if (row != NULL)
            write_docs(row, session->version, out);
    }
}

/* COMMAND [COUNT | LIST | DOCS [name...] | INFO [name...]] */
void cmd_command(struct session *session, struct call *call)
{
    const struct resp_command *words = call->words;
    struct slice part = words->count > 1 ? words->args[1] : (struct slice){"", 0};

    if (slice_is(part, "COUNT")) {
        resp_integer(call->out, visible_commands());
    } else if (slice_is(part, "LIST")) {
        command_list(call->out);
    } else if (slice_is(part, "DOCS")) {
        command_docs(words, session, call->out);
    } else if (slice_is(part, "INFO") && words->count > 2) {
        command_info(words, session, call->out);
    } else if (part.len == 0 || slice_is(part, "INFO")) {
        resp_array(call->out, visible_commands());
        for (const struct command *row = commands; row->name != NULL; row++) {
            if ((row->flags & COMMAND_HIDDEN) == 0)
                write_command(row, call->out);
        }
    } else {
        command_fail(session, call, CODE_ERR, "unknown subcommand of COMMAND: there are COUNT, LIST, DOCS and INFO");
    }
}

/* ioredis waits for loading:0; others look at redis_version. */
void cmd_info(struct session *session, struct call *call)
{
    struct timespec now;
    struct bytes text = {0};
    uint64_t memory = metrics_resident_bytes();

    (void)clock_gettime(CLOCK_REALTIME, &now);
    bytes_format(&text,
                 "# Server\r\nredis_version:" REDIS_VERSION
                 "\r\nredis_mode:standalone\r\nserver_name:frazild\r\nfrazil_version:%s\r\n"
                 "process_id:%ld\r\nuptime_in_seconds:%" PRId64 "\r\n\r\n# Clients\r\nconnected_clients:%u\r\n"
                 "maxclients:%u\r\n\r\n# Memory\r\nused_memory:%" PRIu64 "\r\nused_memory_rss:%" PRIu64
                 "\r\n\r\n# Persistence\r\nloading:0\r\n\r\n"
                 "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n"
                 "# Generators\r\n",
                 frazil_version(), (long)getpid(), (int64_t)now.tv_sec - session->event_thread->started_unix_s,
                 atomic_load(session->event_thread->connections),
                 (unsigned)session->event_thread->setup->settings.daemon.max_connections, memory, memory);
    for (size_t i = 0; i < session->event_thread->setup->generators.count; i++) {
        const struct generator *generator = &session->event_thread->setup->generators.rows[i];
        if (users_may(session_user(session), VERB_STATS, slice_of(generator->name)))
            bytes_format(&text, "generator_%s:ids=%" PRIu64 ",waiting=%" PRIu64 "\r\n", generator->name,
                         generator_ids(generator), generator_waiting(generator));
    }
    resp_bytes(call->out, &text);
}

void cmd_config(struct session *session, struct call *call)
{
    if (slice_is(call->words->args[1], "GET") && call->words->count > 2)
        resp_map(call->out, session->version, 0);
    else
        command_fail(session, call, CODE_ERR, "CONFIG GET is empty; the configuration is a file, see frazild.conf(5)");
}

void cmd_time(struct session *session, struct call *call)
{
    struct timespec now;

    (void)session;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t parts[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec / 1000};
    resp_array(call->out, 2);
    resp_digits(call->out, parts, 2);
}

void cmd_readonly(struct session *session, struct call *call)
{
    (void)session;
    resp_status(call->out, "OK");
}

void cmd_role(struct session *session, struct call *call)
{
    (void)session;
    resp_array(call->out, 3);
    resp_text(call->out, "master");
    resp_integer(call->out, 0);
    resp_array(call->out, 0);
}

void cmd_dbsize(struct session *session, struct call *call)
{
    (void)session;
    resp_integer(call->out, 0);
}

void cmd_refused(struct session *session, struct call *call)
{
    command_fail(session, call, CODE_ERR, "%s: this is frazild, which serves ids and stores no data: %s",
                 call->row->name, call->row->help);
}

/* A browser was made to send a request here: nothing behind it is to run. */
void cmd_http(struct session *session, struct call *call)
{
    (void)call;
    session_break(session, "it speaks HTTP, and this is the Redis protocol");
}
