# SPDX-License-Identifier: MIT
# A WSGI program that takes ids through ctypes:
#
#     FRAZIL_WORKER=fixed:7 gunicorn -w 4 --preload app:app
#
# All workers share a generator that is opened before the fork; nothing is to be done in a hook.  libfrazil.so.1 must be where the
# dynamic linker finds it.
import atexit
import ctypes
import os

_lib = ctypes.CDLL("libfrazil.so.1")
_gen = ctypes.c_void_p()
if _lib.frazil_open(ctypes.byref(_gen), None, None) != 0:
    raise SystemExit("no generator: `frazil doctor` says why")
# The last process that closes gives a leased worker id back.
atexit.register(_lib.frazil_close, _gen)


def new_id():
    value = ctypes.c_uint64()
    err = _lib.frazil_next(_gen, ctypes.byref(value))
    if err != 0:
        raise RuntimeError(f"frazil error {err}")
    return value.value


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{os.getpid()} {new_id()}\n".encode()]
