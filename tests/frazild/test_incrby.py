# SPDX-License-Identifier: MIT
"""Goal of this test: INCRBY reserves n ids in a row, so that what a client counts back from the answer is its own."""

import unittest

from harness import BASE, Client, ReplyError, TestCase, generator

CONFIG = (
    BASE
    + generator("main", max_batch=10000)
    + generator("small", 2, layout="41/12/10", max_batch=2000, keys="small:*")
    + generator("four", 1, layout="39/10/2", tick="20ms")
    + generator("apart", 3, layout="sonyflake")
    + generator("snos", 4, layout="sno")
    + generator("limited", 5, rate="10")
)


class IncrBy(TestCase):
    def setUp(self):
        self.client = self.connect(self.start(CONFIG))
        self.ask = self.client.ask

    def refuse(self, code, words, *command):
        self.assert_error(code, words, self.client, *command)

    def test_the_answer_is_the_last_of_n_in_a_row_whatever_others_take(self):
        last = 0
        for n in (1, 2, 5, 700, 1024, 999, 3):
            answer = self.ask("INCRBY", "small:x", n)
            self.assertIsInstance(answer, int)
            # A row lies within one tick of one worker, and above all that came before.
            self.assertEqual((answer - n + 1) >> 10, answer >> 10, n)
            self.assertGreater(answer - n + 1, last)
            last = int(self.ask("NEXT", "small"))
            self.assertGreater(last, answer)

    def test_rows_in_a_pipeline_are_apart(self):
        self.client.send(Client.pack("INCRBY", "four", 3) * 40 + Client.pack("INCR", "four") * 40)
        rows = [self.client.read() for _ in range(40)]
        ids = [number for row in rows for number in (row - 2, row - 1, row)] + [self.client.read() for _ in range(40)]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual({number >> 2 & 1023 for number in ids}, {1})

    def test_rows_in_a_transaction(self):
        self.ask("MULTI")
        for _ in range(2):
            self.assertEqual(self.ask("INCRBY", "main", 100), "QUEUED")
        first, second = self.ask("EXEC")
        self.assertGreaterEqual(second - first, 100)

    def test_a_client_that_rounds_gets_text(self):
        self.ask("CLIENT", "SETINFO", "LIB-NAME", "ioredis")
        self.assertTrue(self.ask("INCRBY", "main", 7).isdigit())

    def test_numbers_that_cannot_be_reserved(self):
        for n in (0, -1, "", "+5", "1x", "1.5", 2**32, 2**64, 2**64 + 1, 2**128 + 1):
            self.refuse("ERR", "must be a number from 1 to 4294967295", "INCRBY", "main", n)
        self.refuse("LIMIT", "max_batch", "INCRBY", "main", 10001)
        self.refuse("LIMIT", "max_batch", "INCRBY", "main", 2**32 - 1)
        self.refuse("LIMIT", "has 1024", "INCRBY", "small", 1025)
        self.refuse("ERR", "worker below the sequence", "INCRBY", "apart", 2)
        self.refuse("ERR", "not integers", "INCRBY", "snos", 2)
        self.refuse("ERR", "no generator matches this key", "INCRBY", "invoice:1", 2)
        self.assertIsInstance(self.ask("INCRBY", "apart", 1), int)

    def test_a_row_is_charged_for_all_its_ids(self):
        self.refuse("LIMIT", "at once", "INCRBY", "limited", 11)
        for n in (10, 9):
            self.client.send(Client.pack("INCRBY", "limited", n) * 10)
            replies = [self.client.read_or_error() for _ in range(10)]
            refused = [str(reply) for reply in replies if isinstance(reply, ReplyError)]
            self.assertGreater(len(refused), 0)
            self.assertIn("rate= of the generator is reached", refused[0])


if __name__ == "__main__":
    unittest.main()
