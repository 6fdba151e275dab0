/* SPDX-License-Identifier: MIT */
/* The type Generator: opening, and who may call it when. */
#include "generator.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- forks ----------------------------------------------------------------------- */

_Atomic uint64_t fork_count;

static void count_fork(void)
{
    atomic_fetch_add(&fork_count, 1);
    atomic_store(&abandoned_jobs, 0); /* their threads are the parent's */
}

static void watch(void)
{
    /* If it fails there is no memory for it; then a child takes itself for its parent and only waits with the GIL. */
    (void)pthread_atfork(NULL, NULL, count_fork);
}

/* Watches forks, once for the process. */
static void watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch);
}

/* ---- calls under way ---------------------------------------------------------------- */

void forget_parents_calls(struct generator *self)
{
    uint64_t forks = atomic_load(&fork_count);

    if (atomic_exchange(&self->users_forks, forks) != forks)
        atomic_store(&self->users, 0);
}

frazil *enter(struct generator *self)
{
    if (ensure_open(self) < 0)
        return NULL;
    forget_parents_calls(self);
    atomic_fetch_add(&self->users, 1);
    frazil *gen = atomic_load(&self->gen);
    if (gen == NULL) {
        atomic_fetch_sub(&self->users, 1);
        (void)raise_closed(self);
    }
    return gen;
}

void leave(struct generator *self)
{
    atomic_fetch_sub(&self->users, 1);
}

PyObject *raise_closed(const struct generator *self)
{
    return raise_sentence(self->state, FRAZIL_ESTOPPED, "the generator is closed: open another one");
}

/* ---- keeping the grant where no thread does --------------------------------------- */

uint64_t coarse_ns(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
    const clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
    const clockid_t clock = CLOCK_MONOTONIC;
#endif
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Sees to the grant without the GIL.  It never waits: what takes longer goes on in a thread of the library's. */
static bool keep(struct generator *self)
{
    const uint64_t longest_ns = 1000000000;
    uint64_t next_ns;
    frazil_health health;
    frazil *gen = enter(self);

    if (gen == NULL) {
        PyErr_Clear(); /* the call itself will say so */
        return false;
    }
    Py_BEGIN_ALLOW_THREADS
        /* Whether it worked shows in the health. */
        frazil_err ignored = frazil_keep(gen, 0, &next_ns, NULL);
    (void)ignored;
    frazil_get_health(gen, &health, sizeof health, NULL);
    Py_END_ALLOW_THREADS leave(self);
    bool calm = health.state == FRAZIL_HEALTH_SERVING;
    atomic_store(&self->calm_until, calm ? coarse_ns() + (next_ns < longest_ns ? next_ns : longest_ns) : 0);
    return calm;
}

bool became_calm(struct generator *self)
{
    if (atomic_load_explicit(&self->gen, memory_order_relaxed) == NULL || self->asking == ASKING_ALWAYS)
        return false;
    if (self->asking == ASKING_NOBODY) {
        atomic_store(&self->calm_fork, atomic_load(&fork_count));
        return true;
    }
    return coarse_ns() < atomic_load_explicit(&self->calm_until, memory_order_relaxed) || keep(self);
}

/* ---- opening ------------------------------------------------------------------------ */

enum { TEXT_SIZE = 8192, VALUE_SIZE = 32 };

/* The meaning of options: as a text, and for the keys that decide how calls are made. */
struct meaning {
    char text[TEXT_SIZE];
    char max_wait[VALUE_SIZE];
    char clock[VALUE_SIZE];
    char keeper[VALUE_SIZE];
    char on_full[VALUE_SIZE];
    char on_backward[VALUE_SIZE];
    uint64_t request_ns; /* with state=URL: how long the server may take to answer */
};

/* The library reads a duration; 0: it is none. */
static uint64_t duration_ns(const char *text, size_t len)
{
    char value[VALUE_SIZE];
    frazil_options *options;
    uint64_t ns = 0;

    if (frazil_options_open(&options, NULL) != FRAZIL_OK)
        return 0;
    if (frazil_options_set(options, "worker", "fixed:0", 7, NULL) == FRAZIL_OK && /* else they have no meaning */
        frazil_options_set(options, "max_wait", text, len, NULL) == FRAZIL_OK &&
        frazil_options_get(options, "max_wait", value, sizeof value, NULL, NULL) == FRAZIL_OK)
        ns = strtoull(value, NULL, 10);
    frazil_options_close(options);
    return ns;
}

/* How long the server that gives slots may take to answer: its URL says so, or it is what is usual. */
static uint64_t request_ns_of(const char *spec)
{
    const uint64_t usual_ns = 1000000000;
    const char *key = "timeout=";
    const char *url = strstr(spec, " state=");
    const char *end = url == NULL ? NULL : url + 1 + strcspn(url + 1, " ");
    const char *at = url == NULL ? NULL : strchr(url, '?');

    while (at != NULL && at < end && strncmp(at + 1, key, strlen(key)) != 0)
        at = strchr(at + 1, '&');
    if (at == NULL || at >= end)
        return usual_ns;
    const char *value = at + 1 + strlen(key);
    uint64_t ns = duration_ns(value, strcspn(value, "& '"));
    return ns == 0 ? usual_ns : ns;
}

static frazil_err find_meaning(const frazil_options *options, struct meaning *ret, frazil_error *error)
{
    const struct {
        const char *key;
        char *value;
        size_t size;
    } wanted[] = {
        {"max_wait", ret->max_wait, sizeof ret->max_wait},
        {"clock", ret->clock, sizeof ret->clock},
        {"keeper", ret->keeper, sizeof ret->keeper},
        {"on_full", ret->on_full, sizeof ret->on_full},
        {"on_backward", ret->on_backward, sizeof ret->on_backward},
    };
    char unhidden[TEXT_SIZE];
    frazil_err err = frazil_options_text(options, 0, ret->text, sizeof ret->text, NULL, error);

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && err == FRAZIL_OK; i++)
        err = frazil_options_get(options, wanted[i].key, wanted[i].value, wanted[i].size, NULL, error);
    /* The texts above hide all values in a URL. */
    if (err == FRAZIL_OK)
        err = frazil_options_text(options, FRAZIL_OPTIONS_WITH_SECRETS, unhidden, sizeof unhidden, NULL, error);
    if (err == FRAZIL_OK)
        ret->request_ns = request_ns_of(unhidden);
    return err;
}

static enum asking asking_of(const frazil_info *info, bool needs_grant, const char *keeper)
{
    if (info->state == FRAZIL_STATE_SLOTS)
        return ASKING_ALWAYS;
    if (!needs_grant || strcmp(keeper, "hook") == 0)
        return ASKING_NOBODY;
    return strcmp(keeper, "inline") == 0 ? ASKING_CALLER : ASKING_THREAD;
}

/* The meaning of the options decides how calls are made. */
static void learn(struct generator *self, frazil *gen, const struct meaning *meaning)
{
    frazil_health health;
    frazil_info info;
    frazil_layout_info layout;

    frazil_get_health(gen, &health, sizeof health, NULL);
    frazil_get_info(gen, &info, sizeof info);
    frazil_layout_get_info(info.layout, &layout, sizeof layout);
    self->capacity = info.capacity == 0 ? 1 : info.capacity;
    self->tick_ns = (uint64_t)info.layout->tick_ms * 1000000;
    bool is_endless = strcmp(meaning->max_wait, "unlimited") == 0;
    self->max_wait_ns = is_endless ? FRAZIL_WAIT_FOREVER : strtoull(meaning->max_wait, NULL, 10);
    self->own_time = meaning->clock[0] != '\0';
    self->asking = asking_of(&info, health.needs_grant != 0, meaning->keeper);
    self->request_ns = self->asking == ASKING_ALWAYS ? meaning->request_ns : 0;
    self->full_is_error = strcmp(meaning->on_full, "error") == 0;
    self->backward_is_error = strcmp(meaning->on_backward, "error") == 0;
    self->asks_server = info.state == FRAZIL_STATE_SLOTS || info.state == FRAZIL_STATE_GRANT;
    bool calm = self->asking == ASKING_NOBODY || self->asking == ASKING_THREAD;
    atomic_store(&self->calm_fork, calm ? atomic_load(&fork_count) : NEVER_CALM);
    atomic_store(&self->users_forks, atomic_load(&fork_count));
}

/* The arguments of open(). */
struct opening {
    const char *spec;
    Py_ssize_t spec_len;
    int shared;
    PyObject *clock;      /* a capsule, or None */
    const char *snapshot; /* JSON, or NULL */
    Py_ssize_t snapshot_len;
    int environment;
    int lazy;
};

static frazil_err fill_options(frazil_options *options, const struct opening *opening, frazil_manual_clock *clock,
                               frazil_error *error)
{
    frazil_err err = frazil_options_spec(options, opening->spec, (size_t)opening->spec_len, error);

    if (err == FRAZIL_OK)
        err = frazil_options_environment(options, (frazil_environment)opening->environment, error);
    if (err == FRAZIL_OK && clock != NULL) {
        frazil_clock port;
        frazil_manual_clock_port(clock, &port, sizeof port);
        err = frazil_options_clock(options, &port, error);
    }
    if (err == FRAZIL_OK && opening->snapshot != NULL)
        err = frazil_options_snapshot(options, opening->snapshot, (size_t)opening->snapshot_len, error);
    return err;
}

/* Understands them without the GIL: they may name a file.  The options are the caller's to close. */
static frazil_err read_options(const struct opening *opening, frazil_manual_clock *clock, frazil_options **ret,
                               struct meaning *ret_meaning, frazil_error *error)
{
    frazil_err err = frazil_options_open(ret, error);

    if (err != FRAZIL_OK)
        return err;
    err = fill_options(*ret, opening, clock, error);
    if (err == FRAZIL_OK)
        err = find_meaning(*ret, ret_meaning, error);
    if (err != FRAZIL_OK)
        frazil_options_close(*ret);
    return err;
}

/* It may ask a coordinator. */
struct open_job {
    struct background_job job;
    frazil_options *options;
    bool shared;
    frazil *gen;
    frazil_err err;
    frazil_error error;
};

static void run_open(struct background_job *job)
{
    struct open_job *open = (struct open_job *)job;

    open->err = open->shared ? frazil_open_shared_with(&open->gen, open->options, &open->error)
                             : frazil_open_with(&open->gen, open->options, &open->error);
    frazil_options_close(open->options);
}

/* Nobody has its worker id: it is given back. */
static void discard_open(struct background_job *job)
{
    struct open_job *open = (struct open_job *)job;

    if (open->err == FRAZIL_OK)
        (void)!frazil_close_within(open->gen, 0); /* a thread of the library's goes on */
    free(open);
}

/* Opens with the options, which it closes.  NULL with an exception set. */
static frazil *open_options(const struct generator *self, frazil_options *options, bool shared, PyObject *clock)
{
    struct open_job *open = calloc(1, sizeof *open);
    frazil *gen = NULL;

    if (open == NULL) {
        frazil_options_close(options);
        PyErr_NoMemory();
        return NULL;
    }
    *open = (struct open_job){.job = {run_open, discard_open}, .options = options, .shared = shared};
    if (do_in_background(self->state, &open->job) < 0) {
        Py_INCREF(clock); /* the background job may use it for as long as the process lives */
        return NULL;
    }
    if (open->err == FRAZIL_OK)
        gen = open->gen;
    else
        (void)raise_error(self->state, &open->error);
    free(open);
    return gen;
}

/* An object without a generator, of the class, which derives from Generator. */
static struct generator *generator_alloc(PyObject *module, PyObject *class)
{
    struct state *state = PyModule_GetState(module);

    if (!PyType_Check(class) || !PyType_IsSubtype((PyTypeObject *)class, state->generator_type)) {
        PyErr_SetString(PyExc_TypeError, "the class to open must derive from frazil.Generator");
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)class, Py_tp_alloc);
    struct generator *self = (struct generator *)alloc((PyTypeObject *)class, 0);
    if (self != NULL) {
        atomic_store(&self->calm_fork, NEVER_CALM);
        self->capacity = self->tick_ns = 1; /* of one that is closed before it was opened */
        self->state = state;
        Py_INCREF(module);
        self->module = module;
    }
    return self;
}

static bool parse_opening(PyObject *args, PyObject **ret_class, struct opening *ret)
{
    return PyArg_ParseTuple(args, "Os#pOz#ip", ret_class, &ret->spec, &ret->spec_len, &ret->shared, &ret->clock,
                            &ret->snapshot, &ret->snapshot_len, &ret->environment, &ret->lazy);
}

/* Opens what the arguments ask for.  -1 with an exception set. */
static int open_now(struct generator *self, const struct opening *opening)
{
    struct meaning meaning;
    frazil_options *options;
    frazil_error error;
    frazil_err err;

    frazil_manual_clock *clock = opening->clock == Py_None ? NULL : clock_in(opening->clock);
    if (clock == NULL && opening->clock != Py_None)
        return -1;
    Py_BEGIN_ALLOW_THREADS err = read_options(opening, clock, &options, &meaning, &error);
    Py_END_ALLOW_THREADS if (err != FRAZIL_OK)
    {
        (void)raise_error(self->state, &error);
        return -1;
    }
    frazil *gen = open_options(self, options, opening->shared != 0, opening->clock);
    if (gen == NULL)
        return -1;
    PyObject *spec = PyUnicode_DecodeUTF8(meaning.text, (Py_ssize_t)strlen(meaning.text), "replace");
    if (spec == NULL) {
        frazil_close(gen);
        return -1;
    }
    learn(self, gen, &meaning);
    if (clock != NULL) {
        Py_INCREF(opening->clock);
        self->clock = opening->clock;
        self->is_frozen = PyCapsule_GetContext(self->clock) != NULL;
        self->own_time = true;
    }
    self->spec = spec;
    atomic_store(&self->gen, gen);
    return 0;
}

/* A key that no spec has is told at once, where the line stands that gives it. */
static int check_spec(const struct generator *self, const struct opening *opening)
{
    frazil_options *options;
    frazil_error error;

    frazil_err err = frazil_options_open(&options, &error);
    if (err == FRAZIL_OK) {
        err = frazil_options_spec(options, opening->spec, (size_t)opening->spec_len, &error);
        frazil_options_close(options);
    }
    if (err != FRAZIL_OK)
        (void)raise_error(self->state, &error);
    return err == FRAZIL_OK ? 0 : -1;
}

PyObject *open_generator(PyObject *module, PyObject *args)
{
    struct opening opening = {.snapshot = NULL};
    PyObject *class;

    if (!parse_opening(args, &class, &opening))
        return NULL;
    struct generator *self = generator_alloc(module, class);
    if (self == NULL)
        return NULL;
    watch_forks();
    if ((opening.lazy ? check_spec(self, &opening) : open_now(self, &opening)) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    if (opening.lazy) {
        Py_INCREF(args);
        self->asked = args;
        atomic_store(&self->unopened, true);
    }
    return (PyObject *)self;
}

/* Opens it as its arguments ask.  Somebody may have closed it meanwhile: then it stays closed. */
static int open_first(struct generator *self)
{
    struct opening opening = {.snapshot = NULL};
    PyObject *class;

    if (!parse_opening(self->asked, &class, &opening) || open_now(self, &opening) < 0)
        return -1;
    if (!atomic_exchange(&self->unopened, false)) {
        frazil *gen = take_away(self);
        if (gen != NULL)
            close_unseen(self, gen);
    }
    return 0;
}

/*
 * One thread opens it, and others wait.  A child has no thread that was opening when its process was forked.  A signal
 * handler or a finaliser that interrupts the opening cannot wait for it: the opening continues when they have returned.
 */
int open_asked(struct generator *self)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    unsigned long me = PyThread_get_thread_ident();
    uint64_t here = atomic_load(&fork_count) + 1;

    while (atomic_load(&self->unopened)) {
        uint64_t who = atomic_load(&self->opening);
        if (who == here && atomic_load(&self->opener) == me) {
            (void)raise_sentence(self->state, FRAZIL_EAGAIN,
                                 "this code interrupts the call that opens the generator: take ids after it");
            return -1;
        }
        if (who == here) {
            Py_BEGIN_ALLOW_THREADS(void) nanosleep(&pause, NULL);
            Py_END_ALLOW_THREADS if (check_signals(self->state) < 0) return -1;
        } else if (atomic_compare_exchange_strong(&self->opening, &who, here)) {
            atomic_store(&self->opener, me);
            int result = atomic_load(&self->unopened) ? open_first(self) : 0;
            atomic_store(&self->opener, 0);
            atomic_store(&self->opening, 0);
            return result;
        }
    }
    return 0;
}

static PyObject *generator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)type;
    (void)args;
    (void)kwargs;
    PyErr_SetString(PyExc_TypeError, "a generator is opened by frazil.open()");
    return NULL;
}

/* ---- the end ------------------------------------------------------------------------- */

static int generator_traverse(PyObject *object, visitproc visit, void *arg)
{
    struct generator *self = (struct generator *)object;

    Py_VISIT((PyObject *)Py_TYPE(object));
    Py_VISIT(self->module);
    Py_VISIT(self->clock);
    Py_VISIT(self->asked);
    return 0;
}

static void generator_dealloc(PyObject *object)
{
    struct generator *self = (struct generator *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    PyObject_GC_UnTrack(object);
    frazil *gen = take_away(self); /* nobody has a reference, so no call is under way */
    if (gen != NULL)
        close_unseen(self, gen);
    Py_CLEAR(self->asked);
    Py_CLEAR(self->spec);
    Py_CLEAR(self->clock);
    Py_CLEAR(self->module);
    release(object);
    Py_DECREF(type);
}

static PyObject *generator_iter(PyObject *self)
{
    Py_INCREF(self);
    return self;
}

static PyObject *generator_iternext(PyObject *self)
{
    return generator_next(self, NULL);
}

/* ---- the type ---------------------------------------------------------------------------- */

static size_t count_methods(const PyMethodDef *methods)
{
    size_t n = 0;

    while (methods[n].ml_name != NULL)
        n++;
    return n;
}

enum { METHODS_MOST = 48 };

/* The tables of all files as one, which lives as long as the process. */
static PyMethodDef *all_methods(void)
{
    static PyMethodDef all[METHODS_MOST];
    PyMethodDef *const tables[] = {closing_methods, taking_methods, sno_methods, looking_methods};
    size_t at = 0;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        size_t n = count_methods(tables[i]);
        memcpy(all + at, tables[i], n * sizeof all[0]);
        at += n;
    }
    return all;
}

static pthread_once_t methods_once = PTHREAD_ONCE_INIT;
static PyMethodDef *methods;

static void make_methods(void)
{
    methods = all_methods();
}

PyTypeObject *generator_type_new(void)
{
    (void)pthread_once(&methods_once, make_methods);
    PyType_Slot slots[] = {
        {Py_tp_new, generator_new},
        {Py_tp_dealloc, generator_dealloc},
        {Py_tp_traverse, generator_traverse},
        {Py_tp_iter, generator_iter},
        {Py_tp_iternext, generator_iternext},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "frazil._frazil.Generator",
        .basicsize = sizeof(struct generator),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };

    return (PyTypeObject *)PyType_FromSpec(&spec);
}
