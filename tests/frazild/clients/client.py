# SPDX-License-Identifier: MIT
"""redis-py: PORT TOKEN"""

import sys

import redis

client = redis.Redis("127.0.0.1", int(sys.argv[1]), password=sys.argv[2])
assert client.ping()
for _ in range(20):
    print(client.execute_command("NEXT", "main").decode())
for id in client.execute_command("NEXT", "main", 50):
    print(id.decode())
for _ in range(20):
    print(client.incr("orders:id"))
for transaction in (False, True):
    with client.pipeline(transaction=transaction) as pipeline:
        for _ in range(10):
            pipeline.execute_command("NEXT", "main")
        for id in pipeline.execute():
            print(id.decode())
