# SPDX-License-Identifier: MIT
"""Real clusters, cut apart: `campaign.py [--seed N] [--minutes N | --steps N] [--fault NAME] ROW...`; see
README.md.

Exit status 0: every promise was kept.  1: one was broken, or a cluster did not come back.  77: this machine lets nobody
make network namespaces, or a server is not installed, which is 1 with
TEST_SKIP_NOTHING in the environment; the reason is printed."""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import faults
from cluster import Failed, await_true
from mariadb import MariaDB, MariaDBDefaults, MariaDBSemiSynchronous
from network import Network
from postgresql import PostgreSQL, PostgreSQLSynchronous
from quorum import Etcd, ZooKeeper
from redis import Redis, RedisMinReplicas, RedisWait
from takers import HOSTS, Fleet

FRAZIL = os.environ["FRAZIL"]
MAX_SKEW_MS = 250
WITHIN = (0, 60, -60, 120, -120, 200, -200)  # ms of a host's clock ahead of the servers'
BEYOND = (400, -400, 2000, -2000)
LOG_BYTES_MAX = 256 << 20
NEWCOMERS_MAX = 15  # times that all takers start anew in one step


class Row:
    """One row of the campaign: a kind of cluster, what happens to it, and what the manual promises then."""

    def __init__(self, cluster, share, strikes, promised=True, workers=32):
        self.cluster = cluster
        self.share = share  # of the campaign's time
        self.strikes = strikes
        self.promised = promised  # that no id comes twice; else that is what the row is to show
        self.workers = workers


PRIMARY = (faults.primary_dead, faults.primary_away, faults.primary_restarted, faults.replicas_killed, faults.all_killed)
GUARDED = (*faults.ALL, *PRIMARY, faults.split, faults.primary_alone)

ROWS = {
    "etcd": Row(Etcd, 11, (*faults.QUORUM, *faults.ALL)),
    "zookeeper": Row(ZooKeeper, 11, (*faults.QUORUM, *faults.ALL, faults.observer_lags)),
    "redis-wait": Row(RedisWait, 8, (*GUARDED, faults.primary_sleeps)),
    "redis-min-replicas": Row(RedisMinReplicas, 8, (*GUARDED, faults.primary_sleeps)),
    "redis": Row(Redis, 5, (*faults.ALL, *PRIMARY)),
    "redis-split": Row(Redis, 3, (faults.split,), promised=False, workers=16),
    "postgresql-synchronous": Row(PostgreSQLSynchronous, 7, GUARDED),
    "postgresql": Row(PostgreSQL, 5, (*faults.ALL, *PRIMARY)),
    "postgresql-split": Row(PostgreSQL, 2, (faults.split,), promised=False, workers=16),
    "mariadb-semi-synchronous": Row(MariaDBSemiSynchronous, 7, GUARDED),
    "mariadb": Row(MariaDB, 5, (*faults.ALL, *PRIMARY)),
    "mariadb-split": Row(MariaDB, 2, (faults.split,), promised=False, workers=16),
    "mariadb-defaults-split": Row(MariaDBDefaults, 2, (faults.split,), promised=False, workers=16),
    "same-number": Row(None, 0.2, (), promised=False),
}


def title(strike):
    return strike.__name__.replace("_", "-")


class Step:
    """One fault: when it struck, was healed, and when the cluster was well again."""

    def __init__(self, name):
        self.name = name
        self.began = time.monotonic()
        self.healed = self.well = None


class Campaign:
    """Runs one row."""

    def __init__(self, name, seed, horizon_s, folder):
        self.name = name
        self.row = ROWS[name]
        self.random = random.Random(f"{seed} {name}")
        self.horizon_s = horizon_s
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        os.chmod(self.folder, 0o755)
        servers = [] if self.row.cluster is None else [*self.row.cluster.NAMES, *self.row.cluster.OBSERVERS]
        if self.row.cluster is not None and "s3" not in servers:
            servers.append("s3")
        self.network = Network(["o", *HOSTS, *servers], seed)
        self.began = time.monotonic()
        self.cluster = None
        if self.row.cluster is not None:
            self.cluster = self.row.cluster(self.network, os.path.join(self.folder, "servers"))
        self.fleet = Fleet(self.network, os.path.join(self.folder, "takers"), self._spec)
        self.steps = []
        self.fail_overs = 0
        self.kills = 0
        self.loads = []

    # ---- its parts ----------------------------------------------------------------

    def start(self):
        self.network.enter("o")
        if self.cluster is not None:
            self.cluster.start()
            self._init()
        self.fleet.start()
        self._await_ids()

    def _init(self):
        spec = f"worker='{self.cluster.url('a1')}' workers={self.row.workers} horizon={self.horizon_s}s"
        argv = ["nsenter", f"--net={self.network['a1'].space}", FRAZIL, "lease", "init", "--never-used", spec]

        def is_there():
            """One try.  Without an answer to an earlier one it may be there all the same."""
            tried = subprocess.run(argv, check=False, stderr=subprocess.PIPE, text=True)
            print(tried.stderr, end="", file=sys.stderr)
            return tried.returncode == 0 or "exists since" in tried.stderr

        await_true(is_there, "frazil lease init")

    def _spec(self, host):
        worker = "fixed:7" if self.cluster is None else self.cluster.url(host)
        return f"start=zero state=memory max_wait=500ms worker='{worker}'"

    def _await_ids(self):
        """Each taker whose clock is right issues again."""
        wanted = {taker: taker.now().count for taker in self.fleet.takers}
        late = None

        def all_have():
            nonlocal late
            self.fleet.revive()
            late = next((taker for taker, count in wanted.items() if taker.now().count <= count), None)
            return late is None

        try:
            await_true(all_have, "an id of each taker")
        except Failed as failure:
            raise Failed(f"{failure}: {late.name} has none: {late.now().error}") from None

    # ---- its steps ----------------------------------------------------------------

    def _set_clocks(self):
        """One time in three a host's clock is further off than is tolerated, for as long as the fault is held."""
        for host in HOSTS:
            self.fleet.set_clock(host, self.random.choice(WITHIN))
        if self.row.promised and self.random.randrange(3) == 0:
            self.fleet.set_clock(self.random.choice(HOSTS), self.random.choice(BEYOND))

    def _right_clocks(self):
        for host in HOSTS:
            if abs(self.fleet.offset(host)) > MAX_SKEW_MS:
                self.fleet.set_clock(host, self.random.choice(WITHIN))

    def _hold(self, seconds):
        """Meanwhile some takers are killed, and the next ones start in their places."""
        moments = sorted(self.random.uniform(0, seconds) for _ in range(self.random.randrange(1, 4)))
        end = time.monotonic() + seconds
        for moment in moments:
            taker = self.random.choice(self.fleet.takers)
            time.sleep(max(0, end - seconds + moment - time.monotonic()))
            taker.kill()
            taker.start()
            self.kills += 1
        time.sleep(max(0, end - time.monotonic()))

    def _has_shown_it(self):
        return self.fleet.judge()["duplicates"] > 0

    def _hold_for_newcomers(self):
        """Until the promoted replica grants to newcomers; then all start anew, on both sides.  On a slow machine a
        replica is promoted late, so they start until the row has shown what it is to show."""
        time.sleep(3 * self.horizon_s)
        for _ in range(NEWCOMERS_MAX):
            for taker in self.fleet.takers:
                taker.kill()
                taker.start()
                self.kills += 1
            time.sleep(2 * self.horizon_s)
            if self._has_shown_it():
                break

    def step(self, strike):
        step = Step(title(strike))
        self.steps.append(step)
        leader = self.cluster.leader()
        self._set_clocks()
        end = strike(self.cluster, self.random)
        if self.row.promised:
            self._hold(max(self.random.uniform(0.5, 2.5) * self.horizon_s, self.cluster.FAIL_OVER_S))
        else:
            self._hold_for_newcomers()
        self.fail_overs += self.cluster.leader() not in (None, leader)
        if end is not None:
            end()
        self.network.heal()
        self.cluster.resume()
        for name in self.cluster.NAMES:
            self.cluster.free_disk(name)
        self._right_clocks()
        step.healed = time.monotonic()
        self.cluster.mend()
        await_true(lambda: self.cluster.mend() or self.cluster.is_well(), f"{self.name} well after {step.name}")
        step.well = time.monotonic()
        self._await_ids()
        if self.cluster.log_size() > LOG_BYTES_MAX:
            raise Failed("the servers write more than they should")
        self.loads.append(os.getloadavg()[0])
        print(
            f"  {step.name}: held for {step.healed - step.began:.1f} s, well {step.well - step.healed:.1f} s later,"
            f" {leader} led, {self.cluster.leader()} leads",
            flush=True,
        )

    def run(self, minutes, steps, fault):
        """So many minutes, or steps; every fault comes before one comes again, unless one is named."""
        until = time.monotonic() + minutes * 60
        bag = []
        while self.cluster is not None and (len(self.steps) < steps if steps else time.monotonic() < until):
            if not bag:
                strikes = [strike for strike in self.row.strikes if fault in (None, title(strike))]
                bag = self.random.sample(strikes, len(strikes))
            self.step(bag.pop())
        if self.cluster is None:
            await_true(self._has_shown_it, "an id that comes twice")

    def close(self):
        for taker in self.fleet.takers:
            taker.kill()
        if self.cluster is not None:
            self.cluster.close()
        self.network.close()

    # ---- what came of it ----------------------------------------------------------

    def _clock_was_wrong(self, host, start, end):
        """Whether it was further off than tolerated at some time between, or had just been set back."""
        was = 0
        since = self.began
        for moment, name, offset in [*self.fleet.offsets, (time.monotonic(), host, 0)]:
            if name != host:
                continue
            if abs(was) > MAX_SKEW_MS and since < end and moment + self.horizon_s > start:
                return True
            was, since = offset, moment
        return False

    def _said_s(self, step):
        """What docs/operations.md says how long a generator can be without ids, from how long the cluster was not well."""
        away = max(0, step.well - step.began - self.horizon_s * 7 / 12)
        quarantine = self.horizon_s + 2 * MAX_SKEW_MS / 1000 if self.cluster.LOSES else 0
        # Its pauses have grown, if its tries had no answer.
        silence = min(away / 2, self.horizon_s / 4)
        return away + silence + quarantine + 5

    def gaps(self):
        """(fault, seconds, what was said) of each time without ids: `clock` in place of those of a wrong clock."""
        for taker in self.fleet.takers:
            for record in taker.records:
                for start, end in record.read().gaps:
                    step = next((step for step in reversed(self.steps) if step.began <= end), None)
                    if step is None or step.well is None:
                        continue
                    wrong = self._clock_was_wrong(taker.host.name, start, end)
                    yield ("clock" if wrong else step.name), end - start, self._said_s(step)

    def report(self):
        found = self.fleet.judge()
        longest = {}
        late = 0
        for fault, seconds, said in self.gaps():
            longest[fault] = max(longest.get(fault, 0), seconds)
            late += fault != "clock" and seconds > said
        openings = [r.first - r.started for r in self.fleet.records() if r.read().first > 0]
        found.update(
            minutes=(time.monotonic() - self.began) / 60,
            cuts=self.network.cuts,
            fail_overs=self.fail_overs,
            starts=0 if self.cluster is None else self.cluster.starts,
            processes=len(self.fleet.records()),
            longest=longest,
            late=late,
            opening=max(openings, default=0),
            load=max(self.loads, default=os.getloadavg()[0]),
        )
        return found


def verdict(row, found):
    """The broken promise, or None."""
    if found["disorder"]:
        return f"{found['disorder']} ids of a taker are not above the one before"
    if row.promised and (found["duplicates"] or found["shared"]):
        return f"{found['duplicates']} duplicates, {found['shared']} ticks of a worker with two owners"
    if not row.promised and not found["duplicates"]:
        return "no duplicate where the manual says that there can be some: nothing was shown"
    return None


def tell(name, found):
    """One row of the table, and the longest times without ids by fault."""
    usual = [seconds for fault, seconds in found["longest"].items() if fault != "clock"]
    print(
        f"| {name} | {found['minutes']:.1f} | {found['ids']:,} | {found['processes']} | {found['cuts']} |"
        f" {found['starts']} | {found['fail_overs']} | {found['duplicates']} | {max(usual, default=0):.1f} s |"
        f" {found['late']} | {found['opening']:.1f} s | {found['load']:.1f} |"
    )
    for fault, seconds in sorted(found["longest"].items(), key=lambda item: -item[1]):
        print(f"  longest time without ids, {fault}: {seconds:.1f} s")
    sys.stdout.flush()


HEAD = (
    "| cluster | minutes | ids | processes | cuts | server starts | fail-overs | duplicates | longest time without ids |"
    " longer than said | longest opening | load |"
)


def run_row(name, arguments, folder, share):
    campaign = Campaign(name, arguments.seed, arguments.horizon, folder)
    print(f"{name}, seed {arguments.seed}", flush=True)
    broken = None
    try:
        campaign.start()
        campaign.run(arguments.minutes * share, arguments.steps, arguments.fault)
        campaign.fleet.stop()
    except (Failed, OSError, subprocess.SubprocessError) as failure:
        broken = f"{type(failure).__name__}: {failure}"
    campaign.close()
    found = campaign.report()
    broken = broken or verdict(campaign.row, found)
    tell(name, found)
    if broken:
        print(f"BROKEN: {name}: {broken}", flush=True)
    shutil.rmtree(campaign.folder, ignore_errors=True)
    return not broken, found


# ---- where it runs -----------------------------------------------------------------------


def installed(program):
    return os.access(program, os.X_OK) if program.startswith("/") else shutil.which(program) is not None


def not_allowed():
    """Why this machine lets nobody make hosts, or None."""
    try:
        with open("/dev/net/tun", "rb"):
            pass
    except OSError as error:
        return f"no TAP devices: {error}"
    allowed = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False)
    return None if allowed.returncode == 0 else f"no network namespaces: {allowed.stderr.decode().strip()}"


def not_installed(rows):
    """Which program is missing, or None."""
    clusters = [ROWS[name].cluster for name in rows if ROWS[name].cluster is not None]
    wanted = ["unshare", "nsenter"] + [program for cluster in clusters for program in cluster.PROGRAMS]
    missing = [program for program in wanted if not installed(program)]
    return f"{missing[0]} is not installed" if missing else None


def go_inside():
    """Everything ends with this program, and mounts are seen by nobody else."""
    os.environ["CLUSTERS_INSIDE"] = "1"
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-B", *sys.argv]
    os.execvp(words[0], words)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60, help="of all rows together")
    parser.add_argument("--steps", type=int, default=0, help="of each row, in place of minutes")
    parser.add_argument("--horizon", type=int, default=10, help="of the namespaces, in seconds")
    parser.add_argument("--fault", help="the only one that strikes, in place of all of a row")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    arguments = parser.parse_args()
    arguments.rows = arguments.rows or list(ROWS)
    for name in arguments.rows:
        if name not in ROWS:
            parser.error(f"no such row: {name}")
        if arguments.fault and arguments.fault not in map(title, ROWS[name].strikes):
            parser.error(f"no such fault of {name}: {arguments.fault}")
    return arguments


def main():
    arguments = parse()
    if "CLUSTERS_INSIDE" not in os.environ:
        missing = not_installed(arguments.rows)
        reason = missing or not_allowed()
        if reason is not None:
            print(f"SKIPPED: {reason}")
            return 1 if missing and "TEST_SKIP_NOTHING" in os.environ else 77
        go_inside()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="frazil-clusters-")
    os.chmod(folder, 0o755)
    whole = sum(ROWS[name].share for name in arguments.rows)
    rows = {}
    good = True
    try:
        for name in arguments.rows:
            kept, rows[name] = run_row(name, arguments, folder, ROWS[name].share / whole)
            good = good and kept
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{HEAD}\n|{'---|' * HEAD.count(' | ')}---|")
    for name, found in rows.items():
        tell(name, found)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
