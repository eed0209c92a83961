"""Rows ⇄ JSON lines: a line of column names, then an array for each row. The text is the same for both databases.

JSON columns are written as text, which distinguishes NULL from JSON's null.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import IO, Any, TypeAlias, TypeVar
from uuid import UUID

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, models
from django.db.models.functions import Cast
from django.utils.duration import duration_string

from kernel.errors import InvalidInput, WrongState
from kernel.models import WorkerHeartbeat
from kernel.services.backup.archive import CHUNK, TABLES, parsed_json
from kernel.values import batches

AnyField: TypeAlias = "models.Field[Any, Any]"
T = TypeVar("T")
LEFT_OUT: tuple[type[models.Model], ...] = (Session, WorkerHeartbeat)
BATCH = 500
MOST_LINE = 32 * CHUNK  # of a row: an article may have 8 MiB, and JSON in JSON writes some characters as three
MOST_VALUES = 100  # of a row: columns
MOST_GROUP_BYTES = 16 * CHUNK  # rows that are stored together, and the one that exceeds it
SHOWN = 200  # characters of a database's own words
FROM_JSON = (ValidationError, ValueError, TypeError, AttributeError, OverflowError)
FROM_DATABASE = (DatabaseError, ValueError, TypeError, OverflowError)
# Fields whose values JSON, Python and both databases agree on (JSON columns: as text). Asking each field for each value
# made a restore of 200,000 jobs take a third longer.
SAME_AS_JSON: set[type[AnyField]] = {
    models.AutoField,
    models.BigAutoField,
    models.BigIntegerField,
    models.BooleanField,
    models.CharField,
    models.EmailField,
    models.FloatField,
    models.IntegerField,
    models.JSONField,
    models.PositiveBigIntegerField,
    models.PositiveIntegerField,
    models.PositiveSmallIntegerField,
    models.SlugField,
    models.SmallIntegerField,
    models.TextField,
    models.URLField,
}


def stored_models() -> list[type[models.Model]]:
    """Return every model whose table belongs in a backup, sorted by name."""
    stored = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model not in LEFT_OUT
    ]
    return sorted(stored, key=lambda model: model._meta.label_lower)


def member_name(model: type[models.Model]) -> str:
    return f"{TABLES}{model._meta.label_lower}.jsonl"


def label(model: type[models.Model]) -> str:
    return str(model._meta.verbose_name_plural).capitalize()


def stored_fields(model: type[models.Model]) -> list[AnyField]:
    return [field for field in model._meta.local_concrete_fields if not getattr(field, "generated", False)]


def plain(value: object) -> str:
    """Return the exact text of a value that JSON cannot express; the field's `to_python` reads it."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return duration_string(value)
        case Decimal() | UUID():
            return str(value)
        case bytes() | memoryview():
            return b64encode(value).decode()
    raise TypeError(f"no text form for {type(value).__name__}")


def table_lines(model: type[models.Model], alias: str, advance: Callable[[int], None]) -> Generator[bytes]:
    """Yield a table as JSON lines, in batches; call `advance` with the number of rows in each."""
    fields = stored_fields(model)
    columns = [
        Cast(field.attname, models.TextField()) if isinstance(field, models.JSONField) else field.attname
        for field in fields
    ]
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=plain).encode
    yield (encode([field.attname for field in fields]) + "\n").encode()
    rows = model._base_manager.using(alias).order_by("pk").values_list(*columns).iterator(chunk_size=BATCH)
    for batch in batches(rows, BATCH):
        lines = [encode(row).encode() + b"\n" for row in batch]
        if max(map(len, lines)) > MOST_LINE:
            raise WrongState(
                f"{model._meta.label_lower} has a row that is longer than a backup takes ({MOST_LINE} bytes)."
            )
        yield b"".join(lines)
        advance(len(batch))


def load_table(model: type[models.Model], content: IO[bytes], advance: Callable[[int], None]) -> int:
    """Insert a table's rows unchanged; return how many. An error names the file in the archive, and the line."""
    lines = _Lines(content, member_name(model))
    fields = lines.read(lambda names: _named_fields(model, names))
    if fields is None:
        raise InvalidInput("is empty: this backup is damaged.", where=lines.name)
    size = max(1, min(BATCH, connection.ops.bulk_batch_size(fields, range(BATCH))))
    conversions = [_to_stored(field) for field in fields]
    while rows := lines.read_group(size, lambda row: _convert(row, conversions)):
        with lines.refusing(FROM_DATABASE, f"lines {lines.number - len(rows) + 1} to {lines.number}"):
            _insert(model, fields, rows)
        advance(len(rows))
    return lines.number - 1


class _Lines:
    """A table's lines, read one after the other, none longer than MOST_LINE."""

    def __init__(self, content: IO[bytes], name: str) -> None:
        self.content, self.name = content, name
        self.number = self.bytes = 0

    def read(self, convert: Callable[[Any], T]) -> T | None:
        """Return the next line's value, converted; None at the end."""
        line = self.content.readline(MOST_LINE + 1)
        if not line:
            return None
        self.number += 1
        self.bytes += len(line)
        with self.refusing(FROM_JSON, f"line {self.number}"):
            if len(line) > MOST_LINE:
                raise ValueError(f"it is longer than {MOST_LINE} bytes")
            return convert(parsed_json(line, MOST_VALUES))

    def read_group(self, size: int, convert: Callable[[Any], T]) -> list[T]:
        """Return up to `size` lines, fewer if they are long; none at the end."""
        group: list[T] = []
        self.bytes = 0
        while len(group) < size and self.bytes < MOST_GROUP_BYTES and (row := self.read(convert)) is not None:
            group.append(row)
        return group

    @contextmanager
    def refusing(self, errors: tuple[type[Exception], ...], place: str) -> Iterator[None]:
        """Turn these errors into one sentence that names the place."""
        where = f"{self.name}, {place}"
        try:
            yield
        except RecursionError as error:
            raise InvalidInput("cannot be read: it is nested too deeply", where=where) from error
        except errors as error:
            doing = "be stored in this database" if isinstance(error, DatabaseError) else "be read"
            reason = " ".join(str(error).split())[:SHOWN]
            raise InvalidInput(f"cannot {doing}: {reason}", where=where) from error


def _named_fields(model: type[models.Model], names: Any) -> list[AnyField]:
    by_name = {field.attname: field for field in stored_fields(model)}
    _check_shape(names, len(by_name))
    if {*names} != by_name.keys():
        raise ValueError(f"the columns are not {', '.join(by_name)}")
    return [by_name[name] for name in names]


def _check_shape(row: Any, count: int) -> None:
    if not isinstance(row, list) or len(row) != count or any(isinstance(value, list | dict) for value in row):
        raise ValueError(f"it is not a list of {count} values")


def _insert(model: type[models.Model], fields: Sequence[AnyField], rows: list[list[Any]]) -> None:
    """Insert without the models: no default, auto_now or signal may change the stored values."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES {', '.join([row] * len(rows))}"  # noqa: S608 (our own names)
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for values in rows for value in values])


def _to_stored(field: AnyField) -> Callable[[Any], Any] | None:
    """Return the function that converts an archive's value for the database driver; None if none is needed."""
    own = field.target_field if isinstance(field, models.ForeignKey) else field
    if type(own) in SAME_AS_JSON:
        return None
    database = connections[DEFAULT_DB_ALIAS]
    return lambda value: None if value is None else own.get_db_prep_save(own.to_python(value), database)


def _convert(row: Any, conversions: Sequence[Callable[[Any], Any] | None]) -> list[Any]:
    _check_shape(row, len(conversions))
    return [convert(value) if convert else value for value, convert in zip(row, conversions, strict=True)]


def empty_tables() -> None:
    """Delete all rows that a backup replaces, and all sessions: their users may differ afterwards."""
    tables = [Session._meta.db_table, *(model._meta.db_table for model in stored_models())]
    # Restarting the sequences here makes the later setval() part of the transaction, so that a rollback undoes it.
    _execute(connection.ops.sql_flush(no_style(), tables, reset_sequences=True, allow_cascade=False))


def finish_tables() -> None:
    """Check every foreign key, then make new ids continue after the restored ones."""
    try:
        connection.check_constraints()
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"This backup has rows that refer to rows it does not have: {reason}") from error
    _execute(connection.ops.sequence_reset_sql(no_style(), stored_models()))


def _execute(statements: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
