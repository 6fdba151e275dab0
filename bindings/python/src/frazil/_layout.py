# SPDX-License-Identifier: MIT
"""Layouts: the positions of an id's fields, and the arithmetic on ids that needs only these."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Union

from . import _frazil
from ._times import Instant, to_datetime, unix_ms


class Fields(NamedTuple):
    """The fields of a 64-bit id."""

    unix_ms: int
    """the start of its tick"""
    worker: int
    """the whole worker number, including the datacenter"""
    sequence: int
    """the number within the tick"""
    datacenter: int
    """the datacenter; 0 if the layout does not split the worker"""
    worker_in_datacenter: int
    """the worker number inside its datacenter; the worker itself if the layout does not split it"""

    @property
    def time(self) -> datetime:
        """The start of its tick, in UTC."""
        return to_datetime(self.unix_ms)


class LayoutInfo(NamedTuple):
    """What a layout is, and what it can hold."""

    name: str
    is_sno: bool
    epoch_unix_ms: int
    tick_ms: int
    time_bits: int
    worker_bits: int
    datacenter_bits: int
    sequence_bits: int
    sequence_above_worker: bool
    workers: int
    ids_per_tick: int
    ids_per_second: int
    first_unix_ms: int
    last_unix_ms: int
    max_id: int
    sign_bit_unix_ms: int
    total_bits: int
    reaches_sign_bit: bool
    fits_53_bits: bool


class Overlap(NamedTuple):
    """What happens when a system moves from one layout to another."""

    can_collide: bool
    can_missort: bool
    ever_safe: bool
    old_last: int
    new_first: int
    safe_unix_ms: int


class Layout:
    """A layout, from a preset's name ("twitter") or a description ("41/5+5/12 epoch=2026-01-01T00:00:00Z tick=1ms").

    Layouts are immutable.  They are equal if equal fields give equal ids.
    """

    __slots__ = ("_handle",)
    _handle: _frazil.LayoutHandle

    def __new__(cls, text: Union[str, Layout]) -> Layout:
        return text if isinstance(text, Layout) else cls._of(_frazil.layout_parse(text))

    @classmethod
    def _of(cls, handle: _frazil.LayoutHandle) -> Layout:
        layout = object.__new__(cls)
        object.__setattr__(layout, "_handle", handle)
        return layout

    @classmethod
    def parse(cls, text: str) -> Layout:
        """Reads a layout's text; the same as Layout(text)."""
        return cls(text)

    @classmethod
    def make(
        cls,
        epoch: Instant,
        time_bits: int,
        worker_bits: int,
        sequence_bits: int,
        *,
        tick_ms: int = 1,
        datacenter_bits: int = 0,
        sequence_above_worker: bool = False,
    ) -> Layout:
        """Makes a layout of 64-bit ids from numbers; worker_bits includes datacenter_bits."""
        return cls._of(
            _frazil.layout_make(
                unix_ms(epoch),
                tick_ms,
                time_bits,
                worker_bits,
                datacenter_bits,
                sequence_bits,
                sequence_above_worker,
            )
        )

    @staticmethod
    def presets() -> list[str]:
        """Returns the names of all presets."""
        return _frazil.layout_presets()

    @property
    def fingerprint(self) -> str:
        """The stable text of all that decides the positions of fields; Layout() reads it."""
        return _frazil.layout_fingerprint(self._handle)

    def describe(self) -> LayoutInfo:
        """Returns what the layout is and can hold."""
        return LayoutInfo(*_frazil.layout_describe(self._handle))

    def compose(self, when: Instant, worker: int, sequence: int) -> int:
        """Returns the id of these fields; the time is rounded down to its tick."""
        return _frazil.layout_compose(self._handle, unix_ms(when), worker, sequence)

    def decompose(self, id: Union[int, str]) -> Fields:
        """Returns the fields of an id: a number, or decimal text.  UsageError: it is not one of this layout."""
        if isinstance(id, str):
            id = 0 if self.describe().is_sno else _frazil.id_parse(id, "dec")  # of a sno the library says what it is
        return Fields(*_frazil.layout_decompose(self._handle, id))

    def worker_of(self, datacenter: int, worker: int) -> int:
        """Returns the whole worker number of a datacenter and the number inside it."""
        return _frazil.layout_worker_of(self._handle, datacenter, worker)

    def first(self, when: Instant) -> int:
        """Returns the smallest id of an instant's tick: `id >= first(a) and id < first(b)` are the ids from a to b."""
        return _frazil.layout_first(self._handle, unix_ms(when))

    def range(self, begin: Instant, end: Instant) -> tuple[int, int]:
        """Returns the smallest and the largest id of the ticks from begin to end, both included: for BETWEEN."""
        return _frazil.layout_range(self._handle, unix_ms(begin), unix_ms(end))

    def overlap(self, after: Union[str, Layout], since: Instant) -> Overlap:
        """Returns whether ids can collide or sort wrongly if `after` replaces this layout at an instant."""
        return Overlap(*_frazil.layout_overlap(self._handle, Layout(after)._handle, unix_ms(since)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a layout cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and _frazil.layout_equal(self._handle, other._handle)

    def __hash__(self) -> int:
        info = self.describe()  # equal layouts may differ in their fingerprints
        return hash((info.is_sno, info.epoch_unix_ms, info.tick_ms, info.worker_bits, info.sequence_bits))

    def __str__(self) -> str:
        return self.fingerprint

    def __repr__(self) -> str:
        return f"frazil.Layout({self.fingerprint!r})"

    def __reduce__(self) -> tuple[type[Layout], tuple[str]]:
        return Layout, (self.fingerprint,)
