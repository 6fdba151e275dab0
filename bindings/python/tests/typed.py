# SPDX-License-Identifier: MIT
"""A program that uses the types: mypy reads it, and nobody runs it."""

from __future__ import annotations

import array
import builtins
import datetime
import pathlib
from typing import Optional

from typing_extensions import assert_type

import frazil
from frazil import sno


async def takes(ids: frazil.Generator) -> None:
    assert_type(ids.next(), int)
    assert_type(next(ids), int)
    assert_type(ids.next_text("crockford"), str)
    assert_type(ids.next_n(3), list[int])
    assert_type(ids.take(3, timeout=None), list[int])
    assert_type(ids.try_next(), Optional[int])
    assert_type(ids.fill(array.array("Q", [0])), int)
    assert_type(ids.sno_next(7), bytes)
    assert_type(await ids.atake(3, timeout=1.0), list[int])
    assert_type(await ids.anext(), int)
    async for id in ids:
        assert_type(id, int)
    async with frazil.open(worker=7, max_wait=0.5, open_wait=datetime.timedelta(seconds=1), lazy=True) as same:
        assert_type(same, frazil.Generator)
    frazil.open(epoch=datetime.date(2026, 1, 1), partition=[65, 10], state_dir=pathlib.Path("ids"))
    frazil.open(worker=7, state="memory", clock="frozen:2026-05-01")
    frazil.open(worker={})  # type: ignore[arg-type]
    frazil.open(worker_id=7)  # type: ignore[call-arg]
    frazil.open(on_full="spin")  # type: ignore[arg-type]
    frazil.open({"worker": 7})  # type: ignore[arg-type]
    assert_type(await builtins.anext(ids), int)
    assert_type(ids.take(3, timeout=datetime.timedelta(seconds=1)), list[int])
    ids.next_n("3")  # type: ignore[arg-type]
    ids.nxet()  # type: ignore[attr-defined]


def looks(layout: frazil.Layout) -> datetime.datetime:
    with frazil.open("worker=fixed:1", layout=layout, max_wait="2s", namespace=None, allow_short_life=True) as ids:
        assert_type(ids, frazil.Generator)
        assert_type(ids.health().grant_end_unix_ms, Optional[int])
        fields = ids.inspect(str(ids.next()))
    assert_type(frazil.sno.decompose(sno.ZERO).meta, int)
    assert_type(layout.range("2026-01-01", 5), tuple[int, int])
    try:
        layout.compose(0, 1, 2)
    except frazil.RetryError as error:
        assert_type(error.retry, float)
    return fields.time
