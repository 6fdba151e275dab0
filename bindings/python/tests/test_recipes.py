# SPDX-License-Identifier: MIT
"""The examples do what they promise, with the frameworks that they are for."""

import http.client
import importlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import frazil

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def example(monkeypatch):
    """Imports an example anew."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("FRAZIL_WORKER", "fixed:5")
    loaded = []

    def load(name):
        module = importlib.import_module(name)
        loaded.append(name)
        return module

    yield load
    for name in loaded:
        del sys.modules[name]


def run_example(name, *args):
    environment = dict(os.environ, FRAZIL_WORKER="fixed:5")
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *args],
        env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=300,
    ).stdout  # fmt: skip


def test_django(example):
    django = pytest.importorskip("django")
    from django.conf import settings
    from django.db import connection

    settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, USE_TZ=True)
    django.setup()
    models = example("django_models")
    with connection.schema_editor() as editor:
        editor.create_model(models.Order)
    first = models.Order.objects.create(item="tea")
    many = models.Order.objects.bulk_create([models.Order(item=f"cup {i}") for i in range(100)])
    stored = list(models.Order.objects.order_by("id").values_list("id", flat=True))
    assert stored == [first.id] + [order.id for order in many]
    assert len(set(stored)) == 101
    assert frazil.django.ids().inspect(first.id).worker == 5
    now = round(time.time() * 1000)
    assert models.Order.created_between(now - 3_600_000, now + 3_600_000).count() == 101
    assert models.Order.created_between(now - 7_200_000, now - 3_600_000).count() == 0
    _, path, _, arguments = models.Order._meta.get_field("id").deconstruct()
    assert path == "frazil.django.FrazilField"
    assert arguments == {"primary_key": True, "serialize": False}


def test_sqlalchemy(example):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    from sqlalchemy.orm import Session

    models = example("sqlalchemy_models")
    engine = sqlalchemy.create_engine("sqlite://")
    models.Base.metadata.create_all(engine)
    with Session(engine) as session:
        orders = [models.Order(item=f"cup {i}") for i in range(10)]
        session.add_all(orders)
        session.flush()
        assert [order.id for order in orders] == sorted({order.id for order in orders})
        session.execute(sqlalchemy.insert(models.Order), models.rows_with_ids([{"item": "tea"}] * 1000))
        stored = session.scalars(sqlalchemy.select(models.Order.id)).all()
    assert len(set(stored)) == 1010
    assert models.ids.inspect(stored[0]).worker == 5


def test_fastapi(example):
    pytest.importorskip("fastapi")
    pytest.importorskip("httpx")
    from fastapi.testclient import TestClient

    with TestClient(example("fastapi_app").app) as client:
        orders = [client.post("/orders", params={"item": "tea"}).json() for _ in range(20)]
        assert client.get("/health").json() == {"ready": True, "state": "serving"}
    assert all(isinstance(order["id"], str) for order in orders)
    assert len({order["id"] for order in orders}) == 20
    assert frazil.inspect(orders[0]["id"]).worker == 5


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=300)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(300)
        self.sock.connect(self.path)


def ask(path):
    connection = UnixConnection(path)
    connection.request("GET", "/")
    pid, id = connection.getresponse().read().split()
    connection.close()
    return int(pid), int(id)


@pytest.mark.parametrize("options", [["--preload"], []], ids=["preload", "each on its own"])
def test_gunicorn(tmp_path, options):
    pytest.importorskip("gunicorn")
    path = tmp_path / "socket"
    server = subprocess.Popen(
        [
            sys.executable, "-m", "gunicorn", "--workers", "3", "--bind", f"unix:{path}", "--chdir", str(EXAMPLES),
            "--log-level", "error", "--worker-tmp-dir", str(tmp_path), *options, "wsgi_app:app",
        ],
        env=dict(os.environ, FRAZIL_WORKER="fixed:5", PYTHONDONTWRITEBYTECODE="1"),
    )  # fmt: skip
    try:
        begun = time.monotonic()
        while not path.exists():
            assert server.poll() is None
            assert time.monotonic() - begun < 300
            time.sleep(0.05)
        answers = []
        while len({pid for pid, _ in answers}) < 2 and time.monotonic() - begun < 300:
            answers += [ask(path) for _ in range(50)]
    finally:
        server.terminate()
        assert server.wait(300) == 0
    assert len({pid for pid, _ in answers}) >= 2
    assert len({id for _, id in answers}) == len(answers)


CELERY = """
import sys
from celery.signals import worker_ready
import celery_tasks

path = sys.argv[1]

@worker_ready.connect
def send(**_):
    for _ in range(200):
        celery_tasks.place.delay(path)

celery_tasks.app.worker_main(["worker", "--pool=prefork", "--concurrency=3", "--loglevel=ERROR", "--without-heartbeat",
                              "--without-gossip", "--without-mingle"])
"""


def test_celery(tmp_path):
    pytest.importorskip("celery")
    path = tmp_path / "ids"
    path.touch()
    worker = subprocess.Popen(
        [sys.executable, "-c", CELERY, str(path)],
        cwd=EXAMPLES, env=dict(os.environ, FRAZIL_WORKER="fixed:5", PYTHONDONTWRITEBYTECODE="1", C_FORCE_ROOT="1"),
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        begun = time.monotonic()
        while len(lines := path.read_text().splitlines()) < 200:
            assert worker.poll() is None
            assert time.monotonic() - begun < 300
            time.sleep(0.1)
    finally:
        worker.terminate()
        worker.wait(300)
    assert len({line.split()[1] for line in lines}) == 200
    assert len({line.split()[0] for line in lines}) >= 2


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method):
    assert run_example("pool.py", method) == "10000 ids, 10000 of them different\n"
