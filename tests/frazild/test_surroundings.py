# SPDX-License-Identifier: MIT
"""Goal of this test: what goes wrong around the daemon, with disk, clock and coordinator, repeats no id and is named."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from harness import BASE, FRAZIL, FRAZILD, INSTRUMENTED, PATIENCE_S, ReplyError, TestCase, WallClock, generator, until

HTTP = "[listen http]\naddress=127.0.0.1:0\n"


def ask(daemon, path):
    url = f"http://127.0.0.1:{daemon.port('http')}{path}"
    return urllib.request.urlopen(urllib.request.Request(url, headers={"X-Requested-With": "test"}), timeout=PATIENCE_S)


def status_of(daemon, path):
    try:
        with ask(daemon, path) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


def body_of(daemon, path):
    with ask(daemon, path) as reply:
        return reply.read()


class Folder(TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="frazild-around-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)


class Files(Folder):
    def test_a_reload_needs_the_files_of_none_but_new_generators(self):
        path = self.path("password")

        def of_redis(name, worker, number, **keys):
            url = f"redis://127.0.0.1:1/{name}?password_file={path}{number}"
            return generator(name, worker, **keys).replace("state=memory", f"state={url}")

        def reload(text, words, count):
            pathlib.Path(daemon.config).write_text(text, encoding="utf-8")
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_line(words, count)

        for number in (1, 2):
            pathlib.Path(f"{path}{number}").write_text("secret", encoding="ascii")
            os.chmod(f"{path}{number}", 0o600)
        daemon = self.start(BASE + generator("main") + of_redis("stays", 2, 1) + of_redis("goes", 3, 2))
        for number in (1, 2):
            os.unlink(f"{path}{number}")
        stays = BASE + generator("main") + of_redis("stays", 2, 1, max_batch="5")
        reload(stays + of_redis("new", 4, 3), f"[generator new]: the password file of a URL cannot be read: '{path}3'", 1)
        reload(stays, "2 generators", 1)
        reload(stays + generator("other", 5), "3 generators", 1)


class Coordinator(Folder):
    """A Redis that stops to answer for longer than the horizon."""

    def setUp(self):
        super().setUp()
        socket = self.path("redis")
        self.redis = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", self.folder],
            stdout=subprocess.DEVNULL,
        )
        self.addCleanup(self.redis.wait)
        self.addCleanup(self.redis.kill)
        self.url = f"redis+unix://{socket}/ids"
        spec = f"worker={self.url} horizon=2s"
        create = [FRAZIL, "lease", "init", "--never-used", spec]
        until(lambda: subprocess.run(create, capture_output=True).returncode == 0)  # once the server listens

    def test_beyond_its_horizon_the_daemon_gives_nothing_and_comes_back_by_itself(self):
        daemon = self.start(BASE + HTTP + generator("fixed") + f"[generator main]\nbase=2\nworker={self.url}\n")
        ids = [int(id) for id in self.connect(daemon).ask("NEXT", "main", "100")]
        until(lambda: status_of(daemon, "/readyz") == 200)
        self.redis.send_signal(signal.SIGSTOP)
        until(lambda: status_of(daemon, "/readyz") == 503)
        daemon.wait_for_line("is not extended: the coordinator")
        daemon.wait_for_line("did not answer within")
        daemon.wait_for_line("is fenced")

        def is_refused():
            client = self.connect(daemon)
            try:
                ids.append(int(client.ask("NEXT", "main")))
            except ReplyError as error:
                if error.code != "FENCED":
                    return False
                self.assertIn("the daemon's log says why", str(error))
                self.assertNotRegex(str(error), r"(the grant of the worker id has ended): \1")
                self.assertTrue(client.is_closed())  # so that a pool looks for another daemon
                return True
            return False

        until(is_refused)
        self.assertEqual(status_of(daemon, "/v1/generators/main/ids"), 503)
        self.assertEqual(status_of(daemon, "/v1/leases/main"), 503)
        with self.assertRaises(ReplyError) as raised:
            self.connect(daemon).ask("LEASES", "main")
        self.assertRegex(str(raised.exception), "^TRYAGAIN .* retry_ms=1000$")
        self.assertEqual(status_of(daemon, "/livez"), 200)
        self.redis.send_signal(signal.SIGCONT)
        until(lambda: status_of(daemon, "/readyz") == 200)
        daemon.wait_for_line("issues ids again")
        daemon.wait_for_line("is extended again")
        self.redis.send_signal(signal.SIGSTOP)
        daemon.wait_for_line("its grant could not be extended", 2)
        self.redis.send_signal(signal.SIGCONT)
        daemon.wait_for_line("is extended again", 2)
        until(lambda: status_of(daemon, "/readyz") == 200)
        ids += [int(id) for id in self.connect(daemon).ask("NEXT", "main", "100")]
        self.assertEqual(len(set(ids)), len(ids))

    def test_requests_of_clients_hide_no_event_of_a_grant(self):
        daemon = self.start(BASE + f"[generator main]\nworker={self.url}\n")
        client = self.connect(daemon)
        self.redis.send_signal(signal.SIGSTOP)
        os.rename(self.path("redis"), self.path("hidden"))  # so that each look fails at once
        requests = 101  # more than the lines of five minutes: a busy machine may be slow
        for _ in range(requests):
            self.assert_error("TRYAGAIN", "", client, "LEASES", "main")
        daemon.wait_for_line("its grant could not be extended")
        daemon.wait_for_line("is fenced")
        os.rename(self.path("hidden"), self.path("redis"))
        self.redis.send_signal(signal.SIGCONT)
        daemon.wait_for_line("issues ids again")
        told = [line for line in daemon.lines if "its leases cannot be listed" in line]
        self.assertLess(len(told), requests)
        self.assertEqual(daemon.end(), 0)
        self.assertTrue(any(line and "lines about leases that clients asked for were left out" in line for line in daemon.lines), daemon.lines)

    def test_a_new_reason_for_a_grant_that_is_not_extended_is_logged(self):
        daemon = self.start(BASE + f"[generator main]\nworker={self.url}\n")
        self.redis.send_signal(signal.SIGSTOP)
        daemon.wait_for_line("its grant could not be extended: ")
        self.redis.kill()
        self.redis.wait()
        path = self.path("redis")
        again = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", self.folder, "--requirepass", "secret"],
            stdout=subprocess.DEVNULL,
        )
        self.addCleanup(again.wait)
        self.addCleanup(again.kill)
        daemon.wait_for_line("NOAUTH")

    def test_the_end_waits_for_all_generators_at_once_where_their_coordinator_hangs(self):
        names = [f"g{i}" for i in range(40)]  # one after the other would take longer than a hang may
        url = self.url.replace("/ids", "/ids?timeout=60s")
        config = BASE.replace("drain_delay=0s", "drain_delay=0s\ndrain_timeout=60s")
        daemon = self.start(config + "".join(f"[generator {name}]\nworker={url}\n" for name in names))
        self.redis.send_signal(signal.SIGSTOP)
        self.assertEqual(daemon.end(), 0)
        self.redis.send_signal(signal.SIGCONT)


class Clock(Folder):
    """The daemon's wall clock is off by what stands in a file."""

    def setUp(self):
        super().setUp()
        self.clock = WallClock()
        self.addCleanup(self.clock.close)

    @unittest.skipIf(INSTRUMENTED, "a sanitizer must be loaded before the clock")
    def test_steps_repeat_no_id_and_one_back_is_waited_out_or_named(self):
        config = "[daemon]\ndrain_delay=0s\nrequest_timeout=60s\n[listen resp]\naddress=127.0.0.1:0\n"
        config += generator("ahead", 3, max_lead="unlimited") + generator("main")
        half_an_hour_ago = int(time.time() * 1000) - 1800 * 1000
        later = generator("young", 2, layout=f"39/10/14 epoch={half_an_hour_ago}", allow_short_life="yes")
        daemon = self.start(config + later + HTTP, env=self.clock.environment)
        client = self.connect(daemon)
        self.assertEqual(status_of(daemon, "/readyz"), 200)
        ids = [int(id) for id in client.ask("NEXT", "main", "1000")]
        for ms in (-300, 5000, 4800):  # back, ahead, and a little back
            self.clock.step(ms)
            ids += [int(id) for id in client.ask("NEXT", "main", "1000")]
        self.clock.step(-3600 * 1000)
        self.assertEqual(status_of(daemon, "/readyz"), 503)  # one of several is enough, also the last
        serving = (("ahead", 1), ("main", 0), ("young", 0))
        rows = "".join(f'frazil_serving{{generator="{name}"}} {value}.000\n' for name, value in serving)
        self.assertIn(rows.encode(), body_of(daemon, "/metrics"))
        self.assert_error("TRYAGAIN", "retry_ms=", client, "NEXT", "main")
        self.assert_error("TRYAGAIN", "its clock is before the times that it may use", client, "NEXT", "main")
        looks = [client.ask("GENERATORS")[3], json.loads(body_of(daemon, "/v1/generators/main"))]
        looks[0] = {key.decode(): value for key, value in zip(looks[0][::2], looks[0][1::2])}
        for look in looks:
            self.assertIn("its clock is before the times that it may use", str(look["why"]))
            self.assertRegex(str(look["retry_at"]), r"\d{4}-\d\d-\d\dT")
        daemon.wait_for_line("the clock was set back by")
        self.clock.step(-30 * 365 * 86400 * 1000)  # before the layout's epoch
        self.assertEqual(status_of(daemon, "/readyz"), 503)
        self.assertIn(b'frazil_serving{generator="main"} 0.000\n', body_of(daemon, "/metrics"))
        self.assert_error("TRYAGAIN", "its clock is before the times that it may use", client, "NEXT", "main")
        daemon.wait_for_line("is behind: its clock is before the times that it may use")
        self.clock.step(6000)
        daemon.wait_for_line("the clock was set forward by")
        ids += [int(id) for id in client.ask("NEXT", "main", "1000")]
        self.assertEqual(ids, sorted(set(ids)))


class Disk(Folder):
    """State on a disk that is full: a tmpfs of a few pages, in a mount namespace of the daemon's own."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("disk"))
        mount = f"mount -t tmpfs -o size=64k tmpfs {self.path('disk')}"
        if subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", mount], capture_output=True).returncode != 0:
            self.skipTest("no mount namespace is to be had here")
        wrapper = self.path("frazild")
        with open(os.open(wrapper, os.O_WRONLY | os.O_CREAT, 0o755), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n{mount}\nexec "{FRAZILD}" "$@"\n')
        self.command = ["unshare", "--mount", "--map-root-user", wrapper]

    def config(self, count):
        keys = {"state": "file", "state_dir": self.path("disk"), "run_dir": self.path("run")}
        return BASE + "".join(generator(f"g{i}", i, **keys).replace("state=memory\n", "") for i in range(count))

    def test_generators_that_have_no_room_are_refused_and_the_others_go_on(self):
        path = self.path("f.conf")
        pathlib.Path(path).write_text(self.config(1), encoding="utf-8")
        daemon = self.start(command=self.command, arguments=["-c", path])
        client = self.connect(daemon)
        ids = [int(id) for id in client.ask("NEXT", "g0", "100")]
        pathlib.Path(path).write_text(self.config(30), encoding="utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("No space left on device")
        daemon.wait_for_line("stays in use")
        ids += [int(id) for id in client.ask("NEXT", "g0", "10000")]
        self.assert_error("ERR", "no generator", client, "NEXT", "g1")
        self.assertEqual(ids, sorted(set(ids)))


class Moves(Folder):
    def test_a_worker_id_that_another_one_replaces_is_logged(self):
        url = f"file://{self.path('ids')}"
        subprocess.run([FRAZIL, "lease", "init", "--never-used", f"worker={url} horizon=10s"], check=True, capture_output=True)
        daemon = self.start(BASE + f"[generator main]\non_loss=move\nworker={url}\n")
        worker = daemon.wait_for_line("worker ").rsplit(" ", 1)[1]
        release = [FRAZIL, "lease", "release", "--worker", worker, url]
        subprocess.run(release, check=True, capture_output=True)
        daemon.wait_for_line(f"generator main: worker {worker} is replaced by worker ")


class Grants(Folder):
    def test_no_generator_uses_up_the_lines_of_another_one(self):
        keys = {"state": "file", "state_dir": self.path("state"), "run_dir": self.path("run")}
        config = "".join(generator(f"g{i}", i, **keys).replace("state=memory\n", "") for i in range(30))
        daemon = self.start(BASE + config)
        shutil.rmtree(self.path("state"))
        pathlib.Path(self.path("state")).write_text("", encoding="utf-8")
        for i in range(30):
            daemon.wait_for_line(f"generator g{i}: worker {i} is fenced")


class Roots(TestCase):
    def test_a_root_without_devices_is_enough(self):
        """As a chroot has it that holds the program and its libraries."""
        hide = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /dev && exec "$0" "$@"')
        if subprocess.run([*hide, "true"], capture_output=True).returncode != 0:
            self.skipTest("this user can hide no folder")
        daemon = self.start(command=(*hide, FRAZILD))
        self.assertTrue(self.connect(daemon).ask("NEXT").isdigit())


if __name__ == "__main__":
    unittest.main()
