"""`make constraints`: pin every package in constraints.txt, and refuse a pin that some machine could not install.

Every package must install from wheels on x86_64 and aarch64, with each Python we support: not every machine has a
compiler, or can download files during a build.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Exact versions for every machine: compiled by `make constraints`, never edited by hand.\n"
EXTRAS = ("dev", "hf")
PLATFORMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28")
PYTHONS = ("3.11", "3.12", "3.13")
# Published without wheels. `wikipedia` is pure Python: its source installs anywhere, without a compiler.
WITHOUT_WHEELS = ("wikipedia",)


def uv(*arguments: str, text: str) -> subprocess.CompletedProcess[str]:
    # Naming the interpreter stops uv from searching for one of the requested version: 13 s a call, measured.
    quietly = ("--quiet", "--no-header", "--no-annotate", "--python", sys.executable)
    command = [sys.executable, "-m", "uv", "pip", "compile", *quietly, *arguments, "-"]
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=False)  # noqa: S603


def compile_pins() -> str:
    """Return pins for all requirements in pyproject.toml, valid for every platform and Python."""
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    done = uv("--universal", "--python-version", PYTHONS[0], *extras, "pyproject.toml", text="uv\n")
    if done.returncode:
        sys.exit(f"tesa: the versions cannot be resolved: {done.stderr.strip()}")
    return done.stdout


def missing_wheels(pins: str, index: Sequence[str] = ()) -> list[str]:
    """Return one sentence for each platform and Python where a pin has no wheel; `index` can name another index."""
    problems = []
    allowed = [word for name in WITHOUT_WHEELS for word in ("--no-binary", name)]
    for platform, python in product(PLATFORMS, PYTHONS):
        where = ("--python-platform", platform, "--python-version", python)
        done = uv("--no-deps", "--only-binary", ":all:", *allowed, *where, *index, text=pins)
        if done.returncode:
            reason = " ".join(done.stderr.split())
            problems.append(f"{platform}, Python {python}: {reason}")
    return problems


def main() -> None:
    pins = compile_pins()
    if problems := missing_wheels(pins):
        sys.exit("tesa: constraints.txt is unchanged, because a package has no wheel:\n" + "\n".join(problems))
    (ROOT / "constraints.txt").write_text(HEADER + pins, encoding="utf-8")


if __name__ == "__main__":
    main()
