/* SPDX-License-Identifier: MIT */
/* The states in which a loss of power can leave a disk. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/disk_log_internal.h"
#include "lib/asserts.h"
#include "lib/scratch.h"

/* ---- the remains ---------------------------------------------------------------- */

/* Whether a change is on the disk for certain when so many have happened. */
static bool is_settled(unsigned at, unsigned ops)
{
    const struct op *op = &disk_log_now->op[at];
    int object = op->parent >= 0 ? op->parent : op->node;

    for (unsigned i = at + 1; i < ops; i++) {
        const struct op *later = &disk_log_now->op[i];
        if (later->node == object && later->kind == SYNCED)
            return true;
        if (later->node == object && later->kind == SYNC_FAILED && op->parent < 0)
            return false;
    }
    return false;
}

static bool is_change(unsigned at)
{
    return disk_log_now->op[at].kind != SYNCED && disk_log_now->op[at].kind != SYNC_FAILED;
}

static void add_atom(struct disk_atom *atoms, unsigned *n, unsigned op, int sector)
{
    assert_true(*n < DISK_ATOMS);
    atoms[(*n)++] = (struct disk_atom){.op = op, .sector = sector};
}

unsigned disk_log_atoms(unsigned ops, struct disk_atom atoms[DISK_ATOMS])
{
    unsigned n = 0;

    for (unsigned i = 0; i < ops; i++) {
        const struct op *op = &disk_log_now->op[i];
        if (!is_change(i) || is_settled(i, ops))
            continue;
        if (op->kind != WROTE) {
            add_atom(atoms, &n, i, DISK_WHOLE);
            continue;
        }
        if (op->grows)
            add_atom(atoms, &n, i, DISK_LENGTH);
        for (int sector = 0; (size_t)sector * DISK_SECTOR < op->len; sector++) {
            if ((op->changed >> sector & 1) != 0)
                add_atom(atoms, &n, i, sector);
        }
    }
    return n;
}

static void junk(unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(0xa5 + 7 * i);
}

static void tear_sector(struct node *node, size_t at, const unsigned char *bytes, size_t len,
                        const struct disk_outcome *outcome)
{
    size_t cut = outcome->cut < len ? outcome->cut : len;
    size_t block = at / DISK_BLOCK * DISK_BLOCK;

    switch (outcome->tear) {
    case DISK_TEAR_NONE:
        memcpy(node->bytes + at, bytes, len);
        break;
    case DISK_TEAR_PREFIX:
        memcpy(node->bytes + at, bytes, cut);
        break;
    case DISK_TEAR_SUFFIX:
        memcpy(node->bytes + at + cut, bytes + cut, len - cut);
        break;
    case DISK_TEAR_ZEROS:
        memset(node->bytes + at, 0, len);
        break;
    case DISK_TEAR_JUNK:
        junk(node->bytes + at, len);
        break;
    case DISK_TEAR_BLOCK:
        junk(node->bytes + block, DISK_BLOCK);
        break;
    }
}

/* One atom reaches the disk. */
static void keep(struct disk *disk, const struct disk_atom *atom, const struct disk_outcome *outcome, bool torn)
{
    const struct op *op = &disk_log_now->op[atom->op];
    static const struct disk_outcome whole = {.tear = DISK_TEAR_NONE};

    if (op->parent >= 0) {
        disk->at[op->name] = op->kind == UNLINKED ? NOT_THERE : op->node;
        if (op->other >= 0)
            disk->at[op->other] = NOT_THERE;
        return;
    }
    struct node *node = &disk->node[op->node];
    if (atom->sector == DISK_WHOLE) {
        disk_log_change(node, op);
    } else if (atom->sector == DISK_LENGTH) {
        if (op->offset + op->len > node->size)
            node->size = op->offset + op->len;
    } else {
        size_t at = (size_t)atom->sector * DISK_SECTOR;
        tear_sector(node, op->offset + at, disk_log_bytes(op, atom->sector), disk_log_sector_len(op, atom->sector),
                    torn ? outcome : &whole);
    }
}

/* Drops the bytes behind a file's end. */
static void cut_ends(struct disk *disk)
{
    for (int i = 0; i < disk_log_now->nodes; i++)
        memset(disk->node[i].bytes + disk->node[i].size, 0, DISK_FILE_MAX - disk->node[i].size);
}

/* The disk as it was at the beginning, as far as it is in use. */
static void copy_base(struct disk *ret)
{
    memcpy(ret->at, disk_log_now->base.at, sizeof ret->at);
    memcpy(ret->node, disk_log_now->base.node, (size_t)disk_log_now->nodes * sizeof ret->node[0]);
}

static void build(const struct disk_outcome *outcome, struct disk *ret)
{
    struct disk_atom atoms[DISK_ATOMS];
    unsigned n = disk_log_atoms(outcome->ops, atoms);
    unsigned next = 0;

    copy_base(ret);
    for (unsigned i = 0; i < outcome->ops; i++) {
        const struct disk_atom all = {.op = i, .sector = DISK_WHOLE};
        if (is_change(i) && is_settled(i, outcome->ops))
            keep(ret, &all, outcome, false);
        for (; next < n && atoms[next].op == i; next++) {
            if ((outcome->kept >> next & 1) != 0)
                keep(ret, &atoms[next], outcome, outcome->tear != DISK_TEAR_NONE && outcome->torn == next);
        }
    }
    cut_ends(ret);
}

/* Whether a name can be reached: its directories are there, too. */
static bool is_reachable(const struct disk *disk, int name)
{
    for (; name != ROOT; name = disk_log_now->name_parent[name]) {
        if (disk->at[name] == NOT_THERE)
            return false;
    }
    return true;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t word;

    for (; len > 0; at += sizeof word) {
        size_t part = len < sizeof word ? len : sizeof word;
        word = 0;
        memcpy(&word, at, part);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        len -= part;
    }
    return hash;
}

uint64_t disk_log_hash(const struct disk_outcome *outcome)
{
    static struct disk disk;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    build(outcome, &disk);
    for (int name = 1; name < disk_log_now->names; name++) {
        if (!is_reachable(&disk, name))
            continue;
        const struct node *node = &disk.node[disk.at[name]];
        hash = hash_bytes(hash, disk_log_now->name[name], strlen(disk_log_now->name[name]) + 1);
        hash = hash_bytes(hash, &node->size, sizeof node->size);
        hash = hash_bytes(hash, node->bytes, node->size);
    }
    return hash;
}

size_t disk_log_certain(const char *path, unsigned char bytes[DISK_FILE_MAX])
{
    static struct disk disk;
    static const struct disk_outcome nothing = {.tear = DISK_TEAR_NONE};
    const char *rest = disk_log_below(path);

    assert_non_null(rest);
    copy_base(&disk);
    for (unsigned i = 0; i < disk_log_now->ops; i++) {
        const struct disk_atom all = {.op = i, .sector = DISK_WHOLE};
        if (is_change(i) && is_settled(i, disk_log_now->ops))
            keep(&disk, &all, &nothing, false);
    }
    int name = disk_log_name(rest);
    if (!is_reachable(&disk, name))
        return 0;
    const struct node *node = &disk.node[disk.at[name]];
    memcpy(bytes, node->bytes, node->size);
    return node->size;
}

/* Empties the folder and writes the files of an outcome into it. */
static void write_out(const struct disk *disk)
{
    char path[2 * DISK_PATH_MAX];

    scratch_delete(disk_log_now->root);
    assert_int_equal(mkdir(disk_log_now->root, S_IRWXU), 0);
    for (int name = 1; name < disk_log_now->names; name++) {
        snprintf(path, sizeof path, "%s%s", disk_log_now->root, disk_log_now->name[name]);
        if (is_reachable(disk, name) && disk->node[disk->at[name]].is_dir)
            assert_int_equal(mkdir(path, S_IRWXU), 0);
    }
    for (int name = 1; name < disk_log_now->names; name++) {
        if (!is_reachable(disk, name) || disk->node[disk->at[name]].is_dir)
            continue;
        const struct node *node = &disk->node[disk->at[name]];
        snprintf(path, sizeof path, "%s%s", disk_log_now->root, disk_log_now->name[name]);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
        assert_true(fd >= 0);
        assert_int_equal(pwrite(fd, node->bytes, node->size, 0), node->size);
        close(fd);
    }
}

void disk_log_restart(const struct disk_outcome *outcome)
{
    static struct disk disk;
    bool was_on = disk_log_now->on;

    disk_log_now->ended = *outcome;
    build(outcome, &disk);
    disk_log_now->on = false;
    write_out(&disk);
    disk_log_now->on = was_on;
}

void disk_log_print(void)
{
    const struct disk_outcome *outcome = &disk_log_now->ended;
    static const char *const what[] = {"is named", "gets its name from", "is removed", "is cut", "is written",
                                       "synced",   "cannot be synced"};
    struct disk_atom atoms[DISK_ATOMS];
    unsigned n = disk_log_atoms(outcome->ops, atoms);

    for (unsigned i = 0; i < outcome->ops; i++) {
        const struct op *op = &disk_log_now->op[i];
        if (op->parent >= 0)
            print_message("%2u %s %s %s", i + 1, disk_log_now->name[op->name], what[op->kind],
                          op->other >= 0 ? disk_log_now->name[op->other] : "");
        else
            print_message("%2u file or directory %d %s", i + 1, op->node, what[op->kind]);
        for (unsigned atom = 0; atom < n; atom++) {
            if (atoms[atom].op == i)
                print_message("; sector %d %s", atoms[atom].sector,
                              (outcome->kept >> atom & 1) == 0                           ? "lost"
                              : outcome->tear != DISK_TEAR_NONE && outcome->torn == atom ? "torn"
                                                                                         : "kept");
        }
        print_message("\n");
    }
}
