/* SPDX-License-Identifier: MIT */
/* What a machine knows of having been copied. */
#ifndef FZ_OS_MACHINE_H
#define FZ_OS_MACHINE_H

#include <stdbool.h>

/* Bytes of a machine's id, terminator included. */
#define FZ_MACHINE_ID_SIZE 40

/* The id in /etc/machine-id, which an image for copying is shipped without.  0 or an errno; ENOENT also if it is empty.
 */
int fz_machine_id(char ret[FZ_MACHINE_ID_SIZE]);

/* Whether the hypervisor counts a virtual machine's restorations and copies, and the kernel listens. */
bool fz_machine_has_generation(void);

#endif
