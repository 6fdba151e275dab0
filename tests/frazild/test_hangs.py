# SPDX-License-Identifier: MIT
"""Goal of this test: a coordinator that hangs makes neither a reload nor an end of the daemon wait for it."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from harness import BASE, FRAZILD, PATIENCE_S, ReplyError, TestCase, generator, until

FRAZIL = pathlib.Path(FRAZILD).with_name("frazil")
SLOW = "timeout=60s"  # longer than a test that passes waits for anything
CUT = "requests that still waited for a coordinator were cut"


class Hangs(TestCase):
    def listen(self):
        """A coordinator that takes connections and never answers."""
        its = socket.create_server(("127.0.0.1", 0))
        its.settimeout(PATIENCE_S)
        self.addCleanup(its.close)
        return its

    def url_of(self, silent):
        return f"redis://127.0.0.1:{silent.getsockname()[1]}/ids?{SLOW}"

    def write(self, daemon, text):
        pathlib.Path(daemon.config).write_text(text, encoding="utf-8")

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

    def end_before(self, daemon, words):
        """Ends the daemon, which must not have got so far as to say these words."""
        self.assertEqual(daemon.end(), 0)
        self.assertFalse(any(line and words in line for line in daemon.lines), daemon.lines)

    def test_sigterm_is_heard_while_a_reload_waits_for_a_coordinator(self):
        silent = self.listen()
        daemon = self.start(BASE.replace("[listen", "drain_timeout=1s\n[listen") + generator("main"))
        client = self.connect(daemon)
        far = f"[generator far]\nbase=2\nworker={self.url_of(silent)}\n"
        self.write(daemon, BASE + generator("main") + far)
        daemon.process.send_signal(signal.SIGHUP)
        waits, _ = silent.accept()
        self.addCleanup(waits.close)
        self.assertTrue(client.ask("NEXT").isdigit())
        self.end_before(daemon, "stays in use")
        self.assertTrue(any(line and CUT in line for line in daemon.lines), daemon.lines)

    def test_a_second_sigterm_ends_the_wait_for_a_coordinator_too(self):
        silent = self.listen()
        daemon = self.start(BASE.replace("[listen", f"drain_timeout={PATIENCE_S}s\n[listen") + generator("main"))
        self.assertEqual(self.connect(daemon).ask("MULTI"), "OK")  # the drain waits for its end
        self.write(daemon, BASE + generator("main") + f"[generator far]\nbase=2\nworker={self.url_of(silent)}\n")
        daemon.process.send_signal(signal.SIGHUP)
        waits, _ = silent.accept()
        self.addCleanup(waits.close)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        self.end_before(daemon, "stays in use")
        self.assertTrue(any(line and CUT in line for line in daemon.lines), daemon.lines)

    def test_sigterm_is_heard_while_a_start_waits_for_a_coordinator(self):
        silent = self.listen()
        path = os.path.join(tempfile.mkdtemp(prefix="frazild-hangs-"), "f.conf")
        self.addCleanup(shutil.rmtree, os.path.dirname(path))
        pathlib.Path(path).write_text(f"{BASE}[generator far]\nbase=2\nworker={self.url_of(silent)}\n", encoding="utf-8")
        its = subprocess.Popen([FRAZILD, "-c", path], stderr=subprocess.PIPE, text=True)
        self.addCleanup(its.stderr.close)
        waits, _ = silent.accept()
        self.addCleanup(waits.close)
        its.send_signal(signal.SIGTERM)
        self.assertEqual(its.wait(PATIENCE_S), 0)
        self.assertIn("ended before it was ready", its.stderr.read())

    def test_a_signal_that_comes_during_a_reload_has_one_more_follow(self):
        silent = self.listen()
        daemon = self.start(BASE + generator("main"))
        self.write(daemon, BASE + generator("main") + f"[generator far]\nbase=2\nworker={self.url_of(silent)}\n")
        daemon.process.send_signal(signal.SIGHUP)
        waits, _ = silent.accept()
        self.write(daemon, BASE + generator("main") + generator("near", 2))
        daemon.process.send_signal(signal.SIGHUP)
        silent.close()  # the next attempt is refused at once
        waits.close()
        daemon.wait_for_line("stays in use")
        daemon.wait_for_line("was read: 2 generators")
        self.assertTrue(self.connect(daemon).ask("NEXT", "near").isdigit())

    def test_a_reload_is_over_before_the_worker_id_of_a_generator_that_went_is_given_back(self):
        redis, url = self.redis()
        daemon = self.start(BASE + generator("main") + f"[generator far]\nbase=2\nworker={url}\n")
        redis.send_signal(signal.SIGSTOP)
        self.write(daemon, BASE + generator("main"))
        daemon.process.send_signal(signal.SIGHUP)
        self.assertRegex(daemon.wait_for_line("not confirmed"), r"generator far: the release of its worker id \d+ was not confirmed")
        told = [line for line in daemon.lines if "was read: 1 generators" in line or "not confirmed" in line]
        self.assertIn("was read", told[0])

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

    def test_leases_behind_those_of_a_silent_coordinator_end_and_blame_not_their_own(self):
        redis, url = self.redis()
        _, other = self.redis()
        config = BASE.replace("[listen", "threads=1\nrequest_timeout=5s\ndrain_timeout=1s\n[listen")
        daemon = self.start(config + f"[generator la]\nworker={url}\n[generator lb]\nworker={other}\n")
        redis.send_signal(signal.SIGSTOP)
        first = self.connect(daemon)
        first.send(first.pack("PING") + first.pack("LEASES", "la"))
        self.assertEqual(first.read(), "PONG")
        # The queue holds 64, and the first one if it was not begun yet: those that were refused leave it to the last two.
        for count in (63, 2):
            clients = []
            for _ in range(count):
                clients.append(self.connect(daemon))
                clients[-1].send(clients[-1].pack("LEASES", "lb"))
            for client in clients:
                with self.assertRaisesRegex(ReplyError, "^TRYAGAIN generator lb: the daemon waits for the coordinator of another generator"):
                    client.read()
        with self.assertRaisesRegex(ReplyError, "^TRYAGAIN generator la: the coordinator does not answer"):
            first.read()

    def slots(self):
        """A daemon of one event thread with a generator whose ids Redis gives, and one that needs no Redis."""
        redis, url = self.redis()
        # A request that hangs for as long as its own limit allows, not the one of the URL.
        config = BASE.replace("[listen", "threads=1\nrequest_timeout=10s\ndrain_timeout=4s\n[listen")
        config += f"[listen http]\naddress=127.0.0.1:0\n[generator slots]\nworker=fixed:3\nstate={url}\n"
        return redis, self.start(config + generator("near", 2))

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

    def test_sigterm_cuts_a_request_to_the_redis_of_ids(self):
        redis, daemon = self.slots()
        client = self.connect(daemon)
        redis.send_signal(signal.SIGSTOP)
        client.send(client.pack("PING") + client.pack("NEXT", "slots", 5000))
        self.assertEqual(client.read(), "PONG")
        gone = self.connect(daemon)  # its ids are not wanted any more when they come
        gone.send(gone.pack("NEXT", "slots", 5000))
        gone.close()
        self.assertEqual(daemon.end(), 0)
        with self.assertRaisesRegex(ReplyError, "TRYAGAIN"):
            client.read()

    def test_a_generator_goes_while_its_redis_is_silent(self):
        redis, daemon = self.slots()
        client = self.connect(daemon)
        redis.send_signal(signal.SIGSTOP)
        client.send(client.pack("PING") + client.pack("NEXT", "slots", 5000))
        self.assertEqual(client.read(), "PONG")
        self.write(daemon, pathlib.Path(daemon.config).read_text(encoding="utf-8").split("[generator slots]")[0] + generator("near", 2))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("was read: 1 generators")
        with self.assertRaisesRegex(ReplyError, "TRYAGAIN"):
            client.read()
        self.assertTrue(client.ask("NEXT", "near").isdigit())

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

    def test_an_end_cuts_what_waits_for_a_coordinator_at_the_end_of_its_time(self):
        redis, url = self.redis()
        config = BASE.replace("[listen", "drain_timeout=4s\n[listen")  # the last half second is for a host that is busy
        daemon = self.start(config + f"[generator far]\nbase=2\nworker={url}\n[generator other]\nbase=2\nworker={url}\n")
        asking = self.connect(daemon)
        redis.send_signal(signal.SIGSTOP)
        asking.send(asking.pack("PING") + asking.pack("LEASES", "far"))
        self.assertEqual(asking.read(), "PONG")
        self.assertEqual(daemon.end(), 0)
        self.assertTrue(any(line and CUT in line for line in daemon.lines), daemon.lines)
        self.assertTrue(any(line and "other: the release of" in line and "in time" in line for line in daemon.lines), daemon.lines)


if __name__ == "__main__":
    unittest.main()
