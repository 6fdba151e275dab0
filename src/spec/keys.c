/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <string.h>

#include "core/nearest.h"
#include "core/sentence.h"
#include "os/host.h"

enum { KEY_NAME_SIZE = 20 };

/* In place, not pointed to: a pointer in a library is relocated, and costs more than the longest of these. */
static const char key_names[][KEY_NAME_SIZE] = {
#define KEY_NAME(identifier, name, whose, kind, member, needs, where) name,
    FZ_KEYS(KEY_NAME)
#undef KEY_NAME
};

const char *fz_key_name(enum fz_key key)
{
    return key_names[key];
}

bool fz_key_is_of_ids(enum fz_key key)
{
    enum { IDS = 1, PLACE = 0 };
    static const bool is_of_ids[] = {
#define KEY_OF_IDS(identifier, name, whose, kind, member, needs, where) whose,
        FZ_KEYS(KEY_OF_IDS)
#undef KEY_OF_IDS
    };

    return is_of_ids[key];
}

enum fz_key fz_key_named(const char *name, size_t len)
{
    int key = 0;

    while (key < FZ_KEYS_TOTAL && (strlen(key_names[key]) != len || memcmp(key_names[key], name, len) != 0))
        key++;
    return (enum fz_key)key;
}

void fz_key_variable(enum fz_key key, char name[FZ_KEY_VARIABLE_SIZE])
{
    size_t len = strlen(FZ_ENVIRONMENT_PREFIX);

    memcpy(name, FZ_ENVIRONMENT_PREFIX, len);
    for (const char *c = key_names[key]; *c != '\0'; c++)
        name[len++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    name[len] = '\0';
}

/* Looks whether a variable is meant to be a key; name is without the prefix. */
static void find_slip(const char *name, size_t len, fz_key_slip visit, void *ctx)
{
    struct fz_nearest near = fz_nearest_to(name, len);
    char typed[FZ_KEY_VARIABLE_SIZE];
    char meant[FZ_KEY_VARIABLE_SIZE];

    for (int key = 0; key < FZ_KEYS_TOTAL; key++)
        fz_nearest_offer(&near, key_names[key]);
    /* Two slips away may be somebody's own variable: others may use the prefix, too. */
    if (near.word == NULL || near.distance > 1 || len + sizeof FZ_ENVIRONMENT_PREFIX > sizeof typed)
        return;
    struct fz_sentence s = fz_sentence_in(typed, sizeof typed);
    fz_sentence_str(&s, FZ_ENVIRONMENT_PREFIX);
    fz_sentence_typed(&s, name, len);
    enum fz_key key = FZ_KEY_LAYOUT;
    while (key_names[key] != near.word)
        key++;
    fz_key_variable(key, meant);
    if (strcmp(meant, typed) != 0)
        visit(ctx, typed, meant);
}

void fz_key_find_slips(fz_key_slip visit, void *ctx)
{
    for (char *const *variable = fz_environment_all(); *variable != NULL; variable++) {
        const char *name = *variable + strlen(FZ_ENVIRONMENT_PREFIX);
        if (strncmp(*variable, FZ_ENVIRONMENT_PREFIX, strlen(FZ_ENVIRONMENT_PREFIX)) == 0)
            find_slip(name, strcspn(name, "="), visit, ctx);
    }
}
