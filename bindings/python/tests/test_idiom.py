# SPDX-License-Identifier: MIT
"""What programmers of Python write first works: their own values, loops, with, exceptions of Python, lazy openings."""

import asyncio
import builtins
import os
import pathlib
import pickle
import re
import sys
import threading
import types
import typing
from datetime import date, datetime, timedelta, timezone

import pytest
from conftest import tree_file

import frazil

FULL = "layout=41/20/1 worker=fixed:5 clock=frozen:2026-05-01 start=zero state=memory"


def meaning(spec="", **keys):
    with frazil.open(spec, **{"state": "memory", **keys}) as generator:
        return generator.spec


# ---- values ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "spec"),
    [
        ({"worker": 7}, "worker=fixed:7"),
        ({"max_wait": 0.5}, "max_wait=500ms"),
        ({"max_wait": 2}, "max_wait=2s"),
        ({"max_wait": 0}, "max_wait=0ms"),
        ({"max_wait": 0.00025}, "max_wait=250us"),
        ({"max_wait": float("inf")}, "max_wait=unlimited"),
        ({"max_wait": timedelta(milliseconds=1)}, "max_wait=1ms"),
        ({"open_wait": timedelta(minutes=1), "tick": timedelta(milliseconds=10)}, "open_wait=1m tick=10ms"),
        ({"epoch": datetime(2026, 5, 1, 9, tzinfo=timezone(timedelta(hours=9)))}, "epoch=2026-05-01"),
        ({"epoch": date(2026, 5, 1)}, "epoch=2026-05-01"),
        ({"epoch": 1777593600000}, "epoch=2026-05-01"),
        ({"allow_short_life": True}, "allow_short_life=yes"),
    ],
)
def test_a_value_is_one_of_python(keys, spec):
    assert meaning(**{"worker": 7, **keys}) == meaning(spec if "worker" in spec else f"worker=fixed:7 {spec}")


def test_editors_know_every_key():
    """`clock` is an argument of its own."""
    listed = re.findall(r'^ +X\([A-Z_]+, +"([a-z_]+)"', tree_file("src/config/keys.h").read_text(), re.M)
    assert set(listed) - {"clock"} == set(frazil.Keys.__annotations__)


@pytest.mark.parametrize("partition", [[65, 10], (65, 10), b"A\n", "A,10", 16650])
def test_a_partition_is_two_bytes_or_a_number(partition):
    assert meaning(layout="sno", partition=partition) == meaning("layout=sno partition=A,10")


def test_a_wrong_text_form_costs_no_id():
    with frazil.open(worker=7, state="memory") as ids:
        before = ids.stats()["issued"]
        with pytest.raises(frazil.UsageError, match="there is no text form 'crokford'"):
            ids.next_text("crokford")
        assert ids.stats()["issued"] == before


def test_a_folder_may_be_a_path(tmp_path):
    folder = pathlib.Path(tmp_path / "it's here")
    folder.mkdir(mode=0o700)
    with frazil.open(worker=7, state_dir=folder) as generator:
        generator.next()
    assert list(folder.iterdir())


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("max_wait", -1, ValueError),
        ("max_wait", float("nan"), ValueError),
        ("epoch", datetime(2026, 5, 1), ValueError),
        ("worker", 1.5, TypeError),
        ("worker", {"password": "geheim"}, TypeError),
        ("layout", [41, 10, 12], TypeError),
    ],
    ids=str,
)
def test_a_value_that_means_nothing_is_refused_by_its_key(key, value, error):
    with pytest.raises(error) as caught:
        frazil.open(**{"state": "memory", "worker": 1, key: value})
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("shared", [False, True])
def test_a_clock_may_be_text(shared):
    with frazil.open(FULL.replace("clock=frozen:2026-05-01 ", ""), clock="frozen:2026-05-01", shared=shared) as ids:
        assert ids.inspect(ids.next()).time == datetime(2026, 5, 1, tzinfo=timezone.utc)


def test_what_is_no_clock_is_refused_by_what_one_is():
    with pytest.raises(TypeError, match="clock cannot be a date: give a ManualClock"):
        frazil.open(FULL, clock=date(2026, 5, 1))


def test_a_spec_that_is_not_text_is_refused_with_the_right_form():
    with pytest.raises(TypeError, match=r"a spec is text, not dict: .* frazil\.open\(worker=7\)"):
        frazil.open({"worker": 7})


# 2026-05-01, as each kind of instant has it.
@pytest.mark.parametrize(
    "when", [1777593600000, datetime(2026, 5, 1, tzinfo=timezone.utc), date(2026, 5, 1), "2026-05-01"]
)
def test_an_instant_is_one_of_python(when):
    with frazil.open(worker=7, state="memory") as ids:
        assert ids.inspect(ids.next_at(when)).unix_ms == 1777593600000


@pytest.mark.parametrize("when", [1777593600.5, None, timedelta(1)])
def test_what_is_no_instant_is_refused_by_what_one_is(when):
    with pytest.raises(TypeError, match="an instant is Unix milliseconds as an int"):
        frazil.Layout("frazil").first(when)


def test_a_timeout_may_be_a_timedelta():
    clock = frazil.ManualClock("2026-05-01")
    clock.advance(seconds=timedelta(seconds=1))
    with frazil.open(FULL.replace("clock=frozen:2026-05-01 ", ""), clock=clock) as ids:
        assert ids.inspect(ids.take(1, timeout=timedelta(seconds=1))[0]).unix_ms == 1777593601000
        assert ids.keep(timedelta(0)) is None
        with pytest.raises(ValueError, match="a timeout is"):
            ids.take(1, timeout=timedelta(-1))
        ids.close(timedelta(minutes=1))

    async def main():
        async with frazil.open(worker=7, state="memory") as ids:
            one = await ids.anext(timeout=timedelta(minutes=1))
            assert one < (await ids.atake(1, timeout=timedelta(minutes=1)))[0]

    asyncio.run(main())


@pytest.mark.parametrize("timeout", [-1, float("nan"), timedelta(-1), "soon", b"1"], ids=str)
@pytest.mark.parametrize("keys", [{}, {"keeper": "inline"}], ids=str)
def test_a_timeout_of_a_coroutine_is_a_number_of_seconds(timeout, keys):
    with frazil.open(worker=7, **keys) as ids:
        for call in (ids.anext, lambda timeout: ids.atake(1, timeout=timeout)):
            with pytest.raises((ValueError, TypeError)):
                asyncio.run(call(timeout=timeout))
        assert ids.stats()["issued"] == 0


class Span:
    def total_seconds(self):
        return 1.0


def test_what_has_total_seconds_is_a_time_span_everywhere():
    clock = frazil.ManualClock("2026-05-01")
    clock.advance(Span())
    with frazil.open(FULL.replace("clock=frozen:2026-05-01 ", ""), clock=clock) as ids:
        assert ids.inspect(ids.take(1, timeout=Span())[0]).unix_ms == 1777593601000
        assert ids.inspect(asyncio.run(ids.atake(1, timeout=Span()))[0]).unix_ms == 1777593601000


def test_frameworks_can_read_the_types():
    for public in (getattr(frazil, name) for name in frazil.__all__):
        members = vars(public).values() if isinstance(public, type) else [public]
        for function in members:
            if isinstance(function, types.FunctionType):
                typing.get_type_hints(function)
    assert "keys" in typing.get_type_hints(frazil.open)


# ---- loops and with ------------------------------------------------------------------------


@pytest.mark.skipif(sys.version_info < (3, 10), reason="anext() is a builtin from Python 3.10 on")
def test_anext():
    async def main():
        async with frazil.open(worker=7, state="memory") as ids:
            assert builtins.aiter(ids) is ids
            return await builtins.anext(ids) < await builtins.anext(ids)

    assert asyncio.run(main())


def test_async_for_and_async_with():
    async def main():
        turns = 0

        async def others():
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(others())
        taken = []
        async with frazil.open("layout=31/1/31 tick=1s worker=fixed:1 state=memory") as ids:
            async for id in ids:
                taken.append(id)
                if len(taken) == 2000:
                    break
        other.cancel()
        assert ids.closed
        assert taken == sorted(set(taken))
        assert turns > 2
        with pytest.raises(frazil.FatalError):
            async with ids:
                pass

    asyncio.run(main())


def test_async_for_waits_in_the_event_loop():
    async def main():
        async with frazil.open("layout=41/20/1 worker=fixed:1 max_lead=0ms state=memory") as ids:
            taken = []
            async for id in ids:
                taken.append(id)
                if len(taken) == 20:
                    return taken

    assert len(set(asyncio.run(main()))) == 20


def test_a_tick_that_coroutines_find_full_is_counted_once():
    """The tick is a day, and its rest is waited for."""
    noon = round(datetime.now().timestamp() * 1000) - 12 * 3_600_000

    async def main():
        async with frazil.open(
            f"layout=31/20/1 epoch={noon} tick=24h worker=fixed:5 state=memory max_wait=unlimited"
        ) as ids:
            ids.next_n(2)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(ids.anext(), 0.05)
            assert ids.stats()["full"] == 1
            for never in (0, timedelta(0)):
                with pytest.raises(frazil.RetryError) as caught:
                    await ids.anext(timeout=never)
                assert "allow a longer one" not in str(caught.value)
            assert ids.stats()["full"] == 1

    asyncio.run(main())


# ---- exceptions -----------------------------------------------------------------------------


def test_errors_are_those_of_python_as_well(tmp_path):
    with frazil.open(FULL) as generator:
        generator.next_n(2)
        with pytest.raises(TimeoutError) as caught:
            generator.take(1, timeout=0)
    error = caught.value
    assert isinstance(error, frazil.RetryError)
    assert (error.code, error.errno, error.retry > 0) == ("FRAZIL_EAGAIN", 0, True)
    assert str(error).endswith("(FRAZIL_EAGAIN)")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.args, copy.retry_ns, type(copy)) == (error.args, error.retry_ns, frazil.RetryError)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OSError, match="file") as caught:
        frazil.open("worker=fixed:1", run_dir=file / "run")
    assert isinstance(caught.value, frazil.SystemCallError)
    assert isinstance(caught.value, frazil.FatalError)
    assert caught.value.errno in (20, 2)
    with pytest.raises(ValueError, match="nosuch"):
        frazil.open("nosuch=1")


def test_leaving_a_block_leaves_the_loop_to_others():
    async def main():
        turns = []
        async with frazil.open("worker=fixed:1 state=memory"):
            asyncio.get_running_loop().call_soon(turns.append, "a turn")
        assert turns == ["a turn"]

    asyncio.run(main())


def test_a_loop_that_never_waits_gives_other_tasks_their_turns():
    async def take():
        turns = 0

        async def count():
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(count())
        with frazil.open("layout=31/1/31 tick=1s worker=fixed:1 state=memory") as ids:
            left = 4096
            async for _ in ids:
                left -= 1
                if left == 0:
                    break
        other.cancel()
        return turns

    assert asyncio.run(take()) >= 4


# ---- lazy -----------------------------------------------------------------------------------


def test_a_lazy_generator_touches_nothing_until_it_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("FRAZIL_RUN_DIR", "/dev/null/nowhere")
    ids = frazil.open("layout=twitter", lazy=True)
    next_id = ids.next
    assert not ids.closed
    assert repr(ids) == "<frazil.Generator, not opened yet>"
    for call in (next_id, ids.try_next, lambda: ids.next_n(5000), lambda: next(ids), ids.info, lambda: ids.spec):
        with pytest.raises(frazil.UsageError) as caught:
            call()
        assert caught.value.code == "FRAZIL_ENOWORKER"
    monkeypatch.setenv("FRAZIL_WORKER", "fixed:5")
    with pytest.raises(frazil.SystemCallError):
        next_id()
    monkeypatch.setenv("FRAZIL_RUN_DIR", str(tmp_path))
    assert ids.inspect(next_id()).worker == 5
    assert "worker=fixed:5" in ids.spec
    ids.close()
    assert ids.closed


@pytest.mark.parametrize(
    "first",
    [
        lambda ids: ids.take(1, timeout=0),
        lambda ids: ids.next_n(5000),
        lambda ids: ids.next_text(),
        lambda ids: ids.try_take(1)[0],
        lambda ids: ids.next_at("2026-06-01"),
        lambda ids: asyncio.run(ids.anext()),
        lambda ids: ids.health(),
        lambda ids: ids.layout,
    ],
)
def test_any_call_opens_a_lazy_generator(first):
    with frazil.open("worker=fixed:5", lazy=True) as ids:
        assert first(ids)
        assert ids.next()


def test_a_lazy_generator_refuses_what_no_spec_can_be():
    with pytest.raises(frazil.UsageError, match="nosuch"):
        frazil.open("nosuch=1", lazy=True)
    with pytest.raises(ValueError, match="leave out"):
        frazil.open("worker=fixed:1", lazy=True, shared=True, snapshot="{}")


@pytest.mark.parametrize("end", ["close", "stop"])
def test_a_lazy_generator_that_was_ended_stays_closed(end):
    ids = frazil.open("layout=twitter", lazy=True)  # there is no worker, so it cannot be opened
    getattr(ids, end)()
    assert ids.closed
    assert repr(ids) == "<frazil.Generator closed, never opened>"
    for call in (ids.next, ids.info, lambda: ids.spec, ids.__enter__):
        with pytest.raises(frazil.FatalError):
            call()


def test_one_of_many_threads_opens_a_lazy_generator():
    ids = frazil.open("worker=file-lock base=7 count=1", lazy=True)  # a second opening would find no number
    start, failures, taken = threading.Barrier(8), [], []

    def work():
        start.wait()
        try:
            taken.append(ids.next())
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids.close()
    assert not failures
    assert len(set(taken)) == 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_a_fork_opens_a_lazy_generator_for_itself():
    ids = frazil.open("worker=fixed:5", lazy=True)
    read_fd, write_fd = os.pipe()
    if os.fork() == 0:
        os.write(write_fd, ids.next_text().encode())
        os._exit(0)
    os.wait()
    assert int(os.read(read_fd, 100)) != ids.next()
    ids.close()
