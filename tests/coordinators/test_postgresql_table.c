/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the table in a PostgreSQL keeps records apart and in their order: one that could show others
 * tomorrow, or is something else, is refused, and rows that frazil did not write are never overwritten.
 */
#include "lib/postgresql_server.h"
#include "lib/test.h"

/* One for all tests. */
POSTGRESQL_SERVER_OF_ALL

/* A register of the server, with an empty table. */
static struct fz_register start(void)
{
    struct fz_register reg =
        postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=60s", (unsigned)server.port);

    postgresql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    register_prepare(&reg);
    return reg;
}

/* ---- the table itself --------------------------------------------------------------- */

TEST("The key has the order of bytes, which no other library of locales changes")
{
    struct fz_register reg = start();

    assert_string_equal(postgresql_server_do(&server,
                                             "SELECT collname FROM pg_attribute JOIN pg_collation AS c ON c.oid = "
                                             "attcollation WHERE attrelid = 'frazil_lease'::regclass "
                                             "AND attname = 'namespace'"),
                        "C");
    register_close(&reg);
}

/* With a row of the namespace below it. */
static void assert_refused(const char *definition)
{
    struct fz_register reg = start();
    struct fz_record record;

    postgresql_server_do(&server, "ALTER TABLE frazil_lease RENAME TO below");
    postgresql_server_do(&server, definition);
    enum fz_register_result read = register_read(&reg, 0, &record);
    register_assert_said(
        "\"public\".\"frazil_lease\" is a view, a foreign table or partitioned, so its rows could be exchanged unseen");
    enum fz_register_result swapped = reg.swap(
        reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){.number = 0, .data = "x", .len = 1}, &(uint64_t){0}, NULL, NULL);
    register_close(&reg);
    postgresql_server_do(&server, "DROP TABLE IF EXISTS below CASCADE");
    assert_int_equal(read, FZ_REGISTER_REFUSED);
    assert_int_not_equal(swapped, FZ_REGISTER_OK);
}

TEST("A view is refused, as it can lead to other records tomorrow; a foreign table and a partitioned one likewise")
{
    assert_refused("CREATE VIEW frazil_lease AS SELECT * FROM below");
    assert_refused("CREATE EXTENSION file_fdw;"
                   "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
                   "CREATE FOREIGN TABLE frazil_lease (namespace text, number bigint, version bigint, data bytea) "
                   "SERVER files OPTIONS (filename '/dev/null')");
    postgresql_server_do(&server, "DROP EXTENSION file_fdw CASCADE");
    assert_refused("CREATE TABLE frazil_lease (LIKE below INCLUDING ALL) PARTITION BY LIST (number);"
                   "ALTER TABLE frazil_lease ATTACH PARTITION below DEFAULT");
    postgresql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
}

TEST("Rows of a table that inherits from the table, such as an archive, are none of its records")
{
    struct fz_register reg = start();
    uint64_t versions[4] = {0, 0, 0, 0};

    uint64_t old = register_must_swap(&reg, 1, 0, "old");
    postgresql_server_do(&server, "CREATE TABLE archive AS TABLE frazil_lease");
    uint64_t version = register_must_swap(&reg, 1, old, "new");
    postgresql_server_do(&server, "ALTER TABLE archive ALTER namespace SET NOT NULL, ALTER number SET NOT NULL, ALTER "
                                  "version SET NOT NULL, ALTER data SET NOT NULL, INHERIT frazil_lease");
    postgresql_server_do(&server, "INSERT INTO archive SELECT namespace, 0, version, data FROM archive");
    assert_int_equal(register_must_read(&reg, 0).version, 0);
    register_assert_record(&reg, 1, version, "new");
    assert_int_equal(register_swap(&reg, 1, old, "a newcomer", &(uint64_t){0}), FZ_REGISTER_CONFLICT);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(versions[0], 0);
    assert_int_equal(versions[1], version);
    version = register_must_swap(&reg, 1, version, "extended");
    register_assert_record(&reg, 1, version, "extended");
    register_close(&reg);
    postgresql_server_do(&server, "DROP TABLE archive");
}

TEST("A table of that name that is something else is refused in the server's own words")
{
    struct fz_register reg = start();
    struct fz_record record;
    uint64_t version;

    postgresql_server_do(&server, "DROP TABLE frazil_lease; CREATE TABLE frazil_lease (n int)");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("column r.namespace does not exist' (42703)");
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    assert_int_equal(register_swap(&reg, 0, 7, "x", &version), FZ_REGISTER_REFUSED);
    register_close(&reg);
}

/* ---- the rows of the table ---------------------------------------------------------- */

TEST("Versions grow when the server's clock has gone back, too; the last one there is has no next")
{
    struct fz_register reg = start();
    uint64_t version;

    postgresql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', 0, 9000000000000000, 'x')");
    assert_int_equal(register_must_swap(&reg, 0, UINT64_C(9000000000000000), "y"), UINT64_C(9000000000000001));
    postgresql_server_do(&server, "UPDATE frazil_lease SET version = 9223372036854775807");
    assert_int_equal(register_swap(&reg, 0, INT64_MAX, "z", &version), FZ_REGISTER_REFUSED);
    register_assert_said("bigint out of range' (22003)");
    register_close(&reg);
}

static void note_versions(void *ctx, uint32_t number, const struct fz_record *record)
{
    uint64_t *versions = ctx;

    if (number < 6)
        versions[number] = record->version;
    if (number == 1 || number == 2)
        assert_int_equal(record->len, 0);
}

TEST("A foreign row is refused, or shown as damaged, and never overwritten")
{
    struct fz_register reg = start();
    struct fz_record record;
    uint64_t version;
    uint64_t versions[6] = {0};

    postgresql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', 0, 0, 'x'), ('orders', 1, -7, 'x'), "
                                  "('orders', 2, 9, repeat('x', 513)::bytea), ('orders', 3, 9, ''), "
                                  "('others', 4, 9, 'x')");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("a record in the table \"public\".\"frazil_lease\" was not written by frazil");
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_CONFLICT);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note_versions, versions, NULL, NULL), FZ_REGISTER_OK);
    static const uint64_t wanted[6] = {1, 1, 1, 9, 0, 0};
    assert_memory_equal(versions, wanted, sizeof wanted);
    static const char *const wrong[] = {"INSERT INTO frazil_lease VALUES ('orders', 4294967295, 0, '')",
                                        "INSERT INTO frazil_lease VALUES ('orders', 4294967296, 7, '')",
                                        "INSERT INTO frazil_lease VALUES ('orders', -1, 7, '')"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        postgresql_server_do(&server, wrong[i]);
        assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note_versions, versions, NULL, NULL),
                         FZ_REGISTER_REFUSED);
        postgresql_server_do(&server, "DELETE FROM frazil_lease WHERE number < 0 OR number > 9");
    }
    register_close(&reg);
}
