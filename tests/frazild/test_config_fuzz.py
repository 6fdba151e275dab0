# SPDX-License-Identifier: MIT
"""Goal of this test: whatever a configuration holds, --check, a start and a reload say the same of it, and the daemon that
was told to read it lives, serves, and keeps nothing of it.

FRAZILD_FUZZ_CONFIG is the number of mutations, FRAZILD_FUZZ_SEED chooses them, and FRAZILD_FUZZ_FIRST is the one to begin
with: a failure names both, which make the same file again."""

import collections
import hashlib
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest

from harness import FRAZILD, PATIENCE_S, TestCase

MUTATIONS = int(os.environ.get("FRAZILD_FUZZ_CONFIG", "60"))
SEED = os.environ.get("FRAZILD_FUZZ_SEED", "1")
FIRST = int(os.environ.get("FRAZILD_FUZZ_FIRST", "0"))
PROCESSES = 5  # one of so many is also given to processes of their own: of --check, and of a start
NOBODY = 65534
# No path has a slash, and the daemon is nobody, so that no mutation makes files elsewhere.
GOOD = """# a daemon
[daemon]
threads=2
drain_delay=0s
request_timeout=500ms
incr_reply=string
max_connections=100

[listen resp]
address=127.0.0.1:0 unix:socket
mode=0600
[listen http]
address = 127.0.0.1:0
hosts=ids.internal
[generator main]
layout='twitter epoch=2020-01-01'
worker=fixed:7
state=memory
keys=a:* b:*
[generator lock]
worker=file-lock
worker_ids=2
max_batch=10
rate=100
[generator snos]
layout=sno
worker=fixed:9
state=memory
[user shop]
secret_file=secret
allow=next:* *:main
rate=unlimited
[user anna]
secret_file=other
allow=stats:*
"""
# With no generator of it: one that a mutation took away may have come back with another spec, which stays.
BETWEEN = GOOD.split("[generator", 1)[0] + "[generator between]\nlayout=sonyflake\nworker=fixed:5\nstate=memory\n"
WORDS = ["[", "]", "=", "'", "\\", "\n", "\0", " ", "#", "0", "99999999999999999999", "-1", "unix:", "redis://u:hunter2@127.0.0.1:1/n",
         "\xff", "[user x]\n", "[listen https]\n", "[generator new]\nworker=fixed:3\nstate=memory\n", "worker_ids=4\n", "1e99",
         "s", ":", "*", "state=memory\n", "timeout=1ns\n", "worker=file-lock\n", "rate=1\n", "@", "%", "\t", "\r\n"]  # fmt: skip
# What may stand in place of what stands there.
OTHERS = {"rate=100": "rate=5", "max_batch=10": "max_batch=3", "a:* b:*": "c:*", "=string": "=auto", "layout=sno": "layout=konayuki",
          "hosts=ids": "hosts=a b", "fixed:9": "fixed:8", "worker_ids=2": "worker_ids=1", "=500ms": "=1s", "[user anna]": "[user ben]",
          "generator lock": "generator key", "state=memory": "state=file", "allow=stats:*": "allow=*:*", "=unlimited": "=1"}  # fmt: skip
# Right in a file, and wrong in a daemon: what a look at the file cannot know, and what a reload may not change, or not at
# once: a worker id is free for another generator when the one that has it is closed.
UNKNOWN_TO_A_CHECK = re.compile(
    r"needs a restart|cannot be reached|cannot listen on|another program listens there|is in use on this host"
    "|a generator that this reload closes keeps its worker id"
)
RESULT = "SIGHUP: the "


def token(name):
    """Of the user whose secret_file has that name."""
    return name * 8


def mutated(number):
    """The same text for the same seed and number."""
    its, text = random.Random(f"{SEED}.{number}"), GOOD
    for _ in range(its.choice((1, 1, 1, 1, 2, 3))):
        at, to, some, way = its.randrange(len(text)), its.randrange(len(text)), its.randrange(20), its.randrange(8)
        if way == 0:  # lost
            text = text[:at] + text[at + some :]
        elif way == 1:  # another byte
            text = text[:at] + chr(its.choice([b for b in range(256) if b != ord("/")])) + text[at + 1 :]
        elif way == 2:  # something typed
            text = text[:at] + its.choice(WORDS) + text[at:]
        elif way == 3:  # something copied over something else
            text = text[:to] + text[at : at + some] + text[to + some :]
        else:  # something that may be right
            word = its.choice(list(OTHERS))
            text = text.replace(word, OTHERS[word], 1)
    return text


class Place:
    """A folder that holds a configuration and all that it names, for a daemon of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="frazild-fuzz-")
        names = {"FRAZIL_HOST_DIR": "host", "RUNTIME_DIRECTORY": "run", "STATE_DIRECTORY": "state"}
        folders = [f"{key}={os.path.join(self.folder.name, name)}" for key, name in names.items()]
        self.command = ["env", "--unset=FRAZIL_STATE", f"--chdir={self.folder.name}", *folders, FRAZILD]
        if os.geteuid() == 0:
            os.chown(self.folder.name, NOBODY, NOBODY)
            self.command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *self.command]
        for name in ("secret", "other"):
            self.write(hashlib.sha256(token(name).encode()).hexdigest() + "\n", name)

    def write(self, text, name="f.conf"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="latin-1", newline="") as file:
            file.write(text)
        os.chmod(path, 0o600)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)

    def check(self):
        """Its exit status and the mistakes that it names; a warning is none."""
        its = subprocess.run([*self.command, "-c", "f.conf", "--check"], capture_output=True, timeout=PATIENCE_S)
        said = its.stderr.decode("latin-1").splitlines()
        return its.returncode, [line for line in said if ": warning: [" not in line]

    def start(self):
        """The same of a start, which is ended where it succeeds."""
        with subprocess.Popen([*self.command, "-c", "f.conf"], stderr=subprocess.PIPE, encoding="latin-1") as its:
            lines = []
            for line in its.stderr:
                lines.append(line.rstrip("\n"))
                if "is ready" in line:
                    its.send_signal(signal.SIGTERM)
            return its.wait(PATIENCE_S), lines


class Mutations(TestCase):
    def setUp(self):
        self.place, self.other = Place(), Place()
        for place in (self.place, self.other):
            self.addCleanup(place.folder.cleanup)
        self.place.write(GOOD)
        self.daemon = self.start(command=self.place.command, arguments=["-c", "f.conf"])
        self.reloads = 0

    def reload(self):
        """What the daemon says of it; the last line has the result."""
        before = len(self.daemon.lines)
        self.reloads += 1
        self.daemon.process.send_signal(signal.SIGHUP)
        self.daemon.wait_for_line(RESULT, self.reloads)
        return self.daemon.lines[before:]

    def look(self, number, seen):
        text = mutated(number)
        self.place.write(text)
        said = self.reload()
        is_read = any(RESULT + "configuration was read" in line for line in said)
        seen["reload", is_read] += 1
        if number % PROCESSES != 0:
            return
        status, errors = self.place.check()
        self.assertIn((status, errors == []), ((0, True), (1, False)))
        # The addresses are in use: a reload compares them alone, once there is no other mistake.
        self.compare([error for error in errors if ": address=" not in error], is_read, said)
        self.assertFalse(errors and is_read)
        self.other.write(text)
        started, said = self.other.start()
        self.compare(errors, started == 0, said)
        seen["check", status == 0] += 1
        seen["start", started] += 1

    def compare(self, errors, is_taken, said):
        """What --check found, and what became of the same file."""
        for error in errors:
            self.assertTrue(any(error in line for line in said), f"{error!r} is not in {said}")
        if errors:
            self.assertFalse(is_taken)
        elif not is_taken:
            self.assertRegex(" ".join(said), UNKNOWN_TO_A_CHECK)

    def holds(self):
        """Descriptors and threads of the daemon."""
        return [len(os.listdir(f"/proc/{self.daemon.process.pid}/{what}")) for what in ("fd", "task")]

    def test_mutations(self):
        before, seen = self.holds(), collections.Counter()
        for number in range(FIRST, FIRST + MUTATIONS):
            try:
                self.look(number, seen)
            except AssertionError as error:
                raise AssertionError(f"{error}: mutation {number} of seed {SEED} is {mutated(number)!r}") from error
        for text in (BETWEEN, GOOD):
            self.place.write(text)
            said = self.reload()
            self.assertIn("was read", said[-1], said)
        end = time.monotonic() + PATIENCE_S  # the generators of the setup before it are closed behind the line of the log
        while self.holds() != before and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(self.holds(), before)
        client = self.connect(self.daemon)
        self.assertEqual(client.ask("AUTH", "shop", token("secret")), "OK")
        self.assertEqual(len(client.ask("NEXT", "main", 3)), 3)
        self.assertEqual(self.daemon.end(), 0)
        self.assertEqual([line for line in self.daemon.lines if line and re.search("runtime error|Sanitizer", line)], [])
        print(f"seed {SEED}, mutations from {FIRST} on: {dict(seen)}")


if __name__ == "__main__":
    unittest.main()
