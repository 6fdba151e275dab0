/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a directory of records can suffer is told apart, and
 * never taken for an empty one.
 */
#define _DEFAULT_SOURCE 1 /* flock, chroot */
#define _XOPEN_SOURCE 700 /* nftw */
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinators/file/file_register.h"
#include "coordinators/file/record_file.h"
#include "core/crc32.h"
#include "lib/jail.h"
#include "lib/test.h"

struct rig {
    char folder[64];
    struct fz_register reg;
    frazil_error err;
};

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static void start(struct rig *rig)
{
    memset(rig, 0, sizeof *rig);
    snprintf(rig->folder, sizeof rig->folder, "/tmp/frazil-file-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    assert_int_equal(fz_file_register_open(&rig->reg, rig->folder, &rig->err), FRAZIL_OK);
}

static void stop(struct rig *rig)
{
    rig->reg.close(rig->reg.ctx);
    nftw(rig->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const struct rig *rig, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", rig->folder, name);
    return path;
}

static void write_file(const struct rig *rig, const char *name, const char *text, size_t len)
{
    FILE *file = fopen(path_of(rig, name), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static enum fz_register_result swap(struct rig *rig, uint32_t number, uint64_t expected, uint64_t *ret_version)
{
    return rig->reg.swap(rig->reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){number, expected, "new", 3}, ret_version,
                         NULL, &rig->err);
}

static enum fz_register_result read_one(struct rig *rig, uint32_t number, struct fz_record *ret)
{
    return rig->reg.read(rig->reg.ctx, FZ_DEADLINE_NONE, number, ret, NULL, &rig->err);
}

static void assert_said(const struct rig *rig, const char *words)
{
    if (strstr(rig->err.message, words) == NULL)
        fail_msg("%s; wanted: %s", rig->err.message, words);
}

struct seen {
    size_t n;
    uint32_t number;
    struct fz_record record;
};

static void note(void *ctx, uint32_t number, const struct fz_record *record)
{
    struct seen *seen = ctx;

    seen->n++;
    seen->number = number;
    seen->record = *record;
}

/* Writes a file of one record. */
static void write_slot(const struct rig *rig, const char *name, const char *line, size_t offset)
{
    char content[FZ_RECORD_FILE_SIZE] = {0};
    char *slot = content + offset;

    memcpy(slot, line, strlen(line));
    uint32_t crc = fz_crc32(slot, FZ_RECORD_SLOT_SIZE - 4);
    for (unsigned i = 0; i < 4; i++)
        slot[FZ_RECORD_SLOT_SIZE - 4 + i] = (char)(crc >> (8 * i) & 0xff);
    write_file(rig, name, content, sizeof content);
}

TEST("The content of a file stays so: later versions read it")
{
    struct rig rig;
    struct fz_record record;

    start(&rig);
    write_slot(&rig, "worker-7", "frazil-record 12345 data\n", FZ_RECORD_SLOT_DISTANCE);
    assert_int_equal(read_one(&rig, 7, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 12345);
    assert_int_equal(record.len, 4);
    assert_memory_equal(record.data, "data", 4);
    write_slot(&rig, "worker-7", "frazil-record 12346 \n", 0);
    assert_int_equal(read_one(&rig, 7, &record), FZ_REGISTER_OK);
    assert_int_equal(record.len, 0);
    write_slot(&rig, "worker-7", "frazil-record 12345 data\n", 0); /* not its place */
    assert_int_equal(read_one(&rig, 7, &record), FZ_REGISTER_REFUSED);
    write_slot(&rig, "worker-7", "frazil-record 12346 data", 0);
    assert_int_equal(read_one(&rig, 7, &record), FZ_REGISTER_REFUSED);
    stop(&rig);
}

TEST("A record that is there keeps its file, so that no room is needed for a new one")
{
    struct rig rig;
    struct stat first;
    struct stat last;
    uint64_t version = 0;

    start(&rig);
    assert_int_equal(swap(&rig, 7, 0, &version), FZ_REGISTER_OK);
    assert_int_equal(stat(path_of(&rig, "worker-7"), &first), 0);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t before = version;
        assert_int_equal(swap(&rig, 7, before, &version), FZ_REGISTER_OK);
        assert_true(version > before);
        assert_int_equal((version ^ before) & 1, 1); /* so the record before stays whole in its own slot */
    }
    assert_int_equal(stat(path_of(&rig, "worker-7"), &last), 0);
    assert_int_equal(first.st_ino, last.st_ino);
    assert_int_equal(last.st_size, FZ_RECORD_FILE_SIZE);
    stop(&rig);
}

TEST("A second name, of a backup perhaps, keeps what it had")
{
    struct rig rig;
    char backup[128];
    char bytes[2][FZ_RECORD_FILE_SIZE];
    uint64_t version = 0;

    start(&rig);
    assert_int_equal(swap(&rig, 7, 0, &version), FZ_REGISTER_OK);
    snprintf(backup, sizeof backup, "%s/backup", rig.folder);
    assert_int_equal(link(path_of(&rig, "worker-7"), backup), 0);
    for (unsigned i = 0; i < 2; i++) {
        FILE *file = fopen(backup, "r");
        assert_non_null(file);
        assert_int_equal(fread(bytes[i], 1, sizeof bytes[i], file), sizeof bytes[i]);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(swap(&rig, 7, version, &version), FZ_REGISTER_OK);
    }
    assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
    stop(&rig);
}

enum { SWAPS = 300 };

/* Swaps in a process of its own. */
static int swap_often(const struct rig *rig, uint64_t version)
{
    for (unsigned i = 0; i < SWAPS; i++) {
        if (rig->reg.swap(rig->reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){7, version, "new", 3}, &version, NULL,
                          NULL) != FZ_REGISTER_OK)
            return 1;
    }
    return 0;
}

TEST("Readers, who need no guard, see each record whole, and never an older one after a newer one")
{
    struct rig rig;
    struct fz_record record = {.version = 0};
    uint64_t version = 0;
    int status;

    start(&rig);
    assert_int_equal(swap(&rig, 7, 0, &version), FZ_REGISTER_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(swap_often(&rig, version));
    while (waitpid(child, &status, WNOHANG) == 0) {
        assert_int_equal(read_one(&rig, 7, &record), FZ_REGISTER_OK);
        assert_true(record.version >= version);
        assert_int_equal(record.len, 3);
        version = record.version;
    }
    assert_int_equal(status, 0);
    stop(&rig);
}

TEST("A file that is damaged, cut off or too long: refused, never overwritten, and shown as what is not free")
{
    static char longest[600];
    const struct {
        const char *text;
        size_t len;
    } contents[] = {{"", 0},           {"12345", 5},   {"12345 data", 10}, {"0 data\n", 7},
                    {"012 data\n", 9}, {" data\n", 6}, {"x data\n", 7},    {longest, sizeof longest}};

    memset(longest, '1', sizeof longest);
    memcpy(longest, "12345 ", 6);
    longest[sizeof longest - 1] = '\n';
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        struct rig rig;
        struct fz_record untouched = {.version = 4711};
        struct seen seen = {.n = 0};
        uint64_t version;
        start(&rig);
        write_file(&rig, "worker-3", contents[i].text, contents[i].len);
        assert_int_equal(read_one(&rig, 3, &untouched), FZ_REGISTER_REFUSED);
        assert_said(&rig, "is not a valid record of frazil");
        assert_int_equal(untouched.version, 4711);
        assert_int_equal(swap(&rig, 3, 0, &version), FZ_REGISTER_REFUSED);
        assert_int_equal(swap(&rig, 3, 12345, &version), FZ_REGISTER_REFUSED);
        assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err), FZ_REGISTER_OK);
        assert_int_equal(seen.n, 1);
        assert_int_equal(seen.number, 3);
        assert_int_equal(seen.record.version, 1);
        assert_int_equal(seen.record.len, 0);
        write_file(&rig, "namespace", contents[i].text, contents[i].len);
        assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err),
                         FZ_REGISTER_REFUSED);
        stop(&rig);
    }
}

TEST("Other names in the directory are nobody's records")
{
    static const char *const names[] = {"worker-",      "worker-01", "worker--1", "worker-4294967295",
                                        "worker-1.new", "Worker-1",  "worker-1x", "namespaces"};
    struct rig rig;
    struct seen seen = {.n = 0};

    start(&rig);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        write_file(&rig, names[i], "1 x\n", 4);
    assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err), FZ_REGISTER_OK);
    assert_int_equal(seen.n, 0);
    write_file(&rig, "worker-4294967294", "1 x\n", 4);
    assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err), FZ_REGISTER_OK);
    assert_int_equal(seen.n, 1);
    uint64_t version = 0;
    assert_int_equal(swap(&rig, FZ_NAMESPACE, 0, &version), FZ_REGISTER_OK);
    assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err), FZ_REGISTER_OK);
    assert_int_equal(seen.n, 3); /* that one and the namespace, which no other name has */
    stop(&rig);
}

TEST("A write that the system refuses was not carried out")
{
    struct rig rig;
    struct fz_record record;
    struct seen seen = {.n = 0};
    uint64_t version;

    start(&rig);
    assert_int_equal(mkdir(path_of(&rig, "worker-0"), 0700), 0);
    assert_int_equal(read_one(&rig, 0, &record), FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "worker-0");
    assert_int_equal(swap(&rig, 0, 0, &version), FZ_REGISTER_UNREACHABLE);
    assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err),
                     FZ_REGISTER_UNREACHABLE);
    assert_int_equal(rmdir(path_of(&rig, "worker-0")), 0);

    assert_int_equal(mkdir(path_of(&rig, "worker-1.new"), 0700), 0);
    assert_int_equal(swap(&rig, 1, 0, &version), FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "cannot be written");
    assert_int_equal(rmdir(path_of(&rig, "worker-1.new")), 0);
    assert_int_equal(swap(&rig, 1, 0, &version), FZ_REGISTER_OK);

    nftw(rig.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(rig.reg.read_all(rig.reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, &rig.err),
                     FZ_REGISTER_UNREACHABLE);
    assert_int_equal(swap(&rig, 1, version, &version), FZ_REGISTER_UNREACHABLE);
    stop(&rig);
}

TEST("A limit on the size of files, like a full disk, leaves the record as it was; no signal ends the program")
{
    struct rig rig;
    struct fz_record record;
    struct rlimit before;
    uint64_t version = 0;

    start(&rig);
    assert_int_equal(swap(&rig, 0, 0, &version), FZ_REGISTER_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit tiny = {.rlim_cur = 4, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    uint64_t untouched = 4711;
    enum fz_register_result result = swap(&rig, 0, version, &untouched);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, FZ_REGISTER_UNREACHABLE);
    assert_int_equal(untouched, 4711);
    assert_int_equal(read_one(&rig, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    assert_int_equal(swap(&rig, 0, version, &version), FZ_REGISTER_OK);
    stop(&rig);
}

static int lowest_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    assert_true(fd >= 0);
    close(fd);
    return fd;
}

TEST("A new record that finds no room is not made, and nothing of it stays")
{
    struct rig rig;
    struct rlimit before;
    uint64_t version = 4711;

    start(&rig);
    int lowest = lowest_free_descriptor();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit tiny = {.rlim_cur = 4, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    enum fz_register_result result = swap(&rig, 1, 0, &version);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, FZ_REGISTER_UNREACHABLE);
    assert_int_equal(lowest_free_descriptor(), lowest);
    assert_int_equal(unlink(path_of(&rig, "worker-1.new")), -1);
    assert_int_equal(swap(&rig, 1, 0, &version), FZ_REGISTER_OK);
    stop(&rig);
}

TEST("While somebody else is inside the guard for good, nothing is swapped, and reading goes on")
{
    struct rig rig;
    struct fz_record record;
    uint64_t version = 0;

    start(&rig);
    assert_int_equal(swap(&rig, 0, 0, &version), FZ_REGISTER_OK);
    int fd = open(path_of(&rig, "records.lock"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    int before = lowest_free_descriptor();
    assert_int_equal(swap(&rig, 0, version, &version), FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "records");
    assert_int_equal(lowest_free_descriptor(), before);
    assert_int_equal(read_one(&rig, 0, &record), FZ_REGISTER_OK);
    close(fd);
    assert_int_equal(swap(&rig, 0, version, &version), FZ_REGISTER_OK);
    stop(&rig);
}

TEST("The directory is made if only it is missing; a path that is none is refused")
{
    struct rig rig;
    struct fz_register reg;
    struct stat info;

    start(&rig);
    assert_int_equal(fz_file_register_open(&reg, path_of(&rig, "orders"), &rig.err), FRAZIL_OK);
    reg.close(reg.ctx);
    assert_int_equal(stat(path_of(&rig, "orders"), &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(fz_file_register_open(&reg, path_of(&rig, "a/b"), &rig.err), FRAZIL_ESYS);
    assert_non_null(strstr(rig.err.message, "create the directory above it, or name another folder in the URL"));
    assert_null(strstr(rig.err.message, "state"));
    assert_int_equal(fz_file_register_open(&reg, "orders", &rig.err), FRAZIL_ESPEC);
    stop(&rig);
}

TEST("A file that is longer than that of any record is a damaged record, not an error of the disk")
{
    static const char bytes[FZ_RECORD_FILE_SIZE + 1];
    struct fz_record record = {.version = 4711};
    enum fz_record_form form = FZ_RECORD_SLOTS;
    struct rig rig;

    start(&rig);
    write_file(&rig, "7", bytes, sizeof bytes);
    assert_int_equal(fz_record_file_read(path_of(&rig, "7"), &record, &form), 0);
    assert_int_equal(form, FZ_RECORD_DAMAGED);
    assert_int_equal(record.version, 4711);
    stop(&rig);
}

TEST("After chroot() a folder of that name is neither read nor written, and the sentence says why")
{
    struct rig rig;
    struct fz_record record;
    uint64_t version = 0;

    if (geteuid() != 0) {
        print_message("only root can call chroot()\n");
        skip();
    }
    start(&rig);
    assert_int_equal(swap(&rig, 7, 0, &version), FZ_REGISTER_OK);
    jail_make(rig.folder);
    jail_enter();
    enum fz_register_result read = read_one(&rig, 7, &record);
    enum fz_register_result swapped = swap(&rig, 7, version, &version);
    jail_leave();
    assert_int_equal(read, FZ_REGISTER_UNREACHABLE);
    assert_int_equal(swapped, FZ_REGISTER_UNREACHABLE);
    assert_said(&rig, "its folder is another one than at the opening");
    assert_int_equal(swap(&rig, 7, version, &version), FZ_REGISTER_OK);
    stop(&rig);
}
