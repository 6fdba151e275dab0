# SPDX-License-Identifier: MIT
"""Goal of this test: both protocols are served through TLS alone where the configuration says so, whatever comes."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from harness import BASE, INSTRUMENTED, PATIENCE_S, Client, TestCase, generator

FILES = "tls_certificate={0}/cert.pem\ntls_key={0}/key.pem\n"
LISTEN = "[listen resps]\naddress=127.0.0.1:0\n" + FILES
HTTPS = "[listen https]\naddress=127.0.0.1:0\nhosts=ids.internal\n" + FILES
HTTP = "[listen http]\naddress=127.0.0.1:0\n"


HELLO = b"\x03\x02" + bytes(32) + b"\x00" + b"\x00\x02\x00\x2f" + b"\x01\x00"  # of TLS 1.1, with one cipher
OLD_HELLO = b"\x16\x03\x01" + bytes([0, len(HELLO) + 4, 1, 0, 0, len(HELLO)]) + HELLO


class Certificates(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="frazild-tls-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.make_certificate(cls.folder)
        cls.config = BASE + LISTEN.format(cls.folder) + HTTP + generator("main")

    @staticmethod
    def make_certificate(folder):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=frazild",
             "-addext", "subjectAltName=IP:127.0.0.1"],
            cwd=folder, check=True, capture_output=True,
        )  # fmt: skip

    def context(self, version=None):
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "cert.pem"))
        if version is not None:
            context.minimum_version = context.maximum_version = version
        return context

    def connect_tls(self, daemon, version=None, **options):
        client = Client(daemon.address("resps"), **options)
        self.addCleanup(client.close)
        context = self.context(version)
        client.file.close()
        client.socket = context.wrap_socket(
            client.socket, server_hostname="127.0.0.1", suppress_ragged_eofs=False
        )
        client.file = client.socket.makefile("rb")
        return client

    @staticmethod
    def rest_of(client):
        data = b""
        try:
            while more := client.socket.recv(4096):
                data += more
        except ConnectionError:
            pass
        return data

    def metric(self, daemon, name):
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as plain:
            plain.sendall(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
            text = plain.makefile("rb").read().decode()
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])


class Shortage(Certificates):
    """Of descriptors, as test_http_strict.py has it without TLS."""

    QUESTIONS = (
        ("resps", b"PING\r\nQUIT\r\n", b"+PONG\r\n"),
        ("https", b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"HTTP/1.1 200 "),
    )

    def start_short(self, threads):
        base = BASE.replace("[listen", f"threads={threads}\n[listen")
        return self.start(self.config.replace(BASE, base) + HTTPS.format(self.folder))

    def connect_plain(self, daemon, protocol):
        plain = socket.create_connection(daemon.address(protocol), PATIENCE_S)
        self.addCleanup(plain.close)
        return plain

    def answer(self, plain, question):
        """What comes back through TLS."""
        with self.context().wrap_socket(plain, server_hostname="127.0.0.1") as its:
            its.sendall(question)
            return its.makefile("rb").read()

    def check_served(self, daemon):
        for protocol, question, answer in self.QUESTIONS:
            self.assertTrue(self.answer(self.connect_plain(daemon, protocol), question).startswith(answer))

    def test_who_comes_without_a_descriptor_is_let_go_and_later_served(self):
        daemon = self.start_short(threads=1)
        early = self.connect_tls(daemon)
        self.assertEqual(early.ask("PING"), "PONG")
        daemon.limit_files(daemon.open_files())
        for protocol, question, _ in self.QUESTIONS * 10:
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                self.answer(self.connect_plain(daemon, protocol), question)
        self.check_rest(daemon)
        self.assertEqual(early.ask("PING"), "PONG")
        daemon.limit_files(None)
        self.check_served(daemon)
        self.assertEqual(self.metric(daemon, 'frazild_connections_refused_total{reason="descriptors"}'), 20)

    def test_who_cannot_even_be_let_go_waits_and_is_served_later(self):
        daemon = self.start_short(threads=2)
        early = self.connect_tls(daemon)
        self.assertEqual(early.ask("PING"), "PONG")
        daemon.limit_files(3)
        waiting = [(self.connect_plain(daemon, row[0]), row) for row in self.QUESTIONS * 4]
        daemon.wait_for_line("connections wait")
        self.check_rest(daemon)
        self.assertEqual(early.ask("PING"), "PONG")
        daemon.limit_files(None)
        for plain, (_, question, answer) in waiting:
            self.assertTrue(self.answer(plain, question).startswith(answer))
        self.check_served(daemon)


class Service(Certificates):
    def test_ids_of_both_versions_of_tls_and_without_it_are_in_order(self):
        daemon = self.start(self.config)
        clients = [
            self.connect_tls(daemon, ssl.TLSVersion.TLSv1_2),
            self.connect_tls(daemon, ssl.TLSVersion.TLSv1_3),
            self.connect(daemon),
        ]
        self.assertEqual(clients[0].socket.version(), "TLSv1.2")
        self.assertEqual(clients[1].socket.version(), "TLSv1.3")
        ids = [int(clients[i % 3].ask("NEXT", "main")) for i in range(60)]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(self.metric(daemon, 'frazild_tls_handshakes_total{result="done"}'), 2)

    def test_records_that_hold_many_commands_and_parts_of_them_are_all_answered(self):
        daemon = self.start(self.config)
        client = self.connect_tls(daemon)
        ping = client.pack("PING")
        client.send(ping[:3])  # alone in its record
        client.send(ping[3:] + ping * 1000)
        self.assertEqual([client.read() for _ in range(1001)], ["PONG"] * 1001)
        text = os.urandom(60000)
        self.assertEqual(client.ask("ECHO", text), text)
        for byte in client.pack("PING"):
            client.send(bytes([byte]))
        self.assertEqual(client.read(), "PONG")

    def test_replies_that_the_socket_does_not_take_at_once_come_whole(self):
        daemon = self.start(self.config)
        client = self.connect_tls(daemon, receive_buffer=4096)
        texts = [os.urandom(50000) for _ in range(20)]
        waiting = b"".join(client.pack("ECHO", text) for text in texts)
        client.socket.setblocking(False)
        replies = b""
        while waiting or not replies.endswith(texts[-1] + b"\r\n"):
            try:
                waiting = waiting[client.socket.send(waiting[:16384]) :] if waiting else waiting
            except ssl.SSLWantWriteError:
                pass
            try:
                replies += client.socket.recv(65536)
            except ssl.SSLWantReadError:
                pass
        self.assertEqual(replies, b"".join(b"$50000\r\n" + text + b"\r\n" for text in texts))

    def test_a_connection_that_was_reset_still_counts_as_one_of_tls(self):
        daemon = self.start(self.config)
        client = self.connect_tls(daemon)
        self.assertEqual(client.ask("RESET"), "RESET")
        self.assertEqual(client.ask("PING"), "PONG")
        self.assertEqual(self.metric(daemon, 'frazild_requests_total{protocol="resps",request="PING",code="OK"}'), 1)

    def test_quit_ends_the_session_of_tls_as_well(self):
        client = self.connect_tls(self.start(self.config))
        self.assertEqual(client.ask("QUIT"), "OK")
        self.assertEqual(client.file.read(), b"")  # a cut one raises SSLEOFError


class Secured(Certificates):
    def start_https(self):
        return self.start(self.config + HTTPS.format(self.folder) + generator("slow", 2, layout="39/10/4", tick="100ms"))

    def connect_https(self, daemon, version=None):
        host, port = daemon.address("https")
        connection = http.client.HTTPSConnection(host, port, timeout=PATIENCE_S, context=self.context(version))
        self.addCleanup(connection.close)
        return connection

    def ask(self, connection, path, **headers):
        connection.request("GET", path, headers={"X-Requested-With": "test", **headers})
        response = connection.getresponse()
        return response.status, response.read()

    def ids_of(self, connection, generator_name, count):
        status, body = self.ask(connection, f"/v1/generators/{generator_name}/ids?n={count}")
        self.assertEqual(status, 200, body)
        return [int(text) for text in json.loads(body)["ids"]]


class Https(Secured):
    def test_ids_of_both_versions_of_tls_are_in_order_with_those_of_the_redis_protocol(self):
        daemon = self.start_https()
        ids = []
        https = [self.connect_https(daemon, v) for v in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)]
        resps = self.connect_tls(daemon)
        for _ in range(20):
            for connection in https:
                ids += self.ids_of(connection, "main", 5)
            ids.append(int(resps.ask("NEXT", "main")))
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(len(ids), 20 * 11)

    def test_replies_that_are_large_and_requests_that_wait_are_whole(self):
        daemon = self.start_https()
        connection = self.connect_https(daemon)
        many = self.ids_of(connection, "main", 10000)
        self.assertEqual(len(set(many)), 10000)
        waited = self.ids_of(connection, "slow", 60)  # 16 a tick
        self.assertEqual((len(waited), waited), (60, sorted(set(waited))))

    def test_its_own_hosts_are_known_and_those_of_http_are_not(self):
        daemon = self.start_https()
        connection = self.connect_https(daemon)
        self.assertEqual(self.ask(connection, "/livez", Host="ids.internal")[0], 200)
        self.assertEqual(self.ask(connection, "/livez", Host="evil.example")[0], 421)
        plain = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(plain.close)
        self.assertEqual(self.ask(plain, "/livez", Host="ids.internal")[0], 421)

    def test_who_speaks_no_tls_or_an_old_one_gets_nothing_and_harms_no_other(self):
        daemon = self.start_https()
        for hello in (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", OLD_HELLO):
            with socket.create_connection(daemon.address("https"), PATIENCE_S) as stranger:
                stranger.sendall(hello)
                try:
                    self.assertNotIn(b"HTTP/1.1 200", stranger.recv(4096))
                except ConnectionError:
                    pass
        self.assertEqual(self.ask(self.connect_https(daemon), "/livez")[0], 200)

    def test_a_handshake_and_its_first_request_have_the_time_of_a_request(self):
        daemon = self.start(self.config.replace("[daemon]", "[daemon]\nrequest_timeout=1s") + HTTPS.format(self.folder))
        with socket.create_connection(daemon.address("https"), PATIENCE_S) as silent:
            self.assertEqual(silent.recv(1), b"")
        connection = None
        while connection is None:
            try:
                connection = self.connect_https(daemon)
                connection.connect()
            except OSError:  # a busy machine takes a second for the handshake
                connection = None
        self.assertEqual(connection.sock.recv(1), b"")

    def test_sigterm_ends_connections_of_https(self):
        daemon = self.start_https()
        self.assertEqual(self.ask(self.connect_https(daemon), "/livez")[0], 200)
        self.assertEqual(daemon.end(), 0)


    def test_metrics_tell_what_came_through_tls(self):
        daemon = self.start_https()
        self.ids_of(self.connect_https(daemon), "main", 1)
        self.connect_https(daemon).connect()  # and asks nothing
        self.connect_tls(daemon).ask("NEXT", "main")
        self.connect(daemon).ask("NEXT", "main")
        with socket.create_connection(daemon.address("https"), PATIENCE_S) as stranger:
            stranger.sendall(OLD_HELLO)
            try:
                while stranger.recv(4096):
                    pass
            except ConnectionError:
                pass
        expected = {
            'frazild_requests_total{protocol="https",request="ids",code="OK"}': 1,
            'frazild_requests_total{protocol="resps",request="NEXT",code="OK"}': 1,
            'frazild_requests_total{protocol="resp",request="NEXT",code="OK"}': 1,
            'frazild_tls_handshakes_total{result="done"}': 3,
            'frazild_tls_handshakes_total{result="failed"}': 1,
        }
        for name, value in expected.items():
            while self.metric(daemon, name) < value:  # the daemon looks once a second
                pass
            self.assertEqual(self.metric(daemon, name), value, name)


    def test_the_end_of_a_certificate_is_that_of_whichever_of_its_chain_ends_first(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

        new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        openssl(*new, "-x509", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem", "-days", "1")
        openssl(*new, "-subj", "/CN=frazild", "-keyout", "leaf.key", "-out", "leaf.csr")
        openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "leaf.pem", "-days", "3")
        with open(os.path.join(self.folder, "chain.pem"), "w", encoding="ascii") as chain:
            for name in ("leaf.pem", "ca.pem"):
                with open(os.path.join(self.folder, name), encoding="ascii") as file:
                    chain.write(file.read())
        daemon = self.start(self.config.replace("/cert.pem", "/chain.pem").replace("/key.pem", "/leaf.key"))
        end = self.metric(daemon, 'frazild_tls_certificate_end_timestamp_seconds{protocol="resps"}')
        self.assertLess(end, time.time() + 2 * 86400)


class Idle(Secured):
    @unittest.skipIf(INSTRUMENTED, "sanitizers take memory of their own")
    def test_connections_take_no_more_memory_than_the_manual_says(self):
        listen = {"resp": "", "http": HTTP, "resps": LISTEN.format(self.folder), "https": HTTPS.format(self.folder)}
        for protocol, section in listen.items():
            each, count = (33280, 50) if protocol.endswith("s") else (512, 800)  # docs/frazild.md, Limits
            question = b"PING\r\n" if protocol.startswith("resp") else b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
            daemon = self.start(BASE.replace("[listen", "threads=1\n[listen", 1) + section + generator("main"))

            def connect():
                its = socket.create_connection(daemon.address(protocol), PATIENCE_S)
                self.addCleanup(its.close)
                if protocol.endswith("s"):
                    its = self.context().wrap_socket(its, server_hostname="127.0.0.1")
                    self.addCleanup(its.close)
                its.sendall(question)
                self.assertNotEqual(its.recv(1000), b"")

            connect()  # what all share is there
            before = daemon.memory_kib()
            for _ in range(count):
                connect()
            took = (daemon.memory_kib() - before) * 1024 / count
            print(f"an idle connection of {protocol} takes {took:.0f} bytes")
            self.assertLess(took, each, protocol)


class Renewal(Secured):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="frazild-tls-")  # its files change
        self.addCleanup(shutil.rmtree, self.folder)
        self.make_certificate(self.folder)
        self.config = BASE + LISTEN.format(self.folder) + HTTP + generator("main")

    def reload(self, daemon, words, count):
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line(words, count)

    def test_who_comes_after_a_reload_gets_the_new_certificate_and_others_go_on(self):
        daemon = self.start_https()
        connections, clients, certificates = [], [], set()
        for count in range(1, 4):
            connections.append(self.connect_https(daemon))
            clients.append(self.connect_tls(daemon))
            for connection, client in zip(connections, clients):
                self.assertEqual(self.ask(connection, "/livez")[0], 200)
                self.assertEqual(client.ask("PING"), "PONG")
            certificates.add(connections[-1].sock.getpeercert(True))
            self.assertEqual(clients[-1].socket.getpeercert(True), connections[-1].sock.getpeercert(True))
            self.make_certificate(self.folder)
            self.reload(daemon, "SIGHUP: the configuration was read", count)
        self.assertEqual(len(certificates), 3)

    def test_a_certificate_that_cannot_be_used_leaves_the_old_one(self):
        daemon = self.start_https()
        with open(os.path.join(self.folder, "key.pem"), "w", encoding="utf-8") as file:
            file.write("nothing")
        self.reload(daemon, "stays in use", 1)
        self.assertTrue(any("cannot be used" in line for line in daemon.lines if line))
        self.assertEqual(self.ask(self.connect_https(daemon), "/livez")[0], 200)
        self.assertEqual(self.connect_tls(daemon).ask("PING"), "PONG")


class Strangers(Certificates):
    def test_who_speaks_no_tls_or_an_old_one_is_refused_and_the_log_says_why(self):
        daemon = self.start(self.config)
        for i, hello in enumerate((Client.pack("NEXT"), OLD_HELLO)):
            stranger = Client(daemon.address("resps"))
            self.addCleanup(stranger.close)
            stranger.send(hello)
            line = daemon.wait_for_line("the TLS handshake of connection", i + 1)
            self.assertIn(", 127.0.0.1:%d, failed: " % stranger.socket.getsockname()[1], line)
            self.assertEqual(self.rest_of(stranger)[:1], b"\x15")  # an alert
        self.assertEqual(self.connect_tls(daemon).ask("PING"), "PONG")
        self.assertEqual(self.metric(daemon, 'frazild_tls_handshakes_total{result="failed"}'), 2)

    def test_a_connection_that_is_cut_off_harms_no_other(self):
        daemon = self.start(self.config)
        other = self.connect_tls(daemon)
        for _ in range(20):
            client = self.connect_tls(daemon)
            client.send(client.pack("NEXT")[:7])
            client.socket.shutdown(socket.SHUT_RDWR)  # without a word of TLS
        self.assertEqual(other.ask("PING"), "PONG")

    def test_a_handshake_that_does_not_end_is_cut_and_who_has_ended_it_may_rest(self):
        daemon = self.start(self.config.replace("[daemon]", "[daemon]\nthreads=1\nrequest_timeout=1000s"))
        resting = self.connect_tls(daemon)
        silent = Client(daemon.address("resps"))
        self.addCleanup(silent.close)
        self.assertTrue(silent.is_closed())
        daemon.wait_for_line("its TLS handshake did not end")
        self.assertEqual(resting.ask("PING"), "PONG")
        self.assertEqual(self.metric(daemon, 'frazild_tls_handshakes_total{result="failed"}'), 1)

    def test_who_says_nothing_after_its_handshake_is_cut(self):
        daemon = self.start(self.config.replace("[daemon]", "[daemon]\nrequest_timeout=1s"))
        with self.assertRaises(OSError):  # without a word of TLS
            self.connect_tls(daemon).socket.recv(1)
        daemon.wait_for_line("is cut: it sent no request")

    def test_sigterm_ends_sessions_of_tls(self):
        daemon = self.start(self.config)
        client = self.connect_tls(daemon)
        self.assertEqual(client.ask("PING"), "PONG")
        silent = Client(daemon.address("resps"))
        self.addCleanup(silent.close)
        self.assertEqual(daemon.end(), 0)
        self.assertEqual(client.file.read(), b"")


class Mistakes(Certificates):
    def check(self, config):
        path = os.path.join(self.folder, "f.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        return subprocess.run(
            [os.environ["FRAZILD"], "-c", path, "--check"], capture_output=True, text=True, timeout=PATIENCE_S
        )

    def expect(self, config, words):
        result = self.check(config)
        self.assertEqual(result.returncode, 1)
        self.assertIn(words, result.stderr)

    def test_files_that_are_no_certificate_or_no_key_are_named(self):
        self.expect(self.config.replace("/cert.pem", "/key.pem"), "cannot be used")
        self.expect(self.config.replace("/key.pem", "/none.pem"), "cannot be read: No such file")
        shutil.copy(os.path.join(self.folder, "key.pem"), os.path.join(self.folder, "open.pem"))
        for mode in (0o644, 0o602):
            os.chmod(os.path.join(self.folder, "open.pem"), mode)
            self.expect(self.config.replace("/key.pem", "/open.pem"), "chmod o-rwx")

    def test_resps_needs_both_files_and_resp_has_none(self):
        self.expect(re.sub("tls_key=.*\n", "", self.config), "needs tls_certificate= and tls_key=")
        self.expect(self.config.replace("[listen resp]\n", "[listen resp]\ntls_key=x\n"), "keys of [listen resps] and [listen https]")

    def test_beyond_this_host_tls_needs_users(self):
        wide = self.config.replace("[listen resps]\naddress=127.0.0.1:0", "[listen resps]\naddress=0.0.0.0:0")
        self.expect(wide, "there are no users")
        secret = os.path.join(self.folder, "secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("0" * 64)
        os.chmod(secret, 0o600)
        wide += f"[user shop]\nsecret_file={secret}\nallow=next:*\n"
        result = self.check(wide)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
