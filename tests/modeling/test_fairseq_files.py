from __future__ import annotations

from pathlib import Path

import pytest

from kernel.errors import InvalidInput
from modeling.dataset import Dataset
from modeling.fairseq_files import write_classification, write_generation
from modeling.text_formats import FORMATS, format_item
from tests.modeling.values import make_item, make_task, synthetic_dataset

QUOTED = make_item("q", context='She said "yes".\n\nThen\tleft.')


def test_the_papers_format_is_backgrounds_title_context_entities():
    assert format_item(make_item()) == (
        "Ida Lind was a painter. Two Painters Meet: Ida Lind met Olaf Brandt at the harbor. Ida Lind, Olaf Brandt"
    )
    assert format_item(make_item(), "va").startswith("Two Painters Meet: Ida")
    assert format_item(make_item(), "vb") == "Ida Lind was a painter. Ida Lind, Olaf Brandt"
    assert format_item(make_item(), "vc") == "Ida Lind, Olaf Brandt"
    assert format_item(make_item(), "v3") == (
        "<w> Ida Lind was a painter. <a> Two Painters Meet. Ida Lind met Olaf Brandt at the harbor. "
        "<e> Ida Lind <e> Olaf Brandt"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_long_item_keeps_its_last_words_so_that_the_entities_stay(name: str):
    text = format_item(make_item(backgrounds=("word " * 900, "")), name)

    assert len(text.split()) <= 750
    assert text.endswith("Olaf Brandt")


def test_an_unknown_format_is_named():
    with pytest.raises(InvalidInput, match="known: v0"):
        format_item(make_item(), "v9")


def test_classification_has_a_row_per_candidate_and_quotation_marks_as_they_are(tmp_path: Path):
    dataset = Dataset({}, {"train": (make_task(QUOTED),), "valid": (), "test": ()})

    assert write_classification(dataset, tmp_path, seed=0) == {"train": 3, "valid": 0, "test": 0}

    written = (tmp_path / "train.tsv").read_bytes().decode()
    lines = [line.split("\t") for line in written.splitlines()]
    assert lines[0] == ["index", "sentence1", "sentence2", "label"]
    assert {tuple(line[2:]) for line in lines[1:]} == {
        ("painters", "aggregation"), ("cities", "not_aggregation"), ("banks", "not_aggregation"),
    }  # fmt: skip
    assert all(line[1] == format_item(QUOTED) and 'said "yes". Then left.' in line[1] for line in lines[1:])
    assert "\r" not in written
    assert (tmp_path / "dev.tsv").exists()


def test_generation_has_a_line_per_gold_and_both_files_stay_in_step(tmp_path: Path):
    dataset = synthetic_dataset()

    counts = write_generation(dataset, tmp_path, seed=4)

    by_text = {format_item(task.item): task.gold_phrases for task in dataset["valid"]}
    sources = (tmp_path / "val.source").read_text().splitlines()
    targets = (tmp_path / "val.target").read_text().splitlines()
    assert len(sources) == len(targets) == counts["valid"] == sum(len(task.gold_phrases) for task in dataset["valid"])
    assert all(target in by_text[source] for source, target in zip(sources, targets, strict=True))


def test_the_same_seed_writes_the_same_bytes_and_rows_are_shuffled(tmp_path: Path):
    dataset = synthetic_dataset()
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_classification(dataset, tmp_path / folder, seed=seed)

    assert (tmp_path / "a/train.tsv").read_bytes() == (tmp_path / "b/train.tsv").read_bytes()
    assert (tmp_path / "a/train.tsv").read_bytes() != (tmp_path / "c/train.tsv").read_bytes()
