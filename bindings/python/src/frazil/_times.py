# SPDX-License-Identifier: MIT
"""Instants: whole Unix milliseconds, aware datetimes, dates, or text."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from operator import index
from typing import Union

from . import _frazil

#: An instant: Unix milliseconds, an aware datetime, a date (its midnight in UTC), or text that parse_time() reads.
Instant = Union[int, datetime, date, str]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)


def unix_ms(when: Instant) -> int:
    """Returns an instant as Unix milliseconds, rounded down."""
    if isinstance(when, datetime):
        if when.tzinfo is None:
            raise ValueError(f"{when!r} has no time zone: use datetime.now(timezone.utc), or another aware one")
        return (when - _EPOCH) // _MILLISECOND
    if isinstance(when, (str, date)):
        return _frazil.time_parse(str(when))
    try:
        return index(when)
    except TypeError:
        kind = type(when).__name__
        raise TypeError(
            f"an instant is Unix milliseconds as an int, an aware datetime, a date or text, not {kind}"
        ) from None


def to_seconds(span: Union[float, timedelta]) -> float:
    """Returns a time span in seconds.  As in the extension, all that has total_seconds() counts as a timedelta."""
    return span.total_seconds() if hasattr(span, "total_seconds") else span


def to_datetime(ms: int) -> datetime:
    """Returns Unix milliseconds as a datetime in UTC.  Raises OverflowError outside the years 1 to 9999."""
    return _EPOCH + ms * _MILLISECOND


def format_time(when: Instant) -> str:
    """Returns an instant as RFC 3339 in UTC with milliseconds: "2026-01-01T00:00:00.000Z"."""
    return _frazil.time_format(unix_ms(when))


def parse_time(text: str) -> int:
    """Reads RFC 3339, a date alone (midnight UTC), or Unix milliseconds.  Returns Unix milliseconds."""
    return _frazil.time_parse(text)
