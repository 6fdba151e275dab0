/* SPDX-License-Identifier: MIT */
#include "config/coordinators.h"
#include "core/sized.h"
#include "frazil/admin.h"

frazil_err frazil_admin_part_row(size_t index, frazil_admin_part *ret, size_t size)
{
    const frazil_coordinator *coordinator = NULL;
    frazil_admin_part part = {.name = fz_coordinator_part(index)};

    if (part.name == NULL)
        return FRAZIL_ERANGE;
    if (frazil_coordinator_load(&coordinator, part.name, NULL) == FRAZIL_OK)
        part.client = coordinator->client;
    fz_give_sized(ret, size, &part, sizeof part);
    return FRAZIL_OK;
}
