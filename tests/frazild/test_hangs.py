# SPDX-License-Identifier: MIT
"""Goal of this test: a coordinator or name server that hangs makes neither a start, a reload nor an end of the daemon
wait for it."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from hanging import SLOW, Hanging
from harness import BASE, CUT, FRAZIL, FRAZILD, INSTRUMENTED, PATIENCE_S, ReplyError, generator, held, stand_in

EARLY = "ended before it was ready"

# A name service that gives so many answers and is silent then.
SILENT_NAMES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **ret)
{
    static int asked;
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");

    if (asked++ < atoi(getenv("TEST_ANSWERS")))
        return real(host, port, hints, ret);
    (void)fputs("it is asked\\n", stderr);
    for (;;)
        (void)pause();
}
"""


# A SIGTERM that comes while a name is looked up, and is taken just before the thread that looks it up is at its end.
LATE_SIGTERM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static atomic_bool taken, over;

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **ret)
{
    static int asked;
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");

    if (asked++ == 1) { /* it is to be listened on */
        (void)kill(getpid(), SIGTERM);
        while (!atomic_load(&taken))
            (void)sched_yield();
    }
    return real(host, port, hints, ret);
}

int sigtimedwait(const sigset_t *signals, siginfo_t *ret, const struct timespec *wait)
{
    int (*real)(const sigset_t *, siginfo_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sigtimedwait");
    int number = real(signals, ret, wait);

    if (number == SIGTERM) {
        atomic_store(&taken, true);
        while (!atomic_load(&over))
            (void)sched_yield();
    }
    return number;
}

int pthread_kill(pthread_t thread, int number)
{
    int (*real)(pthread_t, int) = dlsym(RTLD_NEXT, "pthread_kill");

    if (number == SIGUSR1 && atomic_load(&taken)) /* the thread has said before that it is at its end */
        atomic_store(&over, true);
    return real(thread, number);
}
"""


class Hangs(Hanging):
    def listen(self):
        """A coordinator that takes connections and never answers."""
        its = socket.create_server(("127.0.0.1", 0))
        its.settimeout(PATIENCE_S)
        self.addCleanup(its.close)
        return its

    def url_of(self, silent):
        return f"redis://127.0.0.1:{silent.getsockname()[1]}/ids?{SLOW}"

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
        daemon.wait_for_line("SIGHUP: reading the configuration")
        waits, _ = silent.accept()
        self.addCleanup(waits.close)
        self.assertTrue(client.ask("NEXT").isdigit())
        self.end_before(daemon, "stays in use")
        self.assertTrue(any(line and CUT in line for line in daemon.lines), daemon.lines)

    def test_an_end_during_a_reload_that_waits_gives_all_worker_ids_back(self):
        silent = self.listen()
        _, url = self.redis()
        config = BASE.replace("[listen", "drain_timeout=4s\n[listen") + f"[generator near]\nworker={url}\n"
        for _ in range(10):  # a busy machine may need more than the time that is left for the release
            daemon = self.start(config)
            self.write(daemon, config + f"[generator more]\nworker={url}\n[generator far]\nworker={self.url_of(silent)}\n")
            daemon.process.send_signal(signal.SIGHUP)
            waits, _ = silent.accept()
            self.addCleanup(waits.close)
            self.assertEqual(held(url), 2)
            self.assertEqual(daemon.end(), 0)
            self.assertTrue(any(line and CUT in line for line in daemon.lines), daemon.lines)
            if not any(line and "not confirmed" in line for line in daemon.lines):
                break
        self.assertEqual(held(url), 0, daemon.lines)

    def test_a_reload_that_ends_after_sigterm_tells_the_manager_of_no_readiness(self):
        silent = self.listen()
        folder = tempfile.mkdtemp(prefix="frazild-hangs-")
        self.addCleanup(shutil.rmtree, folder)
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(os.path.join(folder, "notify"))
        limit = BASE.replace("[listen", f"drain_timeout={PATIENCE_S}s\n[listen")
        daemon = self.start(limit + generator("main"), env={**os.environ, "NOTIFY_SOCKET": manager.getsockname()})
        self.write(daemon, limit + generator("main") + f"[generator far]\nbase=2\nworker={self.url_of(silent)}\n")
        daemon.process.send_signal(signal.SIGHUP)
        waits, _ = silent.accept()
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        silent.close()
        waits.close()
        daemon.wait_for_line("stays in use")
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)
        manager.setblocking(False)
        told = []
        with self.assertRaises(BlockingIOError):
            while True:
                told += manager.recv(4096).decode().splitlines()
        self.assertNotIn("READY=1", told[told.index("STOPPING=1") :])

    def test_a_second_sigterm_ends_the_wait_for_a_coordinator_too(self):
        silent = self.listen()
        daemon = self.start(BASE.replace("[listen", f"drain_timeout={PATIENCE_S}s\nrequest_timeout={PATIENCE_S}s\n[listen") + generator("main"))
        client = self.connect(daemon)
        client.send(b"PING\r\n*1\r\n")  # the drain waits for its end
        self.assertEqual(client.read(), "PONG")
        self.write(daemon, BASE + generator("main") + f"[generator far]\nbase=2\nworker={self.url_of(silent)}\n")
        daemon.process.send_signal(signal.SIGHUP)
        waits, _ = silent.accept()
        self.addCleanup(waits.close)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        self.end_before(daemon, "stays in use")
        self.assertTrue(any(line and CUT in line for line in daemon.lines), daemon.lines)

    def test_a_start_that_waits_for_a_coordinator_says_so_and_hears_sigterm(self):
        silent = self.listen()
        path = os.path.join(tempfile.mkdtemp(prefix="frazild-hangs-"), "f.conf")
        self.addCleanup(shutil.rmtree, os.path.dirname(path))
        pathlib.Path(path).write_text(f"{BASE}[generator far]\nbase=2\nworker={self.url_of(silent)}\n", encoding="utf-8")
        its = subprocess.Popen([FRAZILD, "-c", path], stderr=subprocess.PIPE, text=True)
        self.addCleanup(its.stderr.close)
        waits, _ = silent.accept()
        self.addCleanup(waits.close)
        self.assertIn("not ready yet: waiting for a coordinator", its.stderr.readline())
        its.send_signal(signal.SIGTERM)
        self.assertEqual(its.wait(PATIENCE_S), 0)
        self.assertIn(EARLY, its.stderr.read())

    def test_a_start_that_ends_while_it_waits_gives_back_what_it_has(self):
        silent = self.listen()
        _, url = self.redis()
        folder = tempfile.mkdtemp(prefix="frazild-hangs-")
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "f.conf")
        sections = f"[generator near]\nworker={url}\nworker_ids=2\n[generator far]\nworker={self.url_of(silent)}\n"
        pathlib.Path(path).write_text(BASE + sections, encoding="utf-8")

        def end_start():
            its = subprocess.Popen([FRAZILD, "-c", path], stderr=subprocess.PIPE, text=True)
            self.addCleanup(its.stderr.close)
            waits, _ = silent.accept()
            self.addCleanup(waits.close)
            self.assertEqual(held(url), 2)
            its.send_signal(signal.SIGTERM)
            self.assertEqual(its.wait(PATIENCE_S), 0)
            return its.stderr.read()

        self.assertIn(EARLY, self.check_release(url, end_start, EARLY))

    @unittest.skipIf(INSTRUMENTED, "a sanitizer must be loaded before the stand-in")
    def test_sigterm_is_heard_while_a_start_looks_names_up(self):
        folder = tempfile.mkdtemp(prefix="frazild-hangs-")
        self.addCleanup(shutil.rmtree, folder)
        url, path = f"file://{folder}/ids", os.path.join(folder, "f.conf")
        subprocess.run([FRAZIL, "lease", "init", "--never-used", url], check=True, capture_output=True)
        host_dir = os.path.join(folder, "host")
        pathlib.Path(path).write_text(f"{BASE}[generator main]\nworker={url}\nstate=memory\nhost_dir={host_dir}\n", encoding="utf-8")
        env = stand_in(folder, SILENT_NAMES)

        def end_start():
            its = subprocess.Popen([FRAZILD, "-c", path], stderr=subprocess.PIPE, text=True, env={**env, "TEST_ANSWERS": str(answers)})
            self.addCleanup(its.stderr.close)
            self.addCleanup(its.wait)
            self.addCleanup(its.kill)
            self.assertIn("it is asked\n", iter(its.stderr.readline, ""))
            its.send_signal(signal.SIGTERM)
            self.assertEqual(its.wait(PATIENCE_S), 0)
            return its.stderr.read()

        for answers in range(2):  # when the address is checked, and when it is listened on, with a worker id
            with self.subTest(answers=answers):
                self.assertIn(EARLY, self.check_release(url, end_start, EARLY))

    @unittest.skipIf(INSTRUMENTED, "a sanitizer must be loaded before the stand-in")
    def test_a_sigterm_that_comes_just_as_the_addresses_are_open_is_heard(self):
        folder = tempfile.mkdtemp(prefix="frazild-hangs-")
        self.addCleanup(shutil.rmtree, folder)
        daemon = self.start(env=stand_in(folder, LATE_SIGTERM))
        daemon.wait_for_line("SIGTERM: draining")
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)

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
        told = [line for line in daemon.lines if "was read: 1 generator," in line or "not confirmed" in line]
        self.assertIn("was read", told[0])

    def wait_for_slots(self):
        """A daemon, and a client that waits for ids from a Redis that has stopped."""
        redis, daemon = self.slots()
        client = self.connect(daemon)
        redis.send_signal(signal.SIGSTOP)
        client.send(client.pack("PING") + client.pack("NEXT", "slots", 5000))
        self.assertEqual(client.read(), "PONG")
        return daemon, client

    def test_sigterm_cuts_a_request_to_the_redis_of_ids(self):
        daemon, client = self.wait_for_slots()
        gone = self.connect(daemon)  # its ids are not wanted any more when they come
        gone.send(gone.pack("NEXT", "slots", 5000))
        gone.close()
        self.assertEqual(daemon.end(), 0)
        with self.assertRaisesRegex(ReplyError, "TRYAGAIN"):
            client.read()

    def test_a_generator_goes_while_its_redis_is_silent(self):
        daemon, client = self.wait_for_slots()
        self.write(daemon, pathlib.Path(daemon.config).read_text(encoding="utf-8").split("[generator slots]")[0] + generator("near", 2))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("was read: 1 generator,")
        with self.assertRaisesRegex(ReplyError, "TRYAGAIN"):
            client.read()
        self.assertTrue(client.ask("NEXT", "near").isdigit())

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
