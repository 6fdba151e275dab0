# SPDX-License-Identifier: MIT
"""Goal of this test: a rate is charged for each id, to user and generator alike, in every protocol, and one client's limits
are no other's loss."""

import contextlib
import hashlib
import http.client
import os
import pathlib
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from harness import BASE, FRAZILD, PATIENCE_S, Client, ReplyError, TestCase, generator, until

LISTEN = BASE + "[listen http]\naddress=127.0.0.1:0\n"


class WithUsers(TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(self.scratch.cleanup)

    def user(self, name, **keys):
        path = os.path.join(self.scratch.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(hashlib.sha256(name.encode()).hexdigest() + "\n")
        os.chmod(path, 0o600)
        return f"[user {name}]\nsecret_file={path}\nallow=*:*\n" + "".join(f"{k}={v}\n" for k, v in keys.items())

    def as_user(self, daemon, name):
        client = self.connect(daemon)
        self.assertEqual(client.ask("AUTH", name, name), "OK")
        return client


class Log(WithUsers):
    def test_it_names_the_address_of_a_wrong_token(self):
        daemon = self.start(LISTEN + generator("main") + self.user("shop"))
        client = self.connect(daemon)
        self.assert_error("WRONGPASS", "invalid", client, "AUTH", "shop", "wrong")
        self.assertEqual(client.ask("RESET"), "RESET")
        self.assert_error("WRONGPASS", "invalid", client, "AUTH", "shop", "wrong")
        for count in (1, 2):
            line = daemon.wait_for_line("sent a wrong token over the Redis protocol", count)
            self.assertIn(", 127.0.0.1:%d, " % client.socket.getsockname()[1], line)
        connection = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/generators/main/ids", headers={"Authorization": "Bearer wrong"})
        self.assertEqual(connection.getresponse().status, 401)
        line = daemon.wait_for_line("sent a wrong token over HTTP")
        self.assertIn(", 127.0.0.1:%d, " % connection.sock.getsockname()[1], line)

    def test_it_names_the_user_of_a_client_that_is_cut(self):
        daemon = self.start(BASE + generator("main") + self.user("shop"))
        self.as_user(daemon, "shop").send(b"*1\r\n:1\r\n")
        self.assertIn(", user shop, is cut: ", daemon.wait_for_line("expected '$'"))

    def test_it_says_that_a_reload_took_the_user_of_a_client_away(self):
        daemon = self.start(BASE + generator("main") + self.user("shop") + self.user("other"))
        clients = [self.as_user(daemon, "shop") for _ in range(2)]
        stays = self.as_user(daemon, "other")
        with open(daemon.config, "w", encoding="utf-8") as file:
            file.write(BASE + generator("main") + self.user("other"))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("is cut: a reload removed its user", len(clients))
        for client in clients:
            self.assertTrue(client.is_closed())
        self.assertTrue(stays.ask("NEXT").isdigit())


    def test_a_generator_that_a_reload_took_away_ends_with_its_last_request_and_without_an_alarm(self):
        daemon = self.start(BASE + generator("main") + generator("slow", 2, layout="31/10/2", tick="10s"))
        watch, client = self.connect(daemon), self.connect(daemon)
        client.send(client.pack("NEXT", "slow", 8))
        until(lambda: watch.ask("STATS", "slow")[-1] == 1)
        with open(daemon.config, "w", encoding="utf-8") as file:
            file.write(BASE + generator("main"))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("the configuration was read: 1 generator,")
        client.close()
        until(lambda: b"connected_clients:1\r\n" in watch.ask("INFO"))
        self.assertEqual(daemon.end(), 0)
        self.assertEqual([line for line in daemon.lines if line is not None and "not confirmed" in line], [])


class Rates(WithUsers):
    def post(self, daemon, name, n):
        connection = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("POST", f"/v1/generators/main/ids?n={n}", headers={"Authorization": f"Bearer {name}"})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def test_a_user_at_its_limit_takes_nothing_from_the_others(self):
        daemon = self.start(LISTEN + generator("main", rate=5) + self.user("poor", rate=1) + self.user("rich"))
        poor, rich = self.as_user(daemon, "poor"), self.as_user(daemon, "rich")
        poor.send(poor.pack("NEXT") * 200)
        replies = [poor.read_or_error() for _ in range(200)]
        self.assertEqual({reply.code for reply in replies if isinstance(reply, ReplyError)}, {"LIMIT"})
        self.assertEqual(len(rich.ask("NEXT", "main", 3)), 3)

    def test_a_user_is_charged_for_each_of_n_in_every_protocol(self):
        daemon = self.start(LISTEN + generator("main") + self.user("poor", rate=3))
        poor = self.as_user(daemon, "poor")
        for command in (("NEXT", "main", 4), ("NEXT.BIN", "main", 4)):
            self.assert_error("LIMIT", "4 ids at once are more than rate= of the user", poor, *command)
        status, body = self.post(daemon, "poor", 4)
        self.assertEqual(status, 400, body)
        self.assertIn(b"4 ids at once are more than rate= of the user", body)
        self.assertEqual(self.post(daemon, "poor", 3)[0], 200)

    def test_a_batch_is_charged_once(self):
        daemon = self.start(BASE + generator("main", rate=100))
        client = self.connect(daemon)
        client.send(client.pack("NEXT", "main", 25) * 4)
        self.assertEqual([len(client.read()) for _ in range(4)], [25] * 4)

    def hour_from_now(self):
        """A layout of four ids in a tick, whose first one has just begun."""
        return f"31/10/2 epoch={int(time.time() * 1000)} tick=1h"

    def test_ids_that_did_not_come_are_not_charged(self):
        slow = generator("slow", 1, layout=self.hour_from_now(), rate=10)
        timeouts = BASE.replace("[listen", "request_timeout=50ms\n[listen")
        daemon = self.start(timeouts + generator("main", 2, rate=10) + slow)
        client = self.connect(daemon)
        for _ in range(20):
            self.assert_error("TRYAGAIN", "retry_ms", client, "NEXT", "slow", 8)

    def test_nor_are_those_by_http(self):
        slow = generator("main", 1, layout=self.hour_from_now(), rate=10)
        timeouts = LISTEN.replace("[listen resp", "request_timeout=50ms\n[listen resp")
        daemon = self.start(timeouts + slow + self.user("poor", rate=10))
        for _ in range(20):
            status, body = self.post(daemon, "poor", 8)
            self.assertEqual((status, b"TRYAGAIN" in body), (503, True), body)

    def test_nor_those_whose_client_left_before_they_came(self):
        slow = generator("main", 1, layout="31/10/2", tick="10s", rate=10)
        daemon = self.start(LISTEN.replace("[listen resp", "request_timeout=1000s\n[listen resp") + slow + self.user("poor", rate=10))
        watch = self.as_user(daemon, "poor")
        by_http = b"GET /v1/generators/main/ids?n=10 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer poor\r\n\r\n"
        for _ in range(3):
            for protocol in ("resp", "http"):
                client = self.as_user(daemon, "poor") if protocol == "resp" else Client(daemon.address("http"))
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.send(client.pack("NEXT", "main", "10") if protocol == "resp" else by_http)
                while watch.ask("STATS", "main")[-1] != 1:  # it waits, and is not refused
                    self.assertEqual(select.select([client.socket], [], [], 0)[0], [])
                client.close()  # by a reset
                while b"connected_clients:1\r\n" not in watch.ask("INFO"):
                    pass
                self.assertEqual(watch.ask("STATS", "main")[-1], 0)

    def test_a_reload_fills_no_bucket(self):
        users = self.user("poor", rate=1) + self.user("poorer", rate=1) + self.user("rich")
        daemon = self.start(BASE + generator("main") + generator("other", 2, rate=1) + users)
        takers = {"poor": "main", "poorer": "main", "rich": "other"}
        clients = {name: self.as_user(daemon, name) for name in takers}
        given, start = dict.fromkeys(takers, 0), time.monotonic()
        for count in range(1, 21):
            for name, client in clients.items():
                client.send(client.pack("NEXT", takers[name]))
                given[name] += not isinstance(client.read_or_error(), ReplyError)
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_line("SIGHUP: the configuration was read", count)
        self.assertLessEqual(max(given.values()), 2 + time.monotonic() - start)


class Sizes(TestCase):
    def ids_of(self, client, name):
        return int(re.search(rb"generator_%s:ids=(\d+)" % name.encode(), client.ask("INFO"))[1])

    def status(self, daemon, name, n):
        connection = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("POST", f"/v1/generators/{name}/ids?n={n}", headers={"X-Requested-With": "test"})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def test_a_batch_that_can_never_come_is_refused_at_once_and_takes_nothing(self):
        layout = {"layout": "31/10/2", "tick": "1h", "max_lead": "0s", "start": "zero"}
        config = LISTEN.replace("[listen resp", "request_timeout=2h\n[listen resp")
        daemon = self.start(config + generator("slow", 1, **layout) + generator("full", 2, on_full="error", **layout) + generator("one", 3, max_batch=1))
        client = self.connect(daemon)
        self.assert_error("LIMIT", "generator one gives at most 1 id a request (max_batch)", client, "NEXT", "one", 2)
        for name, most, words in (("slow", 12, "12 ids within request_timeout"), ("full", 4, "4 ids a tick, and on_full=error")):
            self.assert_error("LIMIT", f"generator {name} has at most {words}: request fewer at once", client, "NEXT", name, most + 1)
            status, body = self.status(daemon, name, most + 1)
            self.assertEqual((status, b'"code":"LIMIT"' in body), (400, True), body)
        self.assertEqual(len(client.ask("NEXT", "slow", 4)), 4)
        self.assertEqual(len(client.ask("NEXT", "full", 4)), 4)

    def test_a_batch_that_a_tick_has_not_left_takes_nothing_of_it_where_none_waits(self):
        daemon = self.start(LISTEN + generator("full", 2, on_full="error", layout="31/10/2", tick="24h", max_lead="0s", start="zero"))
        client = self.connect(daemon)
        self.assertEqual(len(client.ask("NEXT", "full", 2)), 2)
        self.assert_error("TRYAGAIN", "the tick is full", client, "NEXT", "full", 3)
        self.assertEqual(self.status(daemon, "full", 3)[0], 503)
        client.send(client.pack("NEXT", "full") * 3)
        replies = [client.read_or_error() for _ in range(3)]
        self.assertEqual([isinstance(reply, ReplyError) for reply in replies], [False, False, True])
        self.assertEqual(self.ids_of(client, "full"), 4)

    def test_ids_that_no_client_got_are_not_counted_as_theirs(self):
        config = LISTEN.replace("[listen resp", "request_timeout=50ms\n[listen resp")
        daemon = self.start(config + generator("slow", 1, layout="31/10/2", tick="24h", max_lead="0s", start="zero"))
        client = self.connect(daemon)
        self.assert_error("TRYAGAIN", "retry_ms", client, "NEXT", "slow", 8)
        self.assertEqual(self.ids_of(client, "slow"), 0)


class Hello(WithUsers):
    def test_one_that_is_refused_changes_nothing(self):
        daemon = self.start(BASE + generator("main") + self.user("shop"))
        client = self.connect(daemon)
        for code, command in {
            "ERR": ("HELLO", 3, "AUTH", "shop", "shop", "SETNAME", "a b"),
            "WRONGPASS": ("HELLO", 3, "SETNAME", "me", "AUTH", "shop", "wrong"),
            "NOAUTH": ("HELLO", 3, "SETNAME", "me"),
            "NOPROTO": ("HELLO", 4, "AUTH", "shop", "shop"),
        }.items():
            self.assert_error(code, "", client, *command)
            self.assert_error("NOAUTH", "Authentication required", client, "NEXT")
        self.assert_error("ERR", "Syntax", client, "HELLO", 3, "AUTH", "shop", "shop", "NONSENSE")
        self.assertEqual(client.ask("AUTH", "shop", "shop"), "OK")
        self.assertIsNone(client.ask("CLIENT", "GETNAME"))
        self.assertIn(b"resp=2", client.ask("CLIENT", "INFO"))

    def test_the_longest_names_fit(self):
        user = "u" * 64
        daemon = self.start(BASE + generator("main") + self.user(user))
        client = self.connect(daemon)
        self.assertIn(b"proto", client.ask("HELLO", 3, "AUTH", user, user, "SETNAME", "n" * 64))
        self.assertEqual(client.ask("ACL", "WHOAMI"), user.encode())


class Sight(WithUsers):
    def test_a_user_who_may_take_ids_alone_sees_the_generators_of_its_own(self):
        users = [self.user(name).replace("*:*", allow) for name, allow in (("shop", "next:a stats:c"), ("none", "inspect:*"))]
        daemon = self.start(BASE + "".join(generator(name, worker) for worker, name in enumerate("abc", 1)) + "".join(users))
        for name, seen, told in (("shop", [b"a", b"c"], [b"c"]), ("none", [], [])):
            client = self.as_user(daemon, name)
            self.assertEqual(re.findall(rb"generator_(\w+):", client.ask("INFO")), told)
            client.send(client.pack("GENERATORS") + client.pack("PING") * 9)
            self.assertEqual(client.read()[::2], seen)
            self.assertEqual([client.read() for _ in range(9)], ["PONG"] * 9)


    def test_a_name_that_is_there_and_one_that_is_not_have_one_answer_for_who_may_use_neither(self):
        user = self.user("shop").replace("*:*", "next:a inspect:a stats:a leases:a")
        every = self.user("all")
        daemon = self.start(LISTEN + generator("a") + generator("main", 2, keys="invoice:*") + user + every)
        without = self.start(LISTEN + generator("a") + generator("c", 2) + user + every)

        def answers(its, name, token):
            """What a client hears of this name in all places, with a placeholder for the name."""
            client = self.connect(its)
            self.assertEqual(client.ask("AUTH", token), "OK")
            for words in ("NEXT", name), ("NEXT.BIN", name, 2), ("SNO", name), ("INCR", name), ("INCRBY", name, 2), ("INCR", "invoice:1"), (
                "INSPECT", 1, name), ("COMPOSE", name, 1, 1, 1), ("RANGE", name, 1, 2), ("STATS", name), ("LEASES", name), ("NEXT",), ("INSPECT", 1):  # fmt: skip
                with self.assertRaises(ReplyError, msg=words) as raised:
                    client.ask(*words)
                yield str(raised.exception).replace(name, "NAME")
            for path in ("generators/{}/ids", "generators/{}", "leases/{}", "inspect/1?generator={}", "range?from=1&to=2&generator={}", "inspect/1",
                         "compose?time=1&worker=1&sequence=1"):  # fmt: skip
                its_http = http.client.HTTPConnection(*its.address("http"), timeout=PATIENCE_S)
                its_http.request("GET", "/v1/" + path.format(name), headers={"Authorization": f"Bearer {token}"})
                answer = its_http.getresponse()
                yield answer.status, answer.read().decode().replace(name, "NAME")
                its_http.close()

        seen = list(answers(daemon, "main", "shop"))
        self.assertEqual(seen, list(answers(daemon, "nobody", "shop")))
        self.assertEqual(seen, list(answers(without, "main", "shop")))
        self.assertEqual({str(line)[:6] for line in seen}, {"NOPERM", "(403, "})
        self.assertFalse([line for line in map(str, seen) if "main" in line])
        self.assertEqual({str(line)[:5] for line in answers(without, "nobody", "all")}, {"ERR n", "ERR t", "(404,", "(400,"})


class Surroundings(TestCase):
    def test_the_socket_of_a_successor_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            config = f"[daemon]\ndrain_delay=0s\n[listen resp]\naddress=unix:{folder}/socket\n"
            first = self.start(config + generator("main"))
            os.rename(folder + "/socket", folder + "/old")
            second = self.start(config + generator("main", 2))
            self.assertEqual(first.end(), 0)
            self.assertTrue(self.connect(second).ask("NEXT").isdigit())
            os.unlink(folder + "/socket")
            second.wait_for_line(f"the path of unix:{folder}/socket is no longer its socket's")
            self.assertEqual(second.end(), 0)
            self.assertEqual(os.listdir(folder), ["old"])

    def test_of_daemons_that_start_at_once_on_a_socket_that_was_left_one_is_ready(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            for i in range(4):
                with open(f"{folder}/{i}.conf", "w", encoding="utf-8") as file:
                    file.write(f"[daemon]\ndrain_delay=0s\n[listen resp]\naddress=unix:{path}\n{generator('main', i)}host_dir={folder}/host{i}\n")
            for _ in range(5):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                with socket.socket(socket.AF_UNIX) as left:
                    left.bind(path)
                daemons = [subprocess.Popen([FRAZILD, "-c", f"{folder}/{i}.conf"], stderr=subprocess.PIPE, text=True) for i in range(4)]
                ready = []
                for daemon in daemons:
                    self.addCleanup(daemon.kill)
                    lines = [daemon.stderr.readline()]
                    while lines[-1] and "is ready" not in lines[-1]:
                        lines.append(daemon.stderr.readline())
                    if lines[-1]:
                        ready.append(daemon)
                    else:
                        self.assertRegex("".join(lines), "another program (listens there|has locked the folder)")
                        self.assertEqual(daemon.wait(PATIENCE_S), 4)
                self.assertEqual(len(ready), 1)
                client = Client(path)
                self.assertIn(b"process_id:%d\r" % ready[0].pid, client.ask("INFO"))
                client.close()
                ready[0].terminate()
                self.assertEqual(ready[0].wait(PATIENCE_S), 0)
                self.assertFalse(os.path.exists(path))
                for daemon in daemons:
                    daemon.stderr.close()

    def test_lines_that_a_full_disk_takes_not_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            path, log = os.path.join(folder, "f.conf"), os.path.join(folder, "log")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"[daemon]\ndrain_delay=0s\n[listen resp]\naddress=unix:{folder}/socket\n{generator('main')}")
            with open(log, "wb") as stderr:
                process = subprocess.Popen([FRAZILD, "-c", path], stderr=stderr)
            self.addCleanup(process.kill)
            said = pathlib.Path(log)
            while b"is ready\n" not in said.read_bytes():
                pass
            # There is room for a part of a line, as on a disk that is almost full.
            _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (os.path.getsize(log) + 10, hard))
            client = Client(f"{folder}/socket")
            self.addCleanup(client.close)

            def lose_lines(count):  # each client is cut, and waits for its end: its line was tried before
                for _ in range(count):
                    wrong = Client(f"{folder}/socket")
                    wrong.send(b"*1\r\n:1\r\n")
                    wrong.file.read()
                    wrong.close()

            lose_lines(3)
            self.assertEqual(client.ask("PING"), "PONG")
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
            process.send_signal(signal.SIGHUP)
            while b"was read: 1 generator," not in said.read_bytes():
                pass
            lines = said.read_text(encoding="utf-8").splitlines()
            at = next(i for i, line in enumerate(lines) if "were lost" in line)
            self.assertEqual(lines[at - 1], "frazild: c")
            self.assertIn("frazild: 3 lines were lost because writing failed", lines[at])
            self.assertIn("reading the configuration", lines[at + 1])
            # There is room for nothing: this time the log ends with a whole line.
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (os.path.getsize(log), hard))
            lose_lines(1)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
            process.send_signal(signal.SIGHUP)
            until(lambda: said.read_bytes().count(b"was read: 1 generator,") == 2)
            more = said.read_text(encoding="utf-8").splitlines()[len(lines) :]
            self.assertIn("frazild: 1 line was lost because writing failed", more[0])
            self.assertIn("reading the configuration", more[1])
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_a_log_that_nobody_reads_stops_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path, address = os.path.join(folder, "f.conf"), os.path.join(folder, "socket")
            secret = os.path.join(folder, "secret")
            with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
                file.write(hashlib.sha256(b"shop").hexdigest())
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"[daemon]\ndrain_delay=0s\n[listen resp]\naddress=unix:{address}\n{generator('main')}"
                           f"[user shop]\nsecret_file={secret}\nallow=*:*\n")  # fmt: skip
            reader, writer = os.pipe()
            process = subprocess.Popen([FRAZILD, "-c", path], stderr=writer)
            self.addCleanup(process.kill)
            log = b""
            while b"is ready" not in log:
                log += os.read(reader, 4096)
            os.set_blocking(writer, False)
            with self.assertRaises(BlockingIOError):
                while True:
                    os.write(writer, b"x" * 4096)
            os.set_blocking(writer, True)
            client = Client(address)
            self.addCleanup(client.close)
            for _ in range(5):
                self.assert_error("WRONGPASS", "invalid", client, "AUTH", "wrong")
            process.send_signal(signal.SIGHUP)
            self.assertEqual(client.ask("AUTH", "shop"), "OK")
            self.assertTrue(client.ask("NEXT").isdigit())
            log = b""
            while log.count(b"the configuration was read") < 3:  # it goes on, and says once what was lost
                process.send_signal(signal.SIGHUP)
                log += os.read(reader, 65536).replace(b"x", b"")
            self.assertEqual(log.count(b"lines were lost because nobody read the log\n"), 1, log)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_S), 0)
            os.close(writer)
            os.close(reader)


if __name__ == "__main__":
    unittest.main()
