/* SPDX-License-Identifier: MIT */
#include "sql_register.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "os/deadline.h"
#include "os/waits.h"

/* A table is young for two seconds at most, unless its server's clock does not move. */
static const uint64_t young_wait_ns = 4000000000;
enum { YOUNG_PAUSE_MS = 50 };

/* ---- statements ------------------------------------------------------------------ */

static void write_data(struct fz_sentence *s, const struct fz_swap *swap)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < swap->len; i++) {
        unsigned char byte = (unsigned char)swap->data[i];
        fz_sentence_char(s, digits[byte >> 4]);
        fz_sentence_char(s, digits[byte & 15]);
    }
}

/* The values that write_sql puts into a statement, beside the names. */
struct values {
    struct fz_swap swap;
    const uint32_t *numbers;
    size_t n;
};

static void write_list(struct fz_sentence *s, const struct values *values)
{
    for (size_t i = 0; i < values->n; i++) {
        fz_sentence_str(s, i == 0 ? "" : ",");
        fz_sentence_u64(s, values->numbers[i]);
    }
}

/* Writes a statement into buf, and puts in all that it names.  Returns buf. */
static const char *write_sql(const struct fz_sql_connection *connection, const char *sql, const struct values *values,
                             char buf[FZ_SQL_SIZE])
{
    struct fz_sentence s = fz_sentence_in(buf, FZ_SQL_SIZE);

    for (; *sql != '\0'; sql++) {
        char which = *sql == '@' ? sql[1] : '\0';
        if (which == 'T')
            fz_sentence_str(&s, connection->table);
        else if (which == 'N')
            fz_sentence_str(&s, connection->session.url->name);
        else if (which == 'W')
            fz_sentence_u64(&s, values->swap.number);
        else if (which == 'V')
            fz_sentence_u64(&s, values->swap.expected);
        else if (which == 'D')
            write_data(&s, &values->swap);
        else if (which == 'L')
            write_list(&s, values);
        else
            fz_sentence_char(&s, *sql);
        sql += which >= 'A' && which <= 'Z';
    }
    assert(s.len < FZ_SQL_SIZE - 1);
    return buf;
}

const char *fz_sql_of_table(const struct fz_sql_connection *connection, const char *sql, char *buf)
{
    return write_sql(connection, sql, &(struct values){.n = 0}, buf);
}

/* ---- strict readings of values --------------------------------------------------- */

static bool read_number(const struct fz_sql_value *value, uint64_t *ret)
{
    return value->text != NULL && fz_decimal_parse(value->text, value->len, ret);
}

/* Reads a record from two columns, its version and its data.  false: these are none. */
static bool read_record(const struct fz_sql_value *values, struct fz_record *ret)
{
    uint64_t version;

    if (!read_number(&values[0], &version) || version == 0 || values[1].text == NULL ||
        values[1].len > FZ_RECORD_SIZE_MAX)
        return false;
    ret->version = version;
    ret->len = values[1].len;
    memcpy(ret->data, values[1].text, ret->len);
    return true;
}

/* ---- one exchange ---------------------------------------------------------------- */

static enum fz_register_result not_understood(const struct fz_sql_connection *connection, const char *what,
                                              frazil_error *reterr)
{
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: %s in the table %s was not written by frazil", connection->session.shown,
            what, connection->table);
    return FZ_REGISTER_REFUSED;
}

/* Reads the status from the columns that an answer begins with. */
static enum fz_register_result read_status(struct fz_sql_connection *connection, const struct fz_sql_value *values,
                                           struct fz_register_status *ret, frazil_error *reterr)
{
    struct fz_register_status status = {.has_clock = true};
    uint64_t microseconds;
    enum fz_register_result result =
        connection->dialect->read_incarnation(connection, values, status.incarnation, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (!read_number(values, &microseconds) || status.incarnation[0] == '\0') {
        fz_fail(reterr, FRAZIL_EREFUSED, "%s: does not report its time and identity, as %s", connection->session.shown,
                connection->dialect->speakers);
        return FZ_REGISTER_REFUSED;
    }
    status.unix_ms = (int64_t)(microseconds / 1000);
    if (ret != NULL)
        *ret = status;
    return FZ_REGISTER_OK;
}

/* Moves to the row with the status, which is the only one with a time: rows are in any order. */
static bool find_status(const struct fz_sql_dialect *dialect, struct fz_sql_answer *answer, size_t columns)
{
    answer->next = 0;
    if (answer->columns != columns)
        return false;
    while (dialect->next_row(answer)) {
        if (answer->values[0].text != NULL)
            return true;
    }
    return false;
}

/*
 * Carries out statements, and reads the status that they answer.  FZ_REGISTER_OK: *ret is at the status, has `columns`
 * more columns than that, and the caller frees its rows.  `swaps`: the statements may have been carried out, whatever
 * the status says.
 */
static enum fz_register_result ask(struct fz_sql_connection *connection, const char *sql, size_t columns, bool swaps,
                                   struct fz_sql_answer *ret, struct fz_register_status *status, frazil_error *reterr)
{
    const struct fz_sql_dialect *dialect = connection->dialect;
    struct fz_sql_answer answer = {.rows = NULL};
    enum fz_register_result result = dialect->carry_out(connection, sql, &answer, reterr);

    if (result != FZ_REGISTER_OK)
        return result;
    if (find_status(dialect, &answer, dialect->status_columns + columns)) {
        result = read_status(connection, answer.values, status, reterr);
        if (result != FZ_REGISTER_OK && swaps)
            result = FZ_REGISTER_UNKNOWN;
    } else {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: unexpected reply", connection->session.shown);
        fz_session_drop(&connection->session);
        result = FZ_REGISTER_UNKNOWN;
    }
    if (result == FZ_REGISTER_OK)
        *ret = answer;
    else
        dialect->free_rows(answer.rows);
    return result;
}

static bool is_refused(const struct fz_sql_connection *connection, enum fz_register_result result,
                       enum fz_sql_refusal why)
{
    return result == FZ_REGISTER_REFUSED && connection->dialect->refusal(connection) == why;
}

/* Without a table there is no record, but the server's identity is still known. */
static enum fz_register_result ask_without_table(struct fz_sql_connection *connection,
                                                 struct fz_register_status *status, frazil_error *reterr)
{
    char sql[FZ_SQL_SIZE];
    struct fz_sql_answer answer = {.rows = NULL};
    enum fz_register_result result = ask(connection, fz_sql_of_table(connection, connection->dialect->status, sql), 0,
                                         false, &answer, status, reterr);

    connection->dialect->free_rows(answer.rows);
    return result;
}

/* ---- the port ------------------------------------------------------------------ */

/* Begins a function of the port: all that it asks has this deadline. */
static struct fz_sql_connection *in_time(void *ctx, struct fz_deadline deadline)
{
    struct fz_sql_connection *connection = ctx;

    connection->deadline = deadline;
    return connection;
}

static enum fz_register_result sql_read(void *ctx, struct fz_deadline deadline, uint32_t number, struct fz_record *ret,
                                        struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_sql_connection *connection = in_time(ctx, deadline);
    const struct fz_sql_dialect *dialect = connection->dialect;
    struct fz_record record = {.version = 0};
    char sql[FZ_SQL_SIZE];
    struct fz_sql_answer answer = {.rows = NULL};
    const struct fz_sql_value *found = &answer.values[dialect->status_columns];

    (void)write_sql(connection, dialect->read, &(struct values){.swap = {.number = number}}, sql);
    enum fz_register_result result = ask(connection, sql, 2, false, &answer, status, reterr);
    if (is_refused(connection, result, FZ_SQL_NO_TABLE))
        result = ask_without_table(connection, status, reterr);
    else if (result == FZ_REGISTER_OK && found->text != NULL && !read_record(found, &record))
        result = not_understood(connection, "a record", reterr);
    dialect->free_rows(answer.rows);
    if (result == FZ_REGISTER_OK)
        *ret = record;
    return result;
}

static enum fz_register_result visit_row(const struct fz_sql_connection *connection, const struct fz_sql_value *values,
                                         fz_record_visitor visit, void *visit_ctx, frazil_error *reterr)
{
    struct fz_record record = {.version = 0};
    uint64_t number;

    if (!read_number(&values[0], &number) || number > FZ_NAMESPACE)
        return not_understood(connection, "a record's number", reterr);
    bool readable = read_record(&values[1], &record);
    if (!readable && number == FZ_NAMESPACE)
        return not_understood(connection, "the namespace's record", reterr);
    if (!readable)
        record = (struct fz_record){.version = 1}; /* damaged: shown, so that it is not taken for a free one */
    visit(visit_ctx, (uint32_t)number, &record);
    return FZ_REGISTER_OK;
}

static enum fz_register_result read_several(struct fz_sql_connection *connection, const char *sql,
                                            fz_record_visitor visit, void *visit_ctx, struct fz_register_status *status,
                                            frazil_error *reterr)
{
    const struct fz_sql_dialect *dialect = connection->dialect;
    struct fz_sql_answer answer;
    enum fz_register_result result = ask(connection, sql, 3, false, &answer, status, reterr);

    if (is_refused(connection, result, FZ_SQL_NO_TABLE))
        return ask_without_table(connection, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    answer.next = 0;
    while (result == FZ_REGISTER_OK && dialect->next_row(&answer)) {
        if (answer.values[0].text == NULL)
            result = visit_row(connection, &answer.values[dialect->status_columns], visit, visit_ctx, reterr);
    }
    dialect->free_rows(answer.rows);
    return result;
}

static enum fz_register_result sql_read_all(void *ctx, struct fz_deadline deadline, fz_record_visitor visit,
                                            void *visit_ctx, struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_sql_connection *connection = in_time(ctx, deadline);
    char sql[FZ_SQL_SIZE];

    (void)fz_sql_of_table(connection, connection->dialect->read_all, sql);
    return read_several(connection, sql, visit, visit_ctx, status, reterr);
}

static enum fz_register_result sql_read_many(void *ctx, struct fz_deadline deadline, const uint32_t *numbers, size_t n,
                                             size_t whole, fz_record_visitor visit, void *visit_ctx,
                                             struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_sql_connection *connection = in_time(ctx, deadline);
    char sql[FZ_SQL_SIZE];

    (void)whole;
    assert(n >= 1 && n <= FZ_READ_MANY_MAX);
    (void)write_sql(connection, connection->dialect->read_many, &(struct values){.numbers = numbers, .n = n}, sql);
    return read_several(connection, sql, visit, visit_ctx, status, reterr);
}

/* The statement was carried out, and its answer is whole: what has it done? */
static enum fz_register_result read_swap(const struct fz_sql_connection *connection, const struct fz_sql_value *value,
                                         uint64_t expected, uint64_t *ret_version, frazil_error *reterr)
{
    uint64_t version;

    if (value->text == NULL)
        return FZ_REGISTER_CONFLICT;
    if (!read_number(value, &version) || version <= expected) {
        (void)not_understood(connection, "a reply about a record", reterr);
        return FZ_REGISTER_UNKNOWN; /* it has been done, but what? */
    }
    /* It is committed, but the wait for the standbys was cancelled. */
    if (connection->warning[0] != '\0') {
        fz_fail(reterr, FRAZIL_EUNREACHABLE, "%s: warns: %q", connection->session.shown, connection->warning);
        return FZ_REGISTER_UNKNOWN;
    }
    *ret_version = version;
    return FZ_REGISTER_OK;
}

/* A missing record has version 0, also if the table is missing: `prepare` makes it. */
static enum fz_register_result swap_without_table(struct fz_sql_connection *connection, uint64_t expected,
                                                  struct fz_register_status *status, frazil_error *reterr)
{
    enum fz_register_result result = ask_without_table(connection, status, reterr);

    if (result != FZ_REGISTER_OK || expected != 0)
        return result == FZ_REGISTER_OK ? FZ_REGISTER_CONFLICT : result;
    fz_fail(reterr, FRAZIL_ENAMESPACE, "%s: there is no table %s: frazil lease init creates it",
            connection->session.shown, connection->table);
    return FZ_REGISTER_REFUSED;
}

/*
 * Somebody may have replaced the table, or its key, since it was prepared.  An INSERT could then make a record that is
 * there already.  Without an answer nothing is in doubt, because nothing was written.
 */
static enum fz_register_result ask_for_key(struct fz_sql_connection *connection, frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_OK;

    if (connection->dialect->check_key != NULL)
        result = connection->dialect->check_key(connection, reterr);
    return result == FZ_REGISTER_UNKNOWN ? FZ_REGISTER_UNREACHABLE : result;
}

/*
 * A namespace's record bears the table's incarnation, and grants are made under it.  Until the table is old enough, a
 * dump of both could be put back under the same incarnation, with fewer grants in it.
 */
static enum fz_register_result await_age(struct fz_sql_connection *connection, frazil_error *reterr)
{
    enum fz_register_result result = FZ_REGISTER_OK;
    const struct fz_deadline until = fz_deadline_earlier(connection->deadline, fz_deadline_in(young_wait_ns));
    bool is_young = connection->dialect->is_young != NULL;

    while (is_young) {
        result = connection->dialect->is_young(connection, &is_young, reterr);
        if (result != FZ_REGISTER_OK)
            return result == FZ_REGISTER_UNKNOWN ? FZ_REGISTER_UNREACHABLE : result; /* nothing was written */
        if (is_young && (fz_waits_ended() || fz_deadline_left_ns(until) == 0)) {
            fz_fail(reterr, FRAZIL_EAGAIN, "%s: the table %s was created less than two seconds ago: try again",
                    connection->session.shown, connection->table);
            return FZ_REGISTER_UNREACHABLE;
        }
        if (is_young)
            (void)poll(NULL, 0, YOUNG_PAUSE_MS);
    }
    return result;
}

static enum fz_register_result sql_swap(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                        uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr)
{
    struct fz_sql_connection *connection = in_time(ctx, deadline);
    const struct fz_sql_dialect *dialect = connection->dialect;
    char sql[FZ_SQL_SIZE];
    struct fz_sql_answer answer;

    assert(swap->len <= FZ_RECORD_SIZE_MAX);
    enum fz_register_result result = swap->expected == 0 ? ask_for_key(connection, reterr) : FZ_REGISTER_OK;
    if (result == FZ_REGISTER_OK && swap->number == FZ_NAMESPACE)
        result = await_age(connection, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    (void)write_sql(connection, swap->expected == 0 ? dialect->insert : dialect->update,
                    &(struct values){.swap = *swap}, sql);
    result = ask(connection, sql, 1, true, &answer, status, reterr);
    if (is_refused(connection, result, FZ_SQL_NO_TABLE))
        return swap_without_table(connection, swap->expected, status, reterr);
    if (result != FZ_REGISTER_OK)
        return result;
    result = read_swap(connection, &answer.values[dialect->status_columns], swap->expected, ret_version, reterr);
    dialect->free_rows(answer.rows);
    return result;
}

/*
 * A user without the right to create tables is refused even if this one exists, and so is one of two that create it at
 * once.  So a refusal counts only if the table cannot be read.
 */
static enum fz_register_result create_table(struct fz_sql_connection *connection, frazil_error *reterr)
{
    const struct fz_sql_dialect *dialect = connection->dialect;
    char sql[FZ_SQL_SIZE];
    struct fz_sql_answer answer = {.rows = NULL};
    struct fz_sql_answer found = {.rows = NULL};
    enum fz_register_result result =
        dialect->carry_out(connection, fz_sql_of_table(connection, dialect->create, sql), &answer, reterr);

    dialect->free_rows(answer.rows);
    if (result != FZ_REGISTER_REFUSED)
        return result;
    bool may_not = dialect->refusal(connection) == FZ_SQL_MAY_NOT;
    (void)write_sql(connection, dialect->read, &(struct values){.swap = {.number = FZ_NAMESPACE}}, sql);
    enum fz_register_result read = ask(connection, sql, 2, false, &found, NULL, may_not ? reterr : NULL);
    dialect->free_rows(found.rows);
    if (read == FZ_REGISTER_OK || !may_not)
        return read == FZ_REGISTER_OK ? read : result;
    if (is_refused(connection, read, FZ_SQL_NO_TABLE) ||
        (dialect->hides_tables && is_refused(connection, read, FZ_SQL_MAY_NOT)))
        return dialect->may_not_create(connection, reterr);
    return read;
}

static enum fz_register_result sql_prepare(void *ctx, struct fz_deadline deadline, frazil_error *reterr)
{
    struct fz_sql_connection *connection = in_time(ctx, deadline);
    frazil_error said = {.message = ""};
    enum fz_register_result result = create_table(connection, &said);

    if (result == FZ_REGISTER_OK && connection->dialect->check_table != NULL)
        result = connection->dialect->check_table(connection, &said);
    if (result != FZ_REGISTER_OK && reterr != NULL)
        *reterr = said;
    return result;
}

static enum fz_register_result sql_diagnose(void *ctx, struct fz_deadline deadline, fz_finding_visitor visit,
                                            void *visit_ctx, frazil_error *reterr)
{
    struct fz_sql_connection *connection = in_time(ctx, deadline);

    return connection->dialect->diagnose(connection, visit, visit_ctx, reterr);
}

static void sql_after_fork(void *ctx)
{
    struct fz_sql_connection *connection = ctx;

    fz_session_abandon(&connection->session);
}

/* The URL, with its password, that stands in a connection. */
static struct fz_url *url_in(const struct fz_sql_dialect *dialect, struct fz_sql_connection *connection)
{
    void *at = (char *)connection + dialect->url_at;

    return at;
}

static void sql_close(void *ctx)
{
    struct fz_sql_connection *connection = ctx;
    const struct fz_sql_dialect *dialect = connection->dialect;

    fz_session_drop(&connection->session);
    fz_wipe(url_in(dialect, connection), (*dialect->kind)->size);
    free(connection);
}

frazil_err fz_sql_register_open(const struct fz_sql_dialect *dialect, const char *url, struct fz_register *ret,
                                char *ret_name, frazil_error *reterr)
{
    const struct fz_url_kind *kind = *dialect->kind;
    struct fz_sql_connection *connection = calloc(1, dialect->size);

    if (connection == NULL)
        return fz_fail(reterr, FRAZIL_ENOMEM, "no memory for a connection to %s", kind->what);
    frazil_err err = fz_url_open(kind, url, url_in(dialect, connection), reterr);
    if (err != FRAZIL_OK) {
        free(connection);
        return err;
    }
    connection->dialect = dialect;
    dialect->start(connection);
    memcpy(ret_name, connection->session.url->name, sizeof connection->session.url->name);
    *ret = (struct fz_register){.ctx = connection,
                                .register_class = FZ_REGISTER_ASYNCHRONOUS,
                                .read = sql_read,
                                .read_all = sql_read_all,
                                .read_many = sql_read_many,
                                .swap = sql_swap,
                                .prepare = sql_prepare,
                                .diagnose = sql_diagnose,
                                .after_fork = sql_after_fork,
                                .close = sql_close};
    return FRAZIL_OK;
}
