"""The first half of `make run`: check the machine, prepare the installation, and tell the launcher what to start.

This is a separate process because it needs Django and ends within seconds. The launcher needs no Django and uses 10 MB
instead of 110 for as long as the product runs. This process prints two lines of JSON: what to start, as soon as that is
known, and what to announce, once the installation is ready. A problem is one sentence on stderr and exit code 1.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from tesa_site import processes

NEED_MB = 100


def stop(sentence: str) -> None:
    sys.exit(f"tesa: {sentence}")


def send(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def check_machine(var: Path, host: str, port: int) -> None:
    """Exit with one sentence if the folder, the disk or the port cannot be used."""
    try:
        processes.prepare_folders()
        probe = var / "tmp" / f"probe-{os.getpid()}"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            stop(f"the disk with {var} is full: free some space, or set TESA_VAR to a folder on another disk.")
        stop(f"cannot write to the folder {var} ({error.strerror}): set TESA_VAR to a folder you can write to.")
    free = shutil.disk_usage(var).free // 1024 // 1024
    if free < NEED_MB:
        stop(f"the disk with {var} has {free} MB free, but {NEED_MB} MB are needed: free some space, or set TESA_VAR.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe_socket:
        probe_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe_socket.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                stop(f"port {port} is in use: is TESA already running? To use another: make run TESA_PORT={port + 1}")
            stop(f"cannot listen on {host}:{port}: {error.strerror}.")


def prepare() -> tuple[bool, list[tuple[str, str, str]]]:
    """Prepare the installation, with the demo in an empty database; return whether it changed, and the sign-ins."""
    import django
    from django.core.management import CommandError
    from django.db.utils import OperationalError

    django.setup()
    from django.conf import settings

    from tesa_site import demo, preparing

    try:
        is_changed = preparing.prepare()
    except CommandError as error:
        stop(str(error))
    except OperationalError as error:
        stop(f"the database does not answer: {str(error).strip().splitlines()[0]}")
    if settings.PRODUCTION:
        return is_changed, []
    if not demo.seed_if_empty():
        demo.go_on()
    return is_changed, demo.sign_ins()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    os.umask(0o077)  # nobody else may read the database and the mails
    try:
        from tesa_site import settings
    except ImproperlyConfigured as error:
        stop(str(error))
    check_machine(settings.VAR, settings.HOST, settings.PORT)
    send(
        commands={"web server": processes.web(), "worker": processes.worker(), "scheduler": processes.scheduler()},
        environment=processes.environment(),
        log_folder=str(settings.VAR / "log"),
        host=settings.HOST,
        port=settings.PORT,
        # The web server loads while the installation is prepared, unless there are no static files yet.
        can_web_start=(settings.STATIC_ROOT / ".fingerprint").exists(),
    )
    is_changed, sign_ins = prepare()
    send(is_changed=is_changed, sign_ins=sign_ins, url=settings.PUBLIC_URL + "/")


if __name__ == "__main__":
    main()
