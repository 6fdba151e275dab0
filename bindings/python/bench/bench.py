# SPDX-License-Identifier: MIT
"""What an id costs, beside other packages, in one run.

    pip install frazil -r requirements.txt
    python bench.py [ROUNDS [SPEC]]

With a SPEC it prints lines for bindings/costs.sh: name, TAB, nanoseconds for an id.

Each case is tried in short pieces, in turns with all others, and its best piece counts: the one that nothing disturbed.
Packages that are not installed are left out.
"""

import array
import importlib
import os
import platform
import sys
import threading
import time
import uuid

import frazil

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
BUFFER = 65_536
BATCH = 10_000


def package(name, make):
    """Returns make() of an installed package's module; None: it is not there."""
    try:
        return make(importlib.import_module(name))
    except ImportError:
        return None


def cases():
    """Yields a title, a function, and how many ids a call of it makes."""
    # A layout with ids to spare: else a call sooner or later waits for the next millisecond.
    yesterday = round(time.time() * 1000) - 86_400_000
    ids = frazil.open(f"layout=39/1/24 epoch={yesterday} worker=fixed:0 state=memory")
    kept = frazil.open(
        f"layout=39/1/24 epoch={yesterday} worker=fixed:0",
        run_dir=folder("run"),
        state_dir=folder("state"),
        host_dir=folder("host"),
    )
    buffer = array.array("Q", bytes(8 * BUFFER))
    snos = frazil.open("layout=sno partition=1 state=memory")
    yield "frazil: next()", ids.next, 1
    yield "frazil: next(ids)", ids.__next__, 1
    yield "frazil: next(), kept state", kept.next, 1
    yield "frazil: next_text()", ids.next_text, 1
    yield "frazil: next_text('crockford')", lambda: ids.next_text("crockford"), 1
    yield "frazil: sno_next_text()", snos.sno_next_text, 1
    yield "frazil: next_n(100), an id", lambda: ids.next_n(100), 100
    yield f"frazil: fill({BUFFER}), an id", lambda: ids.fill(buffer), BUFFER
    yield "uuid: uuid4()", uuid.uuid4, 1
    yield "uuid: str(uuid4())", lambda: str(uuid.uuid4()), 1
    yield "uuid6: uuid7()", package("uuid6", lambda module: module.uuid7), 1
    yield "python-ulid: ULID()", package("ulid", lambda module: module.ULID), 1
    yield "python-ulid: str(ULID())", package("ulid", lambda module: lambda: str(module.ULID())), 1
    yield "snowflake-id: next()", package("snowflake", lambda module: module.SnowflakeGenerator(1).__next__), 1
    # The floor: Python's own method that returns a number of this size.
    yield "nothing: a method's call", (2**60).__neg__, 1


def rows(spec):
    """Yields the same for the table of all languages."""
    ids = frazil.open(spec)
    buffer = array.array("Q", bytes(8 * BATCH))
    yield "Python, a call", ids.next, 1
    yield "Python, a call as text", ids.next_text, 1
    yield f"Python, batches of {BATCH}", lambda: ids.fill(buffer), BATCH
    yield f"Python, lists of {BATCH}", lambda: ids.next_n(BATCH), BATCH
    yield "Python, a method that returns such a number", (2**60).__neg__, 1
    yield "Python's uuid4()", uuid.uuid4, 1
    yield "uuid6's uuid7()", package("uuid6", lambda module: module.uuid7), 1
    yield "python-ulid's ULID()", package("ulid", lambda module: module.ULID), 1
    yield "snowflake-id", package("snowflake", lambda module: module.SnowflakeGenerator(1).__next__), 1


def folder(name):
    import tempfile

    path = os.path.join(tempfile.mkdtemp(), name)
    os.mkdir(path, 0o700)
    return path


def piece_ns(function, calls):
    """Times so many calls, in nanoseconds; without a function, the loop around them."""
    turns = [None] * calls
    begun = time.perf_counter_ns()
    if function is None:
        for _ in turns:
            pass
    else:
        for _ in turns:
            function()
    return time.perf_counter_ns() - begun


def measure(found):
    """Returns the best cost of each case, in ns an id."""
    best = {}
    calls = {}
    for title, function, _ in found:
        piece_ns(function, 20)  # the first calls are slow
        begun = time.perf_counter_ns()
        function()
        calls[title] = max(1, min(5000, 200_000 // max(1, time.perf_counter_ns() - begun)))
    loop = piece_ns(None, 5000) / 5000
    for _ in range(ROUNDS):
        loop = min(loop, piece_ns(None, 5000) / 5000)
        for title, function, _ in found:
            cost = piece_ns(function, calls[title]) / calls[title]
            best[title] = min(best.get(title, cost), cost)
    return {title: (best[title] - loop) / ids for title, _, ids in found}


def holding(title, function, seconds=1.0):
    """Prints how long another thread that asks for the GIL has to wait for it while a thread calls the function."""
    stop = False
    waits = []

    def work():
        while not stop:
            function()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # else a thread may keep the GIL for 5 ms, whatever it does
    thread = threading.Thread(target=work)
    thread.start()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begun = time.perf_counter_ns()
        time.sleep(0)
        waits.append(time.perf_counter_ns() - begun)
    stop = True
    thread.join()
    sys.setswitchinterval(before)
    waits.sort()
    median, most = waits[len(waits) // 2], waits[len(waits) * 999 // 1000]
    print(f"{title:<44}{median / 1e6:>10.3f}{most / 1e6:>10.3f}{waits[-1] / 1e6:>10.3f}")


def main():
    if len(sys.argv) > 2:
        for title, cost in measure([case for case in rows(sys.argv[2]) if case[1] is not None]).items():
            print(f"{title}\t{cost:.3f}")
        return
    print(f"frazil {frazil.__version__}, Python {platform.python_version()}, {platform.machine()}, best of {ROUNDS}\n")
    found = [case for case in cases() if case[1] is not None]
    best = measure(found)
    one = best["frazil: next()"]
    print(f"{'':<34}{'ns an id':>10}{'x next()':>10}")
    for title, _, _ in found:
        print(f"{title:<34}{best[title]:>10.2f}{best[title] / one:>10.2f}")

    print(f"\n{'ms until another thread has the GIL':<44}{'median':>10}{'99.9 %':>10}{'most':>10}")
    full = frazil.open("layout=41/10/12 worker=fixed:0 state=memory")
    ids = frazil.open("layout=31/1/31 tick=1s worker=fixed:0 state=memory")
    buffer = array.array("Q", bytes(8 * 1_000_000))
    holding("a loop of Python", lambda: [None for _ in range(100)])
    holding("next(), which waits for each millisecond", lambda: [full.next() for _ in range(100)])
    holding("next_n(100_000), which waits, too", lambda: full.next_n(100_000))
    holding("next_n(1_000_000); Python frees the list", lambda: ids.next_n(1_000_000))
    holding("fill() of a million, no wait", lambda: ids.fill(buffer))


if __name__ == "__main__":
    main()
