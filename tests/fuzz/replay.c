/* SPDX-License-Identifier: MIT */
/*
 * Gives a target the inputs of folders, and what lies next to them: each of their prefixes, and each of their bytes
 * changed to a few others.  Says how many that were.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_SIZE_MAX = 65536, PATH_SIZE = 4096, CHANGED_MAX = 2048 };

static uint64_t inputs;

/* In memory of exactly its size, so that a sanitizer sees who reads behind it. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *input = malloc(size == 0 ? 1 : size);

    REQUIRE(input != NULL);
    memcpy(input, data, size);
    REQUIRE(LLVMFuzzerTestOneInput(input, size) == 0);
    free(input);
    inputs++;
}

static void give_neighbours(uint8_t *data, size_t size)
{
    static const uint8_t others[] = {0, '\n', ' ', '\'', '/', '0', '9', ':', '=', 'Z', 'a', 0x80, 0xff};

    for (size_t len = 0; len < size && len < CHANGED_MAX; len++)
        give(data, len);
    for (size_t i = 0; i < size && i < CHANGED_MAX; i++) {
        uint8_t before = data[i];
        for (size_t other = 0; other < sizeof others; other++) {
            data[i] = others[other];
            give(data, size);
        }
        data[i] = before;
    }
}

static bool replay_file(const char *path)
{
    static uint8_t data[INPUT_SIZE_MAX];
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return false;
    size_t size = fread(data, 1, sizeof data, file);
    bool whole = feof(file) != 0 && ferror(file) == 0;
    fclose(file);
    if (!whole)
        return false;
    give(data, size);
    give_neighbours(data, size);
    return true;
}

/* How many files there were; each must be readable. */
static unsigned replay_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned files = 0;

    if (dir == NULL)
        return 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[PATH_SIZE];
        if (entry->d_name[0] == '.')
            continue;
        int len = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        REQUIRE(len > 0 && (size_t)len < sizeof path && replay_file(path));
        files++;
    }
    closedir(dir);
    return files;
}

int main(int argc, char **argv)
{
    unsigned files = 0;

    for (int i = 1; i < argc; i++)
        files += replay_folder(argv[i]);
    printf("%u files, %" PRIu64 " inputs\n", files, inputs);
    return files > 0 ? 0 : 1;
}
