# SPDX-License-Identifier: MIT
"""Goal of this test: HTTP gives the same ids under the same limits as the Redis protocol, and takes no head that a
balancer or a browser could be tricked with."""

import contextlib
import datetime
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from urllib.parse import quote

from harness import FRAZILD, IDLE_S, INSTRUMENTED, PATIENCE_S, ReplyError, TestCase, generator, until

HTTP = "[daemon]\ndrain_delay=0s\n{daemon}[listen resp]\naddress=127.0.0.1:0\n[listen http]\naddress=127.0.0.1:0\n{listen}"
WIDE = generator("main", 1, layout="41/2/20")
SLOW = generator("slow", 2, layout="39/10/4", tick="100ms")  # 160 ids a second
TOKEN = "0123456789abcdef0123456789abcdef"


def config(*generators, daemon="", listen="", users=""):
    return HTTP.format(daemon=daemon, listen=listen) + "".join(generators or (WIDE,)) + users


class Answer:
    """What came back."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.type = response.headers.get("Content-Type", "")

    def json(self):
        return json.loads(self.body)


class Http(TestCase):
    def ask(self, daemon, path, method="GET", headers=None, connection=None):
        its = connection or http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        try:
            its.request(method, path, headers={"X-Requested-With": "test", **(headers or {})})
            return Answer(its.getresponse())
        finally:
            if connection is None:
                its.close()

    def raw(self, daemon, data, end=False):
        """Sends bytes as they are, and returns all that comes back."""
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as client:
            answer = b""
            try:
                client.sendall(data)
                if end:
                    client.shutdown(socket.SHUT_WR)
                while chunk := client.recv(65536):
                    answer += chunk
            except OSError:
                pass  # the daemon has hung up before it read all
            return answer

    def assert_problem(self, answer, status, code, words):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.type, "application/problem+json")
        problem = answer.json()
        self.assertEqual((problem["status"], problem["code"], problem["type"]), (status, code, "about:blank"))
        self.assertIn(words, problem["detail"])
        return problem


class Ids(Http):
    def test_ids_come_in_three_types_and_every_form(self):
        daemon = self.start(config())
        ids = "/v1/generators/main/ids"
        one = self.ask(daemon, ids)
        self.assertEqual((one.status, one.type), (200, "application/json"))
        self.assertEqual(one.headers["Cache-Control"], "no-store")
        self.assertEqual(one.json()["generator"], "main")
        last = int(one.json()["ids"][0])
        for method in ("GET", "POST"):
            some = [int(x) for x in self.ask(daemon, ids + "?n=3", method).json()["ids"]]
            self.assertEqual(some, sorted(some))
            self.assertGreater(some[0], last)
            last = some[-1]
        lines = self.ask(daemon, ids + "?n=2", headers={"Accept": "text/html;q=0.9, text/plain"})
        self.assertEqual((lines.type, lines.body.count(b"\n")), ("text/plain", 2))
        packed = self.ask(daemon, ids + "?n=2", headers={"Accept": "application/octet-stream"})
        self.assertEqual(len(packed.body), 16)
        self.assertGreater(int.from_bytes(packed.body[8:], "big"), int(lines.body.split()[1]))
        self.assertRegex(self.ask(daemon, ids + "?form=HEX").json()["ids"][0], "^[0-9a-f]{16}$")
        self.assertEqual(self.ask(daemon, ids, headers={"Accept": "*/*"}).type, "application/json")
        self.assertEqual(self.ask(daemon, ids, headers={"Accept": "text/*"}).type, "text/plain")
        self.assert_problem(self.ask(daemon, ids, headers={"Accept": "image/png"}), 406, "ERR", "octet-stream")
        answer = self.ask(daemon, ids + "?form=hex", headers={"Accept": "application/octet-stream"})
        self.assert_problem(answer, 400, "ERR", "form= is for text")

    def test_accept_is_weighed(self):
        daemon = self.start(config())
        for accept, kind in (
            ("text/plain;q=0.5, application/json;q=0.501", "application/json"),
            ("application/json;q=0.1,text/plain ; level=1 ; Q=0.2", "text/plain"),
            ("application/*;q=0, TEXT/plain;q=1.000", "text/plain"),
            ("text/plain;seq=0", "text/plain"),
            ("text/plain;q=0", None),
            ("text/plain;q=", None),
            ("text/plain;q=1e300", None),
            ("text/plain;q=nan", None),
            ("text/plain;q=1.001", None),
            ("text/plain;q=0.1234", None),
            ("text", None),
            ("text/plai", None),
            ("*/plain", None),
            (",;q=1", None),
        ):
            with self.subTest(accept=accept):
                answer = self.ask(daemon, "/v1/generators/main/ids", headers={"Accept": accept})
                self.assertEqual((answer.status, answer.type), (200, kind) if kind else (406, "application/problem+json"))

    def test_snos_have_their_own_forms_and_a_metabyte(self):
        daemon = self.start(config(generator("s", 3, layout="sno"), WIDE))
        ids = "/v1/generators/s/ids"
        text = self.ask(daemon, ids + "?meta=7").json()["ids"][0]
        self.assertRegex(text, "^[2-9a-x]{16}$")
        fields = self.ask(daemon, f"/v1/inspect/{text}?generator=s").json()
        self.assertEqual((fields["meta"], fields["partition"]), (7, 3))
        self.assertEqual(len(self.ask(daemon, ids + "?form=uuid").json()["ids"][0]), 36)
        self.assertEqual(len(self.ask(daemon, ids + "?n=2", headers={"Accept": "application/octet-stream"}).body), 20)
        self.assert_problem(self.ask(daemon, ids + "?form=base62"), 400, "ERR", "one of sno uuid hex")
        self.assert_problem(self.ask(daemon, ids + "?meta=256"), 400, "ERR", "0 to 255")
        self.assert_problem(self.ask(daemon, "/v1/generators/main/ids?meta=1"), 400, "ERR", "snos")

    def test_a_large_batch_is_whole_and_unique(self):
        daemon = self.start(config(generator("main", 1, layout="41/2/20", max_batch="65536")))
        for accept, separator in (("application/json", '","'), ("text/plain", "\n")):
            body = self.ask(daemon, "/v1/generators/main/ids?n=65536", headers={"Accept": accept}).body.decode()
            ids = [int(x) for x in re.findall(r"\d+", body.split("[")[-1])]
            self.assertEqual(len(ids), 65536)
            self.assertEqual(ids, sorted(set(ids)))
            self.assertIn(separator, body)
        packed = self.ask(daemon, "/v1/generators/main/ids?n=65536", headers={"Accept": "application/octet-stream"})
        self.assertEqual(len({packed.body[i : i + 8] for i in range(0, len(packed.body), 8)}), 65536)

    def test_a_connection_serves_one_request_after_another(self):
        daemon = self.start(config())
        its = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(its.close)
        ids = [int(self.ask(daemon, "/v1/generators/main/ids", connection=its).json()["ids"][0]) for _ in range(50)]
        self.assertEqual(ids, sorted(set(ids)))
        text = self.ask(daemon, "/metrics", connection=its).body.decode()
        self.assertIn("frazild_connections 1\n", text)

    def test_requests_wait_for_ids_in_their_order_and_not_for_ever(self):
        daemon = self.start(config(WIDE, SLOW, daemon="request_timeout=600s\n"))
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(self.ask(daemon, "/v1/generators/slow/ids?n=40")))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        # Meanwhile the daemon answers others.
        self.assertEqual(self.ask(daemon, "/v1/generators/main/ids").status, 200)
        for thread in threads:
            thread.join()
        self.assertEqual([a.status for a in answers], [200] * 8)
        ids = [x for a in answers for x in a.json()["ids"]]
        self.assertEqual(len(set(ids)), 320)

    def test_who_would_wait_for_too_long_is_told_when_to_come_back(self):
        slow = generator("slow", 2, layout="31/10/2", tick="1h")
        daemon = self.start(config(slow, daemon="request_timeout=5s\n"))
        answer = self.ask(daemon, "/v1/generators/slow/ids?n=8")
        problem = self.assert_problem(answer, 503, "TRYAGAIN", "generator slow")
        self.assertGreaterEqual(problem["retry_ms"], 1)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)

    def test_limits_hold_for_both_protocols_together(self):
        limited = generator("main", 1, layout="41/2/20", rate="60", max_batch="60")
        daemon = self.start(config(limited))
        client = self.connect(daemon)
        start, given, answer = time.monotonic(), 0, None
        while answer is None or answer.status == 200:
            client.send(client.pack("NEXT", "main", 60))
            given += 60 * (not isinstance(client.read_or_error(), ReplyError))
            answer = self.ask(daemon, "/v1/generators/main/ids?n=60")
            given += 60 * (answer.status == 200)
        self.assertLessEqual(given, 60 + 60 * (time.monotonic() - start))
        self.assertGreater(self.assert_problem(answer, 429, "LIMIT", "rate=")["retry_ms"], 0)
        self.assert_problem(self.ask(daemon, "/v1/generators/main/ids?n=61"), 400, "LIMIT", "max_batch")

    def test_ids_of_both_protocols_are_in_order(self):
        daemon = self.start(config())
        client = self.connect(daemon)
        last = 0
        for _ in range(20):
            by_resp = int(client.ask("NEXT", "main"))
            by_http = int(self.ask(daemon, "/v1/generators/main/ids").json()["ids"][0])
            self.assertLess(last, by_resp)
            self.assertLess(by_resp, by_http)
            last = by_http

    def test_no_id_comes_twice_when_the_daemon_is_killed_under_load(self):
        state = "[generator main]\nworker=fixed:1\nstate=file\nrun_dir=@/run\nstate_dir=@/state\n"
        seen, lock = [], threading.Lock()

        def take(daemon):
            its = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
            try:
                for _ in range(400):
                    got = self.ask(daemon, "/v1/generators/main/ids?n=20", connection=its).json()["ids"]
                    with lock:
                        seen.extend(got)
            except (OSError, http.client.HTTPException):
                pass  # it was killed
            finally:
                its.close()

        folder = None
        for killed in (True, True, False):
            text = config(state)
            if folder is not None:
                text = text.replace("@", folder)
            daemon = self.start(text)
            folder = folder or daemon.folder
            for name in ("run", "state"):
                os.makedirs(os.path.join(folder, name), mode=0o700, exist_ok=True)
            threads = [threading.Thread(target=take, args=(daemon,)) for _ in range(4)]
            before = len(seen)
            for thread in threads:
                thread.start()
            while killed and len(seen) < before + 2000:
                time.sleep(0.005)
            if killed:
                daemon.process.send_signal(signal.SIGKILL)
                daemon.process.wait(PATIENCE_S)
            for thread in threads:
                thread.join()
        self.assertGreater(len(seen), 10000)
        self.assertEqual(len(seen), len(set(seen)))


class Looks(Http):
    def test_ids_layouts_and_generators_are_told_as_json(self):
        daemon = self.start(config(generator("main", 1, layout="twitter")))
        text = self.ask(daemon, "/v1/compose?time=2026-11-01T00:00:00Z&worker=1&sequence=5").json()["id"]
        fields = self.ask(daemon, f"/v1/inspect/{text}").json()
        self.assertEqual((fields["worker"], fields["sequence"], fields["time"]), (1, 5, "2026-11-01T00:00:00.000Z"))
        other = self.ask(daemon, f"/v1/inspect/{text}?layout={quote('41/10/12 tick=1ms')}").json()
        self.assertNotEqual(other["time"], fields["time"])
        late = self.ask(daemon, f"/v1/inspect/{2**62}?layout={quote('41/1/21 tick=1h')}").json()
        self.assertEqual(late["unix_ms"], str(1767225600000 + 2**40 * 3600 * 1000))  # JavaScript would round it
        both = self.ask(daemon, "/v1/range?from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z").json()
        self.assertLessEqual(int(both["first"]), int(text))
        self.assertGreaterEqual(int(both["last"]), int(text))
        self.assertIn("twitter", self.ask(daemon, "/v1/layouts").json()["presets"])
        self.assertEqual(self.ask(daemon, "/v1/layouts/41/10/12").json()["sequence_bits"], 12)
        listed = self.ask(daemon, "/v1/generators").json()["generators"]
        self.assertEqual([(g["name"], g["layout"], g["state"]) for g in listed], [("main", "twitter", "serving")])
        self.assertIn("issued", self.ask(daemon, "/v1/generators/main").json()["stats"])

    def test_leases_are_told_by_both_protocols(self):
        folder = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(folder.cleanup)
        url = f"file://{folder.name}"
        command = os.path.join(os.path.dirname(FRAZILD), "frazil")
        subprocess.run([command, "lease", "init", "--never-used", url], check=True, capture_output=True)
        main = f"[generator main]\nworker={url}\nstate=memory\n"
        both = self.start(config(main + "worker_ids=2\n"))
        self.assertEqual(self.ask(both, "/v1/leases/main").json()["held"], 2)  # asked by the spec of all that it opened
        rows = {row["worker"]: row["until_unix_ms"] for row in self.ask(both, "/v1/leases/main").json()["leases"]}
        own = self.ask(both, "/v1/generators/main").json()["workers"]
        self.assertEqual({its["worker"] for its in own}, rows.keys())
        for its in own:  # read later, so no earlier
            end = datetime.datetime.fromisoformat(its["grant_end"].replace("Z", "+00:00")).timestamp()
            self.assertGreaterEqual(round(end * 1000), rows[its["worker"]])
            self.assertEqual(its["state"], "serving")
        self.assertEqual(both.end(), 0)  # gives back what the next one does not take
        daemon = self.start(config(main, WIDE.replace("main", "own")))
        told = self.ask(daemon, "/v1/leases/main").json()
        self.assertEqual((told["held"], told["workers"]), (1, 1024))
        self.assertGreater(len(told["leases"]), 1)
        (row,) = [row for row in told["leases"] if row["holding"] == "held"]
        by_resp = self.connect(daemon).ask("LEASES", "main")
        pairs = dict(zip(by_resp[::2], by_resp[1::2]))
        self.assertEqual((pairs[b"held"], pairs[b"workers"]), (1, 1024))
        rows = [dict(zip(its[::2], its[1::2])) for its in pairs[b"leases"]]
        self.assertEqual([its[b"worker"] for its in rows], [its["worker"] for its in told["leases"]])
        (first,) = [its for its in rows if its[b"holding"] == b"held"]
        self.assertEqual((first[b"worker"], first[b"owner"].decode()), (row["worker"], row["owner"]))
        self.assertEqual(first[b"owners"], row["owners"])
        self.assertGreater(row["owners"], 0)  # unlike its extensions so far
        self.assert_problem(self.ask(daemon, "/v1/leases/own"), 400, "ERR", "own has no leases: no coordinator gives its worker id (worker=fixed:1)")
        self.assert_error("ERR", "own has no leases", self.connect(daemon), "LEASES", "own")
        counted = re.findall(r'^frazild_requests_total\{.*"resp".*"LEASES",code="(\w+)"} (\d+)$', self.ask(daemon, "/metrics").body.decode(), re.M)
        self.assertEqual(dict(counted), {"OK": "1", "ERR": "1"})  # each once, when its reply is there
        shutil.rmtree(folder.name)
        answer = self.ask(daemon, "/v1/leases/main")
        self.assertEqual((answer.status, answer.json()["code"]), (400, "ERR"))  # time does not bring it back
        self.assert_problem(self.ask(daemon, "/v1/leases/nobody"), 404, "ERR", "no generator")

    def test_what_is_wrong_is_named(self):
        daemon = self.start(config(WIDE, SLOW.replace("slow", "other")))
        for path, status, words in (
            ("/v2", 404, "/openapi.json"),
            ("/v1/generators/nobody/ids", 404, "no generator"),
            ("/v1/generators/Main", 404, "no generator"),
            ("/v1/generators/mains", 404, "no generator"),
            ("/v1/generators//ids", 404, "no generator"),
            ("/v1/layouts/", 404, "/openapi.json"),
            (f"/v1/generators/main/ids?n={2**32 + 1}", 400, "from 1 to 4294967295"),
            (f"/v1/generators/main/ids?n={2**64 + 1}", 400, "from 1 to 4294967295"),
            ("/v1/generators/main/ids?form=hex&n=1&n=2", 400, "n is given twice"),
            ("/v1/generators/main/ids?n=0", 400, "from 1 to 4294967295"),
            ("/v1/generators/main/ids?n=-1", 400, "from 1 to 4294967295"),
            ("/v1/generators/main/ids?n=99999999999", 400, "from 1 to 4294967295"),
            ("/v1/generators/main/ids?count=5", 400, "the parameter count is unknown; /v1/generators/{generator}/ids has: n, form, meta"),
            ("/v1/layouts?=1", 400, "the parameter  is unknown; /v1/layouts has: none"),
            ("/v1/generators/main/ids?n=1&n=2", 400, "n is given twice"),
            ("/v1/generators/main/ids?form=roman", 400, "base62"),
            ("/v1/generators/main/ids?form=%00", 400, "has no %00"),
            ("/v1/inspect/12a", 400, ""),
            ("/v1/inspect/017F22E2-79B0-7CC3-98C4-DC0C0C07398F", 400, "a UUID of version 7, made at 2022-02-22T19:22:22"),
            ("/v1/inspect/%ff", 400, "xff"),
            ("/v1/generators/main/ids?%ff%01=1", 400, "parameter ?? is unknown"),
            ("/v1/inspect/12?generator=main&layout=twitter", 400, "give generator= or layout="),
            ("/v1/compose?worker=1&sequence=1", 400, "time= is missing"),
            ("/v1/range?from=now", 400, "to= is missing"),
            ("/v1/layouts/99/99/99", 400, ""),
        ):
            with self.subTest(path=path):
                self.assert_problem(self.ask(daemon, path), status, "ERR", words)
        only_read = self.ask(daemon, "/v1/layouts", "POST")
        self.assert_problem(only_read, 405, "ERR", "GET")
        self.assertEqual(only_read.headers["Allow"], "GET, HEAD")
        self.assertEqual(self.ask(daemon, "/v1/generators/main/ids", "HEAD").status, 405)

    def test_a_client_that_names_html_gets_the_page_and_any_other_a_few_lines(self):
        with tempfile.NamedTemporaryFile("w", suffix=".html") as page:
            page.write("<title>ids</title>")
            page.flush()
            daemon = self.start(config(daemon=f"page={page.name}\n"))
            for accept, kind in {
                "text/html,application/xhtml+xml,*/*;q=0.8": "text/html",
                "text/html": "text/html",
                "text/html;q=0.5, text/plain;q=0.6": "text/plain",
                "text/*": "text/plain",
                "*/*": "text/plain",
                None: "text/plain",
            }.items():
                answer = self.ask(daemon, "/", headers={"Accept": accept} if accept else {})
                self.assertEqual((answer.status, answer.type.split(";")[0]), (200, kind), accept)
                self.assertEqual(answer.body == b"<title>ids</title>", kind == "text/html")

    def test_the_page_changes_with_the_configuration_and_not_before(self):
        with tempfile.NamedTemporaryFile("w", suffix=".html") as page:

            def write(text):
                page.seek(0)
                page.truncate()
                page.write(text)
                page.flush()

            write("first")
            daemon = self.start(config(daemon=f"page={page.name}\n"))
            served = lambda: self.ask(daemon, "/", headers={"Accept": "text/html"}).body
            for text, words in (("second", None), ("x" * ((4 << 20) + 1), "cannot be read: it is too large"), ("third", "was read")):
                write(text)
                self.assertEqual(served(), b"first")
                if words:
                    daemon.process.send_signal(signal.SIGHUP)
                    daemon.wait_for_line(words)
            self.assertEqual(served(), b"third")

    def test_what_stands_at_the_root_needs_no_token_and_names_no_generator(self):
        answer = self.ask(self.start(config().replace("[generator main]", "[generator orders]")), "/")
        self.assertIn(b"/v1/generators/NAME/ids", answer.body)
        self.assertNotIn(b"main", answer.body)

    def test_the_description_is_what_is_served(self):
        daemon = self.start(config())
        paths = self.ask(daemon, "/openapi.json").json()["paths"]
        self.assertIn("/v1/generators/{generator}/ids", paths)
        names = [operation["operationId"] for operations in paths.values() for operation in operations.values()]
        self.assertEqual(len(names), len(set(names)))
        examples = {"generator": "main", "id": "12345", "layout": "twitter"}
        for path, operations in paths.items():
            url = re.sub(r"\{(\w+)\}", lambda found: examples[found[1]], path)
            for method, operation in operations.items():
                if url.startswith("/v1/leases/"):
                    continue  # it has no coordinator
                query = {"time": "2026-01-01", "worker": "1", "sequence": "1", "from": "2026-01-01", "to": "2026-01-02"}
                known = [p["name"] for p in operation["parameters"] if p["in"] == "query"]
                text = "&".join(f"{name}={query[name]}" for name in known if name in query)
                answer = self.ask(daemon, url + ("?" + text if text else ""), method.upper())
                self.assertEqual(answer.status, 200, (url, answer.body))
                types = operation["responses"]["200"]["content"]
                self.assertIn(answer.type.split(";")[0], types)

    def test_replies_that_list_all_generators_are_as_short_as_the_manual_says(self):
        for name, most_kib in (("g{}", 1), ("g{:063}", 4)):  # docs/frazild.md, Limits
            daemon = self.start(config(*(generator(name.format(i), i) for i in range(64))))
            sizes = {path: len(self.ask(daemon, path).body) for path in ("/metrics", "/v1/generators")}
            sizes["GENERATORS"] = len(str(self.connect(daemon).ask("GENERATORS")))
            print(f"bytes with 64 generators: {sizes}")
            self.assertLess(max(sizes.values()), 64 * most_kib << 10)

    def test_a_generator_leads_by_as_much_as_its_furthest_worker_id(self):
        several = "[generator several]\nlayout='41/10/2 epoch=2020-01-01'\nworker=file-lock\nworker_ids=3\nstate=file\non_full=lead\nmax_lead=1h\nrun_dir=@\nstate_dir=@\n"
        daemon = self.start(config(several))
        client = self.connect(daemon)
        for _ in range(9):
            client.ask("NEXT", "several", 1000)
        text = self.ask(daemon, "/metrics").body.decode()
        stats = self.ask(daemon, "/v1/generators/several").json()["stats"]
        leads = [int(us) for us in re.findall(r'^frazil_lead_max_us{generator="several",nth="\d"} (\d+)$', text, re.M)]
        self.assertGreater(sorted(leads)[1], 0)  # more than one has led
        self.assertEqual((stats["issued"], stats["lead_max_us"]), (9000, max(leads)))

    def test_metrics_are_as_prometheus_reads_them(self):
        several = "[generator several]\nworker=file-lock\nworker_ids=3\nstate=file\nrun_dir=@\nstate_dir=@\n"
        daemon = self.start(config(WIDE, SLOW, several))
        client = self.connect(daemon)
        client.ask("NEXT", "main", 5)
        client.ask("NEXT", "slow")
        self.assert_error("ERR", "unknown command", client, "NEXTS")
        self.ask(daemon, "/v1/generators/main/ids?n=50")
        self.ask(daemon, "/nothing")
        answer = self.ask(daemon, "/metrics")
        text = answer.body.decode()
        self.assertTrue(answer.type.startswith("text/plain; version=0.0.4"))
        for line in (
            'frazild_requests_total{protocol="resp",request="NEXT",code="OK"} 2',
            'frazild_requests_total{protocol="http",request="ids",code="OK"} 1',
            'frazild_requests_total{protocol="http",request="unknown",code="ERR"} 1',
            'frazild_requests_total{protocol="resp",request="unknown",code="ERR"} 1',
            'frazild_ids_total{generator="main"} 55',
            'frazil_issued{generator="main"} 55',
            'frazil_issued{generator="slow"} 1',
            'frazil_worker{generator="slow"} 2.000',
            "frazild_batch_ids_sum 56",
            'frazild_batch_ids_bucket{le="10"} 2',
            'frazild_request_duration_seconds_bucket{le="+Inf"} 3',
        ):
            self.assertIn(line + "\n", text)
        self.assertNotIn('frazil_grant_end_timestamp_seconds{generator="main"', text)  # nobody grants this one
        for name in ("frazil_worker", "frazil_grant_end_timestamp_seconds", "frazil_issued", "frazild_waiting_requests"):
            found = re.findall(rf'^{name}{{generator="several",nth="(\d)"}} ', text, re.M)
            self.assertEqual(found, ["0", "1", "2"], name)
        sample = re.compile(r'^[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+$')
        self.assertEqual([x for x in text.splitlines() if not x.startswith("# ") and not sample.match(x)], [])
        with contextlib.closing(http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)) as asking:

            def is_true():
                asking.request("GET", "/metrics")
                told = re.search(rb"^process_open_fds (\d+)$", asking.getresponse().read(), re.M)[1]
                return int(told) == len(os.listdir(f"/proc/{daemon.process.pid}/fd"))

            until(is_true)  # earlier connections may be closed between the two readings
        if shutil.which("promtool") is not None:
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
            told = [x for x in checked.stderr.splitlines() if "abbreviated units" not in x]
            self.assertEqual(told, [])


class Heads(Http):
    def test_what_could_be_smuggled_is_refused_and_the_connection_ends(self):
        daemon = self.start(config())
        hidden = "GET /v1/generators/main/ids HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for head in (
            f"Content-Length: 0\r\nContent-Length: {len(hidden)}\r\n",
            f"Content-Length: {len(hidden)}\r\nTransfer-Encoding: chunked\r\n",
            f"Content-Length: {len(hidden)}\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Content-Length: 99999999\r\n",
            f"Content-Length: {len(hidden)}, 0\r\n",
            "Content-Length: -1\r\n",
        ):
            for method in ("GET", "POST"):
                with self.subTest(head=head, method=method):
                    data = f"{method} /v1/generators/main/ids HTTP/1.1\r\nHost: localhost\r\n{head}\r\n{hidden}"
                    answer = self.raw(daemon, data.encode())
                    self.assertNotIn(b" 200 ", answer)
                    self.assertNotIn(b'"ids"', answer)
                    self.assertEqual({x[:1] for x in re.findall(rb"HTTP/1.1 (\d+)", answer)}, {b"4"})

    def test_hosts_that_are_not_known_are_refused(self):
        daemon = self.start(config(listen="hosts=ids.example.org ids2\n"))
        for host, status in (
            ("localhost", 200),
            ("localhost:6381", 200),
            ("127.0.0.1:1", 200),
            ("[::1]:6381", 200),
            ("IDS.example.org", 200),
            ("ids2:80", 200),
            ("evil.example.org", 421),
            ("ids.example.org.evil", 421),
            ("127.0.0.1.evil", 421),
            ("", 421),
        ):
            with self.subTest(host=host):
                self.assertEqual(self.ask(daemon, "/livez", headers={"Host": host}).status, status)
        self.assertIn(b" 400 ", self.raw(daemon, b"GET /livez HTTP/1.1\r\n\r\n", end=True))
        twice = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"
        self.assertIn(b" 400 ", self.raw(daemon, twice, end=True))

    def test_pages_of_other_sites_get_nothing(self):
        daemon = self.start(config())
        own = "http://localhost"
        for headers, status in (
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Sec-Fetch-Site": "same-origin"}, 200),
            ({"Sec-Fetch-Site": "none"}, 200),
            ({"Origin": "http://evil.example.org"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": own}, 200),
        ):
            with self.subTest(headers=headers):
                answer = self.ask(daemon, "/v1/generators/main/ids", "POST", {"Host": "localhost", **headers})
                self.assertEqual(answer.status, status)
                self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_no_origin_is_the_host_that_was_left_out(self):
        daemon = self.start(config())
        for head, status in (
            (b"Origin: http://x\r\n", 403),
            (b"Origin: https://x\r\n", 403),
            (b"Origin: http://\r\n", 403),
            (b"Origin:\r\n", 403),
            (b"Sec-Fetch-Site:\r\n", 403),
            (b"Sec-Fetch-Site: same-origin\r\n", 200),
            (b"", 200),
        ):
            with self.subTest(head=head):
                answer = self.raw(daemon, b"GET /livez HTTP/1.0\r\n" + head + b"\r\n")
                self.assertRegex(answer, b"^HTTP/1[.][01] %d " % status)
                self.assertEqual(self.ask(daemon, "/livez").status, 200)

    def test_heads_are_bounded(self):
        daemon = self.start(config())
        long = self.ask(daemon, "/livez", headers={"X-Long": "x" * 9000})
        self.assert_problem(long, 431, "ERR", "8 KiB")
        self.assertNotIn(b" 200 ", self.raw(daemon, b"GET /livez HTTP/1.1\r\nX: " + b"x" * 200000, end=True))
        self.assertEqual(self.ask(daemon, "/livez").status, 200)

    def test_a_first_line_that_never_ends_is_cut(self):
        daemon = self.start(config(daemon="request_timeout=1s\n"))
        for sent in (b"", b"G"):
            with socket.create_connection(daemon.address("http"), PATIENCE_S) as client:
                client.sendall(sent)
                client.shutdown(socket.SHUT_WR)
                began = time.monotonic()
                self.assertEqual(client.recv(1), b"")
                self.assertLess(time.monotonic() - began, IDLE_S)

    def test_a_head_that_never_ends_is_cut(self):
        daemon = self.start(config(daemon="request_timeout=5s\n"))
        with socket.create_connection(daemon.address("http"), PATIENCE_S) as client:
            client.sendall(b"GET /livez HTTP/1.1\r\n")
            with self.assertRaises(OSError):
                while True:  # a byte now and then
                    client.sendall(b"X")
                    time.sleep(0.2)
        self.assertIn('frazild_connections_cut_total{reason="slow"} 1\n', self.ask(daemon, "/metrics").body.decode())


class Users(Http):
    def users(self):
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        folder = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "secret")
        with open(path, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(digest + "\n")
        return f"[user shop]\nsecret_file={path}\nallow=next:main inspect:*\n"

    def test_tokens_open_what_their_users_may(self):
        daemon = self.start(config(WIDE, SLOW, users=self.users()))
        ids = "/v1/generators/main/ids"
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        nobody = self.ask(daemon, ids)
        self.assert_problem(nobody, 401, "NOAUTH", "Bearer")
        self.assertTrue(nobody.headers["WWW-Authenticate"].startswith("Bearer"))
        self.assert_problem(self.ask(daemon, ids, headers={"Authorization": "Bearer x"}), 401, "WRONGPASS", "no user")
        self.assert_problem(self.ask(daemon, ids, headers={"Authorization": TOKEN}), 401, "NOAUTH", "Bearer")
        self.assertEqual(self.ask(daemon, ids, headers=bearer).status, 200)
        self.assert_problem(self.ask(daemon, "/v1/generators/slow/ids", headers=bearer), 403, "NOPERM", "slow")
        self.assert_problem(self.ask(daemon, "/metrics", headers=bearer), 403, "NOPERM", "shop")
        self.assertEqual(self.ask(daemon, "/v1/layouts", headers=bearer).status, 200)
        self.assertEqual(self.ask(daemon, "/v1/generators/slow?x=1").status, 401)
        names = [g["name"] for g in self.ask(daemon, "/v1/generators", headers=bearer).json()["generators"]]
        self.assertEqual(names, ["main"])
        for path in ("/livez", "/readyz", "/openapi.json", "/"):
            self.assertEqual(self.ask(daemon, path).status, 200)
        self.assertFalse(any(TOKEN in line for line in daemon.lines if line))

    def test_the_description_says_what_needs_a_token(self):
        daemon = self.start(config(users=self.users()))
        for path, operations in self.ask(daemon, "/openapi.json").json()["paths"].items():
            url = re.sub(r"\{\w+\}", "main", path)
            for method, operation in operations.items():
                self.assertEqual("security" in operation, self.ask(daemon, url, method.upper()).status == 401, url)

    def test_who_may_not_look_at_ids_may_not_look_at_layouts(self):
        daemon = self.start(config(users=self.users().replace(" inspect:*", "")))
        client = self.connect(daemon)
        client.ask("AUTH", TOKEN)
        for command in ("INSPECT 1", "INSPECT 1 main", "INSPECT 1 LAYOUT twitter", "LAYOUT", "LAYOUT twitter"):
            self.assert_error("NOPERM", "shop", client, *command.split())
        for path in ("/v1/inspect/1", "/v1/inspect/1?layout=twitter", "/v1/layouts", "/v1/layouts/twitter"):
            answer = self.ask(daemon, path, headers={"Authorization": f"Bearer {TOKEN}"})
            self.assert_problem(answer, 403, "NOPERM", "shop")

    def test_default_or_no_name_stands_for_the_user_whose_token_it_is(self):
        daemon = self.start(config(users=self.users()))
        for words in (("AUTH", TOKEN), ("AUTH", "default", TOKEN), ("AUTH", "", TOKEN), ("HELLO", 2, "AUTH", "default", TOKEN),
                      ("HELLO", 3, "AUTH", "", TOKEN)):  # fmt: skip
            client = self.connect(daemon)
            self.assert_error("NOAUTH", "AUTH", client, "NEXT")
            client.ask(*words)
            self.assertTrue(client.ask("NEXT").isdigit())
        for name in ("Default", "default\0", "main"):
            self.assert_error("WRONGPASS", "invalid", self.connect(daemon), "AUTH", name, TOKEN)
        self.assert_error("WRONGPASS", "invalid", self.connect(daemon), "AUTH", "", "")


class Life(Http):
    def test_readyz_fails_before_the_daemon_stops_to_accept(self):
        daemon = self.start(config(WIDE).replace("drain_delay=0s", "drain_delay=600s"))
        self.assertEqual(self.ask(daemon, "/readyz").status, 200)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for_line("draining")
        daemon.process.send_signal(signal.SIGHUP)  # which shortens nothing
        ready = self.ask(daemon, "/readyz")
        self.assertEqual((ready.status, ready.headers["Connection"]), (503, "close"))
        self.assertEqual(self.ask(daemon, "/livez").status, 200)
        self.assertEqual(self.ask(daemon, "/v1/generators/main/ids").status, 200)
        daemon.process.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)

    def test_what_waits_is_answered_before_the_end_and_idle_connections_are_closed(self):
        daemon = self.start(config(SLOW, daemon="request_timeout=600s\ndrain_timeout=600s\n"))
        idle = http.client.HTTPConnection(*daemon.address("http"), timeout=PATIENCE_S)
        self.addCleanup(idle.close)
        self.assertEqual(self.ask(daemon, "/livez", connection=idle).status, 200)
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.ask(daemon, "/v1/generators/slow/ids?n=300")))
        waiting.start()
        while b'"waiting":1' not in self.ask(daemon, "/v1/generators/slow", connection=idle).body:
            time.sleep(0.01)
        daemon.process.send_signal(signal.SIGTERM)
        waiting.join()
        self.assertEqual(len(set(answers[0].json()["ids"])), 300)
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)
        self.assertFalse(any(line and "are cut" in line for line in daemon.lines))

    def test_what_waits_for_too_long_is_told_so_at_the_end(self):
        daemon = self.start(config(SLOW, daemon="request_timeout=600s\ndrain_timeout=600s\n"))
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.ask(daemon, "/v1/generators/slow/ids?n=10000")))
        waiting.start()
        while b'"waiting":1' not in self.ask(daemon, "/v1/generators/slow").body:
            time.sleep(0.01)
        daemon.process.send_signal(signal.SIGINT)
        daemon.wait_for_line("draining")
        daemon.process.send_signal(signal.SIGINT)
        waiting.join()
        self.assertEqual(answers[0].status, 503)
        self.assertEqual(daemon.process.wait(PATIENCE_S), 0)

    def test_a_unix_socket_serves_it_too(self):
        text = config(WIDE).replace("[listen http]\naddress=127.0.0.1:0", "[listen http]\naddress=unix:@/http.sock")
        daemon = self.start(text)
        its = http.client.HTTPConnection("localhost", timeout=PATIENCE_S)
        its.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        its.sock.settimeout(PATIENCE_S)
        its.sock.connect(daemon.address("http"))
        self.addCleanup(its.close)
        self.assertEqual(self.ask(daemon, "/v1/generators/main/ids", connection=its).status, 200)

    @unittest.skipIf(INSTRUMENTED, "it would measure the instruments")
    def test_hundreds_of_connections_are_served(self):
        daemon = self.start(config(WIDE))
        connections = [socket.create_connection(daemon.address("http"), PATIENCE_S) for _ in range(400)]
        try:
            for its in connections:
                its.sendall(b"GET /v1/generators/main/ids HTTP/1.1\r\nHost: localhost\r\n"
                            b"X-Requested-With: x\r\nAccept: text/plain\r\n\r\n")
            ids = set()
            for its in connections:
                answer = b""
                while b"\r\n\r\n" not in answer or not answer.endswith(b"\n"):
                    answer += its.recv(4096)
                ids.add(answer.split(b"\r\n\r\n")[1])
            self.assertEqual(len(ids), 400)
        finally:
            for its in connections:
                its.close()


if __name__ == "__main__":
    unittest.main()
