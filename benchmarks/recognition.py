"""How well a pipeline recognizes names in news, compared with the manual annotation of GUM.

    python -m benchmarks.recognition GUM_FOLDER [--genre news] [--pipeline NAME] [--errors]

The folder contains derived_entities.jsonl, made from GUM's dep/*.conllu: one document per line with its plain text and
its entities, each with a type, a Wikipedia title or null, and the positions of its mentions.

Recall is the share of entities with a Wikipedia title that have a mention which overlaps a recognized span of the
entity's type. Precision is the share of recognized spans whose smallest enclosing annotated mention has the span's
type; a span that no mention encloses is wrong. GUM's type "place" is our "location".
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language

from corpus.articles import EntityType
from corpus.recognition import RecognizedName, find_spans, load
from kernel.spacy_pipelines import DEFAULT, label_of

GUM_TYPES = {"person": EntityType.PERSON, "place": EntityType.LOCATION, "organization": EntityType.ORGANIZATION}


@dataclass
class Score:
    """Counts for one type of entity."""

    linked: int = 0  # entities with a Wikipedia title
    recognized: int = 0  # of these
    spans: int = 0  # recognized spans
    right: int = 0  # of these, inside a mention of the same type

    @property
    def recall(self) -> float:
        return self.recognized / max(self.linked, 1)

    @property
    def precision(self) -> float:
        return self.right / max(self.spans, 1)


def spans_of(nlp: Language, text: str) -> list[RecognizedName]:
    """Return the recognized spans with their offsets in the whole text; paragraphs are read one at a time."""
    paragraphs, spans, start = text.split("\n\n"), list[RecognizedName](), 0
    for paragraph, names in zip(paragraphs, find_spans(nlp, paragraphs), strict=True):
        spans += [RecognizedName(start + span.start, start + span.end, span.type, span.name) for span in names]
        start += len(paragraph) + 2
    return spans


def add_document(
    scores: dict[EntityType, Score], entities: Sequence[dict[str, Any]], spans: Sequence[RecognizedName]
) -> None:
    """Add one document's counts to the scores."""
    for entity in entities:
        type_ = GUM_TYPES.get(entity["etype"])
        if type_ and entity["wikipedia"]:
            scores[type_].linked += 1
            own = [span for span in spans if span.type is type_]
            scores[type_].recognized += any(
                start < s.end and s.start < end for start, end, _ in entity["mentions"] for s in own
            )
    for span in spans:
        scores[span.type].spans += 1
        scores[span.type].right += _type_around(entities, span) is span.type


def _type_around(entities: Iterable[dict[str, Any]], span: RecognizedName) -> EntityType | None:
    """Return the type of the shortest mention that encloses the span."""
    around = [
        (end - start, entity["etype"])
        for entity in entities
        for start, end, _ in entity["mentions"]
        if start <= span.start and span.end <= end
    ]
    return GUM_TYPES.get(min(around)[1]) if around else None


def documents(folder: Path, genre: str) -> Iterator[dict[str, Any]]:
    with (folder / "derived_entities.jsonl").open(encoding="utf-8") as file:
        yield from (document for line in file if (document := json.loads(line))["genre"] == genre)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--genre", default="news")
    parser.add_argument("--pipeline", default=DEFAULT)
    parser.add_argument("--errors", action="store_true", help="print every span that counts as wrong")
    options = parser.parse_args()
    nlp = load(options.pipeline)
    scores = {type_: Score() for type_ in EntityType}
    number, words, seconds = 0, 0, 0.0
    for document in documents(options.folder, options.genre):
        started = time.process_time()
        spans = spans_of(nlp, document["text"])
        seconds += time.process_time() - started
        number, words = number + 1, words + len(document["text"].split())
        add_document(scores, document["entities"], spans)
        for span in spans if options.errors else ():
            if _type_around(document["entities"], span) is not span.type:
                print(f"  {document['id']}: {span.type.value:12} {document['text'][span.start : span.end]!r}")
    print(f"{label_of(options.pipeline)} on {number} documents of GUM {options.genre}, {words:,} words")
    print(f"{'':14} recall  of linked  precision  of spans")
    for type_, score in scores.items():
        print(f"{type_.value:14} {score.recall:6.3f} {score.linked:10,} {score.precision:10.3f} {score.spans:9,}")
    print(f"{words / max(seconds, 1e-9):,.0f} words a second of CPU time")


if __name__ == "__main__":
    main()
