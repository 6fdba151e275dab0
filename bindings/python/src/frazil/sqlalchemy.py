# SPDX-License-Identifier: MIT
"""Ids of frazil in SQLAlchemy 2.

    ids = frazil.open(layout="frazil", lazy=True)

    class Order(Base):
        __tablename__ = "orders"
        id: Mapped[int] = primary_key(ids)
        customer: Mapped[int] = mapped_column(Id)

Migrations of Alembic write the types as frazil.sqlalchemy.Id(): put `import frazil.sqlalchemy` into script.py.mako.
"""

from __future__ import annotations

from typing import Any, Optional, Union

from sqlalchemy import BigInteger, Dialect, LargeBinary
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import MappedColumn, mapped_column
from sqlalchemy.types import TypeDecorator, TypeEngine

import frazil

__all__ = ["Id", "Sno", "primary_key"]


class Id(TypeDecorator[int]):
    """A BIGINT.  It also accepts ids as text, as JSON has them."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Union[int, str, None], dialect: Dialect) -> Optional[int]:
        return frazil.from_text(value) if isinstance(value, str) else value


class Sno(TypeDecorator[bytes]):
    """Ten bytes.  It also accepts the 16 characters of a sno; NULL stays None."""

    impl = LargeBinary(10)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Returns the type of the column: MySQL cannot have a BLOB in a key."""
        binary = mysql.BINARY(10) if dialect.name in ("mysql", "mariadb") else LargeBinary(10)
        return dialect.type_descriptor(binary)

    def process_bind_param(self, value: Union[bytes, str, None], dialect: Dialect) -> Optional[bytes]:
        return value if value is None else frazil.sno.from_column(value)

    def process_result_value(self, value: Optional[Any], dialect: Dialect) -> Optional[bytes]:
        return value if value is None else frazil.sno.from_column(bytes(value))


def primary_key(ids: frazil.Generator, **options: Any) -> MappedColumn[int]:
    """Returns a primary key whose new rows get their ids from a generator, which may be lazy."""
    return mapped_column(Id, primary_key=True, autoincrement=False, default=ids.next, **options)
