# SPDX-License-Identifier: MIT
"""Conversion of Python values to the text of a spec: worker=7, max_wait=timedelta(seconds=1)."""

from __future__ import annotations

import os
from datetime import date, datetime, timedelta
from operator import index
from typing import Literal, Optional, SupportsIndex, TypedDict, Union

from ._layout import Layout
from ._times import format_time

#: Value of a spec's key; None: not given.
Value = Union[
    str, SupportsIndex, float, timedelta, date, Layout, "os.PathLike[str]", bytes, list[int], tuple[int, ...], None
]

#: A time span: seconds, a timedelta, or text such as '10ms'; infinity where a key may be unlimited.
Duration = Union[float, timedelta, str, None]
_Number = Union[SupportsIndex, str, None]
_Folder = Union["os.PathLike[str]", str, None]


class Keys(TypedDict, total=False):
    """The keys of a spec, as open() takes them.  frazil.spec(5) describes each; None means not given."""

    layout: Union[str, Layout, None]
    """the layout of ids: the name of a preset, bits such as '41/10/12', or a Layout; 'frazil' by default"""
    epoch: Union[str, SupportsIndex, date, None]
    """replaces the epoch of the layout: an aware datetime, a date, Unix milliseconds, or text"""
    tick: Duration
    """replaces the tick of the layout"""
    behaviour: Optional[str]
    """sets the keys from on_full to start as another system has them: 'konayuki', 'sno', 'flake' and others"""
    worker: _Number
    """the source of the worker id: a number (7 is 'fixed:7'), 'file-lock', 'ordinal', 'env:NAME', a URL"""
    partition: Union[SupportsIndex, str, bytes, list[int], tuple[int, ...], None]
    """for snos, instead of worker: a number from 0 to 65535, or two bytes such as (65, 10) or 'A,10'"""
    datacenter: _Number
    """the datacenter; worker then gives the number inside it"""
    base: _Number
    """a number added to the one that the worker source gives"""
    count: _Number
    """how many numbers the worker source may give"""
    expect: _Number
    """the expected number of hosts, for 'ip-hash' and 'hostname-hash'"""
    hostname: Optional[str]
    """replaces the host's name"""
    ip: Optional[str]
    """replaces the host's address"""
    on_full: Optional[Literal["wait", "lead", "error"]]
    """what a call does when the tick is full"""
    on_backward: Optional[Literal["hold", "wait", "error", "ticktock"]]
    """what a call does after the clock went back; 'ticktock' is for snos only"""
    max_lead: Duration
    """how far ahead of the clock ids may be stamped"""
    max_wait: Duration
    """how long a call may wait"""
    open_wait: Duration
    """how long opening may take; 10 s by default"""
    start: Optional[Literal["zero", "random", "spread"]]
    """the first sequence number of a tick"""
    seq_min: _Number
    """the lowest sequence number"""
    seq_max: _Number
    """the highest sequence number"""
    state: Optional[str]
    """where the state that prevents duplicates after a restart is kept: 'file' (the default), 'memory', or a URL"""
    batch: _Number
    """how many slots are taken at a time, if `state` is a URL"""
    namespace: Optional[str]
    """the folder of the state files; by default each layout has a folder of its own"""
    run_dir: _Folder
    """the directory of files that a reboot removes"""
    state_dir: _Folder
    """the directory of files that survive a reboot"""
    host_dir: _Folder
    """the directory in which all users of this host record the worker ids that they hold"""
    max_skew: Duration
    """how far the clocks of hosts that share a coordinator may differ"""
    on_loss: Optional[Literal["move", "stop"]]
    """what the generator does if it loses a leased worker id: 'move' to another one (the default) or 'stop'"""
    share: Optional[Literal["process", "host"]]
    """which processes hold a leased worker id: this one, or all processes of the user on this host"""
    horizon: Duration
    """how far ahead the grants of a coordinator's namespace reach"""
    workers: _Number
    """how many worker ids a coordinator's namespace has"""
    keeper: Optional[Literal["thread", "hook", "inline", "other"]]
    """what extends the grant of the worker id; 'thread' by default"""
    allow_short_life: Union[bool, Literal["yes", "no"], None]
    """allows a layout with less than ten years left"""
    config: _Folder
    """a file of key=value pairs, one per line"""


_DURATIONS = frozenset(("tick", "max_lead", "max_wait", "open_wait", "horizon", "max_skew"))


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
