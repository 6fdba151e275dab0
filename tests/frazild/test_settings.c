/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: whatever a configuration holds, and whichever memory is missing, it is read in full or refused
 * with a sentence, and nothing of it is left over.  TEST_EVERY=N tries each Nth mutation.
 */
#include "addresses.h"
#include "failing_memory.h"
#include "files.h"
#include "lib/test.h"
#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

#define MUTATIONS 10000

#pragma GCC visibility push(default)
int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **ret);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **ret);
void __real_free(void *at);
void __wrap_free(void *at);
#pragma GCC visibility pop

/* No name server is asked for the names that mutations make. */
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **ret)
{
    struct addrinfo numeric = *hints;

    numeric.ai_flags |= AI_NUMERICHOST;
    return __real_getaddrinfo(host, port, &numeric, ret);
}

static char folder[] = "/tmp/frazild-settings-XXXXXX";
static char path[64], secret[64];

static void write_file(const char *name, const char *text, size_t len)
{
    (void)unlink(name); /* a new file: a system writes one that was cut off to the disk at once */
    int fd = open(name, O_CREAT | O_WRONLY | O_EXCL, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    assert_int_equal(close(fd), 0);
}

BEFORE_ALL
{
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n";

    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/f.conf", folder);
    (void)snprintf(secret, sizeof secret, "%s/secret", folder);
    write_file(secret, hash, sizeof hash - 1);
}

AFTER_ALL
{
    (void)unlink(path);
    (void)unlink(secret);
    (void)rmdir(folder);
}

static char good[2048];

static void make_good(void)
{
    (void)snprintf(good, sizeof good,
                   "# a daemon\n[daemon]\nthreads=2\ndrain_delay=0s\nrequest_timeout=500ms\nincr_reply=string\n\n"
                   "[listen resp]\naddress=127.0.0.1:6380 unix:%s/socket [::1]:0\nmode=0600\n"
                   "[listen http]\naddress = 127.0.0.1:6381\nhosts=ids.internal\n"
                   "[generator main]\nlayout='twitter epoch=2020-01-01'\nworker=fixed:7\nstate=memory\nkeys=a:* b:*\n"
                   "[generator other]\nworker=redis://user:hunter2@127.0.0.1:1/ns?timeout=1s\nmax_batch=10\nrate=100\n"
                   "[user shop]\nsecret_file=%s\nallow=next:* *:main\nrate=unlimited\n",
                   folder, secret);
}

static unsigned times_of(const char *word, const char *text, size_t len)
{
    size_t word_len = strlen(word);
    unsigned times = 0;

    for (size_t i = 0; i + word_len <= len; i++)
        times += memcmp(text + i, word, word_len) == 0;
    return times;
}

/* Whether the word that is a password stands in URLs alone: where a mutation has cut it off, nothing tells what it is.
 */
static bool has_passwords_alone(const char *text, size_t len)
{
    return times_of("hunter2", text, len) ==
           times_of("redis://u:hunter2@", text, len) + times_of("redis://user:hunter2@", text, len);
}

/* Reads the file.  Whether it is good, which it is only with all that it holds, and bad only with a sentence. */
static bool reads(struct bytes *errors)
{
    struct bytes out = {0}, warnings = {0};
    bool is_good = setup_check(path, &out, &warnings, errors);

    assert_int_equal(is_good, config_is_good(errors));
    if (is_good && !out.failed)
        assert_true(times_of("[generator ", out.at, out.len) > 0);
    else
        assert_true(errors->len > 0 || errors->failed || out.failed);
    bytes_free(&out);
    bytes_free(&warnings);
    return is_good;
}

TEST("Whichever memory is missing, there is no abort and no setup without its parts")
{
    bool all = false;

    make_good();
    write_file(path, good, strlen(good));
    for (unsigned at = 1; !all; at++) {
        struct bytes errors = {0};
        memory_fails_from(at);
        bool is_good = reads(&errors);
        all = memory_calls() < at;
        memory_fails_at(0);
        if (all)
            assert_true(is_good);
        bytes_free(&errors);
    }
}

/* Volatile, because the compiler knows that libc's free reads and writes neither. */
static const char *volatile looked_for; /* in what is freed; NULL: nothing */
static volatile size_t times_freed;

void __wrap_free(void *at)
{
    if (looked_for != NULL && at != NULL)
        times_freed += times_of(looked_for, at, malloc_usable_size(at));
    __real_free(at);
}

TEST("A spec is freed without the password that stood in it")
{
    static const char text[] = "worker=redis://u:sesame42@h/x layout=twitter"; /* which no other test leaves behind */
    struct spec spec = {strdup(text)};
    char *volatile copy = strdup(text); /* whose free is not left out */

    assert_true(spec.text != NULL && copy != NULL);
    looked_for = "sesame42";
    times_freed = 0;
    free(copy); /* it would be found */
    assert_int_equal(times_freed, 1);
    spec_free(&spec);
    looked_for = NULL;
    assert_int_equal(times_freed, 1);
    assert_null(spec.text);
    spec_free(&spec);
}

TEST("Certificates are not read where GnuTLS may find no memory, since libtasn1 would end the daemon")
{
    const struct listen_settings listen = {.given = true,
                                           .place = {"f.conf", 1},
                                           .tls_certificate = "/dev/null/none",
                                           .tls_key = "/dev/null/none",
                                           .tls_client_ca = ""};
    struct bytes errors = {0};

    for (unsigned at = 1; at <= 2; at++) {
        memory_fails_at(at);
        assert_null(tls_open(&listen, &errors));
        memory_fails_at(0);
        bytes_add(&errors, "", 1);
        assert_string_equal(errors.at, "f.conf:1: out of memory\n");
        bytes_free(&errors);
    }
}

static uint64_t state = 88172645463325252;

static unsigned random_below(size_t most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % most);
}

/* Changes the text in one of the ways in which people and editors do, and in some in which nobody does. */
static size_t mutate(char *text, size_t len)
{
    static const char *const words[] = {"[",
                                        "]",
                                        "=",
                                        "'",
                                        "\\",
                                        "\n",
                                        "\0",
                                        " ",
                                        "#",
                                        "0",
                                        "99999999999999999999",
                                        "-1",
                                        "unix:",
                                        "redis://u:hunter2@h/",
                                        "\xff",
                                        "[user x]\n",
                                        "[listen https]\n",
                                        "worker_ids=4\n",
                                        "1e99",
                                        "s",
                                        ":",
                                        "*"};
    size_t at = random_below(len), some = random_below(20), to = random_below(len);
    const char *word = words[random_below(sizeof words / sizeof words[0])];
    size_t word_len = word[0] == '\0' ? 1 : strlen(word);

    some = some < len - at ? some : len - at;
    switch (random_below(4)) {
    case 0: /* lost */
        memmove(text + at, text + at + some, len - at - some);
        return len - some;
    case 1: /* another byte */
        text[at] = (char)random_below(256);
        return len;
    case 2: /* something typed */
        memmove(text + at + word_len, text + at, len - at);
        memcpy(text + at, word, word_len);
        return len + word_len;
    default: /* something copied over something else */
        some = some < len - to ? some : len - to;
        memmove(text + to, text + at, some);
        return len;
    }
}

TEST("Ten thousand mutations are read or refused, and none shows a password")
{
    const char *every = getenv("TEST_EVERY");
    int step = every != NULL && every[0] > '0' ? (int)strtol(every, NULL, 10) : 1;
    unsigned is_good = 0, is_bad = 0;

    for (int i = 0; i < MUTATIONS; i += step) {
        char text[sizeof good + 256];
        struct bytes errors = {0};
        make_good();
        size_t len = strlen(good);
        memcpy(text, good, len);
        state = 88172645463325252 + (uint64_t)i * 2654435761;
        for (unsigned times = 1 + random_below(5); times > 0 && len > 40; times--)
            len = mutate(text, len);
        write_file(path, text, len);
        if (reads(&errors))
            is_good++;
        else
            is_bad++;
        if (has_passwords_alone(text, len))
            assert_int_equal(times_of("hunter2", errors.at, errors.len), 0);
        bytes_free(&errors);
    }
    assert_true(is_good > 0);
    assert_true(is_bad > is_good);
}

TEST("Neither a FIFO nor a device in the place of a file is waited for, nor read without an end")
{
    static const char *const files[] = {"/dev/zero", "/dev/tty", "/proc/self/fd/0", "/"};
    char fifo[64];
    struct bytes text = {0};
    int ends[2];

    (void)snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_string_equal(file_read(fifo, 100, &text, NULL),
                        "it is a FIFO or a pipe: name a regular file, which can be read again");
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 0), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_non_null(file_read(files[i], 100, &text, NULL));
        assert_int_equal(text.len, 0);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST("A file is read up to its bound, and not a byte more")
{
    struct bytes text = {0};
    mode_t mode = 0;

    write_file(path, "0123456789", 10);
    assert_null(file_read(path, 10, &text, &mode));
    assert_int_equal(mode & 0777, 0600);
    assert_int_equal(text.len, 10);
    assert_memory_equal(text.at, "0123456789", 10);
    bytes_free(&text);
    assert_string_equal(file_read(path, 9, &text, NULL), "it is too large");
    assert_null(text.at);
    assert_string_equal(file_read("/dev/null/none", 9, &text, NULL), strerror(ENOTDIR));
}

TEST("An address is of this host alone only if all of its name says so")
{
    static const struct {
        const char *addresses;
        bool is_local;
    } rows[] = {{"localhost:1 127.255.0.1:1 [::1]:1 unix:/s", true},
                {"localhost.example.com:1", false},
                {"localhost4:1", false},
                {"localhos:1", false},
                {"128.0.0.1:1", false},
                {"127.0.0.1.example.com:1", false},
                {"[::1:1]:1", false},
                {"[::]:1", false},
                {"*:1", false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(addresses_are_local(rows[i].addresses), rows[i].is_local);
}
