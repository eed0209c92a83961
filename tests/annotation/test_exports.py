"""Raw annotations leave under pseudonyms, line by line."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import call_command

from annotation.selectors import raw_answers
from annotation.services import excluding
from tests.corpus.frozen_instances import CONTEXT, make_frozen
from tests.make import make_answer, make_campaign, make_participation, make_sample_of

pytestmark = pytest.mark.django_db


def test_json_lines_hold_the_raw_answer_and_no_id():
    campaign = make_campaign(size=2, redundancy=1)
    ann = make_participation(campaign, "ann@panel.example")
    make_answer(ann, "The  botanists", phrase_2="gardeners")
    make_answer(ann, "", impossible="on", reason="nothing in common")
    excluding.exclude(ann.pk, reason="a test", by=None)

    text = "".join(raw_answers.lines(campaign, "jsonl"))
    rows = [json.loads(line) for line in text.splitlines()]

    assert [row["answer"]["phrases"] for row in rows] == [["The botanists", "gardeners"], []]
    assert rows[0]["instance"] == campaign.tasks.get(position=rows[0]["position"]).member.key
    assert {row["is_excluded"] for row in rows} == {True}
    assert rows[0]["annotator"] == rows[1]["annotator"]
    assert "ann@panel" not in text
    assert ann.secret not in text
    assert [*rows[0]["answer"]] == ["impossible", "phrases", "reason"], "sorted, on every engine"


def test_a_person_has_another_name_in_another_campaign_s_file():
    names = []
    for name in ("One", "Two"):
        campaign = make_campaign(name)
        make_answer(make_participation(campaign, "ann"))
        names.append(json.loads(next(raw_answers.lines(campaign, "jsonl")))["annotator"])

    assert names[0] != names[1]


def test_csv_has_one_row_an_answer_and_no_cell_a_spreadsheet_would_run():
    campaign = make_campaign(size=2, redundancy=1)
    ann = make_participation(campaign, "ann")
    make_answer(ann, "=cmd() botanists", signals='{"active_ms": 0, "pastes": 2}')
    make_answer(ann, "", impossible="on")

    rows = list(csv.DictReader(io.StringIO("".join(raw_answers.lines(campaign, "csv", mark=False)))))

    assert [row["phrase_1"] for row in rows] == ["'=cmd() botanists", ""]
    assert [row["impossible"] for row in rows] == ["false", "true"]
    assert (rows[0]["entities"], rows[0]["pastes"], rows[0]["gold_hit"]) == ("Ida Lind | Karl Moe", "2", "")


def test_csv_ends_with_the_title_and_the_passage_beside_the_answer_and_neither_can_run():
    ours = make_frozen(
        article_id="1", group="1", title='=HYPERLINK("http://x.invalid")', context=f"{CONTEXT}\n\n“Oh,” she said."
    )
    campaign = make_campaign(sample=make_sample_of("Two", ours, make_frozen(article_id="2", group="2")))
    ann = make_participation(campaign, "ann")
    make_answer(ann)
    make_answer(ann)

    text = "".join(raw_answers.lines(campaign, "csv", mark=False))
    rows = {row["instance"]: row for row in csv.DictReader(io.StringIO(text))}

    assert text.splitlines()[0].endswith('"submitted_at","corrected_at","title","passage","is_simulated"')
    assert rows[ours.key]["title"] == '\'=HYPERLINK("http://x.invalid")'
    assert {row["passage"] for row in rows.values()} == {ours.context, CONTEXT}
    assert "Two botanists meet" in {row["title"] for row in rows.values()}


def test_the_command_writes_to_the_terminal_or_a_file(capsys, tmp_path):
    make_answer(make_participation(make_campaign(size=1)))

    call_command("export_annotations", "Phrases", format="jsonl")
    call_command("export_annotations", "Phrases", format="csv", output=tmp_path / "a.csv")
    call_command("export_annotations", "Phrases", format="csv", output=tmp_path / "b.csv", no_bom=True)

    assert json.loads(capsys.readouterr().out)["answer"]["phrases"] == ["botanists"]
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 2
    assert (tmp_path / "a.csv").read_bytes() == b"\xef\xbb\xbf" + (tmp_path / "b.csv").read_bytes()
