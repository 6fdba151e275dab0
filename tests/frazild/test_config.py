# SPDX-License-Identifier: MIT
"""Goal of this test: each mistake of the configuration is named with its file and line, before anything starts."""

import contextlib
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from harness import BASE, FRAZILD, PATIENCE_S, TestCase, WallClock, generator



def needs_capability(port):
    """Whether the system says that it does; some hide it."""
    try:
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as start:
            return port < int(start.read())
    except OSError:
        return False


class Configuration(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="frazild-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.path = os.path.join(self.folder, "f.conf")

    def write(self, text, name="f.conf", mode=0o600):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("@/", self.folder + "/"))  # any other @ is that of a URL
        os.chmod(path, mode)
        return path

    def run_it(self, *arguments, **variables):
        folders = {"RUNTIME_DIRECTORY": os.path.join(self.folder, "run"), "STATE_DIRECTORY": os.path.join(self.folder, "state")}
        env = os.environ | folders | variables
        return subprocess.run([FRAZILD, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, env=env)

    def expect(self, text, line, words):
        self.write(text)
        result = self.run_it("-c", self.path, "--check")
        self.assertEqual(result.returncode, 1, result.stderr)
        place = f"{self.path}:{line}: " if line else f"{self.path}: "
        self.assertTrue(any(x.startswith(place) and words in x for x in result.stderr.splitlines()), result.stderr)

    def test_mistakes_are_named_with_their_line(self):
        good = BASE + generator("main")
        last = good.count("\n")
        self.expect(good + "colour=red\n", last + 1, "colour")
        self.expect(good + "max_batch=0\n", last + 1, "65536")
        self.expect(good + "worker_ids=65\n", last + 1, "from 1 to 64")
        for rate in ("fast", "0", "1000000001", 2**64 + 1):
            self.expect(good + f"rate={rate}\n", last + 1, "ids a second")
        self.expect(good + "rates=5\n", last + 1, "unknown key 'rates': did you mean rate?")
        self.expect(good + "max-bacth=5\n", last + 1, "unknown key 'max-bacth'; frazil.spec(5)")
        for slip, key in {"max_bacth": "max_batch", "max-batch": "max_batch", "key": "keys", "rte": "rate"}.items():
            self.expect(good + slip + "=5\n", last + 1, f"unknown key '{slip}': did you mean {key}?")
        self.expect(good + "worker_id=5\n", last + 1, "unknown key 'worker_id': did you mean worker=fixed:5? Or worker_ids?")
        self.expect(good + "wroker=fixed:1\n", last + 1, "unknown key 'wroker': did you mean worker?")
        self.expect(BASE + "insecure=yes, please\n" + generator("main"), BASE.count("\n") + 1, "yes or no")
        self.expect(good + "worker=fixed:2\n", last + 1, "already")
        self.expect(good + "[generator main]\n", last + 1, "already")
        self.expect(good + "[generator Main]\n", last + 1, "small letter")
        self.expect(good + f"[generator {'x' * 65}]\n", last + 1, "up to 63")
        self.assertEqual(self.run_it("-c", self.write(good + generator("x" * 64, 2)), "--check").returncode, 0)
        self.expect(good + "[daemon main]\n", last + 1, "[daemon] has no name")
        self.expect(good + "[server]\n", last + 1, "there is no section [server]")
        self.expect(good + "[listen gopher]\n", last + 1, "resp, resps, http and https are the protocols")
        self.expect("[listen resp]\naddress=127.0.0.1:0\nmode=0600\n" + generator("a"), 3, "mode= is for unix sockets")
        self.expect("[listen resp]\naddress=127.0.0.1:0\nhosts=a\n" + generator("a"), 1, "[listen http]")
        self.expect(good + "[colours]\n", last + 1, "no section")
        self.expect(good + "nonsense\n", last + 1, "key=value")
        self.expect(good + "layout=\n", last + 1, "no value")
        self.expect("threads=1\n" + good, 1, "before the first")
        self.expect(good + "keys=a\x01b\n", last + 1, "control character")
        self.expect("[daemon]\nthreads=0\n" + generator("main"), 2, "auto")
        self.expect("[daemon]\ndrain_delay=5 parsecs\n" + generator("main"), 2, "duration")
        self.expect("[daemon]\nthreds=1\n" + generator("main"), 2, "it has threads")
        self.expect("[generator a]\nlayout=twitter\n[listen resp]\naddress=127.0.0.1:0\n", 1, "no worker id is given")
        self.expect("[generator a]\nlayout=sno\n[listen resp]\naddress=127.0.0.1:0\n", 1, "no worker id is given")
        self.expect("[listen resp]\naddress=127.0.0.1:0\n", None, "no [generator NAME]")
        self.expect(generator("a"), None, "no [listen PROTOCOL]")
        self.expect("[listen resp]\n" + generator("a"), 1, "needs address=")

    def test_a_file_whose_path_begins_with_a_bracket_has_lines(self):
        self.write(BASE + "nonsense\n", "(f).conf")
        result = subprocess.run([FRAZILD, "-c", "(f).conf", "--check"], capture_output=True, text=True, timeout=PATIENCE_S, cwd=self.folder)
        line = BASE.count("\n") + 1
        self.assertTrue(result.stderr.startswith(f"(f).conf:{line}: "), result.stderr)

    def test_without_a_configuration_the_environment_is_looked_at(self):
        if os.path.exists("/etc/frazil/frazild.conf"):
            self.skipTest("this host has a configuration")
        place = {"FRAZIL_STATE": "file", "FRAZIL_HOST_DIR": self.folder, "FRAZIL_RUN_DIR": self.folder, "FRAZIL_STATE_DIR": self.folder}
        for variable, value in (
            ("WORKER", "fixed:9999"),
            ("WORKER_ID", "3"),
            ("LAYOUT", "bogus"),
            ("WORKER", "nonsense"),
            ("WORKER", ""),
            ("EPOCH", "x"),
            ("MAX_LEAD", "z"),
            ("CONFIG", self.path + ".none"),
            ("SEQ_MIN", "99999"),
        ):
            with self.subTest(variable=variable, value=value):
                variables = {**place, "FRAZIL_" + variable: value}
                checked, started = self.run_it("--check", **variables), self.run_it(**variables)
                self.assertEqual((checked.returncode, started.returncode), (1, 4), checked.stderr + started.stderr)
                self.assertEqual([f"frazild: {line}" for line in checked.stderr.splitlines()], started.stderr.splitlines())
        for worker in ({}, {"FRAZIL_WORKER": "fixed:7"}):
            result = self.run_it("--check", **place, **worker)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_port_that_is_taken_is_named_by_its_listener(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f"127.0.0.1:{other.getsockname()[1]}"
            self.write(f"[listen http]\naddress={address}\n" + generator("main"))
            result = self.run_it("-c", self.path)
        self.assertEqual(result.returncode, 4)
        self.assertIn(f":1: [listen http] cannot listen on {address}: another program listens there (ss -lntxp names it)", result.stderr)

    def test_an_address_that_this_host_does_not_have_is_no_riddle(self):
        self.write("[listen resp]\naddress=192.0.2.1:0\ninsecure=yes\n" + generator("main"))
        result = self.run_it("-c", self.path)
        self.assertEqual(result.returncode, 4)
        self.assertIn(":1: [listen resp] cannot listen on 192.0.2.1:0: this host does not have the address", result.stderr)

    @unittest.skipUnless(needs_capability(1), "on this host each user may use each port")
    def test_a_port_that_needs_a_capability_names_it(self):
        self.write("[listen resp]\naddress=127.0.0.1:1\n" + generator("main"))
        drop = ["setpriv", "--bounding-set=-net_bind_service", "--inh-caps=-net_bind_service"] if os.geteuid() == 0 else []
        command = [*drop, FRAZILD, "-c", self.path]
        result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(result.returncode, 4)
        self.assertRegex(result.stderr, "cannot listen on 127.0.0.1:1: this user may not use the port: .*CAP_NET_BIND_SERVICE")

    def test_where_no_worker_is_named_the_error_is_that_of_frazil_next(self):
        if os.path.exists("/etc/frazil/frazild.conf"):
            self.skipTest("this host has a configuration")
        checked = self.run_it("--check", FRAZIL_STATE="memory")
        command = os.path.join(os.path.dirname(FRAZILD), "frazil")
        next_ = subprocess.run([command, "next"], capture_output=True, text=True, timeout=PATIENCE_S, env=os.environ | {"FRAZIL_STATE": "memory"})
        sentence = next_.stderr.removeprefix("frazil: ")
        self.assertIn("the default, does not work here", sentence)
        self.assertEqual(checked.stderr, f"(no configuration): [generator main]: {sentence}")

    def test_a_key_that_is_no_word_is_refused_and_not_shown(self):
        for before in (BASE, BASE + generator("main")):
            line = before.count("\n") + 1
            for key in ("max batch", "a\tb", "a b c", "'max_batch'", "a\\", '"', "schön", "\x7f", "redis://me:hunter2@h/n?a"):
                with self.subTest(key=key):
                    self.expect(before + f"{key}=10\n", line, "is not a key: a key is one word")
                    self.assertNotIn("hunter2", self.run_it("-c", self.path, "--check").stderr)
        self.expect(BASE + generator("main") + "\n".join(f"max batch{i}=1" for i in range(1000)), 8, "is not a key")

    def test_keys_and_values_of_any_length_are_read_or_refused(self):
        good = BASE + generator("main")
        last = good.count("\n") + 1
        self.expect(good + "a" * (1 << 20) + "=1\n", last, "unknown key")
        self.expect(good + "a " * (1 << 19) + "=1\n", last, "is not a key")
        self.expect(good + "layout=" + "a " * (1 << 19) + "\n", last - 3, "layout")
        self.expect(good + "layout=redis://me:hunter2@h/n " + ":/@" * 1000 + "\n", last - 3, "layout")
        self.assertNotIn("hunter2", self.run_it("-c", self.path, "--check").stderr)
        self.expect(good + "run_dir=a\0b\n", last, "a zero byte: save the file as UTF-8, if it is UTF-16")

    def test_a_byte_order_mark_at_the_beginning_is_skipped(self):
        good = "\ufeff" + BASE + generator("main")
        self.write(good)
        result = self.run_it("-c", self.path, "--check")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect(good + "\ufeffcolour=red\n", good.count("\n") + 1, "is not a key")

    def test_a_key_with_a_blank_in_the_file_of_a_generator_is_refused_with_its_line(self):
        path = self.write("worker=fixed:1\nmax batch=10\n", "frazil.conf")
        self.expect(BASE + f"[generator main]\nconfig={path}\n", 5, "line 2: unknown key")

    def test_folders_that_cannot_be_used_are_told_and_none_is_made(self):
        base, file = BASE.count("\n") + 1, self.write("", "file")
        keys = {key: f"{key}=@/{key}\n" for key in ("run_dir", "state_dir", "host_dir")}
        for key, words in (("run_dir", "the run directory"), ("state_dir", "the state directory"), ("host_dir", "the host directory")):
            with self.subTest(key=key):
                wrong = "".join({**keys, key: f"{key}=@/no/folder\n"}.values())
                self.expect(BASE + "[generator main]\nworker=fixed:1\nstate=file\n" + wrong, base, f"[generator main]: {words}")
        for url, words in (("file://@/no/folder", "create the directory above it"), (f"file://{file}", "replace it with a directory")):
            with self.subTest(url=url):
                self.expect(BASE + f"[generator main]\nworker={url}\n", base, words)
        for url in ("file://host/x", "file://", "file:relative"):
            self.expect(BASE + f"[generator main]\nworker={url}\n", base, url)
        self.expect(BASE + f"[generator main]\nworker=fixed:1\nstate=konayuki+file://{file}/x\n", base, "the folder")
        self.expect(BASE + "[generator main]\nworker=fixed:1\nstate=file://@/x\n", base, "konayuki+file://")
        self.expect("[listen resp]\naddress=unix:@/no/socket\n" + generator("a"), 1, "no/socket: the folder of the socket does not exist")
        self.write(BASE + "[generator main]\nworker=fixed:1\nstate=file\n" + "".join(keys.values()))
        result = self.run_it("-c", self.path, "--check")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["f.conf", "file"])

    def test_a_namespace_whose_folder_is_missing_is_told_and_none_is_made(self):
        self.refuse(BASE + "[generator b]\nworker=file://@/ids\n", "there is no namespace 'ids'")
        self.assertNotIn("ids", os.listdir(self.folder))
        command = os.path.join(os.path.dirname(FRAZILD), "frazil")
        subprocess.run([command, "lease", "init", "--never-used", f"worker=file://{self.folder}/ids"], check=True, capture_output=True)
        result = self.run_it("-c", self.path, "--check")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_folder_that_this_user_may_not_write_is_told(self):
        os.chmod(self.folder, 0o755)
        os.mkdir(os.path.join(self.folder, "others"), 0o755)
        self.write("[listen resp]\naddress=unix:@/others/socket\n[generator a]\nworker=fixed:1\nstate=file\nrun_dir=@/others\nhost_dir=/dev/shm\n", mode=0o644)
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if not other:
            os.chmod(os.path.join(self.folder, "others"), 0o555)
        result = subprocess.run([FRAZILD, "-c", self.path, "--check"], capture_output=True, text=True, timeout=PATIENCE_S, **other)
        self.assertEqual(result.returncode, 1)
        self.assertIn("unix:" + os.path.join(self.folder, "others/socket: this user cannot create or lock a file"), result.stderr)
        self.assertRegex(result.stderr, "the run directory .*(run as its owner|make it writable)")

    def test_all_mistakes_are_told_at_once(self):
        self.write("[daemon]\nthreads=x\nnonsense=1\n[generator a]\nlayout=1/2/3/4/5\n")
        errors = self.run_it("-c", self.path, "--check").stderr
        self.assertEqual([line.split(":")[1] for line in errors.splitlines()[:3]], ["2", "3", "4"])

    def test_beyond_this_host_it_needs_users_and_tls(self):
        text = "[listen resp]\naddress=0.0.0.0:0\n{}" + generator("main")
        self.expect(text.format(""), 1, "insecure=yes")
        self.expect(text.replace("0.0.0.0", "[::]").format(""), 1, "insecure=yes")
        self.expect(text.replace("0.0.0.0", "*").format(""), 1, "insecure=yes")
        self.expect(text.replace("0.0.0.0", "[::ffff:10.0.0.1]").format(""), 1, "insecure=yes")
        self.expect(text.format(""), 1, "without TLS")
        self.expect(text.format(""), 1, "there are no users")
        self.write(text.format("insecure=yes\n"))
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)

    def test_this_host_needs_neither(self):
        for address in ("localhost:0", "127.3.2.1:0", "[::1]:0", "[0::1]:0", "[::ffff:127.0.0.1]:0", "unix:@/socket"):
            self.write(f"[listen resp]\naddress={address}\n" + generator("main"))
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), address)

    def test_each_of_several_addresses_counts(self):
        for addresses in ("127.0.0.1:0 0.0.0.0:0", "0.0.0.0:0 127.0.0.1:0", "unix:@/a [::1]:0 10.0.0.1:0", "127.0.0.1:0 [::]:0"):
            self.expect(f"[listen resp]\naddress={addresses}\n" + generator("main"), 1, "without TLS")

    def test_a_duration_has_its_unit(self):
        for value in ("5", "5 s", "s", "-5s", "5sec", "1000001s", "5.5s", "00"):
            good = value == "00"
            self.write(f"[daemon]\ndrain_delay={value}\n[listen resp]\naddress=127.0.0.1:0\n" + generator("main"))
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual((result.returncode, "a duration such as" in result.stderr), (0, False) if good else (1, True), value)

    def test_a_timeout_that_could_not_be_kept_is_refused(self):
        for key, value, good, words in (
            ("request_timeout", "0s", False, "not 0"),
            ("request_timeout", "1ms", True, ""),
            ("stall_timeout", "0s", False, "at least 1s"),
            ("stall_timeout", "999ms", False, "at least 1s"),
            ("stall_timeout", "1s", True, ""),
            ("idle_timeout", "999ms", False, "at least 1s, or 0s for none"),
            ("idle_timeout", "1000ms", True, ""),
            ("idle_timeout", "0s", True, ""),
            ("drain_timeout", "2562047h", False, "at most 1000000 of its unit"),
            ("drain_timeout", "1000000h", True, ""),
        ):
            with self.subTest(key=key, value=value):
                self.write(f"[daemon]\n{key}={value}\n[listen resp]\naddress=127.0.0.1:0\n" + generator("main"))
                result = self.run_it("-c", self.path, "--check")
                self.assertEqual((result.returncode, words in result.stderr), (0 if good else 1, True), result.stderr)

    def test_users_need_a_secret_and_rights(self):
        good = BASE + generator("main") + "[user shop]\n"
        line = good.count("\n")
        self.expect(good + "allow=next:*\n", line, "needs secret_file=")
        self.expect(good + "secret_file=@/none\nallow=next:*\n", line, "cannot be read")
        self.write("0" * 64, "open", 0o644)
        self.expect(good + "secret_file=@/open\nallow=next:*\n", line, "chmod")
        for digits in ("0" * 63, "0" * 65, "0" * 63 + "g", "0" * 64 + ","):
            self.write(digits, "wrong")
            self.expect(good + "secret_file=@/wrong\nallow=next:*\n", line, "64 hex digits")
        for nothing in (b"", b"\n"):  # as of an unset variable
            self.write(hashlib.sha256(nothing).hexdigest() + "  -\n", "nothing")
            self.expect(good + "secret_file=@/nothing\nallow=next:*\n", line, "the SHA-256 of an empty token")
        self.write("0" * 64 + "\n", "secret")
        self.expect(good + "secret_file=@/secret\n", line, "needs allow=")
        self.write("0123456789ABCDEF" * 4, "capitals")
        self.write(good + "secret_file=@/capitals\nallow=next:*\n")
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)
        self.write("0" * 64, "of-a-group", 0o620)
        self.expect(good + "secret_file=@/of-a-group\nallow=next:*\n", line, "chmod")
        for allow in ("fly:*", "ne:*", "nexts:*", ":*", "next:", "next", "next:* fly:*", "next:a,b", 'next:"a"', "next:A", "next:a;stats:*"):
            self.expect(good + f"secret_file=@/secret\nallow={allow}\n", line, "VERB:PATTERN")
        self.write(good + "secret_file=@/secret\nallow=next:* *:main\n")
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)

    def test_two_users_of_one_token_are_refused(self):
        users = "".join(f"[user {name}]\nsecret_file=@/{secret}\nallow=next:*\n" for name, secret in (("a", 1), ("b", 2), ("c", 3)))
        for number, digit in enumerate("123", 1):
            self.write(digit * 64, str(number))
        self.write(BASE + generator("main") + users)
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)
        self.write("1" * 64 + " of another file\n", "3")
        self.refuse(BASE + generator("main") + users, "[user c] has the token of [user a]")
        self.refuse(BASE + generator("main") + users.replace("@/2", "@/1"), "[user b] has the token of [user a]")

    def test_a_key_of_incr_means_one_generator(self):
        start = BASE + generator("b", 1, keys="'x:* b\tb x:* same'")
        line = start.count("\n") + 1
        for keys, key in (("y:* x:*", "x:*"), ("b", "b"), ("same\ty", "same")):
            self.expect(start + generator("a", 2, keys=keys), line, f"the key {key} of INCR is that of [generator b] already")
        self.expect(start + generator("same", 2), line, "the key same of INCR is that of [generator b] already")
        self.expect(start + generator("c", 2) + generator("a", 3, keys="c"), line + 3, "that of [generator c] already")
        self.write(start + generator("a", 2, keys="x: x:** *:x xx:* a sam same*"))
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)

    def test_sections_and_keys_are_given_once_in_all_files(self):
        self.write(BASE + generator("main"))
        for more, line, words in (
            ("[daemon]\nthreads=1\n", 1, "[daemon] is already defined at "),
            ("[listen resp]\naddress=unix:@/s\n", 1, "[listen resp] is already defined at "),
            (generator("main"), 1, "[generator main] is already defined at "),
            ("keys=a\n", 1, "before the first [section]"),
            (generator("other", 2, keys="a") + "keys=b\n", 5, "the key keys is already set at "),
            (generator("other", 2, keys="main"), 1, "that of [generator main] already"),
            ("[user a]\nallow=next:*\nallow=next:*\n", 3, "the key allow is already set at "),
        ):
            beside = self.write(more, "conf.d/more.conf")
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual(result.returncode, 1)
            self.assertTrue(any(x.startswith(f"{beside}:{line}: ") and words in x for x in result.stderr.splitlines()), result.stderr)

    def test_a_rule_that_fits_no_generator_is_a_warning(self):
        self.write("1" * 64, "1")
        config = BASE + generator("main") + generator("orders", 2)
        line = config.count("\n") + 1
        config += "[user a]\nsecret_file=@/1\nallow=next:ordres *:* stats:main leases:o* inspect:x*\tnext:main.\n"
        self.write(config)
        warnings = [f"{self.path}:{line}: warning: [user a]: no generator matches {rule} of its allow="
                    for rule in ("next:ordres", "inspect:x*", "next:main.")]  # fmt: skip
        checked = self.run_it("-c", self.path, "--check")
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr.splitlines()), (0, "", warnings))
        printed = self.run_it("-c", self.path, "--print-config")
        self.assertEqual((printed.returncode, printed.stderr.splitlines()), (0, warnings))
        self.assertIn("[user a]", printed.stdout)
        process = subprocess.Popen([FRAZILD, "-c", self.path], stderr=subprocess.PIPE, text=True,
                                   env=os.environ | {"FRAZIL_HOST_DIR": os.path.join(self.folder, "host")})  # fmt: skip
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def said_until(words):
            lines = []
            while words not in (lines or [""])[-1]:
                lines.append(process.stderr.readline().rstrip("\n"))
            return [said for said in lines if "warning" in said]

        self.assertEqual(said_until("is ready"), ["frazild: " + warning for warning in warnings])
        self.write(config.replace("ordres", "orders").replace("x*", "*").replace("main.", "main"))
        process.send_signal(signal.SIGHUP)
        self.assertEqual(said_until("was read"), [])
        self.write(config)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(said_until("was read"), ["frazild: " + warning for warning in warnings])

    def test_hosts_are_names_that_a_client_can_send(self):
        http = BASE + "[listen http]\naddress=127.0.0.1:0\n"
        line = http.count("\n") + 1
        for hosts in ("ids:6381", "http://ids", "ids,other", "*.corp", "ids.internal/", ".", "a :80", "[ids]", "[::1]:80"):
            with self.subTest(hosts=hosts):
                self.expect(http + f"hosts={hosts}\n" + generator("a"), line, "hosts takes names of hosts")
        for hosts in ("ids", "IDS.internal.", "a_b-c\t10.0.0.1 b", "::1 [fe80::1]", "bücher.example"):
            with self.subTest(hosts=hosts):
                self.write(http + f"hosts={hosts}\n" + generator("a"))
                self.assertEqual(self.run_it("-c", self.path, "--check").stderr, "")

    def test_a_stopped_program_that_listens_there_is_not_waited_for(self):
        self.write("[listen resp]\naddress=unix:@/socket\n" + generator("a"))
        path = os.path.join(self.folder, "socket")
        with contextlib.ExitStack() as all_of_them:
            owner = all_of_them.enter_context(socket.socket(socket.AF_UNIX))
            owner.bind(path)
            owner.listen(0)
            with contextlib.suppress(BlockingIOError):
                while True:
                    client = all_of_them.enter_context(socket.socket(socket.AF_UNIX))
                    client.setblocking(False)
                    client.connect(path)
            result = self.run_it("-c", self.path)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(f"cannot listen on unix:{path}: another program listens there (ss -lntxp names it)", result.stderr)

    def test_a_mode_is_octal_and_has_permissions_alone(self):
        for mode in ("1660", "0888", "rw", "-1"):
            self.expect(f"[listen resp]\naddress=unix:@/s\nmode={mode}\n" + generator("main"), 3, "takes an octal mode")

    @unittest.skipIf(os.geteuid() != 0, "only root can leave a socket of another user")
    def test_a_socket_that_another_user_left_is_no_program(self):
        os.chmod(self.folder, 0o1777)
        path = os.path.join(self.folder, "s")
        self.write(f"[listen resp]\naddress=unix:{path}\n" + generator("main", host_dir=os.path.join(self.folder, "host")), mode=0o644)
        for mode in (0o777, 0o700):
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(path)
            os.chmod(path, mode)
            result = subprocess.run([FRAZILD, "-c", self.path], capture_output=True, text=True, timeout=PATIENCE_S, user=65534, group=65534, extra_groups=[])
            self.assertEqual(result.returncode, 4)
            self.assertIn("a socket of another user is there, which this user may not remove", result.stderr)
            os.remove(path)

    def test_a_file_of_conf_d_begins_without_a_section(self):
        self.write(BASE + generator("main"))
        path = self.write("max_batch=5\n", "conf.d/h.conf")
        for before, errors in ((generator("two", 2), 1), ("[one two three]\n", 2)):  # the latter is refused
            self.write(before, "conf.d/g.conf")
            result = self.run_it("-c", self.path, "--check")
            lines = result.stderr.splitlines()
            self.assertEqual((result.returncode, len(lines)), (1, errors), result.stderr)
            self.assertEqual(lines[-1], f"{path}:1: a key is before the first [section]")

    def test_conf_d_is_read_and_print_config_reads_the_same(self):
        self.write(BASE)
        self.write(generator("extra", 7, layout="'41/10/12 epoch=2020-01-01'".strip("'")), "conf.d/10.conf")
        self.write(generator("later", 8, max_wait="90000ms"), "conf.d/20.conf")
        for name in (".30.conf", "30.conf~", "conf", "30.conf.dpkg-new"):  # what editors and packages leave there
            self.write("no key\n", f"conf.d/{name}")
        printed = self.run_it("-c", self.path, "--print-config").stdout
        self.assertIn("[generator extra]", printed)
        self.assertIn("[generator later]", printed)
        self.assertIn("max_batch=10000", printed)
        for line in ("idle_timeout=0s", "request_timeout=10s", "max_lead=1s", "max_wait=2s", "max_wait=90s"):
            self.assertIn(line + "\n", printed)
        self.assertNotIn("mode=", printed)
        for name in ("10.conf", "20.conf"):
            os.remove(os.path.join(self.folder, "conf.d", name))
        self.write(printed)
        self.assertEqual(self.run_it("-c", self.path, "--print-config").stdout, printed)

    def test_a_conf_d_that_is_there_and_cannot_be_read_is_an_error(self):
        folder = os.path.join(self.folder, "conf.d")
        for words, make in (("No such file", lambda: os.symlink("none", folder)), ("symbolic links", lambda: os.symlink("conf.d", folder)),
                            ("Not a directory", lambda: self.write("", "conf.d"))):  # fmt: skip
            with self.subTest(words=words):
                make()
                self.refuse(BASE + generator("main"), f"{folder}: cannot be read: ")
                self.assertIn(words, self.run_it("-c", self.path, "--check").stderr)
                os.remove(folder)
        os.mkdir(folder)
        os.symlink("none", os.path.join(folder, "u.conf"))
        self.refuse(BASE + generator("main"), "u.conf: cannot be read: No such file")

    def test_a_conf_d_that_this_user_may_not_list_is_an_error(self):
        self.write(BASE + generator("main"), mode=0o644)
        self.write(generator("two", 2), "conf.d/u.conf", mode=0o644)
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        os.chmod(self.folder, 0o755)
        for mode, words in ((0, "conf.d: cannot be read: Permission denied"), (0o111, "conf.d: cannot be read: Permission denied"),
                            (0o444, "conf.d/u.conf: cannot be read: Permission denied")):  # fmt: skip
            os.chmod(os.path.join(self.folder, "conf.d"), mode)
            for arguments, status in ((["--check"], 1), ([], 4)):
                result = subprocess.run([FRAZILD, "-c", self.path, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, **other)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(words, result.stderr)
        os.chmod(os.path.join(self.folder, "conf.d"), 0o755)

    def test_a_folder_whose_name_is_a_pattern_is_that_folder(self):
        for name in ("a*", "ab"):
            self.write(generator("beside", 2) if name == "a*" else "nonsense\n", f"{name}/conf.d/g.conf")
        self.write("nonsense\n", "a*/conf.d/.g.conf")
        self.write("nonsense\n", "a*/conf.d/g.conf.bak")
        result = self.run_it("-c", self.write(BASE + generator("main"), "a*/f.conf"), "--print-config")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("[generator beside]", result.stdout)

    def test_a_default_file_that_is_there_and_cannot_be_read_is_no_first_try(self):
        if os.path.lexists("/etc/frazil"):
            self.skipTest("this host has a configuration")
        for make in ("ln -s none /etc/frazil/frazild.conf", "mkdir /etc/frazil/conf.d"):
            with self.subTest(make=make):
                hidden = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs none /etc && mkdir /etc/frazil && {make} && exec "$0" --check', FRAZILD]
                result = subprocess.run(hidden, capture_output=True, text=True, timeout=PATIENCE_S)
                if "mount" in result.stderr or "unshare" in result.stderr:
                    self.skipTest("this user can hide no folder")
                self.assertEqual((result.returncode, result.stderr), (1, "/etc/frazil/frazild.conf: cannot be read: No such file or directory\n"))

    def test_a_file_of_another_system_is_read_as_one_of_this(self):
        text = BASE + generator("main", layout="twitter")
        printed = [self.run_it("-c", self.write(its), "--print-config") for its in (text, text.replace("\n", "\r\n"))]
        self.assertEqual([(its.returncode, its.stderr) for its in printed], [(0, "")] * 2)
        self.assertEqual(printed[0].stdout, printed[1].stdout)

    def test_print_config_hides_passwords(self):
        self.write(BASE + "[generator a]\nworker=redis://user:hunter2@127.0.0.1/ns\n")
        result = self.run_it("-c", self.path, "--print-config")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("hunter2", result.stdout + result.stderr)

    def test_a_start_that_fails_names_the_place_and_has_status_4(self):
        self.write("[listen resp]\naddress=127.0.0.1:0\n[generator a]\nworker=file-lock\nstate=file\nrun_dir=/proc/none\n")
        result = self.run_it("-c", self.path)
        self.assertEqual(result.returncode, 4)
        self.assertIn(f"{self.path}:3: [generator a]", result.stderr)

    def refuse(self, text, words):
        """The check and the start find the same."""
        self.write(text)
        found = [self.run_it("-c", self.path, "--check"), self.run_it("-c", self.path)]
        self.assertEqual([result.returncode for result in found], [1, 4], found)
        for result in found:
            self.assertIn(words, result.stderr)
        checked, started = (re.sub(r"T[0-9:.]*Z", "", result.stderr) for result in found)  # times of day, which go on
        self.assertEqual(checked, started.replace("frazild: ", ""))

    def test_the_check_refuses_what_cannot_start_and_the_start_says_the_same(self):
        self.refuse(BASE + generator("a", worker_ids=2), ": [generator a]: worker= gives one number")
        self.refuse(BASE + generator("a", worker_ids=2).replace("fixed:1", "env:SHOP"), "SHOP")
        os.symlink(self.folder, os.path.join(self.folder, "link"))
        form = "an address is HOST:PORT, [IPV6]:PORT or unix:PATH"
        main = generator("main")
        for address, words in {
            "foo": form,
            "127.0.0.1": form,
            "127.0.0.1:": form,
            ":6380": form,
            "::1:6380": form,
            "[::1]": form,
            "[]:6380": form,
            "[127.0.0.1:6380": form,
            "127.0.0.1:x": form,
            "127.0.0.1:-1": form,
            "127.0.0.1:99999": "from 0 to 65535",
            "127.0.0.1:65536": "from 0 to 65535",
            "127.0.0.1:000001": "from 0 to 65535",
            "redis://me:hunter2@h:1": form,
            "hunter2@h:1": form,
            "unix:": "1 to 107 bytes",
            "unix:@/" + "s" * 107: "1 to 107 bytes",
            "unix:@/none/socket": "the folder of the socket does not exist",
            "unix:@/f.conf": "not a socket exists already",
            "127.0.0.1:0 foo": form,
            "127.0.0.1:6380 127.0.0.1:6380": "listens there already",
            "127.0.0.1:6380 0.0.0.0:6380\ninsecure=yes": "listens there already",
            "[::]:6380 127.0.0.1:6380\ninsecure=yes": "listens there already",
            "[::1]:6380 [0:0:0:0:0:0:0:1]:6380\ninsecure=yes": "listens there already",
            "[::ffff:127.0.0.1]:6380 127.0.0.1:6380\ninsecure=yes": "listens there already",
            "127.0.0.1:6380 [::ffff:0.0.0.0]:6380\ninsecure=yes": "listens there already",
            "unix:@/s unix:@/s": "listens there already",
            "unix:@/s unix:@/../" + os.path.basename(self.folder) + "//s": "line 1 listens there already",
            "unix:@/s unix:@/link/s": "line 1 listens there already",
            "[fe80::1]:6380\ninsecure=yes": "address=[fe80::1]:6380: a link-local address needs its interface",
            "127.0.0.1:0 none.invalid:1\ninsecure=yes": "address=none.invalid:1: ",
            "[fe80::1%]:6380\ninsecure=yes": form,
            "127.0.0.1:6380 127.0.0.1:6381 127.0.0.1:6380": "listens there already",
            "127.0.0.1:6380\n[listen http]\naddress=127.0.0.1:6380": "line 1 listens there already",
        }.items():
            with self.subTest(address=address):
                self.refuse(f"[listen resp]\naddress={address}\n" + main, words)
                self.assertNotIn("hunter2", self.run_it("-c", self.path).stderr)
        self.refuse("[daemon]\npage=@/none\n[listen resp]\naddress=127.0.0.1:0\n" + main, "page=")
        # Its size is said to be 0, and it has bytes.
        self.refuse("[daemon]\npage=/proc/version\n[listen resp]\naddress=127.0.0.1:0\n" + main, "it changed while it was read")

    def test_addresses_that_do_not_collide(self):
        os.mkdir(os.path.join(self.folder, "d"))
        for addresses in ("127.0.0.1:0 127.0.0.1:0", "127.0.0.1:6380 127.0.0.2:6380", "127.0.0.1:6380 [::1]:6380",
                          "unix:@/a unix:@/b 127.0.0.1:65535", "unix:@/a unix:@/d/a", "[fe80::1%lo]:6380\ninsecure=yes",
                          "[fe80::1%1]:6380 [fe80::1%2]:6380\ninsecure=yes", "[::ffff:127.0.0.1]:6380 127.0.0.2:6380\ninsecure=yes"):  # fmt: skip
            self.write(f"[listen resp]\naddress={addresses}\n" + generator("main"))
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_what_is_no_regular_file_is_refused_and_not_waited_for(self):
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo, 0o600)
        tls = "[listen resps]\naddress=127.0.0.1:0\n"
        user = "[user shop]\nallow=next:*\n"
        main = generator("main")
        self.write("0" * 64, "secret")
        for where, words in ((fifo, "FIFO"), ("/dev/zero", "not a regular file"), (self.folder, "directory")):
            self.refuse(BASE + main + user + f"secret_file={where}\n", words)
            self.refuse(tls + f"tls_certificate={where}\ntls_key=@/secret\n" + main, words)
            self.refuse(tls + f"tls_certificate=@/secret\ntls_key={where}\n" + main, words)
            self.refuse(BASE.replace("[listen", f"page={where}\n[listen") + main, words)
            for arguments in (["--check"], []):
                result = self.run_it("-c", where, *arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(f"{where}: cannot be read: ", result.stderr)
                self.assertIn(words, result.stderr)
        os.makedirs(os.path.join(self.folder, "conf.d"))
        os.rename(fifo, os.path.join(self.folder, "conf.d", "a.conf"))
        self.refuse(BASE + main, "FIFO")

    def test_standard_input_is_read_if_it_is_a_file_and_refused_if_it_is_a_pipe(self):
        text = BASE + generator("main")
        self.write(text)
        for name in ("/dev/stdin", "/dev/fd/0"):
            with open(self.path, encoding="utf-8") as file:
                result = subprocess.run([FRAZILD, "-c", name, "--check"], stdin=file, timeout=PATIENCE_S)
            self.assertEqual(result.returncode, 0)
            result = subprocess.run([FRAZILD, "-c", name, "--check"], input=text, capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(result.returncode, 1)
            self.assertIn("a pipe: name a regular file, which can be read again", result.stderr)

    def test_a_value_in_quotes_is_what_it_is_in_a_spec(self):
        for value, layout in (("twitter epoch=2020-01-01",) * 2, ("'twitter epoch=2020-01-01'", "twitter epoch=2020-01-01")):
            self.write(BASE + generator("main", layout=value))
            printed = self.run_it("-c", self.path, "--print-config")
            self.assertEqual(printed.returncode, 0, printed.stderr)
            self.assertIn("1577836800000", printed.stdout + layout.replace("2020-01-01", "1577836800000"))
        same = [self.run_it("-c", self.write(BASE + generator("main", keys=keys)), "--print-config").stdout
                for keys in ("a'b c\\", "'a\\'b c\\\\'")]  # fmt: skip
        self.assertIn("keys=a'b c\\\n", same[0])
        self.assertEqual(same[0], same[1])
        line = (BASE + generator("main")).count("\n") + 1
        self.expect(BASE + generator("main", keys="'a b"), line, "the quote is not closed")
        self.expect(BASE + generator("main", keys="'a' b"), line, "unexpected text after the closing quote")
        self.expect(BASE + generator("main", keys='"a b"'), line, "the key keys: a value is quoted by ', not by \"")
        self.expect(BASE + generator("main", keys="''"), line, "has no value")

    def test_a_section_that_is_none_is_not_shown(self):
        good = BASE + generator("main")
        last = good.count("\n") + 1
        for header in ("redis://me:hunter2@h/x", "generator redis://me:hunter2@h/x", "a b c", "listen redis://hunter2@h"):
            self.expect(good + f"[{header}]\n", last, "is not a section")
            self.assertNotIn("hunter2", self.run_it("-c", self.path, "--check").stderr)

    def test_the_keys_of_a_section_that_is_refused_are_no_others(self):
        good = BASE + generator("main", max_batch=7)
        self.write(good + "[generator a b]\nmax_batch=5\nmax_batch=6\ncolour=red\nnonsense\n[daemon]\n")
        result = self.run_it("-c", self.path, "--check").stderr
        last = good.count("\n")
        self.assertEqual([line.split(": ")[0] for line in result.splitlines()], [f"{self.path}:{last + i}" for i in (1, 5, 6)], result)
        self.assertIn("[daemon] is already defined", result)
        self.write(BASE + generator("main") + "".join(f"[user u{i}]\nrate=1\n" for i in range(9997)))
        wrong = self.run_it("-c", self.path, "--check").stderr
        self.assertEqual({"sections" in line or "already" in line for line in wrong.splitlines()}, {False})
        self.write("max_batch=1\n[user v]\nrate=1\n[user w]\nrate=1\n", "conf.d/g.conf")
        wrong = self.run_it("-c", self.path, "--check").stderr
        self.assertEqual(wrong.count("more than 10000 sections"), 1)
        self.assertNotIn("already", wrong)

    def test_a_file_of_nothing_but_mistakes_costs_no_more_than_a_good_one(self):
        for line in ("[a]", "a=1", "[generator a]", "x", "[daemon]\nthreads=1"):
            self.write((line + "\n") * ((1 << 21) // (len(line) + 1)))
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual(result.returncode, 1)
            self.assertLess(len(result.stderr), 300_000)
        self.write("[daemon]\n" + "".join(f"k{i}=1\n" for i in range(100_000)))
        self.assertIn("more than 1000 keys", self.run_it("-c", self.path, "--check").stderr)
        self.write("".join(f"[user u{i}]\n" for i in range(100_000)))
        self.assertIn("more than 10000 sections", self.run_it("-c", self.path, "--check").stderr)

    def test_two_generators_that_can_make_the_same_ids_are_refused(self):
        def pair(first, second):
            text = BASE
            for name, keys in (("a", first), ("b", second)):
                text += f"[generator {name}]\n{keys}\n" + ("" if "state=" in keys or "worker=redis" in keys or "worker=auto" in keys else "state=file\n")
            return text

        twitter = "41/10/12 epoch=1288834974657"
        for first, second, number in (
            ("worker=fixed:61\nnamespace=y1", "worker=fixed:61\nnamespace=y2", 61),
            ("worker=fixed:1\nstate=memory", "worker=fixed:1\nstate=memory", 1),
            ("worker=fixed:1\nstate=memory", "worker=fixed:1", 1),
            ("worker=fixed:1\nrun_dir=@/1", "worker=fixed:1\nrun_dir=@/2", 1),
            ("worker=fixed:1\nhost_dir=@/1", "worker=fixed:1\nhost_dir=@/2 \\'", 1),
            ("worker=fixed:1", "worker=fixed:1\nseq_min=5", 1),
            ("worker=fixed:1\nlayout=twitter\nstate=memory", f"worker=fixed:1\nlayout={twitter}", 1),
            ("worker=file-lock\nnamespace=y1", "worker=file-lock\nnamespace=y2\nbase=7", 7),
            ("worker=file-lock\nbase=7\ncount=3\nnamespace=y1", "worker=fixed:9", 9),
            ("worker=fixed:1\nstate=redis://h/a", "worker=fixed:1\nstate=redis://h/b", 1),
            ("worker=fixed:1\nstate=redis://h/a", "worker=fixed:1", 1),
            ("worker=fixed:7", "worker=redis://h/a\nworkers=8", 7),
            ("worker=fixed:7", "worker=redis://h/a", 7),
            ("layout=sno\nworker=auto", "layout=sno\npartition=A,10", 16650),
        ):
            with self.subTest(first=first, second=second):
                self.refuse(pair(first, second), f"[generator b]: it can make the same ids as [generator a]: both have worker id {number} ")
        for first, second in (
            ("worker=fixed:1", "worker=fixed:1"),
            ("worker=fixed:1", "worker=fixed:2\nstate=memory"),
            ("worker=fixed:1\nseq_max=9\nnamespace=y1", "worker=fixed:1\nseq_min=10"),
            ("worker=fixed:1\nlayout=twitter\nstate=memory", "worker=fixed:1\nstate=memory"),
            ("worker=file-lock\nrun_dir=@/1", "worker=file-lock\nworker_ids=3\nrun_dir=@/2"),
            ("worker=file-lock\nbase=400\ncount=1\nnamespace=y1", "worker=file-lock\nbase=401"),
            ("worker=fixed:1\nstate=redis://h/a", "worker=fixed:1\nstate=redis://h/a"),
            ("worker=redis://h/a", "worker=redis://h/a"),
            ("worker=redis://u:p@h/a", "worker=redis://u:q@H:6379/a"),
            ("worker=redis://h/a", "worker=redis://h/b"),
            ("worker=redis://h/a", "worker=redis://h:6380/a"),
            ("worker=redis://h/a\nlayout=twitter", "worker=redis://h/b"),
            ("worker=redis://h/a\nseq_max=9", "worker=redis://h/b\nseq_min=10"),
            ("worker=fixed:1\nstate=redis://h/a?db=1&timeout=1s", "worker=fixed:1\nstate=redis://h:6379/a?timeout=1s&db=1"),
            ("layout=sno\nworker=auto", "layout=sno\nworker=auto"),
            ("worker=fixed:8", "worker=redis://h/a\nworkers=8"),
        ):
            self.write(pair(first, second))
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual((result.returncode, result.stderr), (0, ""), (first, second))

    def test_layouts_that_divide_the_same_bits_are_a_warning(self):
        for layouts, equal in (("41/10/12 41/12/10", True), ("41/10/12 40/12/10", True), ("41/10/12 41/10/12", False), ("frazil twitter", False),
                               ("41/10/12 41/10/11", False), ("41/10/12 sno", False), ("41/10/12 '41/12/10 tick=2ms'", False)):  # fmt: skip
            with self.subTest(layouts=layouts):
                first, second = layouts.split(" ", 1)
                self.write(BASE + generator("a", 7, layout=first) + generator("b", 28, layout=second))
                result = self.run_it("-c", self.path, "--check")
                self.assertEqual(result.returncode, 0, result.stderr)
                warning = f"{self.path}:9: warning: [generator b]: its ids can equal those of [generator a], "
                self.assertEqual(result.stderr.startswith(warning), equal, result.stderr)
                self.assertEqual(result.stderr == "", not equal)

    def test_a_url_of_a_coordinator_is_parsed_by_the_check(self):
        os.mkfifo(os.path.join(self.folder, "fifo"), 0o600)
        for url, words in (
            ("redis://h:1x/n", "the port in the Redis URL must be a number"),
            ("redis://h/n?foo=1", "'foo' is not a key of a Redis URL"),
            ("redis://h/n?timeout=1s&timeout=2s", "the Redis URL has the key timeout twice"),
            ("redis://h/n?password_file=rel", "must be an absolute path"),
            ("redis://h/n?password_file=@/fifo", "it is a FIFO"),
            ("redis://h/n?password_file=@/none", "cannot be read"),
            ("redis://u:hunter2@h", "hunter2 is not shown"),
            ("sfid+redis://h:1x/n", "the port in the Redis URL must be a number"),
            ("konayuki+redis://h/n", "no worker ids"),
        ):
            with self.subTest(url=url):
                self.refuse(BASE + f"[generator a]\nworker={url}\n", ": [generator a]: " if "shown" in words else words)
                self.assertNotIn("hunter2", self.run_it("-c", self.path, "--check").stderr)
        for url in ("redis://u:hunter2@nowhere.invalid/n", "sfid+redis://nowhere.invalid/app", "redis+unix://@/none/n"):
            self.write(BASE + f"[generator a]\nworker={url}\n")
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual((result.returncode, result.stderr), (0, ""), url)

    def test_a_file_of_a_url_that_cannot_be_read_is_named(self):
        for url, key in (
            ("etcds://h/n?ca=@/none", "ca"),
            ("postgres://u@h/d/n?sslmode=verify-full&sslrootcert=@/none", "sslrootcert"),
            ("mysql://u@h/d/n?ssl-mode=VERIFY_IDENTITY&ssl-ca=@/none", "ssl-ca"),
        ):
            with self.subTest(url=url):
                self.refuse(BASE + f"[generator a]\nworker={url}\n", f"cannot read the file of {key}=: '{self.folder}/none': No such file")
                self.write("", "none")
                self.write(BASE + f"[generator a]\nworker={url}\n")
                self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)
                os.unlink(os.path.join(self.folder, "none"))
                os.mkfifo(os.path.join(self.folder, "none"), 0o600)
                self.refuse(BASE + f"[generator a]\nworker={url}\n", f"cannot read the file of {key}=: '{self.folder}/none': it is a FIFO")
                os.unlink(os.path.join(self.folder, "none"))

    def test_a_layout_that_has_not_begun_or_ends_soon_is_refused(self):
        today = time.strftime("%Y-%m-%d", time.gmtime())
        for layout, words in (
            ("41/10/12 epoch=2100-01-01", "lies in the future"),
            ("30/10/12 epoch=2010-01-01", "the layout ended at 2010-01-13"),
            (f"38/10/12 epoch={today}", "less than ten years from now"),
        ):
            with self.subTest(layout=layout):
                self.refuse(BASE + generator("a", layout=layout), words)
                self.refuse(BASE + generator("a", layout=layout).replace("fixed:1", "redis://127.0.0.1:1/n").replace("state=memory\n", ""), words)
        self.write(BASE + generator("a", layout=f"38/10/12 epoch={today}", allow_short_life="yes"))
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)

    def test_a_url_of_slots_is_parsed_by_the_check(self):
        for state, words in (
            ("redis://h:1x/n", "the port in the Redis URL must be a number"),
            ("redis://h/n?foo=1", "'foo' is not a key of a Redis URL"),
            ("redis://h/n?password_file=@/none", "cannot be read"),
            ("redis://u:hunter2@h", ": [generator a]: "),
            ("nosuch://u:hunter2@h/n", "no coordinator is called"),
            ("sfid+redis://h/app", "and no slots"),
            ("etcd://h/n", "etcd has no slots"),
            ("konayuki+redis://h:1x", "the port in the Redis URL must be a number"),
            ("redis://h/n\nmax_lead=unlimited", "need bounds on max_lead"),
        ):
            with self.subTest(state=state):
                self.refuse(BASE + f"[generator a]\nworker=fixed:1\nstate={state}\n", words)
                self.assertNotIn("hunter2", self.run_it("-c", self.path, "--check").stderr)
        for state in ("redis://u:hunter2@nowhere.invalid/n", "konayuki+file://@/counters\nmax_lead=1s"):
            self.write(BASE + f"[generator a]\nworker=fixed:1\nstate={state}\n")
            result = self.run_it("-c", self.path, "--check")
            self.assertEqual((result.returncode, result.stderr), (0, ""), state)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "counters")))

    def test_a_keeper_that_waits_for_calls_and_a_clock_that_stands_are_refused(self):
        for keeper in ("hook", "inline"):
            self.refuse(BASE + generator("main", keeper=keeper), f":5: [generator main]: keeper={keeper} is for programs")
        self.refuse(BASE + generator("main", clock="frozen:2026-11-11"), ":5: [generator main]: clock=frozen:1794355200000 is for tests")
        path = self.write("keeper=hook\n", "frazil.conf")
        self.refuse(BASE + generator("main", config=path), "keeper=hook is for programs")
        for key, value, good in (("keeper", "inlin", "thread or other"), ("keeper", "hooks", "thread or other"), ("clock", "frozen", "real"), ("clock", "frozen:x", "real")):
            with self.subTest(key=key, value=value):
                path = self.write(f"{key}={value}\n", "frazil.conf")
                for keys in ({key: value}, {"config": path}):
                    self.refuse(BASE + generator("main", **keys), f":5: [generator main]: the key {key} takes {good}")
                    self.assertNotRegex(self.run_it("-c", self.path, "--check").stderr, "hook|inline|frozen:")
        self.write(BASE + generator("main", keeper="thread", clock="real"))
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)
        if not os.path.exists("/etc/frazil/frazild.conf"):
            self.assertIn("keeper=hook is for programs", self.run_it("--check", FRAZIL_WORKER="fixed:1", FRAZIL_KEEPER="hook").stderr)
            self.assertIn("the key keeper takes thread or other", self.run_it("--check", FRAZIL_WORKER="fixed:1", FRAZIL_KEEPER="inlin").stderr)

    def test_more_worker_ids_than_the_source_has_are_refused(self):
        lock = "[generator {}]\nworker=file-lock\nstate=file\nbase=400\n"
        for text, words in (
            (lock.format("a") + "count=1\n" + lock.format("b") + "count=1\n", "[generator b]: worker_ids=1, but its source has 1 worker id from"),
            (lock.format("a") + "count=3\nworker_ids=4\n", "[generator a]: worker_ids=4, but its source has 3 "),
            (lock.format("a") + "count=3\nworker_ids=3\n" + lock.format("b") + "count=2\n", "[generator b]: worker_ids=1, but its source has 3 "),
            (lock.format("a").replace("400", "1022") + "worker_ids=3\n", "its source has 2 worker ids"),
            ("[generator a]\nworker=redis://h/n\nworkers=2\nworker_ids=3\n", "its source has 2 worker ids"),
        ):
            with self.subTest(text=text):
                self.refuse(BASE + text, words)
        self.write(BASE + lock.format("a") + "count=3\nworker_ids=3\n")
        self.assertEqual(self.run_it("-c", self.path, "--check").returncode, 0)

    def test_a_variable_that_looks_like_a_setting_ends_the_check_and_the_start(self):
        self.write(BASE + generator("main"))
        for arguments in (["-c", self.path, "--check"], ["-c", self.path]):
            result = self.run_it(*arguments, FRAZIL_WORKER_ID="3")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("did you mean FRAZIL_WORKER=fixed:3?", result.stderr)
        self.assertEqual(self.run_it("-c", self.path, "--check", FRAZIL_SERVICE_HOST="10.0.0.1").returncode, 0)
        self.expect(BASE + generator("main", node=3), BASE.count("\n") + 4, "did you mean worker=fixed:3?")

    def test_options(self):
        self.assertEqual(self.run_it("--version").stdout.split()[0], "frazild")
        self.assertEqual(self.run_it("-V").stdout, self.run_it("--version").stdout)
        self.assertIn("--print-config", self.run_it("--help").stdout)
        wrong = self.run_it("--nonsense")
        self.assertEqual((wrong.returncode, "see frazild --help" in wrong.stderr), (2, True))
        self.assertEqual(self.run_it("extra").returncode, 2)
        token = self.run_it("--new-token").stdout.split()
        self.assertEqual((len(token[4]), len(token[-1])), (64, 64))


    def test_what_cannot_be_written_is_a_failure(self):
        self.write(BASE + generator("main"))
        for action in ("--version", "--help", "--new-token", "--print-config"):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([FRAZILD, "-c", self.path, action], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
            self.assertEqual((result.returncode, result.stderr), (1, "frazild: standard output cannot be written\n"), action)


class Defaults(TestCase):
    def test_a_token_is_not_printed_twice(self):
        first = subprocess.run([FRAZILD, "--new-token"], capture_output=True, text=True, timeout=PATIENCE_S).stdout
        second = subprocess.run([FRAZILD, "--new-token"], capture_output=True, text=True, timeout=PATIENCE_S).stdout
        self.assertNotEqual(first, second)

    def test_a_reload_does_not_mind_how_old_the_layout_in_use_became(self):
        day_s = 24 * 60 * 60
        begun = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 2700 * day_s))
        with WallClock() as clock:  # the layout has 6,362 days, and a start wants 3,652 of them
            daemon = self.start(BASE + generator("main", layout=f"39/10/14 epoch={begun}"), env=clock.environment)
            clock.step(30 * day_s * 1000)
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_line("was read: 1 generator,")
            daemon.end()

    def test_a_reload_does_not_mind_what_became_of_the_folders_in_use(self):
        keys = "".join(f"{key}=@/above/{key}\n" for key in ("run_dir", "state_dir"))
        scratch = tempfile.mkdtemp(prefix="frazild-test-")
        self.addCleanup(shutil.rmtree, scratch)
        above = os.path.join(scratch, "above")
        os.mkdir(above)
        daemon = self.start(BASE + "[generator main]\nworker=fixed:1\nstate=file\n" + keys.replace("@", scratch))
        os.rename(above, above + "-was")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_line("was read: 1 generator,")


if __name__ == "__main__":
    unittest.main()
