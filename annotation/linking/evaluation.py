"""Files of predictions evaluated on a benchmark: everything that a page shows, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.linking.links import EntityNaming, Link, LinkedText
from annotation.linking.predictions import LinkPredictions, read_predictions
from annotation.linking.scoring import LinkCounts, LinkScores, TextScores, difference, score_links
from annotation.linking.tables import percent, score_rows
from annotation.task_types.base import JsonObject
from kernel.errors import InvalidInput
from kernel.values import Json

MOST_SYSTEMS = 4
MOST_PROBLEMS = 20  # of a file, in words


@dataclass(frozen=True)
class LinkBenchmark:
    """Texts with known links, and how they are counted."""

    name: str
    texts: Sequence[LinkedText]
    naming: EntityNaming
    without_entity: bool = True  # whether mentions and predictions without an entity count among the pieces


@dataclass(frozen=True)
class LinkEvaluation:
    """The summary of an evaluation, and a line for each text, in the order of the benchmark."""

    summary: JsonObject
    lines: bytes


def evaluate(benchmark: LinkBenchmark, files: Mapping[str, bytes]) -> LinkEvaluation:
    """Score files of predictions, one system each; raise InvalidInput for a file that cannot be read at all."""
    if not 1 <= len(files) <= MOST_SYSTEMS:
        raise InvalidInput(f"choose 1 to {MOST_SYSTEMS} files of predictions", field="predictions")
    read = {name: read_predictions(name, content, benchmark.texts, benchmark.naming) for name, content in files.items()}
    scored = {name: score_links(benchmark.texts, _counted(own, benchmark)) for name, own in read.items()}
    every = list(scored.items())
    summary: JsonObject = {
        "benchmark": benchmark.name,
        "naming": benchmark.naming.value,
        "rows": [[*row] for row in score_rows(every)],
        "systems": [_system(name, read[name], scores) for name, scores in every],
        "differences": [own for name, scores in every[1:] if (own := _difference(every[0][1], name, scores))],
        "texts": [_counts(number, columns) for number, columns in enumerate(_side_by_side(every))],
    }
    return LinkEvaluation(summary, b"".join(_line(columns) for columns in _side_by_side(every)))


def _counted(read: LinkPredictions, benchmark: LinkBenchmark) -> dict[str, tuple[Link, ...]]:
    return {
        key: tuple(own for own in links if own.entity or benchmark.without_entity) for key, links in read.links.items()
    }


def _side_by_side(scored: Sequence[tuple[str, LinkScores]]) -> Iterable[tuple[TextScores, ...]]:
    return zip(*(scores.texts for _, scores in scored), strict=True)


def _system(name: str, read: LinkPredictions, scores: LinkScores) -> JsonObject:
    return {
        "name": name,
        "errors": [[kind.value, number] for kind, number in scores.errors.most_common()],
        "problems": [f"{own.where}: {own.reason}" for own in read.problems[:MOST_PROBLEMS]],
        "problem_count": read.problem_count,
        "repeated": read.repeated,
        "sources": [[source, *_shares(counts)] for source, counts in scores.by_facet().items()],
    }


def _shares(counts: LinkCounts) -> list[Json]:
    return [percent(own) for own in (counts.precision, counts.recall, counts.f1)]


def _difference(first: LinkScores, name: str, scores: LinkScores) -> JsonObject | None:
    apart = difference(first, scores)
    if apart is None:
        return None
    return {
        "name": name,
        "value": percent(apart.value),
        "low": percent(apart.low),
        "high": percent(apart.high),
        "p": f"{apart.p:.3f}",
    }


def _counts(number: int, columns: Sequence[TextScores]) -> JsonObject:
    """Return how many links of a text are right, spurious and missed by each system."""
    return {
        "number": number,
        "title": columns[0].text.title,
        "known": len(columns[0].text.links),
        "systems": [[own.links.right, own.links.spurious, own.links.missed] for own in columns],
        "errors": sum(len(own.errors) for own in columns),
    }


def _line(columns: Sequence[TextScores]) -> bytes:
    """Return a text with every piece that is known or predicted, and what each system makes of it."""
    text = columns[0].text
    spans = sorted({link.span for link in (*text.links, *(link for own in columns for link in own.predicted))})
    rows: list[Json] = [
        {
            "words": text.text[start:end],
            "place": f"{start}-{end}",
            "known": _entities(text.links, (start, end)),
            "systems": [_cell(own, (start, end)) for own in columns],
        }
        for start, end in spans
    ]
    line: JsonObject = {"title": text.title, "text": text.text, "rows": rows}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _entities(links: Iterable[Link], span: tuple[int, int]) -> list[Json] | None:
    """Return the entities that a piece names; None where it is no mention, [] where none is known."""
    own = [link.entity for link in links if link.span == span]
    return [entity for entity in own if entity] if own else None


def _cell(own: TextScores, span: tuple[int, int]) -> JsonObject:
    kinds = dict.fromkeys(error.value for error, link in own.errors if link.span == span)
    return {"entities": _entities(own.predicted, span), "errors": [*kinds]}


def text_at(lines: Iterable[bytes], number: int) -> JsonObject | None:
    """Return a text of an evaluation by its place; None if there is none."""
    for place, line in enumerate(lines):
        if place == number:
            value: JsonObject = json.loads(line)
            return value
    return None
