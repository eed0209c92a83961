"""What the database itself refuses: to change a release that is frozen. Written after each migration, on both engines.

Deleting stays possible (a service decides about that), and so does loading a backup.
"""

from __future__ import annotations

from django.db import connections

MESSAGE = "a frozen release is never changed: make a new version"
COLUMNS = "name, version, recipe, description, licence, size, content_hash, statistics, frozen_at"
SQLITE = (
    "DROP TRIGGER IF EXISTS release_is_frozen",
    f"""CREATE TRIGGER release_is_frozen BEFORE UPDATE OF {COLUMNS} ON annotation_release
        WHEN OLD.content_hash <> '' AND NEW.content_hash <> ''
        BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END""",
    "DROP TRIGGER IF EXISTS release_item_is_frozen",
    f"""CREATE TRIGGER release_item_is_frozen BEFORE UPDATE ON annotation_releaseitem
        BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END""",
)
POSTGRESQL = (
    f"""CREATE OR REPLACE FUNCTION release_is_frozen() RETURNS trigger AS $$
        BEGIN RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'check_violation'; END $$ LANGUAGE plpgsql""",
    "DROP TRIGGER IF EXISTS release_is_frozen ON annotation_release",
    f"""CREATE TRIGGER release_is_frozen BEFORE UPDATE OF {COLUMNS} ON annotation_release FOR EACH ROW
        WHEN (OLD.content_hash <> '' AND NEW.content_hash <> '') EXECUTE FUNCTION release_is_frozen()""",
    "DROP TRIGGER IF EXISTS release_item_is_frozen ON annotation_releaseitem",
    """CREATE TRIGGER release_item_is_frozen BEFORE UPDATE ON annotation_releaseitem FOR EACH ROW
        EXECUTE FUNCTION release_is_frozen()""",
)


def protect_releases(using: str = "default") -> None:
    connection = connections[using]
    if not {"annotation_release", "annotation_releaseitem"} <= set(connection.introspection.table_names()):
        return
    with connection.cursor() as cursor:
        for statement in SQLITE if connection.vendor == "sqlite" else POSTGRESQL:
            cursor.execute(statement)
