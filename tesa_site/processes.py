"""The commands of the three processes. `python -m tesa_site.processes web` starts one of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured


def web() -> list[str]:
    from tesa_site import settings

    return [
        sys.executable, "-m", "gunicorn", "tesa_site.wsgi:application",
        "--bind", f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}",
        "--workers", str(settings.WEB_PROCESSES),
        "--threads", str(settings.WEB_THREADS),
        "--preload",  # load the application once, not in each process
        "--keep-alive", "75",  # longer than proxies keep idle connections, so that none is closed during a request
        "--graceful-timeout", "10",
        "--timeout", "60",
        "--worker-tmp-dir", str(settings.VAR / "tmp"),
        "--log-level", "warning",
        "--logger-class", "tesa_site.web_log.WebLog",
        "--no-control-socket",
    ]  # fmt: skip


def worker(queues: Sequence[str] = ()) -> list[str]:
    from tesa_site import settings

    if "gpu" in queues and not settings.HAS_TORCH:
        raise ImproperlyConfigured("the queue gpu needs torch, which is not installed here: run make worker-gpu.")
    return [sys.executable, "-m", "tesa_site.worker", ",".join(queues or settings.SERVED_QUEUES)]


def scheduler() -> list[str]:
    from tesa_site import settings

    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "scheduler"]


def prepare_folders() -> None:
    """Make the folders that the processes expect under var/."""
    from tesa_site import settings

    for folder in ("tmp", "files", "log", "corpora", "broker/messages", "broker/control"):
        (settings.VAR / folder).mkdir(parents=True, exist_ok=True)


def environment() -> dict[str, str]:
    """Return the environment of a child process: its temporary files go under var/, which has room for them."""
    from tesa_site import settings

    return {**os.environ, "TMPDIR": str(settings.VAR / "tmp"), "PYTHONUNBUFFERED": "1"}


def main() -> None:
    name, *queues = sys.argv[1:] or [""]
    commands = {"web": web, "worker": lambda: worker(queues), "scheduler": scheduler}
    if name not in commands:
        sys.exit("usage: python -m tesa_site.processes web | worker [QUEUE …] | scheduler")
    os.umask(0o077)
    try:
        prepare_folders()
        command = commands[name]()
    except ImproperlyConfigured as error:
        sys.exit(f"tesa: {error}")
    os.execve(command[0], command, environment())  # noqa: S606  (our own command)


if __name__ == "__main__":
    main()
