/* SPDX-License-Identifier: MIT */
#ifndef FZ_CORE_CRC32_H
#define FZ_CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of IEEE 802.3, as zlib, PHP and PNG compute it: 0xcbf43926 for "123456789". */
FZ_PRIVATE uint32_t fz_crc32(const void *data, size_t len);

#endif
