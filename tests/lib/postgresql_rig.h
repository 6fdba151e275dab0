/* SPDX-License-Identifier: MIT */
/* Shared by the tests over a real PostgreSQL.  There only where libpq is. */
#ifndef TESTS_LIB_POSTGRESQL_RIG_H
#define TESTS_LIB_POSTGRESQL_RIG_H

#include "coordinators/postgresql/postgresql_register.h"
#include "lib/postgresql_server.h"
#include "lib/register_rig.h"

/* A register of the URL that printf would write. */
#define postgresql_open_url(...) register_open(fz_postgresql_register_open, __VA_ARGS__)

#endif
