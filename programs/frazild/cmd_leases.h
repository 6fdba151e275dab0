/* SPDX-License-Identifier: MIT */
/* The reply to LEASES, which may take seconds. */
#ifndef FRAZILD_CMD_LEASES_H
#define FRAZILD_CMD_LEASES_H

#include "session.h"

/* Writes the reply of a session's job.  False: it is not done. */
bool leases_go_on(struct session *session, struct bytes *out);

#endif
