# SPDX-License-Identifier: MIT
"""PostgreSQL: a primary and a standby, which this file promotes as an operator does."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import time

from cluster import Cluster, Failed, await_true

ACCESS = "local all all trust\nhost all all all trust\nhost replication all all trust\n"
SETTINGS = {
    "listen_addresses": "*",
    "unix_socket_directories": "",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "wal_keep_size": "64MB",
    "max_wal_size": "128MB",
    "shared_buffers": "16MB",
    "tcp_user_timeout": "5s",
    "log_min_messages": "error",
}


def folder_of_programs():
    return max(glob.glob("/usr/lib/postgresql/*/bin"), default="")


class PostgreSQL(Cluster):
    """With `synchronous`, what the standby has not written is not acknowledged."""

    NAMES = ("s1", "s2")
    PROGRAMS = (os.path.join(folder_of_programs(), "postgres"),)
    LOSES = True
    FENCED = True
    synchronous = False

    def __init__(self, network, folder):
        super().__init__(network, folder)
        self.user = pwd.getpwnam("postgres")
        self.primary = "s1"
        os.chmod(folder, 0o755)
        for name in self.NAMES:
            shutil.chown(self.data(name), self.user.pw_uid, self.user.pw_gid)

    def _words(self, program, *words):
        """As the user that Debian's package has made: postgres refuses root."""
        user = [f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        return ["setpriv", *user, os.path.join(folder_of_programs(), program), *words]

    def _folder(self, name):
        return os.path.join(self.data(name), "data")

    def _run(self, name, program, *words):
        with open(os.path.join(self.folder, f"{name}.log"), "ab") as log:
            subprocess.run(self._words(program, *words), check=True, stdout=log, stderr=log, cwd=self.data(name))

    def command(self, name):
        words = [word for key, value in SETTINGS.items() for word in ("-c", f"{key}={value}")]
        return self._words("postgres", "-D", self._folder(name), *words)

    def url(self, host):
        return f"postgres://owner@{','.join(self.address(name) for name in self.NAMES)}/postgres/orders?sslmode=disable"

    def ask(self, name, sql, patience=5):
        """The answer as text, or None if there is none within so many seconds."""
        target = f"host={self.address(name)} user=owner dbname=postgres connect_timeout=2"
        try:
            done = subprocess.run(
                ["psql", "-XAtq", "-d", target, "-c", sql], capture_output=True, text=True, timeout=patience, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def start(self):
        self._run("s1", "initdb", "-D", self._folder("s1"), "-U", "owner", "-E", "UTF8", "--no-sync", "--locale=C")
        with open(os.path.join(self._folder("s1"), "pg_hba.conf"), "w", encoding="ascii") as file:
            file.write(ACCESS)
        self.launch("s1")
        await_true(lambda: self.ask("s1", "SELECT 1") == "1", "postgres answering")
        self._follow("s2")

    def _follow(self, name):
        """Makes it a standby of the primary, anew, whatever it was, and waits until it streams."""
        shutil.rmtree(self._folder(name), ignore_errors=True)
        target = f"host={self.address(self.primary)} user=owner application_name={name}"
        self._run(
            name, "pg_basebackup", "-D", self._folder(name), "-d", target, "-R", "-X", "stream",
            "--checkpoint=fast", "--no-sync",
        )  # fmt: skip
        self.launch(name)
        await_true(self._streams, "the standby streaming")
        self._set_synchronous("*" if self.synchronous else "")

    def _set_synchronous(self, names):
        self.ask(self.primary, f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.ask(self.primary, "SELECT pg_reload_conf()")

    def _streams(self):
        sql = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name IN ('s1', 's2')"
        return self.ask(self.primary, sql) == "1"

    def promote_if_asked(self):
        """The standby becomes primary, alone for the time being."""
        new = self.others(self.primary)[0]
        # The file that makes the old primary wait for standbys was copied with the rest, and would make this one wait.
        self.ask(new, "ALTER SYSTEM SET synchronous_standby_names = ''")
        if self.ask(new, "SELECT pg_promote(true, 60)", patience=90) != "t":
            raise Failed(f"{new} cannot be promoted")
        self.primary = new
        self._set_synchronous("")

    def leader(self):
        return self.primary

    def is_well(self):
        wanted = "*" if self.synchronous else ""
        return self._streams() and self.ask(self.primary, "SHOW synchronous_standby_names") == wanted

    def kill(self, name):
        """With all of its processes, each of which leads a group of its own."""
        process = self.processes[name]
        process.signal(signal.SIGCONT)
        process.signal(signal.SIGQUIT)
        try:
            process.popen.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
        time.sleep(0.1)

    def stop(self, name):
        """The one that listens, alone: the others go on for who is connected."""
        self.processes[name].signal(signal.SIGSTOP)

    def mend(self):
        """An old primary is not let in again as one: it is killed, and made a standby of the new one."""
        other = self.others(self.primary)[0]
        if self.ask(other, "SELECT pg_is_in_recovery()") == "f":
            self.kill(other)
            self._follow(other)
        if not self.processes[self.primary].runs():
            self.launch(self.primary)
        if not self.processes[other].runs():
            if os.path.exists(os.path.join(self._folder(other), "standby.signal")):
                self.launch(other)
            else:
                self._follow(other)

    def close(self):
        for name in self.processes:
            self.kill(name)
        super().close()


class PostgreSQLSynchronous(PostgreSQL):
    synchronous = True
