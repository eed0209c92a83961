"""How well and how fast sentences are split, compared with spaCy's sentencizer and, if installed, pysbd.

    python -m benchmarks.sentences GUM_FOLDER [--genre news] [--errors]

The folder contains GUM (xml/*.xml) and derived_entities.jsonl, with the plain text of each document. Only boundaries
inside a paragraph are scored: the ends of paragraphs are known. Speed is CPU time, best of three.
"""

from __future__ import annotations

import argparse
import html
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

from benchmarks.cpu import best_ms
from benchmarks.recognition import documents
from corpus.sentences import split_sentences

Splitter = Callable[[str], list[str]]
GoldParagraph = tuple[str, frozenset[int]]  # a paragraph and the ends of its sentences, counted without blanks


def solid(text: str) -> str:
    return "".join(text.split())


def gold_sentences(path: Path) -> Iterator[str]:
    """Yield each sentence of a GUM file as its joined tokens."""
    words: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("</s>"):
            yield solid("".join(words))
            words = []
        elif "\t" in line:
            words.append(html.unescape(line.split("\t", 1)[0]))


def gold_paragraphs(folder: Path, genre: str) -> Iterator[GoldParagraph]:
    for document in documents(folder, genre):
        sentences = gold_sentences(folder / "xml" / f"{document['id']}.xml")
        for paragraph in document["text"].split("\n\n"):
            yield paragraph, ends_of_paragraph(solid(paragraph), sentences)


def ends_of_paragraph(paragraph: str, sentences: Iterator[str]) -> frozenset[int]:
    """Consume the sentences that make up the paragraph, and return where they end inside it."""
    ends, position = set(), 0
    while position < len(paragraph):
        sentence = next(sentences)
        if not paragraph.startswith(sentence, position):
            raise SystemExit(
                f"the sentences and the text of a document differ at {paragraph[position : position + 20]!r}"
            )
        position += len(sentence)
        ends.add(position)
    return frozenset(ends - {len(paragraph)})


def ends_found(pieces: list[str]) -> set[int]:
    return {*accumulate(len(solid(piece)) for piece in pieces[:-1])}


def f1_score(splitter: Splitter, gold: list[GoldParagraph], show_errors: bool) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the boundaries inside paragraphs."""
    right = predicted = wanted = 0
    for paragraph, ends in gold:
        ours = ends_found(splitter(paragraph))
        right, predicted, wanted = right + len(ours & ends), predicted + len(ours), wanted + len(ends)
        for end in sorted(ours ^ ends) if show_errors else ():
            text = solid(paragraph)
            print("  extra " if end in ours else "  missed", text[max(0, end - 40) : end], "|", text[end : end + 30])
    precision, recall = right / max(predicted, 1), right / max(wanted, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def words_per_second(splitter: Splitter, gold: list[GoldParagraph]) -> float:
    texts = [paragraph for paragraph, _ in gold]
    words = sum(len(text.split()) for text in texts)
    repeats = max(1, 20_000 // words)

    def split_all() -> None:
        for text in texts * repeats:
            splitter(text)

    return words * repeats * 1000 / best_ms(split_all, times=3)


def ours(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def splitters() -> dict[str, Splitter]:
    spacy = importlib.import_module("spacy")
    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    known: dict[str, Splitter] = {"ours": ours, "sentencizer": lambda text: [s.text for s in blank(text).sents]}
    if importlib.util.find_spec("pysbd"):
        segmenter = importlib.import_module("pysbd").Segmenter(language="en", clean=False)
        known["pysbd"] = lambda text: list(segmenter.segment(text))
    return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--genre", default="news")
    parser.add_argument("--errors", action="store_true", help="print our wrong boundaries")
    options = parser.parse_args()
    gold = list(gold_paragraphs(options.folder, options.genre))
    print(f"{options.genre}: {len(gold)} paragraphs, {sum(len(ends) for _, ends in gold)} boundaries inside them")
    print(f"{'':12} precision  recall      F1    words/s  x sentencizer")
    speeds = {name: words_per_second(splitter, gold) for name, splitter in splitters().items()}
    for name, splitter in splitters().items():
        scores = f1_score(splitter, gold, options.errors and name == "ours")
        ratio = speeds[name] / speeds["sentencizer"]
        print(f"{name:12} {scores[0]:9.4f} {scores[1]:7.4f} {scores[2]:7.4f} {speeds[name]:10,.0f} {ratio:14.2f}")


if __name__ == "__main__":
    main()
