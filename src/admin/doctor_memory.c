/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "doctor_judge.h"
#include "os/file.h"

static bool read_line(const char *path, char ret[FZ_MEMORY_SIZE])
{
    size_t len;

    if (fz_file_read(path, ret, FZ_MEMORY_SIZE, &len) != 0 || len < 2 || strlen(ret) != len || ret[len - 1] != '\n')
        return false;
    ret[len - 1] = '\0';
    return true;
}

static void write_line(const char *path, const char *text)
{
    char line[FZ_MEMORY_SIZE];
    struct fz_sentence s = fz_sentence_in(line, sizeof line);
    int fd;

    fz_sentence_str(&s, text);
    fz_sentence_char(&s, '\n');
    if (fz_new_file_begin(path, &fd) != 0)
        return;
    if (fz_file_write(fd, 0, line, s.len) != 0 || fz_new_file_publish(path) != 0) {
        fz_new_file_abandon(path, fd); /* the next run compares with an older one */
        return;
    }
    close(fd);
}

bool fz_doctor_remember(const char *directory, const char *name, const char *text, char ret_last[FZ_MEMORY_SIZE])
{
    char path[FZ_PATH_SIZE];

    if (fz_path_join(path, directory, "/", name) != 0)
        return false;
    bool found = read_line(path, ret_last);
    write_line(path, text);
    return found;
}
