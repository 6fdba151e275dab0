# SPDX-License-Identifier: MIT
"""Goal of this test: a client's certificate is as good as a token, and one that is not good ends the handshake."""

import http.client
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import unittest

from harness import BASE, INSTRUMENTED, PATIENCE_S, Client, ReplyError, TestCase, WallClock, generator

LISTEN = """[listen {protocol}]
address=127.0.0.1:0
tls_certificate={folder}/server.pem
tls_key={folder}/server.key
tls_client_ca={folder}/ca.pem
"""
USER = "[user {name}]\ncertificate={certificate}\nallow={allow}\n"


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


class Authority:
    """Signs certificates in a folder."""

    def __init__(self, folder, name, above=None):
        self.folder, self.name = folder, name
        if above is not None:
            above.sign(name, name, "basicConstraints=critical,CA:TRUE\n")
        else:
            openssl(folder, "req", "-x509", *self.new_key(name), "-out", f"{name}.pem", "-days", "2", "-subj", f"/CN={name}")

    @staticmethod
    def new_key(name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]

    def sign(self, name, subject, extensions, days="2"):
        with open(os.path.join(self.folder, "extensions"), "w", encoding="utf-8") as file:
            file.write(extensions)
        openssl(self.folder, "req", *self.new_key(name), "-out", f"{name}.csr", "-subj", f"/CN={subject}" if subject else "/")
        openssl(self.folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{self.name}.pem", "-CAkey", f"{self.name}.key",
                "-CAcreateserial", "-days", days, "-extfile", "extensions", "-out", f"{name}.pem")  # fmt: skip

    def sign_between(self, name, subject, extensions, start, end):
        with open(os.path.join(self.folder, "ca.conf"), "w", encoding="utf-8") as file:
            file.write("[ca]\ndefault_ca=ours\n[ours]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\n"
                       f"policy=any\nunique_subject=no\n[any]\ncommonName=supplied\n[more]\n{extensions}")  # fmt: skip
        for file_name, text in (("index", ""), ("serial", "7001\n")):
            with open(os.path.join(self.folder, file_name), "w", encoding="utf-8") as file:
                file.write(text)
        openssl(self.folder, "req", *self.new_key(name), "-out", f"{name}.csr", "-subj", f"/CN={subject}")
        openssl(self.folder, "ca", "-config", "ca.conf", "-batch", "-notext", "-in", f"{name}.csr", "-out", f"{name}.pem", "-cert",
                f"{self.name}.pem", "-keyfile", f"{self.name}.key", "-startdate", start, "-enddate", end,
                "-extensions", "more")  # fmt: skip


class Clients(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="frazild-certificates-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        ca = Authority(cls.folder, "ca")
        client = "extendedKeyUsage=clientAuth\n"
        ca.sign("server", "frazild", "subjectAltName=IP:127.0.0.1\n")
        ca.sign("plain", "shop", client)
        ca.sign("dns", "other", client + "subjectAltName=DNS:shop.internal,DNS:second.internal\n")
        ca.sign("uri", "other", client + "subjectAltName=URI:spiffe://internal/shop\n")
        ca.sign("hidden", "shop", client + "subjectAltName=DNS:guest.internal\n")
        ca.sign("unreadable", "shop", client + "subjectAltName=DER:30:03:82:05:61\n")
        ca.sign("long", "shop", client + f"subjectAltName=DNS:{'a' * 300}\n")
        ca.sign("long-uri", "shop", client + f"subjectAltName=URI:spiffe://internal/{'a' * 300}\n")
        ca.sign("longer-dns", "other", client + "subjectAltName=DNS:shop.internal.example\n")
        ca.sign("shorter-dns", "other", client + "subjectAltName=DNS:shop\n")
        ca.sign("longer-name", "shop.internal2", client)
        ca.sign_between("early", "shop", client, "20990101000000Z", "20991231000000Z")
        ca.sign("nameless", "", client)
        ca.sign("wrong-use", "shop", "extendedKeyUsage=serverAuth\n")
        ca.sign("ended", "shop", client, days="-1")
        Authority(cls.folder, "stranger").sign("strange", "shop", client)
        Authority(cls.folder, "between", ca).sign("below", "shop", client)
        with open(os.path.join(cls.folder, "below.pem"), "a", encoding="utf-8") as chain:
            with open(os.path.join(cls.folder, "between.pem"), encoding="utf-8") as its:
                chain.write(its.read())

    def config(self, certificate="shop", allow="*:*", more=""):
        listen = "".join(LISTEN.format(protocol=protocol, folder=self.folder) for protocol in ("resps", "https"))
        return BASE + listen + generator("main") + USER.format(name="shop", certificate=certificate, allow=allow) + more

    def context(self, certificate=None):
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "ca.pem"))
        if certificate is not None:
            path = os.path.join(self.folder, certificate)
            context.load_cert_chain(f"{path}.pem", f"{path}.key")
        return context

    def connect_tls(self, daemon, certificate=None, protocol="resps"):
        client = Client(daemon.address(protocol))
        self.addCleanup(client.close)
        client.file.close()
        client.socket = self.context(certificate).wrap_socket(client.socket, server_hostname="127.0.0.1")
        client.file = client.socket.makefile("rb")
        return client

    def get(self, daemon, path, certificate=None, headers=None):
        host, port = daemon.address("https")
        connection = http.client.HTTPSConnection(host, port, context=self.context(certificate), timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"X-Requested-With": "test", **(headers or {})})
        return connection.getresponse().status

    def is_refused(self, daemon, certificate):
        """With TLS 1.3 the client's handshake ends before the server has looked at the certificate."""
        try:
            return self.connect_tls(daemon, certificate).ask("PING") != "PONG"
        except (OSError, EOFError, IndexError, ssl.SSLError):
            return True


class Users(Clients):
    def test_a_name_in_the_certificate_is_the_user(self):
        for certificate, name in (
            ("plain", "shop"),
            ("dns", "shop.internal"),
            ("dns", "second.internal"),
            ("dns", "SHOP.Internal"),
            ("uri", "spiffe://internal/shop"),
        ):
            others = USER.format(name="later", certificate=name, allow="*:*")
            daemon = self.start(self.config("another.internal", "inspect:*", others))
            self.assertGreater(int(self.connect_tls(daemon, certificate).ask("NEXT", "main")), 0)
            self.assertEqual(self.get(daemon, "/v1/generators/main/ids", certificate), 200)
            daemon.end()

    def test_a_certificate_of_two_names_is_that_of_the_first_user(self):
        for first, other in (("second.internal", "shop.internal"), ("shop.internal", "second.internal")):
            others = USER.format(name="later", certificate=other, allow="*:*")
            daemon = self.start(self.config(first, "inspect:*", others))
            self.assert_error("NOPERM", "user shop may not", self.connect_tls(daemon, "dns"), "NEXT", "main")

    def test_a_common_name_does_not_count_beside_other_names(self):
        daemon = self.start(self.config("shop"))
        self.assert_error("NOAUTH", "Authentication required", self.connect_tls(daemon, "hidden"), "NEXT", "main")
        self.assertEqual(self.get(daemon, "/v1/generators/main/ids", "hidden"), 401)

    def test_names_that_are_absent_or_cannot_be_read_are_nobodys(self):
        daemon = self.start(self.config("shop"))
        for certificate in ("nameless", "long", "long-uri", "unreadable"):
            with self.subTest(certificate=certificate):
                try:
                    with self.assertRaises(ReplyError) as refused:
                        self.connect_tls(daemon, certificate).ask("NEXT", "main")
                    self.assertEqual(refused.exception.code, "NOAUTH")
                except (OSError, EOFError, IndexError):
                    pass  # the handshake was refused
                self.assertGreater(int(self.connect_tls(daemon, "plain").ask("NEXT", "main")), 0)

    def test_a_name_that_begins_or_ends_like_a_users_is_another_one(self):
        daemon = self.start(self.config("shop.internal"))
        for certificate in ("longer-dns", "shorter-dns", "longer-name", "plain"):
            self.assert_error("NOAUTH", "Authentication required", self.connect_tls(daemon, certificate), "NEXT", "main")
            self.assertEqual(self.get(daemon, "/v1/generators/main/ids", certificate), 401)

    def test_a_common_name_and_a_uri_have_a_case(self):
        others = USER.format(name="later", certificate="spiffe://internal/Shop", allow="*:*")
        daemon = self.start(self.config("Shop", more=others))
        for certificate in ("plain", "uri"):
            self.assert_error("NOAUTH", "Authentication required", self.connect_tls(daemon, certificate), "NEXT", "main")

    def test_reset_forgets_a_token_and_not_the_certificate(self):
        client = self.connect_tls(self.start(self.config()), "plain")
        self.assertEqual(client.ask("CLIENT", "SETNAME", "me"), "OK")
        for _ in range(2):
            self.assertEqual(client.ask("RESET"), "RESET")
            self.assertGreater(int(client.ask("NEXT", "main")), 0)
        self.assertIsNone(client.ask("CLIENT", "GETNAME"))
        anybody = self.connect_tls(self.start(self.config()))
        self.assertEqual(anybody.ask("RESET"), "RESET")
        self.assert_error("NOAUTH", "Authentication required", anybody, "NEXT", "main")

    def test_the_user_may_what_allow_says(self):
        daemon = self.start(self.config(allow="inspect:*"))
        self.assert_error("NOPERM", "allow=", self.connect_tls(daemon, "plain"), "NEXT", "main")
        self.assertEqual(self.get(daemon, "/v1/generators/main/ids", "plain"), 403)
        self.assertEqual(self.get(daemon, "/v1/inspect/5", "plain"), 200)

    def test_without_a_certificate_a_token_counts(self):
        token = "a" * 64
        secret = os.path.join(self.folder, "secret")
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            subprocess.run(["sha256sum"], input=token, text=True, stdout=file, check=True)
        daemon = self.start(self.config(more=f"[user tools]\nsecret_file={secret}\nallow=*:*\n"))
        client = self.connect_tls(daemon)
        self.assert_error("NOAUTH", "Authentication required", client, "NEXT", "main")
        self.assertEqual(client.ask("AUTH", "tools", token), "OK")
        self.assertGreater(int(client.ask("NEXT", "main")), 0)
        self.assertEqual(self.get(daemon, "/v1/generators/main/ids"), 401)
        headers = {"Authorization": f"Bearer {token}"}
        self.assertEqual(self.get(daemon, "/v1/generators/main/ids", headers=headers), 200)

    def test_a_wrong_token_is_wrong_beside_a_good_certificate(self):
        daemon = self.start(self.config())
        headers = {"Authorization": "Bearer wrong"}
        self.assertEqual(self.get(daemon, "/v1/generators/main/ids", "plain", headers), 401)


class Bad(Clients):
    def test_one_that_is_not_good_ends_the_handshake(self):
        daemon = self.start(self.config())
        for count, certificate in enumerate(("strange", "ended", "early", "wrong-use"), 1):
            self.assertTrue(self.is_refused(daemon, certificate), certificate)
            daemon.wait_for_line("failed: Error in the certificate", count)
            with self.assertRaises((OSError, http.client.HTTPException)):
                self.get(daemon, "/v1/generators/main/ids", certificate)
        self.assertFalse(self.is_refused(daemon, "plain"))

    def test_a_reload_that_names_another_cuts_the_user(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.conf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.config())
            daemon = self.start(arguments=["-c", path])
            client = self.connect_tls(daemon, "plain")
            self.assertGreater(int(client.ask("NEXT", "main")), 0)
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.config("another"))
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_line("SIGHUP: the configuration was read")
            with self.assertRaises((ReplyError, OSError, EOFError, IndexError)):
                client.ask("NEXT", "main")
            self.assert_error("NOAUTH", "Authentication required", self.connect_tls(daemon, "plain"), "NEXT", "main")


class Ended(Clients):
    def test_a_certificate_that_ends_takes_its_connections_along(self):
        if INSTRUMENTED:
            self.skipTest("a sanitizer must be loaded before the clock")
        with WallClock() as clock:
            daemon = self.start(self.config(), env=clock.environment)
            asking, silent, anybody = (self.connect_tls(daemon, name) for name in ("plain", "plain", None))
            for client in (asking, silent):
                self.assertGreater(int(client.ask("NEXT", "main")), 0)
            clock.step(3 * 86400 * 1000)
            with self.assertRaises((OSError, EOFError, IndexError)):
                asking.ask("PING")
            daemon.wait_for_line("is cut: the certificate of its client has expired", 2)
            self.assertTrue(silent.is_closed())
            self.assert_error("NOAUTH", "Authentication required", anybody, "PING")

    def test_a_reload_with_other_signers_cuts_those_whom_they_did_not_sign(self):
        with tempfile.TemporaryDirectory() as folder:
            path, both = os.path.join(folder, "f.conf"), os.path.join(folder, "both.pem")
            with open(both, "w", encoding="utf-8") as file:
                for name in ("stranger", "ca"):
                    with open(os.path.join(self.folder, f"{name}.pem"), encoding="utf-8") as its:
                        file.write(its.read())

            def write(signers):
                with open(path, "w", encoding="utf-8") as file:
                    key = "tls_client_ca="
                    file.write(self.config().replace(f"{key}{self.folder}/ca.pem", key + os.path.join(self.folder, signers)))

            write("ca.pem")
            daemon = self.start(arguments=["-c", path])
            clients = [self.connect_tls(daemon, name) for name in ("plain", "below")]
            for count, signers in enumerate((both, "ca.pem"), 1):
                write(signers)
                daemon.process.send_signal(signal.SIGHUP)
                daemon.wait_for_line("SIGHUP: the configuration was read", count)
                for client in clients:
                    self.assertGreater(int(client.ask("NEXT", "main")), 0)
            write("stranger.pem")
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_line("is not signed by tls_client_ca", 2)
            daemon.wait_for_line("SIGHUP: the configuration was read", 3)
            for client in clients:
                self.assertTrue(client.is_closed())
            self.assertFalse(self.is_refused(daemon, "strange"))

    def test_other_signers_of_one_protocol_cut_the_clients_of_that_one_alone(self):
        questions = {"resps": b"PING\r\n", "https": b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"}
        answers = {"resps": b"+PONG\r\n", "https": b"HTTP/1.1 200 OK\r\n"}
        ours, key = self.config(), f"tls_client_ca={self.folder}/"
        for protocol in questions:
            daemon = self.start(ours)
            clients = {name: self.connect_tls(daemon, "plain", name) for name in questions}
            for count in (1, 2):
                with open(daemon.config, "w", encoding="utf-8") as file:
                    before, behind = ours.split(f"[listen {protocol}]")
                    signers = "ca" if count == 1 else "stranger"
                    file.write(before + f"[listen {protocol}]" + behind.replace(key + "ca", key + signers, 1))
                daemon.process.send_signal(signal.SIGHUP)
                daemon.wait_for_line("SIGHUP: the configuration was read", count)
                for name, client in clients.items():
                    if count == 2 and name == protocol:
                        self.assertTrue(client.is_closed())
                        continue
                    client.socket.sendall(questions[name])
                    self.assertEqual(client.file.readline(), answers[name], (protocol, name))
                    while name == "https" and client.file.readline() != b"\r\n":
                        pass
                    client.file.read(3 if name == "https" else 0)  # "ok"


class Mistakes(Clients):
    def expect(self, config, words):
        path = os.path.join(self.folder, "f.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        result = subprocess.run(
            [os.environ["FRAZILD"], "-c", path, "--check"], capture_output=True, text=True, timeout=PATIENCE_S
        )
        self.assertEqual(result.returncode, 1)
        self.assertIn(words, result.stderr)

    def test_each_is_named(self):
        self.expect(self.config().replace("/ca.pem", "/none.pem"), "tls_client_ca=")
        self.expect(self.config().replace("/ca.pem", "/server.key"), "cannot be used")
        self.expect(self.config().replace("/server.", "/early."), "the certificate is not valid yet")
        self.expect(self.config().replace("/server.", "/ended."), "the certificate has expired")
        with open(os.path.join(self.folder, "chain.pem"), "w", encoding="utf-8") as chain:
            for name in ("ended.pem", "ca.pem"):  # the first of a chain that ends is its end
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    chain.write(file.read())
        ended = self.config().replace("/server.pem", "/chain.pem").replace("/server.key", "/ended.key")
        self.expect(ended, "the certificate has expired")
        self.expect(self.config(certificate=""), "[user shop] needs secret_file= or certificate=")
        same = USER.format(name="later", certificate="shop", allow="*:*")
        self.expect(self.config(more=same), "[user later] has the certificate= of [user shop]")
        spelled = USER.format(name="later", certificate="SHOP", allow="*:*")
        self.expect(self.config(more=spelled), "[user later] has the certificate= of [user shop]")
        without = self.config().replace(f"tls_client_ca={self.folder}/ca.pem\n", "")
        self.expect(without, "certificate= needs tls_client_ca= in [listen resps] or [listen https]")
        wrong = self.config().replace("[listen resp]\n", f"[listen resp]\ntls_client_ca={self.folder}/ca.pem\n")
        self.expect(wrong, "keys of [listen resps] and [listen https]")


if __name__ == "__main__":
    unittest.main()
