"""The whole state as one archive: every row and every stored file, readable by either database.

    writing.py      write_backup, save_backup, store_backup
    restoring.py    restore_backup
    archive.py      the .tar.gz and its manifest
    tables.py       rows ⇄ JSON lines
    files.py        the file storage
    snapshot.py     a consistent view of the database
    leftovers.py    what a killed backup left

Left out on purpose: sessions (people sign in again), workers' heartbeats, older backups, the secret key.
"""

from __future__ import annotations

from kernel.services.backup.archive import BackupReport
from kernel.services.backup.restoring import restore_backup
from kernel.services.backup.writing import backup_name, save_backup, store_backup, write_backup

__all__ = ["BackupReport", "backup_name", "restore_backup", "save_backup", "store_backup", "write_backup"]
