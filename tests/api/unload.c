/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program that unloads libfrazil while a generator is open, whose keeper's thread is in the
 * library's code, goes on: the library stays.  So does a plug-in that holds frazil in itself, once it has looked for a
 * part: the end of the thread calls it.
 *
 *   unload LIBFRAZIL_SO PLUGIN_SO
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <dlfcn.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <frazil.h>

static char scratch[] = "/tmp/frazil-unload-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

/* dlsym returns a pointer to data, which POSIX lets stand for a function. */
static void find(void *library, const char *name, void *ret_function)
{
    void *address = dlsym(library, name);

    memcpy(ret_function, &address, sizeof address);
}

static int unload_under(const char *path)
{
    frazil_err (*open_fn)(frazil **, const char *, frazil_error *);
    frazil_err (*next_fn)(frazil *, uint64_t *);
    void (*close_fn)(frazil *);
    char spec[200];
    frazil *gen;
    frazil_error err;
    uint64_t id;

    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return puts(dlerror());
    find(library, "frazil_open", &open_fn);
    find(library, "frazil_next", &next_fn);
    find(library, "frazil_close", &close_fn);
    (void)snprintf(spec, sizeof spec, "worker=fixed:7 keeper=thread state=file run_dir=%s state_dir=%s", scratch,
                   scratch);
    if (open_fn(&gen, spec, &err) != FRAZIL_OK)
        return puts(err.message);
    if (dlclose(library) != 0)
        return puts("it cannot be closed");
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) == NULL)
        return puts("the library is gone while its thread runs");
    if (next_fn(gen, &id) != FRAZIL_OK)
        return puts("there is no id after that");
    close_fn(gen);
    return 0;
}

static void *use_plugin(void *path)
{
    void (*use)(void);

    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL)
        return dlerror();
    find(plugin, "use_a_part", &use);
    use();
    return dlclose(plugin) == 0 ? NULL : path;
}

/* In a thread, which ends when the plug-in is unloaded. */
static int unload_plugin(char *path)
{
    pthread_t thread;
    void *failed;

    return pthread_create(&thread, NULL, use_plugin, path) != 0 || pthread_join(thread, &failed) != 0 || failed != NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3 || mkdtemp(scratch) == NULL)
        return 1;
    int failed = unload_under(argv[1]) != 0 || unload_plugin(argv[2]) != 0;
    (void)nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
