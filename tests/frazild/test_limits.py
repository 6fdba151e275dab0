# SPDX-License-Identifier: MIT
"""Goal of this test: a rate is charged for each id, to user and generator alike, in every protocol, and one client's limits
are no other's loss."""

import hashlib
import http.client
import os
import tempfile
import unittest

from harness import BASE, PATIENCE_S, ReplyError, TestCase, generator

LISTEN = BASE + "[listen http]\naddress=127.0.0.1:0\n"


class Rates(TestCase):
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

    def test_ids_that_did_not_come_are_not_charged(self):
        slow = generator("main", 1, layout="31/10/2", tick="10s", rate=10)
        daemon = self.start(BASE.replace("[listen", "request_timeout=50ms\n[listen") + slow)
        client = self.connect(daemon)
        for _ in range(20):
            self.assert_error("TRYAGAIN", "retry_ms", client, "NEXT", "main", 10)


if __name__ == "__main__":
    unittest.main()
