"""What commands share: errors as one line, progress on the terminal, and a job run in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.db.models import Model, QuerySet

from kernel import jobs
from kernel.errors import TesaError
from kernel.services import jobs as job_services
from kernel.terminal import TerminalProgress

T = TypeVar("T", bound=Model)
STOPPED = "stopped; run the same command again to go on"


class TesaCommand(BaseCommand):
    """A command that ends with one line and status 1 if a person can fix the error."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except TesaError as error:
            raise CommandError(error.message) from error


@contextmanager
def at_terminal(*, stopped: str = STOPPED) -> Iterator[TerminalProgress]:
    """Show progress; errors a person can fix end with one line and status 1, Ctrl-C with `stopped` and status 130."""
    try:
        with TerminalProgress() as progress:
            yield progress
    except KeyboardInterrupt:
        raise CommandError(stopped, returncode=130) from None
    except (TesaError, OSError) as error:
        raise CommandError(str(error)) from error
    except OperationalError as error:
        raise CommandError(f"The database says: {' '.join(str(error).split())}") from error


def row_named(rows: QuerySet[T], name: str, what: str) -> T:
    """Return the row with this name; raise CommandError with the names there are if none has it."""
    row = rows.filter(name=name).first()
    if row is None:
        known = ", ".join(rows.order_by("name").values_list("name", flat=True)[:20]) or "none"
        raise CommandError(f"there is no {what} {name!r}; known: {known}")
    return row


def run_job(kind: str, subject: str, parameters: Mapping[str, Any], *, lock: str) -> str:
    """Run a job in this process; return its subject and result, or raise CommandError with its error."""
    with at_terminal() as progress:
        job_services.sweep_killed_commands()
        job = jobs.run_here(kind, subject=subject, parameters=parameters, beside=progress, lock=lock)
    if job.status != "succeeded":
        raise CommandError(job.error or STOPPED, returncode=1 if job.error else 130)
    return f"{subject}: {job.result}"
