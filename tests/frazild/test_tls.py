# SPDX-License-Identifier: MIT
"""Goal of this test: the Redis protocol is served through TLS alone where the configuration says so, whatever comes."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest

from harness import BASE, PATIENCE_S, Client, TestCase, generator

LISTEN = "[listen resps]\naddress=127.0.0.1:0\ntls_certificate={0}/cert.pem\ntls_key={0}/key.pem\n"
HTTP = "[listen http]\naddress=127.0.0.1:0\n"


HELLO = b"\x03\x02" + bytes(32) + b"\x00" + b"\x00\x02\x00\x2f" + b"\x01\x00"  # of TLS 1.1, with one cipher
OLD_HELLO = b"\x16\x03\x01" + bytes([0, len(HELLO) + 4, 1, 0, 0, len(HELLO)]) + HELLO


class Certificates(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="frazild-tls-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=frazild",
             "-addext", "subjectAltName=IP:127.0.0.1"],
            cwd=cls.folder, check=True, capture_output=True,
        )  # fmt: skip
        cls.config = BASE + LISTEN.format(cls.folder) + HTTP + generator("main")

    def connect_tls(self, daemon, version=None, **options):
        client = Client(daemon.address("resps"), **options)
        self.addCleanup(client.close)
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "cert.pem"))
        if version is not None:
            context.minimum_version = context.maximum_version = version
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

    def test_quit_ends_the_session_of_tls_as_well(self):
        client = self.connect_tls(self.start(self.config))
        self.assertEqual(client.ask("QUIT"), "OK")
        self.assertEqual(client.file.read(), b"")  # a cut one raises SSLEOFError


class Strangers(Certificates):
    def test_who_speaks_no_tls_or_an_old_one_is_refused_and_the_log_says_why(self):
        daemon = self.start(self.config)
        for i, hello in enumerate((Client.pack("NEXT"), OLD_HELLO)):
            stranger = Client(daemon.address("resps"))
            self.addCleanup(stranger.close)
            stranger.send(hello)
            daemon.wait_for_line("the TLS handshake of connection", i + 1)
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

    def test_a_handshake_that_does_not_end_is_cut(self):
        daemon = self.start(self.config)
        silent = Client(daemon.address("resps"))
        self.addCleanup(silent.close)
        self.assertTrue(silent.is_closed())
        daemon.wait_for_line("its TLS handshake did not end")

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
        self.expect(self.config.replace("/key.pem", "/none.pem"), "cannot be used")
        shutil.copy(os.path.join(self.folder, "key.pem"), os.path.join(self.folder, "open.pem"))
        os.chmod(os.path.join(self.folder, "open.pem"), 0o644)
        self.expect(self.config.replace("/key.pem", "/open.pem"), "chmod o-rwx")

    def test_resps_needs_both_files_and_resp_has_none(self):
        self.expect(re.sub("tls_key=.*\n", "", self.config), "needs tls_certificate= and tls_key=")
        self.expect(self.config.replace("[listen resp]\n", "[listen resp]\ntls_key=x\n"), "keys of [listen resps]")

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
