# SPDX-License-Identifier: MIT
"""The library in Python through ctypes, with an exception for each error of its table.

    FRAZIL_LIBRARY=/usr/local/lib/libfrazil.so.1 python3 binding.py 'worker=fixed:7'
"""
import ctypes as c
import os
import sys

_lib = c.CDLL(os.environ.get("FRAZIL_LIBRARY", "libfrazil.so.1"))

WAIT_FOREVER = 2**64 - 1
WAIT_DEFAULT = 2**64 - 2


class _Reason(c.Structure):
    """frazil_error"""

    _fields_ = [("code", c.c_int32), ("err_class", c.c_int32), ("sys_errno", c.c_int32), ("length", c.c_uint32),
                ("position", c.c_int64), ("behind_us", c.c_int64), ("retry_ns", c.c_uint64),
                ("reserved", c.c_uint64 * 2), ("message", c.c_char * 968)]


class _Constant(c.Structure):
    """frazil_constant"""

    _fields_ = [("name", c.c_char_p), ("value", c.c_int64)]


assert c.sizeof(_Reason) == 1024


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments
    return function


_u64 = c.POINTER(c.c_uint64)
_reason = c.POINTER(_Reason)
_get_constants = _declare("frazil_get_constants", c.c_size_t, c.POINTER(_Constant), c.c_size_t)
_err_name = _declare("frazil_err_name", c.c_char_p, c.c_int)
_err_classify = _declare("frazil_err_classify", c.c_int, c.c_int)
_err_class_name = _declare("frazil_err_class_name", c.c_char_p, c.c_int)
_strerror = _declare("frazil_strerror", c.c_char_p, c.c_int)
_open = _declare("frazil_open", c.c_int, c.POINTER(c.c_void_p), c.c_char_p, _reason)
_close = _declare("frazil_close", None, c.c_void_p)
_take = _declare("frazil_take", c.c_int, c.c_void_p, _u64, c.c_size_t, c.c_uint64, _reason)


class Error(Exception):
    """What every error is; below it a class for what can be done (Retry, Usage ...), below those one for each error."""

    def __init__(self, reason):
        super().__init__(reason.message.decode("utf-8", "replace"))
        self.code, self.sys_errno, self.retry_ns = reason.code, reason.sys_errno, reason.retry_ns


def _make_errors():
    classes, errors = {}, {}
    rows = (_Constant * _get_constants(None, 0))()
    _get_constants(rows, len(rows))
    for code in [row.value for row in rows if _err_name(row.value) == row.name]:
        kind = _err_class_name(_err_classify(code)).decode().capitalize()
        if kind not in classes:
            classes[kind] = type(kind, (Error,), {})
        name = _err_name(code).decode().removeprefix("FRAZIL_")
        errors[code] = type(name, (classes[kind],), {"__doc__": _strerror(code).decode()})
    globals().update(classes, **{error.__name__: error for error in errors.values()})
    return errors


ERRORS = _make_errors()


def _check(code, reason):
    if code != 0:
        raise ERRORS[code](reason)


class Generator:
    """One for a process and all its threads and children."""

    def __init__(self, spec):
        self._gen, reason = c.c_void_p(), _Reason()
        _check(_open(c.byref(self._gen), spec.encode(), c.byref(reason)), reason)

    def take(self, n=1, wait_ns=WAIT_DEFAULT):
        """Exactly n ids, or an exception and none; other threads of Python run meanwhile."""
        ids, reason = (c.c_uint64 * n)(), _Reason()
        _check(_take(self._gen, ids, n, wait_ns, c.byref(reason)), reason)
        return list(ids)

    def close(self):
        gen, self._gen = self._gen, c.c_void_p()
        _close(gen)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: binding.py SPEC, such as worker=fixed:7")
    with Generator(sys.argv[1]) as gen:
        for number in gen.take(1000):
            print(number)
        try:
            while True:
                gen.take(4096, wait_ns=0)
        except Retry as error:  # noqa: F821 (made of the table)
            print(f"{type(error).__name__}, retry: {error}", file=sys.stderr)
    try:
        Generator("wroker=fixed:7")
    except Usage as error:  # noqa: F821
        print(f"{type(error).__name__}, usage: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
