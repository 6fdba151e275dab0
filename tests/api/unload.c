/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program that unloads libfrazil while a generator is open, whose keeper's thread is in the
 * library's code, goes on: the library stays.
 *
 *   unload LIBFRAZIL_SO
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <dlfcn.h>
#include <ftw.h>
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

int main(int argc, char **argv)
{
    if (argc != 2 || mkdtemp(scratch) == NULL)
        return 1;
    int failed = unload_under(argv[1]);
    (void)nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return failed != 0;
}
