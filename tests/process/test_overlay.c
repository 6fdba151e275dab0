/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: on an overlay, where no lock outlives a closing of all descriptors, whoever closes a generator
 * with state=file gives nothing back that an unseen process may still use; and a word in an image is nobody's.
 */
#define _GNU_SOURCE /* unshare */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/word_file.h"

EACH_IN_SCRATCH

/* How a child ends. */
enum { GOOD, NO_MOUNT, NO_OPENING, NO_ID, SAME_TICKS, SAME_WORD, SAME_NUMBER };

/* Mounts an overlay over lower, whose changes go to upper; both are made. */
static bool mount_layer(const char *lower, const char *upper)
{
    char options[600];
    char work[64];

    snprintf(work, sizeof work, "%s.work", upper);
    (void)mkdir(scratch_path(scratch, lower), S_IRWXU);
    (void)mkdir(scratch_path(scratch, "disk/layer"), S_IRWXU);
    if (mkdir(scratch_path(scratch, upper), S_IRWXU) != 0 || mkdir(scratch_path(scratch, work), S_IRWXU) != 0)
        return false;
    snprintf(options, sizeof options, "lowerdir=%s/%s,upperdir=%s/%s,workdir=%s/%s", scratch, lower, scratch, upper,
             scratch, work);
    return mount("overlay", scratch_path(scratch, "disk/layer"), "overlay", 0, options) == 0;
}

static bool mount_overlay(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mkdir(scratch_path(scratch, "disk"), S_IRWXU) == 0 &&
           mount("disk", scratch_path(scratch, "disk"), "tmpfs", 0, NULL) == 0 &&
           mount_layer("disk/lower", "disk/upper");
}

/* Carries something out in a child, whose mounts are its own. */
static void run(int (*work)(void))
{
    int status = bound_run(work);

    if (status == NO_MOUNT) {
        print_message("SKIPPED: no overlay can be mounted here\n");
        skip();
    }
    assert_int_equal(status, GOOD);
}

/* The container of that host directory sees no claims of the others. */
static frazil *open_there(const struct ports *ports, const char *host, const char *bounds)
{
    char spec[1200];
    frazil *gen = NULL;

    snprintf(spec, sizeof spec,
             "layout=frazil worker=fixed:7 state=file namespace=n run_dir=%s/disk/layer/run state_dir=%s/disk/state "
             "host_dir=%s/disk/%s keeper=inline max_lead=unlimited start=zero %s",
             scratch, scratch, scratch, host, bounds);
    return ports_open(&gen, spec, ports, NULL) == FRAZIL_OK ? gen : NULL;
}

static void close_descriptors(void)
{
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
        close(fd);
}

/*
 * One generator loses its descriptors and goes on; one of equal bounds comes and goes; then comes one whose bounds
 * overlap, and which the kernel does not show the first one.
 */
static int meet_unseen(void)
{
    frazil_manual_clock *manual;
    frazil_health health;
    uint64_t id;

    if (!mount_overlay())
        return NO_MOUNT;
    if (frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL) != FRAZIL_OK)
        return NO_OPENING;
    const frazil_clock clock = port_of(manual);
    const struct ports ports = {.clock = &clock};
    frazil *unseen = open_there(&ports, "its-host", "");
    if (unseen == NULL || frazil_next(unseen, &id) != FRAZIL_OK)
        return NO_ID;
    frazil_get_health(unseen, &health, sizeof health, NULL);
    close_descriptors();
    frazil *passing = open_there(&ports, "another", "");
    if (passing == NULL || frazil_next(passing, &id) != FRAZIL_OK)
        return NO_ID;
    frazil_close(passing);
    frazil *other = open_there(&ports, "another", "seq_min=1");
    if (other == NULL || frazil_next(other, &id) != FRAZIL_OK)
        return NO_ID;
    return id >= frazil_id_first(layout_of(other), health.grant_end_unix_ms) ? GOOD : SAME_TICKS;
}

TEST("I1: the grant of a process that has closed all its descriptors stays its own to the end")
{
    run(meet_unseen);
}

static frazil *open_claimed(const struct ports *ports, const char *name)
{
    char spec[1200];
    frazil *gen = NULL;

    snprintf(spec, sizeof spec,
             "layout=frazil worker=fixed:7 state=file run_dir=%s/disk/%s-run state_dir=%s/disk/%s-state "
             "host_dir=%s/disk/layer/host keeper=inline max_wait=0ms start=zero",
             scratch, name, scratch, name, scratch);
    return ports_open(&gen, spec, ports, NULL) == FRAZIL_OK ? gen : NULL;
}

/* The program closes its descriptors, and another run directory's asks for the number before or after the next grant.
 */
static int claim_again(bool asks_first)
{
    frazil_manual_clock *manual;
    frazil *other = NULL;
    uint64_t id;

    if (!mount_overlay() || mkdir(scratch_path(scratch, "disk/layer/host"), S_IRWXU) != 0 ||
        chmod(scratch_path(scratch, "disk/layer/host"), 01777) != 0)
        return NO_MOUNT;
    if (frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL) != FRAZIL_OK)
        return NO_OPENING;
    const frazil_clock clock = port_of(manual);
    const struct ports ports = {.clock = &clock};
    frazil *gen = open_claimed(&ports, "a");
    if (gen == NULL || frazil_next(gen, &id) != FRAZIL_OK)
        return NO_ID;
    close_descriptors();
    if (asks_first)
        other = open_claimed(&ports, "b");
    frazil_manual_clock_set(manual, RIG_NOW + 60000);
    frazil_err taken = frazil_next(gen, &id);
    if (!asks_first)
        other = open_claimed(&ports, "b");
    /* One of both has it. */
    return (taken == FRAZIL_OK) == (other == NULL) ? GOOD : SAME_NUMBER;
}

static int claim_again_first(void)
{
    return claim_again(false);
}

static int claim_again_too_late(void)
{
    return claim_again(true);
}

TEST(
    "A claim on an overlay that was lost with all descriptors is made again with the next grant, or the number is lost")
{
    run(claim_again_first);
    scratch_delete(scratch_path(scratch, "disk"));
    run(claim_again_too_late);
}

/* Whether a container that begins with the image's files takes the builder's word for its own. */
static int start_from_image(void)
{
    const struct fz_word_identity identity = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7};
    struct fz_word_file word;
    char path[600];

    if (!mount_overlay())
        return NO_MOUNT;
    snprintf(path, sizeof path, "%s/disk/layer/worker-7.word", scratch);
    if (fz_word_file_open(&word, path, &identity, 64, FZ_DEADLINE_NONE, NULL) != FRAZIL_OK)
        return NO_OPENING;
    fz_word_file_close(&word);
    if (umount(scratch_path(scratch, "disk/layer")) != 0 || !mount_layer("disk/upper", "disk/second"))
        return NO_MOUNT;
    if (fz_word_file_open(&word, path, &identity, 64, FZ_DEADLINE_NONE, NULL) != FRAZIL_OK)
        return NO_OPENING;
    return word.created ? GOOD : SAME_WORD;
}

TEST("The word in an image is a copy, also where its inode's number and the device's are those of the original")
{
    run(start_from_image);
}
