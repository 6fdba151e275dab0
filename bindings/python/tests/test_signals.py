# SPDX-License-Identifier: MIT
"""Ctrl-C ends every call that waits, whatever it waits for."""

import json
import os
import subprocess

import pytest
from conftest import run_python

# A shell starts what runs in its background with SIGINT ignored, and Python leaves that as it is.
#
# No thread takes the GIL from another one that has it: so a second thread that runs while the first is in its call sees
# a call that has let it go, to wait.
BEGIN = """
import frazil, os, signal, sys, threading, time

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.setswitchinterval(3600)


def signalled(number, call):
    def run():
        return call()

    def send():
        while not is_running():
            if ended.wait(0.01):
                return
        os.kill(os.getpid(), number)

    def is_running():
        frame = sys._current_frames()[caller]
        while frame is not None and frame.f_code is not run.__code__:
            frame = frame.f_back
        return frame is not None

    caller = threading.get_ident()
    ended = threading.Event()
    sender = threading.Thread(target=send)
    sender.start()
    try:
        return run()
    finally:
        ended.set()
        sender.join()


def interrupt(call):
    try:
        print(signalled(signal.SIGINT, call))
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_ctrl_c_ends_a_wait():
    code = BEGIN + (
        "noon = round(time.time() * 1000) - 12 * 3_600_000\n"
        "spec = f'layout=31/20/1 epoch={noon} tick=24h worker=fixed:5 state=memory max_wait=unlimited'\n"
        "generator = frazil.open(spec)\n"
        "generator.take(2, timeout=0)\n"
        "interrupt(generator.next)\n"
    )
    assert run_python(code) == "interrupted\n"


FROZEN = """
clock = frazil.ManualClock("2026-05-01", frozen=True)
ids = frazil.open("layout=41/20/1 worker=fixed:5 start=zero", state="memory", max_wait="unlimited", clock=clock)
ids.next_n(2)
try:
    interrupt(ids.next)
except frazil.RetryError:
    print("refused")
"""


def test_ctrl_c_ends_a_wait_on_a_frozen_clock():
    """It never comes to an end by itself, unless it is refused."""
    assert run_python(BEGIN + FROZEN) in ("interrupted\n", "refused\n")


NEXT = """
redis, socket = int(sys.argv[1]), sys.argv[2]
ids = frazil.open(f"worker=fixed:3 batch=1 max_wait=unlimited state=redis+unix://{socket}/slots?timeout=200ms")
ids.next()
os.kill(redis, signal.SIGSTOP)
interrupt(ids.next)
"""


def test_ctrl_c_ends_a_wait_for_a_silent_server_of_slots(redis):
    process, socket, environment = redis
    assert run_python(BEGIN + NEXT, str(process.pid), str(socket), env=environment) == "interrupted\n"


# The last close ends in its own two seconds, and its worker id is given back when Redis answers again.
SILENT = """
redis, socket, how = int(sys.argv[1]), sys.argv[2], sys.argv[3]
spec = f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m"


def threads():
    return len(os.listdir("/proc/self/task"))


before = threads()
if how in ("open", "lazy"):
    ids = frazil.open(spec, lazy=True)
    call = ids.next if how == "lazy" else lambda: frazil.open(spec)
else:
    ids = frazil.open(spec, keeper="hook")
    call = {"keep": lambda: ids.keep(600), "keep on": lambda: ids.keep(None), "close": lambda: ids.close(600)}[how]
if how in ("keep", "keep on"):
    while ids.health().next_keep:
        time.sleep(0.01)
os.kill(redis, signal.SIGSTOP)
interrupt(call)
print(threads() > before, ids.closed)
os.kill(redis, signal.SIGCONT)
if how in ("keep", "keep on"):
    ids.next()
    ids.close(60)
while threads() > before:
    time.sleep(0.01)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="it counts threads as Linux does")
@pytest.mark.parametrize("how", ["open", "lazy", "keep", "keep on", "close"])
def test_ctrl_c_ends_a_call_to_a_silent_coordinator(redis, how):
    """What was asked for goes on, and its result is given back: the server holds no lease at the end."""
    process, socket, environment = redis
    out = run_python(BEGIN + SILENT, str(process.pid), str(socket), how, env=environment)
    assert out == f"interrupted\nTrue {how == 'close'}\n"
    assert held(socket, environment) == 0


def held(socket, environment):
    """Returns how many worker ids the server has given."""
    listed = subprocess.run(
        [os.environ["FRAZIL_COMMAND"], "lease", "list", "--json", "layout=41/10/12", "horizon=10s",
         f"worker=redis+unix://{socket}/test"],
        env=environment, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
    return json.loads(listed.splitlines()[0])["held"]


# What is registered first runs last: after the end of the generators.
LEAVES = """
import atexit

redis, socket = int(sys.argv[1]), sys.argv[2]


def state():
    with open(f"/proc/{redis}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def end():
    os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", f"sleep 1; kill -CONT {redis}")
    frazil._generator._close_all()


atexit.unregister(frazil._generator._close_all)
atexit.register(lambda: print("silent" if state() == "T" else "answers"))
atexit.register(end)
frazil._generator._END_S = 3600
os.kill(redis, signal.SIGSTOP)
spec = f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m"
interrupt(lambda: frazil.open(spec))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="it looks at a process as Linux shows it")
def test_a_program_that_ends_after_ctrl_c_gives_back_what_a_coordinator_still_gives(redis):
    process, socket, environment = redis
    out = run_python(BEGIN + LEAVES, str(process.pid), str(socket), env=environment)
    assert out == "interrupted\nanswers\n"
    assert held(socket, environment) == 0


FORKS = """
redis, socket = int(sys.argv[1]), sys.argv[2]
children = []


def fork(*_):
    children.append(os.fork())
    if children[-1] != 0:
        os.kill(redis, signal.SIGCONT)


signal.signal(signal.SIGALRM, fork)
os.kill(redis, signal.SIGSTOP)
spec = f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m"
try:
    ids = signalled(signal.SIGALRM, lambda: frazil.open(spec))
    os.waitpid(children[0], 0)
    print("parent", ids.next() > 0)
except frazil.SystemCallError as error:
    print("child", "forked" in error.message, flush=True)
    os._exit(0)
"""


def test_a_handler_that_forks_while_a_silent_coordinator_is_asked(redis):
    """The child has no thread that opens the generator, and does not wait for it."""
    process, socket, environment = redis
    out = run_python(BEGIN + FORKS, str(process.pid), str(socket), env=environment)
    assert out == "child True\nparent True\n"


# The URL gives Redis a minute, after which the call would fail otherwise.
BUSY = """
redis, socket = int(sys.argv[1]), sys.argv[2]


def work():
    try:
        while True:
            taken.append(ids.next())
    except frazil.FatalError as error:
        print(error.code)


taken = []
ids = frazil.open(f"worker=fixed:3 batch=1 max_wait=unlimited state=redis+unix://{socket}/slots?timeout=5s")
thread = threading.Thread(target=work)
thread.start()
while not taken:
    time.sleep(0.01)
os.kill(redis, signal.SIGSTOP)
last = -1
while last != len(taken):  # then it asks
    last = len(taken)
    time.sleep(1)
ids.close()
"""


def test_close_ends_a_call_that_asks_a_silent_server_of_slots(redis):
    process, socket, environment = redis
    out = run_python(BEGIN + BUSY, str(process.pid), str(socket), env=environment)
    assert out == "FRAZIL_ESTOPPED\n"


TAKES = """
redis, socket = int(sys.argv[1]), sys.argv[2]


def take(*_):
    try:
        ids.next()
    except frazil.RetryError as error:
        print(error.code, "opens the generator" in error.message)
    os.kill(redis, signal.SIGCONT)


signal.signal(signal.SIGALRM, take)
ids = frazil.open(
    f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m", lazy=True
)
os.kill(redis, signal.SIGSTOP)
print(signalled(signal.SIGALRM, ids.next) > 0, ids.next() > 0)
"""


def test_a_handler_that_takes_ids_while_their_generator_is_opened(redis):
    """It would wait for itself."""
    process, socket, environment = redis
    out = run_python(BEGIN + TAKES, str(process.pid), str(socket), env=environment)
    assert out == "FRAZIL_EAGAIN True\nTrue True\n"


CLOSED = """
redis, socket = int(sys.argv[1]), sys.argv[2]
ids = frazil.open(
    f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m", lazy=True
)


def work():
    try:
        ids.next()
    except frazil.FatalError as error:
        print(error.code)


os.kill(redis, signal.SIGSTOP)
thread = threading.Thread(target=work)
before = len(os.listdir("/proc/self/task"))
thread.start()
while len(os.listdir("/proc/self/task")) < before + 2:  # the second one asks Redis
    time.sleep(0.01)
ids.close()
os.kill(redis, signal.SIGCONT)
thread.join()
print(ids.closed)
"""


def test_a_lazy_generator_that_is_closed_while_a_thread_opens_it_stays_closed(redis):
    process, socket, environment = redis
    out = run_python(BEGIN + CLOSED, str(process.pid), str(socket), env=environment)
    assert out == "FRAZIL_ESTOPPED\nTrue\n"


WITHIN = """
redis, socket = int(sys.argv[1]), sys.argv[2]
ids = frazil.open(f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m")
os.kill(redis, signal.SIGSTOP)
try:
    ids.close(0.2)
except frazil.FrazilError as error:
    print(error.code)
print(ids.closed)
"""


def test_close_says_that_a_silent_coordinator_did_not_answer_in_its_time(redis):
    process, socket, environment = redis
    out = run_python(BEGIN + WITHIN, str(process.pid), str(socket), env=environment)
    assert out == "FRAZIL_EAGAIN\nTrue\n"


BLOCKED = """
redis, socket = int(sys.argv[1]), sys.argv[2]
spec = f"layout=41/10/12 horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m"
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(redis, signal.SIGSTOP)
before = len(os.listdir("/proc/self/task"))
thread = threading.Thread(target=frazil.open, args=(spec,))
thread.start()
while len(os.listdir("/proc/self/task")) < before + 2:  # the second one asks Redis
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGUSR1)
time.sleep(0.1)
os.kill(redis, signal.SIGCONT)
thread.join()
print(signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1)
"""


def test_a_signal_that_all_threads_block_is_not_delivered_to_a_thread_of_the_package(redis):
    process, socket, environment = redis
    out = run_python(BEGIN + BLOCKED, str(process.pid), str(socket), env=environment)
    assert out == "True\n"


ENDED = """
redis, socket = int(sys.argv[1]), sys.argv[2]


def threads():
    return len(os.listdir("/proc/self/task"))


def raise_late(*_):
    running, begun = threads(), time.monotonic()
    os.kill(redis, signal.SIGCONT)
    while threads() == running and time.monotonic() < begun + 60:
        time.sleep(0.01)
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, raise_late)
os.kill(redis, signal.SIGSTOP)
signal.setitimer(signal.ITIMER_REAL, 1)
try:
    frazil.open(f"layout=41/10/12 keeper=hook horizon=10s worker=redis+unix://{socket}/test?timeout=60s open_wait=10m")
except KeyboardInterrupt:
    begun = time.monotonic()
    frazil._frazil.close_all([], 60.0)
    print(time.monotonic() - begun < 30)
"""


def test_an_opening_that_ends_while_a_handler_runs_is_not_waited_for_at_the_end(redis):
    process, socket, environment = redis
    out = run_python(BEGIN + ENDED, str(process.pid), str(socket), env=environment)
    assert out == "True\n"
