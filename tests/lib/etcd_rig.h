/* SPDX-License-Identifier: MIT */
/* Shared by the tests over a real etcd.  There only where libcurl and jansson are. */
#ifndef TESTS_LIB_ETCD_RIG_H
#define TESTS_LIB_ETCD_RIG_H

#include "coordinators/etcd/etcd_register.h"
#include "lib/etcd_server.h"
#include "lib/register_rig.h"

/* A register of the URL that printf would write. */
#define etcd_open_url(...) register_open(fz_etcd_register_open, __VA_ARGS__)

#endif
