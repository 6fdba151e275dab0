/* SPDX-License-Identifier: MIT */
#include "core/collision.h"
#include "core/crc32.h"
#include "core/decimal.h"
#include "frazil/extras.h"

frazil_err frazil_shard(uint64_t id, uint32_t shards, uint32_t *ret)
{
    char digits[FZ_DECIMAL_MAX_LEN];

    if (shards == 0)
        return FRAZIL_EINVAL;
    size_t len = fz_decimal_format(id, digits);
    *ret = fz_crc32(digits, len) % shards;
    return FRAZIL_OK;
}

frazil_err frazil_worker_hash(const char *text, size_t len, uint32_t workers, uint32_t *ret)
{
    if (len == 0 || workers == 0)
        return FRAZIL_EINVAL;
    *ret = fz_crc32(text, len) % workers;
    return FRAZIL_OK;
}

frazil_err frazil_worker_collision(uint32_t hosts, uint64_t workers, uint32_t *ret_ppm)
{
    return fz_collision_ppm(hosts, workers, ret_ppm);
}
