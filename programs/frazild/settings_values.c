/* SPDX-License-Identifier: MIT */
#include "settings_values.h"

#include "slice.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Digits alone, up to most; *ret_end is what stands behind them. */
static bool read_digits(const char *text, unsigned base, uint64_t most, uint64_t *ret, const char **ret_end)
{
    uint64_t number = 0;
    const char *at = text;

    for (; *at >= '0' && *at < (char)('0' + base); at++) {
        number = number * base + (uint64_t)(*at - '0');
        if (number > most)
            return false;
    }
    *ret = number;
    *ret_end = at;
    return at > text;
}

static bool read_between(const char *text, unsigned base, uint32_t least, uint32_t most, uint32_t *ret)
{
    uint64_t number;
    const char *end;

    if (!read_digits(text, base, most, &number, &end) || *end != '\0' || number < least)
        return false;
    *ret = (uint32_t)number;
    return true;
}

static void write_number(const void *from, struct bytes *out)
{
    bytes_add_number(out, *(const uint32_t *)from);
}

static bool read_threads(const char *text, void *to)
{
    if (strcmp(text, "auto") != 0)
        return read_between(text, 10, 1, 64, to);
    *(uint32_t *)to = 0;
    return true;
}

static void write_threads(const void *from, struct bytes *out)
{
    if (*(const uint32_t *)from == 0)
        bytes_add_text(out, "auto");
    else
        write_number(from, out);
}

static bool read_count(const char *text, void *to)
{
    return read_between(text, 10, 1, 1000000, to);
}

static bool read_batch(const char *text, void *to)
{
    return read_between(text, 10, 1, MAX_BATCH_MAX, to);
}

static bool read_workers(const char *text, void *to)
{
    return read_between(text, 10, 1, 64, to);
}

static bool read_rate(const char *text, void *to)
{
    if (strcmp(text, "unlimited") != 0)
        return read_between(text, 10, 1, 1000000000, to);
    *(uint32_t *)to = 0;
    return true;
}

static void write_rate(const void *from, struct bytes *out)
{
    if (*(const uint32_t *)from == 0)
        bytes_add_text(out, "unlimited");
    else
        write_number(from, out);
}

static bool read_mode(const char *text, void *to)
{
    return read_between(text, 8, 0, 0777, to);
}

static void write_mode(const void *from, struct bytes *out)
{
    if (*(const uint32_t *)from != NO_MODE)
        bytes_format(out, "%04o", (unsigned)*(const uint32_t *)from);
}

#define SECOND_NS UINT64_C(1000000000)
#define DURATION "a duration such as 500ms, 10s or 5m, of at most 1000000 of its unit"

static const struct unit {
    const char *name;
    uint64_t ns;
} units[] = {{"ms", 1000000}, {"s", SECOND_NS}, {"m", UINT64_C(60000000000)}, {"h", UINT64_C(3600000000000)}};

#define UNITS (sizeof units / sizeof units[0])

static bool read_duration(const char *text, void *to)
{
    uint64_t number;
    const char *unit;

    if (!read_digits(text, 10, 1000000, &number, &unit))
        return false;
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(unit, units[i].name) == 0) {
            *(uint64_t *)to = number * units[i].ns;
            return true;
        }
    }
    *(uint64_t *)to = 0;
    return number == 0 && *unit == '\0';
}

static bool read_wait(const char *text, void *to)
{
    return read_duration(text, to) && *(uint64_t *)to > 0;
}

/* Connections are looked at once a second: a shorter time could not be kept. */
static bool read_timeout(const char *text, void *to)
{
    return read_duration(text, to) && *(uint64_t *)to >= SECOND_NS;
}

static bool read_timeout_or_none(const char *text, void *to)
{
    return read_duration(text, to) && (*(uint64_t *)to == 0 || *(uint64_t *)to >= SECOND_NS);
}

static void write_duration(const void *from, struct bytes *out)
{
    uint64_t ns = *(const uint64_t *)from;
    size_t unit = UNITS - 1;

    while (unit > 0 && ns % units[unit].ns != 0)
        unit--;
    bytes_format(out, "%" PRIu64 "%s", ns / units[unit].ns, ns == 0 ? "s" : units[unit].name);
}

static bool read_yes(const char *text, void *to)
{
    *(bool *)to = strcmp(text, "yes") == 0;
    return *(bool *)to || strcmp(text, "no") == 0;
}

static void write_yes(const void *from, struct bytes *out)
{
    bytes_add_text(out, *(const bool *)from ? "yes" : "no");
}

static const char *const incr_replies[] = {"auto", "integer", "string"};

static bool read_incr_reply(const char *text, void *to)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, incr_replies[i]) == 0) {
            *(uint32_t *)to = i;
            return true;
        }
    }
    return false;
}

static void write_incr_reply(const void *from, struct bytes *out)
{
    bytes_add_text(out, incr_replies[*(const uint32_t *)from]);
}

static bool read_text(const char *text, void *to)
{
    *(const char **)to = text;
    return true;
}

/* Letters beyond ASCII pass: a client may send them as they are. */
static bool is_host_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c >= 0x80;
}

/* Whether a Host field can have that text, up to its port, or it is an address, which is known anyway. */
static bool is_host(const char *text, size_t len)
{
    const char *name = len > 2 && text[0] == '[' && text[len - 1] == ']' ? text + 1 : text;
    char address[INET6_ADDRSTRLEN];
    unsigned char ignored[sizeof(struct in6_addr)];
    size_t i = 0;

    (void)snprintf(address, sizeof address, "%.*s", (int)(name == text ? len : len - 2), name);
    while (i < len && (is_host_letter((unsigned char)text[i]) || (text[i] == '.' && i > 0)))
        i++;
    return i == len || inet_pton(AF_INET6, address, ignored) == 1;
}

static bool read_hosts(const char *text, void *to)
{
    const char *rest = text;
    struct slice host;

    while (slice_next_word(&rest, &host)) {
        if (!is_host(host.at, host.len))
            return false;
    }
    return read_text(text, to);
}

static void write_text(const void *from, struct bytes *out)
{
    bytes_add_text(out, *(const char *const *)from);
}

const struct value_kind value_threads = {read_threads, write_threads, "auto, or a number from 1 to 64"};
const struct value_kind value_count = {read_count, write_number, "a number from 1 to 1000000"};
const struct value_kind value_batch = {read_batch, write_number, "a number from 1 to 65536"};
const struct value_kind value_workers = {read_workers, write_number, "a number from 1 to 64"};
const struct value_kind value_rate = {read_rate, write_rate, "ids a second from 1 to 1000000000, or unlimited"};
const struct value_kind value_mode = {read_mode, write_mode, "an octal mode such as 0660"};
const struct value_kind value_duration = {read_duration, write_duration, DURATION};
const struct value_kind value_wait = {read_wait, write_duration, DURATION ", and not 0"};
const struct value_kind value_timeout = {read_timeout, write_duration, DURATION ", and at least 1s"};
const struct value_kind value_timeout_or_none = {read_timeout_or_none, write_duration,
                                                 DURATION ", and at least 1s, or 0s for none"};
const struct value_kind value_yes = {read_yes, write_yes, "yes or no"};
const struct value_kind value_incr_reply = {read_incr_reply, write_incr_reply, "auto, integer or string"};
const struct value_kind value_hosts = {read_hosts, write_text,
                                       "names of hosts, separated by spaces, each without a port, a path or a *"};
const struct value_kind value_text = {read_text, write_text, "a text"};
