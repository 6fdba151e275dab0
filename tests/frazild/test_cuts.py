# SPDX-License-Identifier: MIT
"""Goal of this test: the log says of each connection that is cut whose it was and why, but no client fills it."""

import os
import signal
import socket
import time
import unittest

from harness import BASE, PATIENCE_S, TestCase, generator

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

    def states_of(self, pid):
        """The states of the process's threads; T is stopped."""
        states = set()
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/stat", encoding="ascii") as file:
                states.add(file.read().rsplit(") ", 1)[1].split()[0])
        return states

    def stop(self, daemon, seconds, meanwhile):
        """The daemon does not run for that time, as in a frozen container."""
        daemon.process.send_signal(signal.SIGSTOP)
        while self.states_of(daemon.process.pid) != {"T"}:
            pass
        meanwhile()
        time.sleep(seconds)
        daemon.process.send_signal(signal.SIGCONT)

    def test_who_asks_while_the_daemon_is_stopped_is_answered(self):
        daemon = self.start(BASE.replace("[listen", "threads=1\nidle_timeout=1s\n[listen") + generator("main"))
        clients = [self.connect(daemon) for _ in range(20)]
        for client in clients:
            client.ask("PING")
        time.sleep(0.5)  # more of their second than a turn of the loop
        clients[0].ask("PING")
        self.stop(daemon, 2.3, lambda: [client.send(client.pack("PING")) for client in clients])
        self.assertEqual([client.read() for client in clients], ["PONG"] * 20)

    def test_a_stop_counts_towards_no_timeout(self):
        daemon = self.start(BASE.replace("[listen", "request_timeout=4s\n[listen") + generator("main"))
        client = self.connect(daemon)
        command = client.pack("PING")
        client.ask("PING")
        client.send(command[:5])
        self.stop(daemon, 5, lambda: None)
        time.sleep(1.2)  # the loop looks for those whose time is up once a second
        client.send(command[5:])
        self.assertEqual(client.read(), "PONG")

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
