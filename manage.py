#!/usr/bin/env python3
"""Django's command line. `python manage.py help` lists what there is."""

from __future__ import annotations

import os
import sys

os.umask(0o077)  # before anything is created: var/, the database and exports are readable by their owner alone


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("tesa: Django is not installed here. Run `make install`, then use .venv/bin/python manage.py.")
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()  # here, not at the interpreter's end: somebody may have stopped reading
    except ImproperlyConfigured as error:
        sys.exit(f"tesa: {error}")
    except BrokenPipeError:  # manage.py … | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + 13)  # as a shell calls a program that SIGPIPE ended


if __name__ == "__main__":
    main()
