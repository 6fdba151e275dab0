# SPDX-License-Identifier: MIT
"""Unique, time-ordered 64-bit ids and 80-bit snos of any layout, without duplicates.

import frazil

ids = frazil.open("layout=twitter worker=fixed:7")
ids.next()
"""

from . import sno
from ._errors import FatalError, FencedError, FrazilError, RetryError, SystemCallError, UsageError
from ._frazil import version as __version__
from ._generator import Event, Events, Generator, GeneratorInfo, Health, ManualClock, inspect, open
from ._layout import Fields, Layout, LayoutInfo, Overlap
from ._options import Keys
from ._texts import (
    TEXT_FORMS,
    from_bytes,
    from_text,
    kasumi,
    new_salt,
    scramble,
    shard,
    to_bytes,
    to_text,
    unscramble,
    worker_collision,
    worker_hash,
)
from ._times import Instant, format_time, parse_time

__all__ = [
    "TEXT_FORMS",
    "Event",
    "Events",
    "FatalError",
    "FencedError",
    "Fields",
    "FrazilError",
    "Generator",
    "GeneratorInfo",
    "Health",
    "Instant",
    "Keys",
    "Layout",
    "LayoutInfo",
    "ManualClock",
    "Overlap",
    "RetryError",
    "SystemCallError",
    "UsageError",
    "__version__",
    "format_time",
    "from_bytes",
    "from_text",
    "inspect",
    "kasumi",
    "new_salt",
    "open",
    "parse_time",
    "scramble",
    "shard",
    "sno",
    "to_bytes",
    "to_text",
    "unscramble",
    "worker_collision",
    "worker_hash",
]
