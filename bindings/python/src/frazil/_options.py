# SPDX-License-Identifier: MIT
"""Conversion of Python values to the text of a spec: worker=7, max_wait=timedelta(seconds=1)."""

from __future__ import annotations

import os
from datetime import date, datetime, timedelta
from operator import index
from typing import SupportsIndex, Union

from ._layout import Layout
from ._times import format_time

#: Value of a spec's key; None: not given.
Value = Union[
    str, SupportsIndex, float, timedelta, date, Layout, "os.PathLike[str]", bytes, list[int], tuple[int, ...], None
]

_DURATIONS = frozenset(("tick", "max_lead", "max_wait", "open_wait", "max_skew", "horizon"))


def _duration(key: str, seconds: float) -> str:
    """Returns a duration in the largest unit that keeps it whole, as a spec has no fractions."""
    if seconds == float("inf"):
        return "unlimited"
    if not 0 <= seconds < 9.2e9:
        raise ValueError(f"{key} is a time span: seconds from 0 on, a timedelta, or text as '10ms', not {seconds!r}")
    ns = round(seconds * 1e9)
    return f"{ns // 1_000_000}ms" if ns % 1_000_000 == 0 else f"{ns}ns"


def text_of(key: str, value: Value) -> str:
    """Returns the text that a spec has for the value of a key."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, timedelta):
        return _duration(key, value / timedelta(seconds=1))
    if key in _DURATIONS and isinstance(value, (int, float)):
        return _duration(key, value)
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, (date, Layout)):
        return str(value)
    if key == "partition" and isinstance(value, (bytes, list, tuple)):
        return ",".join(str(index(number)) for number in value)
    if isinstance(value, SupportsIndex):
        return f"fixed:{index(value)}" if key == "worker" else str(index(value))
    kind = type(value).__name__  # the value itself may hold a password
    raise TypeError(f"{key} cannot be a {kind}: give text, a number, a bool, a timedelta, a datetime or a Layout")


def pair(key: str, value: Value) -> str:
    """Returns a key and its value in the form of a spec."""
    text = text_of(key, value)
    if text and not any(c in text for c in " \t\r\n'\\"):
        return f"{key}={text}"
    return f"{key}='" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
