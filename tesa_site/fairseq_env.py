"""Make a Python environment with fairseq, for runs of the backend fairseq. Standard library only, like install.py.

On x86_64 it installs a build for Python 3.11 that needs no compiler; its hash is pinned because it is not fairseq's own
release. Elsewhere it builds fairseq's last release, which needs a C++ compiler and a shim: that release does not import
on Python 3.11, where dataclasses refuse defaults without a hash.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "TESA_FAIRSEQ_PYTHON"
TORCH = "torch==2.13.0"
COMMON = (
    "numpy==2.4.6", "Cython==3.3.1", "cffi==2.1.1", "bitarray==3.12.3", "regex==2026.11.9", "sacrebleu==2.6.0",
    "PyYAML==6.0.3", "scikit-learn==1.9.1", "tqdm==4.70.1", "packaging==26.3",
)  # fmt: skip
BUILT = (
    "ve-fairseq==0.12.3 --hash=sha256:5e84da7a92db08aae7f9cc3d155d4574d915fe1959dc1e041d514b6ef7bc000a",
    ("hydra-core==1.3.8", "omegaconf==2.3.1", "antlr4-python3-runtime==4.9.3"),
)
STOCK = ("fairseq==0.12.2", ("hydra-core==1.0.7", "omegaconf==2.0.6", "antlr4-python3-runtime==4.8"))
OLD_PIP = "pip<24.1"  # newer ones refuse the metadata of omegaconf 2.0.6
SHIM = '''"""Lets fairseq 0.12.2 be imported: dataclasses of Python 3.11 refuse a default that has no hash."""

import dataclasses

_process = dataclasses._process_class


def _process_class(cls, *args, **kwargs):
    cls = _process(cls, *args, **kwargs)
    if cls.__hash__ is None:
        cls.__hash__ = object.__hash__
    return cls


dataclasses._process_class = _process_class
'''


def stop(sentence: str) -> None:
    sys.exit(f"tesa: {sentence}")


def call(*command: str) -> None:
    if subprocess.call(command) != 0:  # noqa: S603  (our own commands)
        stop("fairseq could not be installed (see above). Is the package index reachable?")


def make(folder: Path, machine: str) -> Path:
    """Make the environment, or complete it; return its Python."""
    if sys.version_info[:2] != (3, 11):
        version = ".".join(map(str, sys.version_info[:2]))
        stop(f"fairseq needs Python 3.11, and this is {version}. Name one: make fairseq-env PYTHON=python3.11")
    python = folder / "bin" / "python"
    if not python.exists():
        call(sys.executable, "-m", "venv", str(folder))
    pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    call(*pip, TORCH)  # first, and alone: pip then takes the build that its index offers for this machine
    if machine == "x86_64":
        fairseq, others = BUILT
        call(*pip, *COMMON, *others)
        wanted = folder / "fairseq.txt"  # pip reads hashes from a file only
        wanted.write_text(fairseq + "\n", encoding="utf-8")
        call(*pip, "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(wanted))
    else:
        print("tesa: building fairseq 0.12.2, which needs a C++ compiler and takes minutes …", file=sys.stderr)
        fairseq, others = STOCK
        call(*pip, OLD_PIP)
        call(*pip, *COMMON, *others)
        (folder / "lib" / "python3.11" / "site-packages" / "sitecustomize.py").write_text(SHIM, encoding="utf-8")
        call(*pip, "--no-deps", fairseq)
    return python


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".venv-fairseq").resolve()
    print(f"tesa: installing fairseq into {folder} …", file=sys.stderr)
    python = make(folder, platform.machine())
    if subprocess.call((str(python), "-c", "import fairseq")) != 0:  # noqa: S603
        stop(f"fairseq is installed in {folder}, but cannot be imported (see above).")
    print(f"tesa: fairseq is ready. Start workers that train with it with {VARIABLE}={python}", file=sys.stderr)


if __name__ == "__main__":
    main()
