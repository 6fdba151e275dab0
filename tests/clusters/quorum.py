# SPDX-License-Identifier: MIT
"""Clusters that acknowledge nothing without a majority: etcd and ZooKeeper."""

import json
import os
import socket
import urllib.error
import urllib.request

from cluster import Cluster


class Etcd(Cluster):
    """Three members; the disk of the last one is small."""

    PROGRAMS = ("etcd",)
    DISK_MB = 256  # two files of its log, 64 MB each, and what it makes of them

    def command(self, name):
        peers = ",".join(f"{other}=http://{self.address(other)}:2380" for other in self.NAMES)
        client = f"http://{self.address(name)}:2379"
        peer = f"http://{self.address(name)}:2380"
        return [
            "etcd", "--name", name, "--data-dir", os.path.join(self.data(name), "data"), "--log-level", "error",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", peers, "--heartbeat-interval", "100", "--election-timeout", "1000",
        ]  # fmt: skip

    def url(self, host):
        return f"etcd://{','.join(self.address(name) for name in self.NAMES)}/orders"

    def _status(self, name):
        request = urllib.request.Request(f"http://{self.address(name)}:2379/v3/maintenance/status", b"{}")
        try:
            with urllib.request.urlopen(request, timeout=1) as answer:
                return json.load(answer)
        except (OSError, urllib.error.URLError, ValueError):
            return None

    def leader(self):
        found = None
        term = -1
        for name in self.NAMES:
            status = self._status(name)
            if status and status.get("leader") == status["header"]["member_id"] and int(status["raftTerm"]) > term:
                found, term = name, int(status["raftTerm"])
        return found

    def is_well(self):
        leaders = {(status or {}).get("leader", "0") for status in map(self._status, self.NAMES)}
        return len(leaders) == 1 and leaders != {"0"}


class ZooKeeper(Cluster):
    """Three servers and an observer, which the programs of the last host ask first."""

    PROGRAMS = ("java", "/usr/share/zookeeper/bin/zkServer.sh")
    OBSERVERS = ("s4",)
    DISK_MB = 32
    JARS = (
        "zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-nop", "netty-all", "metrics-core", "snappy-java",
    )  # fmt: skip

    def _configuration(self, name):
        """Writes it, and the server's number."""
        data = os.path.join(self.data(name), "data")
        path = os.path.join(self.folder, f"{name}.cfg")
        all_names = self.NAMES + self.OBSERVERS
        lines = [
            "tickTime=500", "initLimit=20", "syncLimit=4", "maxClientCnxns=0", "admin.enableServer=false",
            "maxSessionTimeout=40000", f"dataDir={data}", "clientPort=2181", "snapCount=5000",
            "autopurge.snapRetainCount=3", "autopurge.purgeInterval=1",
        ]  # fmt: skip
        for number, other in enumerate(all_names, start=1):
            role = ":observer" if other in self.OBSERVERS else ""
            lines.append(f"server.{number}={self.address(other)}:2888:3888{role}")
        if name in self.OBSERVERS:
            lines.append("peerType=observer")
        os.makedirs(data, exist_ok=True)
        with open(os.path.join(data, "myid"), "w", encoding="ascii") as file:
            file.write(f"{all_names.index(name) + 1}\n")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def command(self, name):
        return [
            "java", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData",
            "-Dzookeeper.preAllocSize=256", "-cp", ":".join(f"/usr/share/java/{jar}.jar" for jar in self.JARS),
            "org.apache.zookeeper.server.quorum.QuorumPeerMain", self._configuration(name),
        ]  # fmt: skip

    def url(self, host):
        names = self.NAMES if host != "a3" else self.OBSERVERS + self.NAMES
        return f"zookeeper://{','.join(self.address(name) for name in names)}/orders"

    def _mode(self, name):
        try:
            with socket.create_connection((self.address(name), 2181), timeout=1) as connection:
                connection.sendall(b"srvr")
                answer = b""
                while piece := connection.recv(4096):
                    answer += piece
        except OSError:
            return None
        return answer.partition(b"Mode: ")[2].split(b"\n")[0].decode()

    def leader(self):
        return next((name for name in self.NAMES if self._mode(name) == "leader"), None)

    def is_well(self):
        modes = sorted(self._mode(name) or "" for name in self.NAMES + self.OBSERVERS)
        return modes == ["follower", "follower", "leader", "observer"]
