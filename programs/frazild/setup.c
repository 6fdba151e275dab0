/* SPDX-License-Identifier: MIT */
#include "setup.h"

#include "addresses.h"
#include "files.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_WAIT_NS UINT64_C(5000000000) /* for a coordinator to take a worker id back */

static void check_listeners(const struct setup *setup, struct bytes *errors)
{
    for (enum protocol protocol = PROTOCOL_RESP; protocol < PROTOCOL_COUNT; protocol++) {
        const struct listen_settings *row = &setup->settings.listen[protocol];
        if (row->given && (setup->is_reached[protocol] || !addresses_are_local(row->addresses)))
            (void)addresses_check_reach(&setup->settings, protocol, errors);
    }
}

static void open_tls(struct tls *rows[PROTOCOL_COUNT], const struct settings *settings, struct bytes *errors)
{
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++)
        rows[protocol] = tls_open(&settings->listen[protocol], errors);
}

static void close_tls(struct tls *const rows[PROTOCOL_COUNT])
{
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++)
        tls_release(rows[protocol]);
}

static void complain_of_change(const struct place place, const char *what, struct bytes *errors)
{
    config_complain(errors, place, "%s changed, which needs a restart", what);
}

/* Sockets and threads stay as they are for a daemon's life. */
static void check_changes(const char *path, const struct settings *settings, const struct settings *before,
                          struct bytes *errors)
{
    const struct place file = {path != NULL ? path : DEFAULT_FILE, 0};

    if (settings->daemon.threads != before->daemon.threads ||
        settings->daemon.max_connections != before->daemon.max_connections)
        complain_of_change(file, "[daemon]: threads= or max_connections=", errors);
    for (int protocol = 0; protocol < PROTOCOL_COUNT; protocol++) {
        const struct listen_settings *now = &settings->listen[protocol], *then = &before->listen[protocol];
        if (now->given != then->given || (now->given && strcmp(now->addresses, then->addresses) != 0))
            complain_of_change(now->given ? now->place : file, "the addresses to listen on", errors);
        else if (now->mode != then->mode)
            complain_of_change(now->place, "mode=", errors);
    }
}

static void free_setup(struct setup *setup, uint64_t wait_ns)
{
    generators_close(&setup->generators, wait_ns < CLOSE_WAIT_NS ? wait_ns : CLOSE_WAIT_NS);
    close_tls(setup->tls);
    users_close(&setup->users);
    bytes_free(&setup->warnings);
    page_release(setup->page);
    settings_free(&setup->settings);
    free(setup);
}

/* A page that is named must be there; the installed one may not be. */
static void read_page(struct setup *setup, struct bytes *errors)
{
    const struct settings *settings = &setup->settings;
    const struct place file = {settings->file.name_count > 0 ? settings->file.names[0] : DEFAULT_FILE, 0};
    const bool is_named = settings->daemon.page[0] != '\0';
    const char *path = is_named ? settings->daemon.page : FRAZIL_PAGE;
    const char *why = NULL;

    if (is_named || !file_is_absent(path))
        setup->page = page_read(path, &why);

    if (why != NULL)
        config_complain(errors, file, "page=%s cannot be read: %s", path, why);
}

/*
 * Reads a setup and looks at all of it; only its generators are not opened.  With one before it, its sockets are open
 * already.  Where a file could not be read, nothing more is said: what else seems wrong may stand in that file.
 */
static struct setup *read_setup(const char *path, const struct setup *before, struct bytes *errors)
{
    struct setup *setup = config_memory(calloc(1, sizeof *setup), errors);

    if (setup == NULL)
        return NULL;
    atomic_init(&setup->holders, 1);
    if (path == NULL && before != NULL && !before->settings.built_in)
        path = DEFAULT_FILE; /* it was there: a daemon that had users does not go on without any because it is gone */
    settings_read(&setup->settings, path, errors);
    if (setup->settings.file.is_unread)
        return setup;
    generators_check_keys(&setup->settings, errors);
    generators_check_urls(&setup->settings, before != NULL ? &before->generators : NULL, errors);
    users_open(&setup->users, &setup->settings, errors);
    open_tls(setup->tls, &setup->settings, errors);
    if (before != NULL)
        memcpy(setup->is_reached, before->is_reached, sizeof setup->is_reached);
    check_listeners(setup, errors);
    settings_look_at_host(&setup->settings, errors);
    if (before == NULL) /* else they are in use, whatever became of the folders of their sockets */
        addresses_check(&setup->settings, errors);
    read_page(setup, errors);
    if (config_is_good(errors)) {
        generators_look_at_layouts(&setup->settings, &setup->warnings);
        users_look_at_rules(&setup->settings, &setup->warnings);
    }
    return setup;
}

bool setup_check(const char *path, struct bytes *out, struct bytes *warnings, struct bytes *errors)
{
    struct setup *setup = read_setup(path, NULL, errors);
    bool good = setup != NULL && config_is_good(errors);

    if (good) {
        settings_print(&setup->settings, out);
        *warnings = setup->warnings;
        setup->warnings = (struct bytes){0};
    }
    if (setup != NULL)
        free_setup(setup, 0);
    return good;
}

/* A reload fills no bucket: those that stay have what was left. */
static void keep_rates(struct setup *setup, const struct setup *before)
{
    for (size_t i = 0; i < setup->generators.count; i++) {
        struct generator *now = &setup->generators.rows[i];
        struct generator *then = generators_find(&before->generators, slice_of(now->name));
        if (then != NULL)
            atomic_store(&now->rate.full_ns, atomic_load(&then->rate.full_ns));
    }
    for (size_t i = 0; i < setup->users.count; i++) {
        struct user *now = &setup->users.rows[i];
        struct user *then = users_find(&before->users, slice_of(now->name));
        if (then != NULL)
            atomic_store(&now->rate.full_ns, atomic_load(&then->rate.full_ns));
    }
}

struct setup *setup_make(const char *path, const struct setup *before, struct opening *opening, struct bytes *errors)
{
    struct setup *setup = read_setup(path, before, errors);

    if (setup == NULL)
        return NULL;
    if (before != NULL && config_is_good(errors)) /* else a wrong value is not there, and would seem to have changed */
        check_changes(path, &setup->settings, &before->settings, errors);
    if (config_is_good(errors))
        opening_generators(opening, &setup->generators, &setup->settings, before != NULL ? &before->generators : NULL,
                           errors);
    if (config_is_good(errors)) {
        if (before != NULL)
            keep_rates(setup, before);
        setup_log_errors(&setup->warnings);
        return setup;
    }
    free_setup(setup, CLOSE_WAIT_NS);
    return NULL;
}

void setup_log_errors(struct bytes *errors)
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

void setup_hold(struct setup *setup)
{
    (void)atomic_fetch_add(&setup->holders, 1);
}

void setup_release_within(struct setup *setup, uint64_t wait_ns)
{
    if (atomic_fetch_sub(&setup->holders, 1) == 1)
        free_setup(setup, wait_ns);
}

void setup_release(struct setup *setup)
{
    setup_release_within(setup, CLOSE_WAIT_NS);
}
