/* SPDX-License-Identifier: MIT */
#include "part.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "clients.h"
#include "core/sentence.h"
#include "fail_errno.h"
#include "frazil/coordinators.h"
#include "memory.h"

typedef const void *(*part_entry)(void);

/* dlsym returns a pointer to data, which POSIX lets stand for a function. */
static part_entry find_entry(void *library, const char *name)
{
    void *address = dlsym(library, name);
    part_entry entry = NULL;

    memcpy(&entry, &address, sizeof entry);
    return entry;
}

static frazil_err cannot_load(const char *part, const char *file, const char *why, frazil_error *reterr)
{
    static const char no_room[] = "failed to map segment"; /* so glibc says it, without the reason */
    int sys = fz_errno_said(why);

    if (sys == ENOENT)
        return fz_fail(reterr, FRAZIL_ENOTBUILT,
                       "the part of frazil for %s is not installed; a build needs pkg-config and a client library: %s",
                       part, why);
    if (sys != 0)
        return fz_fail_errno(reterr, sys, "cannot load the part of frazil for this:", file, "");
    if (strstr(why, no_room) != NULL)
        return fz_fail(reterr, FRAZIL_ESYS,
                       "cannot load the part of frazil for %s: %s: free some memory, raise the process's limit "
                       "(ulimit -v), or allow programs on that file system (mount -o exec)",
                       part, why);
    return fz_fail(reterr, FRAZIL_ENOTBUILT, "cannot load the part of frazil for %s: %s", part, why);
}

/*
 * Each thread that was here calls code of this library when it ends (os/clients.h), so a plug-in that holds frazil must
 * not be unloaded before.
 */
static frazil_err load_part(const char *part, const void **ret, frazil_error *reterr)
{
    static const char here;
    char file[64];
    char symbol[64];
    struct fz_sentence file_text = fz_sentence_in(file, sizeof file);
    struct fz_sentence symbol_text = fz_sentence_in(symbol, sizeof symbol);

    fz_sentence_str(&file_text, "libfrazil-");
    fz_sentence_str(&file_text, part);
    fz_sentence_str(&file_text, ".so." FRAZIL_SOVERSION);
    fz_sentence_str(&symbol_text, "frazil_coordinator_");
    fz_sentence_str(&symbol_text, part);

    if (fz_program_is_static())
        return fz_fail(
            reterr, FRAZIL_ENOTBUILT,
            "a statically linked program cannot load the part of frazil for %s: link libfrazil-%s.a with its "
            "client library, and pass frazil_coordinator_%s() to frazil_options_coordinator",
            part, part, part);
    fz_keep_loaded(&here);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return cannot_load(part, file, dlerror(), reterr);
    part_entry entry = find_entry(library, symbol);
    if (entry == NULL)
        return fz_fail(reterr, FRAZIL_ENOTBUILT, "%s is not a part of frazil: it has no %s", file, symbol);
    *ret = entry();
    return FRAZIL_OK;
}

frazil_err fz_part_load(const char *part, const void **ret, frazil_error *reterr)
{
#ifdef FRAZIL_WITH_FILE /* frazil.c holds this one */
    if (strcmp(part, "file") == 0) {
        *ret = frazil_coordinator_file();
        return FRAZIL_OK;
    }
#endif
    frazil_err err = fz_clients_enter(reterr);
    if (err != FRAZIL_OK)
        return err;
    err = load_part(part, ret, reterr);
    fz_clients_leave();
    return err;
}
