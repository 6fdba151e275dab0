# SPDX-License-Identifier: MIT
"""The cases that every binding must pass: bindings/conformance/README.md says what they mean."""

import json

import pytest
from conftest import tree_file

import frazil
from frazil import _frazil, sno

LINES = tree_file("bindings/conformance/cases.jsonl").read_text(encoding="utf-8").splitlines()

# This binding has no handles of threads: a method call costs more than they save.
LEFT_OUT = {"local_next"}


def no_duplicates(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), f"a member stands twice in {pairs}"
    return members


CASES = [json.loads(line, object_pairs_hook=no_duplicates) for line in LINES]


class Step:
    """One call of a case: members that nobody has asked for at the end are an error."""

    def __init__(self, members):
        self.left = dict(members)
        self.compared = 0

    def text(self, key):
        value = self.left.pop(key)
        assert isinstance(value, str)
        return value

    def big(self, key):
        text = self.text(key)
        assert text.removeprefix("-").isdigit()
        assert str(int(text)) == text
        return int(text)

    def small(self, key):
        value = self.left.pop(key)
        assert type(value) is int
        return value

    def flag(self, key):
        value = self.left.pop(key)
        assert isinstance(value, bool)
        return value

    def bytes(self, key):
        return bytes.fromhex(self.text(key))

    def out(self, key, answer):
        """Holds an answer against the member of that name, if the case has one."""
        if key not in self.left:
            return
        self.compared += 1
        expected = self.left.pop(key)
        assert type(expected) is type(answer), f"{key} is {answer!r}, expected was {expected!r}"
        assert answer == expected, f"{key} is {answer!r}, expected was {expected!r}"

    def out_between(self, key, answer):
        low, high = self.left.pop(f"{key}_from", None), self.left.pop(f"{key}_to", None)
        if low is not None or high is not None:
            self.compared += 1
            assert low <= answer <= high

    def finish(self, succeeded):
        assert not self.left, f"members that this call does not know: {self.left}"
        assert self.compared or not succeeded, "nothing is expected of it"


class Subject:
    """What the calls of a case are made on."""

    def __init__(self):
        self.generator = self.beside = self.clock = self.layout = None

    def close(self):
        for generator in (self.generator, self.beside):
            if generator is not None:
                generator.close()


def out_id(subject, step, id):
    step.out("id", str(id))
    fields = subject.layout.decompose(id)
    step.out("unix_ms", str(fields.unix_ms))
    step.out("worker", fields.worker)
    step.out_between("sequence", fields.sequence)


def do_next(subject, step):
    out_id(subject, step, subject.generator.next())


def do_try_next(subject, step):
    id = subject.generator.try_next()
    if id is None:  # take() explains it
        raise AssertionError(subject.generator.take(1, timeout=0))
    out_id(subject, step, id)


def do_next_at(subject, step):
    out_id(subject, step, subject.generator.next_at(step.big("at")))


def do_next_n(subject, step):
    step.out("ids", [str(id) for id in subject.generator.next_n(step.small("n"))])


def do_take(subject, step):
    ids = subject.generator.take(step.small("n"), timeout=step.big("wait_ns") / 1e9)
    step.out("ids", [str(id) for id in ids])


def do_sno_next(subject, step):
    step.out("sno", subject.generator.sno_next(step.small("meta")).hex())


def do_sno_try_next(subject, step):
    meta = step.small("meta")
    id = subject.generator.sno_try_next(meta)
    if id is None:
        raise AssertionError(subject.generator.sno_take(1, meta, timeout=0))
    step.out("sno", id.hex())


def do_sno_next_n(subject, step):
    snos = subject.generator.sno_take(meta=step.small("meta"), n=step.small("n"))
    step.out("snos", [id.hex() for id in snos])


def do_sno_next_at(subject, step):
    step.out("sno", subject.generator.sno_next_at(step.big("at"), step.small("meta")).hex())


def do_info(subject, step):
    info = subject.generator.info()
    for key in ("worker", "sequence_min", "sequence_max", "collision_ppm"):
        step.out(key, getattr(info, key))
    step.out("capacity", str(info.capacity))
    step.out("fingerprint", subject.generator.layout.fingerprint)


def do_available(subject, step):
    step.out("available", str(subject.generator.available()))


def do_stats(subject, step):
    for name, value in subject.generator.stats().items():
        step.out(name, str(value))


def do_stop(subject, step):
    subject.generator.stop()
    step.compared += 1


def do_set_clock(subject, step):
    subject.clock.set(step.big("at"))
    step.compared += 1


def do_advance_clock(subject, step):
    subject.clock.advance(step.big("ns") / 1e9)
    step.compared += 1


def do_compose(subject, step):
    id = subject.layout.compose(step.big("unix_ms"), step.small("worker"), step.small("sequence"))
    step.out("id", str(id))


def do_decompose(subject, step):
    fields = subject.layout.decompose(step.big("id"))
    step.out("unix_ms", str(fields.unix_ms))
    for key in ("worker", "sequence", "datacenter", "worker_in_datacenter"):
        step.out(key, getattr(fields, key))


def do_range(subject, step):
    first, last = subject.layout.range(step.big("from_unix_ms"), step.big("to_unix_ms"))
    step.out("first", str(first))
    step.out("last", str(last))


def do_describe(subject, step):
    info = subject.layout.describe()
    for key in ("total_bits", "reaches_sign_bit", "fits_53_bits"):
        step.out(key, getattr(info, key))
    for key in ("workers", "ids_per_tick", "ids_per_second", "first_unix_ms", "last_unix_ms", "max_id"):
        step.out(key, str(getattr(info, key)))
    step.out("sign_bit_unix_ms", str(info.sign_bit_unix_ms))


def do_fingerprint(subject, step):
    step.out("text", subject.layout.fingerprint)


def do_overlap(subject, step):
    text, since = step.text("after"), step.big("since_unix_ms")
    found = subject.layout.overlap(frazil.Layout(text), since)
    for key in ("can_collide", "can_missort", "ever_safe"):
        step.out(key, getattr(found, key))
    for key in ("old_last", "new_first", "safe_unix_ms"):
        step.out(key, str(getattr(found, key)))


def do_sno_compose(_, step):
    id = sno.compose(
        step.big("unix_ms"),
        ticktock=step.small("ticktock"),
        meta=step.small("meta"),
        partition=step.small("partition"),
        sequence=step.small("sequence"),
    )
    step.out("sno", id.hex())


def do_sno_decompose(_, step):
    fields = sno.decompose(step.bytes("sno"))
    step.out("unix_ms", str(fields.unix_ms))
    for key in ("ticktock", "meta", "partition", "sequence"):
        step.out(key, getattr(fields, key))


def do_sno_range(_, step):
    first, last = sno.range(step.big("from_unix_ms"), step.big("to_unix_ms"))
    step.out("first", first.hex())
    step.out("last", last.hex())


def do_uuid_format(_, step):
    id = step.bytes("sno")
    assert _frazil.uuid_format(id) == str(sno.to_uuid(id))
    step.out("text", _frazil.uuid_format(id))


# A call that is one function: its inputs with their types, the function, its output with its type.
BIG, SMALL, FLAG, TEXT, BYTES = Step.big, Step.small, Step.flag, Step.text, Step.bytes
AS_BIG, AS_IS, AS_HEX = str, (lambda value: value), bytes.hex
PLAIN = {
    "format": ([(TEXT, "form"), (BIG, "id")], lambda form, id: frazil.to_text(id, form), "text", AS_IS),
    "parse": ([(TEXT, "form"), (TEXT, "text")], lambda form, text: frazil.from_text(text, form), "id", AS_BIG),
    "bytes_write": ([(BIG, "id")], frazil.to_bytes, "bytes", AS_HEX),
    "bytes_read": ([(BYTES, "bytes")], frazil.from_bytes, "id", AS_BIG),
    "shard": ([(BIG, "id"), (SMALL, "shards")], frazil.shard, "shard", AS_IS),
    "worker_hash": ([(TEXT, "text"), (SMALL, "workers")], frazil.worker_hash, "worker", AS_IS),
    "collision": ([(SMALL, "hosts"), (BIG, "workers")], frazil.worker_collision, "ppm", AS_IS),
    "kasumi": ([(BIG, "salt"), (BIG, "id")], frazil.kasumi, "scrambled", AS_BIG),
    "scramble": (
        [(BIG, "salt"), (FLAG, "checked"), (BIG, "id")],
        lambda salt, checked, id: frazil.scramble(salt, id, checked=checked),
        "text",
        AS_IS,
    ),
    "unscramble": (
        [(BIG, "salt"), (FLAG, "checked"), (TEXT, "text")],
        lambda salt, checked, text: frazil.unscramble(salt, text, checked=checked),
        "id",
        AS_BIG,
    ),
    "time_format": ([(BIG, "unix_ms")], frazil.format_time, "text", AS_IS),
    "time_parse": ([(TEXT, "text")], frazil.parse_time, "unix_ms", AS_BIG),
    "sno_encode": ([(BYTES, "sno")], sno.encode, "text", AS_IS),
    "sno_decode": ([(TEXT, "text")], sno.decode, "sno", AS_HEX),
    "uuid_parse": ([(TEXT, "text")], sno.from_uuid, "sno", AS_HEX),
    "uuid_read": ([(BYTES, "bytes")], sno.from_uuid, "sno", AS_HEX),
    "sno_to_json": ([(BYTES, "sno")], sno.to_json, "text", AS_IS),
    "sno_from_json": ([(TEXT, "text")], sno.from_json, "sno", AS_HEX),
    "sno_from_column": ([(BYTES, "bytes")], sno.from_column, "sno", AS_HEX),
    "partition_format": ([(SMALL, "partition")], sno.format_partition, "text", AS_IS),
    "partition_parse": ([(TEXT, "text")], sno.parse_partition, "partition", AS_IS),
}


def make_call(subject, step):
    name = step.text("call")
    if name in PLAIN:
        inputs, function, key, convert = PLAIN[name]
        values = [read(step, member) for read, member in inputs]
        step.out(key, convert(function(*values)))
    else:
        globals()[f"do_{name}"](subject, step)


def compare_error(step, error):
    assert error.code == step.text("error"), error
    assert error.error_class == step.text("class")
    if "position" in step.left:
        assert error.position == step.big("position")


def run_step(step, make):
    """Makes a call, and holds its error, or that there is none, against the step."""
    try:
        make()
    except frazil.FrazilError as error:
        if "error" not in step.left:
            raise
        compare_error(step, error)
        step.finish(False)
        return False
    assert "error" not in step.left, f"it succeeds, expected was {step.left['error']}"
    return True


def open_subject(subject, step, scratch):
    if "beside" in step.left:
        subject.beside = frazil.open(step.text("beside").replace("SCRATCH", scratch))
    if "spec" in step.left:
        if "clock_unix_ms" in step.left:
            subject.clock = frazil.ManualClock(step.big("clock_unix_ms"))
        subject.generator = frazil.open(step.text("spec").replace("SCRATCH", scratch), clock=subject.clock)
        subject.layout = subject.generator.layout
    elif "layout" in step.left:
        subject.layout = frazil.Layout(step.text("layout"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case, tmp_path, monkeypatch):
    calls = case.get("calls", [])
    if any(call["call"] in LEFT_OUT for call in calls):
        pytest.skip("it needs a handle of a thread, which this binding has not")
    step = Step(case)
    step.left.pop("name")
    step.left.pop("calls", None)
    for key in ("run_dir", "state_dir"):
        monkeypatch.delenv(f"FRAZIL_{key.upper()}")
    environment = step.left.pop("environment", {})
    subject = Subject()
    try:
        with monkeypatch.context() as patch:
            for key, value in environment.items():
                patch.setenv(key, value)
            opened = run_step(step, lambda: open_subject(subject, step, str(tmp_path)))
        if opened:
            assert not step.left
            assert calls, "the case makes no call"
        for number, members in enumerate(calls, 1):
            call = Step(members)
            try:
                if run_step(call, lambda call=call: make_call(subject, call)):
                    call.finish(True)
            except Exception as error:
                raise AssertionError(f"call {number}, {members}: {error!r}") from error
    finally:
        subject.close()


def test_the_file_has_the_cases_that_this_runner_was_written_for():
    calls = {call["call"] for case in CASES for call in case.get("calls", [])}
    known = set(PLAIN) | {name[3:] for name in globals() if name.startswith("do_")} | LEFT_OUT
    assert calls == known
    assert len(CASES) >= 334
