"""Texts become token numbers; what is too long is cut at its beginning, never in the entity names or the candidate."""

from __future__ import annotations

import pytest

from modeling.rankers.neural.request import TaskText
from modeling.rankers.neural.texts import encode_tasks, learn_tokenizer
from tests.modeling.neural.torch_values import toy_rows
from tests.modeling.values import refusal

pytestmark = pytest.mark.neural
NAMES = "Ida Lind, Olaf Brandt"
ROW = TaskText(
    "train", "k1", f"Background of Ida. The article says much. {NAMES}", NAMES, (("painters", 1), ("old kings", 0))
)


@pytest.fixture(scope="module")
def tokenizer():
    return learn_tokenizer([row.text for row in toy_rows("train", 8)], 300)


def test_a_text_that_fits_is_whole(tokenizer):
    (task,) = encode_tasks([ROW], tokenizer, longest=200, has_pairs=True)

    assert tokenizer.decode(task.text.tolist()) == ROW.text
    assert [tokenizer.decode(ids.tolist()) for ids in task.candidates] == ["painters", "old kings"]
    assert (task.cut, task.labels) == (0, (1, 0))


@pytest.mark.parametrize("has_pairs", [True, False])
def test_the_beginning_is_cut_until_every_sequence_fits(tokenizer, has_pairs):
    (task,) = encode_tasks([ROW], tokenizer, longest=50, has_pairs=has_pairs)

    longest = max(map(len, task.candidates))
    assert len(task.text) + 2 + (longest + 1 if has_pairs else 0) == 50
    assert ROW.text.endswith(tokenizer.decode(task.text.tolist()))
    assert tokenizer.decode(task.text.tolist()).endswith(NAMES)
    assert task.cut == len(tokenizer.encode(ROW.text).ids) - len(task.text)


def test_a_task_whose_names_do_not_fit_is_refused(tokenizer):
    assert "the task k1 is too long" in refusal(lambda: encode_tasks([ROW], tokenizer, longest=20, has_pairs=True))


def test_a_text_of_other_scripts_is_kept(tokenizer):
    row = TaskText("train", "k", "Привет 世界 é, Ida", "Ida", (("peintres", 1),))

    (task,) = encode_tasks([row], tokenizer, longest=100, has_pairs=False)

    assert tokenizer.decode(task.text.tolist()) == row.text


def test_the_same_texts_give_the_same_vocabulary():
    texts = [row.text for row in toy_rows("train", 24)]

    assert learn_tokenizer(texts, 400).to_str() == learn_tokenizer(texts, 400).to_str()
