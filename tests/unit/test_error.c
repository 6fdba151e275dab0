/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the numbers, names and classes of errors never change, and
 * sentences hold what they were given, whole or cut, and nothing that a
 * terminal would obey.
 */

#include "core/sentence.h"
#include "lib/test.h"

/* Spelt out, not taken from the header's table: other programs were compiled with these numbers. */
static const struct {
    int number;
    frazil_err_class err_class;
    const char *name;
} fixed[] = {
    {0, FRAZIL_CLASS_NONE, "FRAZIL_OK"},
    {-1, FRAZIL_CLASS_USAGE, "FRAZIL_EINVAL"},
    {-2, FRAZIL_CLASS_USAGE, "FRAZIL_ESPEC"},
    {-3, FRAZIL_CLASS_USAGE, "FRAZIL_ELAYOUT"},
    {-4, FRAZIL_CLASS_USAGE, "FRAZIL_ERANGE"},
    {-5, FRAZIL_CLASS_USAGE, "FRAZIL_EPARSE"},
    {-6, FRAZIL_CLASS_USAGE, "FRAZIL_ECHECKSUM"},
    {-7, FRAZIL_CLASS_USAGE, "FRAZIL_EBUFFER"},
    {-8, FRAZIL_CLASS_USAGE, "FRAZIL_ENOWORKER"},
    {-9, FRAZIL_CLASS_USAGE, "FRAZIL_EWORKER"},
    {-10, FRAZIL_CLASS_USAGE, "FRAZIL_ESHORTLIFE"},
    {-11, FRAZIL_CLASS_USAGE, "FRAZIL_EKIND"},
    {-12, FRAZIL_CLASS_USAGE, "FRAZIL_ENOTBUILT"},
    {-13, FRAZIL_CLASS_USAGE, "FRAZIL_EREFUSED"},
    {-14, FRAZIL_CLASS_USAGE, "FRAZIL_ENAMESPACE"},
    {-20, FRAZIL_CLASS_RETRY, "FRAZIL_EAGAIN"},
    {-21, FRAZIL_CLASS_RETRY, "FRAZIL_EFULL"},
    {-22, FRAZIL_CLASS_RETRY, "FRAZIL_ECLOCK"},
    {-23, FRAZIL_CLASS_RETRY, "FRAZIL_EUNREACHABLE"},
    {-24, FRAZIL_CLASS_RETRY, "FRAZIL_EPOOL"},
    {-30, FRAZIL_CLASS_FENCED, "FRAZIL_ELEASE"},
    {-40, FRAZIL_CLASS_FATAL, "FRAZIL_EEXHAUSTED"},
    {-41, FRAZIL_CLASS_FATAL, "FRAZIL_ENOMEM"},
    {-42, FRAZIL_CLASS_FATAL, "FRAZIL_ESYS"},
    {-44, FRAZIL_CLASS_FATAL, "FRAZIL_ESTATE"},
    {-45, FRAZIL_CLASS_FATAL, "FRAZIL_ESTOPPED"},
};

#define FIXED_COUNT (sizeof fixed / sizeof fixed[0])

/* ---- the table ----------------------------------------------------------- */

TEST("Each number has its name and class for ever")
{
    for (size_t i = 0; i < FIXED_COUNT; i++) {
        assert_string_equal(frazil_err_name((frazil_err)fixed[i].number), fixed[i].name);
        assert_int_equal(frazil_err_classify((frazil_err)fixed[i].number), fixed[i].err_class);
    }
    assert_int_equal(FRAZIL_CLASS_NONE, 0);
    assert_int_equal(FRAZIL_CLASS_USAGE, 1);
    assert_int_equal(FRAZIL_CLASS_RETRY, 2);
    assert_int_equal(FRAZIL_CLASS_FENCED, 3);
    assert_int_equal(FRAZIL_CLASS_FATAL, 4);
}

TEST("The header's table has no error that the list above lacks: a new one must be written down there")
{
#define COUNT_ONE(name, number, err_class, sentence) +1
    const size_t in_header = 0 FRAZIL_ERRORS(COUNT_ONE);
#undef COUNT_ONE

    assert_int_equal(in_header, FIXED_COUNT);
}

TEST("Each class has its range of numbers, and a name")
{
    static const char *const names[] = {"none", "usage", "retry", "fenced", "fatal"};

    for (size_t i = 1; i < FIXED_COUNT; i++) {
        int range = -fixed[i].number / 10;
        frazil_err_class expected = range < 2    ? FRAZIL_CLASS_USAGE
                                    : range == 2 ? FRAZIL_CLASS_RETRY
                                    : range == 3 ? FRAZIL_CLASS_FENCED
                                                 : FRAZIL_CLASS_FATAL;
        assert_int_equal(fixed[i].err_class, expected);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(frazil_err_class_name((frazil_err_class)i), names[i]);
    assert_string_equal(frazil_err_class_name((frazil_err_class)5), "?");
    assert_string_equal(frazil_err_class_name((frazil_err_class)-1), "?");
}

TEST("No two errors share a number or a sentence")
{
    for (size_t i = 0; i < FIXED_COUNT; i++) {
        assert_true(strlen(frazil_strerror((frazil_err)fixed[i].number)) > 0);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(fixed[i].number, fixed[j].number);
            assert_string_not_equal(frazil_strerror((frazil_err)fixed[i].number),
                                    frazil_strerror((frazil_err)fixed[j].number));
        }
    }
}

TEST("Each number has a text; unknown ones are fatal, so that nobody retries them")
{
    static const int unknown[] = {1, 42, -15, -19, -25, -31, -43, -46, -1000, INT32_MAX, INT32_MIN};

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_string_equal(frazil_strerror((frazil_err)unknown[i]), "not an error of frazil");
        assert_string_equal(frazil_err_name((frazil_err)unknown[i]), "FRAZIL_?");
        assert_int_equal(frazil_err_classify((frazil_err)unknown[i]), FRAZIL_CLASS_FATAL);
    }
}

/* ---- sentences ----------------------------------------------------------- */

TEST("Each directive writes its argument, at both ends of its range")
{
    frazil_error err;

    assert_int_equal(fz_fail(&err, FRAZIL_EINVAL, "%s|%q|%Q|%c|%%", "a", "b c", "defg", (size_t)2, 'h'), FRAZIL_EINVAL);
    assert_string_equal(err.message, "a|'b c'|'de'|h|%");
    (void)fz_fail(&err, FRAZIL_EINVAL, "%v|%V", "b\t", "de\nf", (size_t)3);
    assert_string_equal(err.message, "b\\x09|de\\x0a");
    (void)fz_fail(&err, FRAZIL_EINVAL, "%u %u %u", UINT64_C(0), UINT64_C(10), UINT64_MAX);
    assert_string_equal(err.message, "0 10 18446744073709551615");
    (void)fz_fail(&err, FRAZIL_EINVAL, "%d %d %d %d", INT64_C(0), INT64_C(-1), INT64_MAX, INT64_MIN);
    assert_string_equal(err.message, "0 -1 9223372036854775807 -9223372036854775808");
    (void)fz_fail(&err, FRAZIL_EINVAL, "%t, %t", INT64_C(1767225600000), INT64_MIN);
    assert_string_equal(err.message, "2026-01-01T00:00:00.000Z, -9223372036854775808 ms since 1970");
    (void)fz_fail(&err, FRAZIL_EINVAL, "%s", "\033[2Ja\nb\x7f\xc3\xa9"); /* a server may say anything */
    assert_string_equal(err.message, "\\x1b[2Ja\\x0ab\\x7f\xc3\xa9");
    (void)fz_fail(&err, FRAZIL_EINVAL, "%s%q%Q", "", "", "x", (size_t)0);
    assert_string_equal(err.message, "''''");
    (void)fz_fail(&err, FRAZIL_EINVAL, "100%");
    assert_string_equal(err.message, "100%");
}

TEST("The code is filled in and returned, and details of an earlier error are gone")
{
    frazil_error err;

    memset(&err, 0xff, sizeof err);
    assert_int_equal(fz_fail(&err, FRAZIL_ECLOCK, "short"), FRAZIL_ECLOCK);
    assert_int_equal(err.code, FRAZIL_ECLOCK);
    assert_int_equal(err.sys_errno, 0);
    assert_int_equal(err.err_class, FRAZIL_CLASS_RETRY);
    assert_int_equal(err.length, strlen("short"));
    assert_int_equal(err.position, FRAZIL_NO_POSITION);
    assert_int_equal(err.behind_us, 0);
    assert_int_equal(err.retry_ns, 0);
    for (size_t i = 0; i < sizeof err.reserved / sizeof err.reserved[0]; i++)
        assert_int_equal(err.reserved[i], 0);
    assert_string_equal(err.message, "short");
}

TEST("An error has the size that programs were compiled with, and is written only as far as its sentence goes")
{
    frazil_error err;

    assert_int_equal(sizeof err, 1024);
    memset(err.message, '#', sizeof err.message);
    assert_int_equal(fz_fail_at(&err, 3, FRAZIL_EPARSE, "seven"), FRAZIL_EPARSE);
    assert_int_equal(err.position, 3);
    assert_string_equal(err.message, "seven");
    for (size_t i = sizeof "seven"; i < sizeof err.message; i++)
        assert_int_equal(err.message[i], '#');
}

TEST("Nobody needs to want the sentence")
{
    assert_int_equal(fz_fail(NULL, FRAZIL_ESYS, "%s", "unused"), FRAZIL_ESYS);
}

TEST("A sentence can quote the one that it replaces")
{
    frazil_error err;

    (void)fz_fail(&err, FRAZIL_EPARSE, "inner");
    (void)fz_fail(&err, FRAZIL_ESPEC, "outer: %s", err.message);
    assert_string_equal(err.message, "outer: inner");
    assert_int_equal(err.code, FRAZIL_ESPEC);
}

TEST("A longer text is cut at the end of the message, never before and never after, and terminated")
{
    char text[FRAZIL_ERROR_MESSAGE_SIZE + 8];
    frazil_error err;

    for (size_t len = FRAZIL_ERROR_MESSAGE_SIZE - 4; len < FRAZIL_ERROR_MESSAGE_SIZE + 4; len++) {
        size_t kept = len < FRAZIL_ERROR_MESSAGE_SIZE ? len : FRAZIL_ERROR_MESSAGE_SIZE - 1;
        memset(text, 'x', len);
        text[len] = '\0';
        (void)fz_fail(&err, FRAZIL_EINVAL, "%s", text);
        assert_int_equal(strlen(err.message), kept);
        assert_memory_equal(err.message, text, kept);
        (void)fz_fail(&err, FRAZIL_EINVAL, text);
        assert_int_equal(strlen(err.message), kept);
    }
}

TEST("A small buffer is never written past its end, whatever is appended")
{
    char buf[8];

    for (size_t size = 1; size < sizeof buf; size++) {
        memset(buf, '#', sizeof buf);
        struct fz_sentence s = fz_sentence_in(buf, size);
        assert_int_equal(buf[0], '\0');
        fz_sentence_quoted(&s, "\x01", 1);
        fz_sentence_i64(&s, INT64_MIN);
        fz_sentence_time(&s, 0);
        assert_int_equal(strlen(buf), size - 1);
        assert_memory_equal(buf, "'\\x01'-9", size - 1);
        assert_int_equal(buf[size], '#');
    }
}

TEST("Bytes that a terminal could obey never come out of a quotation: neither controls, nor DEL, nor anything above "
     "ASCII")
{
    frazil_error err;

    (void)fz_fail(&err, FRAZIL_EPARSE, "%q", "\x1b[2J\r\n\t\x7f\x80\xff");
    assert_string_equal(err.message, "'\\x1b[2J\\x0d\\x0a\\x09\\x7f\\x80\\xff'");
    (void)fz_fail(&err, FRAZIL_EPARSE, "%Q", "a\0b", (size_t)3);
    assert_string_equal(err.message, "'a\\x00b'");
    for (int byte = 0; byte < 256; byte++) {
        char c = (char)byte;
        (void)fz_fail(&err, FRAZIL_EPARSE, "%Q", &c, (size_t)1);
        assert_int_equal(strlen(err.message), byte >= 0x20 && byte < 0x7f ? 3 : 6);
        for (const char *p = err.message; *p != '\0'; p++)
            assert_in_range((unsigned char)*p, 0x20, 0x7e);
    }
}

TEST("The core's own strlen")
{
    assert_int_equal(fz_text_len(""), 0);
    assert_int_equal(fz_text_len("frazil"), 6);
    assert_int_equal(fz_text_len("a\0b"), 1);
}

TEST("A password is never quoted, however badly the URL around it may be written")
{
    static const struct {
        const char *text;
        const char *quoted;
    } cases[] = {
        {"redis://joe:s3cret@host/orders", "'redis://...@host/orders'"},
        {"redis://:s3cr@t@host/orders", "'redis://:...@host/orders'"},
        {"redis:/:s3cret@host/orders", "'redis:/:...@host/orders'"},
        {"redis//:s3cret@host/orders", "'redis//:...@host/orders'"},
        {":s3cret@redis://host", "':...@redis://host'"},
        {"s3cret@host/x", "'...@host/x'"},
        {"joe@example.org", "'joe@example.org'"},
        {"redis://host/orders", "'redis://host/orders'"},
        {"worker=redis://:s3cret@h/x", "'worker=redis://:...@h/x'"},
        {"worker=redis://:s3cret@h:7/x state=redis://:s3cret2@h:7/x", "'worker=redis://:...@h:7/x'"},
        {"redis://joe:s3cr%40t@h:6379/x", "'redis://...@h:6379/x'"},
        {"redis%3A%2F%2Fjoe%3As3cret%40h%2Fx", "'redis%3A%2F%2F...%40h%2Fx'"},
        {"joe:s3cret@h", "'joe:...@h'"},
        {"redis://:s3cret", "'redis://:...'"},
        {"redis://joe:s3cret", "'redis://joe:...'"},
        {"redis://joe:12345", "'redis://joe:...'"},
        {"redis://:12345/x", "'redis://:...'"},
        {"worker=redis://h:1,joe:s3", "'worker=redis://h:1,joe:...'"},
        {"redis://h:s3cret/x", "'redis://h:...'"},
        {"redis://h:6379/x", "'redis://h:6379/x'"},
        {"redis://[::1]:6379/x", "'redis://[::1]:6379/x'"},
        {"etcd://a:1,b:2,[::2]/x", "'etcd://a:1,b:2,[::2]/x'"},
        {"file:///a:b/c", "'file:///a:b/c'"},
        {"redis://h/x?password=s3cret&timeout=1s", "'redis://h/x?password=...&timeout=...'"},
        {"redis://h/x?pass=s3cret", "'redis://h/x?pass=...'"},
        {"redis://joe:s3@h/x?a=s3cret&auth=s3cret", "'redis://...@h/x?a=...&auth=...'"},
        {"no URL?a=b", "'no URL?a=b'"},
        {"redis://h/x?Password=s3cret", "'redis://h/x?Password=...'"},
        {"password=s3cret", "'password=...'"},
        {"token=s3cret", "'token=...'"},
        {"redis://h/x?password_file=/etc/p", "'redis://h/x?password_file=...'"},
        {"password=", "'password='"},
        {"/@", "'/@'"},
        {"/run/app@1/x", "'/run/app@1/x'"},
        {"/run/a:b@1/x", "'/...@1/x'"},
        {"//s3cret@h/x", "'//...@h/x'"},
        {"@", "'@'"},
        {"/", "'/'"},
    };
    frazil_error err;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)fz_fail(&err, FRAZIL_EINVAL, "%q", cases[i].text);
        assert_string_equal(err.message, cases[i].quoted);
    }
}

TEST("A piece of a text is quoted without the part of a password that was cut off in it")
{
    static const struct {
        const char *text;
        size_t first, len;
        const char *quoted;
    } cases[] = {
        {"redis://joe:s3/cret@host/x", 15, 4, "'...'"},
        {"redis://joe:s3/cret@host/x", 15, 6, "'...@h'"},
        {"redis://joe:s3/cret@host/x", 0, 14, "'redis://...'"},
        {"redis://joe:s3 cret", 15, 4, "'...'"},
        {"41/10/12", 3, 2, "'10'"},
        {"41/10/12", 0, 8, "'41/10/12'"},
        {"41/10/12", 8, 0, "''"},
    };
    frazil_error err;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t behind = strlen(cases[i].text) - cases[i].first - cases[i].len;
        (void)fz_fail(&err, FRAZIL_EINVAL, "%P", cases[i].text, cases[i].first, cases[i].len, behind);
        assert_string_equal(err.message, cases[i].quoted);
    }
}
