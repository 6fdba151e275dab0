# SPDX-License-Identifier: MIT
"""Many at once: threads, forks, spawned processes, interpreters, crashes, two languages.  No id is issued twice."""

import array
import asyncio
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import run_python

import frazil

SPEC = "layout=41/10/12 worker=fixed:5"
EACH = 20_000


def assert_unique(batches, expected):
    ids = [id for batch in batches for id in batch]
    assert len(ids) == expected
    assert len(set(ids)) == expected
    for batch in batches:
        assert list(batch) == sorted(batch)


def take_mixed(generator, n):
    """Takes ids through all doors."""
    taken = array.array("Q")
    while len(taken) < n:
        taken.append(generator.next())
        taken.append(next(generator))
        taken.append(int(generator.next_text()))
        taken.extend(generator.next_n(10))
        id = generator.try_next()
        if id is not None:
            taken.append(id)
        taken.extend(generator.try_take(5)[0])
        buffer = array.array("Q", bytes(8 * 7))
        generator.fill(buffer)
        taken.extend(buffer)
    return taken[:n]


def test_threads(ids):
    batches = [None] * 8

    def work(i):
        batches[i] = take_mixed(ids, EACH)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(batches))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_unique(batches, 8 * EACH)


def test_coroutines(ids):
    async def work():
        taken = [await ids.anext() for _ in range(200)]
        return taken + await ids.atake(5000)

    async def main():
        return await asyncio.gather(*(work() for _ in range(10)))

    assert_unique(asyncio.run(main()), 10 * 5200)


def test_an_event_loop_goes_on_while_a_coroutine_waits():
    """A tick of a day is empty: the wait would last for hours, and the loop turns meanwhile."""
    noon = round(time.time() * 1000) - 12 * 3_600_000

    async def main():
        with frazil.open(
            f"layout=31/20/1 epoch={noon} tick=24h worker=fixed:5 state=memory max_wait=unlimited"
        ) as generator:
            await generator.atake(2)
            waiting = asyncio.create_task(generator.anext())
            for _ in range(20):
                await asyncio.sleep(0.001)
            assert not waiting.done()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            with pytest.raises(frazil.RetryError) as caught:
                await generator.atake(1, timeout=0.01)
            assert caught.value.retry > 36_000

    asyncio.run(main())


# ---- processes --------------------------------------------------------------------------


def fork_and_take(generator, n):
    """Forks a child that takes ids; returns its process id and the descriptor that they come from."""
    read_fd, write_fd = os.pipe()
    child = os.fork()
    if child != 0:
        os.close(write_fd)
        return child, read_fd
    status = 1
    try:
        os.close(read_fd)
        with open(write_fd, "wb") as file:
            file.write(take_mixed(generator, n).tobytes())
        status = 0
    finally:
        os._exit(status)


def collect(child, fd):
    with open(fd, "rb") as file:
        batch = array.array("Q", file.read())
    assert os.waitpid(child, 0)[1] == 0
    return batch


@pytest.mark.parametrize("keeper", ["thread", "inline", "hook"])
def test_forks_share_one_generator(keeper):
    with frazil.open(SPEC, keeper=keeper) as generator:
        before = generator.next_n(100)
        children = [fork_and_take(generator, EACH) for _ in range(4)]
        batches = [take_mixed(generator, EACH)] + [collect(*child) for child in children]
        assert_unique([before, *batches], 5 * EACH + 100)


def test_a_child_keeps_the_grant_when_its_parent_is_gone():
    """The grandchild lives longer than a grant reaches, and nobody but itself can extend it."""
    generator = frazil.open(SPEC)
    read_fd, write_fd = os.pipe()
    if (child := os.fork()) == 0:
        if os.fork() == 0:
            os.close(read_fd)
            result = {"failures": 0, "calm": 0}
            begun = time.monotonic()
            while time.monotonic() - begun < 1.3 * generator.health().horizon:
                try:
                    generator.next()
                    result["calm"] += generator._never_asks()
                except frazil.FrazilError:
                    result["failures"] += 1
                time.sleep(0.01)
            result["extensions"] = generator.stats()["extensions"]
            os.write(write_fd, json.dumps(result).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write_fd)
    before = generator.stats()["extensions"]
    generator.close()
    with open(read_fd, "rb") as file:
        result = json.loads(file.read())
    assert result["failures"] == 0
    assert result["calm"] > 0
    assert result["extensions"] > before


def test_a_fork_while_threads_are_in_calls(ids):
    """Calls of the parent's threads are none of the child's: its close() does not wait for them."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            ids.next_n(5000)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        child = os.fork()
        if child == 0:
            ids.next_n(10)
            ids.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    for thread in threads:
        thread.join()


def pool_task(n):
    with frazil.open(SPEC, shared=True) as generator:
        return generator.next_n(n)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(method):
    """Each task opens the generator anew: with kept state, all processes of a host share one sequence."""
    with multiprocessing.get_context(method).Pool(3) as pool:
        assert_unique(pool.map(pool_task, [200] * 30, chunksize=1), 6000)


def test_a_process_that_is_killed_and_its_successors():
    """Each one is killed in the middle of taking; what it printed until then, and all that follows, differs."""
    code = (
        "import frazil, sys\n"
        f"generator = frazil.open({SPEC!r})\n"
        "while True:\n"
        "    print('\\n'.join(map(str, generator.next_n(1000))), flush=True)\n"
    )
    batches = []
    for _ in range(4):
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        lines = [next(child.stdout) for _ in range(5000)]
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.wait()
        lines += [line + "\n" for line in rest.split("\n")[:-1]]
        batches.append([int(line) for line in lines])
    assert_unique(batches, sum(map(len, batches)))
    assert [batch[0] for batch in batches] == sorted(batch[0] for batch in batches)


# ---- two languages -------------------------------------------------------------------------


def test_the_command_shares_the_worker_number(ids):
    command = os.environ.get("FRAZIL_COMMAND") or shutil.which("frazil")
    if command is None:
        pytest.skip("there is no command frazil: FRAZIL_COMMAND names it")
    arguments = [command, "next", "-n", str(EACH), "worker=fixed:5"]
    others = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    own = take_mixed(ids, EACH)
    batches = [own]
    for other in others:
        out, _ = other.communicate(timeout=300)
        assert other.returncode == 0
        batches.append([int(line) for line in out.split()])
    assert {ids.inspect(id).worker for batch in batches for id in batch[:10]} == {5}
    assert_unique(batches, 4 * EACH)


# ---- interpreters ------------------------------------------------------------------------------


def test_interpreters_of_one_process(tmp_path):
    """Each interpreter has the module anew; their ids differ, and the main one goes on when they are gone."""
    code = f"""
import os, sys
try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        print("none")
        sys.exit()
import frazil
folder = sys.argv[1]
main = frazil.open({SPEC!r}, shared=True)
inside = '''
import frazil
with frazil.open({SPEC!r}, shared=True) as generator:
    with open("%s", "w") as file:
        file.write("\\\\n".join(map(str, generator.next_n(2000))))
    try:
        frazil.open("nonsense=1")
    except frazil.UsageError:
        pass
'''
for i in range(5):
    interpreter = interpreters.create()
    interpreters.run_string(interpreter, inside % f"{{folder}}/{{i}}")
    interpreters.destroy(interpreter)
    main.next()
ids = [int(line) for i in range(5) for line in open(f"{{folder}}/{{i}}")] + main.next_n(2000)
assert len(set(ids)) == 12_000, len(set(ids))
print("good")
"""
    out = run_python(code, str(tmp_path)).strip()
    if out == "none":
        pytest.skip("this Python has no module for interpreters")
    assert out == "good"


# ---- the end -------------------------------------------------------------------------------------

EMPTY = """
import frazil, os, signal, sys, threading, time
noon = round(time.time() * 1000) - 12 * 3_600_000
generator = frazil.open(f"layout=31/20/1 epoch={noon} tick=24h worker=fixed:5 state=memory max_wait=unlimited")
generator.take(2, timeout=0)
"""


def test_the_end_of_the_program_ends_waits():
    code = EMPTY + (
        "for _ in range(3):\n"
        "    threading.Thread(target=generator.next, daemon=True).start()\n"
        "time.sleep(0.1)\n"
        "sys.stderr.close()\n"
        "print('over')\n"
    )
    assert run_python(code) == "over\n"


def test_the_end_of_the_program_gives_the_worker_number_back(tmp_path):
    spec = f"layout=41/1/21 worker=file-lock count=1 namespace=alone state_dir={tmp_path} run_dir={tmp_path}"
    code = f"import frazil; generator = frazil.open({spec!r}); print(generator.next())"
    assert int(run_python(code)) < int(run_python(code))


def test_a_generator_outlives_its_module():
    code = (
        f"import frazil, sys\ngenerator = frazil.open({SPEC!r})\nnext = generator.next\n"
        "for name in [name for name in sys.modules if name.startswith('frazil')]:\n    del sys.modules[name]\n"
        "del frazil\nimport gc\ngc.collect()\nassert next() < next()\n"
        "import frazil\nassert frazil.open('worker=fixed:5').next()\nprint('good')\n"
    )
    assert run_python(code) == "good\n"


# ---- a wall clock that is set -------------------------------------------------------------------

# As if the clock had been set back by an hour since the kernel was asked: a deadline by it is over at once.
HOUR_BACK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ret)
{
    int result = (int)syscall(SYS_clock_gettime, id, ret);

    ret->tv_sec -= id == CLOCK_REALTIME ? 3600 : 0;
    return result;
}
"""

# close_all keeps the list of the generators that have not been closed in time.
CLOSING = """
import frazil, sys, time

assert time.time() + 3000 < float(sys.argv[1])
opened = [frazil.open(f"worker=fixed:{number} state=memory") for number in range(20)]
before = sys.getrefcount(opened)
frazil._frazil.close_all(opened, 60.0)
print(sys.getrefcount(opened) - before)
"""


@pytest.mark.skipif(not (sys.platform == "linux" and shutil.which("cc")), reason="it needs Linux and a C compiler")
def test_the_time_for_the_end_is_not_of_the_wall_clock(tmp_path):
    """A clock that was set forward would cut the end short, and leave worker ids in use."""
    library = tmp_path / "back.so"
    (tmp_path / "back.c").write_text(HOUR_BACK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "back.c"], check=True)
    preloaded = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(library)]))
    out = run_python(CLOSING, str(time.time()), env={**os.environ, "LD_PRELOAD": preloaded})
    assert out == "0\n"


# ---- a coordinator that does not answer -----------------------------------------------------------

ORPHAN = """
import frazil, os, signal, sys, threading, time

redis, socket = int(sys.argv[1]), sys.argv[2]
generator = frazil.open(f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=2s max_wait=3s")
read_fd, write_fd = os.pipe()
if os.fork() == 0:
    if os.fork() != 0:
        os._exit(0)
    waits, fenced = [], False

    def turn():
        last = time.monotonic()
        while not fenced:
            time.sleep(0.001)
            now = time.monotonic()
            waits.append(now - last)
            last = now

    other = threading.Thread(target=turn)
    other.start()
    generator.next()
    os.kill(redis, signal.SIGSTOP)
    while not fenced:
        try:
            generator.next()
        except frazil.FencedError:
            fenced = True
        except frazil.RetryError:
            pass
        time.sleep(0.001)
    other.join()
    # A call that keeps the GIL while it asks keeps it for the timeout of two seconds, several times.
    # The machine may also stand still for so long, but hardly twice.
    os.write(write_fd, b"kept" if sum(wait > 1.8 for wait in waits) > 1 else b"let go")
    os._exit(0)
os.close(write_fd)
os.wait()
print(os.read(read_fd, 10).decode(), flush=True)
os._exit(0)
"""


def test_nobody_keeps_the_gil_while_a_coordinator_is_silent(redis):
    """A child whose opener is gone keeps the grant itself; Redis is stopped until that has ended."""
    process, socket, environment = redis
    assert run_python(ORPHAN, str(process.pid), str(socket), env=environment) == "let go\n"


ENDING = """
import atexit, frazil, os, signal, sys, time

redis, socket = int(sys.argv[1]), sys.argv[2]
opened = [frazil.open(f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=2s") for _ in range(24)]
begun = [0.0]
# Handlers run in the order from the last one to the first.
atexit.unregister(frazil._generator._close_all)
atexit.register(lambda: print(time.monotonic() - begun[0]))
atexit.register(frazil._generator._close_all)
for generator in opened:
    generator.next()
os.kill(redis, signal.SIGSTOP)
begun = [time.monotonic()]
del opened[12:], generator
print(time.monotonic() - begun[0])
begun = [time.monotonic()]
"""


def test_a_silent_coordinator_holds_up_neither_the_collector_nor_the_end(redis):
    """One after the other, twelve generators would take twelve seconds and more, each time."""
    process, socket, environment = redis
    collected, ended = map(float, run_python(ENDING, str(process.pid), str(socket), env=environment).split())
    assert collected < 10
    assert ended < 10


def test_the_end_of_the_program_gives_leases_back(redis):
    _, socket, environment = redis
    spec = f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test"
    for end in ("", "del ids", "ids.close()", "sys.exit(0)"):
        code = f"import frazil, sys; ids = [frazil.open({spec!r}) for _ in range(5)][2]; ids.next(); {end}"
        run_python(code, env=environment)
        listed = subprocess.run(
            [os.environ["FRAZIL_COMMAND"], "lease", "list", "--json", *spec.split()],
            env=environment, stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip
        assert json.loads(listed.splitlines()[0])["held"] == 0, (end, listed)


# A URL whose timeout is far above each wait: who is bounded by the URL takes minutes.
SILENT = """
import asyncio, frazil, os, signal, sys, time

redis, socket = int(sys.argv[1]), sys.argv[2]
ids = frazil.open(f"worker=fixed:3 batch=1 max_wait=200ms state=redis+unix://{socket}/slots?timeout=60s")
ids.take(1, timeout=200)  # new slots begin a little ahead
os.kill(redis, signal.SIGSTOP)
begun = time.monotonic()
for call in (
    ids.next,
    lambda: ids.take(1, timeout=0.2),
    lambda: ids.next_n(5),
    lambda: asyncio.run(ids.anext()),
    lambda: asyncio.run(ids.atake(1)),
    lambda: asyncio.run(ids.atake(1, timeout=0.2)),
):
    try:
        print("an id", call())
    except frazil.RetryError as error:
        print(error.code, socket in error.message, "not answer" in error.message)
print(time.monotonic() - begun < 50)
os.kill(redis, signal.SIGCONT)
while not ids.try_next():
    pass
"""


def test_a_silent_server_of_slots_is_waited_for_no_longer_than_a_call_may(redis):
    process, socket, environment = redis
    out = run_python(SILENT, str(process.pid), str(socket), env=environment)
    assert out == "FRAZIL_EUNREACHABLE True True\n" * 6 + "True\n"


# A new slot begins with the next tick.
FULL = """
import frazil, sys, time

epoch = round(time.time() * 1000) - 45_000
ids = frazil.open(
    f"layout=31/20/1 epoch={epoch} tick=30s worker=fixed:3 batch=1 max_wait=60s allow_short_life=yes"
    f" on_full=error state=redis+unix://{sys.argv[1]}/slots"
)
begun = time.monotonic()
try:
    print("an id", ids.next())
except frazil.RetryError as error:
    print(error.code, error.retry, time.monotonic() - begun < 20)
"""


def test_an_error_of_a_policy_over_slots_is_not_waited_for(redis):
    _, socket, environment = redis
    assert run_python(FULL, str(socket), env=environment) == "FRAZIL_EFULL 30.0 True\n"


# A proxy between the program and Redis delays each answer by more than the second that a URL allows by default.
SLOW = """
import frazil, socket, sys, threading, time
at, delay = sys.argv[1] + ".slow", 0

def pump(source, sink, is_answer):
    while data := source.recv(65536):
        time.sleep(delay if is_answer else 0)
        sink.sendall(data)

def serve(server):
    while True:
        client, redis = server.accept()[0], socket.socket(socket.AF_UNIX)
        redis.connect(sys.argv[1])
        for way in ((client, redis, False), (redis, client, True)):
            threading.Thread(target=pump, args=way, daemon=True).start()

server = socket.socket(socket.AF_UNIX)
server.bind(at)
server.listen()
threading.Thread(target=serve, args=(server,), daemon=True).start()
ids = frazil.open(f"worker=fixed:3 batch=1 max_wait=60s state=redis+unix://{at}/slots?db=1&timeout=60s")
delay = 2
print(len(ids.next_n(3)))
"""


def test_a_slow_server_of_slots_is_waited_for_as_long_as_its_url_allows(redis):
    _, socket, environment = redis
    assert run_python(SLOW, str(socket), env=environment) == "3\n"


# Redis is stopped until all grants have ended, and answers again when all calls wait for theirs to be extended.
LATE = """
import asyncio, frazil, os, signal, sys, threading, time

redis, socket = int(sys.argv[1]), sys.argv[2]
calls = {
    "next": lambda ids: ids.next(),
    "take": lambda ids: ids.take(1, timeout=200),
    "anext": lambda ids: asyncio.run(ids.anext()),
    "atake": lambda ids: asyncio.run(ids.atake(1)),
}
spec = f"layout=41/10/12 worker=redis+unix://{socket}/short?timeout=60s max_wait=200s"
opened = [(name, frazil.open(spec, keeper=keeper)) for keeper in ("inline", "thread") for name in calls]
os.kill(redis, signal.SIGSTOP)
while any(ids.health().serving for _, ids in opened):
    time.sleep(0.01)
results = []


def work(name, ids):
    try:
        calls[name](ids)
        results.append("an id")
    except frazil.FrazilError as error:
        results.append(f"{name}: {error}")


threads = [threading.Thread(target=work, args=pair) for pair in opened]
for thread in threads:
    thread.start()
time.sleep(0.5)  # longer than a call waits before it lets a signal in
os.kill(redis, signal.SIGCONT)
for thread in threads:
    thread.join()
print(set(results))
"""


def test_an_answer_that_is_late_is_worth_a_wait_after_the_end_of_leases(redis):
    process, socket, environment = redis
    spec = ["layout=41/10/12", "horizon=3s", f"worker=redis+unix://{socket}/short"]
    subprocess.run([os.environ["FRAZIL_COMMAND"], "lease", "init", "--never-used", *spec], env=environment, check=True)
    assert run_python(LATE, str(process.pid), str(socket), env=environment) == "{'an id'}\n"


def test_a_coroutine_whose_time_is_over_before_it_has_a_thread():
    """It fails as one that has waited in vain, and a moment is left for an id that is free."""
    soon = round(time.time() * 1000) - 24 * 3_600_000 + 30_000  # the next tick begins in half a minute
    with frazil.open(f"layout=31/20/1 epoch={soon} tick=24h worker=fixed:6 start=zero", keeper="inline") as generator:
        generator.take(generator.available(), timeout=0)
        long_ago = time.monotonic() - 3600
        for timeout in (0.01, 60, ...):
            with pytest.raises(frazil.RetryError):
                generator._take_since(long_ago, 1, timeout)


def test_coroutines_wait_no_longer_than_max_wait():
    """A tick of a day is empty.  A call that cannot succeed in its time says so at once, as next() does."""
    noon = round(time.time() * 1000) - 12 * 3_600_000
    with frazil.open(f"layout=31/20/1 epoch={noon} tick=24h worker=fixed:5 state=memory max_wait=1s") as generator:
        generator.next_n(2)
        for call in (generator.anext, lambda: generator.atake(1), lambda: generator.__aiter__().__anext__()):
            with pytest.raises(frazil.RetryError, match="max_wait") as caught:
                asyncio.run(asyncio.wait_for(call(), 60))
            assert caught.value.retry > 36_000


def test_keeping_while_a_coordinator_is_silent_raises_nothing(redis):
    process, socket, environment = redis
    program = """
import frazil, os, signal, sys, time
spec, redis = sys.argv[1], int(sys.argv[2])
ids = frazil.open(spec, layout="41/10/12", keeper="hook")
os.kill(redis, signal.SIGSTOP)
while not ids.last_failure():
    time.sleep(min(ids.keep(0.01), 0.01))
os.kill(redis, signal.SIGCONT)
print([event.code for event in ids.events() if event.kind == "extension-failed"])
"""
    said = run_python(program, f"worker=redis+unix://{socket}/test?timeout=100ms", str(process.pid), env=environment)
    assert said == "['FRAZIL_EAGAIN']\n"
