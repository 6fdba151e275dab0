# SPDX-License-Identifier: MIT
"""Goal of this test: a stop of the daemon (a frozen container, a busy host) costs no client its connection or its answer."""

import os
import signal
import socket
import ssl
import time
import unittest

from harness import BASE, PATIENCE_S, Client, generator
from test_tls import HTTP, LISTEN, Certificates

REQUEST = b"GET /v1/generators/main/ids HTTP/1.1\r\nHost: localhost\r\nX-Requested-With: test\r\n\r\n"


class Greeting:
    """A client of TLS in the middle of its handshake: `parts` are what it has still to send, each after an answer."""

    def __init__(self, address, context, is_half_sent):
        self.socket = socket.create_connection(address, PATIENCE_S)
        self.to_read, self.to_send = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.its = context.wrap_bio(self.to_read, self.to_send, server_hostname="127.0.0.1")
        self.go_on()
        hello = self.to_send.read()
        self.rest = hello[100:] if is_half_sent else b""
        self.socket.sendall(hello[: len(hello) - len(self.rest)])

    def go_on(self):
        """Whether the handshake is over."""
        try:
            self.its.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True

    def send_rest(self):
        self.socket.sendall(self.rest)

    def ask(self, command):
        """Ends the handshake, asks, and returns the answer; b"": the daemon has closed the connection."""
        while not self.go_on():
            self.socket.sendall(self.to_send.read())
            data = self.socket.recv(16384)
            if not data:
                return b""
            self.to_read.write(data)
        self.its.write(command)
        self.socket.sendall(self.to_send.read())
        while True:
            try:
                return self.its.read(100)
            except ssl.SSLWantReadError:
                data = self.socket.recv(16384)
                if not data:
                    return b""
                self.to_read.write(data)


class Stops(Certificates):
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
        daemon = self.start(BASE.replace("[listen", "threads=1\nidle_timeout=5s\n[listen") + generator("main"))
        clients = [self.connect(daemon) for _ in range(20)]
        for client in clients:
            client.ask("PING")
        time.sleep(2.5)  # a good part of their five seconds
        clients[0].ask("PING")
        self.stop(daemon, 11.5, lambda: [client.send(client.pack("PING")) for client in clients])
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

    def test_clients_of_each_protocol_outlive_a_stop_that_is_longer_than_all_of_their_timeouts(self):
        config = BASE.replace("[listen", "threads=1\nidle_timeout=10s\n[listen") + LISTEN.format(self.folder) + HTTP + generator("main")
        daemon = self.start(config)
        clients = [self.connect(daemon) for _ in range(600)]  # more than epoll tells of at once
        web = [socket.create_connection(daemon.address("http"), PATIENCE_S) for _ in range(40)]
        for its in web:
            self.addCleanup(its.close)
        for its in web[:20]:
            its.sendall(REQUEST[:50])
        greetings = [Greeting(daemon.address("resps"), self.context(), is_half_sent) for is_half_sent in (False, True) * 5]
        for its in greetings:
            self.addCleanup(its.socket.close)
        for client in clients:
            client.send(client.pack("PING"))
        self.assertEqual([client.read() for client in clients], ["PONG"] * len(clients))

        def ask():
            for client in clients:
                client.send(client.pack("NEXT"))
            for its in web[:20]:
                its.sendall(REQUEST[50:])
            for its in web[20:]:
                its.sendall(REQUEST)
            for its in greetings[:5]:
                its.send_rest()

        self.stop(daemon, 11.5, ask)
        for its in greetings[5:]:
            its.send_rest()
        self.assertEqual([its.ask(Client.pack("PING")) for its in greetings], [b"+PONG\r\n"] * len(greetings))
        self.assertEqual([its.recv(15) for its in web], [b"HTTP/1.1 200 OK"] * len(web))
        self.assertEqual(len({client.read() for client in clients}), len(clients))
        self.assertFalse([line for line in daemon.lines if line and " is cut" in line])


if __name__ == "__main__":
    unittest.main()
