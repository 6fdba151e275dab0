# SPDX-License-Identifier: MIT
"""Goal of this test: HTTP is refused as a proxy would refuse it, gives pages of other sites nothing, and comes back from
a shortage and leaves in a drain without a client that hangs."""

import errno
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import tempfile
import threading
import time
import unittest

from harness import BASE, IDLE_S, INSTRUMENTED, PATIENCE_S, TestCase, generator, stand_in

HTTP = "[listen http]\naddress=127.0.0.1:0\n"
WIDE = generator("main", 1, layout="41/2/20")
SLOW = generator("slow", 2, layout="39/10/4", tick="100ms")  # 160 ids a second
IDS = "/v1/generators/main/ids"
TOKEN = "0123456789abcdef0123456789abcdef"


def config(*generators, daemon="", users=""):
    return BASE.replace("[listen", f"{daemon}[listen") + HTTP + "".join(generators or (WIDE,)) + users


def get(path, *fields, host="localhost"):
    return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *fields, "", ""]).encode()


OWN = "X-Requested-With: test"
LAST = get("/livez", "Connection: close")


class Raw(TestCase):
    def exchange(self, daemon, data, ends=False):
        """Sends bytes as they are; returns the status and the body of each reply until the daemon closes."""
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as client:
            client.sendall(data)
            if ends:
                client.shutdown(socket.SHUT_WR)
            return self.replies(client)

    def replies(self, client):
        got, replies = b"", []
        try:
            while chunk := client.recv(65536):
                got += chunk
        except ConnectionError:
            pass
        while got:
            head, _, rest = got.partition(b"\r\n\r\n")
            length = int(re.search(rb"(?i)^content-length: (\d+)\r?$", head, re.M)[1])
            replies.append((int(head.split(b" ")[1]), rest[:length]))
            got = rest[length:]
        return replies

    def statuses(self, daemon, data, ends=False):
        return [status for status, _ in self.exchange(daemon, data, ends)]

    def users(self, *allows):
        lines = []
        folder = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(folder.cleanup)
        for number, allow in enumerate(allows):
            path = os.path.join(folder.name, str(number))
            with open(path, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(hashlib.sha256(f"{TOKEN}{number}".encode()).hexdigest() + "\n")
            lines.append(f"[user u{number}]\nsecret_file={path}\nallow={allow}\n")
        return "".join(lines)


class Framing(Raw):
    def test_a_head_that_can_be_read_in_two_ways_ends_the_connection(self):
        daemon = self.start(config())
        hidden = get(IDS, OWN)
        for fields in (
            f"Content-Length : {len(hidden)}",
            f"Content-Length: +{len(hidden)}",
            f"Content-Length: {len(hidden)}\0",
            f"Content-Length:\r\n {len(hidden)}",
            f"X: x\r\n Content-Length: {len(hidden)}",
            f"X: x\rContent-Length: {len(hidden)}",
            "Content-Length: 0\r\nContent-Length: 0",
            f"Content-Length: 0\r\nContent-Length: {len(hidden)}",
            f"Content-Length: {len(hidden)}\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 0",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding: xchunked",
            "Host: localhost",
            "X",
        ):
            for method in ("GET", "POST"):
                with self.subTest(fields=fields, method=method):
                    data = get("/livez", fields).replace(b"GET", method.encode(), 1) + hidden
                    self.assertEqual(self.statuses(daemon, data), [400])
        self.assertEqual(self.statuses(daemon, get("/livez").replace(b"\r\n", b"\n") + LAST), [400])
        text = self.exchange(daemon, get("/metrics", "Connection: close"))[0][1].decode()
        self.assertIn('frazild_connections_cut_total{reason="broken"}', text)

    def test_who_is_cut_for_its_path_or_host_is_counted(self):
        daemon = self.start(config(WIDE))
        for head in (get("/.."), get("/livez").replace(b"localhost", b"elsewhere.example")):
            self.assertIn(self.statuses(daemon, head), ([400], [421]))
        daemon.wait_for_line("is cut: ", 2)
        text = self.exchange(daemon, get("/metrics", "Connection: close"))[0][1].decode()
        self.assertIn('frazild_connections_cut_total{reason="broken"} 2\n', text)
        for reason in ("stalled", "slow", "idle", "revoked"):
            self.assertIn(f'frazild_connections_cut_total{{reason="{reason}"}} 0\n', text)

    def test_requests_in_a_row_are_answered_in_a_row(self):
        daemon = self.start(config(WIDE, SLOW))
        row = get(IDS, OWN) + get("/v1/generators/slow/ids?n=40", OWN) + b"\r\n" + get("/nothing") + get(IDS + "?n=2", OWN)
        replies = self.exchange(daemon, row + LAST)
        self.assertEqual([status for status, _ in replies], [200, 200, 404, 200, 200])
        self.assertEqual([len(json.loads(replies[i][1])["ids"]) for i in (0, 1, 3)], [1, 40, 2])
        self.assertEqual(self.statuses(daemon, get("/livez") * 300 + LAST), [200] * 301)

    def test_a_connection_stays_or_ends_as_both_sides_say(self):
        daemon = self.start(config())
        for head, replies in (
            (get("/livez"), 2),
            (get("/livez", "Connection: CLOSE"), 1),
            (get("/livez", "Connection: keep-alive, x", "Connection: x, close"), 1),
            (b"GET /livez HTTP/1.0\r\n\r\n", 1),
            (b"GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 2),
        ):
            with self.subTest(head=head):
                self.assertEqual(self.statuses(daemon, head + LAST), [200] * replies)

    def test_a_client_of_http_1_0_that_waits_for_its_ids_keeps_its_connection(self):
        daemon = self.start(config(SLOW))
        head = b"GET /v1/generators/slow/ids?n=%d HTTP/1.0\r\nX-Requested-With:\r\nConnection: Keep-Alive\r\n\r\n"
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as client:
            for n in (100, 2):  # more than there are at once, and a few
                client.sendall(head % n)
            client.sendall(LAST)
            reply = client.makefile("rb").read()
        self.assertEqual(reply.count(b"\r\nConnection: keep-alive\r\n"), 2)
        self.assertEqual(reply.count(b"HTTP/1.1 200 OK\r\n"), 3)

    def test_a_reply_to_head_has_no_body_and_the_length_of_one(self):
        daemon = self.start(config())
        for path, status, length in (("/livez", 200, "3"), ("/v1/leases/main", 400, r"\d{3}")):  # the latter comes later
            with socket.create_connection(daemon.address("http"), PATIENCE_S) as client:
                client.sendall(get(path, "Connection: close").replace(b"GET", b"HEAD"))
                reply = client.makefile("rb").read().decode()
            self.assertTrue(reply.startswith(f"HTTP/1.1 {status} "))
            self.assertRegex(reply, rf"\r\nContent-Length: {length}\r\n")
            self.assertTrue(reply.endswith("\r\n\r\n"))

    def test_a_target_may_have_a_host_which_counts(self):
        daemon = self.start(config())
        for target, host, status in (
            ("http://localhost/livez", "localhost", 200),
            ("HTTP://127.0.0.1:80/livez", "localhost", 200),
            ("http://evil/livez", "localhost", 421),
            ("/livez", "[::1]", 200),
            ("/livez", "[::1]evil", 421),
            ("ftp://localhost/livez", "localhost", 400),
            ("livez", "localhost", 400),
        ):
            with self.subTest(target=target, host=host):
                self.assertEqual(self.statuses(daemon, get(target, "Connection: close", host=host)), [status])

    def test_no_encoded_path_reaches_what_a_rule_of_a_proxy_has_stopped(self):
        daemon = self.start(config())
        for path, status in (
            ("/metrics%00", 400),
            ("/%6detrics", 404),
            ("/metric%73", 404),
            ("/x/%2e%2e/metrics", 400),
            ("/x/../metrics", 400),
            ("/%2fmetrics", 400),
            ("//metrics", 404),
            ("/metrics/", 404),
            ("/v1/generators/%6dain/ids", 404),
            ("/v1/generators/main%2fids", 400),
            ("/v1/generators/main/ids%0a", 400),
            ("/v1/layouts/41%2F10%2F12", 400),
            ("/v1/layouts/41/10/12%20tick=1ms", 200),
            (IDS + "?form=hex%00", 400),
            (IDS + "?form=hex%0", 400),
            (IDS + "?n=%31", 200),
            (IDS + "?&n=1&", 200),
        ):
            with self.subTest(path=path):
                self.assertEqual(self.statuses(daemon, get(path, OWN, "Connection: close")), [status])
        client = self.connect(daemon)
        self.assert_error("ERR", "FORM", client, "NEXT", "main", 1, "FORM", b"hex\0x")

    def test_a_client_that_ends_its_side_is_answered_and_closed(self):
        daemon = self.start(config(WIDE, SLOW, daemon="request_timeout=600s\n"))
        slow = get("/v1/generators/slow/ids?n=40", OWN)
        for data, replies in ((b"", 0), (b"G", 0), (get("/livez")[:-2], 0), (get("/livez"), 1), (slow * 2, 2)):
            with self.subTest(data=data):
                began = time.monotonic()
                self.assertEqual(self.statuses(daemon, data, ends=True), [200] * replies)
                self.assertLess(time.monotonic() - began, IDLE_S)

    def test_words_are_known_in_either_case(self):
        daemon = self.start(config(users=self.users("next:* inspect:*")))
        for scheme, status in (("Bearer", 200), ("bearer", 200), ("BEARER", 200), ("Bearer ", 200), ("Beare", 401), ("Bearerx", 401)):
            with self.subTest(scheme=scheme):
                fields = (f"aUTHORIZATION: {scheme} {TOKEN}0", "aCCEPT: TEXT/Plain")
                replies = self.exchange(daemon, get(IDS, *fields, "Connection: close"))
                self.assertEqual(replies[0][0], status)
                self.assertEqual(replies[0][1][:-1].isdigit(), status == 200)
        self.assertEqual(self.statuses(daemon, get(IDS, f"Authorization: Bearer {TOKEN}0x", "Connection: close")), [401])


class Browsers(Raw):
    def test_no_page_of_another_site_takes_an_id(self):
        daemon = self.start(config())
        # What an image, a form and a fetch without CORS send, where the browser does not say who asks.
        for fields in (
            ("Accept: image/avif,image/webp,*/*;q=0.8", "Referer: http://evil.example/"),
            ("Content-Type: application/x-www-form-urlencoded", "Content-Length: 0", "Accept: text/html"),
            ("Content-Type: text/plain", "Accept: application/json", "Range: bytes=0-1", "Save-Data: on"),
            ("Cookie: a=b", "Authorization: Basic eDp5"),
            (f"Authorization: Bearer {TOKEN}",),  # there are no users: it is nobody's
        ):
            for method in ("GET", "POST"):
                with self.subTest(fields=fields, method=method):
                    data = get(IDS, *fields, "Connection: close").replace(b"GET", method.encode(), 1)
                    status, body = self.exchange(daemon, data)[0]
                    self.assertEqual(status, 403)
                    self.assertIn("X-Requested-With", json.loads(body)["detail"])
        text = self.exchange(daemon, get("/metrics", "Connection: close"))[0][1].decode()
        self.assertIn('frazild_ids_total{generator="main"} 0\n', text)
        for fields in (OWN, "X-Requested-With:", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Origin: http://localhost"):
            self.assertEqual(self.statuses(daemon, get(IDS, fields, "Connection: close")), [200], fields)

    def test_what_takes_no_id_needs_no_field(self):
        daemon = self.start(config())
        for path in ("/", "/livez", "/readyz", "/metrics", "/openapi.json", "/v1/generators", "/v1/generators/main"):
            self.assertEqual(self.statuses(daemon, get(path, "Connection: close")), [200], path)

    def test_a_token_is_a_field_that_such_a_page_cannot_send(self):
        daemon = self.start(config(users=self.users("next:*")))
        self.assertEqual(self.statuses(daemon, get(IDS, f"Authorization: Bearer {TOKEN}0", "Connection: close")), [200])


class Sight(Raw):
    def metrics(self, daemon, number):
        return self.exchange(daemon, get("/metrics", f"Authorization: Bearer {TOKEN}{number}", "Connection: close"))[0]

    def test_a_user_sees_the_metrics_of_its_generators_alone(self):
        allows = ("stats:orders", "next:*", "stats:*", "stats:pay* stats:orders", "inspect:* next:payroll stats:payroll")
        generators = (generator("orders", 1), generator("payroll", 2))
        daemon = self.start(config(*generators, users=self.users(*allows)))
        for number, seen in ((0, {"orders"}), (2, {"orders", "payroll"}), (3, {"orders", "payroll"}), (4, {"payroll"})):
            with self.subTest(allow=allows[number]):
                status, text = self.metrics(daemon, number)
                self.assertEqual(status, 200)
                self.assertEqual(set(re.findall(r'generator="(\w+)"', text.decode())), seen)
                for name in (b"frazild_requests_total", b"frazild_batch_ids", b"frazild_connections", b"process_"):
                    self.assertEqual(name in text, number == 2, name)
        self.assertEqual(self.metrics(daemon, 1)[0], 403)


    def test_a_drain_shows_in_the_metrics_while_it_waits(self):
        daemon = self.start(config().replace("drain_delay=0s", "drain_delay=600s"))
        ask = get("/metrics", "Connection: close")
        self.assertIn("frazild_draining 0\n", self.exchange(daemon, ask)[0][1].decode())
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        self.assertIn("frazild_draining 1\n", self.exchange(daemon, get("/metrics"))[0][1].decode())
        self.assertEqual(self.exchange(daemon, get("/readyz")), [(503, b"the daemon is shutting down\n")])


# The system has no memory for the first listener that is to be watched again.
NO_ROOM_ONCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/epoll.h>

int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
    static int forgotten, failed;
    int (*real)(int, int, int, struct epoll_event *) = dlsym(RTLD_NEXT, "epoll_ctl");

    forgotten |= what == EPOLL_CTL_DEL;
    if (!forgotten || failed || what != EPOLL_CTL_ADD || (event->events & EPOLLEXCLUSIVE) == 0)
        return real(epoll, what, fd, event);
    failed = 1;
    errno = ENOMEM;
    return -1;
}
"""


class Shortage(Raw):
    def scraper(self, daemon):
        its = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(its.close)
        return lambda: self.scrape(its)

    def scrape(self, its):
        its.request("GET", "/metrics")
        answer = its.getresponse()
        self.assertEqual(answer.status, 200)
        return answer.read().decode()

    def test_who_comes_without_a_descriptor_is_refused_and_later_served(self):
        daemon = self.start(config(daemon="threads=1\n"))
        scrape = self.scraper(daemon)
        scrape()
        daemon.limit_files(daemon.open_files())
        for _ in range(20):
            self.assertEqual(self.statuses(daemon, b""), [503])
            self.assertIn(b"no descriptor", self.connect(daemon).file.readline())
        self.check_rest(daemon)
        daemon.limit_files(None)
        self.assertEqual(self.statuses(daemon, get(IDS, OWN, "Connection: close")), [200])
        self.assertEqual(self.connect(daemon).ask("PING"), "PONG")
        self.assertIn('frazild_connections_refused_total{reason="descriptors"} 40\n', scrape())

    def check_wait(self, daemon):
        """A client that comes when no descriptor is left waits, and is served when there is one."""
        scrape = self.scraper(daemon)
        scrape()
        daemon.limit_files(3)
        waiting = [socket.create_connection(daemon.address(protocol), PATIENCE_S) for protocol in ("http", "resp") * 4]
        for its, data in zip(waiting, (LAST, b"PING\r\nQUIT\r\n") * 4):
            self.addCleanup(its.close)
            its.sendall(data)
        daemon.wait_for_line("connections wait")
        self.check_rest(daemon)
        scrape()  # a client that was there is served meanwhile
        daemon.limit_files(None)
        for its in waiting:
            self.assertRegex(its.makefile("rb").read(), rb"^(HTTP/1.1 200 |\+PONG\r\n)")
        self.assertEqual(self.statuses(daemon, get(IDS, OWN, "Connection: close")), [200])

    def test_who_cannot_even_be_refused_waits_and_is_served_later(self):
        self.check_wait(self.start(config(daemon="threads=2\n")))

    @unittest.skipIf(INSTRUMENTED, "a sanitizer must be loaded before the stand-in")
    def test_a_listener_that_cannot_be_watched_at_once_is_watched_later(self):
        folder = tempfile.mkdtemp(prefix="frazild-test-")
        self.addCleanup(shutil.rmtree, folder)
        self.check_wait(self.start(config(daemon="threads=1\n"), env=stand_in(folder, NO_ROOM_ONCE)))


class Leaving(Raw):
    @staticmethod
    def is_refused(address):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as its:
            return its.connect_ex(address) == errno.ECONNREFUSED

    def test_in_a_drain_new_clients_are_refused_at_once_and_who_waits_is_answered(self):
        text = config(SLOW, daemon="request_timeout=600s\ndrain_timeout=600s\n")
        text = text.replace(HTTP, "[listen http]\naddress=127.0.0.1:0 unix:@/http.sock\n")
        daemon = self.start(text)
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as waits:
            waits.sendall(get("/v1/generators/slow/ids?n=1000", OWN))
            while b'"waiting":1' not in self.exchange(daemon, get("/v1/generators/slow", "Connection: close"))[0][1]:
                time.sleep(0.01)
            daemon.process.send_signal(signal.SIGTERM)
            daemon.wait_for_line("draining")
            for address in (daemon.address("http"), daemon.address("resp"), daemon.address("http", 1)):
                while not self.is_refused(address):  # until the loops have seen it
                    pass
            self.assertIsNone(daemon.process.poll())
            status, body = self.replies(waits)[0]
        self.assertEqual((status, len(json.loads(body)["ids"])), (200, 1000))
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)

    def test_what_was_sent_before_the_drain_is_answered(self):
        daemon = self.start(config(daemon="request_timeout=600s\ndrain_timeout=600s\n"))
        clients = [socket.create_connection(daemon.address("http"), PATIENCE_S) for _ in range(20)]
        for its in clients[:10]:
            its.sendall(get(IDS, OWN)[:-2])  # the rest comes when the drain has begun
        for its in clients[10:]:
            its.sendall(get(IDS, OWN))
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        for its in clients[:10]:
            its.sendall(b"\r\n")
        for its in clients:
            with its:
                self.assertEqual([status for status, _ in self.replies(its)], [200])
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)


if __name__ == "__main__":
    unittest.main()
