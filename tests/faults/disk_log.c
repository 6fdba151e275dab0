/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "faults/disk_log_internal.h"
#include "lib/asserts.h"
#include "lib/scratch.h"

enum { DEPTH = 3 };

static struct disk_log logs[DEPTH];
struct disk_log *disk_log_now = logs;

/* ---- names and nodes ----------------------------------------------------------- */

const char *disk_log_below(const char *path)
{
    size_t len = strlen(disk_log_now->root);

    if (len == 0 || strncmp(path, disk_log_now->root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return NULL;
    return path + len;
}

int disk_log_name(const char *rest)
{
    char text[DISK_PATH_MAX];
    size_t len = strlen(rest);

    while (len > 0 && rest[len - 1] == '/')
        len--;
    assert_true(len < sizeof text);
    memcpy(text, rest, len);
    text[len] = '\0';
    for (int i = 0; i < disk_log_now->names; i++) {
        if (strcmp(disk_log_now->name[i], text) == 0)
            return i;
    }
    assert_true(disk_log_now->names < DISK_NODES);
    int name = disk_log_now->names++;
    memcpy(disk_log_now->name[name], text, len + 1);
    disk_log_now->base.at[name] = disk_log_now->now.at[name] = NOT_THERE;
    char *slash = strrchr(text, '/');
    assert_non_null(slash);
    *slash = '\0';
    disk_log_now->name_parent[name] =
        disk_log_name(text); /* which was there before what is in it, so its number is lower */
    return name;
}

static int new_node(bool is_dir)
{
    assert_true(disk_log_now->nodes < DISK_NODES);
    int node = disk_log_now->nodes++;
    disk_log_now->base.node[node] = disk_log_now->now.node[node] = (struct node){.is_dir = is_dir};
    return node;
}

/* ---- writing down --------------------------------------------------------------- */

static struct op *add(enum kind kind, int node)
{
    assert_true(disk_log_now->ops < DISK_OPS);
    struct op *op = &disk_log_now->op[disk_log_now->ops++];
    *op = (struct op){.kind = kind, .node = node, .parent = -1};
    return op;
}

static void add_name(enum kind kind, int name, int node, int other)
{
    struct op *op = add(kind, node);

    op->name = name;
    op->other = other;
    op->parent = disk_log_now->now.at[disk_log_now->name_parent[name]];
    assert_true(op->parent >= 0);
    disk_log_now->now.at[name] = kind == UNLINKED ? NOT_THERE : node;
    if (other >= 0)
        disk_log_now->now.at[other] = NOT_THERE;
}

enum disk_fate disk_log_fate(void)
{
    if (!disk_log_now->on)
        return DISK_LIVES;
    if (disk_log_now->fate != DISK_LIVES && disk_log_now->ops + 1 >= disk_log_now->doomed_at) {
        disk_log_now->dead = disk_log_now->dead || disk_log_now->fate == DISK_DIES;
        disk_log_now->fate = DISK_LIVES;
        return disk_log_now->dead ? DISK_DIES : DISK_FAILS;
    }
    return disk_log_now->dead ? DISK_DIES : DISK_LIVES;
}

void disk_log_opened(int fd, const char *path, int flags)
{
    const char *rest = disk_log_below(path);

    assert_in_range(fd, 0, FDS - 1);
    disk_log_now->fd_node[fd] = NOT_THERE;
    disk_log_now->fd_at[fd] = 0;
    if (!disk_log_now->on || rest == NULL)
        return;
    int name = disk_log_name(rest);
    if (disk_log_now->now.at[name] == NOT_THERE)
        add_name(NAMED, name, new_node(false), -1);
    int node = disk_log_now->now.at[name];
    disk_log_now->fd_node[fd] = node;
    if ((flags & O_TRUNC) != 0 && disk_log_now->now.node[node].size > 0)
        disk_log_resized(fd, 0);
}

void disk_log_closed(int fd)
{
    if (fd >= 0 && fd < FDS)
        disk_log_now->fd_node[fd] = NOT_THERE;
}

void disk_log_made_dir(const char *path)
{
    const char *rest = disk_log_below(path);

    if (disk_log_now->on && rest != NULL)
        add_name(NAMED, disk_log_name(rest), new_node(true), -1);
}

/* The node of a descriptor, or NOT_THERE if it is none of ours. */
static int node_of(int fd)
{
    return disk_log_now->on && fd >= 0 && fd < FDS ? disk_log_now->fd_node[fd] : NOT_THERE;
}

void disk_log_change(struct node *node, const struct op *op)
{
    if (op->kind == RESIZED && op->offset < node->size)
        memset(node->bytes + op->offset, 0, node->size - op->offset);
    if (op->kind == RESIZED)
        node->size = op->offset;
    if (op->kind == WROTE)
        memcpy(node->bytes + op->offset, disk_log_bytes(op, 0), op->len);
    if (op->kind == WROTE && op->offset + op->len > node->size)
        node->size = op->offset + op->len;
}

const unsigned char *disk_log_bytes(const struct op *op, int sector)
{
    return disk_log_now->bytes + op->bytes + (size_t)sector * DISK_SECTOR;
}

size_t disk_log_sector_len(const struct op *op, int sector)
{
    size_t from = (size_t)sector * DISK_SECTOR;

    return op->len - from < DISK_SECTOR ? op->len - from : DISK_SECTOR;
}

void disk_log_wrote(int fd, uint64_t offset, const void *bytes, size_t len)
{
    int node = node_of(fd);

    if (node == NOT_THERE)
        return;
    assert_true(offset + len <= DISK_FILE_MAX);
    struct op *op = add(WROTE, node);
    op->offset = offset;
    op->len = len;
    assert_true(disk_log_now->written + len <= WRITTEN_MAX);
    op->bytes = disk_log_now->written;
    memcpy(disk_log_now->bytes + op->bytes, bytes, len);
    disk_log_now->written += len;
    struct node *now = &disk_log_now->now.node[node];
    op->grows = offset + len > now->size;
    for (int i = 0; (size_t)i * DISK_SECTOR < len; i++) {
        size_t at = (size_t)i * DISK_SECTOR;
        if (memcmp(now->bytes + offset + at, disk_log_bytes(op, i), disk_log_sector_len(op, i)) != 0)
            op->changed |= 1U << i;
    }
    disk_log_change(now, op);
}

void disk_log_appended(int fd, const void *bytes, size_t len)
{
    if (node_of(fd) == NOT_THERE)
        return;
    disk_log_wrote(fd, (uint64_t)disk_log_now->fd_at[fd], bytes, len);
    disk_log_now->fd_at[fd] += (off_t)len;
}

void disk_log_resized(int fd, uint64_t size)
{
    int node = node_of(fd);

    if (node == NOT_THERE)
        return;
    struct op *op = add(RESIZED, node);
    op->offset = size;
    disk_log_change(&disk_log_now->now.node[node], op);
}

void disk_log_synced(int fd, bool well)
{
    if (node_of(fd) != NOT_THERE)
        add(well ? SYNCED : SYNC_FAILED, node_of(fd));
}

void disk_log_renamed(const char *from, const char *to)
{
    if (!disk_log_now->on || disk_log_below(from) == NULL || disk_log_below(to) == NULL)
        return;
    int other = disk_log_name(disk_log_below(from));
    add_name(RENAMED, disk_log_name(disk_log_below(to)), disk_log_now->now.at[other], other);
}

void disk_log_unlinked(const char *path)
{
    if (disk_log_now->on && disk_log_below(path) != NULL)
        add_name(UNLINKED, disk_log_name(disk_log_below(path)), NOT_THERE, -1);
}

/* ---- beginning and ending ---------------------------------------------------------- */

static void begin(void)
{
    disk_log_now->on = disk_log_now->dead = false;
    disk_log_now->fate = DISK_LIVES;
    disk_log_now->ops = 0;
    disk_log_now->written = 0;
    disk_log_now->names = disk_log_now->nodes = 1;
    disk_log_now->base.node[ROOT].is_dir = disk_log_now->now.node[ROOT].is_dir = true;
    for (int fd = 0; fd < FDS; fd++)
        disk_log_now->fd_node[fd] = NOT_THERE;
}

/* Takes over what is there already. */
static void adopt(const char *path)
{
    char inside[DISK_PATH_MAX];
    DIR *dir = opendir(path);
    struct stat status;

    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_true(snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside);
        assert_int_equal(stat(inside, &status), 0);
        int node = new_node(S_ISDIR(status.st_mode));
        disk_log_now->base.at[disk_log_name(disk_log_below(inside))] = node;
        if (S_ISDIR(status.st_mode))
            adopt(inside);
        else
            disk_log_now->base.node[node].size =
                scratch_read(inside, disk_log_now->base.node[node].bytes, DISK_FILE_MAX);
    }
    closedir(dir);
}

void disk_log_begin(const char *folder)
{
    begin();
    assert_true(snprintf(disk_log_now->root, sizeof disk_log_now->root, "%s", folder) < (int)sizeof disk_log_now->root);
    adopt(folder);
    disk_log_now->now = disk_log_now->base;
    disk_log_now->on = true;
}

void disk_log_stop(void)
{
    disk_log_now->on = false;
}

void disk_log_push(void)
{
    assert_true(disk_log_now + 1 < logs + DEPTH);
    disk_log_now++;
    begin();
}

void disk_log_pop(void)
{
    assert_true(disk_log_now > logs);
    disk_log_now--;
}

void disk_log_end(void)
{
    struct disk_log *last = disk_log_now;

    for (disk_log_now = logs; disk_log_now < last; disk_log_now++) {
        disk_log_print();
        print_message("power is lost\n");
    }
    disk_log_now = logs;
    disk_log_now->on = false;
}

unsigned disk_log_len(void)
{
    return disk_log_now->ops;
}

void disk_log_doom(enum disk_fate fate, unsigned at)
{
    disk_log_now->fate = fate;
    disk_log_now->doomed_at = at;
    disk_log_now->dead = false;
}

bool disk_log_is_dead(void)
{
    return disk_log_now->dead;
}
