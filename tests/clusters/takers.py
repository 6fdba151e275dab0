# SPDX-License-Identifier: MIT
"""Twelve programs on three hosts that take ids all the time, and what their records say."""

import mmap
import os
import signal
import struct
import subprocess
import time

from cluster import Failed
from network import Process

TAKER = os.environ["CLUSTERS_TAKER"]
JUDGE = os.environ["CLUSTERS_JUDGE"]
ROOM = 500_000  # ids of one process
PAUSE_US = 4000
HOSTS = ("a1", "a2", "a3")
EACH = 4

# As struct record has them.
HEAD = struct.Struct("7Q512s")
GAP = struct.Struct("2Q")


class Record:
    """What one process has written down up to now."""

    def __init__(self, path):
        self.path = path

    def read(self):
        """Its head, and its times without ids, in seconds of the monotonic clock."""
        head = bytes(HEAD.size)
        gaps = []
        if os.path.exists(self.path) and os.path.getsize(self.path) > HEAD.size:
            with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
                head = memory[: HEAD.size]
                count = struct.unpack_from("6Q", head)[5]
                for i in range(count):
                    start, end = GAP.unpack_from(memory, HEAD.size + i * GAP.size)
                    gaps.append((start / 1e9, end / 1e9))
        self.started, self.first, self.last, self.count, self.errors, _, self.worker, error = HEAD.unpack(head)
        self.started, self.first, self.last = self.started / 1e9, self.first / 1e9, self.last / 1e9
        self.error = error.split(b"\0")[0].decode(errors="replace")
        self.gaps = gaps
        return self


class Taker:
    """A place for one process; when that is killed, the next one takes it."""

    def __init__(self, fleet, host, number):
        self.fleet = fleet
        self.host = host
        self.name = f"{host.name}-{number}"
        self.records = []
        self.process = None

    def start(self):
        record = Record(os.path.join(self.fleet.folder, f"{self.name}.{len(self.records)}"))
        self.records.append(record)
        self.process = Process(
            self.host,
            [TAKER, self.fleet.spec(self.host.name), self.fleet.clock(self.host.name), record.path, str(ROOM), str(PAUSE_US)],
            os.path.join(self.fleet.folder, f"{self.name}.log"),
        )

    def kill(self):
        if self.process is not None:
            self.process.kill()

    def now(self):
        return self.records[-1].read()


class Fleet:
    """All of them; `spec` says the spec of a host's programs."""

    def __init__(self, network, folder, spec):
        self.folder = folder
        self.spec = spec
        self.offsets = []  # (time, host, ms), as they were set
        os.makedirs(folder)
        for name in HOSTS:
            self.set_clock(name, 0)
        self.takers = [Taker(self, network[name], i) for name in HOSTS for i in range(EACH)]

    def clock(self, host):
        return os.path.join(self.folder, f"clock-{host}")

    def set_clock(self, host, offset_ms):
        """In place, as it is mapped."""
        with open(self.clock(host), "r+b" if os.path.exists(self.clock(host)) else "w+b") as file:
            file.write(struct.pack("q", offset_ms))
        self.offsets.append((time.monotonic(), host, offset_ms))

    def offset(self, host):
        return [ms for _, name, ms in self.offsets if name == host][-1]

    def start(self):
        for taker in self.takers:
            taker.start()

    def revive(self):
        """Starts those that have ended by themselves, which only a full record lets them do."""
        for taker in self.takers:
            if not taker.process.runs():
                if taker.process.popen.returncode != 3:
                    raise Failed(f"{taker.name} ended: {taker.process.popen.returncode}, {taker.now().error}")
                taker.start()

    def stop(self):
        """Lets each give back what it has; what a coordinator does not answer is bounded."""
        for taker in self.takers:
            if taker.process is not None:
                taker.process.signal(signal.SIGTERM)
        for taker in self.takers:
            if taker.process is None:
                continue
            try:
                taker.process.popen.wait(60)
            except subprocess.TimeoutExpired:
                taker.process.kill()
                raise Failed(f"{taker.name} does not end") from None

    def records(self):
        return [record for taker in self.takers for record in taker.records]

    def judge(self):
        """What `judge` counts over all records, as a dict of numbers."""
        paths = [record.path for record in self.records() if os.path.exists(record.path)]
        words = subprocess.run([JUDGE, *paths], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        return {name: int(number) for name, number in zip(words[::2], words[1::2])}
