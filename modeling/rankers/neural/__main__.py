"""`python -m modeling.rankers.neural FOLDER`: do what the folder's request says. README.md describes the folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from modeling.rankers.neural.running import run


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m modeling.rankers.neural", description="Train and score one neural run."
    )
    parser.add_argument("folder", type=Path, help="holds request.json and tasks.jsonl")
    parser.add_argument("--with-parent", action="store_true", help="end when the process that started this one ends")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"there is no folder {options.folder}")
    return run(options.folder, with_parent=options.with_parent)


if __name__ == "__main__":
    sys.exit(main())
