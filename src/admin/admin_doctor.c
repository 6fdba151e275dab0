/* SPDX-License-Identifier: MIT */
/* The public face of doctor.h: findings as they come, kept until somebody asks for them. */
#include <stdlib.h>
#include <string.h>

#include "core/sentence.h"
#include "core/sized.h"
#include "doctor.h"
#include "frazil/admin.h"

/* Its texts lie behind one another: the id, the text. */
struct finding {
    enum fz_health health;
    char *id;
    char *text;
};

struct frazil_admin_doctor {
    struct finding *findings;
    size_t count;
    size_t room;
    enum fz_health worst;
    bool out_of_memory;
};

static const char *const severity_names[] = {
    [FRAZIL_ADMIN_OK] = "OK", [FRAZIL_ADMIN_WARN] = "WARN", [FRAZIL_ADMIN_FAIL] = "FAIL"};

_Static_assert((int)FZ_HEALTH_OK == (int)FRAZIL_ADMIN_OK && (int)FZ_HEALTH_WARN == (int)FRAZIL_ADMIN_WARN &&
                   (int)FZ_HEALTH_FAIL == (int)FRAZIL_ADMIN_FAIL,
               "numbers that programs know");

const char *frazil_admin_severity_name(uint32_t severity)
{
    return severity < sizeof severity_names / sizeof severity_names[0] ? severity_names[severity] : "?";
}

/* ---- collecting ------------------------------------------------------------------ */

static bool make_room(frazil_admin_doctor *doctor)
{
    if (doctor->count < doctor->room)
        return true;
    size_t room = doctor->room == 0 ? 32 : 2 * doctor->room;
    struct finding *larger = realloc(doctor->findings, room * sizeof *larger);
    if (larger == NULL)
        return false;
    doctor->findings = larger;
    doctor->room = room;
    return true;
}

static void collect(void *ctx, const struct fz_diagnosis *diagnosis)
{
    frazil_admin_doctor *doctor = ctx;
    size_t id_size = strlen(diagnosis->id) + 1;
    size_t text_size = strlen(diagnosis->text) + 1;

    char *id = make_room(doctor) ? malloc(id_size + text_size) : NULL;
    if (id == NULL) {
        doctor->out_of_memory = true;
        return;
    }
    memcpy(id, diagnosis->id, id_size);
    memcpy(id + id_size, diagnosis->text, text_size);
    doctor->findings[doctor->count++] = (struct finding){.health = diagnosis->health, .id = id, .text = id + id_size};
    if (diagnosis->health > doctor->worst)
        doctor->worst = diagnosis->health;
}

static frazil_admin_doctor *call_doctor(frazil_error *reterr)
{
    frazil_admin_doctor *doctor = calloc(1, sizeof *doctor);

    if (doctor == NULL)
        (void)fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    return doctor;
}

/* Gives what was collected, or why there is nothing. */
static frazil_err finish(frazil_admin_doctor *doctor, frazil_err err, frazil_admin_doctor **ret, frazil_error *reterr)
{
    if (err == FRAZIL_OK && doctor->out_of_memory)
        err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    if (err == FRAZIL_OK)
        *ret = doctor;
    else
        frazil_admin_doctor_close(doctor);
    return err;
}

frazil_err frazil_admin_doctor_open(frazil_admin_doctor **ret, const char *spec,
                                    const frazil_coordinator *const *coordinators, uint32_t hosts, frazil_error *reterr)
{
    frazil_admin_doctor *doctor = call_doctor(reterr);

    if (doctor == NULL)
        return FRAZIL_ENOMEM;
    return finish(doctor, fz_doctor(spec, coordinators, hosts, collect, doctor, reterr), ret, reterr);
}

frazil_err frazil_admin_doctor_open_coordinator(frazil_admin_doctor **ret, const char *spec,
                                                const frazil_coordinator *const *coordinators, frazil_error *reterr)
{
    frazil_admin_doctor *doctor = call_doctor(reterr);

    if (doctor == NULL)
        return FRAZIL_ENOMEM;
    return finish(doctor, fz_doctor_of_coordinator(spec, coordinators, collect, doctor, reterr), ret, reterr);
}

/* ---- asking ---------------------------------------------------------------------- */

void frazil_admin_doctor_get_info(const frazil_admin_doctor *doctor, frazil_admin_doctor_info *ret, size_t size)
{
    const frazil_admin_doctor_info info = {.rows = doctor->count, .worst = (uint32_t)doctor->worst};

    fz_give_sized(ret, size, &info, sizeof info);
}

frazil_err frazil_admin_doctor_row(const frazil_admin_doctor *doctor, size_t index, frazil_admin_finding *ret,
                                   size_t size)
{
    if (index >= doctor->count)
        return FRAZIL_ERANGE;
    const struct finding *known = &doctor->findings[index];
    const frazil_admin_finding finding = {.severity = (uint32_t)known->health,
                                          .subject_len = (uint32_t)strcspn(known->id, "."),
                                          .id = known->id,
                                          .text = known->text};
    fz_give_sized(ret, size, &finding, sizeof finding);
    return FRAZIL_OK;
}

void frazil_admin_doctor_close(frazil_admin_doctor *doctor)
{
    if (doctor == NULL)
        return;
    for (size_t i = 0; i < doctor->count; i++)
        free(doctor->findings[i].id);
    free(doctor->findings);
    free(doctor);
}
