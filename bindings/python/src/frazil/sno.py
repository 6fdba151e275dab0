# SPDX-License-Identifier: MIT
"""Snos: 80-bit ids, as ten bytes.  The bytes sort as the text does."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import NamedTuple, Union

from . import _frazil
from ._times import Instant, to_datetime, unix_ms

#: The sno that stands for "none".
ZERO = bytes(10)


class Fields(NamedTuple):
    """The fields of a sno."""

    unix_ms: int
    """the start of its unit of 4 ms"""
    ticktock: int
    """0 or 1: toggled when the clock went back"""
    meta: int
    """the metabyte, chosen by the caller"""
    partition: int
    """the partition; its first byte is the high one"""
    sequence: int
    """the number within the unit"""

    @property
    def time(self) -> datetime:
        """The start of its unit, in UTC."""
        return to_datetime(self.unix_ms)


def compose(when: Instant, *, meta: int = 0, partition: int = 0, sequence: int = 0, ticktock: int = 0) -> bytes:
    """Returns the sno with these fields; the time is rounded down to its unit."""
    return _frazil.sno_compose(unix_ms(when), ticktock, meta, partition, sequence)


def decompose(id: bytes) -> Fields:
    """Returns the fields of a sno."""
    return Fields(*_frazil.sno_decompose(id))


def encode(id: bytes) -> str:
    """Returns the 16 characters of a sno."""
    return _frazil.sno_encode(id)


def decode(text: str) -> bytes:
    """Reads a sno of exactly 16 characters."""
    return _frazil.sno_decode(text)


def range(begin: Instant, end: Instant) -> tuple[bytes, bytes]:
    """Returns the smallest and the largest sno of the units from begin to end, both included."""
    return _frazil.sno_range(unix_ms(begin), unix_ms(end))


def to_uuid(id: bytes) -> uuid.UUID:
    """Returns a sno as a UUID of version 8, which sorts as the sno does."""
    return uuid.UUID(bytes=_frazil.uuid_write(id))


def from_uuid(value: Union[uuid.UUID, bytes, str]) -> bytes:
    """Returns the sno of a UUID from to_uuid(), of its 16 bytes, or of its text."""
    if isinstance(value, str):
        return _frazil.uuid_parse(value)
    return _frazil.uuid_read(value.bytes if isinstance(value, uuid.UUID) else value)


def to_json(id: bytes) -> str:
    """Returns the JSON value of a sno: a string, or null for ZERO."""
    return _frazil.sno_to_json(id)


def from_json(text: str) -> bytes:
    """Reads a JSON value: a string, or null for ZERO."""
    return _frazil.sno_from_json(text)


def from_column(data: Union[bytes, str, None]) -> bytes:
    """Reads a sno from a database column: ten bytes, 16 characters, or nothing, which is ZERO."""
    return _frazil.sno_from_column(b"" if data is None else data)


def format_partition(partition: int) -> str:
    """Returns a partition as text, such as "A,10"."""
    return _frazil.partition_format(partition)


def parse_partition(text: str) -> int:
    """Reads a partition: a number, or two bytes with a comma between them."""
    return _frazil.partition_parse(text)
