/* SPDX-License-Identifier: MIT */
/* Forgetting secrets. */
#ifndef FZ_CORE_WIPE_H
#define FZ_CORE_WIPE_H

#include <stddef.h>

/*
 * Fills len bytes with zeros.  Unlike memset it is also done where nobody reads them any more, which is where
 * secrets are wiped and where compilers leave memset out.  Any thread.
 */
FZ_PRIVATE void fz_wipe(void *bytes, size_t len);

#endif
