"""A row read with SQL that is put together once in a process, for the few places where that counts.

Django writes a query again each time it runs, which takes several times as long as the database needs for one row.
Columns and conversions are those of the models. Writing: `services/rows.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models

Converters = Sequence[tuple[int, Any, Any]]  # which column, its converter, its expression


class Joined:
    """One row of joined tables: of each table an instance of its model with the columns named here, and its key.

    `condition` is what follows the columns, with each table under its name here: "FROM … WHERE …". With `locks` these
    tables' rows stay locked until the transaction ends, in this order.
    """

    def __init__(
        self, tables: Mapping[str, tuple[type[models.Model], Sequence[str]]], condition: str, *, locks: str = ""
    ) -> None:
        self.tables = [(name, model, _columns(model, names)) for name, (model, names) in tables.items()]
        named = [f'{name}."{field.column}"' for name, _, fields in self.tables for field in fields]
        self.sql = f"SELECT {', '.join(named)} {condition}"
        self.locks = locks
        self.converters: dict[str, Converters] = {}

    def get(self, *values: Any) -> tuple[Any, ...]:
        """Return the instances in the order of `tables`; raise DoesNotExist of the first one's model."""
        is_locking = self.locks and connection.features.has_select_for_update
        with connection.cursor() as cursor:
            cursor.execute(f"{self.sql} FOR UPDATE OF {self.locks}" if is_locking else self.sql, values)
            row = cursor.fetchone()
        if row is None:
            raise self.tables[0][1].DoesNotExist  # type: ignore[attr-defined]
        return tuple(self._instances(iter(self._converted(row))))

    def _instances(self, values: Iterator[Any]) -> Iterator[models.Model]:
        for _, model, fields in self.tables:
            names = [field.attname for field in fields]
            yield model.from_db(DEFAULT_DB_ALIAS, names, [next(values) for _ in names])

    def _converted(self, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        if connection.vendor not in self.converters:
            self.converters[connection.vendor] = list(self._find_converters())
        for position, convert, expression in self.converters[connection.vendor]:
            values[position] = convert(values[position], expression, connection)
        return values

    def _find_converters(self) -> Iterator[tuple[int, Any, Any]]:
        fields = [field for _, _, fields in self.tables for field in fields]
        for position, field in enumerate(fields):
            column = field.cached_col
            for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection)):
                yield position, convert, column


def _columns(model: type[models.Model], names: Sequence[str]) -> list[Any]:
    """Return these fields and the key in the order of the model, as `from_db` wants them."""
    wanted = {model._meta.get_field(name) for name in names}
    return [field for field in model._meta.concrete_fields if field in wanted or field.primary_key]
