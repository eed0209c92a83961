"""What every long command shares: progress on the terminal, and errors as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import OperationalError

from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.terminal import TerminalProgress


@contextmanager
def at_terminal(*, stopped: str) -> Iterator[TerminalProgress]:
    """Show progress; end with one line and status 1 on what a person can mend, 130 (and `stopped`) on Ctrl-C."""
    try:
        with TerminalProgress() as progress:
            yield progress
    except KeyboardInterrupt:
        raise CommandError(stopped, returncode=130) from None
    except TesaError as error:
        raise CommandError(error.message) from error
    except OSError as error:
        raise CommandError(str(error)) from error
    except OperationalError as error:
        raise CommandError(f"The database says: {' '.join(str(error).split())}") from error
