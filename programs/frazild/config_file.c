/* SPDX-License-Identifier: MIT */
#include "config_file.h"

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)4 << 20) /* a thousand generators fit into a tenth of it */

void config_complain(struct bytes *errors, struct place place, const char *fmt, ...)
{
    char text[1200];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (place.line > 0)
        bytes_format(errors, "%s:%u: %s\n", place.file, place.line, text);
    else
        bytes_format(errors, "%s: %s\n", place.file, text);
}

/* A copy of len characters; the daemon does not start without memory, so that nobody needs to look for NULL. */
static char *copy(const char *text, size_t len)
{
    char *ret = malloc(len + 1);

    if (ret == NULL)
        abort();
    memcpy(ret, text, len);
    ret[len] = '\0';
    return ret;
}

/* An array with room for one more. */
static void *grown(void *array, size_t count, size_t size)
{
    void *ret = (count & (count - 1)) == 0 ? realloc(array, (count == 0 ? 1 : 2 * count) * size) : array;

    if (ret == NULL)
        abort();
    return ret;
}

/* The text without the blanks around it. */
static struct bytes trimmed(const char *at, size_t len)
{
    while (len > 0 && (*at == ' ' || *at == '\t')) {
        at++;
        len--;
    }
    while (len > 0 && (at[len - 1] == ' ' || at[len - 1] == '\t' || at[len - 1] == '\r'))
        len--;
    return (struct bytes){.at = (char *)(uintptr_t)at, .len = len};
}

static bool is_printable(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < ' ' && text[i] != '\t')
            return false;
    }
    return true;
}

/* Whether it can be a key.  Any other text may be a part of a URL with a password, and is not shown. */
static bool is_key(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-')
            return false;
    }
    return text.len > 0;
}

static void add_section(struct config_file *file, struct bytes line, struct place place, struct bytes *errors)
{
    struct bytes inner = trimmed(line.at + 1, line.len - 2);
    size_t kind_len = 0;

    while (kind_len < inner.len && inner.at[kind_len] != ' ' && inner.at[kind_len] != '\t')
        kind_len++;
    struct bytes name = trimmed(inner.at + kind_len, inner.len - kind_len);
    struct config_section section = {copy(inner.at, kind_len), copy(name.at, name.len), place, NULL, 0};
    for (size_t i = 0; i < file->count; i++) {
        if (strcmp(file->sections[i].kind, section.kind) == 0 && strcmp(file->sections[i].name, section.name) == 0)
            config_complain(errors, place, "the section [%s] stands at %s:%u already: keep one of the two",
                            section.name[0] != '\0' ? section.name : section.kind, file->sections[i].place.file,
                            file->sections[i].place.line);
    }
    file->sections = grown(file->sections, file->count, sizeof section);
    file->sections[file->count++] = section;
}

static void add_row(struct config_file *file, struct bytes line, struct place place, struct bytes *errors)
{
    const char *equals = memchr(line.at, '=', line.len);

    if (equals == NULL || equals == line.at) {
        config_complain(errors, place, "expected key=value, [section] or a comment (#)");
        return;
    }
    if (file->count == 0) {
        config_complain(errors, place, "a key stands before the first [section]");
        return;
    }
    struct config_section *section = &file->sections[file->count - 1];
    struct bytes key = trimmed(line.at, (size_t)(equals - line.at));
    if (!is_key(key)) {
        config_complain(errors, place,
                        "what stands before the '=' is no key: a key is one word of letters, digits and _, as in "
                        "max_batch=10000");
        return;
    }
    struct bytes value = trimmed(equals + 1, line.len - (size_t)(equals - line.at) - 1);
    struct config_row row = {copy(key.at, key.len), copy(value.at, value.len), place};
    for (size_t i = 0; i < section->count; i++) {
        if (strcmp(section->rows[i].key, row.key) == 0)
            config_complain(errors, place, "the key %s stands at %s:%u already: keep one of the two", row.key,
                            section->rows[i].place.file, section->rows[i].place.line);
    }
    if (value.len == 0)
        config_complain(errors, place, "the key %s has no value: leave it out to have its default", row.key);
    section->rows = grown(section->rows, section->count, sizeof row);
    section->rows[section->count++] = row;
}

static void read_lines(struct config_file *file, const char *name, const char *text, size_t len, struct bytes *errors)
{
    struct place place = {name, 0};

    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t line_len = end != NULL ? (size_t)(end - text) : len;
        struct bytes line = trimmed(text, line_len);
        place.line++;
        if (!is_printable(line.at, line.len))
            config_complain(errors, place, "the line holds a control character");
        else if (line.len >= 2 && line.at[0] == '[' && line.at[line.len - 1] == ']')
            add_section(file, line, place, errors);
        else if (line.len > 0 && line.at[0] != '#' && line.at[0] != ';')
            add_row(file, line, place, errors);
        line_len += end != NULL;
        text += line_len;
        len -= line_len;
    }
}

static const char *kept_name(struct config_file *file, const char *name)
{
    file->names = grown(file->names, file->name_count, sizeof *file->names);
    return file->names[file->name_count++] = copy(name, strlen(name));
}

void config_file_read_text(struct config_file *file, const char *name, const char *text, struct bytes *errors)
{
    read_lines(file, kept_name(file, name), text, strlen(text), errors);
}

static void read_one(struct config_file *file, const char *path, struct bytes *errors)
{
    struct place place = {kept_name(file, path), 0};
    FILE *stream = fopen(path, "re");
    char *text = malloc(FILE_BYTES_MAX);

    if (stream == NULL || text == NULL) {
        config_complain(errors, place, "cannot be read: %s", strerror(errno));
    } else {
        size_t len = fread(text, 1, FILE_BYTES_MAX, stream);
        if (ferror(stream))
            config_complain(errors, place, "cannot be read: %s", strerror(errno));
        else if (len == FILE_BYTES_MAX)
            config_complain(errors, place, "is larger than 4 MiB");
        else
            read_lines(file, place.file, text, len, errors);
        explicit_bzero(text, len);
    }
    free(text);
    if (stream != NULL)
        (void)fclose(stream);
}

void config_file_read(struct config_file *file, const char *path, struct bytes *errors)
{
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    char pattern[4096];
    glob_t found = {0};

    read_one(file, path, errors);
    (void)snprintf(pattern, sizeof pattern, "%.*sconf.d/*.conf", folder, path);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            read_one(file, found.gl_pathv[i], errors);
    }
    globfree(&found);
}

static void free_section(struct config_section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        explicit_bzero(section->rows[i].value, strlen(section->rows[i].value));
        free(section->rows[i].key);
        free(section->rows[i].value);
    }
    free(section->rows);
    free(section->kind);
    free(section->name);
}

void config_file_free(struct config_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free_section(&file->sections[i]);
    for (size_t i = 0; i < file->name_count; i++)
        free(file->names[i]);
    free(file->sections);
    free(file->names);
    *file = (struct config_file){0};
}
