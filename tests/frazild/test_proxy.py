# SPDX-License-Identifier: MIT
"""Goal of this test: two daemons behind HAProxy, as contrib/frazild/haproxy.cfg has it, are restarted one after the other
under load, or killed.  No id comes twice, no request of HTTP fails, and none of the Redis protocol that a retry does not
mend: one after SIGTERM, a few after SIGKILL.  FRAZILD_RESTARTS says how many times."""

import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

from harness import PATIENCE_S, Client, Daemon, ReplyError, TestCase

HAPROXY = shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin")
RESTARTS = int(os.environ.get("FRAZILD_RESTARTS", "8"))
CONFIG = os.path.join(os.path.dirname(__file__), "../../contrib/frazild/haproxy.cfg")

# The delay never ends by itself: the test ends it when HAProxy has seen that /readyz fails.
DAEMON = """[daemon]
drain_delay=1h
[listen resp]
address={host}:{resp}
[listen http]
address={host}:{http}
[generator main]
worker=file-lock
state=file
run_dir={folder}/run
state_dir={folder}/state
"""


def two_free_ports(host):
    """Ports of an address that nobody else uses: they stay free while the daemon is away."""
    with socket.socket() as one, socket.socket() as other:
        one.bind((host, 0))
        other.bind((host, 0))  # while the first one is held, or it could be the same
        return one.getsockname()[1], other.getsockname()[1]


class Place:
    """Where a daemon listens, whichever process that is."""

    def __init__(self, folder):
        self.host = "127." + ".".join(str(random.SystemRandom().randint(1, 254)) for _ in range(3))
        self.resp, self.http = two_free_ports(self.host)
        self.config = DAEMON.format(host=self.host, resp=self.resp, http=self.http, folder=folder)


class Proxy:
    """HAProxy over these places; `resp` and `http` say where clients reach it."""

    def __init__(self, folder, places):
        self.socket = os.path.join(folder, "haproxy.sock")
        self.log = os.path.join(folder, "haproxy.log")
        self.listeners = {name: socket.create_server(("127.0.0.1", 0), backlog=1024) for name in ("resp", "http")}
        self.resp, self.http = (self.listeners[name].getsockname() for name in ("resp", "http"))
        with open(CONFIG, encoding="utf-8") as file:
            text = file.read()
        for old, new in [
            ("127.0.0.1:6379", f"fd@{self.listeners['resp'].fileno()}"),
            ("127.0.0.1:8080", f"fd@{self.listeners['http'].fileno()}"),
            ("inter 1s", "inter 200ms"),  # which also bounds how long a check may take to connect
            ("timeout connect 2s", f"timeout connect {PATIENCE_S}s"),
            ("timeout check 2s", f"timeout check {PATIENCE_S}s"),
            *[(f"{address}:6380 port 6381", f"{place.host}:{place.resp} port {place.http}") for address, place in places],
            *[(f"{address}:6381", f"{place.host}:{place.http}") for address, place in places],
        ]:
            assert old in text, old
            text = text.replace(old, new)
        config = os.path.join(folder, "haproxy.cfg")
        with open(config, "w", encoding="utf-8") as file:
            file.write(text + f"\nglobal\n    stats socket {self.socket}\n")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [HAPROXY, "-db", "-f", config],
                pass_fds=[its.fileno() for its in self.listeners.values()],
                stdout=log,
                stderr=log,
            )

    def states(self):
        """The state of each server of each service, as UP or DOWN; none while HAProxy starts."""
        try:
            with socket.socket(socket.AF_UNIX) as its:
                its.settimeout(PATIENCE_S)
                its.connect(self.socket)
                its.sendall(b"show stat\n")
                text = its.makefile().read()
        except OSError:
            if self.process.poll() is not None:
                with open(self.log, encoding="utf-8") as log:
                    raise AssertionError(log.read()) from None
            return {}
        rows = [line.split(",") for line in text.splitlines() if line.startswith("ids-")]
        return {(row[0], row[1]): row[17] for row in rows if row[1] in ("one", "two")}

    def wait_until(self, server, state):
        waited = threading.Event()
        for _ in range(PATIENCE_S * 50):
            states = [state for (_, its), state in self.states().items() if its == server]
            if len(states) == 2 and all(its == state for its in states):
                return
            waited.wait(0.02)
        raise AssertionError(f"HAProxy does not say {state} of {server}: {self.states()}")

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        for its in self.listeners.values():
            its.close()


class Load(threading.Thread):
    """A client that takes ids until it is told to stop; its failures are kept, and its retries counted."""

    def __init__(self, proxy, retries):
        super().__init__()
        self.proxy, self.retries = proxy, retries
        self.over = threading.Event()
        self.ids, self.requests, self.mended, self.failures = [], 0, 0, []

    def run(self):
        while not self.over.is_set():
            self.requests += 1
            try:
                self.ids += self.take()
            except Exception as failure:  # whatever it is, the test tells of it
                self.failures.append(repr(failure))
        self.close()


class ByResp(Load):
    """Keeps its connection, as pools do; a request that finds it closed is sent again, through another one."""

    client = None

    def take(self):
        for _ in range(self.retries):
            try:
                return self.ask()
            except (EOFError, ConnectionError, ReplyError):
                self.mended += 1
                self.close()
        return self.ask()

    def ask(self):
        self.client = self.client or Client(self.proxy.resp)
        return [int(one) for one in self.client.ask("NEXT", "main", 3)]

    def close(self):
        if self.client is not None:
            self.client.close()
            self.client = None


class ByHttp(Load):
    """Never sends a request twice."""

    keeps = True
    connection = None

    def take(self):
        self.connection = self.connection or http.client.HTTPConnection(*self.proxy.http, timeout=PATIENCE_S)
        try:
            self.connection.request("GET", "/v1/generators/main/ids?n=3", headers={"X-Requested-With": "test"})
            reply = self.connection.getresponse()
            text = reply.read()
            if reply.status != 200:
                raise AssertionError(f"{reply.status} {text}")
            return [int(one) for one in json.loads(text)["ids"]]
        except Exception:
            self.close()
            raise
        finally:
            if not self.keeps:
                self.close()

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class ByHttpAnew(ByHttp):
    """The same with a connection for each request."""

    keeps = False


@unittest.skipUnless(HAPROXY, "haproxy is not installed")
class Restarts(TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="frazild-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("run", "state"):
            os.mkdir(os.path.join(self.folder, name), 0o700)
        self.places = {name: Place(self.folder) for name in ("one", "two")}
        self.daemons = {}
        for name in self.places:
            self.start_at(name)
        addresses = ("127.0.0.11", "127.0.0.12")
        self.proxy = Proxy(self.folder, list(zip(addresses, self.places.values())))
        self.addCleanup(self.proxy.end)
        for name in self.places:
            self.proxy.wait_until(name, "UP")

    def start_at(self, name):
        self.daemons[name] = Daemon(self.places[name].config)
        self.addCleanup(self.daemons[name].end, signal.SIGINT)  # without the delay

    def drain(self, name):
        self.daemons[name].process.send_signal(signal.SIGTERM)
        self.proxy.wait_until(name, "DOWN")
        self.assertEqual(self.daemons[name].end(), 0)  # a second SIGTERM, which ends the delay

    def kill(self, name):
        self.daemons[name].end(signal.SIGKILL)
        self.proxy.wait_until(name, "DOWN")  # or the next is killed before this one is known to be back

    def run_over(self, end, retries):
        """Ends a daemon in this way and starts it again, one after the other, while four clients take ids."""
        loads = [kind(self.proxy, retries) for kind in (ByResp, ByResp, ByHttp, ByHttpAnew)]
        for load in loads:
            load.start()
        try:
            for i in range(RESTARTS):
                name = ("one", "two")[i % 2]
                end(name)
                self.start_at(name)
                self.proxy.wait_until(name, "UP")
        finally:
            for load in loads:
                load.over.set()
            for load in loads:
                load.join()
        for load in loads:
            print(
                f"{RESTARTS} times {end.__name__}, {type(load).__name__}: {load.requests} requests, {len(load.ids)} ids, "
                f"{load.mended} retries, {len(load.failures)} failed"
            )
        ids = [one for load in loads for one in load.ids]
        self.assertEqual([failure for load in loads for failure in load.failures], [])
        self.assertEqual(len(ids), len(set(ids)))
        for load in loads:
            self.assertGreaterEqual(load.requests, RESTARTS)

    def test_rolling_restarts_fail_no_request_and_repeat_no_id(self):
        self.run_over(self.drain, 1)

    def test_daemons_that_are_killed_fail_no_request_that_is_sent_again_and_repeat_no_id(self):
        self.run_over(self.kill, 5)  # a process that dies may close its listener after its connections


if __name__ == "__main__":
    unittest.main()
