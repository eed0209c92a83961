from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernel.vectors.text_file import from_path
from modeling.features import COUNT_FEATURES, FeatureExtractor, FeatureTable
from modeling.rankers import EMBEDDING_FEATURES, TEXT_FEATURES
from modeling.words import preparation
from tests.modeling.values import make_item, make_task, synthetic_dataset

ITEM = make_item(
    entities=("Ida Lind", "Olaf Brandt"),
    title="Harbor painter",
    context="A painter met a sailor.",
    backgrounds=(
        "Ida Lind is a swedish painter and a painter of boats.",
        "Olaf Brandt is a swedish sailor and painter.",
    ),
    golds=("swedish painter",),
)
TASK = make_task(ITEM, ("sailor", "boats", "lind", "rivers"))


def features(**options) -> dict[str, list[float]]:
    table = FeatureExtractor(preparation("paper"), **options).table([TASK])
    return {name: table.values[:, column].tolist() for column, name in enumerate(table.names)}


def test_the_count_features_worked_out_by_hand():
    # candidates:               swedish painter, sailor, boats, lind, rivers
    expected = {
        "background-count": [5, 1, 0, 1, 0],  # swedish 2 + painter 3; "boats" was lemmatised in the text, not here
        "background-unique": [2, 1, 0, 1, 0],
        "background-shared": [2, 0, 0, 0, 0],
        "background-active": [2, 1, 0, 1, 0],
        "context-count": [2, 1, 0, 0, 0],
        "context-unique": [1, 1, 0, 0, 0],
        "all-count": [7, 2, 0, 2, 0],
        "all-unique": [2, 1, 0, 1, 0],
        "context-shared-unique": [2, 1, 0, 0, 0],
    }

    assert features() == expected


def test_lemmatised_candidates_meet_the_lemmas_of_the_texts():
    table = FeatureExtractor(preparation("tesa")).table([TASK])

    assert table.values[2, table.names.index("background-count")] == 1  # "boats"


def test_without_word_vectors_the_embedding_features_are_absent_not_zero():
    extractor = FeatureExtractor(preparation("paper"))

    assert extractor.names == COUNT_FEATURES
    assert extractor.table([TASK]).values.shape == (5, len(TEXT_FEATURES) - len(EMBEDDING_FEATURES))


def test_an_embedding_feature_is_the_cosine_of_mean_vectors(tmp_path: Path):
    words = {"painter": (1, 0), "sailor": (0, 1), "met": (0, 0), "harbor": (1, 1), "boats": (2, 0)}
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in words.items()), encoding="utf-8")

    values = features(vectors=from_path(str(path)))

    context = np.array([1, 1]) + np.array([1, 0]) * 2 + np.array([0, 1])  # harbor, painter twice, sailor
    length = np.linalg.norm(context)
    assert values["context-embedding"] == pytest.approx(
        [context[0] / length, context[1] / length, context[0] / length, 0, 0]
    )
    assert values["background-shared-embedding"] == pytest.approx([1, 0, 1, 0, 0])


def test_a_cached_table_is_the_computed_one_and_a_torn_file_is_made_anew(tmp_path: Path):
    tasks = synthetic_dataset()["train"]
    plain = FeatureExtractor(preparation("paper")).table(tasks)
    cached = FeatureExtractor(preparation("paper"), cache=tmp_path)

    cached.table(tasks)
    (file,) = tmp_path.iterdir()
    written = file.read_bytes()

    assert np.array_equal(cached.table(tasks).values, plain.values)
    file.write_bytes(written[: len(written) // 2])
    assert np.array_equal(cached.table(tasks).values, plain.values)
    assert file.read_bytes() == written


def test_the_cache_tells_preparations_vectors_and_tasks_apart(tmp_path: Path):
    vectors = tmp_path / "words.txt"
    vectors.write_text("painter 1 0\n", encoding="utf-8")
    cache = tmp_path / "cache"
    tasks = synthetic_dataset()["test"]

    for extractor, some in [
        (FeatureExtractor(preparation("paper"), cache=cache), tasks),
        (FeatureExtractor(preparation("tesa"), cache=cache), tasks),
        (FeatureExtractor(preparation("paper"), from_path(str(vectors)), cache), tasks),
        (FeatureExtractor(preparation("paper"), cache=cache), tasks[1:]),
    ]:
        extractor.table(some)

    assert len([*cache.iterdir()]) == 4


def test_a_candidates_features_do_not_hang_on_the_other_tasks(tmp_path: Path):
    tasks = synthetic_dataset()["valid"]
    extractor = FeatureExtractor(preparation("tesa"))
    together = extractor.table(tasks)

    apart = np.concatenate([extractor.table([task]).values for task in tasks])

    assert np.array_equal(together.values, apart)
    assert [len(column) for column in together.per_task(together.values[:, 0])] == [len(t.candidates) for t in tasks]
    assert extractor.table([]).values.shape == (0, len(COUNT_FEATURES))


def test_a_part_without_tasks_has_no_numbers():
    table = FeatureTable(("background-count",), np.empty((0, 1)), ())

    assert table.per_task(table.values[:, 0]) == []
