/* SPDX-License-Identifier: MIT */
/* A stranger's program: it keeps the library in a namespace of its own, where there is one; no coordinator answers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <frazil.h>
#include <stdio.h>
#include <string.h>

typedef frazil_err (*opening)(frazil **ret, const char *spec, frazil_error *reterr);

static void *load(void)
{
#ifdef LM_ID_NEWLM
    return dlmopen(LM_ID_NEWLM, "libfrazil.so.1", RTLD_NOW | RTLD_LOCAL);
#else
    return dlopen("libfrazil.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
}

int main(void)
{
    void *library = load();
    void *address = library != NULL ? dlsym(library, "frazil_open") : NULL;
    frazil_error err;
    opening open_it;
    frazil *ids;

    if (address == NULL) {
        puts(dlerror());
        return 0;
    }
    memcpy(&open_it, &address, sizeof open_it);
    if (open_it(&ids, "worker=redis://127.0.0.1:1/orders open_wait=0s", &err) == FRAZIL_OK)
        return 0;
    puts(err.message);
    return 1;
}
