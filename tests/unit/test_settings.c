/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: I9 for specs.  The grammar accepts exactly what it says,
 * every other text is refused with its place and what would be right, and the
 * spec wins over the environment, which wins over the file.
 */
#include <pthread.h>
#include <unistd.h>

#include "config/quotes.h"
#include "config/settings.h"
#include "lib/rig.h"
#include "lib/test.h"

#define WORKER "worker=fixed:1 "

/* The value of hostname in a spec, which may hold anything; the caller frees it. */
static char *hostname_in(const char *spec)
{
    struct fz_settings settings = {.value = {NULL}};
    frazil_error err;

    if (fz_settings_add_text(&settings, spec, "spec", &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    char *value = settings.value[FZ_KEY_HOSTNAME];
    settings.value[FZ_KEY_HOSTNAME] = NULL;
    fz_settings_free(&settings);
    return value;
}

TEST(
    "Values: plain up to the next space, or quoted with \\' and \\\\ for themselves and every other backslash as it is")
{
    static const struct {
        const char *spec;
        const char *value;
    } rows[] = {
        {"hostname=a", "a"},
        {"hostname=a=b", "a=b"},
        {"hostname=\\", "\\"},
        {"hostname='a'", "a"},
        {"hostname='a b'", "a b"},
        {"hostname='a=b c=d'", "a=b c=d"},
        {"hostname='a\\'b'", "a'b"},
        {"hostname='a\\\\'", "a\\"},
        {"hostname='a\\nb'", "a\\nb"},
        {"hostname='\\\\\\''", "\\'"},
        {"hostname=' '", " "},
        {"hostname =a", "a"},
        {"hostname\t\n='a'", "a"},
        {"  \t\r\n hostname=a \n", "a"},
        {"base=1 hostname='x y'\tcount=2", "x y"},
        {"hostname=\xc3\xa9", "\xc3\xa9"},
        {"", NULL},
        {"   ", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *value = hostname_in(rows[i].spec);
        if (rows[i].value == NULL)
            assert_null(value);
        else
            assert_string_equal(value, rows[i].value);
        free(value);
    }
}

TEST("A text outside the grammar is refused, and the sentence says where and what would be right")
{
    static const struct {
        const char *spec;
        const char *why;
    } rows[] = {
        {"wroker=fixed:1", "spec: unknown key 'wroker': did you mean worker?"},
        {"Worker=fixed:1", "unknown key 'Worker'"},
        {"workerz=fixed:1", "unknown key 'workerz': did you mean worker?"},
        {"worke=fixed:1", "unknown key 'worke': did you mean worker?"},
        {"behavior=sfid", "unknown key 'behavior': did you mean behaviour?"},
        {"speed=fast", "unknown key 'speed'; frazil.spec(5) lists the keys"},
        {"fixed:7", "unknown key 'fixed:7': did you mean worker=fixed:N?"},
        {"worker:fixed:7", "unknown key 'worker:fixed:7': did you mean worker=fixed:N?"},
        {"layout=twitter file-lock", "unknown key 'file-lock': did you mean worker=file-lock?"},
        {"fixed", "unknown key 'fixed'; frazil.spec(5) lists the keys"},
        {"fixed:=7", "unknown key 'fixed:'; frazil.spec(5) lists the keys"},
        {"=fixed:1", "unknown key ''; frazil.spec(5)"},
        {"redis://h/x", "spec: expected a key at character 1, not a URL: write worker=URL"},
        {"layout=twitter redis://:p=w@h/x", "spec: expected a key at character 16, not a URL"},
        {"'worker'=fixed:1", "unknown key ''worker''"},
        {"worker", "the key worker at character 7 has no value: write worker=value"},
        {"worker fixed:1", "the key worker at character 8 has no value"},
        {"worker=", "the value of worker is empty: write it right after the '=', or leave the key out"},
        {"worker=''", "the value of worker is empty"},
        {"worker= fixed:1", "the value of worker is empty"},
        {"worker = fixed:1", "the value of worker is empty"},
        {"hostname= clock=frozen:2026-01-01T00:00:00Z worker=hostname-hash expect=2", "the value of hostname is empty"},
        {"hostname=\tclock=real", "the value of hostname is empty"},
        {"hostname=\n", "the value of hostname is empty"},
        {"worker=fixed:1 worker=fixed:1", "the key worker is given twice"},
        {"worker=fixed:1 layout=twitter worker=fixed:2", "the key worker is given twice"},
        {"hostname='a", "the quote opened at character 10 is not closed"},
        {"hostname='", "the quote opened at character 10 is not closed"},
        {"hostname='a\\'", "the quote opened at character 10 is not closed"},
        {"hostname='a\\", "the quote opened at character 10 is not closed"},
        {"layout=\"41/10/12 epoch=0\"", "spec: a double quote at character 8: quote a value by ' instead"},
        {"hostname='a'b", "a space is missing after the closing quote, at character 13"},
        {"hostname='a''b'", "a space is missing after the closing quote, at character 13"},
        {"hostname=a'b'", "a quote inside a value, at character 11"},
        {"hostname=a'", "a quote inside a value, at character 11: quote the whole value"},
        {"w\x1bx=1", "unknown key 'w\\x1bx'"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_open_refused(rows[i].spec, NULL, FRAZIL_ESPEC, rows[i].why);
}

TEST("Every proper beginning of a spec is read or refused, and nothing is read behind its end (the sanitizers look)")
{
    static const char spec[] =
        "layout='41/10/12 epoch=2026-01-01T00:00:00Z' worker=fixed:1 hostname='a\\'b\\\\' base=0";

    for (size_t len = 0; len <= strlen(spec); len++) {
        char *text = strndup(spec, len);
        struct fz_settings settings = {.value = {NULL}};
        frazil_error err;

        assert_non_null(text);
        const frazil_err code = fz_settings_add_text(&settings, text, "spec", &err);
        assert_true(code == FRAZIL_OK || code == FRAZIL_ESPEC);
        fz_settings_free(&settings);
        free(text);
    }
}

TEST("Each key there is can be read, and its name is the one in the list")
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        struct fz_settings settings = {.value = {NULL}};
        char text[64];

        snprintf(text, sizeof text, "%s=x", fz_key_name((enum fz_key)key));
        assert_int_equal(fz_settings_add_text(&settings, text, "spec", NULL), FRAZIL_OK);
        for (int other = 0; other < FZ_KEYS_TOTAL; other++)
            assert_int_equal(settings.value[other] != NULL, other == key);
        fz_settings_free(&settings);
    }
}

/* ---- where settings come from ---- */

static char config_path[] = "/tmp/frazil-test-config-XXXXXX";

BEFORE_ALL
{
    const int fd = mkstemp(config_path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

AFTER_ALL
{
    assert_int_equal(unlink(config_path), 0);
}

static void write_config(const void *text, size_t len)
{
    FILE *file = fopen(config_path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* A spec that names the config file. */
static const char *with_config(const char *spec)
{
    static char buf[512];

    snprintf(buf, sizeof buf, "%s config=%s", spec, config_path);
    return buf;
}

static frazil_layout layout_of_last; /* of the generator that info_of has opened */

static frazil_info info_of(const char *spec)
{
    frazil_info info;
    frazil_error err;
    frazil *gen;

    if (frazil_open(&gen, spec, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    frazil_get_info(gen, &info, sizeof info);
    layout_of_last = *layout_of(gen);
    frazil_close(gen);
    return info;
}

static void *check_cancelled(void *arg)
{
    frazil_options *options = arg;

    pthread_cancel(pthread_self());
    if (frazil_options_check(options, NULL) == FRAZIL_OK) /* no output on this stack: ASan would miss its end */
        (void)!frazil_options_set(options, "worker", "fixed:9", 7, NULL);
    pthread_testcancel();
    return NULL;
}

TEST("A thread that is cancelled while it reads the options ends when it has read them")
{
    char value[32];
    frazil_options *options;
    pthread_t thread;
    void *result = NULL;

    write_config("layout=frazil\n", 14);
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    const char *spec = with_config(WORKER);
    assert_int_equal(frazil_options_spec(options, spec, strlen(spec), NULL), FRAZIL_OK);
    assert_int_equal(pthread_create(&thread, NULL, check_cancelled, options), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_int_equal(frazil_options_get(options, "worker", value, sizeof value, NULL, NULL), FRAZIL_OK);
    assert_string_equal(value, "fixed:9");
    frazil_options_close(options);
}

TEST("The spec wins over the environment, which says where a program runs, and both win over the file; keys of one do "
     "not "
     "hide other keys of another")
{
    static const char file[] =
        "# frazil\n\n  worker =fixed:3 \nlayout='41/10/12 epoch=2026-01-01T00:00:00Z'\nseq_max=100";

    write_config(file, strlen(file));
    assert_int_equal(info_of(with_config("")).worker, 3);
    assert_int_equal(info_of(with_config("")).sequence_max, 100);
    assert_int_equal(setenv("FRAZIL_WORKER", "fixed:2", 1), 0);
    assert_int_equal(setenv("FRAZIL_BASE", "50", 1), 0);
    assert_int_equal(info_of(with_config("")).worker, 52);
    assert_int_equal(info_of(with_config("worker=fixed:1")).worker, 51);
    const frazil_info info = info_of(with_config("worker=fixed:1 layout=twitter"));
    assert_int_equal(info.worker, 51);
    assert_string_equal(layout_of_last.name, "twitter");
    assert_int_equal(info.sequence_max, 100);

    /* The file can be named by the environment, and no spec at all is the empty one. */
    assert_int_equal(setenv("FRAZIL_CONFIG", config_path, 1), 0);
    assert_int_equal(unsetenv("FRAZIL_WORKER"), 0);
    assert_int_equal(info_of(NULL).worker, 53);
    assert_int_equal(unsetenv("FRAZIL_CONFIG"), 0);
    assert_int_equal(unsetenv("FRAZIL_BASE"), 0);
}

TEST("A file whose lines end with CR LF says the same as one whose lines end with LF, to the last line and in quotes")
{
    static const char *const files[] = {
        "# frazil\n\nworker=fixed:3\nlayout='41/10/12 epoch=2026-01-01T00:00:00Z'\nseq_max=100\n",
        "# frazil\r\n\r\nworker=fixed:3\r\nlayout='41/10/12 epoch=2026-01-01T00:00:00Z'\r\nseq_max=100\r\n",
        "# frazil\r\n\nworker=fixed:3\r\nlayout='41/10/12 epoch=2026-01-01T00:00:00Z'\nseq_max=100",
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_config(files[i], strlen(files[i]));
        const frazil_info info = info_of(with_config(""));
        assert_int_equal(info.worker, 3);
        assert_int_equal(layout_of_last.worker_bits, 10);
        assert_int_equal(info.sequence_max, 100);
    }
}

TEST("A value in the environment needs no quotes and may have those of a spec; an empty one is an error, unless the "
     "spec "
     "decides")
{
    assert_int_equal(setenv("FRAZIL_WORKER", "fixed:1", 1), 0);
    assert_int_equal(setenv("FRAZIL_LAYOUT", "41/5+5/12 epoch=2026-01-01T00:00:00Z", 1), 0);
    (void)info_of(NULL);
    assert_int_equal(layout_of_last.datacenter_bits, 5);
    assert_int_equal(setenv("FRAZIL_LAYOUT", "", 1), 0);
    assert_open_refused(NULL, NULL, FRAZIL_ESPEC, "FRAZIL_LAYOUT is set in the environment, but empty: unset it");
    (void)info_of(WORKER "layout=twitter");
    assert_string_equal(layout_of_last.name, "twitter");
    assert_int_equal(setenv("FRAZIL_LAYOUT", "'twitter epoch=2026-01-01'", 1), 0);
    (void)info_of(NULL);
    assert_int_equal(layout_of_last.epoch_unix_ms, INT64_C(1767225600000));
    assert_int_equal(setenv("FRAZIL_LAYOUT", "''", 1), 0);
    assert_open_refused(NULL, NULL, FRAZIL_ESPEC, "FRAZIL_LAYOUT is set in the environment, but empty: unset it");
    assert_int_equal(setenv("FRAZIL_LAYOUT", "'twitter", 1), 0);
    assert_open_refused(NULL, NULL, FRAZIL_ESPEC, "FRAZIL_LAYOUT begins with a quote in the environment");
    assert_int_equal(unsetenv("FRAZIL_LAYOUT"), 0);
    assert_int_equal(setenv("FRAZIL_MAX_WAIT", "soon", 1), 0);
    assert_open_refused(NULL, NULL, FRAZIL_ESPEC, "max_wait='soon'");
    assert_int_equal(unsetenv("FRAZIL_MAX_WAIT"), 0);
    assert_int_equal(setenv("FRAZIL_NAMESPACE", "", 1), 0);
    assert_open_refused(WORKER, NULL, FRAZIL_ESPEC, "FRAZIL_NAMESPACE is set in the environment, but empty");
    assert_int_equal(unsetenv("FRAZIL_NAMESPACE"), 0);
    assert_int_equal(unsetenv("FRAZIL_WORKER"), 0);
}

TEST("Quotes go only where one pair of them stands around all of a value")
{
    static const char *const pairs[][2] = {{"fixed:1", "fixed:1"},
                                           {"'a b'", "a b"},
                                           {"'a\\'b\\\\c\\d'", "a'b\\c\\d"},
                                           {"''", ""},
                                           {"'", "'"},
                                           {"'a", "'a"},
                                           {"'a\\'", "'a\\'"},
                                           {"a'b'", "a'b'"},
                                           {"'A','B'", "'A','B'"},
                                           {"", ""}};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *plain = fz_unquoted(pairs[i][0]);
        assert_string_equal(plain, pairs[i][1]);
        free(plain);
    }
}

TEST("A byte order mark at the beginning of a file is no part of its first key")
{
    static const char *const texts[] = {"\xef\xbb\xbfworker=fixed:7\r\nbase=0\r\n",
                                        "\xef\xbb\xbf# a comment\nworker=fixed:7\n"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_config(texts[i], strlen(texts[i]));
        assert_int_equal(info_of_spec(with_config("")).worker, 7);
    }
}

TEST("Files that are not what they should be are errors that name the file and the line")
{
    static const struct {
        const char *text;
        size_t len; /* 0: that of the string */
        const char *why;
    } rows[] = {
        {"worker=fixed:1\n\xef\xbb\xbfworker=fixed:2\n", 0, ", line 2: unknown key"}, /* not at the beginning */
        {"\xef\xbb\xbf\xef\xbb\xbfworker=fixed:1\n", 0, ", line 1: unknown key"},
        {"worker=fixed:1\nspeed=fast\n", 0, ", line 2: unknown key; frazil.spec(5) lists the keys"},
        {"wroker=fixed:1\n", 0, ", line 1: unknown key: did you mean worker?"},
        {"hostname= clock=real\n", 0, ", line 1: the value of hostname is empty"},
        {"worker = fixed:1\n", 0, ", line 1: the value of worker is empty"},
        {"worker=fixed:1 layout=twitter\n", 0, ", line 1: more than one pair on a line, at character 16"},
        {"worker=fixed:1\n\n# again\nworker=fixed:1", 0, ", line 4: the key worker is given twice"},
        {"worker=\n", 0, ", line 1: the value of worker is empty"},
        {"hostname='a\nb'\n", 0, ", line 1: the quote opened at character 10 is not closed"},
        {"worker=fixed:1\nbase\n", 0, ", line 2: the key base at character 5 has no value"},
        {"worker=fixed:1\0base=7\n", 22, " holds a zero byte at 15"},
        {"worker=fixed:1\rbase=7\r", 0,
         ", line 1: a carriage return at character 15, which is not the end of the line"},
        {"# old\rworker=fixed:1\n", 0, ", line 1: a carriage return at character 6"},
        {"worker=fixed:1\r\nbase=7\r", 0, ", line 2: a carriage return at character 7"},
        {"\rworker=fixed:1\n", 0, ", line 1: a carriage return at character 1"},
        {"worker=fixed:1\r\r\n", 0, ", line 1: a carriage return at character 15"},
        {"hostname='a\rb'\r\n", 0, ", line 1: a carriage return at character 12"},
        {"worker=fixed:1\r\nspeed=fast\r\n", 0, ", line 2: unknown key; frazil.spec(5)"},
        {"worker=fixed:1\nconfig=/etc/other\n", 0, ", line 2: a config file cannot name another"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[256];
        write_config(rows[i].text, rows[i].len != 0 ? rows[i].len : strlen(rows[i].text));
        assert_open_refused(with_config(""), NULL, FRAZIL_ESPEC, rows[i].why);
        snprintf(why, sizeof why, "%s", config_path);
        assert_open_refused(with_config(""), NULL, FRAZIL_ESPEC, why);
    }
}

TEST("Nothing of the file is shown, as it may be another one than was meant: here, files with a password in them")
{
    static const char *const files[] = {
        "s3cret\n",
        "s3cret=\n",
        "s3cret s3cret\n",
        "=s3cret\n",
        "'s3cret'\n",
        "s3cret\\x\n",
        "frazil:s3cret@db/x\n",
        "redis://:s3cret@db/x\n",
        "127.0.0.1:5432:frazil:frazil:s3cret",
        "worker=fixed:1 s3cret\n",
        "worker='fixed:1's3cret\n",
        "worker=fix'ed:1s3cret\n",
        "worker 's3cret\n",
        "base='s3cret\n",
        "worker=fixed:1\rs3cret",
    };
    frazil_error err;
    frazil *gen;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_config(files[i], strlen(files[i]));
        assert_int_equal(frazil_open(&gen, with_config(""), &err), FRAZIL_ESPEC);
        if (strstr(err.message, "s3cret") != NULL || strstr(err.message, ", line 1: ") == NULL)
            fail_msg("%s: %s", files[i], err.message);
    }
}

struct slips {
    int count;
    char last[256];
};

static void note_slip(void *ctx, const char *name, const char *advice)
{
    struct slips *slips = ctx;

    slips->count++;
    snprintf(slips->last, sizeof slips->last, "%s%s", name, advice);
}

/* How many slips are found with a variable set; the last one found is in slips. */
static int slips_with(const char *name, const char *value, struct slips *slips)
{
    *slips = (struct slips){0};
    assert_int_equal(setenv(name, value, 1), 0);
    fz_key_find_slips(NULL, note_slip, slips);
    assert_int_equal(unsetenv(name), 0);
    return slips->count;
}

TEST("Each variable with our prefix is a key's, or of those who are known to have others, or an error")
{
    static const char *const good[] = {
        "FRAZIL_WORKER",
        "FRAZIL_WORKERS",
        "FRAZIL_IP",
        "FRAZIL_STATE",
        "FRAZIL_STATE_DIR",
        "FRAZIL_DATACENTER",
        "FRAZIL_PARTITION",
        "FRAZILWORKER",
        "XFRAZIL_WROKER",
        "FRAZILD_WORKER",
        /* extensions and bindings */
        "FRAZIL_SQLITE_AUDIT",
        "FRAZIL_SYSTEM",
        /* services of the names frazil, frazil-redis and frazil-a-b */
        "FRAZIL_SERVICE_HOST",
        "FRAZIL_SERVICE_PORT_RESP",
        "FRAZIL_PORT",
        "FRAZIL_PORT_6380_TCP_ADDR",
        "FRAZIL_REDIS_SERVICE_HOST",
        "FRAZIL_A_B_PORT_6379_TCP",
    };
    static const struct {
        const char *name, *found;
    } bad[] = {
        {"FRAZIL_WROKER", "FRAZIL_WROKER: did you mean FRAZIL_WORKER? Otherwise unset it"},
        {"FRAZIL_worker", "FRAZIL_worker: did you mean FRAZIL_WORKER?"},
        {"FRAZIL_RUNDIR", "FRAZIL_RUNDIR: did you mean FRAZIL_RUN_DIR?"},
        {"FRAZIL_BEHAVIOR", "FRAZIL_BEHAVIOR: did you mean FRAZIL_BEHAVIOUR?"},
        {"FRAZIL_PARTITION_ID", "FRAZIL_PARTITION_ID: did you mean FRAZIL_PARTITION?"},
        {"FRAZIL_SHARD_ID", "FRAZIL_SHARD_ID: did you mean FRAZIL_WORKER=fixed:N?"},
        {"FRAZIL_POD_ID", "FRAZIL_POD_ID: did you mean FRAZIL_WORKER=fixed:N?"},
        {"FRAZIL_WORKER_NUM", "FRAZIL_WORKER_NUM: did you mean FRAZIL_WORKER=fixed:N?"},
        {"FRAZIL_CONFIG_FILE", "FRAZIL_CONFIG_FILE: did you mean FRAZIL_CONFIG?"},
        {"FRAZIL_CONF", "FRAZIL_CONF: did you mean FRAZIL_CONFIG?"},
        {"FRAZIL_STATE_PATH", "FRAZIL_STATE_PATH: did you mean FRAZIL_STATE?"},
        {"FRAZIL_KEEP", "FRAZIL_KEEP: did you mean FRAZIL_KEEPER?"},
        {"FRAZIL_SPEC", "FRAZIL_SPEC: unset it, or give it a name that does not begin with FRAZIL_; "
                        "frazil.spec(5) lists the settings"},
        {"FRAZIL_URL", "FRAZIL_URL: unset it, or give it a name"},
        {"FRAZIL_TEST_CLOCK", "FRAZIL_TEST_CLOCK: unset it, or give it a name"},
        {"FRAZIL_SEED", "FRAZIL_SEED: unset it, or give it a name"},
        {"FRAZIL_BUILD", "FRAZIL_BUILD: unset it, or give it a name"},
        {"FRAZIL_SHOP_QUEUE", "FRAZIL_SHOP_QUEUE: unset it, or give it a name"},
        {"FRAZIL_TESTS", "FRAZIL_TESTS: unset it"},
        {"FRAZIL_PORTABLE", "FRAZIL_PORTABLE: unset it"},
        {"FRAZIL_SUPPORT", "FRAZIL_SUPPORT: unset it"},
        {"FRAZIL_", "FRAZIL_: unset it"},
    };
    char long_name[300] = "FRAZIL_";
    struct slips slips;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (slips_with(good[i], "x", &slips) != 0)
            fail_msg("%s is taken for a slip: %s", good[i], slips.last);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (slips_with(bad[i].name, "x", &slips) != 1 || strncmp(slips.last, bad[i].found, strlen(bad[i].found)) != 0)
            fail_msg("%s: %s", bad[i].name, slips.last);
    }
    memset(long_name + strlen(long_name), 'X', sizeof long_name - strlen(long_name) - 1);
    assert_int_equal(slips_with(long_name, "x", &slips), 1);
}

TEST("A variable that other generators read is found, with what to write; of its value only a number is shown")
{
    static const struct {
        const char *name, *value, *found;
    } cases[] = {
        {"FRAZIL_WORKER_ID", "3", "FRAZIL_WORKER_ID: did you mean FRAZIL_WORKER=fixed:3? Otherwise unset it"},
        {"FRAZIL_WORKERID", "18446744073709551615",
         "FRAZIL_WORKERID: did you mean FRAZIL_WORKER=fixed:18446744073709551615? Otherwise unset it"},
        {"FRAZIL_MACHINE_ID", "s3cret", "FRAZIL_MACHINE_ID: did you mean FRAZIL_WORKER=fixed:N? Otherwise unset it"},
        {"FRAZIL_NODE_ID", "", "FRAZIL_NODE_ID: did you mean FRAZIL_WORKER=fixed:N? Otherwise unset it"},
        {"FRAZIL_NODE", "007", "FRAZIL_NODE: did you mean FRAZIL_WORKER=fixed:N? Otherwise unset it"},
        {"FRAZIL_INSTANCE_ID", "-1", "FRAZIL_INSTANCE_ID: did you mean FRAZIL_WORKER=fixed:N? Otherwise unset it"},
        {"FRAZIL_DATACENTER_ID", "2", "FRAZIL_DATACENTER_ID: did you mean FRAZIL_DATACENTER=2? Otherwise unset it"},
        {"FRAZIL_DC", "eu=west", "FRAZIL_DC: did you mean FRAZIL_DATACENTER=N? Otherwise unset it"},
        {"FRAZIL_EPOCH_MS", "1288834974657",
         "FRAZIL_EPOCH_MS: did you mean FRAZIL_EPOCH=1288834974657? Otherwise unset it"},
        {"FRAZIL_nodeId", "1", "FRAZIL_nodeId: did you mean FRAZIL_WORKER=fixed:1? Otherwise unset it"},
    };
    struct slips slips;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(slips_with(cases[i].name, cases[i].value, &slips), 1);
        assert_string_equal(slips.last, cases[i].found);
    }
}

TEST("Each opening that reads the environment refuses a variable that is no setting; others are not concerned")
{
    frazil_options *options;
    frazil *gen;

    assert_int_equal(setenv("FRAZIL_WORKER_ID", "3", 1), 0);
    assert_open_refused(WORKER "state=memory", NULL, FRAZIL_ESPEC,
                        "FRAZIL_WORKER_ID is set in the environment, but is not a setting: did you mean "
                        "FRAZIL_WORKER=fixed:3? Otherwise unset it");
    /* Its owner says what it is. */
    assert_int_equal(frazil_open(&gen, "worker=env:FRAZIL_WORKER_ID state=memory", NULL), FRAZIL_OK);
    frazil_close(gen);
    assert_open_refused("worker=env:FRAZIL_WORKER_I state=memory", NULL, FRAZIL_ESPEC, "is not a setting");
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, WORKER, strlen(WORKER), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_check(options, NULL), FRAZIL_ESPEC);
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_ALL, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_check(options, NULL), FRAZIL_ESPEC);
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_check(options, NULL), FRAZIL_OK);
    frazil_options_close(options);
    assert_int_equal(unsetenv("FRAZIL_WORKER_ID"), 0);
}

TEST("A key that other generators have leads to ours, however it is written")
{
    frazil_options *options;
    frazil_error err;

    assert_open_refused("worker_id=3", NULL, FRAZIL_ESPEC, "unknown key 'worker_id': did you mean worker=fixed:3?");
    assert_open_refused("state=memory workerId=3", NULL, FRAZIL_ESPEC, "did you mean worker=fixed:3?");
    assert_open_refused("machine_id=s3cret", NULL, FRAZIL_ESPEC, "did you mean worker=fixed:N?");
    assert_open_refused("node='3'", NULL, FRAZIL_ESPEC, "did you mean worker=fixed:N?");
    assert_open_refused("node-id", NULL, FRAZIL_ESPEC, "did you mean worker=fixed:N?");
    assert_open_refused("datacenter_id=2 worker=fixed:1", NULL, FRAZIL_ESPEC, "did you mean datacenter=2?");
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_set(options, "workerId", "7 ", 1, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "did you mean worker=fixed:7?"));
    assert_int_equal(frazil_options_set(options, "node", NULL, 0, &err), FRAZIL_ESPEC);
    assert_non_null(strstr(err.message, "did you mean worker=fixed:N?"));
    frazil_options_close(options);
}

TEST("A file that is not there, is a folder, or is too large to be meant")
{
    static char large[70000];
    frazil_error err;
    frazil *gen;

    assert_open_refused(WORKER "config=/nonexistent/frazil.conf", NULL, FRAZIL_ESYS,
                        "cannot read the config file '/nonexistent/frazil.conf': No such file or directory");
    assert_int_equal(frazil_open(&gen, WORKER "config=/nonexistent/frazil.conf", &err), FRAZIL_ESYS);
    assert_int_equal(err.sys_errno, 2);
    assert_open_refused(WORKER "config=/", NULL, FRAZIL_ESYS, "cannot read the config file");
    memset(large, '\n', sizeof large);
    write_config(large, sizeof large);
    assert_open_refused(with_config(WORKER), NULL, FRAZIL_ESYS, "cannot read the config file");
}
