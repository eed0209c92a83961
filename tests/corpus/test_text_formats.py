"""Files of texts: topics, mentions in three formats, plain lines, twins, sentences and a drawing by source."""

from __future__ import annotations

import io
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from corpus.item_files import read_items
from corpus.items.mentions import KnownMention, page_title
from corpus.items.texts import TEXT, FrozenText
from corpus.jobs.samples import import_items
from corpus.models import Sample
from corpus.services.importing import ImportOrder
from corpus.sources.base import Problem
from corpus.text_preparing import Preparing, check_twin, prepared, sentence_spans, sentences_of
from kernel.errors import InvalidInput
from kernel.models import Job
from kernel.progress import Silent
from tests.make import make_user
from tests.pages import shown

HEAD = """@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
"""
LAKE = """<http://texts.invalid/2#char=0,21> nif:isString "Lind crossed Lake Oer." .
<http://texts.invalid/10#char=0,9> nif:isString "Rain fell." .
<http://texts.invalid/2#char=0,4> nif:referenceContext <http://texts.invalid/2#char=0,21> ;
  nif:beginIndex 0 ; nif:endIndex "4" ; nif:anchorOf "Lind" ;
  itsrdf:taIdentRef <http://dbpedia.org/resource/Ida_Lind> , <http://de.dbpedia.org/resource/Lind> .
<http://texts.invalid/2#char=13,21> nif:referenceContext <http://texts.invalid/2#char=0,21> ;
  nif:beginIndex 13 ; nif:endIndex 21 ; nif:anchorOf "Lake Oer" ; itsrdf:taIdentRef <http://aksw.org/notInWiki/Oer> .
"""


def read(folder: Path, content: str, name: str) -> list[FrozenText | Problem]:
    path = folder / name
    path.write_text(content)
    return [*read_items(path, "text")]  # type: ignore[list-item]


def text(words: str, **columns: Any) -> FrozenText:
    return TEXT.from_row({"text": words, **columns})


# ---- Topics and mentions --------------------------------------------------------------------------


def test_the_same_words_about_another_topic_are_another_text():
    plain, about = text("It rained."), text("It rained.", topic="Weather")

    assert plain.key != about.key != text("It rained.", topic="Harvests").key
    assert about.topic == "Weather"
    assert TEXT.facets(about) == {"topic": "Weather"}
    assert TEXT.texts(about) == {"text": "It rained.", "topic": "Weather"}
    assert text("It rained.", topic="").key == plain.key
    assert TEXT.from_row(about.to_json()) == about


def test_a_text_that_was_exported_before_topics_counted_keeps_its_key():
    plain = text("It rained.")

    assert TEXT.from_row({**plain.to_json(), "extra": {"topic": "Weather"}}).key == plain.key


def test_html_in_a_topic_is_shown_as_words():
    assert "Topic: <b>&lt;b&gt;Rain&lt;/b&gt;</b>" in TEXT.html(text("It rained.", topic="<b>Rain</b>"))


@pytest.mark.parametrize(
    ("start", "end"), [(5, 9), (6, 10), (8, 12)], ids=["code points", "UTF-16 code units", "bytes"]
)
def test_mentions_are_kept_in_code_points_whatever_their_file_counts(start: int, end: int):
    known = text("😀 on Lind.", mentions=[{"start": start, "end": end, "words": "Lind", "page": "Ida_Lind"}])

    assert known.mentions == (KnownMention(5, 9, ("Ida Lind",)),)
    assert TEXT.from_row(known.to_json()) == known


def test_the_page_of_a_text_names_its_mentions_in_words():
    known = text("Ida met Moe.", mentions=[{"start": 0, "end": 3, "page": "Ida Lind"}, {"start": 8, "end": 11}])

    assert TEXT.show(known).unseen["mentions"] == "Ida → Ida Lind; Moe → no page"


def test_one_piece_of_a_text_may_name_several_pages():
    mention = {"start": 0, "end": 7}
    known = text("Customs vary.", mentions=[{**mention, "page": "Convention"}, {**mention, "pages": ["Tradition"]}])

    assert known.mentions == (KnownMention(0, 7, ("Convention", "Tradition")),)


@pytest.mark.parametrize(
    ("mention", "problem"),
    [
        ({"start": 0, "end": 99}, "mentions, mark 1: 0-99 ends outside the row's texts, of which the longest has 10"),
        ({"start": 4, "end": 2}, "mentions, mark 1: 4-2 is no piece of a text"),
        ({"start": 0, "end": 2, "words": "Is"}, "mentions, mark 1: “Is” does not stand at 0-2"),
        ({"start": 0, "end": 2, "page": 7}, "mentions, mark 1: page must be a title or an address"),
        ({"start": 0, "end": 2, "page": "javascript:alert(1)"}, "mentions, mark 1: “javascript:alert(1)” is no page"),
        ({"start": 0, "end": 2, "page": "<b>Rain</b>"}, "mentions, mark 1: no title of a page has a “<”"),
        ({"start": 0, "end": 2, "page": "Rain#Causes"}, "mentions, mark 1: no title of a page has a “#”"),
        ("Rain", "mentions, mark 1: must be an object"),
    ],
)
def test_a_mention_that_cannot_be_is_refused_with_its_number(mention: Any, problem: str):
    with pytest.raises(InvalidInput) as refused:
        text("It rained.", mentions=[mention])

    assert refused.value.message.startswith(problem)


def test_ten_thousand_mentions_in_a_text_are_refused():
    with pytest.raises(InvalidInput, match="has 10,000 mentions, and at most 1,000 are kept: split the text"):
        text("It rained.", mentions=[{"start": 0, "end": 2}] * 10_000)


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Ida Lind", "Ida Lind"),
        ("http://dbpedia.org/resource/Ida_Lind", "Ida Lind"),
        ("https://en.wikipedia.org/wiki/%C3%96r_(lake)", "Ör (lake)"),
        ("https://en.m.wikipedia.org/wiki/ida_Lind?action=raw", "Ida Lind"),
        ("http://de.dbpedia.org/resource/Ör", "de:Ör"),
        ("http://aksw.org/notInWiki/Lind", ""),
        ("", ""),
    ],
)
def test_a_page_is_named_by_its_title_whatever_the_file_writes(written: str, title: str):
    assert page_title(written) == title


# ---- Formats --------------------------------------------------------------------------------------


def test_nif_is_read_with_its_mentions_in_the_order_of_names(tmp_path: Path):
    first, second = read(tmp_path, HEAD + LAKE, "lake.ttl")

    assert isinstance(first, FrozenText)
    assert isinstance(second, FrozenText)
    assert (first.text, first.extra["id"]) == ("Lind crossed Lake Oer.", "http://texts.invalid/2")
    assert first.mentions == (KnownMention(0, 4, ("Ida Lind", "de:Lind")), KnownMention(13, 21))
    assert (second.text, second.mentions) == ("Rain fell.", ())


def test_nif_with_blank_nodes_is_read_without_names(tmp_path: Path):
    content = '_:t nif:isString "Lind left." . [] nif:referenceContext _:t ; nif:beginIndex 0 ; nif:endIndex 4 .'

    (known,) = read(tmp_path, HEAD + content, "blank.ttl")

    assert isinstance(known, FrozenText)
    assert (known.mentions, "id" in known.extra) == ((KnownMention(0, 4),), False)


def test_a_text_of_nif_whose_mention_is_broken_is_reported_by_its_name_and_the_rest_is_read(tmp_path: Path):
    broken = LAKE.replace('nif:endIndex "4"', 'nif:endIndex "four"')

    problem, rest = read(tmp_path, HEAD + broken, "broken.ttl")

    assert problem == Problem(
        "http://texts.invalid/2", "a mention of “Lind” needs nif:beginIndex and nif:endIndex, which are whole numbers"
    )
    assert isinstance(rest, FrozenText)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (HEAD + "\n<a> <b> .", "is not Turtle from line 4 on"),
        (HEAD, "holds no text: a context needs nif:isString"),
        ("<a> <b> \0 .", "NUL bytes"),
    ],
)
def test_a_file_that_is_no_nif_is_refused(tmp_path: Path, content: str, problem: str):
    with pytest.raises(InvalidInput, match=problem):
        read(tmp_path, content, "bad.ttl")


def test_benchmarks_of_elevant_are_read_with_their_labels(tmp_path: Path):
    labels = [
        {"id": 0, "span": [0, 4], "entity_id": "Q7", "name": "Ida Lind"},
        {"id": 1, "span": [13, 21], "entity_id": "<NIL>", "name": "Unknown"},
    ]
    row = {"id": 3, "title": "Lakes", "text": "Lind crossed Lake Oer.", "evaluation_span": [0, 22], "links": []}

    (known,) = read(tmp_path, json.dumps({**row, "labels": labels}), "lakes.jsonl")

    assert isinstance(known, FrozenText)
    assert known.mentions == (KnownMention(0, 4, ("Ida Lind",), ("Q7",)), KnownMention(13, 21))
    assert (known.title, known.extra["id"]) == ("Lakes", 3)


def test_each_line_of_plain_text_is_a_text(tmp_path: Path):
    first, second = read(tmp_path, "  It rained.\n\n\tIt snowed. \r\n", "lines.txt")

    assert isinstance(first, FrozenText)
    assert isinstance(second, FrozenText)
    assert (first.text, second.text, second.extra["id"]) == ("It rained.", "It snowed.", "3")


# ---- Sentences ------------------------------------------------------------------------------------

STORY = "Ida Lind left. It rained.\n\nShe met Mr. Moe at Lake Oer. Then she slept."


def test_a_sentence_knows_its_document_and_stays_in_its_group():
    story = text(STORY, id="s1", title="Lakes", mentions=[{"start": 46, "end": 54, "page": "Lake Oer"}])

    sentences = [*sentences_of(story)]

    assert [own.text for own in sentences] == [
        "Ida Lind left.",
        "It rained.",
        "She met Mr. Moe at Lake Oer.",
        "Then she slept.",
    ]
    assert {own.group for own in sentences} == {story.group}
    for own in sentences:
        assert story.text.index(own.text) == own.extra["start"]
    assert sentences[2].mentions == (KnownMention(19, 27, ("Lake Oer",)),)
    assert sentences[2].text[19:27] == "Lake Oer"
    assert {own.extra["document"] for own in sentences} == {"s1"}


def test_the_same_sentence_at_two_places_of_a_document_is_two_texts():
    twice = text("It rained. It rained.")

    assert len({own.key for own in sentences_of(twice)}) == 2


def test_a_sentence_does_not_end_inside_a_mention():
    assert sentence_spans("He read Why? Because! aloud. It rained.", [KnownMention(8, 21)]) == [(0, 28), (29, 39)]


@given(st.text(alphabet="ab .!?\n\u00a0\u0301😀A", max_size=80))
def test_sentences_are_apart_and_hold_everything_but_blanks(words: str):
    spans = sentence_spans(words)

    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert "".join("".join(words[start:end] for start, end in spans).split()) == "".join(words.split())


# ---- Twins ----------------------------------------------------------------------------------------


def test_a_twin_is_matched_by_its_id_and_one_of_another_text_is_refused():
    speech = "jewish refute. these were turned away from the u_k"
    here = text("Jewish refugees were turned away from the UK", id="1")

    (twin,) = prepared(lambda: [here], Preparing(), {"1": speech})
    (other,) = prepared(lambda: [here], Preparing(), {"1": "Lake Oer froze over in nineteen hundred and four"})
    (missing,) = prepared(lambda: [here], Preparing(), {"2": speech})

    assert isinstance(twin, FrozenText)
    assert twin.twin == speech
    assert isinstance(other, Problem)
    assert "its twin seems to be of another text" in other.reason
    assert isinstance(missing, Problem)
    assert "the file of twins has no text with the id 1" in missing.reason


def test_a_short_twin_is_not_compared():
    check_twin("Yes, it did.", "guess it it")


# ---- Drawing by source ----------------------------------------------------------------------------


def numbered(source: str, count: int) -> list[FrozenText]:
    return [text(f"{source} {number}", source=source) for number in range(count)]


def test_as_many_texts_of_each_source_are_drawn_as_asked_for_or_there_are():
    file = [*numbered("Wiki", 50), *numbered("Speech", 3), *numbered("Wiki", 50)]  # the last 50 for the second time

    drawn = [*prepared(lambda: file, Preparing(each=10, seed=4))]

    assert Counter(own.source for own in {own for own in drawn if isinstance(own, FrozenText)}) == {
        "Wiki": 10,
        "Speech": 3,
    }
    assert drawn == [*prepared(lambda: file, Preparing(each=10, seed=4))]
    assert drawn != [*prepared(lambda: file, Preparing(each=10, seed=5))]


def test_what_is_drawn_does_not_depend_on_the_order_of_the_file():
    file = numbered("Wiki", 40)

    forwards, backwards = (
        {own.key for own in prepared(lambda order=order: order, Preparing(each=5)) if isinstance(own, FrozenText)}
        for order in (file, file[::-1])
    )

    assert forwards == backwards


# ---- Importing ------------------------------------------------------------------------------------


def test_only_texts_are_prepared():
    with pytest.raises(InvalidInput, match="only texts have topics and twins, or are divided and drawn"):
        ImportOrder(Path("rows.csv"), "Rows", "rows", Preparing(topic="Rain"))


@pytest.mark.django_db
def test_the_command_imports_transcripts_with_their_twins_and_a_second_run_adds_nothing(tmp_path: Path):
    (tmp_path / "speech.csv").write_text("id,text,source\n1,Lind crossed the lake.,Speech\n2,It rained.,Speech\n")
    (tmp_path / "heard.csv").write_text("id,text\n1,lint crossed the lake\n2,it rained\n")
    asked = {"name": "Talks", "item_kind": "text", "topic": "We should visit lakes"}

    for sentence in ("2 texts added.", "Nothing new, 2 already there."):
        out = io.StringIO()
        call_command("import_instances", tmp_path / "speech.csv", twins=tmp_path / "heard.csv", stdout=out, **asked)
        assert sentence in out.getvalue()

    first = TEXT.thaw(Sample.objects.get().members.get(position=0).value)
    assert (first.twin, first.topic, first.source) == ("lint crossed the lake", asked["topic"], "Speech")


@pytest.mark.django_db
def test_the_page_imports_sentences_with_a_topic(client: Client, tmp_path: Path):
    client.force_login(make_user("researcher"))
    asked = {"name": "Lakes", "item_kind": "text", "topic": "Lakes", "sentences": "on", "each": "3", "seed": "1"}

    client.post("/corpus/samples/import/", {**asked, **_named()})
    import_items(Job.objects.get().parameters, Silent())

    sample = Sample.objects.get()
    assert sample.size == 3
    assert {member.type for member in sample.members.all()} == {"Lakes"}
    page = shown(client.get(f"/corpus/samples/{sample.pk}/0/"))
    assert "Topic: <b>Lakes</b>" in page
    assert "document" in page


def _named() -> dict[str, Any]:
    file = io.BytesIO(STORY.replace("\n", " ").encode())
    file.name = "story.txt"
    return {"upload": file}


@pytest.mark.django_db
def test_the_page_opens_the_options_of_texts_where_something_is_wrong_with_them(client: Client, tmp_path: Path):
    client.force_login(make_user("researcher"))

    answer = client.post("/corpus/samples/import/", {"name": "Rows", "item_kind": "rows", "topic": "Lakes", **_named()})

    assert answer.status_code == 422
    assert "only texts have topics and twins, or are divided and drawn" in shown(answer)
    assert '<details class="more" open>' in answer.content.decode()
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_a_bad_file_of_twins_is_refused_with_its_line(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"text": "It rained.", "id": 1}\n')
    (tmp_path / "b.jsonl").write_text('{"text": "it rained", "id": 1}\n{"text": ""}\n')
    order = {"path": str(tmp_path / "a.jsonl"), "twins": str(tmp_path / "b.jsonl"), "name": "A", "item_kind": "text"}

    with pytest.raises(InvalidInput, match="twins: line 2: text: must not be empty"):
        import_items(order, Silent())

    assert not Sample.objects.exists()
