/* SPDX-License-Identifier: MIT */
/* Shared by the tests over a real MariaDB.  There only where libmariadb is. */
#ifndef TESTS_LIB_MYSQL_RIG_H
#define TESTS_LIB_MYSQL_RIG_H

#include "coordinators/mysql/mysql_register.h"
#include "lib/mysql_server.h"
#include "lib/register_rig.h"

/* A register of the URL that printf would write. */
#define mysql_open_url(...) register_open(fz_mysql_register_open, __VA_ARGS__)

#endif
