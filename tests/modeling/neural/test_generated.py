"""The command writes phrases too: for rankers that can, once, and the same after an interruption."""

from __future__ import annotations

import math

import pytest

from modeling.rankers.neural import generated, running
from modeling.rankers.neural.generating import Hypothesis
from modeling.rankers.neural.running import run
from modeling.rankers.neural.texts import learn_tokenizer
from modeling.rankers.neural.work_folder import FINISHED, INTERRUPTED
from tests.modeling.neural.conftest import die
from tests.modeling.neural.torch_values import toy_folder, toy_rows

pytestmark = pytest.mark.neural
SHORT = {"sizes": (6, 2, 2), "epochs": 1, "longest_phrase": 5}


def test_a_trained_model_generates_the_gold_first(tmp_path):
    plain = {"dropout": 0.0, "attention_dropout": 0.0, "clip_norm": 0.0, "epochs": 6, "learning_rate": 5e-3}
    folder = toy_folder(tmp_path, "seq2seq", sizes=(96, 24, 24), longest_phrase=8, **plain)

    assert run(folder.path) == FINISHED

    rows, phrases = toy_rows("test", 24, start=200), folder.generations()
    golds = [next(phrase for phrase, label in row.candidates if label) for row in rows]
    first = [phrases["test", row.key][0] for row in rows]
    assert sum(phrase == gold for (phrase, _), gold in zip(first, golds, strict=True)) > 20
    likely = [phrases["test", row.key][0][1] for row in rows]
    scores = [max(folder.scores()["test", row.key]) for row in rows]
    assert likely == pytest.approx(scores, abs=1e-4)  # the same phrase, ranked


@pytest.mark.parametrize("how", ["beams", "samples"])
def test_phrases_are_written_for_every_scored_task_and_repeat_themselves(tmp_path, how):
    first, again = (toy_folder(tmp_path / name, "seq2seq", generate=how, **SHORT) for name in ("first", "again"))

    assert run(first.path) == run(again.path) == FINISHED

    phrases = first.generations()
    assert [*phrases] == [*first.scores()]
    for row in phrases.values():
        scores = [score for _, score in row]
        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))
        assert len({phrase.casefold() for phrase, _ in row}) == len(row) <= 10
    assert (first.path / "generations.jsonl").read_bytes() == (again.path / "generations.jsonl").read_bytes()
    assert [row["done"] for row in first.progress() if row["kind"] == "generate"] == [4]


@pytest.mark.parametrize(("ranker", "settings"), [("seq2seq", {"generate": "nothing"}), ("cross-encoder", {})])
def test_no_phrases_are_written_where_none_are_wanted(tmp_path, ranker, settings):
    short = {name: value for name, value in SHORT.items() if ranker == "seq2seq" or name != "longest_phrase"}
    folder = toy_folder(tmp_path, ranker, **short, **settings)

    assert run(folder.path) == FINISHED
    assert not (folder.path / "generations.jsonl").exists()
    assert folder.generations() == {}


def test_a_run_that_is_killed_while_it_generates_goes_on_there(tmp_path, in_child, monkeypatch):
    whole, cut = (toy_folder(tmp_path / name, "seq2seq", **SHORT) for name in ("whole", "cut"))
    run(whole.path)

    def killed() -> int:
        monkeypatch.setattr(generated, "generate", lambda *arguments: die())
        return run(cut.path)

    assert in_child(killed) == -9
    assert cut.state().state == "generating"

    monkeypatch.setattr(running, "score_tasks", None)  # what was scored is not scored again
    assert run(cut.path) == FINISHED
    for name in ("generations.jsonl", "scores.jsonl", "model.json"):
        assert (cut.path / name).read_bytes() == (whole.path / name).read_bytes()


def test_a_cancelled_run_ends_between_two_passes(tmp_path, monkeypatch):
    folder = toy_folder(tmp_path, "seq2seq", **SHORT)
    monkeypatch.setattr(generated, "ON_A_CPU", 1)
    real = generated.generate

    def generate(*arguments):
        folder.ask("cancel")
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(generated, "generate", generate)
        assert run(folder.path) == INTERRUPTED

    assert not (folder.path / "generations.jsonl").exists()
    (folder.path / "cancel").unlink()
    assert run(folder.path) == FINISHED
    assert len(folder.generations()) == 4


def test_phrases_that_differ_in_case_only_count_once_and_empty_ones_never():
    texts = ["Kings", "kings", "painters", " "]
    tokenizer = learn_tokenizer(texts, 400)
    hypotheses = [Hypothesis(tuple(tokenizer.encode(text).ids), -number) for number, text in enumerate([*texts, ""])]

    assert generated.distinct(hypotheses, tokenizer) == [("Kings", 0), ("painters", -2)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("generate", "poems"),
        ("hypotheses", 0),
        ("longest_phrase", 1),
        ("shortest_phrase", 101),
        ("no_repeat", -1),
        ("temperature", 0.0),
        ("top_p", 1.5),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(field, value):
    from kernel.errors import InvalidInput
    from modeling.rankers.neural.settings import Seq2SeqSettings

    with pytest.raises(InvalidInput) as error:
        Seq2SeqSettings(**{field: value})
    assert error.value.field == field
