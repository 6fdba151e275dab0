# SPDX-License-Identifier: MIT
"""Goal of this test: what `make bench` says of ids over the network has all of its rows; never what was measured."""

import os
import re
import subprocess
import sys
import unittest

from harness import FRAZILD, INSTRUMENTED

PROGRAM = os.path.join(os.path.dirname(__file__), "../../bench/others/network.py")


class Bench(unittest.TestCase):
    def assert_rows(self, protocol, count):
        command = [sys.executable, "-B", PROGRAM, FRAZILD, protocol, "--trial"]
        text = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        rows = [line for line in text.stdout.splitlines() if re.match(r"\|.*\| *[\d,.]+( ns| us| MiB)? \|", line)]
        self.assertEqual(len(rows), count, text.stdout)

    @unittest.skipIf(INSTRUMENTED, "a sanitizer's speed says nothing, and takes its time")
    def test_a_trial_by_resp_has_each_row_with_a_figure(self):
        self.assert_rows("resp", 12 + 5 + 2 + 2)

    @unittest.skipIf(INSTRUMENTED, "a sanitizer's speed says nothing, and takes its time")
    @unittest.skipUnless(os.path.exists("/usr/sbin/nginx"), "no nginx")
    def test_a_trial_by_http_has_each_row_with_a_figure(self):
        self.assert_rows("http", 4)


if __name__ == "__main__":
    unittest.main()
