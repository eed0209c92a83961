"""How long files of coreference take to read, to write again and to score, and whether the results are right.

    python -m benchmarks.coreference files FOLDER [--format NAME]
    python -m benchmarks.coreference scores KEY RESPONSE
    python -m benchmarks.coreference triples FOLDER

`files` reads every file of the folder whose format is known; `scores` prints the metrics and the time they take as a
ratio to reading; `triples` holds the metrics against those that the reference scorer's own tests expect. Time is CPU
time of one run.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.files import read_path
from annotation.task_types.coreference.formats import FORMATS, read_files, recognized, write
from annotation.task_types.coreference.scoring.evaluation import CorefEvaluation, score_documents
from annotation.task_types.coreference.scoring.matching import Matching
from annotation.task_types.coreference.scoring.tables import ScoreTable, as_text, score_lines
from kernel.errors import InvalidInput

FilesByFormat = dict[str, list[dict[str, bytes]]]


def files_in(folder: Path, format_name: str | None) -> FilesByFormat:
    """Return the files of each format, those of brat in pairs."""
    groups: FilesByFormat = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        try:
            its_format = format_name or recognized(path.name, content)
        except InvalidInput:
            print(f"{path.name}: not a known format, passed over")
            continue
        files = {path.name: content}
        if its_format == "brat":
            text = path.with_suffix(".txt")
            if path.suffix != ".ann" or not text.is_file():
                continue
            files[text.name] = text.read_bytes()
        groups.setdefault(its_format, []).append(files)
    return groups


def measure(format_name: str, groups: list[dict[str, bytes]]) -> None:
    """Print what the files hold, and how long reading and writing take."""
    counts: Counter[str] = Counter()
    reading_s = writing_s = 0.0
    unlike = 0
    for files in groups:
        start = time.process_time()
        documents, problems = read_files(files, format_name)
        reading_s += time.process_time() - start
        counts["documents"] += len(documents)
        counts["problems"] += len(problems)
        for chain in (chain for document in documents for chain in document.chains):
            counts["mentions"] += len(chain)
            counts["chains"] += len(chain) > 1
            counts["singletons"] += len(chain) == 1
        if FORMATS[format_name].write:
            start = time.process_time()
            unlike += write(documents, format_name).files != files
            writing_s += time.process_time() - start
    amounts = ", ".join(
        f"{counts[name]:,} {name}" for name in ("documents", "mentions", "chains", "singletons", "problems")
    )
    print(f"{FORMATS[format_name].label}, {len(groups):,} files: {amounts}")
    print(f"  read {reading_s:.2f} s, written {writing_s:.2f} s, together {reading_s + writing_s:.2f} s   target < 5 s")
    print(f"  not byte for byte as before: {unlike if FORMATS[format_name].write else 'never written'}")


def scores(key: Path, response: Path) -> None:
    """Print every metric, what reading and scoring take, and whether the key has no error against itself."""
    start = time.process_time()
    right, answered = read_path(key).documents, read_path(response).documents
    reading_s = time.process_time() - start
    score_documents(right[:1], right[:1])  # loads what metrics need
    start = time.process_time()
    evaluation = score_documents(right, answered, missing_is_empty=True)
    scoring_s = time.process_time() - start
    print(as_text([ScoreTable(response.name, score_lines(evaluation.scores))]), end="")
    mentions = sum(len(chain) for document in (*right, *answered) for chain in document.chains)
    print(
        f"{len(right):,} documents, {mentions:,} mentions of both sides: read in {reading_s:.2f} s, scored in "
        f"{scoring_s:.2f} s ({scoring_s / reading_s:.2f} of reading)   target < 20 s together"
    )
    for path, documents in ((key, right), (response, answered)):
        print(f"{path.name} against itself: {'1 in every metric' if is_perfect(documents) else 'NOT 1 everywhere'}")


def is_perfect(documents: Sequence[CorefDocument]) -> bool:
    """Say whether every document scores 1 against itself wherever a score is defined, in both matchings."""
    evaluations = [score_documents([each], [each], matching=rule) for each in documents for rule in get_args(Matching)]
    return all(score.f1 in {None, 1.0} for evaluation in evaluations for score in evaluation.scores.values())


def triples(folder: Path) -> None:
    """Print which recall, precision and F1 of the reference scorer's tests differ by more than 0.001."""
    cases = json.loads((folder / "expected_metrics.json").read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    for case in cases:
        key, response = (read_path(folder / case[side]).documents for side in ("key_file", "response_file"))
        evaluation = score_documents(key, response, as_conll=True, by_position=True)
        for metric, expected in case["expected_metrics"].items():
            is_right = max(abs(x - y) for x, y in zip(values(evaluation, metric), expected, strict=True)) < 1e-3
            counts[metric] += is_right
            if not is_right:
                print(f"{case['id']} {metric}: {values(evaluation, metric)}, expected {expected}")
    total = sum(len(case["expected_metrics"]) for case in cases)
    amounts = ", ".join(f"{metric} {count}" for metric, count in counts.items())
    print(f"{sum(counts.values())} of {total} triples of {len(cases)} cases within 0.001 ({amounts})   target: all")


def values(evaluation: CorefEvaluation, metric: str) -> tuple[float, float, float]:
    score = evaluation.scores[metric]
    return score.recall or 0.0, score.precision or 0.0, score.f1 or 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    files = commands.add_parser("files", help="read the files of a folder and write them again")
    files.add_argument("folder", type=Path)
    files.add_argument("--format", choices=[*FORMATS])
    scored = commands.add_parser("scores", help="score a response against a key")
    scored.add_argument("key", type=Path)
    scored.add_argument("response", type=Path)
    compared = commands.add_parser("triples", help="compare with what the reference scorer's tests expect")
    compared.add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.command == "scores":
        scores(options.key, options.response)
    elif options.command == "triples":
        triples(options.folder)
    else:
        for format_name, groups in files_in(options.folder, options.format).items():
            measure(format_name, groups)


if __name__ == "__main__":
    main()
