/* SPDX-License-Identifier: MIT */
/*
 * The settings of the extension.  None of them is a spec that SQL can write: a spec names files and hosts.
 */
#include "frazil_pg.h"

#include <ctype.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

extern void _PG_init(void);

int frazil_pg_max_wait_ms = 1000;
bool frazil_pg_allow_in_recovery = false;

static bool is_preloaded = false; /* by the postmaster */
static char *worker_setting = NULL;
static char *generators_setting = NULL;
static char *run_dir_setting = NULL;
static char *state_dir_setting = NULL;
static char *host_dir_setting = NULL;

/* Whether the worker number is leased from a coordinator. */
static bool is_url(const char *text)
{
    return strstr(text, "://") != NULL;
}

void _PG_init(void)
{
    /*
     * Only the postmaster makes the settings.  A backend that read them later could have other directories than the one
     * beside it, by its connection's options or after a reload, and would make the same ids.
     */
    is_preloaded = process_shared_preload_libraries_in_progress;
    if (!is_preloaded)
        return;
    DefineCustomStringVariable("frazil.worker", "The worker number of this server's ids.",
                               "fixed:N, timeline:BASE/COUNT, env:NAME, ordinal, or the URL of a coordinator. There is "
                               "no default.",
                               &worker_setting, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    DefineCustomStringVariable("frazil.generators", "The generators and what their ids look like.",
                               "For example 'main: layout=frazil; audit: layout=twitter'.", &generators_setting,
                               "main: layout=frazil", PGC_POSTMASTER, 0, NULL, NULL, NULL);
    DefineCustomStringVariable("frazil.run_dir", "The directory of files that are gone after a boot.", NULL,
                               &run_dir_setting, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    DefineCustomStringVariable("frazil.state_dir", "The directory of files that stay.",
                               "It must lie outside the data directory, which is copied.", &state_dir_setting, NULL,
                               PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    DefineCustomStringVariable("frazil.host_dir", "The directory in which users of this host tell of worker numbers.",
                               NULL, &host_dir_setting, NULL, PGC_POSTMASTER, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    DefineCustomIntVariable("frazil.max_wait", "How long a statement waits for an id.", NULL, &frazil_pg_max_wait_ms,
                            1000, 0, INT_MAX, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
    DefineCustomBoolVariable("frazil.allow_in_recovery", "Whether a standby may make ids.",
                             "Its worker number must then be its own.", &frazil_pg_allow_in_recovery, false, PGC_SUSET,
                             0, NULL, NULL, NULL);
    MarkGUCPrefixReserved("frazil");
    if (worker_setting == NULL || *worker_setting == '\0')
        return;
    if (is_url(worker_setting))
        frazil_pg_register_keeper();
    else
        frazil_pg_note_start();
}

/* ---- errors ---------------------------------------------------------------------- */

/* By class, and before that by error where the class says too little: the SQLSTATE, and the next step. */
static const struct remedy {
    frazil_err code; /* FRAZIL_OK: any of the class */
    frazil_err_class class;
    int sqlstate;
    const char *hint;
} REMEDIES[] = {
    {FRAZIL_EEXHAUSTED, FRAZIL_CLASS_FATAL, ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
     "Give the generator a layout that has time left, in frazil.generators, and restart the server."},
    {FRAZIL_ENOMEM, FRAZIL_CLASS_FATAL, ERRCODE_OUT_OF_MEMORY, "Free memory on the host, and run the statement again."},
    {FRAZIL_ESYS, FRAZIL_CLASS_FATAL, ERRCODE_SYSTEM_ERROR,
     "The user that the server runs as must own frazil.run_dir and frazil.state_dir, which need free space."},
    {FRAZIL_ESTATE, FRAZIL_CLASS_FATAL, ERRCODE_SYSTEM_ERROR,
     "If another server's files lie there, set another frazil.state_dir and frazil.run_dir. If the file is damaged, "
     "stop "
     "the server and run \"frazil state init\"."},
    {FRAZIL_OK, FRAZIL_CLASS_FATAL, ERRCODE_SYSTEM_ERROR, "Connect again."},
    {FRAZIL_OK, FRAZIL_CLASS_RETRY, ERRCODE_INSUFFICIENT_RESOURCES,
     "Run the statement again, or allow it to wait longer with frazil.max_wait."},
    {FRAZIL_OK, FRAZIL_CLASS_FENCED, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
     "Run the statement again, or wait until the grant is extended."},
    {FRAZIL_OK, FRAZIL_CLASS_USAGE, ERRCODE_INVALID_PARAMETER_VALUE,
     "Correct the argument, or the setting that begins with frazil."},
};

void frazil_pg_fail(frazil_err code, const frazil_error *err)
{
    const struct remedy *remedy = REMEDIES;

    while (remedy->code != code && (remedy->code != FRAZIL_OK || remedy->class != frazil_err_classify(code)))
        remedy++;
    ereport(ERROR, (errcode(remedy->sqlstate), errmsg("frazil: %s", err->message), errhint("%s", remedy->hint)));
    pg_unreachable();
}

void frazil_pg_catch(frazil_error *ret)
{
    MemoryContextSwitchTo(TopMemoryContext);
    ErrorData *error = CopyErrorData();
    FlushErrorState();
    strlcpy(ret->message, error->message, sizeof ret->message);
    FreeErrorData(error);
}

/* ---- frazil.worker --------------------------------------------------------------- */

/* A decimal number of at most 9 digits, and *text is behind it; false: there is none. */
static bool take_number(const char **text, uint32 *ret)
{
    const char *c = *text;
    uint32 number = 0;

    while (isdigit((unsigned char)*c) && c - *text < 9)
        number = number * 10 + (uint32)(*c++ - '0');
    if (c == *text)
        return false;
    *text = c;
    *ret = number;
    return true;
}

/* The timeline on which the server makes ids. */
static uint32 timeline_of_server(void)
{
    bool is_sound = true;

    if (process_shared_preload_libraries_in_progress ? frazil_pg_starts_as_standby() : RecoveryInProgress())
        ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                        errmsg("a standby has no timeline of its own, so frazil.worker=timeline gives it no number"),
                        errhint("Make ids on the primary.")));
    if (!process_shared_preload_libraries_in_progress)
        return GetWALInsertionTimeLine();
    /* The postmaster has no memory yet that it shares with whom it could ask. */
    ControlFileData *control = get_controlfile(DataDir, &is_sound);
    uint32 timeline = control->checkPointCopy.ThisTimeLineID;
    pfree(control);
    if (!is_sound)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the control file of the server is damaged")));
    return timeline;
}

/* timeline:BASE/COUNT: BASE, and the timeline modulo COUNT. */
static frazil_pg_worker worker_of_timeline(const char *text)
{
    frazil_pg_worker worker = {.source = FRAZIL_PG_TIMELINE};
    const char *c = text;
    uint32 base;
    uint32 count;

    if (!take_number(&c, &base) || *c++ != '/' || !take_number(&c, &count) || *c != '\0' || count < 2)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("frazil.worker is \"timeline:%s\"", text),
                 errhint("Write timeline:BASE/COUNT, for example timeline:40/4 for the worker numbers 40 to 43.")));
    worker.timeline = timeline_of_server();
    snprintf(worker.text, sizeof worker.text, "fixed:%u", base + worker.timeline % count);
    snprintf(worker.last, sizeof worker.last, "fixed:%u", base + count - 1);
    return worker;
}

/* Whether ALTER SYSTEM has set it: its file is copied with the data directory. */
static bool is_in_auto_conf(const char *setting)
{
#if PG_VERSION_NUM >= 160000
    int count;
    struct config_generic **all = get_guc_variables(&count);
#else
    int count = GetNumConfigOptions();
    struct config_generic **all = get_guc_variables();
#endif

    for (int i = 0; i < count; i++) {
        if (strcmp(all[i]->name, setting) == 0)
            return all[i]->sourcefile != NULL && strstr(all[i]->sourcefile, "postgresql.auto.conf") != NULL;
    }
    return false;
}

void frazil_pg_warn_of_copies(void)
{
    if (is_in_auto_conf("frazil.worker"))
        ereport(WARNING, (errmsg("frazil.worker comes from postgresql.auto.conf, which each copy of the data "
                                 "directory has too"),
                          errhint("Set it in postgresql.conf, and ALTER SYSTEM RESET frazil.worker.")));
}

static const char TIMELINE[] = "timeline:";

bool frazil_pg_is_of_timeline(void)
{
    return worker_setting != NULL && strncmp(worker_setting, TIMELINE, strlen(TIMELINE)) == 0;
}

frazil_pg_worker frazil_pg_worker_setting(void)
{
    const char *text = worker_setting;
    frazil_pg_worker worker = {.source = FRAZIL_PG_OUTSIDE};

    if (!is_preloaded)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the server makes no ids without frazil in shared_preload_libraries"),
                        errhint("Add frazil to shared_preload_libraries, and restart the server.")));
    if (text == NULL || *text == '\0')
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("frazil.worker is not set"),
                        errhint("Set it in postgresql.conf: fixed:N with a number that no other server has, "
                                "timeline:BASE/COUNT, env:NAME, ordinal, or the URL of a coordinator.")));
    if (frazil_pg_is_of_timeline())
        return worker_of_timeline(text + strlen(TIMELINE));
    if (strncmp(text, "fixed:", strlen("fixed:")) == 0)
        worker.source = FRAZIL_PG_FIXED;
    else if (is_url(text))
        worker.source = FRAZIL_PG_COORDINATOR;
    else if (strncmp(text, "env:", strlen("env:")) != 0 && strcmp(text, "ordinal") != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("frazil.worker is none of fixed:N, timeline:BASE/COUNT, env:NAME, ordinal and the URL "
                               "of a coordinator"),
                        errhint("The other sources of worker numbers are for processes that hold one of their own; "
                                "here all backends share one.")));
    if (strlen(text) >= sizeof worker.text)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("frazil.worker is too long")));
    strlcpy(worker.text, text, sizeof worker.text);
    return worker;
}

/* ---- frazil.generators ----------------------------------------------------------- */

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
                        errhint("Set %s to a directory outside: a base backup would copy it, and two servers would go "
                                "on from one state.",
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

    check_directory("frazil.state_dir", state_dir_setting, VARIABLES);
    if (state_dir_setting != NULL && *state_dir_setting != '\0')
        return state_dir_setting;
    return first_set(VARIABLES) == NULL && source != FRAZIL_PG_COORDINATOR ? state_dir_of_account() : NULL;
}

/* Likewise the run directory. */
static const char *run_dir(void)
{
    static const char *const VARIABLES[] = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", NULL};

    check_directory("frazil.run_dir", run_dir_setting, VARIABLES);
    return run_dir_setting != NULL && *run_dir_setting != '\0' ? run_dir_setting : NULL;
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
    const char *text = generators_setting;
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
    const char *text = generators_setting;
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
        frazil_options_free(options);
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
                            errmsg("frazil.generators: \"%.*s\" of generator \"%s\" is no key that it takes",
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
}

/* Refuses numbers that only a later timeline would get: that one begins with a promotion, when ids are wanted most. */
static void check_last_of_timeline(frazil_options *options, const frazil_pg_worker *worker)
{
    frazil_error err;

    set(options, "worker", worker->last);
    if (frazil_options_check(options, &err) != FRAZIL_EWORKER)
        return;
    frazil_options_free(options);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("frazil: %s", err.message),
                    errhint("A later timeline has that number. Choose BASE and COUNT of frazil.worker so that "
                            "BASE + COUNT - 1 is one of the layout's.")));
}

/* Options of a spec of frazil.generators, with nothing from the environment. */
static frazil_err options_of_spec(const char *spec, size_t len, frazil_options **ret, frazil_error *err)
{
    frazil_err code = frazil_options_new(ret, err);

    if (code != FRAZIL_OK)
        return code;
    code = frazil_options_environment(*ret, FRAZIL_ENVIRONMENT_NONE, err);
    if (code == FRAZIL_OK)
        code = frazil_options_spec(*ret, spec, len, err);
    if (code != FRAZIL_OK)
        frazil_options_free(*ret);
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

enum { SPEC_SIZE = 8 * MAXPGPATH };

/* The value of a key in " key=value key='a value' ...", and its length. */
static const char *value_in(const char *text, const char *key, size_t *ret_len)
{
    const char *value = strstr(text, psprintf(" %s=", key));

    value = value == NULL ? "" : value + strlen(key) + 2;
    bool is_quoted = *value == '\'';
    value += is_quoted ? 1 : 0;
    *ret_len = strcspn(value, is_quoted ? "'" : " ");
    return value;
}

static uint64 number_in(const char *text, const char *key)
{
    size_t len;

    return strtoull(value_in(text, key, &len), NULL, 10);
}

/* An error of frazil_options_check, if the options cannot be right.  Not for leases. */
static frazil_err look_at(const frazil_options *options, struct looks *ret, frazil_error *err)
{
    char text[SPEC_SIZE] = " ";
    size_t len;
    frazil_err code = frazil_options_text(options, 0, text + 1, sizeof text - 1, NULL, err);

    if (code != FRAZIL_OK)
        return code;
    *ret = (struct looks){.seq_min = number_in(text, "seq_min"), .seq_max = number_in(text, "seq_max")};
    (void)sscanf(value_in(text, "worker", &len), "fixed:%u", &ret->worker);
    const char *layout = value_in(text, "layout", &len);
    return frazil_layout_parse(layout, len, &ret->layout, err);
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
    const char *text = generators_setting;
    frazil_options *options;
    struct looks looks;
    bool meets = false;

    while (!meets && next_entry(&text, ret)) {
        if ((ret->name_len == strlen(name) && strncmp(ret->name, name, ret->name_len) == 0) ||
            options_of_spec(ret->spec, ret->spec_len, &options, NULL) != FRAZIL_OK)
            continue;
        meets = frazil_options_set(options, "worker", worker->text, strlen(worker->text), NULL) == FRAZIL_OK &&
                look_at(options, &looks, NULL) == FRAZIL_OK && looks_meet(own, &looks);
        frazil_options_free(options);
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
    frazil_options_free(options);
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

frazil_options *frazil_pg_options(const char *name, frazil_pg_worker *worker, enum frazil_pg_role role)
{
    frazil_options *options;
    frazil_error err;
    size_t len = 0;
    const char *spec = find_generator(name, &len);

    if (spec == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no generator \"%s\"", name),
                        errhint("Name it in frazil.generators, which is now \"%s\".",
                                generators_setting == NULL ? "" : generators_setting)));
    check_keys(name, spec, len);
    const char *run = run_dir();
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
    if (run != NULL)
        set(options, "run_dir", run);
    if (state != NULL)
        set(options, "state_dir", state);
    if (host_dir_setting != NULL && *host_dir_setting != '\0')
        set(options, "host_dir", host_dir_setting);
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
    frazil_options_free(frazil_pg_options(name, &worker, FRAZIL_PG_MEMBER));
    return worker;
}
