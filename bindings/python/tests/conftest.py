# SPDX-License-Identifier: MIT
"""What several tests use."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import frazil

#: The source tree of frazil, which has the cases and vectors that all bindings are held against.
TREE = os.environ.get("TEST_TREE")


def tree_file(name):
    """Returns the path of a file of the source tree; a test that needs one is skipped without the tree."""
    if TREE is None:
        pytest.skip("TEST_TREE names no source tree of frazil", allow_module_level=True)
    return Path(TREE) / name


@pytest.fixture(autouse=True)
def no_environment(monkeypatch, tmp_path):
    """Each test has folders of its own, and no setting from outside."""
    for name in list(os.environ):
        if name.startswith("FRAZIL_") and name != "FRAZIL_COMMAND":
            monkeypatch.delenv(name)
    for key in ("run_dir", "state_dir", "host_dir"):
        folder = tmp_path / key
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(f"FRAZIL_{key.upper()}", str(folder))


@pytest.fixture
def ids():
    """A generator with kept state, as most programs have it."""
    with frazil.open("worker=fixed:5") as generator:
        yield generator


def run_python(code, *args, **options):
    return subprocess.run(
        [sys.executable, "-c", code, *args], stdout=subprocess.PIPE, text=True, check=True, timeout=300, **options
    ).stdout


@pytest.fixture
def redis(tmp_path):
    """A Redis with a namespace of ours: its process, its socket, and the environment to ask it with."""
    parts, command, server = (
        os.environ.get("TEST_PARTS"),
        os.environ.get("FRAZIL_COMMAND"),
        shutil.which("redis-server"),
    )
    if not (parts and command and server):
        pytest.skip("it needs redis-server, the command, and the part for Redis in TEST_PARTS")
    socket = tmp_path / "s"
    environment = dict(os.environ, LD_LIBRARY_PATH=parts)
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "yes", "--dir", str(tmp_path)]
    process = subprocess.Popen([server, *options], stdout=subprocess.DEVNULL)
    try:
        spec = ["layout=41/10/12", "horizon=10s", f"worker=redis+unix://{socket}/test"]
        begun = time.monotonic()
        while subprocess.run(
            [command, "lease", "init", "--never-used", *spec], env=environment, check=False
        ).returncode:
            assert process.poll() is None
            assert time.monotonic() - begun < 300
            time.sleep(0.1)
        yield process, socket, environment
    finally:
        process.kill()
        process.wait()
