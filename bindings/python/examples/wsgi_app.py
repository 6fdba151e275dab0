# SPDX-License-Identifier: MIT
"""gunicorn: gunicorn --preload --workers 4 wsgi_app:app

With --preload the generator is opened before the workers are forked, and they share it; no hook is needed.
Without it each worker opens its own, and they share one sequence through kept state.
"""

import os

import frazil

# FRAZIL_WORKER says which worker number this host has.
ids = frazil.open("layout=frazil")


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{os.getpid()} {ids.next_text()}\n".encode()]
