/* SPDX-License-Identifier: MIT */
/*
 * The commands of the Redis protocol: one table, which the sessions, COMMAND, the permissions, the metrics and the
 * manual's test read.
 */
#ifndef FRAZILD_COMMANDS_H
#define FRAZILD_COMMANDS_H

#include "call.h"
#include "session.h"

#define REDIS_VERSION "7.0.0" /* whose commands these are, for clients that look */

/* How many rows it has. */
size_t commands_count(void);

/* The row of that name, in either case; NULL: there is none. */
const struct command *commands_find(struct slice name);

/* cmd_ids.c */
void cmd_next(struct session *session, struct call *call);
void cmd_next_bin(struct session *session, struct call *call);
void cmd_sno(struct session *session, struct call *call);
void cmd_incr(struct session *session, struct call *call);

/* cmd_info.c */
void cmd_inspect(struct session *session, struct call *call);
void cmd_compose(struct session *session, struct call *call);
void cmd_range(struct session *session, struct call *call);
void cmd_layout(struct session *session, struct call *call);
void cmd_generators(struct session *session, struct call *call);
void cmd_stats(struct session *session, struct call *call);

/* cmd_leases.c */
void cmd_leases(struct session *session, struct call *call);

/* cmd_session.c */
void cmd_hello(struct session *session, struct call *call);
void cmd_auth(struct session *session, struct call *call);
void cmd_ping(struct session *session, struct call *call);
void cmd_echo(struct session *session, struct call *call);
void cmd_quit(struct session *session, struct call *call);
void cmd_reset(struct session *session, struct call *call);
void cmd_select(struct session *session, struct call *call);
void cmd_acl(struct session *session, struct call *call);
void cmd_client(struct session *session, struct call *call);
void cmd_multi(struct session *session, struct call *call);
void cmd_exec(struct session *session, struct call *call);
void cmd_discard(struct session *session, struct call *call);

/* cmd_server.c */
void cmd_command(struct session *session, struct call *call);
void cmd_info(struct session *session, struct call *call);
void cmd_config(struct session *session, struct call *call);
void cmd_time(struct session *session, struct call *call);
void cmd_readonly(struct session *session, struct call *call);
void cmd_role(struct session *session, struct call *call);
void cmd_dbsize(struct session *session, struct call *call);
void cmd_refused(struct session *session, struct call *call);
void cmd_http(struct session *session, struct call *call);

/* ---- the reply to LEASES, which may take seconds ----------------- */

/* Writes the reply of a session's job.  False: it is not done. */
bool leases_go_on(struct session *session, struct bytes *out);

#endif
