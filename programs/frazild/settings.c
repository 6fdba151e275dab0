/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include "default_worker.h"
#include "files.h"
#include "settings_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A key of one of our sections. */
struct key {
    const char *name;
    size_t offset;
    const struct value_kind *kind;
    const char *usual; /* the value of a key that is not given */
};

#define KEY_OF(type, name, member, kind, usual) {#name, offsetof(struct type, member), &value_##kind, usual},
#define DAEMON_KEY(section, name, member, kind, usual, help) KEY_OF(daemon_settings, name, member, kind, usual)
#define LISTEN_KEY(section, name, member, kind, usual, help) KEY_OF(listen_settings, name, member, kind, usual)
#define GENERATOR_KEY(section, name, member, kind, usual, help) KEY_OF(generator_settings, name, member, kind, usual)
#define USER_KEY(section, name, member, kind, usual, help) KEY_OF(user_settings, name, member, kind, usual)

static const struct key daemon_keys[] = {DAEMON_KEYS(DAEMON_KEY){0}};
static const struct key listen_keys[] = {LISTEN_KEYS(LISTEN_KEY){0}};
static const struct key generator_keys[] = {GENERATOR_KEYS(GENERATOR_KEY){0}};
static const struct key user_keys[] = {USER_KEYS(USER_KEY){0}};

static const char *const protocols[PROTOCOL_COUNT] = {"resp", "resps", "http", "https"};

/* Serves without a configuration file, so that a first try needs none. */
static const char built_in[] = "[daemon]\ndrain_delay=0s\n[listen resp]\naddress=127.0.0.1:6380\n"
                               "[listen http]\naddress=127.0.0.1:6381\n[generator main]\n";

const char *settings_protocol(enum protocol protocol)
{
    return protocols[protocol];
}

enum protocol settings_protocol_of(struct slice name)
{
    enum protocol protocol = PROTOCOL_RESP;

    while (protocol < PROTOCOL_COUNT && !slice_equals(name, slice_of(protocols[protocol])))
        protocol++;
    return protocol;
}

bool protocol_has_tls(enum protocol protocol)
{
    return protocol == PROTOCOL_RESPS || protocol == PROTOCOL_HTTPS;
}

bool protocol_is_http(enum protocol protocol)
{
    return protocol == PROTOCOL_HTTP || protocol == PROTOCOL_HTTPS;
}

bool settings_is_name(struct slice text)
{
    if (text.len == 0 || text.len > NAME_MAX_LEN || text.at[0] < 'a' || text.at[0] > 'z')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-')
            return false;
    }
    return true;
}

static void set_defaults(const struct key *keys, void *to)
{
    for (; keys->name != NULL; keys++)
        (void)keys->kind->read(keys->usual, (char *)to + keys->offset);
}

static const struct key *find_key(const struct key *keys, const char *name)
{
    while (keys->name != NULL && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name != NULL ? keys : NULL;
}

/* Whether a name is a key but for one letter, or for two that changed places. */
static bool is_slip_of(const char *name, const char *key)
{
    size_t a = strlen(name), b = strlen(key), same = 0;

    while (same < a && same < b && name[same] == key[same])
        same++;
    while (a > same && b > same && name[a - 1] == key[b - 1]) {
        a--;
        b--;
    }
    if (a - same == 2 && b - same == 2)
        return name[same] == key[same + 1] && name[same + 1] == key[same];
    return a - same <= 1 && b - same <= 1;
}

/* The key of the table that was meant by a name; NULL: none. */
static const struct key *meant_key(const struct key *keys, const char *name)
{
    while (keys->name != NULL && !is_slip_of(name, keys->name))
        keys++;
    return keys->name != NULL ? keys : NULL;
}

static void add_names(const struct key *keys, struct bytes *out)
{
    for (; keys->name != NULL; keys++)
        bytes_format(out, " %s", keys->name);
    bytes_add(out, "", 1);
}

/* Sets a key of the table; false if the table has none of that name. */
static bool set_key(const struct key *keys, const struct config_row *row, void *to, struct bytes *errors)
{
    const struct key *key = find_key(keys, row->key);

    if (key == NULL)
        return false;
    if (row->value[0] != '\0' && !key->kind->read(row->value, (char *)to + key->offset))
        config_complain(errors, row->place, "the key %s takes %s", row->key, key->kind->form);
    return true;
}

static void set_keys(const struct key *keys, const struct config_section *section, void *to, struct bytes *errors)
{
    for (size_t i = 0; i < section->count; i++) {
        if (set_key(keys, &section->rows[i], to, errors))
            continue;
        struct bytes names = {0};
        add_names(keys, &names);
        config_complain(errors, section->rows[i].place, "there is no key %s in [%s]; it has%s", section->rows[i].key,
                        section->kind, names.failed ? " others" : names.at);
        bytes_free(&names);
    }
}

/* The array with room for one more, which is all zeros.  NULL: there is no memory, and it is as before. */
static void *one_more(void *array, size_t count, size_t size, struct bytes *errors)
{
    char *ret = realloc(array, (count + 1) * size);

    if (ret == NULL)
        return config_memory(NULL, errors);
    memset(ret + count * size, 0, size);
    return ret;
}

static void check_tls(const struct config_section *section, const struct listen_settings *listen, bool is_tls,
                      struct bytes *errors)
{
    bool has_certificate = listen->tls_certificate[0] != '\0', has_key = listen->tls_key[0] != '\0';

    if (is_tls && (!has_certificate || !has_key))
        config_complain(errors, section->place, "[listen %s] needs tls_certificate= and tls_key=", section->name);
    if (!is_tls && (has_certificate || has_key || listen->tls_client_ca[0] != '\0'))
        config_complain(errors, section->place,
                        "tls_certificate=, tls_key= and tls_client_ca= are keys of [listen resps] and [listen https]");
}

/* Without a unix socket there is no mode, also none to print. */
static void check_mode(const struct config_section *section, struct listen_settings *listen, struct bytes *errors)
{
    const char *addresses = listen->addresses;
    struct slice address;

    while (slice_next_word(&addresses, &address)) {
        if (slice_skip(&address, "unix:"))
            return;
    }
    listen->mode = NO_MODE;
    for (size_t i = 0; i < section->count; i++) {
        if (strcmp(section->rows[i].key, "mode") == 0)
            config_complain(errors, section->rows[i].place,
                            "mode= is for unix sockets, and address= has none: leave it out, or add unix:PATH");
    }
}

static void read_listen(struct settings *settings, const struct config_section *section, struct bytes *errors)
{
    enum protocol protocol = settings_protocol_of(slice_of(section->name));

    if (protocol == PROTOCOL_COUNT) {
        config_complain(errors, section->place, "[listen %s]: resp, resps, http and https are the protocols",
                        section->name);
        return;
    }
    struct listen_settings *listen = &settings->listen[protocol];
    listen->given = true;
    listen->place = section->place;
    set_keys(listen_keys, section, listen, errors);
    if (!protocol_is_http(protocol) && listen->hosts[0] != '\0')
        config_complain(errors, section->place, "hosts= is a key of [listen http] and [listen https]");
    check_mode(section, listen, errors);
    check_tls(section, listen, protocol_has_tls(protocol), errors);
    if (listen->addresses[0] == '\0')
        config_complain(errors, section->place, "[listen %s] needs address=", section->name);
}

/* Where the library refuses a value, it offers some that check_others refuses. */
static const struct {
    const char *refusal, *own;
} narrower[] = {{"keeper='", "the key keeper takes thread or other"}, {"clock='", "the key clock takes real"}};

/* The library refuses a generator's spec. */
static void complain_of_spec(const struct generator_settings *generator, const frazil_error *err, struct bytes *errors)
{
    const char *message = err->message;

    for (size_t i = 0; i < sizeof narrower / sizeof narrower[0]; i++) {
        if (strncmp(err->message, narrower[i].refusal, strlen(narrower[i].refusal)) == 0)
            message = narrower[i].own;
    }
    config_complain(errors, generator->place, "[generator %s]: %s", generator->name, message);
}

/* flags: of frazil_options_text. */
static struct spec write_spec(const struct generator_settings *generator, uint32_t flags, struct bytes *errors)
{
    struct spec spec = {NULL};
    size_t len = 0;
    char none[1];
    frazil_error err;

    if (frazil_options_text(generator->options, flags, none, sizeof none, &len, &err) != FRAZIL_EBUFFER) {
        complain_of_spec(generator, &err, errors);
        return spec;
    }
    spec.text = config_memory(calloc(1, len + 1), errors);
    if (spec.text != NULL &&
        frazil_options_text(generator->options, flags, spec.text, len + 1, NULL, NULL) != FRAZIL_OK) {
        spec_free(&spec);
        (void)config_memory(NULL, errors); /* it was understood before */
    }
    return spec;
}

struct spec settings_spec(const struct generator_settings *generator, struct bytes *errors)
{
    return write_spec(generator, FRAZIL_OPTIONS_WITH_SECRETS, errors);
}

void spec_free(struct spec *spec)
{
    if (spec->text != NULL)
        explicit_bzero(spec->text, strlen(spec->text));
    free(spec->text);
    spec->text = NULL;
}

/* Whether it can be opened beside those that were read before it, as far as their specs alone tell. */
static void check_generator(const struct settings *settings, struct generator_settings *generator, struct bytes *errors)
{
    char name[sizeof "[generator ]" + NAME_MAX_LEN];
    struct spec spec = settings_spec(generator, errors);
    frazil_error err;

    if (spec.text == NULL)
        return;
    (void)snprintf(name, sizeof name, "[generator %s]", generator->name);
    generator->is_understood =
        settings->group == NULL ||
        frazil_admin_group_add(settings->group, name, spec.text, generator->worker_ids, &err) == FRAZIL_OK;
    if (!generator->is_understood)
        config_complain(errors, generator->place, "%s: %s", name, err.message);
    spec_free(&spec);
}

/* Reads all of the environment, and takes a default where no worker is named, as `frazil next` does. */
static void read_environment(struct generator_settings *generator, struct bytes *errors)
{
    frazil_error err;
    frazil_err code = frazil_options_environment(generator->options, FRAZIL_ENVIRONMENT_ALL, &err);

    if (code == FRAZIL_OK)
        code = default_worker_check(generator->options, &generator->assumes_worker, &err);
    generator->is_understood = code == FRAZIL_OK;
    if (code != FRAZIL_OK)
        complain_of_spec(generator, &err, errors);
}

static const char for_own_calls[] =
    "is for programs that extend the grant in their own calls: leave it out, and a thread of the daemon does "
    "(keeper=thread), or use keeper=other";

/* A value of a key that begins so is for other programs than a daemon. */
static const struct {
    const char *key, *begins, *advice;
} others[] = {
    /* It calls no hook, and without requests it would not extend what it is to be ready with. */
    {"keeper", "hook", for_own_calls},
    {"keeper", "inline", for_own_calls},
    /* Each start would serve the same ids. */
    {"clock", "frozen:", "is for tests that want the same ids each time: leave it out"},
};

static void check_others(struct generator_settings *generator, struct bytes *errors)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0] && generator->is_understood; i++) {
        char value[64] = "";
        (void)!frazil_options_get(generator->options, others[i].key, value, sizeof value, NULL, NULL);
        if (strncmp(value, others[i].begins, strlen(others[i].begins)) != 0)
            continue;
        generator->is_understood = false;
        config_complain(errors, generator->place, "[generator %s]: %s=%s %s", generator->name, others[i].key, value,
                        others[i].advice);
    }
}

void settings_look_at_host(const struct settings *settings, struct bytes *errors)
{
    frazil_error err;

    for (size_t i = 0; i < settings->generator_count; i++) {
        const struct generator_settings *generator = &settings->generators[i];
        if (!generator->is_understood || generator->is_in_use)
            continue;
        struct spec spec = settings_spec(generator, errors);
        if (spec.text == NULL)
            continue;
        frazil_err code = frazil_options_check(generator->options, &err);
        if (code == FRAZIL_OK)
            code = frazil_admin_state_check(spec.text, &err);
        if (code != FRAZIL_OK)
            config_complain(errors, generator->place, "[generator %s]: %s", generator->name, err.message);
        spec_free(&spec);
    }
}

/* The library refuses a value, or a key: it knows its own ones alone, of which it may offer one. */
static void complain_of_row(const struct config_row *row, const frazil_error *err, struct bytes *errors)
{
    const struct key *meant = meant_key(generator_keys, row->key);

    if (meant == NULL)
        config_complain(errors, row->place, "%s", err->message);
    else if (strchr(err->message, '?') != NULL)
        config_complain(errors, row->place, "%s Or %s?", err->message, meant->name);
    else
        config_complain(errors, row->place, "unknown key '%s': did you mean %s?", row->key, meant->name);
}

static void read_generator(struct settings *settings, const struct config_section *section, struct bytes *errors)
{
    frazil_error err;

    if (settings->generator_count == GENERATORS_MAX)
        config_complain(errors, section->place, "more than %d generators", GENERATORS_MAX);
    struct generator_settings *rows = one_more(settings->generators, settings->generator_count, sizeof *rows, errors);
    if (rows == NULL)
        return;
    settings->generators = rows;
    struct generator_settings *generator = &rows[settings->generator_count++];
    generator->name = section->name;
    generator->place = section->place;
    generator->from_environment = settings->built_in;
    set_defaults(generator_keys, generator);
    if (frazil_options_open(&generator->options, &err) != FRAZIL_OK) {
        config_complain(errors, section->place, "%s", err.message);
        return;
    }
    for (size_t i = 0; i < section->count; i++) {
        const struct config_row *row = &section->rows[i];
        if (set_key(generator_keys, row, generator, errors) || row->value[0] == '\0')
            continue;
        if (frazil_options_set(generator->options, row->key, row->value, strlen(row->value), &err) != FRAZIL_OK)
            complain_of_row(row, &err, errors);
    }
    if (generator->from_environment)
        read_environment(generator, errors);
    else
        check_generator(settings, generator, errors);
    check_others(generator, errors);
}

static void read_user(struct settings *settings, const struct config_section *section, struct bytes *errors)
{
    struct user_settings *rows = one_more(settings->users, settings->user_count, sizeof *rows, errors);

    if (rows == NULL)
        return;
    settings->users = rows;
    struct user_settings *user = &rows[settings->user_count++];
    user->name = section->name;
    user->place = section->place;
    set_defaults(user_keys, user);
    set_keys(user_keys, section, user, errors);
}

static void read_section(struct settings *settings, const struct config_section *section, struct bytes *errors)
{
    bool named = strcmp(section->kind, "generator") == 0 || strcmp(section->kind, "user") == 0;

    if (named && !settings_is_name(slice_of(section->name)))
        config_complain(errors, section->place, "[%s NAME]: a name is a small letter, then up to 63 of a-z0-9_.-",
                        section->kind);
    else if (strcmp(section->kind, "generator") == 0)
        read_generator(settings, section, errors);
    else if (strcmp(section->kind, "user") == 0)
        read_user(settings, section, errors);
    else if (strcmp(section->kind, "listen") == 0)
        read_listen(settings, section, errors);
    else if (strcmp(section->kind, "daemon") == 0 && section->name[0] != '\0')
        config_complain(errors, section->place, "[daemon %s]: [daemon] has no name", section->name);
    else if (strcmp(section->kind, "daemon") == 0)
        set_keys(daemon_keys, section, &settings->daemon, errors);
    else
        config_complain(
            errors, section->place,
            "there is no section [%s]; there are [daemon], [listen PROTOCOL], [generator NAME], [user NAME]",
            section->kind);
}

static void read_sections(struct settings *settings, struct bytes *errors)
{
    frazil_error err;

    if (frazil_admin_group_open(&settings->group, &err) != FRAZIL_OK)
        (void)config_memory(NULL, errors);
    for (size_t i = 0; i < settings->file.count; i++)
        read_section(settings, &settings->file.sections[i], errors);
    frazil_admin_group_close(settings->group);
    settings->group = NULL;
}

void settings_read(struct settings *settings, const char *path, struct bytes *errors)
{
    *settings =
        (struct settings){.built_in = path == NULL && file_is_absent(DEFAULT_FILE) && file_is_absent(DEFAULT_FOLDER)};
    set_defaults(daemon_keys, &settings->daemon);
    for (int i = 0; i < PROTOCOL_COUNT; i++)
        set_defaults(listen_keys, &settings->listen[i]);
    if (settings->built_in)
        config_file_read_text(&settings->file, "(no configuration)", built_in, errors);
    else
        config_file_read(&settings->file, path != NULL ? path : DEFAULT_FILE, errors);
    read_sections(settings, errors);
    struct place file = {path != NULL ? path : DEFAULT_FILE, 0};
    if (config_is_good(errors) && settings->generator_count == 0)
        config_complain(errors, file, "there is no [generator NAME]: at least one is needed");
    bool listens = false;
    for (int i = 0; i < PROTOCOL_COUNT; i++)
        listens |= settings->listen[i].given;
    if (config_is_good(errors) && !listens)
        config_complain(errors, file, "there is no [listen PROTOCOL]: at least one is needed");
}

bool settings_have_generator(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->generator_count; i++) {
        if (strcmp(settings->generators[i].name, name) == 0)
            return true;
    }
    return false;
}

static void print_keys(const struct key *keys, const void *from, struct bytes *out)
{
    for (; keys->name != NULL; keys++) {
        size_t before = out->len;
        bytes_format(out, "%s=", keys->name);
        size_t value = out->len;
        keys->kind->write((const char *)from + keys->offset, out);
        if (out->len == value)
            out->len = before; /* a text that was not given */
        else
            bytes_add_text(out, "\n");
    }
}

/* The spec as the library understands it, a key a line; blanks in '...' do not separate. */
static void print_spec(const struct generator_settings *generator, struct bytes *out)
{
    struct bytes errors = {0};
    bool quoted_part = false;

    if (generator->from_environment) {
        bytes_add_text(out, "# the rest is what `frazil next` would use\n");
        return;
    }
    struct spec spec = write_spec(generator, 0, &errors);
    out->failed |= spec.text == NULL; /* it was understood before */
    bytes_free(&errors);
    for (const char *at = spec.text != NULL ? spec.text : ""; *at != '\0'; at++) {
        if (*at == '\'') {
            quoted_part = !quoted_part;
            continue;
        }
        if (quoted_part && *at == '\\')
            at++;
        bytes_add(out, *at == ' ' && !quoted_part ? "\n" : at, 1);
    }
    spec_free(&spec);
    bytes_add_text(out, "\n");
}

void settings_print(const struct settings *settings, struct bytes *out)
{
    bytes_add_text(out, "[daemon]\n");
    print_keys(daemon_keys, &settings->daemon, out);
    for (int i = 0; i < PROTOCOL_COUNT; i++) {
        if (settings->listen[i].given) {
            bytes_format(out, "\n[listen %s]\n", protocols[i]);
            print_keys(listen_keys, &settings->listen[i], out);
        }
    }
    for (size_t i = 0; i < settings->generator_count; i++) {
        bytes_format(out, "\n[generator %s]\n", settings->generators[i].name);
        print_keys(generator_keys, &settings->generators[i], out);
        print_spec(&settings->generators[i], out);
    }
    for (size_t i = 0; i < settings->user_count; i++) {
        bytes_format(out, "\n[user %s]\n", settings->users[i].name);
        print_keys(user_keys, &settings->users[i], out);
    }
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->generator_count; i++)
        frazil_options_close(settings->generators[i].options);
    free(settings->generators);
    free(settings->users);
    config_file_free(&settings->file);
    *settings = (struct settings){0};
}
