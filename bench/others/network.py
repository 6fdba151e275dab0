# SPDX-License-Identifier: MIT
"""network.py FRAZILD resp|http [--trial]: measures ids over the network, by RESP beside redis-server or by HTTP beside nginx, and
prints that section of docs/performance.md.  What a command costs is the processor time of the server: on shared machines the time of the day
says less.  Servers and clients share one processor: to wake another one can cost a virtual machine more than all the rest,
and how often that happens depends on who is faster.  The two, of one thread, take turns, so that a slow moment
hits both; a figure is the median of its rounds.  With --trial it runs for seconds, and the figures mean nothing.

redis-benchmark is the client, and this program where that has no figures: for HTTP, single requests and idle connections."""

import contextlib
import math
import os
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

TRIAL = "--trial" in sys.argv
ROUNDS = 1 if TRIAL else 7
SHARE = 0.002 if TRIAL else 1  # of the requests
IDLE = 100 if TRIAL else 10000
PROCESSOR = max(os.sched_getaffinity(0))
PATIENCE_S = 60
PIPELINED = 0.25  # of Redis: 0.17 with 50 connections on a quiet machine, and up to 0.24 with one, or with shared caches
NGINX_PROGRAM = "/usr/sbin/nginx"
CONFIG = """[daemon]
threads=1
max_connections=20000
drain_delay=0s
[listen {protocol}]
address={host}:{port}
[generator main]
worker=fixed:1
state=memory
layout=39/1/24
"""  # ids to spare: no request waits for the next millisecond
NGINX = """daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen {host}:{port};
        default_type application/json;
        location / {{ return 200 "{{\\"generator\\":\\"main\\",\\"ids\\":[\\"118487893558693900\\"]}}\\n"; }}
    }}
}}
"""  # its shortest way to a reply as long as ours


def free_port(host):
    with socket.socket() as its:
        its.bind((host, 0))
        return its.getsockname()[1]


class Server:
    """A server on a port of an address of this host that nobody else uses."""

    def __init__(self, folder, command, port):
        self.port = port
        with open(os.path.join(folder, f"log-{port}"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection((HOST, port)).close()
                return
            except OSError:
                time.sleep(0.05)
        with open(log.name, encoding="utf-8") as log:
            sys.exit(f"network.py: {command[0]} does not start: {log.read()}")

    def cpu_ns(self):
        return time.clock_gettime_ns((~self.process.pid << 3) | 2)  # clock_getcpuclockid(3) of Linux

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)


HOST = "127." + ".".join(str(random.SystemRandom().randint(1, 254)) for _ in range(3))


def thousands(number):
    return f"{number:,.0f}"


# ---- throughput ---------------------------------------------------------------------------------


def by_redis_benchmark(server, command, connections, pipeline, requests):
    """Processor time of the server for a request, and requests a second."""
    tool = ["redis-benchmark", "-h", HOST, "-p", str(server.port), "--csv", "-c", str(connections), "-P", str(pipeline)]
    before = server.cpu_ns()
    text = subprocess.run([*tool, "-n", str(requests), *command.split()], capture_output=True, text=True, check=True).stdout
    took = server.cpu_ns() - before
    return took / requests, float(text.splitlines()[-1].split(",")[1].strip('"'))


def read_reply(its):
    reply = b""
    while not reply.endswith((b"}\n", b"0\r\n\r\n")):
        reply += its.recv(65536)
    assert reply.startswith(b"HTTP/1.1 200 "), reply


def by_http(server, path, connections, _, requests):
    """The same over HTTP, whose connections stay open."""
    sockets = [socket.create_connection((HOST, server.port)) for _ in range(connections)]
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Requested-With: bench\r\n\r\n".encode()
    before, began = server.cpu_ns(), time.monotonic_ns()
    for _ in range(requests // connections):
        for its in sockets:
            its.sendall(request)
        for its in sockets:
            read_reply(its)
    took, wall = server.cpu_ns() - before, time.monotonic_ns() - began
    for its in sockets:
        its.close()
    done = requests // connections * connections
    return took / done, done * 1e9 / wall


def measure(cases):
    """The medians of each case: processor time for a request, and requests a second."""
    rounds = [[] for _ in cases]
    for _ in range(ROUNDS):
        for case, figures in zip(cases, rounds):
            way, server, what, connections, pipeline, requests = case
            # All pipelines are full: redis-benchmark fails at times if it has more replies than it was to send requests.
            burst = connections * pipeline
            requests = math.ceil(requests * SHARE / burst) * burst
            figures.append(way(server, what, connections, pipeline, requests))
    return [tuple(statistics.median(column) for column in zip(*figures)) for figures in rounds]


def verdict(is_met, text):
    return ("✓ " if is_met else "**missed** ") + text


def tell_commands(redis, resp):
    """A table of single ids: what a request costs, beside INCR of Redis with as many connections and as long a pipeline."""
    shapes = [(1, 1, 50000), (50, 1, 100000), (1, 64, 1000000), (50, 64, 2000000)]
    cases, names, targets = [], [], []
    for connections, pipeline, requests in shapes:
        shape = (connections, pipeline, requests)
        cases.append((by_redis_benchmark, redis, "INCR key", *shape))
        names.append("Redis `INCR`")
        targets.append(None)
        for command in ("NEXT", "INCR main"):
            cases.append((by_redis_benchmark, resp, command, *shape))
            names.append(f"`{command.split()[0]}`")
            targets.append(1.05 if pipeline == 1 else PIPELINED)
    print("| an id by | connections | in a pipeline | processor time | × Redis | a second | target |")
    print("|---|---:|---:|---:|---:|---:|---|")
    base = 1
    for case, name, target, (cpu_ns, rate) in zip(cases, names, targets, measure(cases)):
        if case[1] is redis:
            base = cpu_ns
        ratio = cpu_ns / base
        text = verdict(ratio <= target, f"at most {target:.2f}") if target else ""
        print(f"| {name} | {case[3]} | {case[4]} | {thousands(cpu_ns)} ns | {ratio:.2f} | {thousands(rate)} | {text} |")


def tell_batches(resp):
    """A table of batches: what an id of one costs."""
    rows = [
        ("`NEXT main 1000`", 1000, 20, (by_redis_benchmark, resp, "NEXT main 1000", 1, 1, 5000)),
        ("`NEXT main 1000`, 16 in a pipeline", 1000, 20, (by_redis_benchmark, resp, "NEXT main 1000", 1, 16, 20000)),
        ("`NEXT.BIN main 1000`", 1000, 150, (by_redis_benchmark, resp, "NEXT.BIN main 1000", 1, 1, 10000)),
        ("`NEXT.BIN main 1000`, 16 in a pipeline", 1000, 150, (by_redis_benchmark, resp, "NEXT.BIN main 1000", 1, 16, 50000)),
        ("`NEXT.BIN main 10000`", 10000, 150, (by_redis_benchmark, resp, "NEXT.BIN main 10000", 1, 1, 5000)),
    ]
    print("\n| batches | processor time an id | ids a second of it | target |\n|---|---:|---:|---|")
    for (name, each, target, _), (cpu_ns, _) in zip(rows, measure([row[3] for row in rows])):
        millions = each * 1e3 / cpu_ns
        text = verdict(millions >= target, f"at least {target} million")
        print(f"| {name} | {cpu_ns / each:.2f} ns | {millions:.0f} million | {text} |")


def tell_http(nginx, http):
    """A table of single ids by HTTP: what a request costs, beside a fixed reply of nginx."""
    shapes = [(1, 20000), (32, 64000)]
    path = "/v1/generators/main/ids"
    cases = [(by_http, server, path, connections, 1, requests) for connections, requests in shapes for server in (nginx, http)]
    print("| an id by | connections | processor time | × nginx | a second | target |")
    print("|---|---:|---:|---:|---:|---|")
    base = 1
    for case, (cpu_ns, rate) in zip(cases, measure(cases)):
        is_base = case[1] is nginx
        base = cpu_ns if is_base else base
        name = "nginx `return`" if is_base else "HTTP `GET`"
        text = "" if is_base else verdict(cpu_ns / base <= 1.3, "at most 1.30")
        print(f"| {name} | {case[3]} | {thousands(cpu_ns)} ns | {cpu_ns / base:.2f} | {thousands(rate)} | {text} |")


# ---- single requests, and idle connections ---------------------------------------------------------


def tell_latency(redis, resp):
    """A table of single requests, which this program sends to each in turn."""
    peers = [("Redis `INCR`", redis, b"INCR key\r\n"), ("`NEXT`", resp, b"NEXT\r\n")]
    sockets = [socket.create_connection((HOST, server.port)) for _, server, _ in peers]
    took = [[] for _ in peers]
    for its in sockets:
        its.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(int(100000 * SHARE)):
        for (_, _, data), its, times in zip(peers, sockets, took):
            began = time.monotonic_ns()
            its.send(data)
            its.recv(4096)
            times.append((time.monotonic_ns() - began) / 1000)
    print("\n| a request and its reply | p50 | p99 | p99.9 | × Redis, p99.9 |\n|---|---:|---:|---:|---:|")
    least = None
    for (name, _, _), its, times in zip(peers, sockets, took):
        its.close()
        times.sort()
        p50, p99, p999 = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99, 0.999))
        least = least or p999
        print(f"| {name} | {p50:.1f} us | {p99:.1f} us | {p999:.1f} us | {p999 / least:.2f} |")


def tell_idle(redis, resp):
    """A table of connections that said PING and are silent."""
    print(f"\n| {IDLE:,} idle connections | memory | target |\n|---|---:|---|")
    for name, server, target in (("Redis", redis, None), ("frazild", resp, 40)):
        before, sockets = server.memory_mib(), []
        for _ in range(IDLE):
            its = socket.create_connection((HOST, server.port))
            its.sendall(b"PING\r\n")
            assert its.recv(100) == b"+PONG\r\n"
            sockets.append(its)
        mib = server.memory_mib() - before
        for its in sockets:
            its.close()
        print(f"| {name} | {mib:.1f} MiB | {verdict(mib < target, f'below {target} MiB') if target else ''} |")


def redis_in(folder):
    port = free_port(HOST)
    options = f"--bind {HOST} --port {port} --maxclients 20000 --appendonly no --dir {folder} --protected-mode no"
    return Server(folder, ["redis-server", *options.split(), "--save", ""], port)


def nginx_in(folder):
    port = free_port(HOST)
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(NGINX.format(folder=folder, host=HOST, port=port))
    return Server(folder, [NGINX_PROGRAM, "-p", folder, "-e", "stderr", "-c", config], port)


def frazild_in(folder, protocol):
    port = free_port(HOST)
    config = os.path.join(folder, "frazil.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(host=HOST, protocol=protocol, port=port))
    return Server(folder, [sys.argv[1], "-c", config], port)


@contextlib.contextmanager
def servers(protocol):
    """What frazild is measured beside, and frazild with one port, which are new and end with the block."""
    with tempfile.TemporaryDirectory(prefix="frazild-bench-") as folder, contextlib.ExitStack() as ends:
        other = redis_in(folder) if protocol == "resp" else nginx_in(folder)
        ends.callback(other.end)
        own = frazild_in(folder, protocol)
        ends.callback(own.end)
        yield other, own


def main():
    protocol = sys.argv[2]
    for program in ("redis-server", "redis-benchmark") if protocol == "resp" else (NGINX_PROGRAM,):
        if not shutil.which(program):
            sys.exit(f"network.py: {program} is not installed")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    busy = os.getloadavg()[0]
    os.sched_setaffinity(0, {PROCESSOR})
    if protocol == "http":
        with servers(protocol) as (nginx, http):
            tell_http(nginx, http)
    else:
        with servers(protocol) as (redis, resp):
            tell_commands(redis, resp)
            tell_batches(resp)
            tell_latency(redis, resp)
        with servers(protocol) as (redis, resp):
            tell_idle(redis, resp)
    print(f"\nThe load average of this machine was {busy:.2f} before this measurement.")


main()
