"""What is true of every kind of part, over each example of its use."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from annotation.parts import PARTS
from annotation.quality.ratings import Undefined
from annotation.quality.series import Scale
from annotation.task_types.base import EMPTY, Level
from tests.annotation.parts.examples import EXAMPLES, Example
from tests.annotation.shapes import fits

SEEDS = range(25)


@pytest.fixture(params=[*EXAMPLES])
def example(request: pytest.FixtureRequest) -> Example:
    return EXAMPLES[request.param]


def test_every_kind_has_an_example():
    assert {example.kind for example in EXAMPLES.values()} == {*PARTS}


def test_an_answer_gives_its_form_and_the_form_gives_the_answer(example: Example):
    part, asked = example.part, example.asked
    for seed in SEEDS:
        value = example.invented(seed)
        form = part.write(asked, value)

        assert not part.is_empty(asked, form)
        assert not [own for own in part.remarks(asked, form) if own.remark.level == Level.BLOCK]
        assert part.read(asked, form) == value
        assert json.loads(json.dumps(value)) == value


def test_a_description_may_write_an_answer_as_it_is_stored(example: Example):
    for seed in SEEDS:
        value = example.invented(seed)

        assert example.part.known(example.asked.options, value) == value


@pytest.mark.parametrize("value", [None, True, 1.5, "nobody", ["nobody"], [["a"], ["a"]], {}, {"a": {}}, {"a": []}])
def test_what_is_no_answer_is_no_short_form_either(example: Example, value: object):
    assert example.part.known(example.asked.options, value) == value


def test_an_empty_form_is_noticed_in_a_field_of_the_part(example: Example):
    part, asked = example.part, example.asked

    assert part.is_empty(asked, {})
    assert part.missing(asked).remark.code == EMPTY
    assert part.missing(asked).remark.level == Level.BLOCK
    assert part.missing(asked).field.startswith("a.own")


def test_closeness_is_symmetric_and_one_with_itself(example: Example):
    part, options = example.part, example.asked.options
    values = [example.invented(seed) for seed in SEEDS]

    assert all(part.closeness(options, value, value) == pytest.approx(1) for value in values)
    for left, right in combinations(values, 2):
        closeness = part.closeness(options, left, right)
        assert 0 <= closeness <= 1
        assert closeness == pytest.approx(part.closeness(options, right, left))


def test_series_of_equal_answers_agree_fully(example: Example):
    part, options = example.part, example.asked.options
    rows: dict[str, list[tuple[str, str, object]]] = {}
    for seed in SEEDS:
        for name, label in part.labels("own", options, example.invented(seed)).items():
            units = label if isinstance(label, dict) else {"": label}
            rows.setdefault(name, []).extend(
                (f"{seed} {unit}", who, own) for unit, own in units.items() for who in ("ann", "bob")
            )
    series = {own.part: own for own in part.series("own", options)}

    assert rows.keys() <= series.keys()
    for name, labelled in rows.items():
        for measure in series[name].measures(labelled, replicates=10):  # type: ignore[arg-type]
            best = 0 if "difference" in measure.measure else 1
            # Alpha and kappa need at least two labels, and texts have no such measure.
            assert isinstance(measure.value, Undefined) or measure.value == pytest.approx(best), measure
    assert all(own.scale is Scale.TEXT or own.part in rows for own in series.values())


def test_what_answers_say_together_has_the_shape_that_files_describe(example: Example):
    part, options = example.part, example.asked.options
    for seed in SEEDS:
        value = example.invented(seed)
        agreed = part.consensus(options, [value, value, value])

        assert part.consensus_line(options, agreed, example.asked.texts)
        assert fits(agreed, part.consensus_type("own", "", options))


def test_answers_have_the_shape_that_files_describe(example: Example):
    part, options = example.part, example.asked.options
    for seed in SEEDS:
        value = example.invented(seed)

        assert fits(value, part.answer_type("own", "", options))
        cells = part.cells("own", options, value)
        assert cells.keys() == part.cells("own", options, None).keys()
        assert all(not isinstance(cell, list | dict) for cell in cells.values())


def test_people_read_an_answer_in_a_line_and_in_pieces(example: Example):
    part, asked = example.part, example.asked
    values = [example.invented(seed) for seed in range(4)]

    assert all(part.line(asked, value).strip() and "\n" not in part.line(asked, value) for value in values)
    pieces = part.pieces(asked, values[0], values[1:])
    assert pieces
    assert all(piece.words and piece.share is not None and 0 <= piece.share <= 1 for piece in pieces)
    assert all(piece.share == 1 for piece in part.pieces(asked, values[0], [values[0]]))
    assert part.feedback(asked, values[0], values[1]).strip()


def test_careful_people_mostly_say_the_same(example: Example):
    part, options = example.part, example.asked.options
    values = [example.invented(seed) for seed in range(40)]
    closeness = [part.closeness(options, left, right) for left, right in combinations(values, 2)]

    assert sum(closeness) / len(closeness) > 0.3
