# SPDX-License-Identifier: MIT
"""Ids of frazild in blocks, with redis-py: FRAZILD_URL=redis://127.0.0.1:6380 python3 block.py"""

import os
import threading
import time

import redis


class Ids:
    """Ids of one generator: a request fetches 1,000 of them, for a second at most, and a fork begins without any."""

    def __init__(self, url, generator="main", size=1000, life_s=1.0):
        self._client = redis.Redis.from_url(url, decode_responses=True)
        self._command = ("NEXT", generator, size)
        self._life_s = life_s
        self._ids, self._until, self._pid = [], 0.0, 0
        self._renew_lock()
        os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self):
        self._lock = threading.Lock()

    def next(self):
        with self._lock:
            # A fork that a C library makes calls no hook of Python.
            if not self._ids or time.monotonic() > self._until or self._pid != os.getpid():
                self._ids = self._client.execute_command(*self._command)[::-1]
                self._until = time.monotonic() + self._life_s
                self._pid = os.getpid()
            return int(self._ids.pop())


if __name__ == "__main__":
    ids = Ids(os.environ["FRAZILD_URL"])
    for _ in range(2500):
        print(ids.next())
