# SPDX-License-Identifier: MIT
"""SQLAlchemy: ids of frazil as primary keys.  FRAZIL_WORKER says which worker number this host has."""

from sqlalchemy import BigInteger
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

import frazil

# One for the process.  Children that are forked later share it.
ids = frazil.open("layout=frazil")


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False, default=ids.next)
    item: Mapped[str]


def rows_with_ids(rows):
    """For bulk inserts: one call takes the ids of all rows."""
    return [{"id": id, **row} for id, row in zip(ids.next_n(len(rows)), rows)]
