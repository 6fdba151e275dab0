# SPDX-License-Identifier: MIT
"""Goal of this test: requests to a silent coordinator end in time, say why, and keep none that goes elsewhere."""

import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from hanging import Hanging
from harness import BASE, FRAZIL, PATIENCE_S, ReplyError, until


class Silence(Hanging):
    def test_leases_of_a_silent_coordinator_are_waited_for_no_longer_than_any_request(self):
        redis, url = self.redis()  # it is waited for longer than this test runs
        config = BASE.replace("[listen", "request_timeout=2s\ndrain_timeout=1s\n[listen") + "[listen http]\naddress=127.0.0.1:0\n"
        daemon = self.start(config + f"[generator far]\nworker={url}\n")
        clients = [self.connect(daemon) for _ in range(12)]
        redis.send_signal(signal.SIGSTOP)
        for client in clients:  # the first ones are under way when the others come
            client.send(client.pack("PING") + client.pack("LEASES", "far"))
            self.assertEqual(client.read(), "PONG")
        for client in clients:
            with self.assertRaisesRegex(ReplyError, "^TRYAGAIN generator far: the coordinator does not answer"):
                client.read()
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as its:
            its.sendall(b"GET /v1/leases/far HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertEqual(int(its.makefile("rb").readline().split()[1]), 503)

    def test_leases_of_a_silent_coordinator_hold_up_no_others(self):
        redis, url = self.redis()
        _, other = self.redis()
        config = BASE.replace("[listen", "threads=1\nrequest_timeout=60s\ndrain_timeout=1s\n[listen")
        daemon = self.start(config + f"[generator la]\nworker={url}\n[generator lb]\nworker={other}\n")
        redis.send_signal(signal.SIGSTOP)
        silent = [self.connect(daemon) for _ in range(12)]
        for client in silent:
            client.send(client.pack("PING") + client.pack("LEASES", "la"))
            self.assertEqual(client.read(), "PONG")
        near = self.connect(daemon)
        for _ in range(3):
            self.assertIsInstance(near.ask("LEASES", "lb"), list)
        redis.send_signal(signal.SIGCONT)
        for client in silent:
            self.assertIsInstance(client.read(), list)

    def readiness(self, daemon):
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as its:
            its.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return int(its.makefile("rb").readline().split()[1])

    def test_ids_of_a_silent_redis_stop_no_other_generator(self):
        redis, daemon = self.slots()
        far, near = self.connect(daemon), self.connect(daemon)
        self.assertEqual(len(set(far.ask("NEXT", "slots", 500))), 500)
        last = far.ask("INCRBY", "slots", 100)
        self.assertGreater(int(far.ask("NEXT", "slots")), last)
        redis.send_signal(signal.SIGSTOP)
        far.send(far.pack("NEXT", "slots", 5000))
        self.assertTrue(near.ask("NEXT", "near").isdigit())
        waiting = [self.connect(daemon) for _ in range(10)]
        for client in waiting:
            client.send(client.pack("NEXT", "slots", 5000))
        for client in [far, *waiting]:
            with self.assertRaisesRegex(ReplyError, "TRYAGAIN generator slots: .*retry_ms="):
                client.read()
        until(lambda: self.readiness(daemon) == 503)
        daemon.wait_for_line("generator slots: its coordinator gives no ids: ")
        daemon.wait_for_line("generator slots: worker 3 is fenced: the coordinator does not answer")
        self.assert_error("TRYAGAIN", "the coordinator does not answer retry_ms=", far, "NEXT", "slots")
        redis.send_signal(signal.SIGCONT)
        daemon.wait_for_line("generator slots: worker 3 issues ids again")  # although no client asks
        self.assertEqual(self.readiness(daemon), 200)
        ids = [int(text) for text in far.ask("NEXT", "slots", 500)]
        self.assertEqual(ids, sorted(ids))
        self.assertGreater(ids[0], last)

    def test_nobody_waits_for_a_keeper_that_was_killed(self):
        folder = tempfile.mkdtemp(prefix="frazild-hangs-")
        self.addCleanup(shutil.rmtree, folder)
        spec = f"worker=file://{folder}/ids share=host run_dir={folder} horizon=3s".split()
        subprocess.run([FRAZIL, "lease", "init", "--never-used", *spec[::3]], check=True, capture_output=True)
        config = BASE.replace("[listen", "request_timeout=1000s\n[listen") + "[generator main]\n" + "\n".join(spec)
        keeper = self.start(config + "\n")
        daemon = self.start(config + "\nkeeper=other\n")
        client = self.connect(daemon)
        self.assertTrue(client.ask("NEXT").isdigit())
        keeper.process.kill()
        daemon.wait_for_line("is fenced: the process that is to extend its grant (keeper=other) has not done so")
        self.assert_error("FENCED", "(keeper=other)", client, "NEXT")


if __name__ == "__main__":
    unittest.main()
