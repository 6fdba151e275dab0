# SPDX-License-Identifier: MIT
"""Ids of frazil in Django.

    from frazil.django import FrazilField

    class Order(models.Model):
        id = FrazilField(primary_key=True)

FRAZIL in the settings describes the ids, as text or as keywords of frazil.open():

    FRAZIL = {"layout": "frazil"}

If it is missing or names no worker, FRAZIL_WORKER is used.  The generator is opened when the first row
needs an id: migrations, checks and builds need no worker id.
"""

from __future__ import annotations

from typing import Any, Optional, Union

from django.conf import settings
from django.core.signals import setting_changed
from django.db import models

import frazil

__all__ = ["FrazilField", "created_between", "ids", "next_id"]

# One element at most.  It has no lock, which a fork could leave locked: setdefault() is atomic, and a second lazy
# generator opens nothing.
_made: dict[str, frazil.Generator] = {}


def ids() -> frazil.Generator:
    """Returns the generator of this process."""
    made = _made.get("ids")
    if made is None:
        given = getattr(settings, "FRAZIL", None) or {}
        options = {"spec": given} if isinstance(given, str) else dict(given)
        made = _made.setdefault("ids", frazil.open(options.pop("spec", ""), lazy=True, **options))
    return made


def next_id() -> int:
    """Returns an id: the default of each FrazilField."""
    return ids().next()


def _forget(*, setting: str, **_: object) -> None:
    """Opens another generator after a test has overridden the setting."""
    if setting == "FRAZIL":
        _made.clear()


setting_changed.connect(_forget)


class FrazilField(models.BigIntegerField):
    """A column of ids.  Each new object gets an id, also in bulk_create()."""

    description = "64-bit id of frazil"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not kwargs.get("null"):
            kwargs.setdefault("default", next_id)
        if kwargs.get("primary_key"):
            kwargs.setdefault("editable", False)
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        """Leaves out the arguments that __init__ adds."""
        name, path, args, kwargs = super().deconstruct()
        if kwargs.get("default") is next_id:
            del kwargs["default"]
        if kwargs.get("primary_key"):
            kwargs.pop("editable", None)
        return name, path, args, kwargs


def created_between(
    field: str,
    begin: frazil.Instant,
    end: frazil.Instant,
    layout: Optional[Union[frazil.Layout, str]] = None,
) -> models.Q:
    """Finds the rows from `begin` until before `end`, by their ids: Order.objects.filter(created_between("id", a, b)).

    Without a layout it opens the generator, and uses the generator's layout.  A process that only reads, and has no
    worker id, passes the layout: created_between("id", a, b, "frazil").
    """
    of = ids().layout if layout is None else frazil.Layout(layout)
    return models.Q(**{f"{field}__gte": of.first(begin), f"{field}__lt": of.first(end)})
