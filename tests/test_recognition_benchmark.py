"""The figures that the benchmark of recognition prints mean what its head says."""

from __future__ import annotations

from typing import Any

from benchmarks.recognition import Score, add_document
from corpus.articles import EntityType
from corpus.recognition import RecognizedName

PERSON, LOCATION, ORGANIZATION = EntityType
# 0         1         2         3
# 0123456789012345678901234567890123456789
# Mayor Ida Lind of Arden left. It rained.
ENTITIES: list[dict[str, Any]] = [
    {"etype": "person", "wikipedia": "Ida_Lind", "mentions": [[0, 23, "Mayor Ida Lind of Arden"]]},
    {"etype": "place", "wikipedia": "Arden", "mentions": [[18, 23, "Arden"]]},
    {"etype": "place", "wikipedia": None, "mentions": [[18, 22, "Arde"]]},
    {"etype": "event", "wikipedia": "Rain", "mentions": [[30, 39, "It rained"]]},
]


def scores(*spans: RecognizedName) -> dict[EntityType, Score]:
    by_type = {type_: Score() for type_ in EntityType}
    add_document(by_type, ENTITIES, spans)
    return by_type


def test_an_entity_is_found_by_any_span_of_its_type_that_overlaps_a_mention():
    by_type = scores(RecognizedName(6, 14, PERSON, "Ida Lind"), RecognizedName(20, 30, ORGANIZATION, "den left."))

    assert (by_type[PERSON].recall, by_type[PERSON].linked) == (1.0, 1)
    assert (by_type[LOCATION].recall, by_type[LOCATION].linked) == (0.0, 1)
    assert by_type[ORGANIZATION].linked == 0


def test_a_span_is_right_where_the_smallest_mention_around_it_has_its_type():
    by_type = scores(
        RecognizedName(6, 14, PERSON, "Ida Lind"),
        RecognizedName(18, 23, PERSON, "Arden"),
        RecognizedName(18, 23, LOCATION, "Arden"),
    )

    assert (by_type[PERSON].right, by_type[PERSON].spans) == (1, 2)
    assert (by_type[LOCATION].right, by_type[LOCATION].spans) == (1, 1)


def test_a_span_that_no_mention_or_one_of_another_kind_encloses_is_wrong():
    by_type = scores(RecognizedName(24, 28, PERSON, "left"), RecognizedName(33, 39, PERSON, "rained"))

    assert by_type[PERSON].precision == 0.0
