# SPDX-License-Identifier: MIT
"""Goal of this test: broken, slow, greedy and dying peers, and a daemon that dies, cost nobody else anything."""

import http.client
import json
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

from harness import BASE, FRAZIL, FRAZILD, INSTRUMENTED, PATIENCE_S, Client, TestCase, generator

TEN_THOUSAND_KIB = 40 * 1024  # what 10,000 idle connections may take


def limit_files(count):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


class Starts(TestCase):
    @unittest.skipIf(INSTRUMENTED, "a sanitizer ends a process that gets no thread")
    @unittest.skipIf(os.geteuid() != 0, "only root can be a user with no other process")
    def test_a_start_without_threads_says_why(self):
        user = 20000 + os.getpid() % 40000  # its threads are counted on the whole machine
        with tempfile.TemporaryDirectory(prefix="frazild-test-") as folder, open(os.path.join(folder, "f.conf"), "w", encoding="utf-8") as file:
            os.chmod(folder, 0o1777)
            file.write(BASE.replace("[daemon]", "[daemon]\nthreads=2") + generator("main", host_dir=os.path.join(folder, "host")))
            file.flush()
            os.fchmod(file.fileno(), 0o644)

            def start(most):
                """Whether it starts with so many threads."""
                limit = lambda: (resource.setrlimit(resource.RLIMIT_NPROC, (most, most)), os.setgroups([]), os.setuid(user))
                process = subprocess.Popen([FRAZILD, "-c", file.name], stderr=subprocess.PIPE, text=True, preexec_fn=limit)
                self.addCleanup(process.stderr.close)
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)
                last, line = "", process.stderr.readline()
                while line and "is ready" not in line:
                    last, line = line, process.stderr.readline()
                process.terminate()
                status = process.wait(PATIENCE_S)
                if not line:
                    self.assertEqual((status, last.startswith("frazild: ")), (4, True))
                    said.append("a thread cannot be started: " in last)
                return line != ""

            said = []
            self.assertTrue(any(start(most) for most in range(1, 20)))
        self.assertTrue(any(said))

    def test_a_start_without_descriptors_gives_its_worker_id_back(self):
        folder = tempfile.mkdtemp(prefix="frazild-test-")
        self.addCleanup(shutil.rmtree, folder)
        url = f"file://{folder}/ids"
        subprocess.run([FRAZIL, "lease", "init", "--never-used", url], check=True, capture_output=True)
        path = pathlib.Path(folder, "f.conf")
        path.write_text(BASE.replace("[daemon]", "[daemon]\nthreads=4") + f"[generator main]\nworker={url}\nstate=memory\n", encoding="utf-8")

        def run(most):
            process = subprocess.Popen([FRAZILD, "-c", path], stderr=subprocess.PIPE, text=True, env=env, preexec_fn=limit_files(most))
            self.addCleanup(process.stderr.close)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            said = ""
            while line := process.stderr.readline():
                said += line
                if "is ready" in line:
                    process.terminate()
            process.wait(PATIENCE_S)
            return said

        def start(most):
            """Whether it starts with so many descriptors; if there are none for its loops, it holds no worker id."""
            said = self.check_release(url, lambda: run(most), "a thread cannot be started: ")
            if "a thread cannot be started: " in said:
                without_loops.append(most)
            return "is ready" in said

        env = {**os.environ, "FRAZIL_HOST_DIR": f"{folder}/host"}
        without_loops = []
        self.assertTrue(any(start(most) for most in range(8, 64)))
        self.assertNotEqual(without_loops, [])


class Faults(TestCase):
    def test_one_byte_at_a_time_is_read(self):
        client = self.connect(self.start())
        for byte in Client.pack("NEXT", "main", 2) + b"NEXT\r\n":
            client.send(bytes([byte]))
        self.assertEqual(len(client.read()), 2)
        self.assertTrue(client.read().isdigit())

    def test_a_command_in_full_size_is_read_in_pieces(self):
        client = self.connect(self.start())
        text = b"x" * 65000
        packed = Client.pack("ECHO", text)
        for at in range(0, len(packed), 7000):
            client.send(packed[at : at + 7000])
        self.assertEqual(client.read(), text)
        self.assertEqual(client.ask("PING"), "PONG")

    def test_what_is_not_the_protocol_is_named_and_closed(self):
        daemon = self.start()
        for data in (b"*1\r\n$99999999\r\n", b"*1\r\n$-5\r\n", b"*9999999\r\n", b"*1\r\n:1\r\n", b"x" * 5000):
            client = self.connect(daemon)
            client.send(data)
            self.assertIn(b"-ERR Protocol error", client.file.readline())
            self.assertTrue(client.is_closed())

    def test_a_request_of_a_browser_runs_nothing(self):
        daemon = self.start()
        for head in (b"POST / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n", b"PUT /x HTTP/1.1\r\n"):
            client = self.connect(daemon)
            client.send(head + b"\r\n\r\n" + Client.pack("ECHO", "smuggled"))
            self.assertNotIn(b"smuggled", client.file.read())

    def test_half_closed_connections_get_their_replies(self):
        client = self.connect(self.start())
        client.send(Client.pack("NEXT", "main", 5000) * 3)
        client.socket.shutdown(socket.SHUT_WR)
        for _ in range(3):
            self.assertEqual(len(client.read()), 5000)
        self.assertTrue(client.is_closed())

    def test_a_reader_that_never_reads_is_stopped_then_cut_and_costs_bounded_memory(self):
        config = BASE.replace("[listen", "stall_timeout=1s\n[listen")
        daemon = self.start(config + generator("main", 1, layout="41/2/20", max_batch="65536"))
        before = daemon.memory_kib()
        client = self.connect(daemon, receive_buffer=4096)
        client.socket.setblocking(False)
        try:
            for _ in range(20000):
                client.socket.send(Client.pack("NEXT", "main", 65536))
        except (BlockingIOError, ConnectionError):
            pass  # on a busy machine it is cut while it asks
        other = self.connect(daemon)
        self.assertEqual(len(other.ask("NEXT", "main", 1000)), 1000)
        daemon.wait_for_line("stall_timeout")
        if not INSTRUMENTED:
            self.assertLess(daemon.memory_kib() - before, 16 * 1024)

    def test_readers_that_never_read_hold_no_more_than_the_manual_says(self):
        if INSTRUMENTED:
            self.skipTest("sanitizers take memory of their own")
        for max_batch, most_kib in ((10000, 160), (65536, 600)):  # docs/frazild.md, Limits
            daemon = self.start(BASE.replace("[listen", "threads=1\n[listen") + generator("main", 1, layout="41/2/20", max_batch=max_batch))
            other = self.connect(daemon)
            self.assertEqual(len(other.ask("NEXT", "main", max_batch)), max_batch)  # what all clients share is there
            before = daemon.memory_kib()
            clients = [self.connect(daemon, receive_buffer=4096) for _ in range(20)]
            for client in clients:
                client.send(Client.pack("NEXT", "main", max_batch) * (10 * 65536 // max_batch))  # more than the system takes
            taken = 0
            while taken != (taken := dict(zip(*[iter(other.ask("STATS", "main"))] * 2))[b"taken_by_clients"]):
                time.sleep(1)
            each_kib = (daemon.memory_kib() - before) / len(clients)
            print(f"a client that does not read holds {each_kib} KiB with max_batch={max_batch}")
            self.assertLess(each_kib, most_kib)

    def test_a_command_that_does_not_come_is_cut(self):
        daemon = self.start(BASE.replace("[listen", "request_timeout=200ms\n[listen") + generator("main"))
        client = self.connect(daemon)
        client.send(b"*2\r\n$4\r\nECHO\r\n")
        self.assertTrue(client.is_closed())
        daemon.wait_for_line("request_timeout")

    def test_too_many_connections_are_refused_by_both_protocols(self):
        config = BASE.replace("[listen", "max_connections=3\n[listen") + "[listen http]\naddress=127.0.0.1:0\n"
        daemon = self.start(config + generator("main"))
        asks = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(asks.close)
        asks.request("GET", "/livez")
        asks.getresponse().read()
        for _ in range(2):
            self.connect(daemon).ask("PING")
        self.assertIn(b"max number of clients", self.connect(daemon).file.readline())
        refused = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(refused.close)
        refused.connect()
        answer = http.client.HTTPResponse(refused.sock)  # it comes before a request
        answer.begin()
        self.assertEqual((answer.status, answer.headers["Content-Type"], answer.headers["Retry-After"]), (503, "application/problem+json", "1"))
        self.assertEqual(json.loads(answer.read())["detail"], "max number of clients reached")
        asks.request("GET", "/metrics")
        self.assertIn(b'frazild_connections_refused_total{reason="max_connections"} 2\n', asks.getresponse().read())

    def test_without_descriptors_it_refuses_and_goes_on(self):
        daemon = self.start(preexec=limit_files(40))
        clients = []
        while True:
            clients.append(self.connect(daemon))
            clients[-1].send(Client.pack("PING"))
            if not clients[-1].file.readline().startswith(b"+PONG"):
                break
        daemon.wait_for_line("no descriptor is left")
        self.assertEqual(clients[0].ask("PING"), "PONG")
        for client in clients[1:]:
            client.close()
        while True:  # until the daemon has seen that they are gone
            late = self.connect(daemon)
            late.send(Client.pack("NEXT"))
            if late.file.readline().startswith(b"$"):
                break

    def test_by_unix_sockets_it_does_so_too(self):
        config = BASE.replace("127.0.0.1:0", "unix:@/resp") + "[listen http]\naddress=unix:@/http\n" + generator("main")
        daemon = self.start(config)
        self.connect(daemon).ask("PING")  # one that stays
        daemon.limit_files(daemon.open_files())
        questions = {"resp": b"PING\r\n", "http": b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"}
        for protocol in questions:
            its = Client(daemon.address(protocol))
            self.addCleanup(its.close)
            self.assertRegex(its.file.readline(), rb"^(-ERR the daemon has no descriptor|HTTP/1.1 503 )")
        self.check_rest(daemon)
        daemon.limit_files(None)
        for protocol, question in questions.items():
            its = Client(daemon.address(protocol))
            self.addCleanup(its.close)
            its.send(question)
            self.assertRegex(its.file.readline(), rb"^(\+PONG|HTTP/1.1 200 )")

    def test_ten_thousand_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if INSTRUMENTED or hard < 11000:
            self.skipTest("sanitizers take memory of their own, and the host may allow too few descriptors")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        daemon = self.start(BASE.replace("[listen", "max_connections=20000\n[listen") + generator("main"))
        before = daemon.memory_kib()
        sockets = []
        for _ in range(100):  # a hundred at once: on a busy machine each answer that is awaited takes its turn
            some = [socket.create_connection(daemon.address(), PATIENCE_S) for _ in range(100)]
            for one in some:
                self.addCleanup(one.close)
                one.sendall(b"PING\r\n")
            for one in some:
                self.assertEqual(one.recv(100), b"+PONG\r\n")
            sockets += some
        took = daemon.memory_kib() - before
        print(f"10,000 idle connections take {took} KiB")
        self.assertLess(took, TEN_THOUSAND_KIB)

    def test_a_unix_socket_serves_with_its_mode_and_is_removed(self):
        config = BASE.replace("address=127.0.0.1:0", "address=unix:@/resp.sock\nmode=0600") + generator("main")
        daemon = self.start(config)
        self.assertEqual(os.stat(daemon.address()).st_mode & 0o777, 0o600)
        masks = [pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in ("self", daemon.process.pid)]
        self.assertEqual(*[re.search(r"^Umask:\s*(\d+)$", text, re.M)[1] for text in masks])  # of all other files
        self.assertTrue(self.connect(daemon).ask("NEXT").isdigit())
        path = daemon.address()
        self.assertEqual(daemon.end(), 0)
        self.assertFalse(os.path.exists(path))


class Reader(threading.Thread):
    """Takes ids until the daemon is gone."""

    def __init__(self, address, command):
        super().__init__()
        self.client = Client(address)
        self.command = command
        self.ids = []
        self.running = threading.Event()

    def run(self):
        try:
            while True:
                self.client.send(self.command * 20)
                for _ in range(20):
                    reply = self.client.read()
                    if isinstance(reply, bytes) and not reply.isdigit():
                        self.ids += struct.unpack(f">{len(reply) // 8}Q", reply)
                    else:
                        self.ids += [int(x) for x in (reply if isinstance(reply, list) else [reply])]
                self.running.set()
        except (EOFError, OSError):
            pass
        finally:
            self.client.close()


class Deaths(TestCase):
    CONFIG = BASE + "[generator main]\nworker=file-lock\nstate=file\nrun_dir={0}/run\nstate_dir={0}/state\n"

    def take_until(self, config, action):
        """Readers under load, until the action ends the daemon; their ids."""
        daemon = self.start(config)
        commands = [Client.pack("NEXT"), Client.pack("NEXT", "main", 50), Client.pack("NEXT.BIN", "main", 128)]
        readers = [Reader(daemon.address(), command) for command in commands * 2]
        for reader in readers:
            reader.start()
        for reader in readers:
            self.assertTrue(reader.running.wait(PATIENCE_S))
        action(daemon)
        for reader in readers:
            reader.join(PATIENCE_S)
        return [id_ for reader in readers for id_ in reader.ids]

    def test_no_id_comes_twice_over_kill_and_stop(self):
        import tempfile

        with tempfile.TemporaryDirectory(prefix="frazild-test-") as folder:
            config = "".join(self.CONFIG.replace("{0}", folder))
            for name in ("run", "state"):
                os.mkdir(os.path.join(folder, name))

            def kill(daemon):
                daemon.process.kill()
                daemon.process.wait()

            def pause_then_kill(daemon):
                daemon.process.send_signal(signal.SIGSTOP)
                daemon.process.send_signal(signal.SIGCONT)
                daemon.process.send_signal(signal.SIGSTOP)
                daemon.process.kill()
                daemon.process.wait()

            ids = []
            for action in (kill, pause_then_kill, kill, lambda daemon: daemon.end()):
                ids += self.take_until(config, action)
            self.assertGreater(len(ids), 4 * 20)
            self.assertEqual(len(ids), len(set(ids)))

    def test_sigterm_answers_what_was_read_and_closes_what_is_idle(self):
        daemon = self.start()
        idle, busy = self.connect(daemon), self.connect(daemon)
        idle.ask("PING")
        busy.send(Client.pack("NEXT", "main", 10000) * 3)
        self.assertEqual(len(busy.read()), 10000)
        daemon.process.send_signal(signal.SIGTERM)
        self.assertTrue(idle.is_closed())
        for _ in range(2):
            self.assertEqual(len(busy.read()), 10000)
        self.assertTrue(busy.is_closed())
        self.assertEqual(daemon.end(), 0)

    def test_order_holds_over_connections(self):
        daemon = self.start(BASE.replace("[daemon]", "[daemon]\nthreads=4") + generator("main"))
        clients = [self.connect(daemon) for _ in range(16)]
        last = 0
        for round_ in range(2000):
            id_ = int(clients[round_ * 7 % 16].ask("NEXT"))
            self.assertGreater(id_, last)
            last = id_


if __name__ == "__main__":
    unittest.main()
