/* SPDX-License-Identifier: MIT */
/*
 * The protocol of systemd and its kin: telling the manager how the daemon fares, and taking over sockets that it has
 * opened.  Without such a manager, nothing happens.
 */
#ifndef FRAZILD_SERVICE_H
#define FRAZILD_SERVICE_H

#include <stdint.h>

#define SERVICE_FDS_FIRST 3 /* the first socket that a manager hands over */
#define SERVICE_FDS_MAX 64  /* no manager hands over more for one service */

/*
 * Tells the manager, as sd_notify(3) has it, that the daemon is ready, or is again.  Nothing here waits: a manager that
 * does not read is told by service_tell_again, to be called from time to time.  Any thread.
 */
void service_tell_ready(void);
void service_tell_again(void);

/* Tells it that the daemon is not stuck, if it has room for that now. */
void service_tell_alive(void);

/* Tells it that the configuration is being read anew; service_tell_ready ends that. */
void service_tell_reloading(void);

/* Tells it that the daemon ends, and asks for so much time. */
void service_tell_stopping(uint64_t within_ns);

/* How often the manager wants to hear WATCHDOG=1, in nanoseconds; 0: never. */
uint64_t service_watchdog_ns(void);

/* How many sockets it hands over; 0: none.  *ret_wrong: what LISTEN_FDS says if that cannot be; NULL: it is right. */
int service_fds(const char **ret_wrong);

/* The name of socket number i of those, as FileDescriptorName= has it; its length in *ret_len.  "": it has none. */
const char *service_fd_name(int i, int *ret_len);

#endif
