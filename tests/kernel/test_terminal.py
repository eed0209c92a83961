from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.console import Console

from kernel import terminal
from kernel.terminal import TerminalProgress


def watched(*, is_terminal: bool) -> tuple[TerminalProgress, io.StringIO]:
    out = io.StringIO()
    return TerminalProgress(Console(file=out, force_terminal=is_terminal, width=100, highlight=False)), out


def test_a_terminal_shows_a_bar_with_the_step_and_the_percentage():
    progress, out = watched(is_terminal=True)

    with progress:
        progress.report(0, 200, "Jobs")
        progress.report(50)

    assert "Jobs" in out.getvalue()
    assert "25%" in out.getvalue()


def test_a_line_is_kept_above_the_bar_and_its_brackets_are_text():
    progress, out = watched(is_terminal=True)

    with progress:
        progress.report(1, 2, "Reading [bold]notes[/bold]")
        progress.log("left out: [red]a.txt[/red]")

    assert "[red]a.txt[/red]" in out.getvalue()
    assert "[bold]notes[/bold]" in out.getvalue()


def test_without_a_terminal_plain_lines_are_written_now_and_then(monkeypatch):
    monkeypatch.setattr(terminal, "SECONDS_BETWEEN_LINES", 0)
    progress, out = watched(is_terminal=False)

    with progress:
        progress.report(0, 1000, "Jobs")
        progress.report(1000)
        progress.report(7, step="[Files]")
        progress.log("done with [it]")

    assert out.getvalue() == "Jobs: 0 of 1,000\nJobs: 1,000 of 1,000\n[Files]: 7 of 1,000\ndone with [it]\n"


def test_without_a_terminal_a_fast_job_does_not_flood_the_log():
    progress, out = watched(is_terminal=False)

    with progress:
        for number in range(1000):
            progress.report(number, 1000, f"Round {number}")

    assert out.getvalue() == "Round 0: 0 of 1,000\n"


def test_the_total_may_stay_unknown():
    progress, out = watched(is_terminal=False)

    with progress:
        progress.report(12)

    assert out.getvalue() == "12\n"


def test_an_error_passes_through_and_the_bar_stops():
    progress, _ = watched(is_terminal=True)

    with pytest.raises(KeyboardInterrupt), progress:
        raise KeyboardInterrupt

    assert progress.bar.live.is_started is False


@pytest.mark.processes
def test_it_writes_to_stderr_and_needs_no_django():
    code = (
        "import sys; from kernel.terminal import TerminalProgress\n"
        "with TerminalProgress() as progress: progress.report(1, 2, 'Files')\n"
        "print('django' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert (done.stdout, done.stderr) == ("False\n", "Files: 1 of 2\n")
