# SPDX-License-Identifier: MIT
"""SQLAlchemy: ids of frazil as primary keys.  FRAZIL_WORKER says which worker number this host has."""

from sqlalchemy.orm import DeclarativeBase, Mapped

import frazil
from frazil.sqlalchemy import primary_key

# One for the process, opened when the first row needs an id.
ids = frazil.open("layout=frazil", lazy=True)


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"

    id: Mapped[int] = primary_key(ids)
    item: Mapped[str]


def rows_with_ids(rows):
    """For bulk inserts: one call takes the ids of all rows."""
    return [{"id": id, **row} for id, row in zip(ids.next_n(len(rows)), rows)]
