# SPDX-License-Identifier: MIT
"""The alerts of contrib/prometheus: each fires when it should, over metrics that there are, and the manual says what to do."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "contrib/prometheus/frazild.rules.yml"
PROMTOOL = shutil.which("promtool")


def alerts():
    return re.findall(r"alert: (\w+)", RULES.read_text())


@unittest.skipIf(PROMTOOL is None, "promtool is not installed")
class Rules(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promtool_takes_the_rules(self):
        self.promtool("check", "rules", str(RULES))

    def test_each_alert_fires_when_it_should(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(RULES, folder)
            test = shutil.copy(pathlib.Path(__file__).with_name("alerts.yml"), folder)
            self.promtool("test", "rules", test)


class Names(harness.TestCase):
    def test_each_alert_has_a_test_and_a_line_in_the_manual(self):
        test = pathlib.Path(__file__).with_name("alerts.yml").read_text()
        manual = (ROOT / "docs/frazild.md").read_text()
        self.assertGreater(len(alerts()), 10)
        for alert in alerts():
            self.assertIn(f'alertname="{alert}"', test)
            self.assertIn(f"| `{alert}` |", manual)

    def test_each_metric_of_the_alerts_is_one_of_the_daemon(self):
        daemon = self.start(harness.BASE + "[listen http]\naddress=127.0.0.1:0\n" + harness.generator("main"))
        with urllib.request.urlopen(f"http://127.0.0.1:{daemon.port('http')}/metrics") as reply:
            metrics = reply.read().decode()
        used = set(re.findall(r"\bfrazild?_\w+", "\n".join(re.findall(r"expr: (.*)", RULES.read_text()))))
        self.assertGreater(len(used), 9)
        for name in used:
            self.assertRegex(metrics, rf"(?m)^# TYPE {re.sub('_bucket$', '', name)} ")


if __name__ == "__main__":
    unittest.main()
