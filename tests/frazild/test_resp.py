# SPDX-License-Identifier: MIT
"""Goal of this test: each command of the Redis protocol answers as the table says, and each mistake is named."""

import struct
import unittest

from harness import BASE, INSTRUMENTED, Client, ReplyError, TestCase, generator

CONFIG = (
    BASE
    + generator("main")
    + generator("orders", 3, layout="twitter", keys="orders:* order-* orders:special:gold:*", max_batch=20000)
    + generator("special", 4, layout="twitter", keys="orders:special:*")
    + generator("snos", 9, layout="sno")
    + generator("slow", 1, layout="41/20/2")
    + generator("limited", 5, rate="10")
    + generator("wide", 6, layout="39/6/18", max_batch=65536)
)


class Commands(TestCase):
    @classmethod
    def setUpClass(cls):
        from harness import Daemon

        cls.daemon = Daemon(CONFIG)
        cls.addClassCleanup(cls.daemon.end)

    def setUp(self):
        self.client = self.connect(self.daemon)
        self.ask = self.client.ask

    def refuse(self, code, words, *command):
        self.assert_error(code, words, self.client, *command)

    def test_next_gives_one_id_or_exactly_n(self):
        one = int(self.ask("NEXT"))
        many = [int(x) for x in self.ask("next", "orders", 5000)]
        self.assertEqual(len(many), 5000)
        self.assertEqual(many, sorted(set(many)))
        self.assertEqual(self.ask("NEXT", "orders", 1)[0].isdigit(), True)
        self.assertGreater(int(self.ask("NEXT", "main")), one)
        self.assertEqual(len(self.ask("NEXT", "3")), 3)

    def test_next_in_each_form(self):
        for form, width in (("dec20", 20), ("hex", 16), ("CROCKFORD", 13), ("base62", 11), ("hex0x", None)):
            text = self.ask("NEXT", "main", "FORM", form)
            if width:
                self.assertEqual(len(text), width)
        for form in ("uuid", "UUID"):
            self.assertEqual(len(self.ask("NEXT", "snos", "FORM", form)), 36)
        self.assertEqual(len(self.ask("NEXT", "snos", 2, "FORM", "hex")[1]), 20)
        self.refuse("ERR", "FORM takes one of dec dec20 ", "NEXT", "main", "FORM", "sno")
        for form in ("dec", "uuid4", "uui", ""):
            self.refuse("ERR", "FORM takes one of sno uuid hex", "NEXT", "snos", "FORM", form)
        self.refuse("ERR", "syntax error", "NEXT", "main", 1, "FORM")

    def test_a_batch_larger_than_a_tick_is_put_together_from_parts(self):
        ids = [int(x) for x in self.ask("NEXT", "orders", 20000)]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(len(ids), 20000)

    def test_next_bin_gives_big_endian_bytes(self):
        data = self.ask("NEXT.BIN", "orders", 100)
        ids = struct.unpack(">100Q", data)
        self.assertEqual(list(ids), sorted(set(ids)))
        self.assertGreater(int(self.ask("NEXT", "orders")), ids[-1])
        self.assertEqual(len(self.ask("NEXT.BIN", "snos", 7)), 70)

    def test_sno_has_its_metabyte(self):
        text = self.ask("SNO", "snos", "META", 255)
        self.assertEqual(len(text), 16)
        look = self.ask("INSPECT", text, "snos")
        self.assertEqual(look[look.index(b"meta") + 1], 255)
        digits = self.ask("NEXT", "snos", "FORM", "hex").decode()[:-4] + "abcf"
        self.assertEqual(self.ask("INSPECT", digits, "snos"), self.ask("INSPECT", digits.upper(), "snos"))
        self.assertEqual(len(self.ask("SNO", "snos", 4)), 4)
        self.refuse("ERR", "META takes a byte", "SNO", "snos", "META", 256)
        self.refuse("ERR", "use NEXT", "SNO", "main")

    def test_counts_that_are_none(self):
        self.refuse("ERR", "count", "NEXT", "main", 0)
        self.refuse("ERR", "count", "NEXT", "main", "1x")
        self.refuse("ERR", "count", "NEXT", "main", "99999999999999999999")
        self.refuse("LIMIT", "max_batch", "NEXT", "main", 10001)
        for name in ("nobody", "mai", "mains", "limite", "limitedly", "a", "zzz"):
            self.refuse("ERR", f"no generator {name}:", "NEXT", name)
            self.refuse("ERR", "no generator matches this key", "INCR", name)
        self.refuse("ERR", "small letter", "NEXT", "Main")
        self.refuse("ERR", "wrong number of arguments", "NEXT", "main", 1, "FORM", "dec", "x")

    def test_a_count_beyond_64_bits_is_none(self):
        for n in (2**32, 2**32 + 1, 2**64, 2**64 + 1, 2**128 + 1):
            self.refuse("ERR", "must be a number from 1 to 4294967295", "NEXT", "main", n)
            self.refuse("ERR", "must be a number from 1 to 4294967295", "NEXT.BIN", "main", n)
        self.refuse("LIMIT", "max_batch", "NEXT", "main", 2**32 - 1)

    def test_incr_finds_the_generator_by_name_then_by_the_longest_pattern(self):
        worker = lambda id_: self.ask("INSPECT", id_, "orders")[13]
        self.assertEqual(worker(self.ask("INCR", "orders:7")), worker(self.ask("INCR", "orders")))
        look = self.ask("INSPECT", self.ask("INCR", "orders:special:7"), "special")
        self.assertEqual(look[look.index(b"worker") + 1], 4)
        look = self.ask("INSPECT", self.ask("INCR", "orders:special:gold:7"), "orders")
        self.assertEqual(look[look.index(b"worker") + 1], 3)
        self.assertIsInstance(self.ask("INCR", "order-1"), int)
        self.assertIsInstance(self.ask("INCRBY", "main", 1), int)
        self.assertIsInstance(self.ask("INCRBY", "main", 2), int)
        self.refuse("ERR", "no generator matches this key", "INCR", "invoice:1")
        self.refuse("ERR", "not integers", "INCR", "snos")

    def test_incr_is_a_string_for_clients_that_round(self):
        for library, kind in (("ioredis", bytes), ("redis-py", int), ("node-redis", bytes), ("lettuce", int)):
            self.assertEqual(self.ask("CLIENT", "SETINFO", "LIB-NAME", library), "OK")
            self.assertIsInstance(self.ask("INCR", "main"), kind)

    def test_incr_above_2_to_the_63(self):
        big = generator("big", 1, layout="41/10/13 epoch=1970-01-01", allow_short_life="yes")
        client = self.connect(self.start(BASE + big))
        self.assert_error("ERR", "2^63", client, "INCR", "big")
        client.ask("HELLO", 3)
        self.assertGreater(client.ask("INCR", "big"), 2**63)

    def test_inspect_compose_and_range_agree(self):
        id_ = self.ask("COMPOSE", "orders", "2026-05-01T00:00:00.123Z", 7, 9)
        flat = self.ask("INSPECT", id_, "orders")
        look = dict(zip(flat[::2], flat[1::2]))
        self.assertEqual(look[b"time"], b"2026-05-01T00:00:00.123Z")
        self.assertEqual((look[b"worker"], look[b"sequence"]), (7, 9))
        self.assertEqual(self.ask("INSPECT", id_, "LAYOUT", "twitter"), flat)
        limits = self.ask("RANGE", "orders", "2026-05-01", "2026-05-02")
        self.assertTrue(int(limits[1]) < int(id_) < int(limits[3]))
        self.refuse("ERR", "", "INSPECT", "xyz", "orders")
        self.refuse("ERR", "", "INSPECT", "1", "LAYOUT", "nonsense")
        self.refuse("ERR", "", "COMPOSE", "orders", "yesterday", 1, 1)
        for worker, sequence in ((99999, 1), (2**32 + 1, 1), (2**64 + 1, 1), (1, 2**32 + 1), (1, 2**64 + 1), (1, 4096)):
            self.refuse("ERR", "", "COMPOSE", "orders", "2026-05-01", worker, sequence)
        for partition, sequence in ((2**16, 1), (1, 2**16)):
            self.refuse("ERR", "", "COMPOSE", "snos", "2026-05-01", partition, sequence)

    def test_layout_generators_and_stats(self):
        self.assertIn(b"twitter", self.ask("LAYOUT"))
        self.assertIn(b"41/5+5/12 epoch=1288834974657 tick=1ms", self.ask("LAYOUT", "twitter"))
        self.ask("HELLO", 3)
        self.assertEqual(sorted(self.ask("GENERATORS"))[0], b"limited")
        self.assertIn(b"issued", self.ask("STATS", "main"))
        self.refuse("ERR", "there is no generator", "STATS", "nobody")
        for _ in range(70):  # more than may be under way at once
            self.refuse("ERR", "no coordinator", "LEASES", "main")

    def test_hello_chooses_the_version(self):
        reply = self.ask("HELLO", 3, "SETNAME", "me")
        self.assertEqual((reply[b"proto"], reply[b"server"]), (3, b"frazild"))
        self.assertEqual(self.ask("CLIENT", "GETNAME"), b"me")
        self.assertIsInstance(self.ask("HELLO", 2, "SETNAME", "another"), list)
        self.assertEqual(self.ask("CLIENT", "GETNAME"), b"another")
        self.refuse("NOPROTO", "", "HELLO", 4)
        self.refuse("ERR", "Syntax", "HELLO", 2, "AUTH", "x")
        self.refuse("ERR", "no user is configured", "AUTH", "x")
        self.refuse("ERR", "no user is configured", "HELLO", 3, "AUTH", "a", "b")

    def test_what_clients_send_at_their_start(self):
        self.assertEqual(self.ask("PING"), "PONG")
        self.assertEqual(self.ask("PING", "x"), b"x")
        self.assertEqual(self.ask("ECHO", "x"), b"x")
        self.assertEqual(self.ask("SELECT", 0), "OK")
        self.refuse("ERR", "out of range", "SELECT", 16)
        self.assertEqual(self.ask("CONFIG", "GET", "save"), [])
        self.assertIn(b"loading:0\r\n", self.ask("INFO"))
        self.assertIn(b"redis_version:", self.ask("INFO", "server"))
        self.assertEqual(self.ask("READONLY"), "OK")
        self.assertEqual(len(self.ask("TIME")), 2)
        self.assertGreater(self.ask("CLIENT", "ID"), 0)
        self.assertIn(b"name=", self.ask("CLIENT", "LIST"))
        self.assertEqual(self.ask("CLIENT", "NO-EVICT", "on"), "OK")
        self.refuse("ERR", "unknown subcommand", "CLIENT", "UNBLOCK", 1)
        self.refuse("ERR", "unknown subcommand", "CLIENT", "MAINT_NOTIFICATIONS", "on")
        self.assertEqual(self.ask("CLIENT", "SETNAME", "me"), "OK")
        self.refuse("ERR", "spaces", "CLIENT", "SETNAME", "a b")
        self.assertEqual(self.ask("CLIENT", "GETNAME"), b"me")

    def test_command_lists_the_table(self):
        count = self.ask("COMMAND", "COUNT")
        listed = self.ask("COMMAND")
        self.assertEqual(len(listed), count)
        self.assertEqual(len(self.ask("COMMAND", "DOCS")), 2 * count)
        self.assertEqual(self.ask("COMMAND", "INFO", "incr", "nothing", "get")[1:], [None, None])
        incr = [b"incr", 2, ["fast"], 1, 1, 1, [], [], [], []]  # as of Redis 7.0, which HELLO and INFO name
        self.assertEqual(self.ask("COMMAND", "INFO", "incr"), [incr])
        self.assertEqual({len(row) for row in listed}, {10})
        for names, known in ((("incr",), 1), (("incr", "nothing"), 1), (("nothing",), 0), (("nothing", "ping", "incr"), 2), (("get", "post", "ping"), 1)):
            self.assertEqual(len(self.ask("COMMAND", "DOCS", *names)), 2 * known, names)
        self.refuse("ERR", "wrong number", "COMMAND", "INFO", *["x"] * 40)

    def test_commands_of_a_store_are_refused_in_words(self):
        for name in ("GET", "SET", "DECR", "EXPIRE", "SUBSCRIBE"):
            self.refuse("ERR", "serves ids", name, "x")
        self.refuse("ERR", "unknown command", "ZADD", "x")

    def test_multi_runs_its_commands_at_exec(self):
        self.assertEqual(self.ask("MULTI"), "OK")
        for _ in range(3):
            self.assertEqual(self.ask("NEXT", "orders"), "QUEUED")
        self.assertEqual(self.ask("GET", "x"), "QUEUED")
        replies = self.ask("EXEC")
        self.assertEqual([int(x) for x in replies[:3]], sorted(int(x) for x in replies[:3]))
        self.assertIsInstance(replies[3], ReplyError)
        self.assertEqual(self.ask("PING"), "PONG")

    def test_multi_that_is_wrong(self):
        self.refuse("ERR", "without MULTI", "EXEC")
        self.refuse("ERR", "without MULTI", "DISCARD")
        self.ask("MULTI")
        self.refuse("ERR", "nested", "MULTI")
        self.refuse("ERR", "unknown", "NONSENSE")
        self.refuse("EXECABORT", "", "EXEC")
        self.ask("MULTI")
        for command in (("HELLO", 3), ("WATCH", "a"), ("AUTH", "x"), ("LEASES", "main")):
            self.refuse("ERR", "not allowed inside MULTI", *command)
        self.assertEqual(self.ask("DISCARD"), "OK")
        self.ask("MULTI")
        self.assertEqual(self.ask("EXEC"), [])

    def test_multi_is_bounded(self):
        self.ask("MULTI")
        for _ in range(1024):
            self.ask("PING")
        self.refuse("ERR", "at most 1024", "PING")
        self.refuse("EXECABORT", "", "EXEC")

    def test_client_reply(self):
        self.client.send(self.client.pack("CLIENT", "REPLY", "SKIP") + self.client.pack("NEXT", "main", 100))
        self.assertEqual(self.ask("PING"), "PONG")
        self.client.send(self.client.pack("CLIENT", "REPLY", "SKIP") + self.client.pack("NEXT", "main") * 3 + self.client.pack("PING"))
        ids = []
        while (reply := self.client.read()) != "PONG":
            ids.append(reply)
        self.assertEqual(len(ids), 2)
        self.client.send(self.client.pack("CLIENT", "REPLY", "OFF") + self.client.pack("NEXT", "slow", 50))
        self.assertEqual(self.ask("CLIENT", "REPLY", "ON"), "OK")
        self.assertEqual(self.ask("PING"), "PONG")

    def test_client_reply_skips_nothing_more_while_it_is_off(self):
        self.client.send(self.client.pack("CLIENT", "REPLY", "OFF") + self.client.pack("CLIENT", "REPLY", "SKIP"))
        self.assertEqual(self.ask("CLIENT", "REPLY", "ON"), "OK")

    def test_client_reply_hushes_what_is_replied_later(self):
        self.client.send(self.client.pack("CLIENT", "REPLY", "SKIP") + self.client.pack("LEASES", "main"))
        self.assertEqual(self.ask("PING"), "PONG")
        self.client.send(self.client.pack("CLIENT", "REPLY", "OFF") + self.client.pack("LEASES", "main"))
        self.assertEqual(self.ask("CLIENT", "REPLY", "ON"), "OK")

    def test_client_reply_skips_a_transaction_as_a_whole(self):
        pack = self.client.pack
        self.client.send(pack("MULTI") + pack("ECHO", "1") + pack("CLIENT", "REPLY", "OFF"))
        self.assertEqual([self.client.read_or_error() for _ in range(2)], ["OK", "QUEUED"])
        self.assertIn("not allowed inside MULTI", str(self.client.read_or_error()))
        self.refuse("EXECABORT", "", "EXEC")
        for command in (pack("ECHO", "2"), pack("NEXT", "main", 100)):
            self.client.send(pack("MULTI") + command * 2)
            self.assertEqual([self.client.read() for _ in range(3)], ["OK", "QUEUED", "QUEUED"])
            self.client.send(pack("CLIENT", "ID"))
            self.assertEqual(self.client.read(), "QUEUED")
            self.assertEqual(len(self.ask("EXEC")), 3)
        self.client.send(pack("CLIENT", "REPLY", "SKIP") + pack("MULTI") + pack("ECHO", "3") + pack("EXEC"))
        self.assertEqual(self.client.read(), "QUEUED")
        self.assertEqual(self.client.read(), [b"3"])
        self.client.send(pack("CLIENT", "REPLY", "OFF") + pack("MULTI") + pack("ECHO", "4") * 3 + pack("EXEC"))
        self.assertEqual(self.ask("CLIENT", "REPLY", "ON"), "OK")
        self.assertEqual(self.ask("ECHO", "5"), b"5")

    def test_what_clients_of_redis_ask_beside_ids(self):
        self.assertEqual(self.ask("ROLE"), [b"master", 0, []])
        self.assertEqual(self.ask("DBSIZE"), 0)
        for command in ("WATCH a b", "UNWATCH", "CLIENT NO-TOUCH on", "CLIENT NO-EVICT off", "CLIENT TRACKING off", "SELECT 0",
                        "SELECT 1", "SELECT 15"):  # fmt: skip
            self.assertEqual(self.ask(*command.split()), "OK", command)
        self.assertEqual(self.ask("ACL", "WHOAMI"), b"default")
        self.assertIn(b"NEXT", self.ask("COMMAND", "LIST"))
        self.assertEqual(len(self.ask("COMMAND", "LIST")), self.ask("COMMAND", "COUNT"))
        info = dict(line.split(":", 1) for line in self.ask("INFO").decode().split("\r\n") if ":" in line)
        self.assertGreaterEqual(int(info["connected_clients"]), 1)
        self.assertEqual(info["maxclients"], "10000")
        self.assertGreater(int(info["used_memory"]), 1 << 20)
        for words, command in {
            "one key space": "SELECT 16",
            "out of range": "SELECT -1",
            "it cannot be cached": "CLIENT TRACKING on",
            "only its own": "CLIENT KILL ID 5",
            "ON or OFF": "CLIENT NO-TOUCH maybe",
            "only WHOAMI": "ACL LIST",
        }.items():
            self.refuse("ERR", words, *command.split())

    def test_without_users_the_default_user_has_any_password(self):
        self.assertEqual(self.ask("AUTH", "default", "x"), "OK")
        self.assertEqual(dict(zip(*[iter(self.ask("HELLO", 2, "AUTH", "default", "x"))] * 2))[b"server"], b"frazild")
        self.refuse("ERR", "no user is configured", "AUTH", "x")
        self.refuse("ERR", "no user is configured", "AUTH", "shop", "x")

    def test_equal_commands_in_a_row_keep_order_and_number(self):
        commands = [("NEXT", "orders")] * 700 + [("INCR", "orders")] * 700 + [("PING",)] + [("NEXT", "orders", 3)] * 50
        self.client.send(b"".join(self.client.pack(*command) for command in commands))
        ids = [int(self.client.read()) for _ in range(1400)]
        self.assertEqual(self.client.read(), "PONG")
        for _ in range(50):
            ids += [int(x) for x in self.client.read()]
        self.client.send(self.client.pack("NEXT.BIN", "orders", 1000) * 3)
        for _ in range(3):
            ids += struct.unpack(">1000Q", self.client.read())
        self.assertEqual(ids, sorted(set(ids)))

    def test_equal_commands_that_take_more_at_once_than_there_is_room_for_come_in_parts(self):
        self.client.send(self.client.pack("NEXT.BIN", "wide", 65536) * 12)
        ids = [id_ for _ in range(12) for id_ in struct.unpack(">65536Q", self.client.read())]
        self.assertEqual(ids, sorted(set(ids)))

    def test_a_command_that_differs_in_its_last_byte_is_another_one(self):
        counts = [2] * 5 + [3] + [2] * 3 + [4] * 2 + [3]
        self.client.send(b"".join(self.client.pack("NEXT", "orders", count) for count in counts))
        replies = [[int(x) for x in self.client.read()] for _ in counts]
        self.assertEqual([len(reply) for reply in replies], counts)
        ids = [id for reply in replies for id in reply]
        self.assertEqual(ids, sorted(set(ids)))

    def test_many_equal_commands_beyond_a_tick(self):
        self.client.send(self.client.pack("NEXT", "slow") * 300)
        ids = [int(self.client.read()) for _ in range(300)]
        self.assertEqual(ids, sorted(set(ids)))

    def test_several_worker_ids_share_the_requests_of_a_generator(self):
        keys = "worker_ids=3\nstate=file\nlayout=39/10/4\ntick=100ms\nrun_dir=@\nstate_dir=@\n"
        daemon = self.start(BASE.replace("[daemon]", "[daemon]\nthreads=1") + "[generator many]\nworker=file-lock\n" + keys)
        clients = [self.connect(daemon) for _ in range(3)]
        ids = {}
        for client in clients:
            client.send(Client.pack("NEXT", "many", 16) * 8)  # each a tick of one worker id
        for client in clients:
            for _ in range(8):
                batch = [int(text) for text in client.read()]
                self.assertEqual(batch, sorted(set(batch)))
                ids.setdefault(batch[0] >> 4 & 1023, []).extend(batch)
        self.assertEqual({worker: len(found) for worker, found in ids.items()}, dict.fromkeys(ids, 128))
        self.assertEqual(len(ids), 3)
        self.assertEqual(sum(len(set(found)) for found in ids.values()), 3 * 8 * 16)
        about = dict(zip(*[iter(clients[0].ask("GENERATORS")[1])] * 2))
        self.assertEqual(about[b"worker_ids"], 3)
        self.assertIn(b"generator_many:ids=384,waiting=0", clients[0].ask("INFO"))
        singles = [int(clients[0].ask("NEXT", "many")) >> 4 & 1023 for _ in range(6)]
        self.assertEqual(set(singles), set(ids))  # in turns, also where nobody waits
        stats = dict(zip(*[iter(clients[0].ask("STATS", "many"))] * 2))
        self.assertEqual((stats[b"issued"], stats[b"taken_by_clients"]), (390, 390))

    def test_rate(self):
        replies = []
        self.client.send(self.client.pack("NEXT", "limited") * 100)
        for _ in range(100):
            replies.append(self.client.read_or_error())
        good = [reply for reply in replies if not isinstance(reply, ReplyError)]
        self.assertGreaterEqual(len(good), 10)
        self.assertEqual({reply.code for reply in replies if isinstance(reply, ReplyError)}, {"LIMIT"})
        self.refuse("LIMIT", "at once", "NEXT", "limited", 11)

    def test_a_reset_keeps_the_name_of_the_library(self):
        self.ask("CLIENT", "SETINFO", "LIB-NAME", "ioredis")
        self.ask("CLIENT", "SETINFO", "LIB-VER", "5.4.1")
        self.ask("CLIENT", "SETNAME", "shop")
        self.assertIsInstance(self.ask("INCR", "main"), bytes)
        for _ in range(2):
            self.assertEqual(self.ask("RESET"), "RESET")
            self.assertIn(b" name= user=default resp=2 lib-name=ioredis lib-ver=5.4.1\n", self.ask("CLIENT", "INFO"))
            self.assertIsInstance(self.ask("INCR", "main"), bytes)

    def test_quit_and_reset(self):
        self.ask("MULTI")
        self.assertEqual(self.ask("RESET"), "RESET")
        self.assertEqual(self.ask("QUIT"), "OK")
        self.assertTrue(self.client.is_closed())


class WithoutMain(TestCase):
    def test_a_zero_byte_ends_no_name(self):
        client = self.connect(self.start())
        for name in ("main\0", "main\0" + "x" * 200, "\0"):
            self.assert_error("ERR", "no name of a generator", client, "NEXT", name)
            self.assert_error("ERR", "no generator", client, "INCR", name)
        self.assertGreater(int(client.ask("NEXT", "main")), 0)

    def test_names_that_are_given_anew_take_the_place_of_those_before(self):
        daemon = self.start()
        client = self.connect(daemon)
        name = "x" * 64
        commands = (("HELLO", 2, "SETNAME", name), ("CLIENT", "SETNAME", name), ("CLIENT", "SETINFO", "LIB-NAME", name),
                    ("CLIENT", "SETINFO", "LIB-VER", name))  # fmt: skip
        for command in commands:
            before = None
            for _ in range(41):
                client.send(client.pack(*command) * 1000)
                for _ in range(1000):
                    client.read()
                before = before or daemon.memory_kib()
            if not INSTRUMENTED:
                self.assertLess(daemon.memory_kib() - before, 1500, command)  # 3 MB of names were given

    def test_a_generator_must_be_named_where_there_are_several(self):
        client = self.connect(self.start(BASE + generator("a") + generator("b", 2)))
        self.assert_error("ERR", "name one", client, "NEXT")
        client = self.connect(self.start(BASE + generator("a")))
        self.assertTrue(client.ask("NEXT").isdigit())

    def test_a_wait_that_is_too_long_is_an_error_with_a_time(self):
        config = BASE.replace("[listen", "request_timeout=50ms\n[listen") + generator("s", 1, layout="31/10/2 tick=10s")
        client = self.connect(self.start(config))
        replies = [client.read_or_error() for _ in range(1) if client.send(client.pack("NEXT") * 40) is None]
        replies += [client.read_or_error() for _ in range(39)]
        errors = [reply for reply in replies if isinstance(reply, ReplyError)]
        self.assertGreater(len(errors), 0)
        for error in errors:
            self.assertEqual(error.code, "TRYAGAIN")
            self.assertRegex(str(error), r"retry_ms=[1-9]\d*$")
        ids = [int(reply) for reply in replies if not isinstance(reply, ReplyError)]
        self.assertEqual(ids, sorted(set(ids)))


if __name__ == "__main__":
    unittest.main()
