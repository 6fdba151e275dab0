# SPDX-License-Identifier: MIT
"""What several tests use."""

import os
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
