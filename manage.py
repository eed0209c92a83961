#!/usr/bin/env python3
"""Django's command line. `python manage.py help` lists what there is."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("tesa: Django is not installed here. Run `make install`, then use .venv/bin/python manage.py.")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"tesa: {error}")


if __name__ == "__main__":
    main()
