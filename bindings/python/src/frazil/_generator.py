# SPDX-License-Identifier: MIT
"""Generators, opened from a spec, and shared by all threads and by forked processes."""

from __future__ import annotations

import asyncio
import atexit
import sys
import time
import weakref
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Optional, SupportsIndex, Union, cast

from . import _frazil, sno
from ._errors import FatalError, FencedError, RetryError
from ._layout import Fields, Layout
from ._options import Keys, Value, pair
from ._times import Instant, to_seconds, unix_ms

if sys.version_info >= (3, 10):
    from types import EllipsisType
else:
    EllipsisType = type(...)

# Also at run time, as typing.get_type_hints() looks for it.
if TYPE_CHECKING:
    from typing_extensions import Unpack
elif sys.version_info >= (3, 11):
    from typing import Unpack
else:

    class Unpack:
        def __class_getitem__(cls, keys):
            return keys


_Timeout = Union[float, timedelta, EllipsisType, None]

_ENVIRONMENTS = {"by-key": 0, "none": 1, "all": 2}
_STATES = ("serving", "needs_grant", "behind", "fenced", "exhausted", "stopped")
_FOREVER = 2**64 - 1
_NO_END = 2**63 - 1
# A coroutine takes this many ids in about 40 us, and then lets other tasks run.
_AT_A_TIME = 4096
# `async for` lets other tasks run after this many ids, even if it never has to wait.
_IDS_OF_A_TURN = 256
_turns = count(1)
_SHORTEST_S = 0.0001
# What a coroutine waits for, when a call that does not wait fails so.
_WAITED_FOR = ("FRAZIL_EAGAIN", "FRAZIL_ELEASE")

# How long closing all generators at exit may take in total, so that a silent coordinator does not delay the exit.
_END_S = 2.0

# These are closed at exit, so that threads that wait for an id end, and worker ids are given back.
_open: weakref.WeakSet[Generator] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    _frazil.close_all(list(_open), _END_S)


class GeneratorInfo(NamedTuple):
    """The properties of a generator, and its place in the current tick."""

    worker: int
    """the worker id; for snos the partition"""
    sequence_min: int
    sequence_max: int
    sequence: int
    """the sequence number of the next id, if it were taken now"""
    length: int
    """how many sequence numbers of this tick are used"""
    capacity: int
    """how many sequence numbers a tick has"""
    counter_in_use: bool
    """whether the processor's counter replaces clock reads"""
    state_is_new: bool
    """whether no generator has used this worker on this host since it booted"""
    state: str
    """where the state is kept: memory (this process), file, grant (source of the worker id) or slots (state=URL)"""
    collision_ppm: int
    """for hashed worker ids: the probability that two hosts share one, in parts per million"""


class Health(NamedTuple):
    """The state of a generator now."""

    state: str
    """serving, needs_grant, behind, fenced, exhausted or stopped; unknown: one of a newer library"""
    last_code: str
    """why extending the grant last failed; "FRAZIL_OK" after a success"""
    worker: int
    needs_grant: bool
    """whether the worker id is granted for a limited time"""
    grant_end_unix_ms: Optional[int]
    """the end of the grant: no id is issued for this time or later; None without a grant"""
    horizon: float
    """the seconds that a fresh grant covers; 0.0 without a grant"""
    next_keep: Optional[float]
    """the seconds after which to extend the grant; None without a grant"""
    failures: int
    """how often in a row extending the grant has failed"""

    @property
    def serving(self) -> bool:
        """Whether the generator issues ids, as its policies allow."""
        return self.state in ("serving", "needs_grant")


class Event(NamedTuple):
    """Something that happened to a generator, for a program's log."""

    kind: str
    """moved, lost, extension-failed, clock-back, overflow or another one of frazil_next_event(3)"""
    code: Optional[str]
    """the reason, such as "FRAZIL_EUNREACHABLE", for kinds that have one"""
    worker: int
    """the worker id after the event; for snos the partition"""
    unix_ms: int
    """the time of the event, on the generator's clock"""
    value: int
    """the value that the kind describes; otherwise 0"""
    missed: int
    """how many events were lost since the one read before"""


class Events:
    """Reads the events of a generator.  Each loop over it yields those that came since the last one, without waiting.

    The last 64 events are kept.  An event loop or a selector may watch it: loop.add_reader(events, ...).
    """

    __slots__ = ("_cursor", "_generator")

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._cursor = 0

    def __iter__(self) -> Iterator[Event]:
        while (read := self._generator._next_event(self._cursor)) is not None:
            self._cursor = read[0]
            yield Event(*read[1:])

    def fileno(self) -> int:
        """Returns a descriptor that an event makes readable, until a loop has read all.

        It is readable at first, and belongs to the generator: stop watching it before close().  Only one thread may.
        """
        return self._generator._event_fd()


class ManualClock:
    """A clock for tests that moves only when told to.  A frozen clock keeps its time even while a call waits."""

    __slots__ = ("_handle",)

    def __init__(self, when: Instant, *, frozen: bool = False) -> None:
        self._handle = _frazil.clock_new(unix_ms(when), frozen)

    def set(self, when: Instant) -> None:
        """Sets the wall time: a step, forward or back."""
        _frazil.clock_set(self._handle, unix_ms(when))

    def advance(self, seconds: Union[float, timedelta]) -> None:
        """Advances the clock by the given seconds, or a timedelta."""
        _frazil.clock_advance(self._handle, round(to_seconds(seconds) * 1e9))


class Generator(_frazil.Generator):
    """A generator of ids, made by frazil.open().  Any number of threads may call its methods at once.

    As an iterator it is endless: next(generator) is generator.next().  `async for` waits in the event loop.
    """

    # Every object of PyPy supports weak references.
    __slots__ = () if sys.implementation.name == "pypy" else ("__weakref__",)

    @property
    def spec(self) -> str:
        """The options as a spec: keys in a fixed order, defaults written out, passwords left out."""
        return self._spec()

    @property
    def layout(self) -> Layout:
        """The layout of the ids."""
        return Layout._of(self._layout())

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._is_closed()

    def next_at(self, when: Instant, /) -> int:
        """Returns an id for a given time, to import old records."""
        return super().next_at(unix_ms(when))

    def sno_next_at(self, when: Instant, meta: SupportsIndex = 0, /) -> bytes:
        """Returns a sno for a given time."""
        return super().sno_next_at(unix_ms(when), meta)

    def inspect(self, id: Union[int, str]) -> Fields:
        """Returns the fields of an id of this generator's layout: a number, or decimal text."""
        return self.layout.decompose(id)

    def info(self) -> GeneratorInfo:
        """Returns the properties of the generator."""
        return GeneratorInfo(*self._info())

    def health(self) -> Health:
        """Returns the state of the generator now, for health checks.  It never waits."""
        state, code, worker, needs_grant, end, horizon_ns, keep_ns, failures = self._health()
        return Health(
            _STATES[state] if state < len(_STATES) else "unknown",
            code,
            worker,
            needs_grant,
            None if end == _NO_END else end,
            horizon_ns / 1e9,
            None if keep_ns == _FOREVER else keep_ns / 1e9,
            failures,
        )

    def events(self) -> Events:
        """Returns a new reader of the generator's events, which begins with the oldest one that is kept."""
        return Events(self)

    async def anext(self, *, timeout: _Timeout = ...) -> int:
        """Returns one id without blocking the event loop.  It waits as atake() does."""
        if self._never_asks():
            wait = self._seconds(timeout)
            try:
                return self.take(1, timeout=0)[0]
            except (RetryError, FencedError) as error:
                if error.code not in _WAITED_FOR or wait == 0:
                    raise
        return (await self.atake(1, timeout=timeout))[0]

    def __aiter__(self) -> Generator:
        return self

    async def __anext__(self) -> int:
        if next(_turns) % _IDS_OF_A_TURN == 0:
            await asyncio.sleep(0)
        return await self.anext()

    def _seconds(self, timeout: _Timeout) -> Optional[float]:
        """Returns the timeout of a call in seconds; None means no limit."""
        if isinstance(timeout, EllipsisType):
            return self._max_wait()
        if timeout is None:
            return None
        seconds = to_seconds(timeout)
        if not seconds >= 0:  # also refuses NaN
            raise ValueError(f"a timeout is a number of seconds from 0 on, a timedelta, or None, not {timeout!r}")
        return seconds

    def _take_since(self, begun: float, n: int, timeout: _Timeout) -> list[int]:
        """Is take() of a call that began at that time, and then waited for a thread."""
        passed = time.monotonic() - begun
        wait = self._seconds(timeout)
        if wait is not None and wait > 0:
            timeout = max(wait - passed, _SHORTEST_S)  # a timeout of 0 would be another call, which never waits
        return self.take(n, timeout=timeout)

    async def atake(self, n: int, *, timeout: _Timeout = ...) -> list[int]:
        """Returns n increasing ids without blocking the event loop.

        timeout: seconds, or a timedelta, after which to raise RetryError; None means no limit, and without it the
        spec's max_wait is the limit.  If no id can follow in that time, it is raised at once.  Ids that were taken
        before a timeout or a cancellation stay unused.
        """
        begun = time.monotonic()
        if not self._never_asks():
            return await asyncio.to_thread(self._take_since, begun, n, timeout)
        wait = self._seconds(timeout)
        deadline = None if wait is None else begun + wait
        ids: list[int] = []
        while True:
            retry_ns = 0
            try:
                taken, retry_ns = self.try_take(min(n - len(ids), _AT_A_TIME))
            except FencedError:
                if wait == 0:
                    raise
                # The grant is being extended: a call that may wait knows how long that is worth waiting for.
                asks = True
            else:
                asks = not self._never_asks()
                ids += taken
                if len(ids) == n:
                    return ids
            if asks:
                return ids + await asyncio.to_thread(self._take_since, begun, n - len(ids), wait)
            if taken:
                await asyncio.sleep(0)
                continue
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            pause = max(retry_ns / 1e9, _SHORTEST_S)
            if left is not None and pause > left:
                limit = "max_wait" if isinstance(timeout, EllipsisType) else "the timeout"
                raise RetryError(
                    f"{len(ids)} of {n} ids were free within {limit}: allow a longer one",
                    "FRAZIL_EAGAIN",
                    -20,
                    retry_ns,
                )
            await asyncio.sleep(pause)

    def __enter__(self) -> Generator:
        if self.closed:
            raise FatalError("the generator is closed: open another one", "FRAZIL_ESTOPPED", -45)
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    async def __aenter__(self) -> Generator:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        # A coordinator may take its time to answer.
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        if self._is_unopened():
            return "<frazil.Generator, not opened yet>"
        try:
            spec = self.spec
        except FatalError:
            return "<frazil.Generator closed, never opened>"
        return f"<frazil.Generator {'closed ' if self.closed else ''}{spec!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a generator cannot be copied or pickled: open it in each process that is not forked")


def open(
    spec: Optional[str] = "",
    /,
    *,
    shared: bool = False,
    lazy: bool = False,
    clock: Union[ManualClock, str, None] = None,
    snapshot: Optional[str] = None,
    environment: Optional[str] = "by-key",
    **keys: Unpack[Keys],
) -> Generator:
    """Opens a generator.

    spec         keys and values as in frazil.spec(5): "layout=twitter worker=fixed:7"
    **keys       single keys with Python values, as frazil.Keys lists them: worker=7 is fixed:7, a duration is a
                 timedelta or seconds, an epoch an aware datetime or a date, yes and no are True and False, a layout a
                 frazil.Layout, a folder a Path, a partition two bytes
    lazy         opens at the first call that needs it, and touches no file, coordinator or variable before: for
                 modules that are imported without a worker id, as in builds and migrations
    shared       all calls of this process whose specs mean the same share one generator
    clock        for tests: a ManualClock, or text such as "frozen:2026-05-01"
    snapshot     JSON of sno_snapshot(), from which a sno generator continues
    environment  which variables FRAZIL_... count: "by-key" (as for the command), "none", "all"

    None means not given.  Keys that describe where the program runs (worker, namespace, ...) are read from the
    environment if they are not given.
    """
    if not isinstance(spec, (str, type(None))):
        kind = type(spec).__name__
        raise TypeError(f"a spec is text, not {kind}: give single keys as keywords, such as frazil.open(worker=7)")
    environment = "by-key" if environment is None else environment
    if environment not in _ENVIRONMENTS:
        raise ValueError(f"environment is by-key, none or all, not {environment!r}")
    pairs = [pair(key, cast(Value, value)) for key, value in keys.items() if value is not None]
    if isinstance(clock, str):
        pairs.append(pair("clock", clock))
        clock = None
    if not isinstance(clock, (ManualClock, type(None))):
        kind = type(clock).__name__
        raise TypeError(f"clock cannot be a {kind}: give a ManualClock, or text such as 'frozen:2026-05-01'")
    if shared and (clock is not None or snapshot is not None):
        raise ValueError("a shared generator is found by its spec: leave out clock and snapshot")
    generator: Generator = _frazil.open(
        Generator,
        " ".join([spec, *pairs] if spec else pairs),
        bool(shared),
        None if clock is None else clock._handle,
        snapshot,
        _ENVIRONMENTS[environment],
        bool(lazy),
    )
    _open.add(generator)
    return generator


def inspect(id: Union[int, str, bytes], layout: Union[Layout, str] = "frazil") -> Union[Fields, sno.Fields]:
    """Returns the fields of an id: a number or decimal text with its layout, or a sno of 10 bytes or 16 characters."""
    layout = Layout(layout)
    if isinstance(id, bytes):
        return sno.decompose(id)
    if layout.describe().is_sno:
        return sno.decompose(sno.decode(str(id)))
    return layout.decompose(id)
