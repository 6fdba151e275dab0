/* SPDX-License-Identifier: MIT */
#include "config_file.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)4 << 20) /* a thousand generators fit into a tenth of it */
#define SECTIONS_MAX 10000
#define ROWS_MAX 1000 /* of a section; there are fewer than a hundred keys */
#define ERROR_BYTES_MAX ((size_t)256 << 10)

void config_complain(struct bytes *errors, struct place place, const char *fmt, ...)
{
    char text[1200];
    va_list args;

    if (errors->len > ERROR_BYTES_MAX)
        return; /* nobody reads them all */
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (place.line > 0)
        bytes_format(errors, "%s:%u: %s\n", place.file, place.line, text);
    else
        bytes_format(errors, "%s: %s\n", place.file, text);
}

bool config_is_good(const struct bytes *errors)
{
    return errors->len == 0 && !errors->failed;
}

void *config_memory(void *memory, struct bytes *errors)
{
    if (memory == NULL)
        bytes_add_text(errors, "out of memory\n");
    return memory;
}

/* A copy of len characters, or NULL. */
static char *copy(const char *text, size_t len, struct bytes *errors)
{
    char *ret = config_memory(malloc(len + 1), errors);

    if (ret == NULL)
        return NULL;
    memcpy(ret, text, len);
    ret[len] = '\0';
    return ret;
}

/* The array with room for one more; NULL: there is no memory, and it is as before. */
static void *grown(void *array, size_t count, size_t size, struct bytes *errors)
{
    if ((count & (count - 1)) != 0)
        return array;
    void *more = realloc(array, (count == 0 ? 1 : 2 * count) * size);
    if (more == NULL)
        (void)config_memory(NULL, errors);
    return more;
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

/* Whether it is one word; any other text may be a part of a URL with a password, and is not shown. */
static bool is_word_with(struct bytes text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strchr(others, c) == NULL)
            return false;
    }
    return text.len > 0;
}

/* Whether it can be a key. */
static bool is_key(struct bytes text)
{
    return is_word_with(text, "_-");
}

/* Whether it can be the kind or the name of a section. */
static bool is_word(struct bytes text)
{
    return is_word_with(text, "_.-");
}

/* The section that stands there already; NULL: none. */
static const struct config_section *find_section(const struct config_file *file, const struct config_section *like)
{
    for (size_t i = 0; i < file->count; i++) {
        if (strcmp(file->sections[i].kind, like->kind) == 0 && strcmp(file->sections[i].name, like->name) == 0)
            return &file->sections[i];
    }
    return NULL;
}

static void free_row(struct config_row *row)
{
    if (row->value != NULL)
        explicit_bzero(row->value, strlen(row->value));
    free(row->value);
    free(row->key);
}

static void free_section(struct config_section *section)
{
    for (size_t i = 0; i < section->count; i++)
        free_row(&section->rows[i]);
    free(section->rows);
    free(section->kind);
    free(section->name);
}

static void keep_section(struct config_file *file, struct config_section *section, struct bytes *errors)
{
    const struct config_section *other = find_section(file, section);

    if (other != NULL)
        config_complain(errors, section->place, "the section [%s%s%s] is already defined at %s:%u: keep one of the two",
                        section->kind, section->name[0] != '\0' ? " " : "", section->name, other->place.file,
                        other->place.line);
    struct config_section *sections = grown(file->sections, file->count, sizeof *section, errors);
    if (sections == NULL) {
        free_section(section);
        return;
    }
    file->sections = sections;
    file->skips = false;
    file->sections[file->count++] = *section; /* also a second one: what it holds is looked at, too */
}

/* The keys of a section that is refused are not those of the section before it. */
static void add_section(struct config_file *file, struct bytes line, struct place place, struct bytes *errors)
{
    struct bytes inner = trimmed(line.at + 1, line.len - 2);
    size_t kind_len = 0;

    file->skips = true;

    while (kind_len < inner.len && inner.at[kind_len] != ' ' && inner.at[kind_len] != '\t')
        kind_len++;
    struct bytes kind = {.at = inner.at, .len = kind_len};
    struct bytes name = trimmed(inner.at + kind_len, inner.len - kind_len);
    if (!is_word(kind) || (name.len > 0 && !is_word(name))) {
        config_complain(
            errors, place,
            "the text between the brackets is not a section: it must be one or two words of letters, digits, "
            "'.', '-' and '_', as in [generator main]");
        return;
    }
    if (file->count == SECTIONS_MAX) {
        if (!file->is_full)
            config_complain(errors, place, "more than %d sections", SECTIONS_MAX);
        file->is_full = true;
        return;
    }
    struct config_section section = {copy(kind.at, kind.len, errors), copy(name.at, name.len, errors), place, NULL, 0};
    if (section.kind != NULL && section.name != NULL)
        keep_section(file, &section, errors);
    else
        free_section(&section);
}

/* Whether the row may be added: its key is new in the section. */
static bool is_new(const struct config_section *section, const struct config_row *row, struct bytes *errors)
{
    for (size_t i = 0; i < section->count; i++) {
        if (strcmp(section->rows[i].key, row->key) != 0)
            continue;
        config_complain(errors, row->place, "the key %s is already set at %s:%u: keep one of the two", row->key,
                        section->rows[i].place.file, section->rows[i].place.line);
        return false;
    }
    if (section->count < ROWS_MAX)
        return true;
    config_complain(errors, row->place, "more than %d keys in one section", ROWS_MAX);
    return false;
}

/*
 * A copy of the value.  In quotes it is what stands in them, as in a spec: \' is a quote there, and \\ a backslash.
 * Without them it goes up to the end of the line.  NULL: no memory, or a quote is not closed.
 */
static char *value_of(struct bytes text, const char *key, struct place place, struct bytes *errors)
{
    char *ret = copy(text.at, text.len, errors);
    size_t to = 0, at = 1;

    if (ret != NULL && text.len > 0 && text.at[0] == '"')
        config_complain(errors, place, "the key %s: a value is quoted by ', not by \"", key);
    if (ret == NULL || text.len == 0 || text.at[0] != '\'')
        return ret;
    for (; at < text.len && text.at[at] != '\''; at++) {
        if (text.at[at] == '\\' && at + 1 < text.len && (text.at[at + 1] == '\'' || text.at[at + 1] == '\\'))
            at++;
        ret[to++] = text.at[at];
    }
    explicit_bzero(ret + to, text.len - to);
    if (at + 1 == text.len)
        return ret;
    config_complain(errors, place,
                    at < text.len ? "the key %s: unexpected text after the closing quote"
                                  : "the key %s: the quote is not closed",
                    key);
    explicit_bzero(ret, to);
    free(ret);
    return NULL;
}

static void keep_row(struct config_section *section, struct config_row *row, struct bytes *errors)
{
    struct config_row *rows =
        is_new(section, row, errors) ? grown(section->rows, section->count, sizeof *row, errors) : NULL;

    if (rows == NULL) {
        free_row(row);
        return;
    }
    if (row->value[0] == '\0')
        config_complain(errors, row->place, "the key %s has no value: leave it out for its default", row->key);
    section->rows = rows;
    section->rows[section->count++] = *row;
}

static void add_row(struct config_file *file, struct bytes line, struct place place, struct bytes *errors)
{
    const char *equals = memchr(line.at, '=', line.len);

    if (equals == NULL || equals == line.at) {
        config_complain(errors, place, "expected key=value, [section] or a comment (#)");
        return;
    }
    if (file->skips)
        return;
    if (file->count == file->others) {
        config_complain(errors, place, "a key is before the first [section]");
        return;
    }
    struct bytes key = trimmed(line.at, (size_t)(equals - line.at));
    if (!is_key(key)) {
        config_complain(errors, place,
                        "the text before the '=' is not a key: a key is one word of letters, digits and _, as in "
                        "max_batch=10000");
        return;
    }
    struct bytes value = trimmed(equals + 1, line.len - (size_t)(equals - line.at) - 1);
    struct config_row row = {copy(key.at, key.len, errors), NULL, place};
    if (row.key != NULL)
        row.value = value_of(value, row.key, place, errors);
    if (row.value != NULL)
        keep_row(&file->sections[file->count - 1], &row, errors);
    else
        free_row(&row);
}

/* has_lines: the text is a file, whose lines errors can number. */
static void read_lines(struct config_file *file, const char *name, bool has_lines, const char *text, size_t len,
                       struct bytes *errors)
{
    static const char mark[] = "\xef\xbb\xbf"; /* editors of Windows put it before a text */
    size_t marked = sizeof mark - 1;
    struct place place = {name, 0};

    file->others = file->count;
    file->skips = false;
    if (has_lines && len >= marked && memcmp(text, mark, marked) == 0) {
        text += marked;
        len -= marked;
    }
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t line_len = end != NULL ? (size_t)(end - text) : len;
        struct bytes line = trimmed(text, line_len);
        place.line += has_lines;
        if (memchr(line.at, '\0', line.len) != NULL) {
            config_complain(errors, place, "the line holds a zero byte: save the file as UTF-8, if it is UTF-16");
            return;
        }
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

/* The name, for as long as the file is there; without memory another text, and an error. */
static const char *kept_name(struct config_file *file, const char *name, struct bytes *errors)
{
    char *kept = copy(name, strlen(name), errors);
    char **names = grown(file->names, file->name_count, sizeof *names, errors);

    if (names != NULL)
        file->names = names;
    if (kept != NULL && names != NULL)
        return file->names[file->name_count++] = kept;
    free(kept);
    return "frazild.conf";
}

void config_file_read_text(struct config_file *file, const char *name, const char *text, struct bytes *errors)
{
    read_lines(file, kept_name(file, name, errors), false, text, strlen(text), errors);
}

static void read_one(struct config_file *file, const char *path, struct bytes *errors)
{
    struct place place = {kept_name(file, path, errors), 0};
    struct bytes text = {0};
    const char *why = file_read(path, FILE_BYTES_MAX, &text, NULL);

    file->is_unread |= why != NULL;
    if (why != NULL)
        config_complain(errors, place, "cannot be read: %s", why);
    else
        read_lines(file, place.file, true, text.at, text.len, errors);
    file_wipe(&text);
}

/* Such a folder holds nothing else, but for what an editor or a package leaves there. */
static int is_conf(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".conf") == 0;
}

/* A path of its parts, to be freed; NULL: no memory. */
static char *joined(const char *before, size_t len, const char *between, const char *after, struct bytes *errors)
{
    struct bytes path = {0};

    bytes_add(&path, before, len);
    bytes_add_text(&path, between);
    bytes_add(&path, after, strlen(after) + 1);
    if (config_memory(path.failed ? NULL : path.at, errors) != NULL)
        return path.at;
    bytes_free(&path);
    return NULL;
}

/* A folder that is there and cannot be listed may hold users: it is not as if there were none. */
static void read_folder(struct config_file *file, const char *folder, struct bytes *errors)
{
    struct dirent **found = NULL;
    int count = scandir(folder, &found, is_conf, alphasort);

    if (count < 0 && !file_is_absent(folder)) {
        config_complain(errors, (struct place){kept_name(file, folder, errors), 0},
                        "cannot be read: %s: let the daemon's user list it, or remove it", strerror(errno));
        file->is_unread = true;
    }
    for (int i = 0; i < count; i++) {
        char *path = joined(folder, strlen(folder), "/", found[i]->d_name, errors);
        if (path != NULL)
            read_one(file, path, errors);
        free(path);
        free(found[i]);
    }
    free(found);
}

void config_file_read(struct config_file *file, const char *path, struct bytes *errors)
{
    const char *slash = strrchr(path, '/');
    char *folder = joined(path, slash != NULL ? (size_t)(slash - path) + 1 : 0, "", "conf.d", errors);

    read_one(file, path, errors);
    if (folder != NULL)
        read_folder(file, folder, errors);
    free(folder);
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
