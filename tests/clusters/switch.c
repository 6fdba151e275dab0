/* SPDX-License-Identifier: MIT */
/*
 * A network of hosts on one machine, each a network namespace, joined by this program: `switch SEED NAME...`.
 *
 * Each host has a TAP device, eth0, with the address 10.77.0.N; this process forwards its frames.  So a cut, a delay or
 * a loss is what the program does with frames from one host to another, in one direction, and needs nothing of the
 * kernel but TAP and namespaces.
 *
 * It prints a line for each host, "NAME ADDRESS FILE", where FILE is its namespace for nsenter --net, and "ready". Then
 * it obeys standard input, and says "ok" after each line:
 *
 *     FROM TO CUT LOSS DELAY JITTER   hosts by number from 1; CUT 0 or 1, loss in permille, the others in ms
 *
 * It ends with its input, and the namespaces with it and those who live there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HOSTS_MAX = 16, FRAME_SIZE = 1600, QUEUE_MAX = 2048, LINE_SIZE = 128, ADDRESS_SIZE = 6, AT_ONCE = 64 };

/* The treatment of frames of one direction. */
struct rule {
    bool is_cut;
    unsigned loss_permille;
    unsigned delay_ms;
    unsigned jitter_ms;
};

struct frame {
    struct frame *next;
    uint64_t due_ns;
    size_t len;
    unsigned char bytes[FRAME_SIZE];
};

/* One direction between two hosts: frames leave in the order in which they came. */
struct path {
    struct rule rule;
    struct frame *first;
    struct frame **last;
    size_t waiting;
    uint64_t last_due_ns;
};

static size_t host_count;
static int taps[HOSTS_MAX];
static struct path paths[HOSTS_MAX][HOSTS_MAX];
static uint64_t random_state;

static void die(const char *what)
{
    fprintf(stderr, "switch: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* xorshift64: the same seed loses the same frames. */
static unsigned draw(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state % below);
}

/* ---- hosts ------------------------------------------------------------------------- */

static void configure(int fd, unsigned long request, struct ifreq *wanted, const char *what)
{
    if (ioctl(fd, request, wanted) != 0)
        die(what);
}

static void bring_up(int fd, const char *name)
{
    struct ifreq wanted = {.ifr_flags = IFF_UP | IFF_RUNNING};

    snprintf(wanted.ifr_name, sizeof wanted.ifr_name, "%s", name);
    configure(fd, SIOCSIFFLAGS, &wanted, "a device cannot be brought up");
}

static void set_address(int fd, unsigned long request, uint32_t address)
{
    struct ifreq wanted = {.ifr_name = "eth0"};
    const struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

    memcpy(&wanted.ifr_addr, &in, sizeof in);
    configure(fd, request, &wanted, "an address cannot be set");
}

/* In a new namespace: its TAP device, whose address on the wire ends with its number. */
static int make_tap(size_t number)
{
    struct ifreq wanted = {.ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI};
    int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (control < 0 || tap < 0)
        die("/dev/net/tun");
    configure(tap, TUNSETIFF, &wanted, "a TAP device cannot be made");
    wanted =
        (struct ifreq){.ifr_name = "eth0", .ifr_hwaddr = {.sa_family = 1, .sa_data = {2, 0, 0, 0, 0, (char)number}}};
    configure(control, SIOCSIFHWADDR, &wanted, "its address on the wire cannot be set");
    set_address(control, SIOCSIFADDR, 0x0a4d0000 + (uint32_t)number);
    set_address(control, SIOCSIFNETMASK, 0xffffff00);
    bring_up(control, "lo");
    bring_up(control, "eth0");
    close(control);
    return tap;
}

static void make_host(const char *name)
{
    size_t i = host_count++;

    if (unshare(CLONE_NEWNET) != 0)
        die("a network namespace cannot be made");
    taps[i] = make_tap(i + 1);
    int space = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (space < 0)
        die("/proc/self/ns/net");
    printf("%s 10.77.0.%zu /proc/%ld/fd/%d\n", name, i + 1, (long)getpid(), space);
    for (size_t j = 0; j < HOSTS_MAX; j++)
        paths[i][j].last = &paths[i][j].first;
}

/* ---- frames ------------------------------------------------------------------------ */

/* A full device loses frames, as a real one does. */
static void deliver(size_t to, const unsigned char *bytes, size_t len)
{
    ssize_t done = write(taps[to], bytes, len);
    (void)done;
}

static void enqueue(struct path *path, const unsigned char *bytes, size_t len)
{
    const struct rule *rule = &path->rule;

    if (path->waiting == QUEUE_MAX)
        return;
    struct frame *frame = malloc(sizeof *frame);
    if (frame == NULL)
        die("no memory");
    uint64_t due_ns = now_ns() + (rule->delay_ms + draw(rule->jitter_ms + 1)) * UINT64_C(1000000);
    path->last_due_ns = due_ns > path->last_due_ns ? due_ns : path->last_due_ns;
    *frame = (struct frame){.due_ns = path->last_due_ns, .len = len};
    memcpy(frame->bytes, bytes, len);
    *path->last = frame;
    path->last = &frame->next;
    path->waiting++;
}

static void forward(size_t from, size_t to, const unsigned char *bytes, size_t len)
{
    struct path *path = &paths[from][to];
    const struct rule *rule = &path->rule;

    if (rule->is_cut || (rule->loss_permille > 0 && draw(1000) < rule->loss_permille))
        return;
    if (rule->delay_ms + rule->jitter_ms > 0 || path->waiting > 0)
        enqueue(path, bytes, len);
    else
        deliver(to, bytes, len);
}

/* To the host whose number ends the address, or to all the others. */
static void receive(size_t from)
{
    unsigned char bytes[FRAME_SIZE];

    for (int n = 0; n < AT_ONCE; n++) {
        ssize_t len = read(taps[from], bytes, sizeof bytes);
        if (len < ADDRESS_SIZE)
            return;
        bool for_all = (bytes[0] & 1) != 0;
        for (size_t to = 0; to < host_count; to++) {
            if (to != from && (for_all || bytes[ADDRESS_SIZE - 1] == to + 1))
                forward(from, to, bytes, (size_t)len);
        }
    }
}

/* Sends what is due; returns when the next one is, or UINT64_MAX. */
static uint64_t send_due(struct path *path, size_t to, uint64_t now)
{
    while (path->first != NULL && path->first->due_ns <= now) {
        struct frame *frame = path->first;
        if (!path->rule.is_cut) /* a cut takes what is under way, too */
            deliver(to, frame->bytes, frame->len);
        path->first = frame->next;
        if (path->first == NULL)
            path->last = &path->first;
        path->waiting--;
        free(frame);
    }
    return path->first == NULL ? UINT64_MAX : path->first->due_ns;
}

/* All of them; how long poll may wait, in ms. */
static int send_all_due(void)
{
    uint64_t next = UINT64_MAX;
    uint64_t now = now_ns();

    for (size_t from = 0; from < host_count; from++) {
        for (size_t to = 0; to < host_count; to++) {
            uint64_t due = send_due(&paths[from][to], to, now);
            next = due < next ? due : next;
        }
    }
    return next == UINT64_MAX ? -1 : (int)((next - now) / 1000000) + 1;
}

/* ---- orders ------------------------------------------------------------------------ */

static void obey(const char *line)
{
    enum { FROM, TO, CUT, LOSS, DELAY, JITTER, NUMBERS };
    unsigned number[NUMBERS];
    char *rest = (char *)(uintptr_t)line;
    size_t n = 0;

    while (n < NUMBERS && *rest != '\0')
        number[n++] = (unsigned)strtoul(rest, &rest, 10);
    if (n != NUMBERS || *rest != '\0' || number[FROM] - 1 >= host_count || number[TO] - 1 >= host_count) {
        fprintf(stderr, "switch: not understood: %s\n", line);
        exit(1);
    }
    paths[number[FROM] - 1][number[TO] - 1].rule =
        (struct rule){number[CUT] != 0, number[LOSS], number[DELAY], number[JITTER]};
    puts("ok");
    fflush(stdout);
}

/* Reads what there is of the orders; false at their end. */
static bool read_orders(void)
{
    static char line[LINE_SIZE];
    static size_t len;
    ssize_t got = read(STDIN_FILENO, line + len, sizeof line - 1 - len);

    if (got <= 0)
        return false;
    len += (size_t)got;
    line[len] = '\0';
    for (char *end; (end = strchr(line, '\n')) != NULL; len = strlen(line)) {
        *end = '\0';
        obey(line);
        memmove(line, end + 1, strlen(end + 1) + 1);
    }
    return len < sizeof line - 1;
}

int main(int argc, char **argv)
{
    struct pollfd fds[HOSTS_MAX + 1] = {{.fd = STDIN_FILENO, .events = POLLIN}};

    if (argc < 3 || argc - 2 > HOSTS_MAX) {
        fputs("usage: switch SEED NAME...\n", stderr);
        return 2;
    }
    random_state = strtoull(argv[1], NULL, 10) * 2 + 1;
    for (int i = 2; i < argc; i++)
        make_host(argv[i]);
    puts("ready");
    fflush(stdout);
    for (size_t i = 0; i < host_count; i++)
        fds[i + 1] = (struct pollfd){.fd = taps[i], .events = POLLIN};
    while (poll(fds, host_count + 1, send_all_due()) >= 0) {
        if (fds[0].revents != 0 && !read_orders())
            return 0;
        for (size_t i = 0; i < host_count; i++) {
            if (fds[i + 1].revents != 0)
                receive(i);
        }
    }
    return 1;
}
