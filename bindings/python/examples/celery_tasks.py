# SPDX-License-Identifier: MIT
"""Celery: ids of frazil in tasks.  FRAZIL_WORKER says which worker number this host has.

The pool forks its processes after this module was imported: they share the generator.  With the pools spawn, threads,
gevent and solo nothing differs.
"""

import os

from celery import Celery

import frazil

app = Celery("orders", broker=os.environ.get("BROKER", "memory://"))
ids = frazil.open("layout=frazil")


@app.task
def place(path):
    # Of arguments and results of tasks, JSON numbers are exact for Python; other languages need text.
    with open(path, "a") as file:
        file.write(f"{os.getpid()} {ids.next_text()}\n")
