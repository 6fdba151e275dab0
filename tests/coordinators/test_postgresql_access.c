/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: how one comes to the table, and what is said where that does not
 * work: no table, no permission (with the SQL that gives it), passwords, sockets, other
 * tables and namespaces.
 */
#include <pthread.h>
#include <unistd.h>

#include "lib/postgresql_server.h"
#include "lib/test.h"

POSTGRESQL_SERVER_OF_ALL

/* A register of this user ("NAME" or "NAME:PASSWORD"), with these keys. */
static struct fz_register open_as(const char *user, const char *keys)
{
    return postgresql_open_url("postgres://%s@127.0.0.1:%u/postgres/orders?timeout=60s%s", user, (unsigned)server.port,
                               keys);
}

/* A user who may log in and nothing more; no table. */
static void start(void)
{
    postgresql_server_do(&server, "DROP SCHEMA IF EXISTS ids, \"Ids\" CASCADE; DROP TABLE IF EXISTS frazil_lease");
    postgresql_server_do(&server, "DROP ROLE IF EXISTS \"the app\"; CREATE ROLE \"the app\" LOGIN; "
                                  "DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 's3cret:/@'");
    postgresql_server_do(&server, "REVOKE CREATE ON SCHEMA public FROM PUBLIC; "
                                  "GRANT ALL ON SCHEMA public TO guarded");
}

static void stop(void)
{
    postgresql_server_do(&server, "DROP SCHEMA IF EXISTS ids, \"Ids\" CASCADE; DROP TABLE IF EXISTS frazil_lease; "
                                  "REVOKE ALL ON SCHEMA public FROM guarded");
}

/* Runs as "owner" what a sentence says that somebody should run. */
static void run_what_was_said(const char *message)
{
    char sql[FRAZIL_ERROR_MESSAGE_SIZE];
    const char *run = strstr(message, " run: ");

    assert_non_null(run);
    snprintf(sql, sizeof sql, "%s", run + 6);
    char *end = strrchr(sql, ';'); /* what follows is prose */
    assert_non_null(end);
    *end = '\0';
    postgresql_server_do(&server, sql);
}

/* ---- the table -------------------------------------------------------------------- */

TEST("Without a table there is no record and none can be made; who the server is can be said all the same")
{
    struct fz_register_status status = {.has_clock = false};
    struct fz_record record = {.version = 4711};
    frazil_error err;
    uint64_t version = 4711;

    start();
    struct fz_register reg = open_as("owner", "");
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 0, &record, &status, NULL), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    assert_true(status.has_clock && status.incarnation[0] != '\0');
    status.incarnation[0] = '\0';
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, NULL, NULL, &status, NULL), FZ_REGISTER_OK);
    assert_true(status.incarnation[0] != '\0');
    status.incarnation[0] = '\0';
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, 7, "x", 1}, &version, &status, NULL),
                     FZ_REGISTER_CONFLICT);
    assert_true(status.incarnation[0] != '\0');
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, 0, "x", 1}, &version, NULL, &err),
                     FZ_REGISTER_REFUSED);
    assert_non_null(strstr(err.message, "there is no table \"public\".\"frazil_lease\": frazil lease init creates it"));
    assert_int_equal(version, 4711);
    register_close(&reg);
    stop();
}

TEST("`frazil lease init` makes the table, once, also for a namespace that was never used; a second namespace "
     "shares it")
{
    frazil_error err = {.message = ""};
    struct fz_record record;

    start();
    struct fz_register reg = open_as("guarded:s3cret%3A%2F%40", "&sslmode=disable");
    if (register_init(&reg, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(register_init(&reg, &err), FRAZIL_EINVAL);
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &record, NULL, NULL), FZ_REGISTER_OK);
    struct fz_namespace_record space;
    assert_int_equal(fz_namespace_record_parse(record.data, record.len, &space, NULL), FRAZIL_OK);
    assert_string_equal(space.incarnation, register_status_of(&reg).incarnation);
    struct fz_register other = postgresql_open_url(
        "postgres://guarded:s3cret%%3A%%2F%%40@127.0.0.1:%u/postgres/others?sslmode=disable", (unsigned)server.port);
    assert_int_equal(register_init(&other, &err), FRAZIL_OK);
    assert_string_equal(postgresql_server_do(&server, "SELECT string_agg(namespace, ' ' ORDER BY 1) FROM frazil_lease"),
                        "orders others");
    register_close(&other);
    register_close(&reg);
    stop();
}

static void *prepare(void *ctx)
{
    struct fz_register reg = open_as("owner", "");

    (void)ctx;
    register_prepare(&reg);
    register_close(&reg);
    return NULL;
}

TEST("Several who make the table at once all find it made")
{
    pthread_t threads[8];

    start();
    for (int rounds = 0; rounds < 5; rounds++) {
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, prepare, NULL), 0);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
            pthread_join(threads[i], NULL);
        postgresql_server_do(&server, "DROP TABLE frazil_lease");
    }
    stop();
}

TEST("A user who may not create the table is told what to have run; that is enough, also for a second init")
{
    frazil_error err = {.message = ""};

    start();
    struct fz_register reg = open_as("the%20app", "");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &err), FZ_REGISTER_REFUSED);
    const char *wanted = "may not create its table; let a user with that permission run: CREATE TABLE IF NOT EXISTS "
                         "\"public\".\"frazil_lease\" (namespace text COLLATE \"C\", number bigint, version bigint NOT "
                         "NULL, data bytea NOT NULL, PRIMARY KEY (namespace, number)); GRANT SELECT, INSERT, UPDATE ON "
                         "\"public\".\"frazil_lease\" TO \"the app\"; or name a table of another schema in each URL "
                         "of the fleet, as table=SCHEMA.NAME";
    if (strstr(err.message, wanted) == NULL)
        fail_msg("%s", err.message);
    run_what_was_said(err.message);
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    assert_true(register_must_swap(&reg, 0, version, "second") > version);
    register_close(&reg);
    stop();
}

TEST("The same where the table is in a schema that the user may not even look into")
{
    struct fz_record record;
    uint64_t version;

    start();
    struct fz_register owner = open_as("owner", "");
    struct fz_register reg = open_as("the%20app", "");
    register_prepare(&owner);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("permission denied for table frazil_lease': let the owner of the table run: GRANT SELECT, "
                         "INSERT, UPDATE ON \"public\".\"frazil_lease\" TO \"the app\"; USAGE on its schema");
    postgresql_server_do(&server, "GRANT SELECT ON frazil_lease TO \"the app\"");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    /* The first grant would not need it, and the second one could not be had without. */
    postgresql_server_do(&server, "GRANT INSERT ON frazil_lease TO \"the app\"");
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    run_what_was_said(register_said.message);
    version = register_must_swap(&reg, 0, 0, "x");
    register_close(&reg);

    postgresql_server_do(&server, "CREATE SCHEMA ids; ALTER TABLE frazil_lease SET SCHEMA ids");
    reg = open_as("the%20app", "&table=ids.frazil_lease");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("permission denied for schema ids");
    postgresql_server_do(&server, "GRANT USAGE ON SCHEMA ids TO \"the app\"");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    register_close(&reg);
    register_close(&owner);
    stop();
}

TEST("Tables with other names and in other schemas, and namespaces of one table, are apart")
{
    static const char *const keys[] = {"", "&table=other_table", "&table=ids.frazil_lease", "&table=Ids.frazil_lease",
                                       "&table=Frazil_Lease"};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    struct fz_register regs[KEYS + 1];
    struct fz_record record;

    start();
    postgresql_server_do(&server, "CREATE SCHEMA ids; CREATE SCHEMA \"Ids\"");
    for (size_t i = 0; i < KEYS; i++)
        regs[i] = open_as("owner", keys[i]);
    regs[KEYS] = postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/others", (unsigned)server.port);
    for (size_t i = 0; i <= KEYS; i++) {
        register_prepare(&regs[i]);
        assert_int_equal(register_read(&regs[i], 0, &record), FZ_REGISTER_OK);
        assert_int_equal(record.version, 0);
        (void)register_must_swap(&regs[i], 0, 0, "x");
    }
    for (size_t i = 0; i <= KEYS; i++)
        register_close(&regs[i]);
    struct fz_register reg = open_as("owner", "&table=public.frazil_lease");
    uint64_t version;
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_CONFLICT);
    register_close(&reg);
    reg = open_as("owner", "&table=nowhere.frazil_lease");
    frazil_error err;
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &err), FZ_REGISTER_REFUSED);
    assert_non_null(strstr(err.message, "schema \"nowhere\" does not exist' (3F000)"));
    register_close(&reg);
    postgresql_server_do(&server, "DROP TABLE other_table, \"Frazil_Lease\"");
    stop();
}

TEST("Whatever the search_path of a role or a session is, a URL leads to one table, which its schema decides")
{
    frazil_error err = {.message = ""};
    struct fz_record record;
    uint64_t version;

    start();
    postgresql_server_do(&server, "CREATE ROLE web LOGIN; CREATE SCHEMA AUTHORIZATION web; CREATE ROLE job LOGIN; "
                                  "CREATE SCHEMA AUTHORIZATION job; GRANT CREATE ON SCHEMA public TO web, job");
    struct fz_register web = open_as("web", "");
    struct fz_register job = open_as("job", "");
    assert_int_equal(register_init(&web, &err), FRAZIL_OK);
    assert_int_equal(register_init(&job, &err), FRAZIL_EREFUSED);
    run_what_was_said(err.message);
    assert_int_equal(register_init(&job, &err), FRAZIL_EINVAL); /* it is there */
    uint64_t first = register_must_swap(&web, 0, 0, "x");
    assert_int_equal(register_swap(&job, 0, 0, "y", &version), FZ_REGISTER_CONFLICT);
    register_close(&job);

    postgresql_server_do(&server, "CREATE TABLE job.frazil_lease (LIKE public.frazil_lease INCLUDING ALL); "
                                  "GRANT ALL ON job.frazil_lease TO web; GRANT USAGE ON SCHEMA job TO web; "
                                  "ALTER ROLE job SET search_path = job");
    job = open_as("job", "");
    assert_int_equal(setenv("PGOPTIONS", "-c search_path=job,public", 1), 0);
    struct fz_register session = open_as("web", "");
    enum fz_register_result result = register_read(&session, 0, &record);
    unsetenv("PGOPTIONS");
    assert_int_equal(result, FZ_REGISTER_OK);
    assert_int_equal(record.version, first);
    assert_string_equal(register_status_of(&session).incarnation, register_status_of(&web).incarnation);
    assert_true(register_must_swap(&job, 0, first, "y") > first);
    register_close(&session);
    register_close(&job);
    register_close(&web);
    assert_string_equal(postgresql_server_do(&server, "SELECT count(*) FROM job.frazil_lease"), "0");
    postgresql_server_do(&server, "DROP OWNED BY web, job CASCADE; DROP ROLE web, job");
    stop();
}

/* ---- being let in ------------------------------------------------------------------- */

static void write_file(char path[64], const char *text)
{
    snprintf(path, 64, "/tmp/frazil-password-XXXXXX");
    int fd = mkstemp(path); /* for nobody else's eyes, as libpq wants its own */
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

TEST("A password that is wrong or missing is refused, and never said; the right one may come from wherever")
{
    struct fz_record record;
    char path[64];
    char keys[96];
    char text[96];

    start();
    struct fz_register reg = open_as("guarded:s3cret", "&sslmode=disable");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("28P01: password authentication failed for user \"guarded\"");
    assert_null(strstr(register_said.message, "s3cret"));
    register_close(&reg);
    reg = open_as("guarded", "");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("no password supplied");
    register_assert_said("give the password by password_file=, or in the URL");
    register_close(&reg);
    reg = open_as("guarded:s3cret%3A%2F%40", "&sslmode=disable");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);

    write_file(path, "s3cret:/@\n");
    snprintf(keys, sizeof keys, "&sslmode=disable&password_file=%s", path);
    reg = open_as("guarded", keys);
    unlink(path);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);

    snprintf(text, sizeof text, "127.0.0.1:%u:postgres:guarded:s3cret\\:/@\n", (unsigned)server.port);
    write_file(path, text);
    assert_int_equal(setenv("PGPASSFILE", path, 1), 0);
    reg = open_as("guarded", "&sslmode=disable");
    enum fz_register_result result = register_read(&reg, 0, &record);
    unsetenv("PGPASSFILE");
    unlink(path);
    assert_int_equal(result, FZ_REGISTER_OK);
    register_close(&reg);
    stop();
}

TEST("Without a word on TLS: over the socket of a server that has none; and over TCP to one that has it")
{
    static const char *const settings[] = {"ssl=on", NULL};
    struct fz_record record;
    char port[8];

    start();
    snprintf(port, sizeof port, "%u", (unsigned)server.port);
    assert_int_equal(setenv("PGPORT", port, 1), 0);
    struct fz_register reg = postgresql_open_url(
        "postgres://guarded:s3cret%%3A%%2F%%40@/postgres/orders?timeout=60s&host=%s", server.folder);
    enum fz_register_result over_socket = register_read(&reg, 0, &record);
    unsetenv("PGPORT");
    assert_int_equal(over_socket, FZ_REGISTER_OK);
    register_close(&reg);
    reg = open_as("guarded:s3cret%3A%2F%40", "");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("no password is sent without TLS");
    postgresql_server_certify(&server);
    postgresql_server_crash(&server);
    postgresql_server_restart(&server, settings);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
    postgresql_server_crash(&server);
    postgresql_server_restart(&server, NULL);
    stop();
}

TEST("Who, or where, does not exist is refused; nothing of that gets better by itself")
{
    struct fz_record record;

    struct fz_register reg = open_as("nobody_of_that_name", "");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("role \"nobody_of_that_name\" does not exist");
    register_close(&reg);
    reg = postgresql_open_url("postgres://owner@127.0.0.1:%u/nowhere/orders", (unsigned)server.port);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("database \"nowhere\" does not exist");
    register_close(&reg);
}

/* libpq connects to the address; it compares the name of the host with the certificate alone. */
TEST("An address in the environment does not lead past the host of the URL")
{
    struct fz_record record;
    char port[8];

    start();
    snprintf(port, sizeof port, "%u", (unsigned)server.port);
    assert_int_equal(setenv("PGHOSTADDR", "127.0.0.1", 1), 0);
    struct fz_register reg =
        postgresql_open_url("postgres://owner@elsewhere.example:%u/postgres/orders", (unsigned)server.port);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("PGHOSTADDR, or the hostaddr of a service, would lead past the URL's host");
    register_close(&reg);
    assert_int_equal(setenv("PGPORT", port, 1), 0);
    reg = postgresql_open_url("postgres://owner@/postgres/orders");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
    unsetenv("PGPORT");
    assert_int_equal(setenv("PGHOSTADDR", "", 1), 0);
    reg = open_as("owner", "");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
    unsetenv("PGHOSTADDR");
    stop();
}

TEST("The socket in a folder; and what the URL does not say comes from the environment, as with every client")
{
    struct fz_record record;
    char port[8];

    start();
    snprintf(port, sizeof port, "%u", (unsigned)server.port);
    assert_int_equal(setenv("PGPORT", port, 1), 0);
    struct fz_register reg = postgresql_open_url("postgres://owner@/postgres/orders?host=%s", server.folder);
    enum fz_register_result by_folder = register_read(&reg, 0, &record);
    register_close(&reg);
    assert_int_equal(setenv("PGHOST", server.folder, 1), 0);
    assert_int_equal(setenv("PGUSER", "owner", 1), 0);
    reg = postgresql_open_url("postgres:///postgres/orders");
    enum fz_register_result by_environment = register_read(&reg, 0, &record);
    register_close(&reg);
    unsetenv("PGPORT");
    unsetenv("PGHOST");
    unsetenv("PGUSER");
    assert_int_equal(by_folder, FZ_REGISTER_OK);
    assert_int_equal(by_environment, FZ_REGISTER_OK);
    stop();
}

TEST("TLS that is demanded of a server that has none is not done without")
{
    struct fz_record record;

    struct fz_register reg = open_as("owner", "&sslmode=require");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("server does not support SSL, but SSL was required");
    register_close(&reg);
}

TEST("Over TLS, as far as the URL trusts it; a child that drops what it inherited does not end its parent's session")
{
    static const char *const settings[] = {"ssl=on", NULL};
    char keys[160];
    struct fz_record record;
    struct server own;

    postgresql_server_start(&own, NULL);
    postgresql_server_certify(&own);
    postgresql_server_crash(&own);
    postgresql_server_restart(&own, settings);
    snprintf(keys, sizeof keys, "sslmode=verify-ca&sslrootcert=%s/data/server.crt", own.folder);
    struct fz_register reg =
        postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=60s&%s", (unsigned)own.port, keys);
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    register_assert_child_reads(&reg, version);
    postgresql_server_await(&own,
                            "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                            "WHERE ssl AND application_name = 'frazil'",
                            "1"); /* the parent's, still */
    (void)register_must_swap(&reg, 0, version, "second");
    register_close(&reg);

    snprintf(keys, sizeof keys, "sslmode=verify-full&sslrootcert=%s/data/server.crt", own.folder);
    reg = postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?%s", (unsigned)own.port, keys);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("server certificate for \"localhost\" does not match host name \"127.0.0.1\"");
    register_close(&reg);
    char lost[sizeof own.folder + sizeof "/lost"];
    snprintf(lost, sizeof lost, "%s/lost", own.folder);
    assert_int_equal(symlink("data/server.crt", lost), 0);
    reg = postgresql_open_url("postgres://owner@127.0.0.1:1/postgres/orders?sslmode=verify-ca&sslrootcert=%s", lost);
    assert_int_equal(unlink(lost), 0);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE); /* although nobody is there */
    register_assert_said(": cannot read the file of sslrootcert=: ");
    register_close(&reg);
    postgresql_server_stop(&own);
}
