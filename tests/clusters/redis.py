# SPDX-License-Identifier: MIT
"""Redis: a primary, two replicas, and three sentinels that promote one of them.

The programs find the primary as docs/coordinators/redis.md says: through an HAProxy on each of their hosts, which
sends them to the server that calls itself master.  During a split there are two such servers, and each proxy knows the
one on its side."""

import os
import socket

from cluster import Cluster, Failed, await_true
from network import Process

DOWN_AFTER_MS = 4000  # min-replicas-max-lag below it is shorter

PROXY = """\
defaults
    mode tcp
    timeout connect 1s
    timeout client 1h
    timeout server 1h
listen redis
    bind 127.0.0.1:6379
    balance first
    option tcp-check
    tcp-check connect
    tcp-check send info\\ replication\\r\\n
    tcp-check expect string role:master
"""


def read_reply(file):
    """The lines of one reply of Redis's protocol."""
    head = file.readline().decode(errors="replace").rstrip()
    if head.startswith("*"):
        return [line for _ in range(max(0, int(head[1:]))) for line in read_reply(file)]
    if head.startswith("$"):
        return file.read(max(0, int(head[1:]) + 2)).decode(errors="replace").splitlines()
    return [head.lstrip("+:")]


class Redis(Cluster):
    """`safety` is what keeps an old primary from acknowledging alone: none, wait, or min-replicas."""

    PROGRAMS = ("redis-server", "/usr/sbin/haproxy")
    LOSES = True
    FAIL_OVER_S = 10
    safety = None

    def __init__(self, network, folder):
        super().__init__(network, folder)
        self.proxies = {}
        self.sentinels = {}

    def command(self, name):
        words = [
            "redis-server", "--port", "6379", "--bind", "0.0.0.0", "--protected-mode", "no", "--dir", self.data(name),
            "--appendonly", "yes", "--save", "", "--repl-timeout", "6", "--repl-ping-replica-period", "1",
        ]  # fmt: skip
        if self.safety == "min-replicas":
            words += ["--min-replicas-to-write", "1", "--min-replicas-max-lag", "2"]
        primary = self.sentinel_says() or "s1"
        # Without a protection an old primary may not come back as one: its operator starts it as a replica.
        if name != primary and (self.safety is None or name not in self.processes):
            words += ["--replicaof", f"{self.address(primary)} 6379"]
        return words

    def url(self, host):
        return "redis://127.0.0.1:6379/orders" + ("?wait=1" if self.safety == "wait" else "")

    def start(self):
        for name in self.NAMES:
            self.launch(name)
        await_true(lambda: self._ask("s1", 6379, "PING") == ["PONG"], "redis-server answering")
        for name in self.NAMES:
            self._start_sentinel(name)
        for host in ("a1", "a2", "a3"):
            self._start_proxy(host)
        await_true(self.is_well, "Redis starting")

    def _start_sentinel(self, name):
        path = os.path.join(self.folder, f"{name}.sentinel")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                f"port 26379\nbind 0.0.0.0\nprotected-mode no\ndir {self.data(name)}\n"
                f"sentinel monitor main {self.address('s1')} 6379 2\n"
                f"sentinel down-after-milliseconds main {DOWN_AFTER_MS}\nsentinel failover-timeout main 6000\n"
            )
        argv = ["redis-server", path, "--sentinel"]
        self.sentinels[name] = Process(self.network[name], argv, os.path.join(self.folder, f"sentinel-{name}.log"))

    def _start_proxy(self, host):
        path = os.path.join(self.folder, f"{host}.haproxy")
        with open(path, "w", encoding="ascii") as file:
            file.write(PROXY)
            for name in self.NAMES:
                file.write(
                    f"    server {name} {self.address(name)}:6379 check inter 500ms fall 2 rise 1"
                    " on-marked-down shutdown-sessions\n"
                )
        argv = ["/usr/sbin/haproxy", "-db", "-f", path]
        self.proxies[host] = Process(self.network[host], argv, os.path.join(self.folder, f"haproxy-{host}.log"))

    def _ask(self, name, port, command):
        """The lines of an answer, or None."""
        try:
            with socket.create_connection((self.address(name), port), timeout=1) as connection:
                connection.sendall(f"{command}\r\n".encode())
                with connection.makefile("rb") as answer:
                    return read_reply(answer)
        except (OSError, ValueError):
            return None

    def sentinel_says(self):
        """The primary, by most of the sentinels."""
        votes = []
        for name in self.sentinels:
            answer = self._ask(name, 26379, "SENTINEL get-master-addr-by-name main")
            votes += [other for other in self.NAMES if answer and answer[0] == self.address(other)]
        return next((name for name in votes if votes.count(name) >= 2), None)

    def leader(self):
        return self.sentinel_says()

    def is_well(self):
        primary = self.sentinel_says()
        answer = primary and self._ask(primary, 6379, "INFO replication")
        # A replica says that it is up before the primary sends it what is written from then on.
        if not answer or sum(line.startswith("slave") and "state=online" in line for line in answer) < 2:
            return False
        return all(
            "master_link_status:up" in (self._ask(name, 6379, "INFO replication") or ()) for name in self.others(primary)
        )

    def mend(self):
        """An old primary that still calls itself one is made a replica by the sentinels, in some seconds."""
        super().mend()
        for name, process in self.sentinels.items():
            if not process.runs():
                raise Failed(f"the sentinel of {name} ended")

    def close(self):
        for process in [*self.sentinels.values(), *self.proxies.values()]:
            process.kill()
        super().close()


class RedisWait(Redis):
    safety = "wait"


class RedisMinReplicas(Redis):
    safety = "min-replicas"
