# SPDX-License-Identifier: MIT
"""A daemon for a test, on free ports, and a client that speaks the Redis protocol byte by byte."""

import json
import mmap
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

FRAZILD = os.environ["FRAZILD"]
FRAZIL = pathlib.Path(FRAZILD).with_name("frazil")
INSTRUMENTED = os.environ.get("FRAZILD_INSTRUMENTED", "OFF") not in ("", "OFF", "0")
PATIENCE_S = 300  # for what must happen: a limit for hangs; a test that waits so long has failed
IDLE_S = 75  # after which the daemon closes a connection of HTTP that is idle

GENERATOR = "[generator {name}]\nworker=fixed:{worker}\nstate=memory\n"
CUT = "requests that still waited for a coordinator were cut"
BASE = "[daemon]\ndrain_delay=0s\n[listen resp]\naddress=127.0.0.1:0\n"


def until(condition):
    """Waits until it holds."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not happen")
        time.sleep(0.05)


class ReplyError(Exception):
    """An error reply; code is its first word."""

    def __init__(self, text):
        super().__init__(text)
        self.code = text.split(" ")[0]


def generator(name, worker=1, **keys):
    lines = [f"{key}={value}\n" for key, value in keys.items()]
    return GENERATOR.format(name=name, worker=worker) + "".join(lines)


def held(url):
    """How many worker ids of this namespace are held."""
    listed = subprocess.run([FRAZIL, "lease", "list", "--json", url], check=True, capture_output=True, text=True)
    return json.loads(listed.stdout.splitlines()[0])["held"]


class Daemon:
    """One frazild; its configuration is text, and `listening` says where it listens."""

    def __init__(self, config=BASE + generator("main"), env=None, preexec=None, arguments=None, command=(FRAZILD,)):
        self.folder = tempfile.mkdtemp(prefix="frazild-test-")
        self.config = os.path.join(self.folder, "frazild.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(config.replace("@", self.folder))
        if arguments is None:
            arguments = ["-c", self.config]
        self.lines = []
        self.changed = threading.Condition()
        # Each daemon is on a host of its own, so that two may have one worker number.
        env = {**(os.environ if env is None else env), "FRAZIL_HOST_DIR": os.path.join(self.folder, "host")}
        self.process = subprocess.Popen(
            [*command, *arguments], stderr=subprocess.PIPE, text=True, env=env, preexec_fn=preexec
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait_for_line("is ready")
        self.listening = {}
        for line in self.lines:
            found = re.search(r"listening: (\w+) (\S+)", line)
            if found:
                self.listening.setdefault(found[1], []).append(found[2])

    def _read(self):
        for line in self.process.stderr:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.lines.append(None)
            self.changed.notify_all()

    def wait_for_line(self, words, count=1):
        """Waits until so many lines of the log hold the words; returns the last of them."""

        def found():
            lines = [line for line in self.lines if line is not None and words in line]
            return lines[count - 1] if len(lines) >= count else (None in self.lines and "ended")

        with self.changed:
            line = self.changed.wait_for(found, PATIENCE_S)
        if not line or line == "ended":
            raise AssertionError(f"no line with {words!r} in {self.lines}")
        return line

    def address(self, protocol="resp", index=0):
        text = self.listening[protocol][index]
        if text.startswith("unix:"):
            return text[5:]
        host, port = text.rsplit(":", 1)
        return host.strip("[]"), int(port)

    def port(self, protocol="resp"):
        return self.address(protocol)[1]

    def client(self, index=0, **options):
        return Client(self.address("resp", index), **options)

    def memory_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def limit_files(self, count):
        """Lets it have so many descriptors; None: as many as it may have."""
        hard = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (hard if count is None else count, hard))

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, number=signal.SIGTERM):
        """Ends it, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status


class Client:
    """A connection that sends and reads as the test says."""

    def __init__(self, address, receive_buffer=None):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE_S)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise
        self.file = self.socket.makefile("rb")

    @staticmethod
    def pack(*words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
        return b"".join(parts)

    def send(self, data):
        self.socket.sendall(data)

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError(f"the daemon has closed the connection: {line!r}")
        kind, text = line[:1], line[1:-2]
        if kind == b"-":
            raise ReplyError(text.decode())
        if kind == b"+":
            return text.decode()
        if kind in b":(":
            return int(text)
        if kind == b"_":
            return None
        if kind == b"$":
            if int(text) < 0:
                return None
            data = self.file.read(int(text) + 2)
            assert data.endswith(b"\r\n")
            return data[:-2]
        if kind == b"*":
            return [self.read_or_error() for _ in range(int(text))]
        if kind == b"%":
            return {self.read(): self.read() for _ in range(int(text))}
        raise AssertionError(f"no reply begins like {line!r}")

    def read_or_error(self):
        try:
            return self.read()
        except ReplyError as error:
            return error

    def ask(self, *words):
        self.send(self.pack(*words))
        return self.read()

    def is_closed(self):
        """Whether the daemon closes the connection without another byte."""
        try:
            return self.file.read(1) == b""
        except ConnectionError:
            return True

    def close(self):
        self.file.close()
        self.socket.close()


def stand_in(folder, source):
    """The environment in which programs call the functions of this C source in place of the system's."""
    library = os.path.join(folder, "stand_in.so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input=source, text=True, check=True)
    return {**os.environ, "LD_PRELOAD": library}


class WallClock:
    """A wall clock for a daemon, off by what `step` said last; the environment has the daemon read it."""

    SOURCE = pathlib.Path(__file__).resolve().parents[2] / "databases/postgresql/t/clock.c"

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="frazild-clock-")
        library, offset = (os.path.join(self.folder.name, name) for name in ("clock.so", "offset"))
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, str(self.SOURCE)], check=True)
        with open(offset, "wb") as file:
            file.write(struct.pack("q", 0))
        self.environment = {**os.environ, "LD_PRELOAD": library, "TEST_CLOCK": offset}
        with open(offset, "r+b") as file:
            self.offset = mmap.mmap(file.fileno(), 8)

    def step(self, ms):
        self.offset[:] = struct.pack("q", ms)

    def close(self):
        self.offset.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class TestCase(unittest.TestCase):
    """A test case that ends the daemons and clients that it has started."""

    def start(self, *arguments, **options):
        daemon = Daemon(*arguments, **options)
        self.addCleanup(daemon.end)
        return daemon

    def connect(self, daemon, index=0, **options):
        client = daemon.client(index, **options)
        self.addCleanup(client.close)
        return client

    def assert_error(self, code, words, client, *command):
        with self.assertRaises(ReplyError) as raised:
            client.ask(*command)
        self.assertEqual(raised.exception.code, code)
        self.assertIn(words, str(raised.exception))

    def check_release(self, url, run, words):
        """Starts and ends a daemon by `run`, which returns its log: if that has the words, the daemon holds no worker
        id afterwards.  It has a second for the release; a busy machine may need more, and another one is tried then."""
        for _ in range(10):
            before, said = held(url), run()
            if words not in said:
                return said
            if "was not confirmed" not in said and CUT not in said:
                self.assertEqual(held(url), before, said)
                return said
        self.fail(f"no daemon of ten released its worker id in time; the last one said: {said}")

    def check_rest(self, daemon):
        before = daemon.cpu_s()
        time.sleep(2)
        self.assertLess(daemon.cpu_s() - before, 1)  # of two, if it span
