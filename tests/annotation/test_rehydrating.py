"""Stand-off and back: no word of an article goes out, and what comes back is the same to the byte."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Release
from annotation.releasing.rehydrating import text_of
from annotation.services import release_exports
from corpus.frozen import FrozenInstance, FrozenMention, instance_key
from corpus.models import Article
from corpus.sources import SOURCES
from corpus.sources.base import Problem, read_all
from tests.make import make_corpus, make_release

pytestmark = pytest.mark.django_db

DEMO = Path(__file__).parents[2] / "corpus" / "demo" / "nitf"


def instances() -> list[FrozenInstance]:
    """Return a passage of every demo article that has one, and an abstract now and then."""
    made: list[FrozenInstance] = []
    for article in read_all(SOURCES["nitf"], DEMO):
        if isinstance(article, Problem):
            continue
        kind = "abstract" if article.abstract and len(made) % 5 == 0 else "content"
        text = text_of(article, kind)
        context = text if kind == "abstract" else text[len(text) // 4 : len(text) // 2]
        if len(context) < 20:
            continue
        mentions = (FrozenMention(0, 0, 4), FrozenMention(1, 5, 9))
        fields: dict[str, Any] = {
            "article_id": article.source_id,
            "entity_type": "person",
            "entities": ("A", "B"),
            "kind": kind,
        }
        fields |= {"title": article.title, "context": context}
        key = instance_key(**fields, mentions=[(m.entity, m.start, m.end) for m in mentions])
        date = article.published
        made.append(FrozenInstance(key, key, "Demo", date=date, mentions=mentions, backgrounds=(None, None), **fields))
    return sorted(made, key=lambda instance: instance.key)


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    release = make_release("Demo words", items=instances())
    return exported(release, tmp_path)


def exported(release: Release, folder: Path) -> tuple[Path, Path]:
    for format_ in ("jsonl", "standoff"):
        release_exports.write_export(release, format_, folder / format_, lambda done: None)
    return folder / "jsonl", folder / "standoff"


def rehydrate(standoff: Path, corpus: Path, out: Path, source: str = "nitf") -> str:
    output = StringIO()
    call_command("rehydrate", str(standoff), corpus=corpus, source=source, out=out, stdout=output)
    return output.getvalue()


def test_what_is_rebuilt_is_byte_identical(files, tmp_path):
    whole, standoff = files

    output = rehydrate(standoff, DEMO, tmp_path / "again")

    assert (tmp_path / "again").read_bytes() == whole.read_bytes()
    assert len(whole.read_text().splitlines()) > 60
    assert "every hash is as released" in output


def test_no_word_of_an_article_is_in_the_stand_off_file(files):
    whole, standoff = files
    text = standoff.read_text()

    for line in whole.read_text().splitlines():
        row = json.loads(line)
        assert row["title"] not in text
        words = row["context"].split()
        assert not any(" ".join(words[n : n + 3]) in text for n in range(len(words) - 2))


def test_offsets_are_told_where_the_corpus_still_holds_the_article(files, tmp_path):
    _, standoff = files
    assert {json.loads(line)["context"]["start"] for line in standoff.read_text().splitlines()[1:]} == {None}

    corpus = make_corpus("Demo")
    for article in read_all(SOURCES["nitf"], DEMO):
        if not isinstance(article, Problem):
            Article.objects.create(
                corpus=corpus,
                source_id=article.source_id,
                title=article.title,
                paragraphs=list(article.paragraphs),
                abstract=article.abstract,
                content_hash=article.content_hash(),
            )
    whole, standoff = exported(Release.objects.get(), tmp_path)

    starts = [json.loads(line)["context"]["start"] for line in standoff.read_text().splitlines()[1:]]
    assert None not in starts
    rehydrate(standoff, DEMO, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == whole.read_bytes()


def test_another_edition_of_the_corpus_is_refused_by_name(files, tmp_path):
    _, standoff = files
    copy = tmp_path / "copy"
    for path in DEMO.rglob("*.xml"):
        target = copy / path.relative_to(DEMO)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes() if path.stem != "1000142" else path.read_bytes().replace(b" the ", b" a "))

    with pytest.raises(CommandError, match=r"1 of .* articles are not in this copy.*: 1000142"):
        rehydrate(standoff, copy, tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda lines: lines[:-1], "the file is not whole"),
        (lambda lines: lines[1:], "not a stand-off file"),
        (lambda lines: [*lines, "{nothing"], "this is not JSON"),
        (lambda lines: [*lines, "[]"], "not a row of a release"),
        (lambda lines: [line.replace('"support":2', '"support":3') for line in lines], "not what was released"),
    ],
)
def test_a_file_that_was_touched_is_refused(files, tmp_path, change, problem):
    _, standoff = files
    standoff.write_text("\n".join(change(standoff.read_text().splitlines())) + "\n")

    with pytest.raises(CommandError, match=problem):
        rehydrate(standoff, DEMO, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CommandError, match="nowhere"):
        rehydrate(tmp_path / "nowhere", DEMO, tmp_path / "again")
