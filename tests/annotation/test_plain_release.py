"""Releases of answers of any shape: rows, what annotations say together, and files that readers of tables open."""

from __future__ import annotations

import pytest

from annotation.releasing import documents
from annotation.releasing.croissant import croissant
from annotation.releasing.exports.parquet import write_parquet
from annotation.releasing.facts import Facts
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from annotation.task_types.plain_release import PlainRelease, most_frequent
from kernel.clock import now
from kernel.fields import DECIMAL, NUMBER, Field
from kernel.values import canonical_json

SPAN = (Field("start", "first", NUMBER), Field("end", "behind the last", NUMBER))
ANSWER = (Field("stars", "one to five", DECIMAL), Field("spans", "marked", fields=SPAN, many=True))
CONSENSUS = (Field("stars", "usual", fields=(Field("value", "usual", DECIMAL), Field("support", "votes", NUMBER))),)
RELEASE = PlainRelease(ANSWER, CONSENSUS)


def row(**annotation: object) -> dict[str, object]:
    item = {"key": "k", "group": "k", "title": "Rain", "text": "It  rained.", "source": "", "date": None}
    consensus = {"stars": {"value": 4.5, "support": 2}}
    return {**item, "schema": 3, "consensus": consensus, "annotations": [{"annotator": "w", **annotation}]}


def test_an_annotation_holds_what_was_given_and_what_it_became():
    answer, cleaned = {"stars": 4.5, "spans": []}, CleanedAnswer({"stars": 4.5, "spans": [{"start": 0, "end": 2}]})

    assert RELEASE.annotation(answer, cleaned, "correct") == {
        "answer": answer, "final": cleaned.answer, "outcome": "answered", "reason": "", "verdict": "correct",
    }  # fmt: skip


@pytest.mark.parametrize("outcome", [AnswerOutcome.SKIPPED, AnswerOutcome.REJECTED])
def test_an_annotation_without_an_answer_has_no_final_one_but_its_reason(outcome: AnswerOutcome):
    released = RELEASE.annotation({"stars": 0}, CleanedAnswer({"stars": 0}, outcome, "the text is cut off"), "")

    assert (released["final"], released["outcome"], released["reason"]) == (None, outcome, "the text is cut off")
    assert RELEASE.outcome(released) == outcome


def test_each_part_says_what_most_answers_gave_and_nothing_where_they_tie():
    answers = [{"stars": 4, "spans": [1]}, {"stars": 4, "spans": [2]}, {"stars": 5}]

    assert most_frequent(answers) == {
        "stars": {"value": 4, "support": 2},
        "spans": {"value": None, "support": 1},
    }


def test_true_and_one_are_different_values():
    assert most_frequent([{"a": True}, {"a": 1}, {"a": 1}])["a"] == {"value": 1, "support": 2}


def test_skipped_and_rejected_answers_have_no_vote():
    voices = [(CleanedAnswer({"stars": 1}), False), (CleanedAnswer({"stars": 5}, AnswerOutcome.REJECTED), False)]

    assert RELEASE.consensus(voices) == {"consensus": {"stars": {"value": 1, "support": 1}}}


def test_parquet_holds_decimals_objects_and_lists_of_objects(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    answer = {"stars": 4.5, "spans": [{"start": 0, "end": 2}]}
    written = row(answer=answer, final=None, outcome="rejected", reason="", verdict="", simulated=False)
    lines, out = tmp_path / "instances.jsonl", tmp_path / "instances.parquet"
    lines.write_text(canonical_json(written) + "\n")

    write_parquet([(lines, out, RELEASE.tables(3, {})["instances"])])

    (read,) = parquet.read_table(out).to_pylist()
    assert read == written


def facts() -> Facts:
    statistics: dict[str, object] = {"released": {}, "discarded": {}, "licences": {}}
    recipe = {"schema": 3, "task_type": "x"}
    return Facts("Stars", 1, "0" * 64, recipe, statistics, 1, now().date(), RELEASE)


def test_the_card_says_no_language_nor_whose_articles_it_quotes():
    fields = documents._features(RELEASE.tables(3, {})["annotations"], 2)

    assert "  - name: final\n    struct:\n    - name: stars\n      dtype: float64" in fields
    assert "    - name: spans\n      list:\n      - name: start" in fields
    assert "news" not in documents._owners(facts())
    assert documents._owners(facts()) == "The texts keep the licence of where they come from."


def test_croissant_knows_decimals():
    (instances,) = croissant(facts(), {"instances": "0" * 64})["recordSet"]
    (consensus,) = [field for field in instances["field"] if field["name"] == "instances/consensus"]

    assert consensus["subField"][0]["subField"][0]["dataType"] == "sc:Float"
