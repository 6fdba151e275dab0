/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: over each coordinator operators' programs can create a namespace, see who holds what, free it,
 * have the coordinator examined, and are told when nobody is there.
 */
#include "frazil.h"
#include "frazil/admin.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/register_kinds.h"
#include "lib/test.h"

static const frazil_coordinator *list[2];

/* The kind alone, as no part is installed. */
static const frazil_coordinator *const *only(const struct register_kind *kind)
{
    list[0] = kind->coordinator();
    return list;
}

TEST_OF_KINDS(for_each_server, "A namespace from its creation to the release of a worker id that somebody holds")
{
    const frazil_coordinator *const *coordinators = only(kind);
    const struct ports ports = {.coordinators = coordinators};
    frazil_admin_leases *leases = NULL;
    frazil_admin_lease row;
    frazil_admin_group *group = NULL;
    frazil_lease *lease = NULL;
    frazil_error err;
    int64_t opens;
    uint64_t us;
    char url[256];
    char spec[320];

    kind->url(0, "orders", ANSWER_MS, url, sizeof url);
    snprintf(spec, sizeof spec, "worker=%s keeper=hook", url);
    assert_int_equal(frazil_admin_leases_open(&leases, url, coordinators, &err), FRAZIL_ENAMESPACE);
    if (frazil_admin_leases_init(url, coordinators, FRAZIL_ADMIN_NEVER_USED, &opens, &err) != FRAZIL_OK ||
        ports_lease_open(&lease, spec, &ports, &err) != FRAZIL_OK ||
        frazil_admin_group_open(&group, &err) != FRAZIL_OK ||
        frazil_admin_group_add(group, "orders", spec, 1, &err) != FRAZIL_OK ||
        frazil_admin_url_check(spec, coordinators, &err) != FRAZIL_OK ||
        frazil_admin_leases_open(&leases, url, coordinators, &err) != FRAZIL_OK ||
        frazil_admin_leases_round_trip(url, coordinators, &us, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    frazil_admin_group_close(group);
    assert_int_equal(frazil_admin_leases_row(leases, 0, &row, sizeof row), FRAZIL_OK);
    assert_int_equal(row.holding, FRAZIL_ADMIN_HELD);
    frazil_admin_leases_close(leases);
    assert_int_equal(frazil_admin_leases_release(url, coordinators, row.worker, &err), FRAZIL_OK);
    assert_int_equal(frazil_admin_leases_open(&leases, url, coordinators, &err), FRAZIL_OK);
    assert_int_equal(frazil_admin_leases_row(leases, 0, &row, sizeof row), FRAZIL_OK);
    assert_int_equal(row.holding, FRAZIL_ADMIN_RELEASED);
    frazil_admin_leases_close(leases);
    frazil_lease_close(lease, FRAZIL_LEASE_ALL_USED);
}

TEST_OF_KINDS(for_each_server, "A coordinator's words about itself are findings, also that it does not answer; a look "
                               "at nobody is an error that can be tried again")
{
    const frazil_coordinator *const *coordinators = only(kind);
    frazil_admin_doctor *doctor;
    frazil_admin_doctor_info info;
    frazil_admin_finding finding;
    frazil_admin_leases *leases = NULL;
    frazil_error err;
    char url[256];

    kind->url(0, "orders", ANSWER_MS, url, sizeof url);
    assert_int_equal(frazil_admin_doctor_open_coordinator(&doctor, url, coordinators, &err), FRAZIL_OK);
    frazil_admin_doctor_get_info(doctor, &info, sizeof info);
    assert_true(info.rows > 1);
    frazil_admin_doctor_close(doctor);
    kind->url(free_port(), "orders", 1000, url, sizeof url);
    assert_int_equal(frazil_admin_doctor_open_coordinator(&doctor, url, coordinators, &err), FRAZIL_OK);
    assert_int_equal(frazil_admin_doctor_row(doctor, 0, &finding, sizeof finding), FRAZIL_OK);
    assert_string_equal(finding.id, "coordinator.silent");
    assert_int_equal(finding.severity, FRAZIL_ADMIN_FAIL);
    frazil_admin_doctor_close(doctor);
    assert_int_equal(frazil_admin_leases_open(&leases, url, coordinators, &err), FRAZIL_EUNREACHABLE);
    assert_int_equal(frazil_err_classify(FRAZIL_EUNREACHABLE), FRAZIL_CLASS_RETRY);
    assert_null(leases);
}
