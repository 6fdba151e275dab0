# SPDX-License-Identifier: MIT
"""Goal of this test: while daemons take over from each other, each request of the Redis protocol gets its answer, and a
client that is to go away sees that before it asks once more."""

import os
import signal
import socket
import threading
import time
import unittest

from harness import BASE, PATIENCE_S, Client, TestCase
from test_life import Manager

CLIENTS = 24
TAKEOVERS = 20
SPARED_S = 1  # a client that is silent for longer may be closed while its next request is on its way


class Taker(threading.Thread):
    """Takes ids, `each` requests at a time, and looks whether the daemon has closed before it asks."""

    def __init__(self, address, each, pieces, over):
        super().__init__()
        self.address, self.each, self.over = address, each, over
        self.request = Client.pack("NEXT") * each
        step = -(-len(self.request) // pieces)
        self.pieces = [self.request[at : at + step] for at in range(0, len(self.request), step)]
        self.ids, self.closes, self.failures = [], 0, []

    def run(self):
        its = None
        while not self.over.is_set():
            if its is None:
                its = socket.create_connection(self.address, PATIENCE_S)
                heard = time.monotonic()
            if self.is_closed(its):
                its.close()
                its = None
                self.closes += 1
                continue
            try:
                for piece in self.pieces:
                    its.sendall(piece)
                spared = time.monotonic() - heard < SPARED_S
                answer = self.answer(its)
            except OSError as error:
                self.failures.append(error)
                break
            heard = time.monotonic()
            self.ids += answer
            if len(answer) < self.each:
                if spared or answer:
                    self.failures.append(f"{len(answer)} answers to {self.each} requests")
                its.close()
                its = None
        if its is not None:
            its.close()

    def is_closed(self, its):
        its.setblocking(False)
        try:
            return its.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        finally:
            its.settimeout(PATIENCE_S)

    def answer(self, its):
        data = b""
        while data.count(b"\r\n") < 2 * self.each:
            more = its.recv(1 << 16)
            if not more:
                break
            data += more
        return [int(line) for line in data.split(b"\r\n")[1::2]]


class Takeover(TestCase):
    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_S)
        process.stderr.close()

    def start_one(self, manager):
        process = manager.start(names=("resp",))
        self.addCleanup(self.end, process)
        manager.wait_until_told("READY=1")
        return process

    def test_each_request_is_answered_over_20_takeovers(self):
        manager = Manager("")
        self.addCleanup(manager.close)
        folder = manager.folder.name
        for name in ("run", "state"):
            os.mkdir(os.path.join(folder, name), 0o700)
        with open(manager.config, "w", encoding="utf-8") as file:
            dirs = f"run_dir={folder}/run\nstate_dir={folder}/state\n"
            file.write(f"{BASE}[generator main]\nworker=file-lock\nstate=file\n{dirs}")
        process = self.start_one(manager)
        over = threading.Event()
        address = manager.sockets["resp"].getsockname()
        ways = [(1, 1), (1, 3), (20, 1), (7, 5)]
        takers = [Taker(address, *ways[i % len(ways)], over) for i in range(CLIENTS)]
        for taker in takers:
            taker.start()
        for _ in range(TAKEOVERS):
            successor = self.start_one(manager)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_S), 0)
            process = successor
        over.set()
        for taker in takers:
            taker.join()
        self.assertEqual([failure for taker in takers for failure in taker.failures], [])
        ids = [number for taker in takers for number in taker.ids]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertGreater(sum(taker.closes for taker in takers), 0)


if __name__ == "__main__":
    unittest.main()
