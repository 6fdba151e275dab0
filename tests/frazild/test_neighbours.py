# SPDX-License-Identifier: MIT
"""Goal of this test: clients that break off in their replies, or find no memory, leave nothing to any other client."""

import contextlib
import hashlib
import http.client
import json
import os
import resource
import signal
import socket
import struct
import unittest

from harness import BASE, INSTRUMENTED, PATIENCE_S, Client, TestCase, generator
from test_tls import FILES, Certificates

EVERY = int(os.environ.get("TEST_EVERY", "1"))  # a sample of the rounds is enough
ROUNDS = 200 // EVERY  # of a client that breaks off, on the one thread that serves all
KILLS = 40 // EVERY
TOKEN = "a-token-of-32-characters-or-more-"
OWN = "payroll"  # the generator of those who stay; those who break off have orders
WORKER = {"orders": 1, "payroll": 2}

LISTEN = "".join(
    f"[listen {protocol}]\naddress={address}\n{files}"
    for protocol, address, files in (
        ("resp", "127.0.0.1:0 unix:@/resp.sock", ""),
        ("resps", "127.0.0.1:0", FILES),
        ("http", "127.0.0.1:0", ""),
        ("https", "127.0.0.1:0", FILES),
    )
)


@contextlib.contextmanager
def paused(daemon, is_wanted):
    """The daemon finds all that happens meanwhile at once: a command, and that its client is gone."""
    if is_wanted:
        daemon.process.send_signal(signal.SIGSTOP)
        os.waitpid(daemon.process.pid, os.WUNTRACED)
    yield
    if is_wanted:
        daemon.process.send_signal(signal.SIGCONT)


def close(its):
    its.close()


def reset(its):
    its.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    its.close()


class Redis:
    """A client of the Redis protocol that counts its questions."""

    BURST = Client.pack("ECHO", "100000000000000001")
    BURST += (Client.pack("ECHO", "d" * 900) + Client.pack("NEXT", "orders", 900)) * 40

    def __init__(self, its, name, token):
        self.client = its
        self.name = name
        self.turn = 0
        if token:
            assert its.ask("AUTH", name, token) == "OK"

    def ask(self, test):
        """Asks; each answer must be that of this question.  Returns the ids."""
        self.turn += 1
        words, count = f"{self.name}-{self.turn}", self.turn % 5 + 1
        commands = (("ECHO", words), ("NEXT", OWN), ("NEXT", OWN, count), ("PING", words))
        self.client.send(b"".join(Client.pack(*command) for command in commands))
        echo, one, more, ping = (self.client.read() for _ in range(4))
        test.assertEqual((echo, ping), (words.encode(), words.encode()))
        test.assertEqual(len(more), count)
        return [int(one), *map(int, more)]

    def end(self, test):
        """Nothing is left that nobody asked for."""
        test.assertEqual(self.client.ask("QUIT"), "OK")
        test.assertEqual(self.client.file.read(), b"")


class Web:
    """A client of HTTP, likewise."""

    def __init__(self, its, name, token):
        self.client = http.client.HTTPConnection("127.0.0.1", timeout=PATIENCE_S)
        self.client.sock = its.socket
        self.headers = {"Authorization": f"Bearer {token}"} if token else {"X-Requested-With": "test"}
        self.name = name
        self.turn = 0

    @staticmethod
    def burst(token):
        lines = ["GET /v1/generators/orders/ids?n=2000 HTTP/1.1", "Host: localhost"]
        lines += [f"Authorization: Bearer {token}" if token else "X-Requested-With: test"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() * 20

    def ask(self, test):
        self.turn += 1
        count = self.turn % 7 + 1
        self.client.request("GET", f"/v1/generators/{OWN}/ids?n={count}", headers=self.headers)
        answer = self.client.getresponse()
        body = answer.read()
        test.assertEqual(answer.status, 200, body)
        told = json.loads(body)
        test.assertEqual((told["generator"], len(told["ids"])), (OWN, count))
        return [int(text) for text in told["ids"]]

    def end(self, test):
        self.client.request("GET", "/livez", headers={"Connection": "close"})
        test.assertEqual(self.client.getresponse().read(), b"ok\n")


class Neighbours:
    """The tests of each way to the daemon; KIND is Redis or Web, and with USERS each has a generator for itself."""

    USERS = False

    def start_one(self):
        config = "[daemon]\ndrain_delay=0s\nthreads=1\n" + LISTEN.format(self.folder)
        config += "".join(generator(name, worker, layout="41/2/20") for name, worker in WORKER.items())
        for name in WORKER if self.USERS else ():
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="ascii", opener=lambda its, flags: os.open(its, flags, 0o600)) as file:
                file.write(hashlib.sha256(self.token(name).encode()).hexdigest() + "\n")
            config += f"[user {name}]\nsecret_file={path}\nallow=next:{name}\n"
        return self.start(config)

    def token(self, name):
        return TOKEN + name if self.USERS else None

    def reach(self, daemon, protocol, index):
        its = Client(daemon.address(protocol, index))
        self.addCleanup(its.close)
        if protocol in ("resps", "https"):
            its.file.close()
            context = self.context()
            its.socket = context.wrap_socket(its.socket, server_hostname="127.0.0.1", suppress_ragged_eofs=False)
            its.file = its.socket.makefile("rb")
        return its

    def join(self, daemon, name):
        return self.KIND(self.reach(daemon, *self.WAY), name, self.token(name))

    def doomed(self, daemon):
        """The socket of a client that will break off, and what it sends."""
        its = self.reach(daemon, *self.WAY)
        if self.KIND is Web:
            burst = Web.burst(self.token("orders"))
        else:
            burst = Redis(its, "orders", self.token("orders")).BURST
        its.file.close()
        return its.socket, burst

    def check(self, ids):
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual({id_ >> 20 & 3 for id_ in ids}, {WORKER[OWN]})

    def live_beside(self, die, rounds):
        daemon = self.start_one()
        neighbour, ids = self.join(daemon, OWN), []
        for round_ in range(rounds):
            die(daemon, round_ % 2 == 0)
            ids += neighbour.ask(self)
            if round_ % 20 == 0:
                late = self.join(daemon, OWN)
                ids += late.ask(self)
                late.end(self)
        neighbour.end(self)
        self.check(ids)

    def test_those_who_close(self):
        self.break_off(close)

    def test_those_who_reset(self):
        self.break_off(reset)

    def break_off(self, how):
        def die(daemon, pauses):
            its, burst = self.doomed(daemon)
            with paused(daemon, pauses):
                its.sendall(burst)
                how(its)

        self.live_beside(die, ROUNDS)

    def test_those_who_are_killed(self):
        def die(daemon, pauses):
            its, burst = self.doomed(daemon)
            said, says = os.pipe()
            with paused(daemon, pauses):
                child = os.fork()
                if child == 0:
                    its.sendall(burst)
                    os.write(says, b"1")
                    signal.pause()
                # The child alone has the connection now.
                os.close(its.detach())
                os.close(says)
                self.assertEqual(os.read(said, 1), b"1")
                os.close(said)
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

        self.live_beside(die, KILLS)


def ways():
    """A class of tests for each way, with users and without."""
    protocols = {"Resp": (Redis, "resp", 0), "Unix": (Redis, "resp", 1), "Resps": (Redis, "resps", 0)}
    protocols |= {"Http": (Web, "http", 0), "Https": (Web, "https", 0)}
    for name, (kind, *way) in protocols.items():
        for users in (False, True):
            its_name = name + ("WithUsers" if users else "")
            yield its_name, type(its_name, (Neighbours, Certificates), {"KIND": kind, "WAY": way, "USERS": users})


globals().update(ways())


class Shortage(TestCase):
    """Memory is short for a while: the daemon gets no more than it has."""

    @staticmethod
    def is_closed(its):
        its.setblocking(False)
        try:
            return its.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True

    def take_all_memory(self, daemon, quiet):
        """Clients with unfinished commands, until one of them is too many."""
        for _ in range(2000):
            greedy = self.connect(daemon)
            greedy.send(b"*2\r\n$4\r\nECHO\r\n$65000\r\n" + bytes(60000))
            for _ in range(2):
                self.assertEqual(quiet.ask("PING"), "PONG")
            if self.is_closed(greedy.socket):
                return
        self.skipTest("this kernel gives more memory than RLIMIT_DATA allows")

    @unittest.skipIf(INSTRUMENTED, "sanitizers end a process that finds no memory")
    def test_it_costs_those_alone_who_ask_meanwhile(self):
        config = BASE.replace("[daemon]", "[daemon]\nthreads=1\nmax_connections=3000")
        daemon = self.start(config + generator("main", layout="41/2/20"))
        quiet, asks, waits = (self.connect(daemon) for _ in range(3))
        for client in (quiet, asks, waits):
            self.assertEqual(client.ask("PING"), "PONG")
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, (4096, before[1]))
        self.take_all_memory(daemon, quiet)
        asks.send(Client.pack("NEXT", "main", 5000))
        self.assertTrue(asks.is_closed())
        resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, before)
        for client in (quiet, waits, self.connect(daemon)):
            self.assertEqual(len(client.ask("NEXT", "main", 5000)), 5000)


if __name__ == "__main__":
    unittest.main()
