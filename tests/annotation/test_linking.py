"""Links scored against known mentions, predictions read from files, and mentions carried over to recognized speech."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotation.linking.alignment import LONGEST_BLOCK, align
from annotation.linking.links import EntityNaming, Link, LinkedText, linked_text, outermost
from annotation.linking.predictions import read_predictions
from annotation.linking.projection import project
from annotation.linking.scoring import LinkCounts, LinkError, difference, score_links
from annotation.linking.tables import latex
from corpus.items.mentions import KnownMention
from corpus.items.texts import TEXT
from corpus.jobs.samples import import_items
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.progress import Silent
from tests.make import make_user
from tests.pages import shown

SAID = "Jewish refugees were turned away from the UK"
HEARD = "jewish refute. these were turned away from the u_k"
WORDS = st.text(alphabet="ab cé😀\u0301.", max_size=40)


# ---- Projection -----------------------------------------------------------------------------------


def images(text: str, other: str, *spans: tuple[int, int]) -> list[str | None]:
    projected = project(text, other, [KnownMention(*span) for span in spans])
    return [None if own.image is None else other[own.image.start : own.image.end] for own in projected]


def test_a_mention_ends_in_recognized_speech_where_the_next_letter_begins():
    assert images(SAID, HEARD, (0, 15), (42, 44)) == ["jewish refute. these", "u_k"]


def test_a_mention_of_which_nothing_was_recognized_has_no_image():
    assert images("He met Lind there", "he met there", (7, 11), (3, 6)) == [None, "met"]
    assert images("He met Lind", "", (7, 11)) == [None]


def test_what_was_added_at_both_ends_is_left_out():
    assert images("Lake Oer", "um well lake oer you know", (0, 8)) == ["lake oer"]


def test_an_image_is_widened_to_whole_words():
    assert images("the lakes froze", "the lakeside froze", (4, 9)) == ["lakeside"]


@given(WORDS)
def test_a_text_is_its_own_image(text: str):
    alignment = align(text, text)

    assert alignment.offsets == tuple(range(len(text) + 1))
    assert all(alignment.kept)


@given(WORDS, WORDS)
def test_offsets_never_cross_and_end_with_the_other_text(text: str, other: str):
    offsets = align(text, other).offsets

    assert len(offsets) == len(text) + 1
    assert all(first <= second for first, second in pairwise(offsets))
    assert offsets[-1] == len(other)


@given(WORDS, WORDS)
def test_an_alignment_changes_as_little_as_can_be(text: str, other: str):
    alignment = align(text, other)
    matched = [
        text[place].lower() != other[alignment.offsets[place]].lower()
        for place, is_kept in enumerate(alignment.kept)
        if is_kept
    ]
    changes = sum(matched) + (len(text) - len(matched)) + (len(other) - len(matched))

    assert changes == _distance(text.lower(), other.lower())


def _distance(text: str, other: str) -> int:
    """Return the edit distance by the textbook's recursion over rows."""
    row = [*range(len(other) + 1)]
    for number, letter in enumerate(text, 1):
        above, row = row, [number]
        for place, sign in enumerate(other, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (letter != sign)))
    return row[-1]


def test_a_long_text_is_aligned_by_its_words_first():
    spoken = " ".join(f"word{number} of the lake" for number in range(LONGEST_BLOCK // 10))
    heard = spoken.replace("word77 ", "ward77 ").replace("word200 of ", "")

    assert len(spoken) > LONGEST_BLOCK
    place = spoken.index("word300")
    assert images(spoken, heard, (place, place + 7)) == ["word300"]
    assert images(spoken, heard, (spoken.index("word77"), spoken.index("word77") + 6)) == ["ward77"]


# ---- Scores ---------------------------------------------------------------------------------------


def benchmark(
    *links: Link, key: str = "a", text: str = "Ida Lind met Karl Moe at Lake Oer.", **fields: Any
) -> LinkedText:
    return LinkedText(key, key, text, links, names=(key,), **fields)


IDA, KARL, OER = Link(0, 8, "Ida Lind"), Link(13, 21, "Karl Moe"), Link(25, 33, "Lake Oer")


def errors_of(text: LinkedText, *predicted: Link) -> list[tuple[LinkError, str]]:
    (scored,) = score_links([text], {text.key: predicted}).texts
    return [(error, text.text[link.start : link.end]) for error, link in scored.errors]


def test_a_link_is_right_where_piece_and_entity_are():
    scores = score_links([benchmark(IDA, KARL, OER)], {"a": [IDA, Link(13, 21, "Moe"), Link(25, 29, "Lake")]})

    assert scores.links == LinkCounts(right=1, predicted=3, known=3)
    assert scores.spans == LinkCounts(right=2, predicted=3, known=3)
    assert scores.links.f1 == pytest.approx(1 / 3)


def test_two_pages_of_one_piece_are_two_links_and_one_piece():
    customs = benchmark(Link(0, 7, "Convention"), Link(0, 7, "Tradition"), text="Customs vary.")

    scores = score_links([customs], {"a": [Link(0, 7, "Tradition")]})

    assert (scores.links, scores.spans) == (LinkCounts(1, 1, 2), LinkCounts(1, 1, 1))


def test_the_same_prediction_twice_counts_once():
    assert score_links([benchmark(IDA)], {"a": [IDA, IDA]}).links == LinkCounts(1, 1, 1)


def test_a_mention_without_an_entity_counts_among_the_pieces_alone():
    scores = score_links([benchmark(IDA, Link(13, 21))], {"a": [IDA, Link(13, 21)]})

    assert (scores.links, scores.spans) == (LinkCounts(1, 1, 1), LinkCounts(2, 2, 2))


def test_each_error_has_its_kind():
    assert errors_of(benchmark(IDA, KARL, OER), Link(0, 8, "Ida"), Link(18, 21, "Karl Moe"), Link(25, 29, "Lake")) == [
        (LinkError.WRONG_ENTITY, "Ida Lind"),
        (LinkError.WRONG_ENDS, "Moe"),
        (LinkError.NESTED, "Lake"),
        (LinkError.MISSED, "Lake Oer"),
    ]
    assert errors_of(benchmark(IDA), Link(9, 12, "Met")) == [
        (LinkError.SPURIOUS, "met"),
        (LinkError.MISSED, "Ida Lind"),
    ]


def test_the_mean_of_texts_leaves_out_those_without_any_link():
    texts = [benchmark(IDA, key="a"), benchmark(KARL, key="b"), benchmark(key="c")]

    scores = score_links(texts, {"a": [IDA]})

    assert scores.macro() == pytest.approx(0.5)
    assert score_links([benchmark()], {}).macro() is None


def test_scores_by_source_add_up():
    texts = [benchmark(IDA, key="a", facet="Wiki"), benchmark(KARL, key="b", facet="Speech")]

    assert score_links(texts, {"a": [IDA], "b": [IDA]}).by_facet() == {
        "Speech": LinkCounts(0, 1, 1),
        "Wiki": LinkCounts(1, 1, 1),
    }


def test_outermost_links_hold_no_others():
    inner = Link(4, 8, "Lind")

    assert outermost([IDA, inner, Link(0, 8, "Ida")]) == (IDA, Link(0, 8, "Ida"))


def test_the_difference_of_two_systems_has_an_interval_that_the_seed_repeats():
    texts = [benchmark(IDA, key=str(number)) for number in range(40)]
    good = score_links(texts, {str(number): [IDA] for number in range(36)})
    bad = score_links(texts, {str(number): [IDA] for number in range(12)})

    apart = difference(good, bad, seed=3)

    assert apart is not None
    assert apart == difference(good, bad, seed=3)
    assert apart.low < apart.value < apart.high
    assert apart.low > 0
    assert apart.p < 0.01
    same = difference(good, good)
    assert same is not None
    assert (same.value, same.p) == (0.0, 1.0)


def test_a_table_for_a_paper_escapes_names():
    assert r"a\_b\%.jsonl & 100.0 & 100.0 & 100.0 \\" in latex(
        [("a_b%.jsonl", score_links([benchmark(IDA)], {"a": [IDA]}))]
    )


# ---- Predictions ----------------------------------------------------------------------------------


def read(name: str, content: str, *texts: LinkedText, naming: EntityNaming = EntityNaming.PAGES) -> Any:
    return read_predictions(name, content.encode(), texts or (benchmark(IDA),), naming)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ours.jsonl", '{"id": "a", "start": 0, "end": 8, "page": "Ida_Lind"}'),
        ("ours.jsonl", '{"id": "a", "mentions": [{"start": 0, "end": 8, "pages": ["Ida Lind"]}]}'),
        ("table.csv", "id,start,end,page\na,0,8,https://en.wikipedia.org/wiki/Ida_Lind\n"),
        (
            "nif.ttl",
            "@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .\n"
            "@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .\n"
            '<a> nif:isString "Ida Lind met Karl Moe at Lake Oer." .\n'
            "[] nif:referenceContext <a> ; nif:beginIndex 0 ; nif:endIndex 8 ;\n"
            "  itsrdf:taIdentRef <http://dbpedia.org/resource/Ida_Lind> .",
        ),
    ],
)
def test_predictions_are_read_from_each_format(name: str, content: str):
    assert dict(read(name, content).links) == {"a": (IDA,)}


def test_predictions_of_elevant_name_entities_by_their_ids():
    row = {"id": "a", "text": benchmark().text, "entity_mentions": [{"span": [0, 8], "id": "Q7", "linked_by": "x"}]}
    empty = {"id": "a", "text": benchmark().text}

    known = read("linked.jsonl", f"{json.dumps(row)}\n{json.dumps(empty)}", naming=EntityNaming.WIKIDATA)

    assert (dict(known.links), known.problem_count) == ({"a": (Link(0, 8, "Q7"),)}, 0)


def test_what_cannot_be_used_is_reported_with_its_line_and_the_rest_counts():
    lines = [
        {"id": "zz", "start": 0, "end": 8, "page": "Ida Lind"},
        {"id": "a", "start": 0, "end": 800, "page": "Ida Lind"},
        {"id": "a", "start": 0, "end": 8, "page": "Q7"},
        {"id": "a", "text": "Another version", "mentions": [{"start": 0, "end": 7, "page": "Ida Lind"}]},
        {"id": "a", "start": 0.5, "end": 8, "page": "Ida Lind"},
        {"id": "a", "start": 0, "end": 8, "page": "Ida Lind"},
        {"id": "a", "start": 0, "end": 8, "page": "Ida Lind"},
    ]

    known = read("p.jsonl", "\n".join(map(json.dumps, lines)) + "\n{")

    assert dict(known.links) == {"a": (IDA,)}
    assert known.repeated == 1
    assert [(problem.where, problem.reason) for problem in known.problems] == [
        ("line 1", "the benchmark has no text “zz”"),
        ("line 2", "0-800 is no piece of this text, which has 34 characters"),
        ("line 3", "“Q7” is an id of Wikidata, but this benchmark names entities by their pages"),
        ("line 4, mention 1", "its text differs from the benchmark's: its offsets would mean other words"),
        ("line 5", "start and end must be whole numbers"),
        ("line 8", "this is not JSON (expecting property name enclosed in double quotes, column 2)"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("p.txt", "Lind", "the name must end in .jsonl, .csv or .ttl"),
        ("p.csv", "id,start\n", "the first line must name the columns; missing: end, page"),
        ("p.csv", "a\0b", "NUL bytes"),
    ],
)
def test_a_file_that_holds_no_predictions_is_refused(name: str, content: str, problem: str):
    with pytest.raises(InvalidInput, match=problem):
        read(name, content)


def test_a_file_of_more_than_50_megabytes_is_refused():
    with pytest.raises(InvalidInput, match="may have 50 MB"):
        read_predictions("p.jsonl", b" " * 50_000_001, (benchmark(IDA),), EntityNaming.PAGES)


def test_a_benchmark_names_entities_by_its_pages_or_by_its_ids():
    mention = {"start": 0, "end": 8, "pages": ["Ida Lind"], "ids": ["Q7"]}
    text = TEXT.from_row({"text": "Ida Lind left.", "mentions": [mention, {"start": 9, "end": 13}]})

    assert linked_text(text, EntityNaming.WIKIDATA).links == (Link(0, 8, "Q7"), Link(9, 13))
    assert linked_text(text, EntityNaming.PAGES, without_entity=False).links == (IDA,)


# ---- Commands -------------------------------------------------------------------------------------


def sampled(folder: Path, *rows: Any, name: str = "Lakes") -> Sample:
    path = folder / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    import_items({"path": str(path), "name": name, "item_kind": "text"}, Silent())
    return Sample.objects.get(name=name)


LAKE = {
    "id": "1",
    "text": "Lind crossed Lake Oer.",
    "twin": "lint crossed lake or",
    "mentions": [{"start": 0, "end": 4, "page": "Ida Lind"}, {"start": 13, "end": 21, "page": "Lake Oer"}],
}


@pytest.mark.django_db
def test_the_command_scores_two_systems_and_compares_them(tmp_path: Path):
    sampled(tmp_path, LAKE)
    (tmp_path / "good.csv").write_text("id,start,end,page\n1,0,4,Ida Lind\n1,13,21,Lake Oer\n")
    (tmp_path / "bad.csv").write_text("id,start,end,page\n1,0,4,Lind\n7,0,4,Lind\n")
    out, errors = io.StringIO(), io.StringIO()

    call_command("score_links", "Lakes", tmp_path / "good.csv", tmp_path / "bad.csv", stdout=out, stderr=errors)

    table = [line.split() for line in out.getvalue().splitlines()]
    assert ["good.csv", "piece", "and", "entity", "100.0", "100.0", "100.0", "100.0", "2", "0", "0"] in table
    assert ["bad.csv", "piece", "and", "entity", "0.0", "0.0", "0.0", "0.0", "0", "1", "2"] in table
    assert "bad.csv: 1 wrong entity, 1 missed" in out.getvalue()
    assert "good.csv minus bad.csv, F1: 100.0" in out.getvalue()
    assert errors.getvalue() == "bad.csv, line 3: the benchmark has no text “7”\n"


@pytest.mark.django_db
def test_a_sample_without_mentions_is_no_benchmark(tmp_path: Path):
    sampled(tmp_path, {"text": "It rained."})
    (tmp_path / "p.csv").write_text("id,start,end,page\n")

    with pytest.raises(CommandError, match="“Lakes” knows no mentions: import texts with their mentions"):
        call_command("score_links", "Lakes", tmp_path / "p.csv")


@pytest.mark.django_db
def test_projected_mentions_become_a_sample_of_the_twins(tmp_path: Path):
    sampled(tmp_path, {**LAKE, "mentions": [*LAKE["mentions"], {"start": 21, "end": 22, "page": "Full stop"}]})
    out, errors = io.StringIO(), io.StringIO()

    call_command("project_mentions", "Lakes", out=tmp_path / "heard.jsonl", stdout=out, stderr=errors)
    import_items({"path": str(tmp_path / "heard.jsonl"), "name": "Heard", "item_kind": "text"}, Silent())

    heard = TEXT.thaw(Sample.objects.get(name="Heard").members.get().value)
    assert [heard.text[own.start : own.end] for own in heard.mentions] == ["lint", "lake or"]
    assert (heard.source, heard.twin, heard.extra["id"]) == ("ASR", LAKE["text"], "1")
    assert out.getvalue() == "1 text with 2 mentions written to heard.jsonl.\n"
    assert "1 mention without an image in the twin:\n  Lind crossed Lake Oer.: ." in errors.getvalue()


# ---- Pages ----------------------------------------------------------------------------------------


def uploaded(name: str, content: str) -> io.BytesIO:
    file = io.BytesIO(content.encode())
    file.name = name
    return file


@pytest.mark.django_db
def test_the_pages_score_two_systems_and_show_each_text(client: Client, tmp_path: Path):
    sample = sampled(tmp_path, LAKE, {"id": "2", "text": "It rained.", "source": "Weather"})
    client.force_login(make_user("researcher"))
    good = "id,start,end,page\n1,0,4,Ida Lind\n1,13,21,Lake Oer\n"
    bad = "id,start,end,page\n1,0,4,<b>\n1,5,12,Crossing\n7,0,4,Lind\n"

    sent = {"sample": sample.pk, "predictions": [uploaded("good.csv", good), uploaded("bad.csv", bad)]}
    answer = client.post("/campaigns/links/", sent)
    page = shown(client.get(answer.headers["Location"]))

    assert "bad.csv: 2 predictions could not be used" in page
    assert "line 4: the benchmark has no text “7”" in page
    assert "good.csv minus bad.csv" in page
    text = shown(client.get(f"{answer.headers['Location']}0/"))
    assert "spurious" in text
    assert "missed" not in shown(client.get(f"{answer.headers['Location']}1/"))
    table = client.get(f"{answer.headers['Location']}scores.csv").content.decode()
    assert '"good.csv","piece and entity","100.0","100.0","100.0","100.0","2","0","0"' in table
    assert r"good.csv & 100.0" in client.get(f"{answer.headers['Location']}scores.tex").content.decode()


@pytest.mark.django_db
def test_nobody_else_sees_the_scores(client: Client, tmp_path: Path):
    sample = sampled(tmp_path, LAKE)
    client.force_login(make_user("researcher"))
    sent = {"sample": sample.pk, "predictions": uploaded("p.csv", "id,start,end,page\n")}
    place = client.post("/campaigns/links/", sent).headers["Location"]

    client.force_login(make_user("admin"))

    assert client.get(place).status_code == 404
    assert client.get(f"{place}0/").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("p.txt", "Lind", "the name must end in .jsonl, .csv or .ttl"),
        ("p.csv", "id\n", "The first line must name the columns; missing: start, end, page"),
    ],
)
def test_the_page_says_why_a_file_cannot_be_scored(
    client: Client, tmp_path: Path, name: str, content: str, problem: str
):
    sample = sampled(tmp_path, LAKE)
    client.force_login(make_user("researcher"))

    answer = client.post("/campaigns/links/", {"sample": sample.pk, "predictions": uploaded(name, content)})

    assert answer.status_code == 422
    assert problem.lower() in shown(answer).lower()


@pytest.mark.django_db
def test_a_sample_without_mentions_is_refused_beside_its_field(client: Client, tmp_path: Path):
    sample = sampled(tmp_path, {"text": "It rained."})
    client.force_login(make_user("researcher"))

    sent = {"sample": sample.pk, "predictions": uploaded("p.csv", "id,start,end,page\n")}

    assert "knows no mentions: import texts with their mentions" in shown(client.post("/campaigns/links/", sent))
