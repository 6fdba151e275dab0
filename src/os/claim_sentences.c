/* SPDX-License-Identifier: MIT */
/* The sentences of claims. */
#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "claim_internal.h"
#include "core/decimal.h"
#include "core/sentence.h"
#include "fail_errno.h"
#include "file.h"

#define PASSWD_FILE "/etc/passwd"

enum { PASSWD_SIZE = 16384 };

/* Finds the name in a line of NAME:PASSWORD:UID:...  0: it is another user's. */
static size_t name_len_of(const char *line, uint64_t uid)
{
    const char *password = strchr(line, ':');
    const char *number = password == NULL ? NULL : strchr(password + 1, ':');
    const char *end = number == NULL ? NULL : strchr(number + 1, ':');
    uint64_t found;

    bool is_it = end != NULL && fz_decimal_parse(number + 1, (size_t)(end - number - 1), &found) && found == uid;
    return is_it ? (size_t)(password - line) : 0;
}

/*
 * Says a user's name if the file of this host's users has it.  A library does not ask others for it, as getpwuid does
 * over a network.
 */
static void say_user_name(struct fz_sentence *s, uint64_t uid)
{
    char text[PASSWD_SIZE];
    size_t len;

    if (fz_file_read(PASSWD_FILE, text, sizeof text, &len) != 0)
        return;
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        size_t name_len = name_len_of(line, uid);
        if (name_len > 0) {
            fz_sentence_str(s, " (");
            fz_sentence_shown(s, line, name_len);
            fz_sentence_char(s, ')');
            return;
        }
        line = end == NULL ? NULL : end + 1;
    }
}

/*
 * Whether it is another user's though it seems to be of this one: a user namespace without a map shows all users as
 * one.
 */
static bool is_hidden(const struct fz_claim_other *other)
{
    struct stat status;

    return other->uid == geteuid() && faccessat(AT_FDCWD, other->path, W_OK, AT_EACCESS) != 0 && errno == EACCES &&
           lstat(other->path, &status) == 0 && !fz_claim_is_closed(&status);
}

static bool is_own_user(const struct fz_claim_other *other)
{
    return other->uid == geteuid() && !is_hidden(other);
}

void fz_claim_say_other(char ret[FZ_CLAIM_OTHER_SIZE], const struct fz_claim_other *other)
{
    struct fz_sentence s = fz_sentence_in(ret, FZ_CLAIM_OTHER_SIZE);

    fz_sentence_str(&s, is_hidden(other) ? "another user, of those whom this user namespace shows as uid " : "uid ");
    fz_sentence_u64(&s, other->uid);
    if (!is_hidden(other))
        say_user_name(&s, other->uid);
    if (other->holder[0] == '/') {
        fz_sentence_str(&s, " with the run directory ");
        fz_sentence_quoted(&s, other->holder, strlen(other->holder));
    } else if (other->holder[0] != '\0') {
        fz_sentence_str(&s, " with ");
        fz_sentence_shown(&s, other->holder, strlen(other->holder));
    }
}

/* Another folder mends what is wrong with this one, and not what the process or the system lacks. */
static bool is_lack(int sys)
{
    return sys == FZ_REFUSED_ELSEWHERE || sys == ENOSPC || sys == EDQUOT || sys == EMFILE || sys == ENFILE ||
           sys == ENOMEM || sys == EFBIG;
}

frazil_err fz_claim_fail(int sys, const char *path, frazil_error *reterr)
{
    return fz_fail_errno(reterr, sys, "the worker id cannot be claimed on this host by the file", path,
                         is_lack(sys) ? "" : "; " FZ_OTHER_HOST_DIR);
}

static bool is_of_run_dir(const struct fz_claim_other *other, const struct fz_claim_key *key)
{
    return is_own_user(other) && other->holder[0] == '/' && strcmp(other->holder, key->holder) == 0;
}

/* The run directory keeps something of that time as well, which has to go. */
static frazil_err refuse_for_future(uint32_t worker, const struct fz_claim_key *key, const struct fz_claim_other *other,
                                    const char *who, frazil_error *reterr)
{
    uint64_t ahead_ms = (other->until - key->now_tick) * key->tick_ms;

    /* The path comes last: a sentence that is too long loses its end. */
    return fz_fail(
        reterr, FRAZIL_EWORKER,
        "worker id %u cannot be used yet, because %s has used it on this host up to %D ahead of the clock: take "
        "another worker id.  If the ids of that time were discarded, uid %u or root may remove its file while no "
        "process has it open (fuser names it)%s: %q",
        (uint64_t)worker, who, ahead_ms > UINT64_MAX / 1000 ? UINT64_MAX : ahead_ms * 1000, other->uid,
        is_of_run_dir(other, key) ? ", and then run `frazil state init --all` with this spec" : "", other->path);
}

static frazil_err refuse_for_ever(uint32_t worker, const struct fz_claim_other *other, frazil_error *reterr)
{
    return fz_fail(reterr, FRAZIL_ESTATE,
                   "the file %q, which says up to when worker id %u was used on this host, was cut short or "
                   "overwritten: take another worker id.  If no process has the file open (fuser names it), and no id "
                   "was made ahead of the clock, wait ten seconds, and uid %u or root may remove it",
                   other->path, (uint64_t)worker, other->uid);
}

frazil_err fz_claim_lost(const struct fz_claim *claim, const struct fz_claim_other *other, frazil_error *reterr)
{
    char who[FZ_CLAIM_OTHER_SIZE];

    if (other->until != 0)
        return fz_fail(
            reterr, FRAZIL_ELEASE,
            "the file %q, which kept others from the worker id, was removed or hidden by a mount, and "
            "the file %q, which nobody holds, says that others used the worker id ahead of the clock, or was "
            "cut short: open the generator again, and the error says what to do about that file",
            claim->path, other->path);
    fz_claim_say_other(who, other);
    return fz_fail(
        reterr, FRAZIL_ELEASE,
        "the file %q, which kept others from the worker id, was removed or hidden by a mount, and %s has the worker "
        "id now: end one of the two, look for duplicates with frazil verify, and name a folder that nobody "
        "cleans with host_dir=",
        claim->path, who);
}

frazil_err fz_claim_refuse(uint32_t worker, const struct fz_claim_key *key, const struct fz_claim_other *other,
                           frazil_error *reterr)
{
    const char *cure = "give each user a worker id of its own, or run all as one user with one run directory";
    char who[FZ_CLAIM_OTHER_SIZE];

    if (other->sys_errno != 0 && other->is_own)
        return fz_fail_errno(reterr, other->sys_errno,
                             "worker id cannot be claimed: this user may not open its own file", other->path,
                             ": restore its mode with chmod 744");
    if (other->sys_errno != 0)
        return fz_fail_errno(reterr, other->sys_errno, "cannot determine whether another user has the worker id, from",
                             other->path, ": its owner must let everybody read it, or remove it");
    if (other->is_own)
        return fz_fail(
            reterr, FRAZIL_EWORKER,
            "worker id %u cannot be claimed, because another process locks %q, which is this user's own file: "
            "try again, as it may only have looked; if it still does, end the process that has it open "
            "(fuser names it)",
            (uint64_t)worker, other->path);
    if (other->until == FZ_CLAIM_UNKNOWN)
        return refuse_for_ever(worker, other, reterr);
    fz_claim_say_other(who, other);
    if (other->until != 0)
        return refuse_for_future(worker, key, other, who, reterr);
    if (is_of_run_dir(other, key))
        return fz_fail(reterr, FRAZIL_EWORKER,
                       "worker id %u is in use on this host by a process with the run directory %q, but not with the "
                       "files that are found there: if its files were removed, end it (fuser %q names it); if it "
                       "began at the same moment, try again",
                       (uint64_t)worker, other->holder, other->path);
    bool have_words = key->holder[0] == '/' && other->holder[0] == '/';
    if (is_own_user(other) && have_words)
        cure = "give both the same run_dir= and state_dir=, or this one another worker id";
    else if (is_own_user(other))
        cure = "keep the state of both in files with state=file, share one generator, close the other one first, or "
               "take another worker id";
    return fz_fail(reterr, FRAZIL_EWORKER, "worker id %u is in use on this host by %s: %s (%q)", (uint64_t)worker, who,
                   cure, other->path);
}
