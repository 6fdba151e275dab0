/* SPDX-License-Identifier: MIT */
/* Services whose threads open and close one generator for themselves, by frazil_open_shared, while others fork. */
#ifndef SIMULATOR_SHARING_H
#define SIMULATOR_SHARING_H

/* The first thread of such a service.  arg: its program, see program.h. */
void *run_sharing(void *arg);

#endif
