# SPDX-License-Identifier: MIT
"""Goal of this test: whatever bytes come to the port of HTTP, the daemon lives, and says nothing but whole responses.

FRAZILD_FUZZ is the number of connections, FRAZILD_FUZZ_SEED chooses them, and FRAZILD_FUZZ_FIRST is the one to begin
with: a failure names the seed and the connection, which send the same bytes again."""

import collections
import hashlib
import json
import os
import random
import re
import socket
import ssl
import struct
import tempfile
import unittest

import test_tls
from harness import BASE, PATIENCE_S, TestCase, generator

CONNECTIONS = int(os.environ.get("FRAZILD_FUZZ", "3000"))
SEED = os.environ.get("FRAZILD_FUZZ_SEED", "1")
FIRST = int(os.environ.get("FRAZILD_FUZZ_FIRST", "0"))
BATCH = 100  # connections between two looks at the daemon
TOKEN = "0123456789abcdef0123456789abcdef"
HTTP = BASE.replace("[daemon]\n", "[daemon]\nrequest_timeout=1s\n") + "[listen http]\naddress=127.0.0.1:0\n"
GENERATORS = (
    generator("main", 1, layout="41/2/20")
    + generator("sno", 2, layout="sno")
    + generator("rated", 3, layout="41/2/20", rate=1000)
)
# There is no 500.
STATUSES = {200, 400, 401, 403, 404, 405, 406, 413, 421, 429, 431, 505}
# Ends what is not at its end, and the connection; what it cannot end, request_timeout does.
LAST = b"\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

# The first eight of each are as they should be.
METHODS = ["GET"] * 5 + ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH"]
METHODS += ["get", "", " ", "G\0T", "X" * 300]
VERSIONS = ["HTTP/1.1"] * 5 + ["HTTP/1.0"] * 3
VERSIONS += ["HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/1.", "HTTP/11", "http/1.1", "HTTP/1.1 ", "", "\0"]
PATHS = ["/none", "", "*", "//", "/.", "/..", "/%00", "/livez%00", "/%", "/%zz", "/livez/", "x", "?", "#", "/" + "x" * 9000]
ARGUMENTS = ["main"] * 6 + ["sno", "sno", "rated", "none", "", "%6dain", "main%00", "a/b", "..", "%ff", "%", "1" * 30]
ARGUMENTS += ["0", "1", "18446744073709551615", "0x10", "2222222222222222", "snowflake", "41/10/12", "x" * 300]
PARAMETERS = ["n", "form", "meta", "generator", "layout", "time", "worker", "sequence", "from", "to", "none", "", "%00"]
VALUES = ["=1", "=3", "=1000", "=10000", "=99999999999999999999", "=0", "=-1", "=", "", "=main", "=sno", "=hex", "=HEX"]
VALUES += ["=uuid", "=dec20", "=snowflake", "=41/10/12", "=2026-01-01", "=2026-01-01T00:00:00Z", "=%00", "=1%00", "=%ff"]
VALUES += ["=%", "==", "=" + "9" * 200]
NUMBERS = ["0", "1", "00", "5", "-1", "+0", "", " ", "0x1", "1 1", "0, 0", "99999999999999999999", "18446744073709551616"]
HEADERS = {
    "Host": ["localhost"] * 8 + ["127.0.0.1", "[::1]:80", "evil", "", ":", "[", "[]", "]:1", "localhost:1", "a" * 300],
    "Origin": ["http://localhost", "https://127.0.0.1", "http://x", "null", "", "http://", "http:/", "https://", "h"],
    "Sec-Fetch-Site": ["none", "same-origin", "same-site", "cross-site", "", "None", "non", "none,none"],
    "Authorization": [f"Bearer {TOKEN}"] * 6 + ["Bearer", "Bearer ", "Bearer x", f"bearer {TOKEN}", "Basic eA==", "", TOKEN],
    "X-Requested-With": ["test"] * 6 + ["", "XMLHttpRequest", "\0", "x" * 300],
    "Accept": ["*/*", "text/plain", "application/octet-stream", "application/json", "text/html", "text/*;q=0.5", "", ",",
               ";", "/", "*", "q=1", "*/*;q=1e999", "*/*;q=nan", "*/*;q=-1", "text/plain;q=0.5,,", ", " * 500],
    "Content-Length": NUMBERS,
    "Transfer-Encoding": ["chunked", "identity", "gzip, chunked", "chunked, chunked", "Chunked", "", "x"],
    "Connection": ["close", "keep-alive", "upgrade", "", "close, keep-alive", "Host"],
    "Expect": ["100-continue", "", "x"],
    "Upgrade": ["websocket", "h2c"],
    "Cookie": ["a=b", "a", "=", ";", "a=\"b", "a=b;;c", "$Version=1; a=b"],
    "Content-Type": ["application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary="],
    "Range": ["bytes=0-1"],
    "X-Long": ["x" * 7000, "x" * 9000, "x" * 40000],
    "": ["", "x"],
}
BLANKS = [" "] * 30 + ["  ", "\t", "", "\0"]
COLONS = [": "] * 12 + [":", ":", " :", " : ", "\t:\t", ":\t", "", " ", "::", ":\r\n ", "\0:", ":\0"]
ENDS = ["\r\n"] * 30 + ["\n", "\r", "\r\n ", "\r\n\t", "\n\r\n", "\0\r\n", " \r\n"]
BODIES = [""] * 8 + ["x", "n=1", "0\r\n\r\n", "1\r\nx\r\n0\r\n\r\n", "ffffffffffffffff\r\n", "GET /livez HTTP/1.1\r\n\r\n"]


class Requests:
    """What is sent on one connection; the same for the same seed and number."""

    def __init__(self, number, routes, token_is_likely):
        self.random = random.Random(f"{SEED}.{number}")
        self.routes = routes
        self.token_is_likely = token_is_likely
        data = b"".join(self.request().encode("latin-1") for _ in range(self.random.choice((1, 1, 1, 2, 3))))
        self.data = self.damaged(data) if self.random.random() < 0.1 else data
        self.leaves = self.random.random() < 0.1

    def target(self):
        pick, chance = self.random.choice, self.random.random
        path = pick(PATHS) if chance() < 0.1 else re.sub(r"{\w+}", lambda _: pick(ARGUMENTS), pick(self.routes))
        if chance() < 0.4:
            given = [pick(PARAMETERS) + pick(VALUES) for _ in range(self.random.randint(0, 4))]
            path += "?" + pick(["&"] * 6 + ["&&", ";", "?"]).join(given)
        if chance() < 0.05:
            path = "".join(f"%{ord(c) % 256:02x}" if chance() < 0.3 else c for c in path)
        return pick(["http://localhost", "http://evil", "http://", "//"]) + path if chance() < 0.05 else path

    def one_of(self, choices):
        """Of those that are as they should be, which stand in front, or of all."""
        return self.random.choice(choices[:8] if self.is_neat else choices)

    def header(self, name):
        text = name if self.random.random() < 0.8 else self.random.choice((name.lower(), name.upper(), name.swapcase()))
        value = self.one_of(HEADERS[name]) if name == "Host" else self.random.choice(HEADERS[name])
        return text + self.one_of(COLONS) + value + self.one_of(ENDS)

    def request(self):
        chance = self.random.random
        self.is_neat = chance() < 0.6
        names = [name for name in HEADERS if chance() < (0.2 if name == "Accept" else 0.08)]
        if "Host" not in names and chance() < 0.9:
            names.append("Host")
        if self.token_is_likely and chance() < 0.8:
            names.append("Authorization")
        if chance() < 0.7:
            names.append("X-Requested-With")
        if chance() < 0.03:
            names += names
        self.random.shuffle(names)
        line = self.one_of(BLANKS).join((self.one_of(METHODS), self.target(), self.one_of(VERSIONS)))
        head = line + self.one_of(ENDS) + "".join(self.header(name) for name in names)
        return head + self.one_of(ENDS) + self.one_of(BODIES)

    def damaged(self, data):
        for _ in range(self.random.randint(1, 4)):
            at = self.random.randint(0, len(data))
            some = bytes(self.random.choice(b"\0\r\n :%?/\xff") for _ in range(self.random.randint(0, 3)))
            data = data[:at] + some + data[at + self.random.randint(0, 2) :]
        return data[: self.random.randint(0, len(data))] if self.random.random() < 0.2 else data


class Responses:
    """Takes what came back apart, which is whole responses one after another."""

    def __init__(self, data, was_cut):
        self.data, self.was_cut = data, was_cut
        self.statuses = []
        while self.data and self.take():
            pass

    def fail_unless(self, good, why):
        if not good:
            raise AssertionError(f"{why} at {self.data[:300]!r}")

    def take(self):
        """Takes one; false: a reset has cut it off."""
        head, end, rest = self.data.partition(b"\r\n\r\n")
        if not end and self.was_cut:
            return False
        first, *lines = head.split(b"\r\n")
        found = re.fullmatch(rb"HTTP/1\.[01] (\d{3}) [ -~]+", first)
        self.fail_unless(end and found, "no status line")
        status = int(found[1])
        self.fail_unless(status in STATUSES, "an unknown status")
        self.fail_unless(all(re.fullmatch(rb"[A-Za-z-]+: [ -~]*", line) for line in lines), "no header")
        fields = [(name.lower(), value) for name, _, value in (line.partition(b": ") for line in lines)]
        self.fail_unless(len(dict(fields)) == len(fields), "a header twice")
        body = self.body(dict(fields), status, rest)
        if body is None:
            return False
        if body and dict(fields).get(b"content-type") == b"application/problem+json":
            self.fail_unless(json.loads(body)["status"] == status, "another status in its problem")
        self.statuses.append(status)
        return True

    def body(self, fields, status, rest):
        """Its body; nothing where it is of HEAD, and another one or nothing follows.  None: a reset has cut it off."""
        if not rest or rest.startswith(b"HTTP/1."):
            self.data = rest
            return b""
        length = int(fields[b"content-length"])
        whole, self.data = (rest[:length], rest[length:]) if len(rest) >= length else (None, rest)
        self.fail_unless(whole is not None or self.was_cut, "half a body")
        return whole


class Fuzz(TestCase):
    def routes(self, daemon):
        answer = self.exchange(daemon.address("http"), b"GET /openapi.json HTTP/1.0\r\n\r\n")[0]
        paths = sorted(json.loads(answer.partition(b"\r\n\r\n")[2])["paths"])
        return paths + 5 * [path for path in paths if path.endswith("/ids")]

    @staticmethod
    def exchange(address, data, tls=None):
        """What comes back, and whether the daemon has hung up before it read all, which may cut its reply off."""
        answer, was_cut = b"", False
        with socket.create_connection(address, PATIENCE_S) as plain:
            with tls.wrap_socket(plain, suppress_ragged_eofs=False) if tls else plain as client:
                try:
                    client.sendall(data)
                except (ConnectionError, ssl.SSLEOFError):
                    was_cut = True
                try:
                    while chunk := client.recv(65536):
                        answer += chunk
                except (ConnectionError, ssl.SSLEOFError):
                    was_cut = True
        return answer, was_cut

    @staticmethod
    def leave(address, data):
        """Goes away in the middle of whatever the daemon does with it."""
        with socket.create_connection(address, PATIENCE_S) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(data)

    def check_alive(self, daemon):
        self.assertIsNone(daemon.process.poll(), "it has ended")
        answer, _ = self.exchange(daemon.address("http"), b"GET /livez HTTP/1.0\r\n\r\n")
        self.assertRegex(answer, rb"^HTTP/1\.[01] 200 ")

    def fuzz(self, daemon, share, has_users=False, tls=None):
        address = daemon.address("https" if tls else "http")
        routes, seen, before = self.routes(daemon), collections.Counter(), b""
        for number in range(FIRST, FIRST + max(1, int(CONNECTIONS * share))):
            requests = Requests(number, routes, has_users)
            try:
                if requests.leaves:
                    self.leave(address, requests.data)
                else:
                    seen.update(Responses(*self.exchange(address, requests.data + LAST, tls)).statuses)
                if number % BATCH == BATCH - 1:
                    self.check_alive(daemon)
            except (AssertionError, OSError) as error:
                said = f"connection {number} of seed {SEED} said {requests.data[:3000]!r}"
                raise AssertionError(f"{error}: {said}, and the one before {before[:3000]!r}") from error
            before = requests.data
        self.check_alive(daemon)
        self.assertEqual(daemon.end(), 0)
        wrong = [line for line in daemon.lines if line and re.search("runtime error|Sanitizer", line)]
        self.assertEqual(wrong, [])
        print(f"seed {SEED}, connections from {FIRST} on: {dict(sorted(seen.items()))}")
        return set(seen)

    def test_everybody_gets_whole_responses(self):
        daemon = self.start(HTTP + GENERATORS)
        seen = self.fuzz(daemon, 0.48)
        if CONNECTIONS >= 1000 and FIRST == 0:
            self.assertGreaterEqual(seen, {200, 400, 403, 404, 405, 406, 421, 431})

    def test_strangers_and_users_get_whole_responses(self):
        with tempfile.TemporaryDirectory(prefix="frazild-fuzz-") as folder:
            secret = os.path.join(folder, "secret")
            with open(secret, "w", encoding="ascii", opener=lambda its, flags: os.open(its, flags, 0o600)) as file:
                file.write(hashlib.sha256(TOKEN.encode()).hexdigest() + "\n")
            user = f"[user shop]\nsecret_file={secret}\nallow=next:main next:rated inspect:*\n"
            daemon = self.start(HTTP + GENERATORS + user)
        seen = self.fuzz(daemon, 0.48, has_users=True)
        if CONNECTIONS >= 1000 and FIRST == 0:
            self.assertGreaterEqual(seen, {200, 400, 401, 403, 404, 405, 421, 431})

    def test_tls_changes_nothing(self):
        with tempfile.TemporaryDirectory(prefix="frazild-fuzz-") as folder:
            test_tls.Certificates.make_certificate(folder)
            daemon = self.start(HTTP + test_tls.HTTPS.format(folder) + GENERATORS)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.fuzz(daemon, 0.04, tls=context)


if __name__ == "__main__":
    unittest.main()
