# SPDX-License-Identifier: MIT
"""Layouts, text forms, snos, instants and errors: what needs no generator."""

import ast
import inspect
import multiprocessing
import pickle
import sys
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import frazil
from frazil import sno


def test_a_layout_is_a_value():
    layout = frazil.Layout("twitter")
    assert layout == frazil.Layout.parse("41/5+5/12 epoch=1288834974657")
    assert hash(layout) == hash(frazil.Layout(str(layout)))
    assert layout != frazil.Layout("discord")
    assert layout != "twitter"
    assert frazil.Layout(layout) is layout
    assert pickle.loads(pickle.dumps(layout)) == layout
    assert repr(layout) == f"frazil.Layout({layout.fingerprint!r})"
    assert eval(repr(layout)) == layout
    with pytest.raises(AttributeError):
        layout._handle = None


def test_layouts_from_numbers():
    made = frazil.Layout.make("2020-01-01", 39, 16, 8, tick_ms=10, sequence_above_worker=True)
    assert made == frazil.Layout("39/8s/16w epoch=2020-01-01 tick=10ms")
    info = made.describe()
    assert (info.time_bits, info.worker_bits, info.sequence_bits, info.tick_ms) == (39, 16, 8, 10)
    assert info.sequence_above_worker
    with pytest.raises(frazil.UsageError) as caught:
        frazil.Layout.make(0, 64, 0, 1)
    assert caught.value.code == "FRAZIL_ELAYOUT"
    with pytest.raises(OverflowError):
        frazil.Layout.make(0, 2**32, 0, 1)


def test_presets_are_layouts():
    names = frazil.Layout.presets()
    assert {"frazil", "twitter", "discord", "sno", "konayuki"} <= set(names)
    for name in names:
        assert frazil.Layout(name).describe().name == name
    assert frazil.Layout("sno").describe().is_sno


def test_instants_are_numbers_datetimes_or_text():
    layout = frazil.Layout("frazil")
    east = timezone(timedelta(hours=9))
    expected = layout.compose(1767225600123, 1, 2)
    assert layout.compose("2026-01-01T00:00:00.123Z", 1, 2) == expected
    assert layout.compose(datetime(2026, 1, 1, 0, 0, 0, 123999, timezone.utc), 1, 2) == expected
    assert layout.compose(datetime(2026, 1, 1, 9, 0, 0, 123000, east), 1, 2) == expected
    assert layout.decompose(expected).time == datetime(2026, 1, 1, 0, 0, 0, 123000, timezone.utc)
    with pytest.raises(ValueError, match="no time zone"):
        layout.compose(datetime(2026, 1, 1), 1, 2)
    with pytest.raises(TypeError):
        layout.compose(1.5, 1, 2)


def test_an_id_may_be_decimal_text_as_json_and_addresses_have_it():
    layout = frazil.Layout("frazil")
    id = layout.compose("2026-05-01", 7, 9)
    with frazil.open(worker=7, state="memory") as ids:
        for inspect in (layout.decompose, ids.inspect, frazil.inspect):
            assert inspect(str(id)) == inspect(id) == (1777593600000, 7, 9, 0, 7)
            with pytest.raises(frazil.UsageError, match="not one of the digits"):
                inspect(f"{id}x")
            with pytest.raises(TypeError):
                inspect(None)


@pytest.mark.parametrize("id", [5, "5", "brpk4q72xwf2m63l", bytes(10)], ids=repr)
def test_the_fields_of_a_sno_are_not_those_of_an_id(id):
    with frazil.open(layout="sno", worker=7, state="memory") as ids:
        for inspect in (ids.layout.decompose, ids.inspect):
            with pytest.raises(frazil.UsageError, match="a sno is not a 64-bit id") as caught:
                inspect(id)
            assert caught.value.code == "FRAZIL_EKIND"


@pytest.mark.parametrize(
    ("field", "value"), [("ticktock", 2**8), ("meta", 2**8), ("partition", 2**16), ("sequence", 2**16)]
)
def test_a_field_of_a_sno_is_not_cut(field, value):
    with pytest.raises(OverflowError):
        frazil.sno.compose("2026-05-01", **{field: value})
    with pytest.raises(OverflowError):
        frazil.sno.format_partition(2**16)


def test_instants_before_1970_are_exact():
    when = datetime(1969, 12, 31, 23, 59, 59, 999999, timezone.utc)
    assert frazil.format_time(when) == "1969-12-31T23:59:59.999Z"


def test_ranges_for_databases():
    layout = frazil.Layout("frazil")
    first, last = layout.range("2026-05-01", "2026-05-02")
    assert first == layout.first("2026-05-01")
    assert layout.decompose(last).unix_ms == frazil.parse_time("2026-05-02")
    with pytest.raises(frazil.UsageError):
        frazil.Layout("sno").first(0)


def test_a_layout_that_follows_may_be_text():
    before = frazil.Layout("twitter")
    assert before.overlap("discord", "2026-05-01") == before.overlap(frazil.Layout("discord"), "2026-05-01")


def test_datacenters():
    layout = frazil.Layout("twitter")
    worker = layout.worker_of(3, 9)
    fields = layout.decompose(layout.compose("2026-01-01", worker, 0))
    assert (fields.datacenter, fields.worker_in_datacenter) == (3, 9)
    with pytest.raises(frazil.UsageError):
        layout.worker_of(32, 0)


def test_inspect_reads_numbers_text_and_snos():
    assert frazil.inspect(175928847299117063, "discord").worker == 32
    assert frazil.inspect("175928847299117063", frazil.Layout("discord")).sequence == 7
    id = sno.compose("2026-01-01", meta=5)
    assert frazil.inspect(id).meta == 5
    assert frazil.inspect(sno.encode(id), "sno").meta == 5
    with pytest.raises(frazil.UsageError):
        frazil.inspect("not a number")
    with pytest.raises(frazil.UsageError, match=r"it is a ULID, made at 2016-07-30T23:54:10\.259Z"):
        frazil.inspect("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    with pytest.raises(frazil.UsageError):
        frazil.inspect(2**63, "frazil")


@pytest.mark.parametrize("form", frazil.TEXT_FORMS)
def test_text_forms_go_there_and_back(form):
    for id in (0, 1, 2**53 + 1, 2**63, 2**64 - 1):
        assert frazil.from_text(frazil.to_text(id, form), form) == id


@pytest.mark.parametrize("id", [-1, 2**64, 1.0, "1", None])
def test_an_id_is_a_whole_number_of_64_bits(id):
    with pytest.raises((OverflowError, TypeError)):
        frazil.to_text(id)
    with pytest.raises((OverflowError, TypeError)):
        frazil.to_bytes(id)


def test_bytes_sort_as_numbers():
    ids = [0, 255, 256, 2**63, 2**64 - 1]
    assert sorted(frazil.to_bytes(id) for id in ids) == [frazil.to_bytes(id) for id in ids]
    assert [frazil.from_bytes(frazil.to_bytes(id)) for id in ids] == ids


def test_where_a_text_is_wrong():
    with pytest.raises(frazil.UsageError) as caught:
        frazil.from_text("12x4")
    assert (caught.value.code, caught.value.position) == ("FRAZIL_EPARSE", 2)
    with pytest.raises(frazil.UsageError) as caught:
        frazil.inspect(2**63)
    assert caught.value.position is None


def test_snos_as_uuids_and_columns():
    id = sno.compose("2026-01-01", meta=1, partition=2, sequence=3)
    value = sno.to_uuid(id)
    assert isinstance(value, uuid.UUID)
    assert value.version == 8
    assert sno.from_uuid(value) == sno.from_uuid(value.bytes) == sno.from_uuid(str(value)) == id
    assert sno.from_column(id) == sno.from_column(sno.encode(id)) == sno.from_json(sno.to_json(id)) == id
    assert sno.from_column(None) == sno.ZERO
    with pytest.raises(frazil.UsageError):
        sno.from_uuid(uuid.uuid4())
    with pytest.raises(ValueError, match="10 bytes"):
        sno.encode(b"short")
    with pytest.raises(TypeError):
        sno.encode("text")


def test_a_salt_scrambles():
    salt = frazil.new_salt()
    assert frazil.unscramble(salt, frazil.scramble(salt, 12345, checked=True), checked=True) == 12345
    with pytest.raises(frazil.UsageError):
        frazil.scramble(2, 1)


# ---- errors -----------------------------------------------------------------------------


def test_errors_have_a_class_a_code_and_a_sentence():
    with pytest.raises(frazil.UsageError) as caught:
        frazil.open("nonsense=1")
    error = caught.value
    assert isinstance(error, ValueError)
    assert isinstance(error, frazil.FrazilError)
    assert (error.code, error.number, error.error_class) == ("FRAZIL_ESPEC", -2, "usage")
    assert "nonsense" in error.message
    assert str(error) == f"{error.message} (FRAZIL_ESPEC)"
    assert (error.retry, error.retry_ns, error.behind_us, error.errno) == (0, 0, 0, 0)


def test_classes_of_errors():
    classes = {cls.error_class: cls for cls in frazil.FrazilError.__subclasses__()}
    assert classes == {
        "usage": frazil.UsageError,
        "retry": frazil.RetryError,
        "fenced": frazil.FencedError,
        "fatal": frazil.FatalError,
    }


def raise_in_a_child(spec):
    frazil.open(spec)


def test_errors_travel_between_processes():
    with multiprocessing.get_context("fork").Pool(1) as pool, pytest.raises(frazil.UsageError) as caught:
        pool.apply(raise_in_a_child, ("layout=41/10/14 worker=fixed:1",))
    assert caught.value.code == "FRAZIL_ELAYOUT"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.args, again.position) == (type(caught.value), caught.value.args, caught.value.position)


def test_the_version_is_the_librarys():
    assert frazil.__version__.count(".") == 2


@pytest.mark.skipif(sys.implementation.name == "pypy", reason="methods of extensions have no text there")
def test_help_says_what_the_stub_says():
    """Editors read the stub, and help() what is in the extension: they are one text."""
    stub = ast.parse((Path(frazil.__file__).parent / "_frazil.pyi").read_text(encoding="utf-8"))
    generator = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Generator")
    for method in generator.body:
        name = method.name
        if not name.startswith("_"):
            assert getattr(frazil.Generator, name).__doc__ == ast.get_docstring(method), name
            assert next(iter(inspect.signature(getattr(frazil.Generator, name)).parameters)) == "self", name
