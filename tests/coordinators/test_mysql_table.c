/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a table that somebody made in another way than frazil is refused where it would not keep records
 * apart: it would give one record to two, or show one to two namespaces.
 */
#include "frazil/coordinators.h"
#include "lib/findings.h"
#include "lib/mysql_server.h"
#include "lib/test.h"
#include "os/deadline.h"

#define COLUMNS(name)                                                                                                  \
    "namespace " name ", number BIGINT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL, "                          \
    "data VARBINARY(512) NOT NULL"
#define BYTES "VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL"
#define KEY ", PRIMARY KEY (namespace, number)"

/* One for all tests. */
MYSQL_SERVER_OF_ALL

static struct fz_register open_as(const char *user)
{
    return mysql_open_url("mysql://%s@127.0.0.1:%u/app/orders?timeout=60s", user, (unsigned)server.port);
}

static struct findings diagnose(void)
{
    return findings_at(frazil_coordinator_mysql(), "mysql://app@127.0.0.1:%u/app/orders?timeout=60s",
                       (unsigned)server.port);
}

/* The table is made of this, in place of the last one. */
static struct fz_register make(const char *definition)
{
    char sql[512];

    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    snprintf(sql, sizeof sql, "CREATE TABLE frazil_lease %s", definition);
    mysql_server_do(&server, sql);
    return open_as("app");
}

/* The statement that was said makes it a table that is good. */
static void assert_mended(struct fz_register *reg)
{
    const char *run = strstr(register_said.message, ": run ");

    assert_non_null(run);
    mysql_server_do(&server, run + 6);
    register_prepare(reg);
    uint64_t version = register_must_swap(reg, 0, 0, "first");
    register_assert_record(reg, 0, version, "first");
    register_close(reg);
}

TEST("One without a primary key, into which a record could be put twice, is not even read")
{
    struct fz_register reg = make("(" COLUMNS(BYTES) ") ENGINE = InnoDB");
    const uint32_t numbers[] = {0, FZ_NAMESPACE};
    struct fz_record record;

    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("the table frazil_lease has no primary key, or is a view");
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_ignore, NULL, NULL, NULL), FZ_REGISTER_REFUSED);
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, 2, 2, register_ignore, NULL, NULL, NULL),
                     FZ_REGISTER_REFUSED);
    assert_found(diagnose(), "the table frazil_lease has no primary key, or is a view");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
    register_assert_said("the table frazil_lease does not keep records apart");
    assert_mended(&reg);
}

TEST("Nor is a view, whose engine and age nobody tells")
{
    struct fz_record record;

    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    mysql_server_do(&server, "CREATE TABLE elsewhere (" COLUMNS(BYTES) KEY ") ENGINE = MyISAM");
    mysql_server_do(&server, "CREATE VIEW frazil_lease AS SELECT * FROM elsewhere");
    struct fz_register reg = open_as("app");
    enum fz_register_result read = register_read(&reg, 0, &record);
    enum fz_register_result prepared = reg.prepare(reg.ctx, FZ_DEADLINE_NONE, NULL);
    register_close(&reg);
    mysql_server_do(&server, "DROP VIEW frazil_lease");
    mysql_server_do(&server, "DROP TABLE elsewhere");
    assert_int_equal(read, FZ_REGISTER_REFUSED);
    assert_int_equal(prepared, FZ_REGISTER_REFUSED);
}

TEST("One whose key has more than its two columns, or a part of one, is refused by init, and named by the doctor")
{
    static const char *const keys[] = {", PRIMARY KEY (namespace, number, version)",
                                       ", PRIMARY KEY (namespace(3), number)", ", PRIMARY KEY (number)"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char definition[512];
        snprintf(definition, sizeof definition, "(" COLUMNS(BYTES) "%s) ENGINE = InnoDB", keys[i]);
        struct fz_register reg = make(definition);
        assert_found(diagnose(), "FAIL table: it does not keep records apart");
        assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
        assert_mended(&reg);
    }
}

/* Puts a record into a table that is made of this; it must be refused. */
static struct fz_register refuse_record(const char *definition)
{
    struct fz_register reg = make(definition);
    uint64_t untouched = 4711;

    assert_int_equal(register_swap(&reg, 0, 0, "first", &untouched), FZ_REGISTER_REFUSED);
    register_assert_said("the table frazil_lease does not keep records apart");
    assert_int_equal(untouched, 4711);
    assert_string_equal(mysql_server_do(&server, "SELECT COUNT(*) FROM frazil_lease"), "0");
    return reg;
}

TEST("A table that got another primary key after init is given no new record, which could be there already")
{
    struct fz_register reg =
        refuse_record("(" COLUMNS(BYTES) ", id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY) ENGINE = InnoDB");

    assert_mended(&reg);
    reg = refuse_record("(" COLUMNS(BYTES) ", PRIMARY KEY (namespace, number, version)) ENGINE = InnoDB");
    assert_mended(&reg);
}

TEST("A column with another primary key stays, unless it is AUTO_INCREMENT, which goes only with its key")
{
    struct fz_register reg =
        refuse_record("(" COLUMNS(BYTES) ", id BIGINT UNSIGNED DEFAULT 7 PRIMARY KEY) ENGINE = InnoDB");

    assert_mended(&reg);
    assert_string_equal(mysql_server_do(&server, "SELECT id FROM frazil_lease"), "7");
    reg = refuse_record("(" COLUMNS(BYTES) ", `a``b` BIGINT UNSIGNED AUTO_INCREMENT, "
                                           "PRIMARY KEY (`a``b`, namespace)) ENGINE = InnoDB");
    register_assert_said(" DROP COLUMN `a``b`,");
    assert_mended(&reg);
}

TEST("Other names of namespaces, which init refuses, make no record twice: a running fleet goes on")
{
    struct fz_register reg = make("(" COLUMNS("VARCHAR(63)") KEY ") ENGINE = InnoDB, CHARACTER SET utf8mb4");
    uint64_t version = register_must_swap(&reg, 0, 0, "first");

    assert_int_equal(register_swap(&reg, 0, 0, "second", &version), FZ_REGISTER_CONFLICT);
    register_close(&reg);
}

TEST("One that takes two namespaces for one is refused by init, and named by the doctor")
{
    struct fz_register reg = make("(" COLUMNS("VARCHAR(63)") KEY ") ENGINE = InnoDB, CHARACTER SET utf8mb4");

    assert_found(diagnose(),
                 "FAIL table: it treats some namespaces as one, because it compares their names by utf8mb4_");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
    register_assert_said("treats some namespaces as one");
    assert_mended(&reg);
}

TEST("Another order of the key, or names that are bytes, do no harm")
{
    struct fz_register reg = make("(" COLUMNS("VARBINARY(70)") ", PRIMARY KEY (number, namespace)) ENGINE = InnoDB");

    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    register_assert_record(&reg, 0, version, "first");
    assert_not_found(diagnose(), "table:");
    register_close(&reg);
}

TEST("A user who may write, but not create, is told what to have run while there is no table")
{
    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    mysql_server_do(&server, "CREATE OR REPLACE USER writer@'%'");
    mysql_server_do(&server, "GRANT SELECT, INSERT, UPDATE ON app.* TO writer@'%'");
    struct fz_register reg = open_as("writer");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
    register_assert_said("may not create its table; let a user with that permission run: CREATE TABLE");
    struct fz_register owner = open_as("app");
    register_prepare(&owner);
    register_prepare(&reg);
    register_close(&owner);
    register_close(&reg);
}

/* ---- its time of creation, in whole seconds ------------------------------------------ */

static struct fz_register make_anew(void)
{
    struct fz_register reg = open_as("app");

    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    register_prepare(&reg);
    return reg;
}

TEST("A dump that is taken and put back as soon as there is a namespace is another incarnation")
{
    struct fz_register reg = make_anew();
    frazil_error err;

    if (register_init(&reg, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    struct fz_register_status first = register_status_of(&reg);
    mysql_server_do(&server, "CREATE OR REPLACE TABLE dump AS SELECT * FROM frazil_lease");
    (void)register_must_swap(&reg, 0, 0, "a grant that the dump lacks");
    mysql_server_do(&server, "DROP TABLE frazil_lease");
    register_prepare(&reg);
    mysql_server_do(&server, "INSERT INTO frazil_lease SELECT * FROM dump");
    assert_string_not_equal(register_status_of(&reg).incarnation, first.incarnation);
    assert_int_equal(register_must_read(&reg, 0).version, 0);
    mysql_server_do(&server, "DROP TABLE dump");
    register_close(&reg);
}

TEST("The namespace's record is written once no other table can get the same time of creation, and only that waits")
{
    static const char age_sql[] =
        "SELECT UNIX_TIMESTAMP() - UNIX_TIMESTAMP(create_time) FROM "
        "information_schema.tables WHERE table_schema = 'app' AND table_name = 'frazil_lease'";
    struct fz_register reg = make_anew();
    const struct fz_swap swap = {.number = FZ_NAMESPACE, .data = "x", .len = 1};
    uint64_t untouched = 4711;

    enum fz_register_result hasty =
        reg.swap(reg.ctx, fz_deadline_in(1000000), &swap, &untouched, NULL, &register_said); /* or out of its time */
    assert_int_equal(hasty, FZ_REGISTER_UNREACHABLE);
    assert_int_equal(untouched, 4711);
    uint64_t version = register_must_swap(&reg, FZ_NAMESPACE, 0, "first");
    assert_true(strtol(mysql_server_do(&server, age_sql), NULL, 10) >= 2);
    mysql_server_do(&server, "ALTER TABLE frazil_lease FORCE");
    (void)register_must_swap(&reg, FZ_NAMESPACE, version, "second");
    assert_true(strtol(mysql_server_do(&server, age_sql), NULL, 10) >= 2);
    register_close(&reg);
}
