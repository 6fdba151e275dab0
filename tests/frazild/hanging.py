# SPDX-License-Identifier: MIT
"""A Redis that is to be stopped, so that it is silent, and daemons over it."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import BASE, FRAZIL, TestCase, generator

SLOW = "timeout=60s"  # longer than a test that passes waits for anything


class Hanging(TestCase):
    """Servers that its daemons need, and what they read."""

    def redis(self):
        """A Redis that is to be stopped; the url of a namespace there."""
        folder = tempfile.mkdtemp(prefix="frazild-hangs-")
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "redis")
        its = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(its.stdout.close)
        self.addCleanup(its.wait)
        self.addCleanup(its.kill)
        while "ready to accept connections" not in (line := its.stdout.readline()):
            self.assertNotEqual(line, "")
        url = f"redis+unix://{path}/ids"
        subprocess.run([FRAZIL, "lease", "init", "--never-used", f"worker={url}"], check=True, capture_output=True)
        return its, f"{url}?{SLOW}"

    def slots(self):
        """A daemon of one event thread with a generator whose ids Redis gives, and one that needs no Redis."""
        redis, url = self.redis()
        # A request that hangs for as long as its own limit allows, not the one of the URL.
        config = BASE.replace("[listen", "threads=1\nrequest_timeout=10s\ndrain_timeout=4s\n[listen")
        config += f"[listen http]\naddress=127.0.0.1:0\n[generator slots]\nworker=fixed:3\nstate={url}\n"
        return redis, self.start(config + generator("near", 2))

    def write(self, daemon, text):
        pathlib.Path(daemon.config).write_text(text, encoding="utf-8")
