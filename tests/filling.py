"""Installations that are made once in a run of the tests: every test process starts its products from copies of them.

They lie in the folder that all test processes share, which goes with the run.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from tests.product import Filled, Product, drop_database


def folder() -> Path:
    return Path(os.environ["TESA_TEST_VAR"])


def once(name: str, fill: Callable[[Product], None]) -> Filled:
    """Return the installation of this name; the first test process that asks fills it, from an empty folder."""
    folder().mkdir(parents=True, exist_ok=True)
    note = folder() / f"{name}.filled.json"
    with (folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not note.exists():
            note.write_text(json.dumps(asdict(_make(folder() / name, fill))))
    return Filled(**json.loads(note.read_text()))


def _make(var: Path, fill: Callable[[Product], None]) -> Filled:
    product = Product()
    try:
        fill(product)
        shutil.copytree(product.var, var)
    except BaseException:
        product.close()
        raise
    product.folder.cleanup()  # its database stays
    return Filled(str(var), product.database.name, product.passwords, product.known_token)


def with_demo(product: Product) -> None:
    product.start().wait_for_demo()
    product.token()
    assert product.stop() == 0, product.logs()


def without_rows(product: Product) -> None:
    product.manage("migrate", "-v0")


def forget() -> None:
    """Drop their databases; for the process that outlives the other test processes."""
    for note in folder().glob("*.filled.json"):
        drop_database(json.loads(note.read_text())["database"])
