# SPDX-License-Identifier: MIT
"""frazil.django and frazil.sqlalchemy in projects as their users have them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import run_python

import frazil

MODELS = """
from django.db import models
from frazil.django import FrazilField, created_between


class Customer(models.Model):
    id = FrazilField(primary_key=True)


class Order(models.Model):
    id = FrazilField(primary_key=True)
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE)
    reference = FrazilField(unique=True)
    parent = FrazilField(null=True)
"""

USE = """
import time
import frazil.django
from shop.models import Customer, Order, created_between

assert frazil.django.ids().next_text
ann = Customer.objects.create()
from django.db import connection, reset_queries
reset_queries()
first = Order.objects.create(customer=ann)
assert len(connection.queries) == 1, connection.queries  # an INSERT, and no UPDATE before it
many = Order.objects.bulk_create([Order(customer=ann) for _ in range(100)])
stored = list(Order.objects.order_by("id").values_list("id", "reference", "parent"))
assert [id for id, _, _ in stored] == [first.id] + [order.id for order in many]
assert len({id for row in stored for id in row[:2]}) == 202
assert {parent for _, _, parent in stored} == {None}
assert frazil.django.ids().inspect(first.id).worker == 5
now = round(time.time() * 1000)
assert Order.objects.filter(created_between("id", now - 3_600_000, now + 3_600_000)).count() == 101
assert Order.objects.filter(created_between("id", now - 7_200_000, now - 3_600_000)).count() == 0
Order(id=7, customer=ann).save()
assert Order.objects.get(id=7).customer == ann

from django.test.utils import override_settings
with override_settings(FRAZIL="layout=twitter worker=fixed:6"):
    assert frazil.Layout("twitter") == frazil.django.ids().layout
    assert frazil.django.ids().inspect(Customer().id).worker == 6
with override_settings(FRAZIL={"layout": "twitter", "worker": 6, "state": "memory"}):
    assert frazil.django.ids().info().state == "memory"
print("good")
"""

# A process that only reads: it has no worker id.
READ = """
import time
import frazil
from shop.models import Order, created_between

now = round(time.time() * 1000)
for layout in ("frazil", frazil.Layout("frazil")):
    assert Order.objects.filter(created_between("id", now - 3_600_000, now + 3_600_000, layout)).count() == 101
print("read")
"""


@pytest.fixture
def project(tmp_path):
    """A project that django-admin has made, with one app; `manage(...)` runs its manage.py."""
    pytest.importorskip("django")
    folder = tmp_path / "project"
    folder.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FRAZIL_")}

    def run(*command, **environment):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=folder, env={**clean, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    run("-m", "django", "startproject", "site_of_ours", ".")
    run("manage.py", "startapp", "shop")
    (folder / "shop" / "models.py").write_text(MODELS)
    settings = folder / "site_of_ours" / "settings.py"
    settings.write_text(settings.read_text() + "\nINSTALLED_APPS += ['shop']\n")
    run.folder = folder
    return run


def test_django(project, tmp_path):
    # No worker id, and no folder that could be written: as in the build of an image.
    nowhere = {"FRAZIL_RUN_DIR": "/dev/null/nowhere", "HOME": "/nonexistent"}
    project("manage.py", "makemigrations", **nowhere)
    migration = (project.folder / "shop" / "migrations" / "0001_initial.py").read_text()
    assert "('id', frazil.django.FrazilField(primary_key=True, serialize=False))" in migration
    assert "('parent', frazil.django.FrazilField(null=True))" in migration
    project("manage.py", "makemigrations", "--check", **nowhere)
    project("manage.py", "check", **nowhere)
    project("manage.py", "migrate", **nowhere)
    places = {f"FRAZIL_{key}": os.environ[f"FRAZIL_{key}"] for key in ("RUN_DIR", "STATE_DIR", "HOST_DIR")}
    use = Path(tmp_path) / "use.py"
    use.write_text(USE)
    shell = "from django.conf import settings; settings.DEBUG = True; " + f"exec(open({str(use)!r}).read())"
    assert project("manage.py", "shell", "-c", shell, FRAZIL_WORKER="fixed:5", **places).endswith("good\n")
    use.write_text(READ)
    assert project("manage.py", "shell", "-c", shell, **nowhere).endswith("read\n")


FORKS = """
import os, threading
from django.conf import settings

settings.configure(FRAZIL={"worker": 5})
import frazil, frazil.django

parent = os.getpid()
inside, go_on = threading.Event(), threading.Event()
real = frazil.open


def slow(*args, **keys):
    if os.getpid() == parent:
        inside.set()
        go_on.wait()
    return real(*args, **keys)


frazil.open = slow
thread = threading.Thread(target=frazil.django.next_id)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    os._exit(0 if frazil.django.next_id() > 0 else 1)
print(os.waitpid(child, 0)[1])
go_on.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_django_does_not_wait_for_a_thread_of_its_parent():
    pytest.importorskip("django")
    assert run_python(FORKS) == "0\n"


@pytest.mark.parametrize(
    ("name", "column"),
    [("mysql", "BINARY(10)"), ("mariadb", "BINARY(10)"), ("postgresql", "BYTEA"), ("sqlite", "BLOB")],
)
def test_a_column_of_snos_can_be_a_key(name, column):
    pytest.importorskip("sqlalchemy")
    from sqlalchemy.engine import url

    from frazil.sqlalchemy import Sno

    dialect = url.make_url(f"{name}://").get_dialect()()
    assert Sno().compile(dialect=dialect) == column


def test_sqlalchemy(monkeypatch):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

    from frazil.sqlalchemy import Id, Sno, primary_key

    ids = frazil.open("layout=frazil", lazy=True)  # there is no worker id yet

    class Base(DeclarativeBase):
        pass

    class Order(Base):
        __tablename__ = "orders"
        id: Mapped[int] = primary_key(ids)
        customer: Mapped[int] = mapped_column(Id)
        trace: Mapped[bytes] = mapped_column(Sno, nullable=True)

    engine = sqlalchemy.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    monkeypatch.setenv("FRAZIL_WORKER", "fixed:5")
    sno = frazil.sno.compose("2026-05-01", partition=7)
    with Session(engine) as session:
        orders = [Order(customer=str(2**60 + i), trace=frazil.sno.encode(sno)) for i in range(10)]
        session.add_all(orders)
        session.flush()
        session.execute(sqlalchemy.insert(Order), [{"customer": 1}] * 100)
        session.expire_all()
        stored = session.scalars(sqlalchemy.select(Order).order_by(Order.id)).all()
        assert len({order.id for order in stored}) == 110
        assert stored[0].customer == 2**60
        assert (stored[0].trace, stored[-1].trace) == (sno, None)
        assert session.scalars(sqlalchemy.select(Order).where(Order.id == str(stored[3].id))).one() is stored[3]
    assert ids.inspect(stored[0].id).worker == 5
    ids.close()
