"""Rows written with SQL that is put together once in a process, for the few places where that counts.

Columns and conversions are those of the models; no signals are sent. Reading: `databases/joined.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models


def insert(row: models.Model) -> None:
    """Store a new row, and give the instance its key."""
    sql, fields = _insert(type(row))
    with connection.cursor() as cursor:
        cursor.execute(sql, _values(row, fields))
        row.pk = cursor.fetchone()[0]
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def update(row: models.Model, names: Sequence[str], *, still: Mapping[str, Any] | None = None) -> bool:
    """Store these fields, but only while the row holds what it `still` should; return whether it does."""
    still = still or {}
    sql, fields = _update(type(row), tuple(names), tuple(still))
    with connection.cursor() as cursor:
        cursor.execute(sql, [*_values(row, fields), row.pk, *still.values()])
        return bool(cursor.rowcount)


def _values(row: models.Model, fields: Sequence[Any]) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


@lru_cache
def _insert(model: type[models.Model]) -> tuple[str, list[Any]]:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    names, places = ", ".join(f'"{field.column}"' for field in fields), ", ".join("%s" for _ in fields)
    key = model._meta.pk.column
    return f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES ({places}) RETURNING "{key}"', fields  # noqa: S608


@lru_cache
def _update(model: type[models.Model], names: tuple[str, ...], still: tuple[str, ...]) -> tuple[str, list[Any]]:
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    columns = ", ".join(f'"{field.column}" = %s' for field in fields)
    key = model._meta.pk.column
    same = "".join(f' AND "{name}" = %s' for name in still)
    return f'UPDATE "{model._meta.db_table}" SET {columns} WHERE "{key}" = %s{same}', fields  # noqa: S608
