# SPDX-License-Identifier: MIT
"""Goal of this test: a daemon goes over to another configuration, and to its successor, without a lost request; the
manager of services is told what happens."""

import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from harness import BASE, FRAZIL, FRAZILD, INSTRUMENTED, PATIENCE_S, Client, ReplyError, TestCase, generator, stand_in, until

TOKEN = "0123456789abcdef0123456789abcdef"
BOTH = BASE + "[listen http]\naddress=127.0.0.1:0\n"

# There are no threads while there is the file that TEST_NO_THREADS names.
NO_THREADS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    create *real = (create *)dlsym(RTLD_NEXT, "pthread_create");

    return access(getenv("TEST_NO_THREADS"), F_OK) == 0 ? EAGAIN : real(thread, attributes, run, arg);
}
"""


class Reload(TestCase):
    def write(self, daemon, text):
        with open(daemon.config, "w", encoding="utf-8") as file:
            file.write(text.replace("@", daemon.folder))

    def reload(self, daemon, text, words, count=1):
        """Writes the configuration anew, sends SIGHUP, and waits for what the daemon says of it."""
        self.write(daemon, text)
        daemon.process.send_signal(signal.SIGHUP)
        return daemon.wait_for_line(words, count)

    def test_generators_come_and_go_and_those_that_stay_are_untouched(self):
        daemon = self.start(BASE + generator("main") + generator("old", 2))
        client = self.connect(daemon)
        first = int(client.ask("NEXT", "main"))
        self.assertTrue(client.ask("NEXT", "old").isdigit())
        self.reload(daemon, BASE + generator("main", 1, max_batch="5") + generator("new", 3), "2 generators")
        self.assert_error("ERR", "no generator old", client, "NEXT", "old")
        self.assertTrue(client.ask("NEXT", "new").isdigit())
        self.assertGreater(int(client.ask("NEXT", "main")), first)
        self.assert_error("LIMIT", "at most 5", client, "NEXT", "main", 6)
        # The worker id of a generator that went is free again: its lock is of this host.
        back = BASE + generator("main") + "[generator again]\nworker=fixed:2\nstate=memory\n"
        self.reload(daemon, back, "SIGHUP: the configuration was read", 2)
        self.assertTrue(client.ask("NEXT", "again").isdigit())

    def test_the_worker_id_of_a_generator_that_goes_is_free_at_the_next_reload(self):
        daemon = self.start(BASE + generator("main") + generator("old", 2))
        renamed = BASE + generator("main") + generator("new", 2)
        self.reload(daemon, renamed, "a generator that this reload closes keeps its worker id until then")
        daemon.wait_for_line("stays in use")
        self.reload(daemon, BASE + generator("main"), "1 generator,")
        self.reload(daemon, renamed, "2 generators")
        self.assertTrue(self.connect(daemon).ask("NEXT", "new").isdigit())

    def test_the_last_worker_id_of_a_namespace_is_free_at_the_next_reload(self):
        daemon = self.start(BASE + generator("main"))
        url = f"file://{daemon.folder}/ids"
        subprocess.run([FRAZIL, "lease", "init", "--never-used", f"worker={url}"], check=True, capture_output=True)
        leased = f"worker={url}\nbase=2\ncount=1\nstate=memory\n"
        self.reload(daemon, BASE + generator("main") + f"[generator old]\n{leased}", "2 generators")
        self.reload(daemon, BASE + generator("main") + f"[generator new]\nopen_wait=2s\n{leased}", "reload without both first")
        daemon.wait_for_line("stays in use")

    def test_a_reload_refuses_what_can_make_the_ids_of_a_generator_that_goes(self):
        # The host's claims do not keep two namespaces apart, and both serve until the reload is done.
        daemon = self.start(BASE + generator("main") + generator("old", 2))
        apart = BASE + generator("main") + generator("new", 2, namespace="apart")
        self.reload(daemon, apart, "[generator new]: it can make the same ids as [generator old]")
        daemon.wait_for_line("stays in use")
        self.assertTrue(self.connect(daemon).ask("NEXT", "old").isdigit())
        self.reload(daemon, BASE + generator("main"), "1 generator,")
        self.reload(daemon, apart, "2 generators")
        self.assertTrue(self.connect(daemon).ask("NEXT", "new").isdigit())

    def test_a_reload_compares_with_what_runs_whatever_its_file_says_by_now(self):
        with tempfile.TemporaryDirectory(prefix="frazild-test-") as folder:
            path = os.path.join(folder, "old.conf")

            def write_worker(number):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"worker=fixed:{number}\n")

            write_worker(2)
            daemon = self.start(BASE + generator("main") + f"[generator old]\nconfig={path}\nstate=memory\n")
            write_worker(3)
            apart = BASE + generator("main") + generator("new", 2, namespace="apart")
            self.reload(daemon, apart, "[generator new]: it can make the same ids as [generator old]")
            os.unlink(path)
            self.reload(daemon, BASE + generator("main"), "1 generator,")

    def check_shortage(self, daemon, shortages, new):
        """Each reload that lacks something keeps the old configuration, and nothing of the generator that did not come;
        when it lacks nothing any more, that one comes."""
        client = self.connect(daemon)
        client.ask("PING")
        before = daemon.open_files()
        for count, short in enumerate(shortages, 1):
            short()
            self.reload(daemon, BASE + generator("main") + new, "stays in use", count)
            self.assertTrue(client.ask("NEXT", "main").isdigit())
            self.assertEqual(daemon.open_files(), before)
        return client

    def test_a_reload_without_descriptors_leaves_no_trace(self):
        new = generator("new", 2, run_dir="@/run", state_dir="@/state").replace("state=memory", "state=file")
        daemon = self.start()
        self.connect(daemon).ask("PING")
        free = daemon.open_files()
        client = self.check_shortage(daemon, [lambda count=count: daemon.limit_files(count) for count in range(free, free + 6)], new)
        for words in ("claimed", "state file"):  # it came as far as both
            self.assertTrue(any(words in line for line in daemon.lines), daemon.lines)
        daemon.limit_files(None)
        self.reload(daemon, BASE + generator("main") + new, "2 generators")
        self.assertTrue(client.ask("NEXT", "new").isdigit())

    @unittest.skipIf(INSTRUMENTED, "a sanitizer must be loaded before the stand-in")
    def test_a_reload_without_threads_leaves_no_trace(self):
        new = generator("new", 2, run_dir="@/run", state_dir="@/state").replace("state=memory", "state=file")
        with tempfile.TemporaryDirectory(prefix="frazild-test-") as folder:
            want = pathlib.Path(folder, "want")
            daemon = self.start(env={**stand_in(folder, NO_THREADS), "TEST_NO_THREADS": str(want)})
            client = self.check_shortage(daemon, [want.touch] * 3, new)
            self.assertTrue(any("the keeper thread cannot be started" in line for line in daemon.lines), daemon.lines)
            self.assertFalse(any("keeper=" in line for line in daemon.lines), daemon.lines)  # no other is for a daemon
            want.unlink()
            self.reload(daemon, BASE + generator("main") + new, "2 generators")
            self.assertTrue(client.ask("NEXT", "new").isdigit())

    def test_a_client_that_goes_in_the_middle_of_a_reply_holds_no_generator(self):
        old = generator("old", 2, layout="41/2/20", max_batch=65536)
        daemon = self.start(BASE + generator("main") + old)
        other = self.connect(daemon)
        with socket.create_connection(daemon.address()) as client:
            client.sendall(Client.pack("NEXT", "old", 65536) * 40)  # more than the system takes
            self.assertEqual(client.recv(1), b"*")
        while b"connected_clients:1\r\n" not in other.ask("INFO"):
            pass
        self.reload(daemon, BASE + generator("main"), "1 generator,")
        self.reload(daemon, BASE + generator("main") + old.replace("old", "again"), "2 generators")
        self.assertTrue(other.ask("NEXT", "again").isdigit())

    def test_mistakes_keep_the_old_configuration_and_are_named(self):
        several = "[generator several]\nworker=file-lock\nstate=file\nrun_dir=@\nstate_dir=@\n"
        both = BOTH.replace("http]\naddress=127.0.0.1:0", "http]\naddress=127.0.0.1:0 unix:@/s")
        daemon = self.start(both + generator("main") + several)
        client = self.connect(daemon)
        changed = "needs a restart"
        for count, (text, words) in enumerate(
            (
                (both + generator("main") + "colour=red\n", ":10: "),
                (both + generator("main") + "max batch=10\n", ":10: the text before the '=' is not a key"),
                (both + generator("main", 2), changed),
                (both + generator("main") + several + "worker_ids=2\n", changed),
                (both + generator("main", 1, layout="twitter"), changed),
                (both + generator("main", 1, layout="'41/10/12 epoch=2090-01-01'"), "[generator main]: the layout's epoch 2090-01-01"),
                (both + "[generator main]\nworker=nosuch://h/n\n", "[generator main]: worker: no coordinator is called 'nosuch'"),
                (both + generator("main").replace("memory", "file") + "run_dir=@/none/run\nstate_dir=@/none/state\n", "[generator main]: the run directory"),
                (both.replace("[daemon]", "[daemon]\nthreads=3") + generator("main"), changed),
                (BASE + generator("main"), changed),
                (both.replace("[daemon]", "[daemon]\nmax_connections=3") + generator("main"), changed),
                (both.replace("127.0.0.1:0", "127.0.0.2:0", 1) + generator("main"), changed),
                (both.replace("http]\naddress=127.0.0.1", "http]\naddress=127.0.0.2") + generator("main"), changed),
                (both.replace("http]\n", "http]\nmode=0600\n") + generator("main"), "mode= changed, which needs a restart"),
                (both + generator("main") + generator("far").replace("fixed:1", "fixed:99999"), "[generator far]"),
            ),
            1,
        ):
            with self.subTest(words=words, count=count):
                before = len(daemon.lines)
                self.reload(daemon, text, "stays in use", count)
                self.assertTrue(any(words in line for line in daemon.lines[before:]), daemon.lines[before:])
                self.assertTrue(client.ask("NEXT").isdigit())
        its = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(its.close)
        last = "frazild_config_last_reload_success"

        def metrics():
            its.request("GET", "/metrics")
            return {line.split()[0]: float(line.split()[1]) for line in its.getresponse().read().decode().splitlines() if line[0] != "#"}

        before = metrics()
        self.assertEqual(before[f"{last}ful"], 0)
        time.sleep(max(0, 2 + before[f"{last}_timestamp_seconds"] - time.time()))
        self.reload(daemon, both + generator("main"), "was read")
        after = metrics()
        self.assertEqual(after[f"{last}ful"], 1)
        self.assertGreater(after[f"{last}_timestamp_seconds"], before[f"{last}_timestamp_seconds"])

    def test_mistakes_leave_no_descriptor_open(self):
        folder = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(folder.cleanup)
        daemon = self.start(BASE + generator("main"))
        wrong = BASE.replace("[listen", f"page={folder.name}\n[listen") + generator("main")  # it can be opened, and is no file
        counts = []
        for count in range(1, 5):
            self.reload(daemon, wrong, "stays in use", count)
            counts.append(len(os.listdir(f"/proc/{daemon.process.pid}/fd")))
        self.assertEqual(counts, counts[:1] * 4)

    def test_a_configuration_that_cannot_be_read_or_understood_is_not_said_to_have_changed(self):
        text = BOTH.replace("[daemon]", "[daemon]\nthreads=3") + generator("main")
        daemon = self.start(text)

        def complaints(count):
            """Of the last SIGHUP."""
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_line("stays in use", count)
            return [line for line in daemon.lines[seen:] if "SIGHUP: " not in line]

        for count, wrong in enumerate((text.replace("threads=3", "threads=x"), text + "colour=red\n"), 1):
            self.write(daemon, wrong)
            seen = len(daemon.lines)
            self.assertEqual(len(complaints(count)), 1, daemon.lines[seen:])
        os.remove(daemon.config)
        seen = len(daemon.lines)
        complaint = complaints(3)
        self.assertEqual(len(complaint), 1, complaint)
        self.assertIn("cannot be read: ", complaint[0])
        # What is missing may stand in the file that cannot be read.
        self.write(daemon, text.replace("address=127.0.0.1", "tls_certificate=@/none\naddress=0.0.0.0").split("[generator")[0])
        os.makedirs(os.path.join(daemon.folder, "conf.d"))
        os.mkfifo(os.path.join(daemon.folder, "conf.d", "a.conf"))
        seen = len(daemon.lines)
        self.assertIn("FIFO", " ".join(complaints(4)))
        self.assertNotIn("users", " ".join(daemon.lines[seen:]))
        self.assertNotIn("changed", " ".join(daemon.lines[seen:]))

    def test_users_that_went_are_cut_and_those_that_stay_go_on(self):
        folder = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(folder.cleanup)

        def user(name, allow="next:*", token=TOKEN):
            path = os.path.join(folder.name, name)
            digest = hashlib.sha256((token + name).encode()).hexdigest()
            with open(path, "w", encoding="ascii", opener=lambda its, flags: os.open(its, flags, 0o600)) as file:
                file.write(digest + "\n")
            return f"[user {name}]\nsecret_file={path}\nallow={allow}\n"

        daemon = self.start(BASE + generator("main") + user("anna") + user("bert"))
        anna, bert = self.connect(daemon), self.connect(daemon)
        anna.ask("AUTH", "anna", TOKEN + "anna")
        bert.ask("AUTH", "bert", TOKEN + "bert")
        self.reload(daemon, BASE + generator("main") + user("anna"), "1 generator, 1 user")
        self.assertTrue(anna.ask("NEXT").isdigit())
        self.assert_cut(bert)
        self.reload(daemon, BASE + generator("main") + user("anna", token="another"), "1 user", 2)
        self.assert_cut(anna)

    def test_a_conf_d_that_cannot_be_read_any_more_leaves_the_users_as_they_are(self):
        daemon = self.start(BASE + generator("main"))
        folder = os.path.join(daemon.folder, "conf.d")
        os.mkdir(folder)
        for name, text in (("secret", hashlib.sha256(TOKEN.encode()).hexdigest()), ("u.conf", f"[user a]\nsecret_file={folder}/secret\nallow=next:*\n")):
            with open(os.path.join(folder, name), "w", encoding="ascii", opener=lambda its, flags: os.open(its, flags, 0o600)) as file:
                file.write(text)
        daemon.process.send_signal(signal.SIGHUP)
        self.assertIn("SIGHUP: the configuration has 2 files, and had 1 before", daemon.wait_for_line("files"))
        daemon.wait_for_line("1 user")
        os.rename(folder, folder + ".was")
        os.symlink("none", folder)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("stays in use")
        self.assertTrue(any("conf.d: cannot be read: " in line for line in daemon.lines), daemon.lines)
        self.assert_error("NOAUTH", "", self.connect(daemon), "NEXT")
        os.remove(folder)
        daemon.process.send_signal(signal.SIGHUP)
        self.assertIn("has 1 file, and had 2 before", daemon.wait_for_line("and had", 2))
        daemon.wait_for_line("0 users")

    def test_a_default_file_that_is_gone_is_no_first_try(self):
        if os.path.lexists("/etc/frazil"):
            self.skipTest("this host has a configuration")
        hide = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /etc && mkdir /etc/frazil && cp "$1" /etc/frazil/frazild.conf && exec "$0"', FRAZILD)
        if subprocess.run([*hide[:4], "mount -t tmpfs none /etc"], capture_output=True).returncode != 0:
            self.skipTest("this user can hide no folder")
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(BASE + generator("main"))
            file.flush()
            daemon = self.start(command=hide, arguments=[file.name])
        os.remove(os.path.join(f"/proc/{daemon.process.pid}", "root", "etc/frazil/frazild.conf"))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("stays in use")
        self.assertTrue(any("frazild.conf: cannot be read: No such file" in line for line in daemon.lines), daemon.lines)

    def assert_cut(self, client):
        try:
            with self.assertRaises(ReplyError):
                client.ask("NEXT")
        except (EOFError, ConnectionError):
            pass  # it was closed before it asked
        self.assertTrue(client.is_closed())

    def test_a_storm_of_signals_loses_no_request(self):
        daemon = self.start(BASE + generator("main", 1, layout="41/2/20"))
        texts = [BASE + generator("main", 1, layout="41/2/20", rate=rate) for rate in ("unlimited", "100000000")]
        ids, over = [], threading.Event()

        def take():
            client = daemon.client()
            while not over.is_set():
                ids.extend(client.ask("NEXT", "main", 10))
            client.close()

        threads = [threading.Thread(target=take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for i in range(200):
            self.write(daemon, texts[i % 2])
            daemon.process.send_signal(signal.SIGHUP)
        over.set()
        for thread in threads:
            thread.join()
        self.assertEqual(len(ids), len(set(ids)))
        daemon.wait_for_line("SIGHUP: the configuration was read")
        self.assertEqual(daemon.end(), 0)

    def test_requests_that_wait_live_through_a_reload_even_of_a_generator_that_went(self):
        slow = generator("slow", 2, layout="39/10/4", tick="100ms")
        daemon = self.start(BASE + generator("main") + slow)
        waiting, other = self.connect(daemon), self.connect(daemon)
        waiting.send(Client.pack("NEXT", "slow", 300))
        while b"waiting=1" not in other.ask("INFO"):
            pass
        self.reload(daemon, BASE + generator("main"), "1 generator,")
        self.assertEqual(len(waiting.read()), 300)
        self.assert_error("ERR", "no generator slow", other, "NEXT", "slow")


class Drain(TestCase):
    def test_who_comes_during_a_drain_is_refused_at_once(self):
        slow = generator("slow", 1, layout="31/10/2", tick="1h")
        timeouts = "request_timeout=5h\ndrain_timeout=1000s\n[listen"
        config = BASE.replace("[listen", timeouts).replace("127.0.0.1:0", "127.0.0.1:0 unix:@/socket")
        daemon = self.start(config + slow)
        busy = self.connect(daemon)
        busy.send(busy.pack("NEXT", "slow", 20))
        late = [self.connect(daemon, index) for index in (0, 1)]
        self.assertEqual([client.ask("PING") for client in late], ["PONG"] * 2)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        for index, client in enumerate(late):
            self.assertTrue(client.is_closed())
            with self.assertRaises((ConnectionRefusedError, FileNotFoundError)):
                while True:
                    self.connect(daemon, index).is_closed()
        self.assertIsNone(daemon.process.poll())
        daemon.process.send_signal(signal.SIGTERM)
        with self.assertRaisesRegex(ReplyError, "^TRYAGAIN shutting down"):
            busy.read()
        self.assertTrue(busy.is_closed())

    def test_a_second_sigterm_ends_the_delay_and_a_third_one_cuts(self):
        slow = generator("slow", 1, layout="31/10/2", tick="1h")
        timeouts = "request_timeout=5h\ndrain_timeout=1000s\n[listen"
        daemon = self.start(BASE.replace("drain_delay=0s", "drain_delay=1h").replace("[listen", timeouts) + slow)
        busy, other = self.connect(daemon), self.connect(daemon)
        busy.send(busy.pack("NEXT", "slow", 20))
        while b"waiting=1" not in other.ask("INFO"):
            pass
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        self.assertEqual(other.ask("PING"), "PONG")  # the delay
        daemon.process.send_signal(signal.SIGTERM)
        self.assertTrue(other.is_closed())  # the drain
        self.assertIsNone(daemon.process.poll())
        daemon.process.send_signal(signal.SIGTERM)
        with self.assertRaisesRegex(ReplyError, "^TRYAGAIN shutting down"):
            busy.read()
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)
        daemon.wait_for_line("stopped")  # and it says of no coordinator that it was cut

    def test_who_waits_is_told_at_the_end_that_the_daemon_ends(self):
        slow = generator("slow", 1, layout="31/10/2", tick="24h")
        timeouts = "request_timeout=30h\ndrain_timeout=4s\n[listen"
        daemon = self.start(BOTH.replace("[listen", timeouts, 1) + slow)
        first, many, silent, multi = [self.connect(daemon) for _ in range(4)]
        self.assertEqual(len(first.ask("NEXT", "slow", 4)), 4)  # all of this day
        many.send(many.pack("PING") + many.pack("NEXT", "slow") * 3)
        silent.send(silent.pack("PING") + silent.pack("CLIENT", "REPLY", "OFF") + silent.pack("NEXT", "slow"))
        multi.send(b"".join(multi.pack(*words) for words in (("PING",), ("MULTI",), ("PING",), ("NEXT", "slow"), ("EXEC",))))
        web = Client(daemon.address("http"))
        self.addCleanup(web.close)
        web.send(b"GET /v1/generators/slow/ids HTTP/1.1\r\nHost: localhost\r\nX-Requested-With: test\r\n\r\n" * 2)
        while not 4 <= int(re.search(rb"waiting=(\d+)", first.ask("INFO"))[1]):
            pass
        daemon.process.send_signal(signal.SIGTERM)
        replies = {name: its.file.read() for name, its in (("many", many), ("silent", silent), ("multi", multi))}
        ends = b"-TRYAGAIN shutting down: retry on another instance\r\n"
        self.assertEqual(replies["many"], b"+PONG\r\n" + ends * 3)
        self.assertEqual(replies["silent"], b"+PONG\r\n")
        self.assertEqual(replies["multi"], b"+PONG\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+PONG\r\n" + ends)
        head = web.file.read()  # of the first request: behind it none is answered
        self.assertRegex(head, rb"^HTTP/1\.1 503 [^{]*\r\nConnection: close\r\n")
        self.assertEqual(head.count(b"HTTP/1.1"), 1)

    def state_of(self, daemon):
        with open(f"/proc/{daemon.process.pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(") ", 1)[1].split()[0]

    def let_in(self, port):
        """How many wait at that port to be accepted."""
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in list(file)[1:]]
        return sum(int(row[4].split(":")[1], 16) for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "0A")

    def test_who_was_let_in_before_a_drain_is_answered(self):
        count = 400  # more than a thread lets in before it looks at anything else
        daemon = self.start(BASE.replace("[listen", "threads=1\n[listen") + generator("main"))
        os.kill(daemon.process.pid, signal.SIGSTOP)
        while self.state_of(daemon) != "T":
            pass
        clients = [self.connect(daemon) for _ in range(count)]
        for client in clients:
            client.send(client.pack("NEXT"))
        # A client may know of its connection before the system lets it in.
        until(lambda: self.let_in(clients[0].socket.getpeername()[1]) >= count)
        daemon.process.send_signal(signal.SIGTERM)
        os.kill(daemon.process.pid, signal.SIGCONT)
        ids = [int(client.read()) for client in clients]
        self.assertEqual(len(set(ids)), count)


class Manager:
    """Of services, as systemd is one: it opens the sockets, hands them over, and is told what happens."""

    def __init__(self, config):
        self.folder = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.config = os.path.join(self.folder.name, "frazild.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(config)
        self.sockets = {}
        for name in ("resp", "http", "third"):
            its = socket.socket()
            its.bind(("127.0.0.1", 0))
            its.listen(1024)
            self.sockets[name] = its
        self.told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.told.settimeout(PATIENCE_S)
        self.notify = os.path.join(self.folder.name, "notify")
        self.told.bind(self.notify)

    def open_to_others(self, name):
        """Has another socket in the place of this one, which other hosts reach."""
        self.sockets[name].close()
        its = socket.socket()
        its.bind(("0.0.0.0", 0))
        its.listen(1024)
        self.sockets[name] = its

    def start(self, names=("resp", "http"), **environment):
        fds = [self.sockets[name].fileno() for name in names]

        def hand_over():
            copies = [os.dup(fd) for fd in fds]
            high = [os.dup2(copy, 100 + i) for i, copy in enumerate(copies)]
            for i, fd in enumerate(high):
                os.dup2(fd, 3 + i)
            os.environ["LISTEN_PID"] = str(os.getpid())

        variables = {"LISTEN_FDS": str(len(fds)), "LISTEN_FDNAMES": ":".join(names), "NOTIFY_SOCKET": self.notify}
        # The shell's pid is the daemon's after exec: only so LISTEN_PID can be right.
        return subprocess.Popen(
            ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$0" -c "$1"', FRAZILD, self.config],
            env={**os.environ, **variables, **environment},
            preexec_fn=hand_over,
            close_fds=False,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_told(self, words):
        told = []
        while not any(words in line for line in told):
            told += self.told.recv(4096).decode().splitlines()
        return told

    def listen_by_an_abstract_name(self):
        """Is told by a name that no file has."""
        self.told.close()
        self.told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.told.settimeout(PATIENCE_S)
        self.told.bind("\0" + self.notify)
        self.notify = "@" + self.notify

    def close(self):
        for its in self.sockets.values():
            its.close()
        self.told.close()
        self.folder.cleanup()


class Streams(unittest.TestCase):
    def test_what_it_opens_is_no_standard_stream_that_was_closed(self):
        with tempfile.TemporaryDirectory(prefix="frazild-test-") as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            path, notify = os.path.join(folder, "f.conf"), os.path.join(folder, "notify")
            told.bind(notify)
            told.settimeout(PATIENCE_S)
            with open(path, "w", encoding="utf-8") as file:
                file.write(BASE + generator("main") + f"host_dir={folder}/host\n")
            command = ["/bin/sh", "-c", 'exec "$0" -c "$1" 0<&- 1>&- 2>&-', FRAZILD, path]
            its = subprocess.Popen(command, env={**os.environ, "NOTIFY_SOCKET": notify})
            try:
                while b"READY=1" not in told.recv(4096):
                    pass
                self.assertEqual([os.readlink(f"/proc/{its.pid}/fd/{fd}") for fd in range(3)], ["/dev/null"] * 3)
            finally:
                its.terminate()
                self.assertEqual(its.wait(PATIENCE_S), 0)


class Services(TestCase):
    def manage(self, config):
        manager = Manager(config)
        self.addCleanup(manager.close)
        return manager

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_S)
        process.stderr.close()

    def run_it(self, manager, *arguments, **options):
        process = manager.start(*arguments, **options)
        self.addCleanup(self.end, process)
        return process

    def test_a_socket_that_other_hosts_reach_needs_what_an_address_needs(self):
        manager = self.manage(BOTH + generator("main"))
        manager.open_to_others("resp")
        refused = self.run_it(manager)
        errors = refused.stderr.read()
        self.assertEqual(refused.wait(PATIENCE_S), 4, errors)
        self.assertIn("[listen resp] listens beyond this host without TLS", errors)
        self.assertIn("there are no users", errors)
        manager = self.manage(BOTH.replace("[listen resp]\n", "[listen resp]\ninsecure=yes\n") + generator("main"))
        manager.open_to_others("resp")
        self.run_it(manager)
        manager.wait_until_told("READY=1")

    def test_a_reload_leaves_no_socket_that_other_hosts_reach_without_what_it_needs(self):
        insecure = BOTH.replace("[listen resp]\n", "[listen resp]\ninsecure=yes\n") + generator("main")
        manager = self.manage(insecure)
        manager.open_to_others("resp")
        process = self.run_it(manager)
        manager.wait_until_told("READY=1")
        for text, words in ((BOTH + generator("main"), "there are no users"), (insecure, "the configuration was read")):
            with open(manager.config, "w", encoding="utf-8") as file:
                file.write(text)
            process.send_signal(signal.SIGHUP)
            said = ""
            while "SIGHUP: the " not in said:
                line = process.stderr.readline()
                self.assertNotEqual(line, "", said)  # it has ended
                said += line
            self.assertIn(words, said)

    def test_a_mapped_address_of_this_host_is_of_this_host(self):
        manager = self.manage(BOTH + generator("main"))
        manager.sockets["resp"].close()
        manager.sockets["resp"] = its = socket.socket(socket.AF_INET6)
        its.bind(("::ffff:127.0.0.1", 0))
        its.listen(1024)
        self.run_it(manager)
        manager.wait_until_told("READY=1")

    def test_a_manager_whose_queue_was_full_is_told_later(self):
        manager = self.manage(BOTH + generator("main"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as others:
            others.setblocking(False)
            with self.assertRaises(BlockingIOError):
                while True:
                    others.sendto(b"X=1", manager.notify)
        process = self.run_it(manager)
        while "is ready" not in (line := process.stderr.readline()):
            self.assertNotEqual(line, "")
        state = None
        while state != "S":  # it has tried to say so, and sleeps
            with open(f"/proc/{process.pid}/task/{process.pid}/stat", encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        self.assertIn("READY=1", manager.wait_until_told("READY=1"))

    def test_the_manager_is_told_of_each_step(self):
        manager = self.manage(BOTH + generator("main"))
        process = self.run_it(manager, WATCHDOG_USEC="200000")
        manager.wait_until_told("READY=1")
        manager.wait_until_told("WATCHDOG=1")
        process.send_signal(signal.SIGHUP)
        told = manager.wait_until_told("RELOADING=1")
        if not any("MONOTONIC_USEC=" in line for line in told):
            manager.wait_until_told("MONOTONIC_USEC=")
        manager.wait_until_told("READY=1")
        process.send_signal(signal.SIGTERM)
        told = manager.wait_until_told("STOPPING=1")
        # 0 s of drain_delay, 30 s of drain_timeout, and 30 s to give worker ids back.
        self.assertIn("EXTEND_TIMEOUT_USEC=60000000", told)
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_a_time_of_the_watchdog_that_is_no_number_is_named(self):
        manager = self.manage(BOTH + generator("main"))
        for text in ("x", "200000x", "", "9" * 20):
            process = self.run_it(manager, WATCHDOG_USEC=text)
            manager.wait_until_told("READY=1")
            process.send_signal(signal.SIGTERM)
            self.assertIn(f"WATCHDOG_USEC={text} is not a number of microseconds", process.stderr.read())
            self.assertEqual(process.wait(PATIENCE_S), 0)
        process = self.run_it(manager, WATCHDOG_USEC="x", WATCHDOG_PID="1")  # another process is meant
        manager.wait_until_told("READY=1")
        process.send_signal(signal.SIGTERM)
        self.assertNotIn("WATCHDOG_USEC", process.stderr.read())
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_a_manager_may_have_an_abstract_name(self):
        manager = self.manage(BOTH + generator("main"))
        manager.listen_by_an_abstract_name()
        process = self.run_it(manager)
        manager.wait_until_told("READY=1")
        process.send_signal(signal.SIGTERM)
        manager.wait_until_told("STOPPING=1")
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_a_manager_that_does_not_read_makes_it_deaf_to_no_signal(self):
        manager = self.manage(BOTH + generator("main"))
        other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(other.close)
        other.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                other.sendto(b"X=1", manager.notify)
        process = self.run_it(manager, WATCHDOG_USEC="2000")
        while "is ready" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_what_is_meant_for_another_process_is_not_taken(self):
        environment = {**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "resp"}
        for pid in ({"LISTEN_PID": "1"}, {"LISTEN_PID": str(os.getpid())}, {"LISTEN_PID": ""}, {"LISTEN_PID": "x"}, {}):
            daemon = self.start(env={**environment, **pid})
            self.assertTrue(self.connect(daemon).ask("NEXT").isdigit())
            daemon.end()

    def test_sockets_without_a_known_name_are_refused(self):
        manager = self.manage(BASE + generator("main"))
        for name in ("http", "res", ""):
            process = self.run_it(manager, LISTEN_FDNAMES=f"resp:{name}")
            self.assertIn(f"socket 1 of the service manager is called '{name}'", process.stderr.read())
            self.assertEqual(process.wait(PATIENCE_S), 4)

    def test_what_accepts_no_connections_is_refused_by_its_name(self):
        manager = self.manage(BASE + generator("main"))
        listening = manager.sockets["third"]
        connected = socket.create_connection(listening.getsockname())
        for its, words in (
            (socket.socket(socket.AF_INET, socket.SOCK_DGRAM), "it is not a TCP or unix stream socket"),
            (socket.socket(), "it does not listen"),
            (connected, "it is a connection, not a listening socket: use Accept=no"),
            (listening.accept()[0], "it is a connection, not a listening socket: use Accept=no"),
            (open(manager.config, encoding="utf-8"), "it is not a socket"),
        ):
            with self.subTest(words=words), its:
                manager.sockets["wrong"] = its
                process = self.run_it(manager, ("wrong",), LISTEN_FDNAMES="resp")
                said = process.stderr.read()
                self.assertIn(f"socket 0 of the service manager, 'resp', descriptor 3, cannot be taken over: {words}", said)
                self.assertEqual((said.count("\n"), process.wait(PATIENCE_S)), (1, 4))

    def test_a_number_of_sockets_that_cannot_be_is_one_mistake(self):
        manager = self.manage(BASE + generator("main"))
        for number in ("-1", "65", "99999999", "9" * 30, "x", "1x", " 1", "1 ", "+1", "0x1", ""):
            process = self.run_it(manager, ("resp",), LISTEN_FDS=number)
            said = process.stderr.read()
            self.assertIn(f"LISTEN_FDS={number}: a service manager hands over 0 to 64 sockets", said)
            self.assertEqual((said.count("\n"), process.wait(PATIENCE_S)), (1, 4))

    def test_a_socket_that_comes_twice_is_refused(self):
        manager = self.manage(BOTH + generator("main"))
        process = self.run_it(manager, ("http", "resp", "resp"), LISTEN_FDNAMES="http:resp:http")
        said = process.stderr.read()
        self.assertIn("socket 2 of the service manager, 'http', is the same as its socket 1: give each its own socket", said)
        self.assertEqual((said.count("\n"), process.wait(PATIENCE_S)), (1, 4))

    def test_a_socket_with_an_abstract_name_is_named(self):
        manager = self.manage(BOTH + generator("main"))
        with socket.socket(socket.AF_UNIX) as its:
            name = f"@frazild-test-{os.getpid()}"
            its.bind("\0" + name[1:])
            its.listen(1)
            manager.sockets["wrong"] = its
            process = self.run_it(manager, ("wrong",), LISTEN_FDNAMES="resp")
            lines = [process.stderr.readline() for _ in range(3)]
        self.assertIn(f"frazild: listening: resp unix:{name}\n", lines)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_each_socket_serves_the_protocol_of_its_own_name(self):
        manager = self.manage(BOTH + generator("main"))
        self.run_it(manager, ("resp", "http", "third"), LISTEN_FDNAMES="resp:http:resp")
        manager.wait_until_told("READY=1")
        for name in ("resp", "third"):
            client = Client(manager.sockets[name].getsockname())
            self.addCleanup(client.close)
            self.assertEqual(client.ask("PING"), "PONG")

    def test_successors_on_the_same_sockets_lose_no_request_and_repeat_no_id(self):
        manager = self.manage(BOTH + "[generator main]\nworker=file-lock\nstate=file\nrun_dir=@/run\nstate_dir=@/state\n")
        with open(manager.config, encoding="utf-8") as file:
            text = file.read().replace("@", manager.folder.name)
        with open(manager.config, "w", encoding="utf-8") as file:
            file.write(text)
        for name in ("run", "state"):
            os.mkdir(os.path.join(manager.folder.name, name), 0o700)
        ids, failures, over = [], [], threading.Event()

        def by_http():
            address = manager.sockets["http"].getsockname()
            while not over.is_set():
                its = http.client.HTTPConnection(*address, timeout=PATIENCE_S)
                try:
                    its.request("GET", "/v1/generators/main/ids?n=3", headers={"X-Requested-With": "test"})
                    ids.extend(json.loads(its.getresponse().read())["ids"])
                except (OSError, http.client.HTTPException, ValueError) as failure:
                    failures.append(failure)
                finally:
                    its.close()

        def by_resp():
            address = manager.sockets["resp"].getsockname()
            client = None
            while not over.is_set():
                try:
                    client = client or Client(address)
                    ids.extend(id.decode() for id in client.ask("NEXT", "main", 3))
                except (EOFError, ConnectionError):
                    client.close()  # an idle one is closed by a daemon that ends: the client connects anew
                    client = None
            if client is not None:
                client.close()

        process = self.run_it(manager)
        manager.wait_until_told("READY=1")
        threads = [threading.Thread(target=target) for target in (by_http, by_http, by_resp, by_resp)]
        for thread in threads:
            thread.start()
        for _ in range(10):
            successor = self.run_it(manager)
            manager.wait_until_told("READY=1")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_S), 0)
            process = successor
        over.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertGreater(len(ids), 100)
        self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    unittest.main()
