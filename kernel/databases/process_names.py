"""The name that a database shows for a process, for people who look up what keeps others waiting."""

from __future__ import annotations

import os
import sys
from functools import cache


@cache
def process_name() -> str:
    """Return this process's name for people."""
    program, *words = [*sys.argv, ""]
    if "gunicorn" in program or "runserver" in words:
        return "the web server"
    if os.path.basename(program) == "worker.py":
        return "a worker"
    return " ".join([os.path.basename(program), *words[:1]]).strip() or "python"
