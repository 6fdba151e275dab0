# SPDX-License-Identifier: MIT
"""MariaDB: a primary and a replica, which this file promotes as an operator does."""

import os
import pwd
import shutil
import subprocess

from cluster import Cluster, Failed, await_true

SERVER = "/usr/sbin/mariadbd"
SMALL = ("--no-defaults", "--user=mysql", "--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M")

# Run at each start.  Each server makes these itself, so the binary log has the lease's table alone.
INIT = """\
SET sql_log_bin = 0;
CREATE DATABASE IF NOT EXISTS app;
CREATE USER IF NOT EXISTS owner@'%';
GRANT ALL ON *.* TO owner@'%';
CREATE USER IF NOT EXISTS app@'%';
GRANT SELECT, INSERT, UPDATE, CREATE ON app.* TO app@'%';
"""

# docs/coordinators/mysql.md names both: nobody sees what the replica has not, and no wait for it is given up.
SAFE = ("--rpl-semi-sync-master-wait-point=AFTER_SYNC", "--rpl-semi-sync-master-timeout=18446744073709551615")


class MariaDB(Cluster):
    """Asynchronous.  A replica begins with nothing and reads the whole binary log, which is short."""

    NAMES = ("s1", "s2")
    PROGRAMS = (SERVER, "mariadb", "mariadb-install-db")
    LOSES = True
    FENCED = True
    semi_synchronous = False
    settings = ()  # of semi-synchronous replication

    def __init__(self, network, folder):
        super().__init__(network, folder)
        self.primary = "s1"
        self.follows = False  # whether the other one is a replica of the primary
        self.server_ids = {}
        os.chmod(folder, 0o755)
        user = pwd.getpwnam("mysql")
        for name in self.NAMES:
            os.chown(self.data(name), user.pw_uid, user.pw_gid)
        with open(os.path.join(folder, "init.sql"), "w", encoding="ascii") as file:
            file.write(INIT)

    def _folder(self, name):
        return os.path.join(self.data(name), "data")

    def command(self, name):
        words = [
            SERVER, *SMALL, f"--datadir={self._folder(name)}", f"--tmpdir={self.data(name)}", "--bind-address=0.0.0.0",
            f"--socket={self.data(name)}/socket", "--pid-file=pid", "--skip-name-resolve", "--max-connections=600",
            f"--init-file={self.folder}/init.sql", f"--server-id={self.server_ids[name]}",
            "--log-bin=log-bin", "--log-slave-updates", "--sync-binlog=1", "--slave-net-timeout=5", "--log-warnings=0",
        ]  # fmt: skip
        if name != self.primary:
            words.append("--read-only")
        if self.semi_synchronous:
            words += [f"--rpl-semi-sync-{'master' if name == self.primary else 'slave'}-enabled=ON", *self.settings]
        return words

    def url(self, host):
        return f"mysql://app@{','.join(self.address(name) for name in self.NAMES)}/app/orders"

    def ask(self, name, sql, patience=5):
        """The answer as text, or None if there is none within so many seconds."""
        words = ["mariadb", "--no-defaults", "-NB", "--connect-timeout=2", "-u", "owner", "-h", self.address(name)]
        try:
            done = subprocess.run(
                [*words, "-e", sql], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def _status(self, name, variable):
        sql = f"SELECT variable_value FROM information_schema.global_status WHERE variable_name = '{variable}'"
        return self.ask(name, sql)

    def start(self):
        self._make_empty("s1")
        self.launch("s1")
        await_true(lambda: self.ask("s1", "SELECT 1") == "1", "mariadbd answering")
        self._follow("s2")
        await_true(self.is_well, "MariaDB starting")

    def _make_empty(self, name):
        """Data as a server has it that was never used, which is made once.  A replica leaves out what stands in a binary
        log under its own server id, so the id must be new, too."""
        self.server_ids[name] = max(self.server_ids.values(), default=0) + 1
        template = os.path.join(self.folder, "template")
        if not os.path.exists(template):
            words = ["mariadb-install-db", *SMALL, f"--datadir={template}", f"--tmpdir={self.data(name)}", "--skip-test-db"]
            with open(os.path.join(self.folder, "install.log"), "wb") as log:
                subprocess.run(words, check=True, stdout=log, stderr=log)
        shutil.rmtree(self._folder(name), ignore_errors=True)
        subprocess.run(["cp", "-a", template, self._folder(name)], check=True)

    def _follow(self, name):
        """Makes it a replica of the primary, anew, whatever it was."""
        self._make_empty(name)
        self.launch(name)
        await_true(lambda: self.ask(name, "SELECT 1") == "1", "the replica answering")
        source = f"master_host = '{self.address(self.primary)}', master_user = 'owner', master_use_gtid = slave_pos"
        self._do(name, f"CHANGE MASTER TO {source}, master_connect_retry = 1, master_heartbeat_period = 1; START SLAVE")
        self.follows = True
        self._set_semi_synchronous(self.semi_synchronous)

    def _do(self, name, sql):
        if self.ask(name, sql, patience=60) is None:
            raise Failed(f"{name} refuses: {sql}")

    def _set_semi_synchronous(self, is_on):
        self._do(self.primary, f"SET GLOBAL rpl_semi_sync_master_enabled = {int(is_on)}")

    def promote_if_asked(self):
        """The replica becomes primary, alone for the time being, with all that it has received."""
        new = self.others(self.primary)[0]
        self._do(new, "STOP SLAVE IO_THREAD")
        sql = "SELECT state FROM information_schema.processlist WHERE command = 'Slave_SQL'"
        await_true(lambda: (self.ask(new, sql) or "").startswith("Slave has read all relay log"), "the relay log read")
        self._do(new, "STOP SLAVE; RESET SLAVE ALL")
        self.primary = new
        self.follows = False
        self._do(new, "SET GLOBAL read_only = 0")

    def leader(self):
        return self.primary

    def is_well(self):
        if self._status(self.others(self.primary)[0], "Slave_running") != "ON":
            return False
        return not self.semi_synchronous or self._status(self.primary, "Rpl_semi_sync_master_clients") == "1"

    def mend(self):
        """An old primary is not let in again as one: it is killed, and made a replica of the new one."""
        other = self.others(self.primary)[0]
        if not self.processes[self.primary].runs():
            self.launch(self.primary)
            await_true(lambda: self.ask(self.primary, "SELECT 1") == "1", "the primary answering")
        if not self.follows:
            self.kill(other)
            self._follow(other)
        elif not self.processes[other].runs():
            self.launch(other)


class MariaDBSemiSynchronous(MariaDB):
    """What the replica has not received is neither acknowledged nor seen."""

    semi_synchronous = True
    settings = SAFE


class MariaDBDefaults(MariaDB):
    """Semi-synchronous as MariaDB has it unless told otherwise: the wait is given up after 10 s, and others see at once."""

    semi_synchronous = True
