# SPDX-License-Identifier: MIT
"""What the clusters have in common: servers on hosts of their own, which are killed, stopped and started again."""

import os
import shutil
import signal
import subprocess
import time

from network import Process

PATIENCE_S = 180  # for what must happen; a campaign that waits so long has failed


class Failed(Exception):
    """A promise was broken, or a cluster did not come back."""


def await_true(question, what):
    """Asks until the answer is yes."""
    until = time.monotonic() + PATIENCE_S
    while not question():
        if time.monotonic() > until:
            raise Failed(f"{what} does not happen")
        time.sleep(0.2)


class Cluster:
    """Servers by the names of their hosts.  A kind of cluster says what is left open here."""

    NAMES = ("s1", "s2", "s3")
    OBSERVERS = ()
    PROGRAMS = ()  # without which it cannot run
    LOSES = False  # whether a fail-over may lose what was acknowledged
    FAIL_OVER_S = 0  # a fault is held so long at least, for a fail-over to happen
    FENCED = False  # whether the old primary is killed after a split, before the network is whole again
    DISK_MB = 0  # of the last server, which has a disk of its own then

    def __init__(self, network, folder):
        self.network = network
        self.folder = folder
        self.processes = {}
        self.starts = 0
        os.makedirs(folder)
        for name in self.NAMES + self.OBSERVERS:
            os.mkdir(self.data(name))
        if self.DISK_MB:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={self.DISK_MB}m", "tmpfs", self.data(self.NAMES[-1])], check=True
            )

    # ---- what a kind says ---------------------------------------------------------

    def command(self, name):
        """The words that start this server."""
        raise NotImplementedError

    def url(self, host):
        """Of the namespace `orders`, as the programs on that host name it."""
        raise NotImplementedError

    def leader(self):
        """The name of the server that leads, or None."""
        raise NotImplementedError

    def is_well(self):
        """Whether all servers are there, and those that follow do follow."""
        raise NotImplementedError

    def start(self):
        for name in self.NAMES + self.OBSERVERS:
            self.launch(name)
        await_true(self.is_well, f"{type(self).__name__} starting")

    def mend(self):
        """After a fault, when the network is whole again: starts what has ended."""
        for name, process in self.processes.items():
            if not process.runs():
                self.launch(name)

    def promote_if_asked(self):
        """Where nothing else does, an operator promotes a replica."""

    # ---- what faults do -----------------------------------------------------------

    def data(self, name):
        return os.path.join(self.folder, name)

    def address(self, name):
        return self.network[name].address

    def others(self, name):
        return [other for other in self.NAMES if other != name]

    def launch(self, name):
        self.starts += 1
        self.processes[name] = Process(
            self.network[name], self.command(name), os.path.join(self.folder, f"{name}.log")
        )

    def kill(self, name):
        self.processes[name].kill()

    def stop(self, name):
        self.processes[name].signal(signal.SIGSTOP)

    def resume(self):
        for process in self.processes.values():
            process.signal(signal.SIGCONT)

    def fill_disk(self, name):
        with open(os.path.join(self.data(name), "filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass

    def free_disk(self, name):
        filler = os.path.join(self.data(name), "filler")
        if os.path.exists(filler):
            os.unlink(filler)

    def log_size(self):
        return sum(entry.stat().st_size for entry in os.scandir(self.folder) if entry.name.endswith(".log"))

    def close(self):
        for process in self.processes.values():
            process.kill()
        if self.DISK_MB:
            subprocess.run(["umount", self.data(self.NAMES[-1])], check=True)
        shutil.rmtree(self.folder)
