# SPDX-License-Identifier: MIT
"""Goal of this test: the log says of each connection that is cut whose it was and why, but no client fills it."""

import socket
import unittest

from harness import BASE, PATIENCE_S, ReplyError, TestCase, generator, until

HTTP = "[listen http]\naddress=127.0.0.1:0\n"


class Cuts(TestCase):
    def cut_of(self, daemon, words):
        """The line that tells of a cut for that reason."""
        line = daemon.wait_for_line(words)
        self.assertIn(" is cut: ", line)
        return line

    def name_of(self, its):
        return "127.0.0.1:%d" % its.getsockname()[1]

    def test_a_silent_client_is_named(self):
        daemon = self.start(BASE.replace("[listen", "idle_timeout=1s\n[listen") + generator("main"))
        client = self.connect(daemon)
        client.ask("PING")
        self.assertIn(self.name_of(client.socket), self.cut_of(daemon, "it was idle for too long (idle_timeout)"))
        self.assertTrue(client.is_closed())

    def test_silent_clients_do_not_lock_others_out(self):
        config = BASE.replace("[listen", "max_connections=5\nrequest_timeout=1s\n[listen")
        daemon = self.start(config + generator("main"))
        silent = [self.connect(daemon) for _ in range(5)]
        silent[0].send(b"\r\n\r\n")  # no command
        for client in silent:
            self.assertTrue(client.is_closed())
        self.cut_of(daemon, "it sent no request")

        def is_served():
            try:
                return self.connect(daemon).ask("NEXT").isdigit()
            except (EOFError, OSError, ReplyError):
                return False  # on a busy machine it, too, is silent for a second

        until(is_served)

    def test_a_client_of_another_protocol_is_named(self):
        daemon = self.start(BASE.replace("127.0.0.1:0", "127.0.0.1:0 unix:@/socket") + HTTP + generator("main"))
        for data, why in (
            (b"*1\r\n:1\r\n", "expected '$'"),
            (b"GET / HTTP/1.1\r\nHost: x\r\n", "it speaks HTTP"),
        ):
            client = self.connect(daemon)
            client.send(data)
            client.file.read()
            self.assertIn(self.name_of(client.socket), self.cut_of(daemon, why))
        local = self.connect(daemon, 1)
        local.send(b"*9999999\r\n")
        local.file.read()
        self.assertIn("unix:", self.cut_of(daemon, "arguments"))
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as web:
            web.sendall(b"GET / HTTP/1.1\r\nHost : x\r\n\r\n")
            self.assertIn(b" 400 ", web.makefile("rb").readline())
            self.assertIn(self.name_of(web), self.cut_of(daemon, "colon"))

    def test_a_client_of_ipv6_is_named(self):
        daemon = self.start(BASE.replace("127.0.0.1:0", "[::1]:0") + generator("main"))
        with socket.create_connection(daemon.address(), PATIENCE_S) as client:
            client.sendall(b"*1\r\n:1\r\n")
            client.makefile("rb").read()
            self.assertIn("[::1]:%d" % client.getsockname()[1], self.cut_of(daemon, "expected '$'"))

    def test_a_client_that_was_reset_is_named(self):
        daemon = self.start()
        client = self.connect(daemon)
        self.assertEqual(client.ask("RESET"), "RESET")
        client.send(b"*1\r\n:1\r\n")
        client.file.read()
        self.assertIn(self.name_of(client.socket), self.cut_of(daemon, "expected '$'"))

    def test_many_of_one_kind_do_not_hide_another_kind(self):
        def start_with_many(setting):
            daemon = self.start(BASE.replace("[listen", setting + "\n[listen") + generator("main"))
            for _ in range(100):
                client = self.connect(daemon)
                client.send(b"*1\r\n:1\r\n")
                client.file.read()
                client.close()
            return daemon

        daemon = start_with_many("idle_timeout=1s")
        client = self.connect(daemon)
        client.ask("PING")
        self.assertIn(self.name_of(client.socket), self.cut_of(daemon, "it was idle for too long"))
        daemon = start_with_many("max_connections=5")
        for _ in range(10):
            self.connect(daemon)
        daemon.wait_for_line("a connection was refused")

    def test_many_of_them_are_counted_instead(self):
        daemon = self.start()
        for _ in range(100):
            client = self.connect(daemon)
            client.send(b"*1\r\n:1\r\n")
            client.file.read()
        daemon.end()
        self.assertLessEqual(len([line for line in daemon.lines if line and "is cut" in line]), 40)


if __name__ == "__main__":
    unittest.main()
