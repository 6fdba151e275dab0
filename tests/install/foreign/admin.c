/* SPDX-License-Identifier: MIT */
/* A stranger's program: creates a namespace in a folder, looks at it, and has the host examined. */
#include <frazil/admin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char spec[64] = "file:///tmp/frazil-foreign-XXXXXX";
    frazil_admin_leases_info info;
    frazil_admin_leases *leases;
    frazil_admin_doctor *doctor;
    frazil_admin_finding finding;
    frazil_error err;
    int64_t opens;

    if (mkdtemp(spec + strlen("file://")) == NULL)
        return 1;
    if (frazil_admin_leases_init(spec, NULL, FRAZIL_ADMIN_NEVER_USED, &opens, &err) != FRAZIL_OK ||
        frazil_admin_leases_open(&leases, spec, NULL, &err) != FRAZIL_OK ||
        frazil_admin_doctor_open(&doctor, spec, NULL, 1, &err) != FRAZIL_OK) {
        puts(err.message);
        return 1;
    }
    frazil_admin_leases_get_info(leases, &info, sizeof info);
    for (size_t i = 0; frazil_admin_doctor_row(doctor, i, &finding, sizeof finding) == FRAZIL_OK; i++)
        printf("%s %s\n", frazil_admin_severity_name(finding.severity), finding.id);
    printf("%s has %llu worker ids\n", info.layout, (unsigned long long)info.workers);
    frazil_admin_doctor_close(doctor);
    frazil_admin_leases_close(leases);
    return info.workers == 0;
}
