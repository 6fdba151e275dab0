/* SPDX-License-Identifier: MIT */
/* frazil.generators: each generator's settings become options of the library. */
#include "frazil_pg.h"

#include <ctype.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "miscadmin.h"
#include "utils/builtins.h"

/* Whether the path leads into the data directory once links are followed.  Its end may not exist yet. */
static bool is_in_data_directory(const char *path)
{
    char *data = realpath(DataDir, NULL);
    char *begin = pstrdup(path);
    char *real = realpath(begin, NULL);
    char *slash;

    while (real == NULL && errno == ENOENT && (slash = strrchr(begin, '/')) != NULL && slash > begin) {
        *slash = '\0';
        real = realpath(begin, NULL);
    }
    size_t len = data != NULL ? strlen(data) : 0;
    bool is_in =
        data != NULL && real != NULL && strncmp(real, data, len) == 0 && (real[len] == '/' || real[len] == '\0');
    free(data);
    free(real);
    pfree(begin);
    return is_in;
}

static const char STATE_DIR_HINT[] = "Set frazil.state_dir to a directory that the server owns, outside the data "
                                     "directory.";

/* The first of the variables that is set; NULL: none is. */
static const char *first_set(const char *const variables[])
{
    for (; *variables != NULL; variables++) {
        const char *path = getenv(*variables);
        if (path != NULL && *path != '\0')
            return *variables;
    }
    return NULL;
}

/* Said of a directory that must not be copied together with the data directory. */
static void check_outside(const char *setting, const char *said_by, const char *path)
{
    if (is_in_data_directory(path))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s%s%s lies inside the data directory", setting,
                               said_by == NULL ? "" : " is not set, and ", said_by == NULL ? "" : said_by),
                        errhint("Set %s to a directory outside: a base backup would copy it, and two servers would "
                                "continue from one state.",
                                setting)));
}

/* Without a setting the library goes by the first of the variables that is set. */
static void check_directory(const char *setting, const char *path, const char *const variables[])
{
    const char *variable = first_set(variables);

    if (path != NULL && *path != '\0')
        check_outside(setting, NULL, path);
    else if (variable != NULL)
        check_outside(setting, variable, getenv(variable));
}

/*
 * The state directory below the home of the server's account, for a server that was started without a variable that
 * names one, as pg_ctlcluster and systemd do.  It is the one that the library takes where HOME is set.
 */
static const char *state_dir_of_account(void)
{
    static const char *const PARTS[] = {"/.local", "/state", "/frazil"};
    static char path[MAXPGPATH];
    const struct passwd *account = getpwuid(geteuid());

    if (account == NULL || account->pw_dir == NULL || account->pw_dir[0] != '/')
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("frazil.state_dir is not set, and the account of the server has no home"),
                        errhint("%s", STATE_DIR_HINT)));
    check_outside("frazil.state_dir", "the home of the server's account", account->pw_dir);
    strlcpy(path, account->pw_dir, sizeof path);
    for (size_t i = 0; i < lengthof(PARTS); i++) {
        strlcat(path, PARTS[i], sizeof path);
        if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
            ereport(ERROR, (errcode_for_file_access(),
                            errmsg("frazil.state_dir is not set, and could not make the directory \"%s\": %m", path),
                            errhint("%s", STATE_DIR_HINT)));
    }
    return path;
}

/* The state directory to tell the library, checked; NULL: it finds its default, or needs none. */
static const char *state_dir(frazil_pg_source source)
{
    static const char *const VARIABLES[] = {"STATE_DIRECTORY", "XDG_STATE_HOME", "HOME", NULL};

    check_directory("frazil.state_dir", frazil_pg_settings.state_dir, VARIABLES);
    if (frazil_pg_settings.state_dir != NULL && *frazil_pg_settings.state_dir != '\0')
        return frazil_pg_settings.state_dir;
    return first_set(VARIABLES) == NULL && source != FRAZIL_PG_COORDINATOR ? state_dir_of_account() : NULL;
}

/*
 * Of the generator "past".  The counters of frazil_at are this server's alone, so no other one may share its words:
 * with another run directory it is refused.
 */
static const char *run_dir_of_past(void)
{
    static char path[MAXPGPATH];

    snprintf(path, sizeof path, "%s/frazil.past", DataDir);
    if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not make the directory \"%s\": %m", path)));
    return path;
}

/* Likewise the run directory. */
static const char *run_dir(void)
{
    static const char *const VARIABLES[] = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", NULL};

    check_directory("frazil.run_dir", frazil_pg_settings.run_dir, VARIABLES);
    return frazil_pg_settings.run_dir != NULL && *frazil_pg_settings.run_dir != '\0' ? frazil_pg_settings.run_dir
                                                                                     : NULL;
}

/* A generator in frazil.generators. */
struct entry {
    const char *name;
    size_t name_len;
    const char *spec;
    size_t spec_len;
};

/* Reads the entry at *text, and moves it behind that; false: there is none.  Text without a colon is passed over. */
static bool next_entry(const char **text, struct entry *ret)
{
    const char *c = *text;

    while (c != NULL && *c != '\0') {
        const char *end = c + strcspn(c, ";");
        const char *colon = memchr(c, ':', (size_t)(end - c));
        while (isspace((unsigned char)*c))
            c++;
        size_t len = colon != NULL && colon > c ? (size_t)(colon - c) : 0;
        while (len > 0 && isspace((unsigned char)c[len - 1]))
            len--;
        *ret = (struct entry){.name = c, .name_len = len};
        c = *text = *end == ';' ? end + 1 : end;
        if (colon == NULL)
            continue;
        ret->spec = colon + 1;
        ret->spec_len = (size_t)(end - colon - 1);
        return true;
    }
    return false;
}

/* Where the spec of that generator is in frazil.generators; NULL: nowhere.  An ERROR if it is there twice. */
static const char *find_generator(const char *name, size_t *ret_len)
{
    const char *text = frazil_pg_settings.generators;
    const char *spec = NULL;
    struct entry entry;

    while (next_entry(&text, &entry)) {
        if (entry.name_len != strlen(name) || strncmp(entry.name, name, entry.name_len) != 0)
            continue;
        if (spec != NULL)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("frazil.generators has the generator \"%s\" twice", name),
                            errhint("Give each generator a name of its own.")));
        spec = entry.spec;
        *ret_len = entry.spec_len;
    }
    return spec;
}

bool frazil_pg_generator_name(int place, char ret[NAMEDATALEN])
{
    const char *text = frazil_pg_settings.generators;
    struct entry entry;

    do {
        if (!next_entry(&text, &entry))
            return false;
    } while (place-- > 0);
    snprintf(ret, NAMEDATALEN, "%.*s", (int)entry.name_len, entry.name);
    return true;
}

static void set(frazil_options *options, const char *key, const char *value)
{
    frazil_error err;
    frazil_err code = frazil_options_set(options, key, value, strlen(value), &err);

    if (code != FRAZIL_OK) {
        frazil_options_close(options);
        frazil_pg_fail(code, &err);
    }
}

/* Whether a key can be shown: what is no word may be a part of a URL with a password. */
static bool is_word(const char *key, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)key[i]) && key[i] != '_')
            return false;
    }
    return true;
}

/* Keys that the spec of a generator may have: what ids look like.  Where the server runs is said by other settings. */
static void check_keys(const char *name, const char *spec, size_t len)
{
    static const char *const LOOKS[] = {"layout",   "epoch", "tick",    "behaviour", "on_full",          "on_backward",
                                        "max_lead", "start", "seq_min", "seq_max",   "allow_short_life", "namespace"};
    const char *end = spec + len;

    for (const char *c = spec; c < end;) {
        while (c < end && isspace((unsigned char)*c))
            c++;
        const char *key = c;
        while (c < end && *c != '=' && !isspace((unsigned char)*c))
            c++;
        bool known = c == key;
        for (size_t i = 0; i < lengthof(LOOKS); i++)
            known |= strlen(LOOKS[i]) == (size_t)(c - key) && strncmp(LOOKS[i], key, (size_t)(c - key)) == 0;
        if (!known)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("frazil.generators: \"%.*s\" of generator \"%s\" is not one of its keys",
                                   is_word(key, (size_t)(c - key)) ? (int)(c - key) : 3,
                                   is_word(key, (size_t)(c - key)) ? key : "...", name),
                            errhint("It takes layout, epoch, tick, behaviour, on_full, on_backward, max_lead, start, "
                                    "seq_min, seq_max, allow_short_life and namespace.")));
        bool quoted = false;
        while (c < end && (quoted || !isspace((unsigned char)*c)))
            quoted ^= *c++ == '\'';
    }
}

/* A lease is found by name in the run directory, and only the keeper asks the coordinator. */
static void set_lease(frazil_options *options, enum frazil_pg_role role)
{
    set(options, "share", "host");
    set(options, "keeper", role == FRAZIL_PG_KEEPER ? "thread" : "other");
    /* A backend waits at its latch instead. */
    set(options, "max_wait", role == FRAZIL_PG_KEEPER ? "1s" : "0");
    set(options, "open_wait", role == FRAZIL_PG_KEEPER ? "1s" : "250ms"); /* others may be in a guard */
}

/* Refuses numbers that only a later timeline would get: that one begins with a promotion, when ids are wanted most. */
static void check_last_of_timeline(frazil_options *options, const frazil_pg_worker *worker)
{
    frazil_error err;

    set(options, "worker", worker->last);
    if (frazil_options_check(options, &err) != FRAZIL_EWORKER)
        return;
    frazil_options_close(options);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("frazil: %s", err.message),
                    errhint("A later timeline has that number. Choose BASE and COUNT of frazil.worker so that "
                            "BASE + COUNT - 1 is one of the layout's.")));
}

/* Options of a spec of frazil.generators, with nothing from the environment. */
static frazil_err options_of_spec(const char *spec, size_t len, frazil_options **ret, frazil_error *err)
{
    frazil_err code = frazil_options_open(ret, err);

    if (code != FRAZIL_OK)
        return code;
    code = frazil_options_environment(*ret, FRAZIL_ENVIRONMENT_NONE, err);
    if (code == FRAZIL_OK)
        code = frazil_options_spec(*ret, spec, len, err);
    if (code != FRAZIL_OK)
        frazil_options_close(*ret);
    return code;
}

/* ---- generators that would make equal ids ---------------------------------------- */

/* The values of ids depend on this, and on the time. */
struct looks {
    frazil_layout layout;
    uint32 worker;
    uint64 seq_min;
    uint64 seq_max;
};

enum { VALUE_SIZE = 1024 }; /* of what a spec here can say: a layout, a number */

/* An error of frazil_options_check, if the options cannot be right.  Not for leases. */
static frazil_err look_at(const frazil_options *options, struct looks *ret, frazil_error *err)
{
    static const char *const KEYS[] = {"layout", "worker", "seq_min", "seq_max"};
    char value[lengthof(KEYS)][VALUE_SIZE];
    frazil_err code = FRAZIL_OK;

    for (size_t i = 0; i < lengthof(KEYS) && code == FRAZIL_OK; i++)
        code = frazil_options_get(options, KEYS[i], value[i], VALUE_SIZE, NULL, err);
    if (code != FRAZIL_OK)
        return code;
    *ret = (struct looks){.seq_min = strtoull(value[2], NULL, 10), .seq_max = strtoull(value[3], NULL, 10)};
    (void)sscanf(value[1], "fixed:%u", &ret->worker);
    return frazil_layout_parse(value[0], strlen(value[0]), &ret->layout, err);
}

/* Whether both may make the same id. */
static bool looks_meet(const struct looks *a, const struct looks *b)
{
    return frazil_layout_equal(&a->layout, &b->layout) && a->worker == b->worker && a->seq_min <= b->seq_max &&
           b->seq_min <= a->seq_max;
}

/*
 * Whether another generator would make the same ids; all databases of the server have the same ones.  One whose spec
 * cannot be right makes none.
 */
static bool find_same(const char *name, const struct looks *own, const frazil_pg_worker *worker, struct entry *ret)
{
    const char *text = frazil_pg_settings.generators;
    frazil_options *options;
    struct looks looks;
    bool meets = false;

    while (!meets && next_entry(&text, ret)) {
        if ((ret->name_len == strlen(name) && strncmp(ret->name, name, ret->name_len) == 0) ||
            options_of_spec(ret->spec, ret->spec_len, &options, NULL) != FRAZIL_OK)
            continue;
        meets = frazil_options_set(options, "worker", worker->text, strlen(worker->text), NULL) == FRAZIL_OK &&
                look_at(options, &looks, NULL) == FRAZIL_OK && looks_meet(own, &looks);
        frazil_options_close(options);
    }
    return meets;
}

/* Checks all that can be before an id is made, and finds the worker number.  Not for leases. */
static void check_looks(frazil_options *options, const char *name, frazil_pg_worker *worker)
{
    struct looks looks;
    struct entry same;
    frazil_error err;
    frazil_err code = look_at(options, &looks, &err);

    if (code == FRAZIL_OK && !find_same(name, &looks, worker, &same)) {
        worker->number = looks.worker;
        return;
    }
    frazil_options_close(options);
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("the generators \"%s\" and \"%.*s\" would make the same ids: their layouts are equal, and so "
                    "are their worker numbers",
                    name, (int)same.name_len, same.name),
             errhint("In frazil.generators, drop one of them, or give it another layout, or give both bounds "
                     "(seq_min, seq_max) that do not overlap.")));
}

/* The looks of ids of a spec, whatever their worker number; an error if the spec cannot be right. */
static frazil_err looks_of_spec(const char *spec, size_t len, struct looks *ret, frazil_error *err)
{
    static const char WORKER[] = "fixed:0"; /* which each layout has */
    frazil_options *options;
    frazil_err code = options_of_spec(spec, len, &options, err);

    if (code != FRAZIL_OK)
        return code;
    code = frazil_options_set(options, "worker", WORKER, strlen(WORKER), err);
    if (code == FRAZIL_OK)
        code = look_at(options, ret, err);
    frazil_options_close(options);
    return code;
}

/* The spec of that generator, whose keys may stand there. */
static const char *spec_of(const char *name, size_t *ret_len)
{
    const char *spec = find_generator(name, ret_len);

    if (spec == NULL)
        ereport(
            ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no generator \"%s\"", name),
             errhint("Name it in frazil.generators, before a colon, as in \"main: layout=frazil\"; the setting is now "
                     "\"%s\".",
                     frazil_pg_settings.generators == NULL ? "" : frazil_pg_settings.generators)));
    check_keys(name, spec, *ret_len);
    return spec;
}

frazil_layout frazil_pg_layout_of(const char *name)
{
    struct looks looks;
    frazil_error err;
    size_t len = 0;
    const char *spec = spec_of(name, &len);
    frazil_err code = looks_of_spec(spec, len, &looks, &err);

    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    return looks.layout;
}

bool frazil_pg_find_other_layout(const frazil_layout *layout, char ret[NAMEDATALEN])
{
    const char *text = frazil_pg_settings.generators;
    struct entry entry;
    struct looks looks;

    while (next_entry(&text, &entry)) {
        if (looks_of_spec(entry.spec, entry.spec_len, &looks, NULL) != FRAZIL_OK ||
            looks.layout.kind != FRAZIL_LAYOUT_64 || frazil_layout_equal(layout, &looks.layout))
            continue;
        snprintf(ret, NAMEDATALEN, "%.*s", (int)entry.name_len, entry.name);
        return true;
    }
    return false;
}

frazil_options *frazil_pg_options(const char *name, frazil_pg_worker *worker, enum frazil_pg_role role)
{
    frazil_options *options;
    frazil_error err;
    size_t len = 0;
    const char *spec = spec_of(name, &len);
    const char *run = frazil_pg_is_past(name) ? run_dir_of_past() : run_dir();
    const char *state = state_dir(worker->source);

    frazil_err code = options_of_spec(spec, len, &options, &err);
    if (code != FRAZIL_OK)
        frazil_pg_fail(code, &err);
    if (worker->source == FRAZIL_PG_TIMELINE)
        check_last_of_timeline(options, worker);
    set(options, "worker", worker->text);
    if (worker->source == FRAZIL_PG_COORDINATOR)
        set_lease(options, role);
    else
        set(options, "keeper", "inline");
    if (role == FRAZIL_PG_POSTMASTER)
        set(options, "open_wait", "1s"); /* nobody can connect meanwhile */
    if (run != NULL)
        set(options, "run_dir", run);
    if (state != NULL)
        set(options, "state_dir", state);
    if (frazil_pg_settings.host_dir != NULL && *frazil_pg_settings.host_dir != '\0')
        set(options, "host_dir", frazil_pg_settings.host_dir);
    if (worker->source == FRAZIL_PG_COORDINATOR)
        return options;
    check_looks(options, name, worker);
    return options;
}

frazil_pg_worker frazil_pg_any_number(void)
{
    frazil_pg_worker worker = frazil_pg_worker_setting();
    char name[NAMEDATALEN];

    if (!frazil_pg_generator_name(0, name))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("frazil.generators names no generator")));
    frazil_options_close(frazil_pg_options(name, &worker, FRAZIL_PG_MEMBER));
    return worker;
}
