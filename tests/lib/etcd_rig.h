/* SPDX-License-Identifier: MIT */
/* What the tests over a real etcd share.  There only where libcurl and jansson are. */
#ifndef TESTS_LIB_ETCD_RIG_H
#define TESTS_LIB_ETCD_RIG_H

#include "lib/etcd_server.h"
#include "registers/etcd/etcd_register.h"

/* A register of the URL that printf would write. */
struct fz_register etcd_open_url(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
