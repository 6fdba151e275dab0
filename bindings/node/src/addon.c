/* SPDX-License-Identifier: MIT */
/* The door: what JavaScript sees, and how each call gets in and out. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

static const struct native *const TABLES[] = {natives_of_generators, natives_of_promises, natives_of_layouts,
                                              natives_of_texts, natives_of_snos};

static napi_value dispatch(napi_env env, napi_callback_info info)
{
    struct args args = {.env = env};
    size_t count = ARGUMENTS_MOST;
    void *addon = NULL;
    void *data = NULL;

    if (napi_get_cb_info(env, info, &count, args.value, NULL, &data) != napi_ok ||
        napi_get_instance_data(env, &addon) != napi_ok)
        return NULL;
    args.addon = addon;
    const struct native *native = data;
    napi_value result = native->call(&args);
    while (args.texts > 0)
        free(args.text[--args.texts]);
    return args.wrong ? NULL : result;
}

/* A worker thread ends, or the process does in an orderly way.  Node does not free references that nobody deletes. */
static void environment_ends(void *data)
{
    void *addon = NULL;

    handles_close_all(data);
    if (napi_get_instance_data(data, &addon) != napi_ok || addon == NULL)
        return;
    struct addon *ours = addon;
    if (ours->error_class != NULL)
        (void)napi_delete_reference(data, ours->error_class);
    if (ours->cell_holder != NULL)
        (void)napi_delete_reference(data, ours->cell_holder);
    ours->error_class = NULL;
    ours->cell_holder = NULL;
}

/* process.exit ends the process without the hooks of its environment: worker ids shall be given back all the same. */
__attribute__((destructor)) static void process_ends(void)
{
    handles_close_all(NULL);
}

static void addon_free(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    free(data);
}

/* The amalgamation is always of this version; a library of the system may be another. */
static bool check_version(napi_env env)
{
    if (FRAZIL_VERSION_FITS(frazil_version_number()))
        return true;
    (void)napi_throw_error(env, NULL,
                           "this addon was compiled for another version of libfrazil than the installed one; run "
                           "'npm rebuild frazil'");
    return false;
}

static bool make_cell(napi_env env, struct addon *addon, napi_value exports)
{
    napi_value buffer;
    void *data = NULL;

    if (napi_create_arraybuffer(env, CELL_WORDS * sizeof(uint64_t), &data, &buffer) != napi_ok ||
        napi_create_reference(env, buffer, 1, &addon->cell_holder) != napi_ok)
        return false;
    addon->cell = data;
    return napi_set_named_property(env, exports, "cell", buffer) == napi_ok;
}

static bool export_natives(napi_env env, napi_value exports)
{
    for (size_t t = 0; t < sizeof TABLES / sizeof TABLES[0]; t++) {
        for (const struct native *native = TABLES[t]; native->name != NULL; native++) {
            napi_value function;
            union {
                const void *in;
                void *out;
            } row = {.in = native}; /* Node-API has no const data; nobody writes there */
            if (napi_create_function(env, native->name, NAPI_AUTO_LENGTH, dispatch, row.out, &function) != napi_ok ||
                napi_set_named_property(env, exports, native->name, function) != napi_ok)
                return false;
        }
    }
    return true;
}

NAPI_MODULE_INIT()
{
    if (!check_version(env))
        return NULL;
    struct addon *addon = calloc(1, sizeof *addon);
    if (addon == NULL || napi_set_instance_data(env, addon, addon_free, NULL) != napi_ok) {
        free(addon);
        (void)napi_throw_error(env, NULL, "out of memory while loading frazil");
        return NULL;
    }
    if (!make_cell(env, addon, exports) || !export_natives(env, exports) ||
        napi_add_env_cleanup_hook(env, environment_ends, env) != napi_ok)
        return NULL;
    return exports;
}
