# SPDX-License-Identifier: MIT
"""Hosts that are network namespaces, joined by the program `switch`, which can cut, delay and lose."""

import ctypes
import os
import signal
import subprocess

SWITCH = os.environ["CLUSTERS_SWITCH"]
CLONE_NEWNET = 0x40000000


class Process:
    """A program on a host; what it prints goes to a file."""

    def __init__(self, host, argv, log, env=None):
        with open(log, "ab") as output:
            self.popen = subprocess.Popen(
                ["nsenter", f"--net={host.space}", "--", *argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=None if env is None else {**os.environ, **env},
                start_new_session=True,
            )

    def signal(self, number):
        """To all of its group: what it has started is stopped and killed with it."""
        try:
            os.killpg(self.popen.pid, number)
        except ProcessLookupError:
            pass

    def kill(self):
        self.signal(signal.SIGKILL)
        self.signal(signal.SIGCONT)
        self.popen.wait()

    def runs(self):
        return self.popen.poll() is None


class Host:
    """One host: its name, its address, and its namespace as a file."""

    def __init__(self, number, name, address, space):
        self.number = number
        self.name = name
        self.address = address
        self.space = space


class Network:
    """The hosts of these names; each reaches each other one until told otherwise."""

    def __init__(self, names, seed):
        self.cuts = 0  # how often something was cut, slowed or made lossy
        self.switch = subprocess.Popen(
            [SWITCH, str(seed), *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.hosts = {}
        for number, line in enumerate(self.switch.stdout, start=1):
            if line == "ready\n":
                break
            name, address, space = line.split()
            self.hosts[name] = Host(number, name, address, space)
        if len(self.hosts) != len(names):
            raise OSError("the switch did not start")
        self.rules = {}

    def __getitem__(self, name):
        return self.hosts[name]

    def enter(self, name):
        """This thread, and all that it starts from now on, lives on that host."""
        with open(self.hosts[name].space, "rb") as space:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(space.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    def _rule(self, source, target, rule):
        if source == target or self.rules.get((source, target), (0, 0, 0, 0)) == rule:
            return
        self.rules[(source, target)] = rule
        print(self.hosts[source].number, self.hosts[target].number, *rule, file=self.switch.stdin, flush=True)
        if self.switch.stdout.readline() != "ok\n":
            raise OSError("the switch has ended")

    def cut(self, some, others, one_way=False):
        """Nothing from `some` reaches `others`; the other way neither, unless it is cut in one direction alone."""
        self.cuts += 1
        for one in some:
            for other in others:
                self._rule(one, other, (1, 0, 0, 0))
                if not one_way:
                    self._rule(other, one, (1, 0, 0, 0))

    def spoil(self, some, others, loss_permille, delay_ms, jitter_ms):
        """Loses and delays what goes between them, in both directions."""
        self.cuts += 1
        for one in some:
            for other in others:
                self._rule(one, other, (0, loss_permille, delay_ms, jitter_ms))
                self._rule(other, one, (0, loss_permille, delay_ms, jitter_ms))

    def heal(self):
        for source, target in list(self.rules):
            self._rule(source, target, (0, 0, 0, 0))

    def close(self):
        self.switch.stdin.close()
        self.switch.wait()
