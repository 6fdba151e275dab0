# SPDX-License-Identifier: MIT
"""Generators: opening, taking ids, looking at them, closing."""

import array
import asyncio
import copy
import gc
import pickle
import select
import signal
import sys
import threading
import time
import warnings
import weakref
from datetime import datetime, timezone

import pytest

import frazil

FROZEN = "layout=41/20/1 worker=fixed:5 clock=frozen:2026-05-01 start=zero state=memory"
IS_PYPY = sys.implementation.name == "pypy"
ROOMY = "layout=39/1/24 worker=fixed:1 state=memory"


# ---- opening ---------------------------------------------------------------------


def test_a_spec_and_keys_mean_the_same():
    with frazil.open("layout=twitter worker=fixed:7 max_wait=1s") as a:
        with frazil.open(layout="twitter", worker="fixed:7", max_wait="1s") as b:
            assert a.spec == b.spec
        with frazil.open("layout=twitter", worker="fixed:7", max_wait="1s") as c:
            assert a.spec == c.spec


def test_a_key_can_be_a_layout_or_a_number():
    layout = frazil.Layout("41/5+5/12 epoch=2020-01-01T00:00:00Z")
    with frazil.open(layout=layout, worker="fixed:3", state="memory", seq_max=9) as generator:
        assert generator.layout == layout
        assert generator.info().capacity == 10


def test_none_is_not_given(monkeypatch):
    monkeypatch.setenv("FRAZIL_WORKER", "fixed:9")
    nothing = dict.fromkeys(("worker", "namespace", "max_wait", "clock", "snapshot", "environment", "shared"))
    with frazil.open("layout=twitter", **nothing) as generator:
        assert generator.info().worker == 9
        with frazil.open("layout=twitter") as same:
            assert generator.spec == same.spec
    monkeypatch.delenv("FRAZIL_WORKER")
    with pytest.raises(frazil.UsageError) as caught:
        frazil.open(None, worker=None)
    assert caught.value.code == "FRAZIL_ENOWORKER"


def test_a_namespace_that_is_none_is_not_called_none():
    with frazil.open(worker="fixed:1") as left_out, frazil.open(worker="fixed:1", namespace=None) as none:
        assert none.spec == left_out.spec
        assert "namespace=None" not in none.spec
    with frazil.open(worker="fixed:1", namespace="None") as named:
        assert "namespace=None" in named.spec


@pytest.mark.parametrize(("value", "word"), [(True, "yes"), (False, "no")])
def test_true_and_false_are_yes_and_no(value, word):
    with frazil.open(worker="fixed:1", allow_short_life=value) as generator:
        same = frazil.open(f"worker=fixed:1 allow_short_life={word}")
        assert generator.spec == same.spec
        same.close()


@pytest.mark.parametrize("name", ["it's here", "a b", "c:\\d", "'", "tab\there", "a b\\", "\\'"])
def test_a_value_may_hold_anything(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir(mode=0o700)
    with frazil.open(worker="fixed:1", state_dir=str(folder)) as generator:
        generator.next()
    assert list(folder.iterdir())


def test_a_key_given_twice_is_an_error():
    with pytest.raises(frazil.UsageError) as caught:
        frazil.open("worker=fixed:1", worker="fixed:2")
    assert caught.value.code == "FRAZIL_ESPEC"


KEYS = [
    "a b",
    " ",
    "",
    "\t",
    "max batch",
    "'a b'",
    "a\\ b",
    '"',
    "a\nb",
    "\x1b[2J",
    "größe x",
    "a=b c=d",
    "a b " * 300000,
]
URLS = ["redis://me:hun ter2@h/n", "x redis://me:ter2@h/n", "token=a/b&x y://:ter2@h"]


@pytest.mark.parametrize("key", KEYS + URLS, ids=lambda key: repr(key[:20]))
def test_a_key_that_is_no_word_is_an_error_and_a_password_in_it_is_not_shown(key):
    with pytest.raises(frazil.UsageError) as caught:
        frazil.open(**{key: "x"})
    assert caught.value.code == "FRAZIL_ESPEC"
    assert "ter2" not in str(caught.value)


def test_an_empty_value_is_an_error():
    with pytest.raises(frazil.UsageError):
        frazil.open(worker="fixed:1", hostname="")


def test_the_environment_counts_as_asked(monkeypatch):
    monkeypatch.setenv("FRAZIL_WORKER", "fixed:9")
    monkeypatch.setenv("FRAZIL_LAYOUT", "twitter")
    with frazil.open("state=memory") as generator:
        assert generator.info().worker == 9
        assert generator.layout != frazil.Layout("twitter")
    with frazil.open("state=memory", environment="all") as generator:
        assert generator.layout == frazil.Layout("twitter")
    with pytest.raises(frazil.UsageError) as caught:
        frazil.open("state=memory", environment="none")
    assert caught.value.code == "FRAZIL_ENOWORKER"
    with pytest.raises(ValueError, match="by-key, none or all"):
        frazil.open("worker=fixed:1", environment="some")


def test_shared_openings_have_one_sequence():
    with frazil.open(FROZEN + " on_full=error", shared=True) as a:
        with frazil.open(FROZEN + " on_full=error", shared=True) as b:
            first = a.next()
            assert b.next() == first + 1
        with pytest.raises(frazil.RetryError):
            a.next()
    with pytest.raises(ValueError, match="leave out clock"):
        frazil.open("worker=fixed:1", shared=True, clock=frazil.ManualClock(0))


def test_a_shared_opening_minds_its_environment(monkeypatch):
    monkeypatch.setenv("FRAZIL_LAYOUT", "41/8/14")
    with frazil.open(ROOMY, shared=True, environment="none") as a:
        assert a.layout == frazil.Layout("39/1/24")
    with frazil.open("worker=fixed:6", shared=True, environment="all") as b:
        assert b.layout == frazil.Layout("41/8/14")


def test_seventy_thousand_shared_openings():
    first = frazil.open(ROOMY, shared=True)
    opened = [frazil.open(ROOMY, shared=True) for _ in range(70_000)]
    assert len({generator.next() for generator in opened}) == 70_000
    for generator in opened:
        generator.close()
    assert first.next()
    first.close()


def test_openings_that_are_never_closed():
    taken = [frazil.open("worker=fixed:5", shared=True).next() for _ in range(50)]
    assert taken == sorted(set(taken))


def test_a_generator_is_opened_by_open_alone():
    with pytest.raises(TypeError, match=r"frazil\.open"):
        frazil.Generator()
    with pytest.raises(TypeError, match="derive"):
        frazil._frazil.open(int, "", False, None, None, 0, False)


def test_a_password_is_not_shown():
    with pytest.raises(frazil.FrazilError) as caught:
        frazil.open(worker="redis://user:geheim@127.0.0.1:1/orders", max_wait="1ms")
    assert "geheim" not in str(caught.value)


# ---- taking ------------------------------------------------------------------------


def test_ids_increase_through_all_doors(ids):
    taken = [ids.next(), next(ids), *ids.next_n(3), *ids.take(2), int(ids.next_text())]
    buffer = array.array("Q", bytes(8 * 4))
    assert ids.fill(buffer) == 4
    taken += buffer
    taken.append(frazil.from_text(ids.next_text("crockford"), "crockford"))
    assert taken == sorted(set(taken))
    assert ids.next_n(0) == []
    assert {ids.inspect(id).worker for id in taken} == {5}


def test_a_batch_may_span_ticks():
    with frazil.open("layout=41/10/12 worker=fixed:1 state=memory") as generator:
        batch = generator.next_n(20_000)
    assert len(batch) == 20_000
    assert batch == sorted(set(batch))


def test_a_generator_is_an_iterator(ids):
    assert iter(ids) is ids
    taken = []
    for id in ids:
        taken.append(id)
        if len(taken) == 5:
            break
    assert taken == sorted(set(taken))


def test_try_next_never_waits():
    with frazil.open(FROZEN) as generator:
        assert [generator.try_next() is None for _ in range(3)] == [False, False, True]
    with frazil.open(FROZEN + " on_full=error") as generator:
        generator.next_n(2)
        with pytest.raises(frazil.RetryError) as caught:
            generator.try_next()
        assert caught.value.code == "FRAZIL_EFULL"


def test_try_take_gives_what_is_free():
    with frazil.open(FROZEN) as generator:
        assert len(generator.try_take(10)[0]) == 2
        assert generator.try_take(0)[0] == []
        taken, retry_ns = generator.try_take(10)
        assert taken == []
        assert retry_ns > 0
    with frazil.open(FROZEN + " on_full=error") as generator:
        generator.next_n(2)
        with pytest.raises(frazil.RetryError):
            generator.try_take(1)


def test_a_full_tick_is_counted_once_however_many_calls_find_it():
    with frazil.open(FROZEN + " max_wait=0ms") as generator:
        generator.next_n(2)
        for _ in range(3):
            assert generator.try_next() is None
        for call in (generator.next, lambda: generator.take(1), lambda: generator.take(1, timeout=0)):
            with pytest.raises(frazil.RetryError):
                call()
        assert generator.stats()["full"] == 1
    with frazil.open(FROZEN + " on_full=error") as generator:
        generator.next_n(2)
        for call in (generator.next, generator.try_next, lambda: generator.take(1), lambda: generator.try_take(1)):
            with pytest.raises(frazil.RetryError) as caught:
                call()
            assert caught.value.code == "FRAZIL_EFULL"
        assert generator.stats()["full"] == 1


def test_a_full_tick_is_counted_once_by_calls_that_wait():
    with frazil.open(FROZEN + " max_wait=5s") as generator:
        generator.next_n(2)
        for call in (generator.next, lambda: generator.take(1, timeout=1)):
            with pytest.raises(frazil.RetryError) as caught:
                call()
            assert caught.value.code == "FRAZIL_EFULL"
        assert generator.stats()["full"] == 1
    # A tick of a second is waited for in pieces.
    for tick in ("10ms", "1000ms"):
        spec = f"epoch=2020-01-01 layout=40/10/1 tick={tick} worker=fixed:5 state=memory max_wait=1h"
        with frazil.open(spec) as generator:
            for _ in range(3):
                generator.next()
            stats = generator.stats()
            assert stats["full"] == stats["waits"]


def test_a_clock_of_the_program_needs_a_state(tmp_path):
    spec = f"worker=fixed:5 max_wait=1h run_dir={tmp_path}/run state_dir={tmp_path}/state"
    clock = frazil.ManualClock("2026-05-01")
    with pytest.raises(frazil.UsageError, match=r"state=memory.*state=file") as caught:
        frazil.open(spec, clock=clock)
    assert caught.value.code == "FRAZIL_ESPEC"
    ids = []
    for day in ("2026-05-01T00:00:02Z", "2026-05-01T00:00:01Z", "2026-05-01T00:00:00Z"):
        clock.set(day)
        with frazil.open(spec, state="file", clock=clock) as generator:
            assert generator.info().state == "file"
            ids += generator.take(1000, timeout=None)
    assert len(set(ids)) == 3000
    with frazil.open(spec, state="memory", clock=clock) as generator:
        assert generator.info().state == "memory"
    with frazil.open(spec, clock=None) as generator:
        assert generator.info().state == "file"


def test_a_snapshot_is_opened_when_its_generator_is_closed():
    with frazil.open("layout=sno worker=fixed:5 state=memory") as generator:
        generator.sno_next()
        snapshot = generator.sno_snapshot()
        with pytest.raises(frazil.UsageError) as caught:
            frazil.open(snapshot=snapshot)
        assert caught.value.code == "FRAZIL_EWORKER"
    with frazil.open(snapshot=snapshot) as again:
        assert again.info().worker == 5


def test_a_timeout_is_kept():
    clock = frazil.ManualClock("2026-05-01")
    with frazil.open("layout=41/20/1 worker=fixed:5 state=memory", clock=clock, on_backward="wait") as generator:
        generator.next()
        clock.set("2026-04-30")
        with pytest.raises(frazil.RetryError) as caught:
            generator.take(1, timeout=5)
        assert caught.value.code == "FRAZIL_ECLOCK"
        assert caught.value.behind_us >= 86_390_000_000
        assert caught.value.retry == pytest.approx(86_400, abs=1)
        assert len(generator.take(1, timeout=None)) == 1  # sleeping moves a manual clock


@pytest.mark.parametrize("n", [2**60, 2**61, 2**61 + 1, 2**63, 2**64, -1])
def test_no_count_is_cut(ids, n):
    for call in (ids.take, ids.next_n, ids.try_take, ids.sno_take):
        with pytest.raises((OverflowError, MemoryError)):
            call(n)


@pytest.mark.parametrize("timeout", [-1, float("nan"), "soon", b"1"])
def test_a_timeout_is_a_number_of_seconds(ids, timeout):
    with pytest.raises((ValueError, TypeError)):
        ids.take(1, timeout=timeout)


@pytest.fixture
def empty():
    """A generator whose next id is due in twelve hours: ticks are days, and this one has no id left."""
    noon = round(time.time() * 1000) - 12 * 3_600_000
    spec = f"layout=31/20/1 epoch={noon} tick=24h worker=fixed:5 state=memory max_wait=unlimited"
    with frazil.open(spec) as generator:
        generator.take(2, timeout=0)
        yield generator


def test_a_wait_that_cannot_be_long_enough_is_not_begun(empty):
    begun = time.monotonic()
    with pytest.raises(frazil.RetryError) as caught:
        empty.take(1, timeout=3600)
    assert caught.value.retry > 36_000
    assert time.monotonic() - begun < 3000


class Interrupted(Exception):
    pass


def test_a_signal_handler_runs_while_a_call_waits(empty):
    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Interrupted):
            empty.take(1, timeout=None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert empty.stats()["issued"] == 2


def test_a_signal_handler_may_close_what_waits(empty):
    before = signal.signal(signal.SIGALRM, lambda *_: empty.close())
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(frazil.FatalError) as caught:
            empty.take(1, timeout=None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert caught.value.code == "FRAZIL_ESTOPPED"


def test_closing_ends_waits_of_other_threads(empty):
    codes = []

    def wait():
        try:
            empty.take(1, timeout=None)
        except frazil.FatalError as error:
            codes.append(error.code)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    empty.close()
    for thread in threads:
        thread.join()
    assert codes == ["FRAZIL_ESTOPPED"] * 4


def test_others_run_while_a_call_waits(empty):
    def wait():
        with pytest.raises(frazil.FatalError):
            empty.next()

    thread = threading.Thread(target=wait)
    thread.start()
    for _ in range(20):  # this line runs, so nobody keeps the lock
        time.sleep(0.01)
    assert thread.is_alive()
    empty.stop()
    thread.join()


@pytest.mark.parametrize("n", [-1, 2**64, 1.5, "3", None])
def test_a_count_is_a_whole_number(ids, n):
    for call in (ids.next_n, ids.take, ids.try_take):
        with pytest.raises((OverflowError, TypeError)):
            call(n)


def test_more_than_there_can_be_is_refused(ids):
    with pytest.raises(frazil.UsageError) as caught:
        ids.next_n(100_000_000)
    assert caught.value.code == "FRAZIL_EINVAL"
    with pytest.raises(MemoryError):
        ids.next_n(2**59)


def test_ids_of_other_times(ids):
    when = frazil.parse_time("2026-03-04")
    fields = ids.inspect(ids.next_at(when))
    assert (fields.unix_ms, fields.worker) == (when, 5)
    assert fields.time.isoformat() == "2026-03-04T00:00:00+00:00"
    with pytest.raises(frazil.UsageError):
        ids.next_at(0)


def test_another_time_is_a_number_a_datetime_or_a_text(ids):
    when = frazil.parse_time("2026-03-04T05:06:07.089Z")
    for same in (frazil.format_time(when), datetime.fromtimestamp(when / 1000, timezone.utc)):
        assert ids.inspect(ids.next_at(same)).unix_ms == when
    with pytest.raises(ValueError, match="no time zone"):
        ids.next_at(datetime(2026, 3, 4))
    with pytest.raises(frazil.UsageError, match="expected 'Z' or an offset"):
        ids.next_at("2026-03-04T05:06:07")


def test_a_text_form_must_be_known(ids):
    with pytest.raises(frazil.UsageError, match="no text form"):
        ids.next_text("base99")
    with pytest.raises(TypeError):
        ids.next_text(3)


# ---- buffers --------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["Q", "L", "q", "l"])
def test_buffers_of_64_bit_integers_are_filled(ids, code):
    buffer = array.array(code, [0] * 5000)
    assert ids.fill(buffer) == 5000
    assert list(buffer) == sorted(set(buffer))
    assert ids.inspect(buffer[0]).worker == 5


def test_a_part_of_a_buffer_is_filled(ids):
    buffer = array.array("Q", [0] * 6)
    assert ids.fill(memoryview(buffer)[2:4]) == 2
    assert [id != 0 for id in buffer] == [False, False, True, True, False, False]


def test_a_buffer_in_other_memory_is_filled(ids):
    for code in "QLNqln":
        buffer = memoryview(bytearray(24)).cast(code)
        assert ids.fill(buffer) == 3
        assert list(buffer) == sorted(set(buffer))
    assert ids.fill(array.array("Q")) == 0


@pytest.mark.parametrize(
    "buffer",
    [
        bytearray(16),
        array.array("d", [0.0]),
        array.array("I", [0, 0]),
        memoryview(bytes(8)).cast("Q"),
        pytest.param(
            memoryview(array.array("Q", [0] * 4))[::2],
            marks=pytest.mark.skipif(IS_PYPY, reason="there ids go into a view by Python's own assignments"),
        ),
        b"12345678",
        "text",
        3,
    ],
    ids=["bytes", "doubles", "32 bits", "read-only", "with gaps", "constant", "text", "number"],
)
def test_other_buffers_are_refused(ids, buffer):
    before = ids.stats()["issued"]
    with pytest.raises((TypeError, BufferError, ValueError)):
        ids.fill(buffer)
    assert ids.stats()["issued"] == before


@pytest.mark.skipif(IS_PYPY, reason="there ids go into a view by Python's own assignments")
def test_a_buffer_that_is_not_aligned_is_refused(ids):
    buffer = memoryview(bytearray(24))[1:17].cast("Q")
    with pytest.raises(ValueError, match="multiple of"):
        ids.fill(buffer)
    assert list(buffer) == [0, 0]


def test_signed_items_are_refused_where_ids_do_not_fit():
    with frazil.open("layout=42/10/12 worker=fixed:1 state=memory") as generator:
        assert generator.fill(array.array("Q", [0])) == 1
        with pytest.raises(frazil.UsageError, match="signed"):
            generator.fill(array.array("q", [0]))


def test_a_buffer_cannot_be_resized_while_it_is_filled():
    store = bytearray(8 * 100_000)
    generator = frazil.open("layout=41/10/12 worker=fixed:1 state=memory")
    thread = threading.Thread(target=generator.fill, args=(memoryview(store).cast("Q"),))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            store.extend(b"x")
        except BufferError:
            refused += 1
        else:
            del store[-1:]
    thread.join()
    generator.close()
    assert len(set(memoryview(store).cast("Q"))) == 100_000


# ---- snos -----------------------------------------------------------------------------


def test_snos_increase_and_bear_their_metabyte():
    with frazil.open("layout=sno partition=A,10 state=memory") as generator:
        taken = [generator.sno_next(7), frazil.sno.decode(generator.sno_next_text(7)), *generator.sno_take(3, 7)]
        assert taken == sorted(set(taken))
        assert {frazil.sno.decompose(id).meta for id in taken} == {7}
        assert {frazil.sno.format_partition(frazil.sno.decompose(id).partition) for id in taken} == {"A,10"}
        assert frazil.sno.decompose(generator.sno_next()).meta == 0
        assert len(generator.sno_try_next()) == 10
        with pytest.raises(OverflowError):
            generator.sno_next(256)
        with pytest.raises(frazil.UsageError) as caught:
            generator.next()
        assert caught.value.code == "FRAZIL_EKIND"


def test_a_snapshot_goes_on():
    with frazil.open("layout=sno partition=7 state=memory") as generator:
        last = generator.sno_take(5)[-1]
        snapshot = generator.sno_snapshot()
    with frazil.open("state=memory", snapshot=snapshot) as generator:
        assert generator.sno_next() > last
        assert generator.info().worker == 7
    with pytest.raises(frazil.UsageError):
        frazil.open("state=memory", snapshot="{")


# ---- looking ----------------------------------------------------------------------------


def test_stats_health_and_info(ids):
    ids.next_n(10)
    assert ids.stats()["issued"] == 10
    health = ids.health()
    assert health.serving
    assert health.state == "serving"
    assert health.last_code == "FRAZIL_OK"
    assert health.needs_grant
    assert health.horizon > 0
    assert health.grant_end_unix_ms > time.time() * 1000
    assert health.next_keep is not None
    assert ids.last_failure() is None
    assert ids.info().worker == 5
    assert ids.info().capacity == 4096
    assert 0 <= ids.available() <= 4096
    assert "worker=fixed:5" in ids.spec
    assert repr(ids) == f"<frazil.Generator {ids.spec!r}>"


def test_health_without_a_grant():
    with frazil.open(FROZEN) as generator:
        health = generator.health()
        assert (health.needs_grant, health.grant_end_unix_ms, health.next_keep) == (False, None, None)
        assert generator.keep() is None


def test_a_state_of_a_newer_library_is_unknown(ids, monkeypatch):
    monkeypatch.setattr(frazil.Generator, "_health", lambda _: (9, "FRAZIL_OK", 5, False, 2**63 - 1, 0, 2**64 - 1, 0))
    assert ids.health().state == "unknown"
    assert not ids.health().serving


def test_the_program_keeps_the_grant():
    with frazil.open("worker=fixed:5 keeper=hook") as generator:
        assert 0 < generator.keep() < 10
        assert 0 < generator.keep(1.0) < 10
        generator.stop()
        with pytest.raises(frazil.FatalError):
            generator.keep()


def test_events_are_read_once_by_each_reader():
    clock = frazil.ManualClock("2026-05-01")
    with frazil.open("worker=fixed:5 state=memory", clock=clock) as generator:
        events = generator.events()
        before = list(events)
        assert [(event.kind, event.code, event.missed) for event in before] == [("warn-unclaimed", None, 0)]
        assert list(events) == []
        generator.next()
        clock.set(1777593597500)
        generator.try_next()
        for event in events:
            assert event == ("clock-back", None, 5, 1777593597500, 2_500_000, 0)
            break
        assert list(events) == []
        assert [event.kind for event in generator.events()] == ["warn-unclaimed", "clock-back"]
    with pytest.raises(frazil.FatalError):
        list(events)


def test_a_slow_reader_of_events_knows_what_it_missed():
    clock = frazil.ManualClock("2026-05-01")
    with frazil.open("worker=fixed:5 state=memory", clock=clock) as generator:
        for second in range(1, 101):
            clock.set(1777593600000 + 5000 * second)
            generator.next()
            clock.set(1777593600000 + 5000 * second - 3000)
            generator.try_next()
        events = list(generator.events())
        assert (len(events), events[0].missed) == (64, 1 + 100 - 64)


def test_an_event_wakes_an_event_loop():
    clock = frazil.ManualClock("2026-05-01")
    with frazil.open("worker=fixed:5 state=memory", clock=clock) as generator:
        events = generator.events()
        assert [event.kind for event in events] == ["warn-unclaimed"]
        assert not select.select([events], [], [], 0)[0] or list(events) == []
        assert not select.select([events], [], [], 0)[0]
        generator.next()
        clock.set("2026-04-30")
        generator.try_next()

        async def main():
            heard = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().add_reader(events, lambda: heard.done() or heard.set_result(list(events)))
            return await asyncio.wait_for(heard, 300)

        assert [event.kind for event in asyncio.run(main())] == ["clock-back"]


def test_ids_under_an_inline_keeper():
    with frazil.open("worker=fixed:5 keeper=inline") as generator:
        taken = [generator.next() for _ in range(20_000)]
        assert taken == sorted(set(taken))
        assert generator._never_asks()


# ---- closing ------------------------------------------------------------------------------


def test_after_closing_each_call_says_so(ids):
    ids.close()
    ids.close()
    assert ids.closed
    calls = [
        ids.next, ids.next_text, ids.try_next, ids.info, ids.health, ids.stats, ids.available, ids.stop, ids.keep,
        ids.last_failure, ids.sno_next, ids.sno_snapshot, ids.sno_try_next, ids.__enter__,
        lambda: ids.next_n(1), lambda: ids.take(1), lambda: ids.try_take(1), lambda: ids.next_at(0),
        lambda: ids.fill(array.array("Q", [0])), lambda: ids.layout, lambda: ids.sno_take(1),
        lambda: ids.sno_next_at(0), lambda: next(ids),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(frazil.FatalError) as caught:
            call()
        assert caught.value.code == "FRAZIL_ESTOPPED"
    assert "closed" in repr(ids)


def test_closing_within_a_time(ids):
    ids.close(5.0)
    assert ids.closed


def test_a_stopped_generator_refuses(ids):
    ids.stop()
    with pytest.raises(frazil.FatalError) as caught:
        ids.next()
    assert caught.value.code == "FRAZIL_ESTOPPED"
    assert ids.health().state == "stopped"


def test_a_generator_is_not_copied(ids):
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="open it in each process"):
            attempt(ids)


def test_a_generator_that_nobody_has_is_closed(tmp_path):
    spec = f"layout=41/1/21 worker=file-lock count=1 namespace=alone state_dir={tmp_path} run_dir={tmp_path}"
    for _ in range(3):  # the only worker number is free again each time
        generator = frazil.open(spec)
        gone = weakref.ref(generator)
        del generator
        gc.collect()
        assert gone() is None


@pytest.mark.skipif(IS_PYPY, reason="it collects no cycle through an object of an extension")
def test_a_generator_in_a_cycle_is_collected():
    class Holder(frazil.Generator):
        pass

    holder = frazil._frazil.open(Holder, ROOMY, False, None, None, 0, False)
    gone = weakref.ref(holder)
    Holder.instance = holder
    del holder, Holder
    gc.collect()
    assert gone() is None


def test_collecting_while_ids_are_taken():
    """Generators come and go, in cycles, while threads use others of them."""
    failures = []

    def churn():
        try:
            for _ in range(300):
                box = [frazil.open(ROOMY, shared=True)]
                box.append(box)
                box[0].next_n(10)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=churn) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        gc.collect()
    assert not failures


def test_nothing_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with frazil.open(FROZEN) as generator:
            for attempt in range(3):
                gc.collect()
                before = len(gc.get_objects())
                for _ in range(1000):
                    generator.try_take(1)
                    generator.inspect(5)
                    generator.info()
                    generator.health()
                    generator.stats()
                gc.collect()
                assert len(gc.get_objects()) - before < 50, attempt
