/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what operators' programs are told through frazil/admin.h is what there is, row by row; structs may
 * be of an older or a newer header; no sentence has a password; what fails leaves nothing behind.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "frazil.h"
#include "frazil/admin.h"
#include "lib/memory_namespace.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/clock.h"

enum { HORIZON_MS = 3000 };

static const char spec[] = "worker=memory://orders";
static const char *scratch;
static frazil_layout layout;
static int64_t start_ms;

/* As a program of another header would have it. */
struct newer_lease {
    frazil_admin_lease known;
    uint64_t unknown[2];
};

BEFORE_EACH
{
    scratch = scratch_make();
    start_ms = fz_real_now().unix_ms;
    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    memory_namespace_start(&layout, 4, HORIZON_MS, start_ms);
}

AFTER_EACH
{
    memory_namespace_stop();
    scratch_remove(scratch);
}

/* Somebody who has a worker id of the namespace. */
static frazil_lease *hold(void)
{
    const struct ports ports = {.coordinators = memory_coordinators};
    frazil_lease *lease;
    frazil_error err;

    if (ports_lease_open(&lease, "worker=memory://orders keeper=hook", &ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return lease;
}

static frazil_admin_leases *look(void)
{
    frazil_admin_leases *leases;
    frazil_error err;

    if (frazil_admin_leases_open(&leases, spec, memory_coordinators, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return leases;
}

static frazil_admin_lease row_at(const frazil_admin_leases *leases, size_t index)
{
    frazil_admin_lease row;

    assert_int_equal(frazil_admin_leases_row(leases, index, &row, sizeof row), FRAZIL_OK);
    return row;
}

/* ---- leases ------------------------------------------------------------------------- */

TEST("A namespace that nobody used has its terms and no row")
{
    frazil_admin_leases *leases = look();
    frazil_admin_leases_info info;
    frazil_admin_lease row;
    char fingerprint[FRAZIL_FINGERPRINT_SIZE];

    assert_int_equal(frazil_layout_fingerprint(&layout, fingerprint, sizeof fingerprint, NULL), FRAZIL_OK);
    frazil_admin_leases_get_info(leases, &info, sizeof info);
    assert_string_equal(info.layout, fingerprint);
    assert_int_equal(info.horizon_ms, HORIZON_MS);
    assert_int_equal(info.workers, 4);
    assert_int_equal(info.held, 0);
    assert_int_equal(info.rows, 0);
    assert_int_equal(frazil_admin_leases_row(leases, 0, &row, sizeof row), FRAZIL_ERANGE);
    frazil_admin_leases_close(leases);
}

TEST("Each worker id that was taken is a row: who has it, since when and until when, and what became of it")
{
    frazil_lease *first = hold();
    frazil_lease *second = hold();
    frazil_admin_leases_info info;

    frazil_admin_leases *leases = look();
    frazil_admin_leases_get_info(leases, &info, sizeof info);
    assert_int_equal(info.held, 2);
    assert_int_equal(info.rows, 2);
    for (size_t i = 0; i < 2; i++) {
        frazil_admin_lease row = row_at(leases, i);
        assert_true(i == 0 || row.worker > row_at(leases, 0).worker);
        assert_int_equal(row.holding, FRAZIL_ADMIN_HELD);
        assert_non_null(strchr(row.text, ':'));
        assert_true(row.since_unix_ms >= start_ms);
        assert_true(row.until_unix_ms > row.since_unix_ms);
        assert_int_equal(row.owners, 1);
    }
    frazil_admin_leases_close(leases);
    frazil_lease_close(first, start_ms);
    frazil_lease_close(second, start_ms);
    leases = look();
    assert_int_equal(row_at(leases, 0).holding, FRAZIL_ADMIN_RELEASED);
    assert_int_equal(row_at(leases, 1).holding, FRAZIL_ADMIN_RELEASED);
    frazil_admin_leases_close(leases);
}

TEST("A record that cannot be read is a row that says why, and nothing else")
{
    struct fz_register reg = memory_namespace_register();
    uint64_t version;

    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, 0, "rubbish", 7}, &version, NULL, NULL),
                     FZ_REGISTER_OK);
    reg.close(reg.ctx);
    frazil_admin_leases *leases = look();
    frazil_admin_lease row = row_at(leases, 0);
    assert_int_equal(row.worker, 3);
    assert_int_equal(row.holding, FRAZIL_ADMIN_UNREADABLE);
    assert_int_not_equal(row.text[0], '\0');
    assert_int_equal(row.until_unix_ms, 0);
    assert_int_equal(row.owners, 0);
    frazil_admin_leases_close(leases);
}

TEST("A worker id is freed by hand, once; then the next one may have it")
{
    frazil_lease *lease = hold();
    frazil_admin_leases *leases = look();
    uint32_t worker = row_at(leases, 0).worker;
    frazil_error err;

    frazil_admin_leases_close(leases);
    assert_int_equal(frazil_admin_leases_release(spec, memory_coordinators, worker, &err), FRAZIL_OK);
    leases = look();
    assert_int_equal(row_at(leases, 0).holding, FRAZIL_ADMIN_RELEASED);
    frazil_admin_leases_close(leases);
    assert_int_equal(frazil_admin_leases_release(spec, memory_coordinators, worker, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "is free already"));
    assert_int_equal(frazil_admin_leases_release(spec, memory_coordinators, 3 - worker, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "was never taken"));
    frazil_lease_close(lease, FRAZIL_LEASE_ALL_USED);
}

TEST("A namespace is created once, and says from when on it grants; without the word that it was never used, the terms "
     "of the lost one are wanted")
{
    int64_t opens = 4711;
    frazil_admin_leases *leases = NULL;
    frazil_error err;

    memory_namespace_stop();
    memory_namespace_start_empty();
    assert_int_equal(frazil_admin_leases_open(&leases, spec, memory_coordinators, &err), FRAZIL_ENAMESPACE);
    assert_null(leases);
    assert_int_equal(frazil_admin_leases_init(spec, memory_coordinators, 0, &opens, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "horizon= and max_skew="));
    assert_int_equal(frazil_admin_leases_init(spec, memory_coordinators, 2, &opens, &err), FRAZIL_EINVAL);
    assert_int_equal(opens, 4711);
    assert_int_equal(frazil_admin_leases_init(spec, memory_coordinators, FRAZIL_ADMIN_NEVER_USED, &opens, &err),
                     FRAZIL_OK);
    assert_true(opens >= start_ms && opens <= fz_real_now().unix_ms);
    assert_int_equal(frazil_admin_leases_init(spec, memory_coordinators, FRAZIL_ADMIN_NEVER_USED, &opens, &err),
                     FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "exists"));
    memory_namespace_stop();
    memory_namespace_start_empty();
    assert_int_equal(frazil_admin_leases_init("worker=memory://orders horizon=60s max_skew=250ms", memory_coordinators,
                                              0, &opens, &err),
                     FRAZIL_OK);
    assert_true(opens > start_ms + 60000);
    leases = look();
    frazil_admin_leases_info info;
    frazil_admin_leases_get_info(leases, &info, sizeof info);
    assert_true(info.quarantine_unix_ms >= start_ms + 60000);
    frazil_admin_leases_close(leases);
}

TEST("A struct of an older header is filled as far as it goes, one of a newer header up with zeros")
{
    frazil_lease *lease = hold();
    frazil_admin_leases *leases = look();
    struct newer_lease newer;
    unsigned char older[sizeof(frazil_admin_lease)];

    memset(&newer, 0x5a, sizeof newer);
    assert_int_equal(frazil_admin_leases_row(leases, 0, &newer.known, sizeof newer), FRAZIL_OK);
    assert_int_equal(newer.unknown[0], 0);
    assert_int_equal(newer.unknown[1], 0);
    memset(older, 0x5a, sizeof older);
    assert_int_equal(frazil_admin_leases_row(leases, 0, (frazil_admin_lease *)(void *)older, sizeof(uint32_t)),
                     FRAZIL_OK);
    assert_memory_equal(older, &newer.known.worker, sizeof(uint32_t));
    assert_int_equal(older[sizeof(uint32_t)], 0x5a);
    frazil_admin_leases_close(leases);
    frazil_lease_close(lease, FRAZIL_LEASE_ALL_USED);
}

/* ---- state -------------------------------------------------------------------------- */

static const char *kept_spec(void)
{
    static char text[600];

    snprintf(text, sizeof text, "worker=fixed:7 namespace=n state=file run_dir=%s/run state_dir=%s/state", scratch,
             scratch);
    return text;
}

TEST("A host keeps a row for each worker; a damaged file says why, and is made anew on demand")
{
    frazil_admin_state *state;
    frazil_admin_state_info info;
    frazil_admin_kept kept;
    frazil_error err;
    frazil *gen;
    uint64_t id;

    assert_int_equal(frazil_open(&gen, kept_spec(), &err), FRAZIL_OK);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_OK);
    assert_int_equal(frazil_admin_state_open(&state, kept_spec(), &err), FRAZIL_OK);
    frazil_admin_state_get_info(state, &info, sizeof info);
    assert_int_equal(info.rows, 1);
    assert_memory_equal(info.run_folder, scratch, strlen(scratch));
    assert_int_equal(frazil_admin_state_row(state, 0, &kept, sizeof kept), FRAZIL_OK);
    assert_int_equal(kept.worker, 7);
    assert_int_equal(kept.is_wrong, 0);
    assert_int_equal(kept.has_grant, 1);
    assert_int_equal(kept.word.in_use, 1);
    assert_string_equal(kept.grant.wrong, "");
    assert_true(kept.until_unix_ms > start_ms);
    assert_int_equal(frazil_admin_state_renew(state, 0, FRAZIL_ADMIN_ALL, &err), FRAZIL_EWORKER);
    assert_int_equal(frazil_admin_state_row(state, 1, &kept, sizeof kept), FRAZIL_ERANGE);
    assert_int_equal(frazil_admin_state_renew(state, 1, 0, &err), FRAZIL_ERANGE);
    assert_int_equal(frazil_admin_state_renew(state, 0, 2, &err), FRAZIL_EINVAL);
    frazil_close(gen);

    scratch_write(kept.grant.path, "rubbish", 7);
    assert_int_equal(frazil_admin_state_renew(state, 0, 0, &err),
                     FRAZIL_OK); /* the file that was seen before does not count */
    assert_int_equal(frazil_admin_state_row(state, 0, &kept, sizeof kept), FRAZIL_OK);
    assert_int_equal(kept.is_wrong, 0);
    assert_int_equal(kept.has_grant, 1);
    assert_true(kept.until_unix_ms >= start_ms + 6000);
    scratch_write(kept.grant.path, "rubbish", 7);
    frazil_admin_state_close(state);
    assert_int_equal(frazil_admin_state_open(&state, kept_spec(), &err), FRAZIL_OK);
    assert_int_equal(frazil_admin_state_row(state, 0, &kept, sizeof kept), FRAZIL_OK);
    assert_int_equal(kept.is_wrong, 1);
    assert_int_equal(kept.has_grant, 0);
    assert_int_equal(kept.grant.wrong_code, FRAZIL_ESTATE);
    assert_non_null(strstr(kept.grant.wrong, kept.grant.path));
    frazil_admin_state_close(state);
}

TEST("A source that keeps nothing on this host has no state to look at")
{
    frazil_admin_state *state = NULL;
    frazil_error err;

    assert_int_equal(frazil_admin_state_open(&state, "worker=fixed:7 state=memory", &err), FRAZIL_ESPEC);
    assert_int_equal(frazil_admin_state_open(&state, "worker=redis://u:s3cret@h/orders", &err), FRAZIL_ESPEC);
    assert_null(strstr(err.message, "s3cret"));
    assert_null(state);
}

/* ---- the doctor ----------------------------------------------------------------------- */

/* The finding of this id; its text lasts as long as the doctor. */
static frazil_admin_finding finding_of(const frazil_admin_doctor *doctor, const char *id)
{
    frazil_admin_finding finding;

    for (size_t i = 0; frazil_admin_doctor_row(doctor, i, &finding, sizeof finding) == FRAZIL_OK; i++) {
        if (strcmp(finding.id, id) == 0)
            return finding;
    }
    fail_msg("no finding %s", id);
    return finding;
}

TEST("The doctor's findings are rows with a severity, an id for ever and a sentence; the worst of them is told")
{
    frazil_admin_doctor *doctor;
    frazil_admin_doctor_info info;
    frazil_admin_finding finding;
    uint32_t worst = 0;
    size_t rows = 0;

    assert_int_equal(frazil_admin_doctor_open(&doctor, spec, memory_coordinators, 9, NULL), FRAZIL_OK);
    for (; frazil_admin_doctor_row(doctor, rows, &finding, sizeof finding) == FRAZIL_OK; rows++) {
        worst = finding.severity > worst ? finding.severity : worst;
        assert_int_equal(finding.id[finding.subject_len], '.');
        assert_int_not_equal(finding.text[0], '\0');
    }
    frazil_admin_doctor_get_info(doctor, &info, sizeof info);
    assert_int_equal(info.rows, rows);
    assert_int_equal(info.worst, worst);
    finding = finding_of(doctor, "coordinator.full"); /* 4 worker ids for 9 hosts */
    assert_int_equal(finding.severity, FRAZIL_ADMIN_FAIL);
    assert_int_equal(finding.subject_len, strlen("coordinator"));
    assert_int_equal(worst, FRAZIL_ADMIN_FAIL);
    frazil_admin_doctor_close(doctor);
}

TEST("Of the coordinator alone nothing else is found; one that cannot be had is an error, without its password")
{
    frazil_admin_doctor *doctor = NULL;
    frazil_admin_doctor *other = NULL;
    frazil_admin_finding finding;
    frazil_error err;

    assert_int_equal(frazil_admin_doctor_open_coordinator(&doctor, spec, memory_coordinators, &err), FRAZIL_OK);
    for (size_t i = 0; frazil_admin_doctor_row(doctor, i, &finding, sizeof finding) == FRAZIL_OK; i++)
        assert_memory_equal(finding.id, "coordinator.", strlen("coordinator."));
    frazil_admin_doctor_close(doctor);
    assert_int_equal(frazil_admin_doctor_open_coordinator(&other, "nosuch://u:s3cret@h/x", memory_coordinators, &err),
                     FRAZIL_ESPEC);
    assert_null(other);
    assert_null(strstr(err.message, "s3cret"));
    assert_int_equal(frazil_admin_leases_round_trip("worker=fixed:7", NULL, &(uint64_t){0}, &err), FRAZIL_ESPEC);
}

/* ---- folders ------------------------------------------------------------------------------ */

/* A spec and what it lacks, in words of the sentence of its opening; "": nothing.  %N: a folder that can be made,
 * %F: one that cannot. */
static void assert_lacks(const char *form, const char *words)
{
    const char *can = scratch_path(scratch, "new"), *cannot = scratch_path(scratch, "far/away");
    char spec_text[2048];
    size_t len = 0;
    frazil_error err = {.message = ""};

    for (const char *at = form; *at != '\0'; at++) {
        const char *path = at[0] != '%' ? NULL : at[1] == 'N' ? can : cannot;
        len += (size_t)snprintf(spec_text + len, sizeof spec_text - len, "%.*s", path == NULL ? 1 : 512,
                                path == NULL ? at : path);
        at += path != NULL;
    }
    assert_int_equal(frazil_admin_state_check(spec_text, &err), words[0] == '\0' ? FRAZIL_OK : FRAZIL_ESYS);
    if (strstr(err.message, words) == NULL)
        fail_msg("%s: %s", spec_text, err.message);
    assert_false(scratch_exists(can));
}

TEST("The folders that generators need are looked at, each of them, and not made")
{
    assert_lacks("worker=file-lock state=file run_dir=%N state_dir=%N host_dir=%N", "");
    assert_lacks("worker=fixed:1 state=file run_dir=%F state_dir=%N host_dir=%N", "the run directory");
    assert_lacks("worker=fixed:1 state=file run_dir=%N state_dir=%F host_dir=%N", "the state directory");
    assert_lacks("worker=fixed:1 state=file run_dir=%N state_dir=%N host_dir=%F", "the host directory");
    assert_lacks("worker=fixed:1 state=memory host_dir=%F", "the host directory");
    assert_lacks("worker=memory://orders", "");
    assert_lacks("worker=memory://orders share=host run_dir=%F", "share=process");
    assert_lacks("worker=file://%F", "another folder in the URL");
    assert_lacks("worker=fixed:1 state=konayuki+file://%F host_dir=%N", "");
    assert_lacks("worker=fixed:1 state=konayuki+file:///etc/passwd/a host_dir=%N", "another folder in the URL");
    assert_int_equal(frazil_admin_state_check("colour=red", NULL), FRAZIL_ESPEC);
    char text[512];
    (void)snprintf(text, sizeof text, "worker=file://%s", scratch_path(scratch, "new"));
    assert_int_equal(frazil_admin_state_check(text, NULL), FRAZIL_ENAMESPACE);
    assert_false(scratch_exists(scratch_path(scratch, "new")));
    (void)snprintf(text, sizeof text, "worker=file://%s", scratch);
    assert_int_equal(frazil_admin_state_check(text, NULL), FRAZIL_OK);
}

/* ---- shapes --------------------------------------------------------------------------- */

TEST("Structs that programs elsewhere are compiled against have their sizes; they grow at their ends only")
{
    if (sizeof(void *) != 8)
        skip();
    assert_int_equal(sizeof(frazil_admin_leases_info), 64);
    assert_int_equal(sizeof(frazil_admin_lease), 48);
    assert_int_equal(sizeof(frazil_admin_state_info), 32);
    assert_int_equal(sizeof(frazil_admin_file), 48);
    assert_int_equal(sizeof(frazil_admin_kept), 168);
    assert_int_equal(sizeof(frazil_admin_doctor_info), 16);
    assert_int_equal(sizeof(frazil_admin_finding), 24);
    assert_int_equal(sizeof(frazil_admin_part), 16);
}

/* ---- parts ---------------------------------------------------------------------------- */

TEST("Each part has a row: its client library, or none where it cannot be loaded")
{
    frazil_admin_part part;
    size_t rows = 0;

    assert_int_equal(frazil_admin_part_row(0, &part, sizeof part), FRAZIL_OK);
    assert_string_equal(part.name, "file");
    while (frazil_admin_part_row(rows, &part, sizeof part) == FRAZIL_OK) {
        const frazil_coordinator *coordinator;
        frazil_error err;
        frazil_err code = frazil_coordinator_load(&coordinator, part.name, &err);
        assert_int_equal(code == FRAZIL_OK, part.client != NULL);
        assert_int_equal(frazil_coordinator_load(NULL, part.name, NULL), code);
        rows++;
    }
    assert_int_equal(rows, 6);
    assert_int_equal(frazil_admin_part_row(SIZE_MAX, &part, sizeof part), FRAZIL_ERANGE);
}

TEST("The sentence for a part that there is not lists those that there are")
{
    frazil_error err;

    assert_int_equal(frazil_coordinator_load(NULL, "ldap", &err), FRAZIL_EINVAL);
    assert_string_equal(err.message,
                        "there is no part 'ldap'; there are file, redis, etcd, zookeeper, postgresql, mysql");
}

/* ---- names ---------------------------------------------------------------------------- */

TEST("Each number has its word, and any other one a question mark; closing nothing is nothing")
{
    static const char *const holdings[] = {"held", "abandoned", "released", "unreadable", "?"};
    static const char *const severities[] = {"OK", "WARN", "FAIL", "?"};

    for (uint32_t i = 0; i < sizeof holdings / sizeof holdings[0]; i++)
        assert_string_equal(frazil_admin_holding_name(i), holdings[i]);
    for (uint32_t i = 0; i < sizeof severities / sizeof severities[0]; i++)
        assert_string_equal(frazil_admin_severity_name(i), severities[i]);
    frazil_admin_leases_close(NULL);
    frazil_admin_group_close(NULL);
    frazil_admin_state_close(NULL);
    frazil_admin_doctor_close(NULL);
}
