# SPDX-License-Identifier: MIT
"""Goal of this test: what `make bench` says of ids over the network has all of its rows; never what was measured."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from harness import FRAZILD, INSTRUMENTED

PROGRAM = os.path.join(os.path.dirname(__file__), "../../bench/others/network.py")


class Bench(unittest.TestCase):
    @unittest.skipIf(INSTRUMENTED, "a sanitizer's speed says nothing, and takes its time")
    def test_a_trial_has_each_row_with_a_figure(self):
        command = [sys.executable, "-B", PROGRAM, FRAZILD, "--trial"]
        text = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        rows = [line for line in text.stdout.splitlines() if re.match(r"\|.*\| *[\d,.]+( ns| us| MiB)? \|", line)]
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        self.assertEqual(len(rows), 14 + 6 + 3 + 2 + (4 if nginx else 0), text.stdout)


if __name__ == "__main__":
    unittest.main()
