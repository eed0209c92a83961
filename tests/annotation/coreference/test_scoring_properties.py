"""What holds for every key and response."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.coreference.document import ChainMention, CorefDocument
from annotation.task_types.coreference.scoring import METRICS
from annotation.task_types.coreference.scoring.evaluation import CorefEvaluation, score_documents
from tests.annotation.coreference.marking import scored

TEXT = "the mill a wheel an owner the sea the owner"
STARTS = [at for at in range(len(TEXT)) if at == 0 or TEXT[at - 1] == " "]
SPANS = [
    (start, end) for start in STARTS for end in [*(at - 1 for at in STARTS), len(TEXT)] if start < end < start + 16
]


@st.composite
def documents(draw: st.DrawFn, *, optional: bool = False) -> CorefDocument:
    """Chains of mentions that may nest and overlap, some with a MIN; no span occurs twice."""
    spans = draw(st.lists(st.sampled_from(SPANS), unique=True, max_size=12))
    chains: dict[int, list[ChainMention]] = {}
    for start, end in spans:
        least = draw(st.sampled_from([None, *(span for span in SPANS if start <= span[0] and span[1] <= end)]))
        mention = ChainMention(start, end, least, optional and draw(st.booleans()))
        chains.setdefault(draw(st.integers(0, 4)), []).append(mention)
    return CorefDocument("story", TEXT, tuple(map(tuple, chains.values())))


matchings = pytest.mark.parametrize("matching", ["exact", "min"])


@matchings
@given(document=documents(optional=True))
def test_a_key_against_itself_is_perfect(matching, document: CorefDocument):
    for name, score in scored(document, document, matching=matching).scores.items():
        assert {score.recall, score.precision, score.f1} in ({1.0}, {None}), name


@given(document=documents())
def test_only_a_key_without_links_leaves_muc_undefined_against_itself(document: CorefDocument):
    has_links = any(len(chain) > 1 for chain in document.chains)
    assert scored(document, document).scores["muc"].f1 == (1.0 if has_links else None)


@matchings
@given(key=documents(optional=True), response=documents())
def test_values_are_between_nothing_and_everything(matching, key: CorefDocument, response: CorefDocument):
    for score in scored(key, response, matching=matching).scores.values():
        values = [value for value in (score.recall, score.precision, score.f1) if value is not None]
        assert all(0 <= value <= 1 + 1e-12 for value in values)


@given(first=documents(), second=documents())
def test_exchanging_key_and_response_exchanges_recall_and_precision(first: CorefDocument, second: CorefDocument):
    one_way, other_way = scored(first, second).scores, scored(second, first).scores
    for name in {*METRICS} - {"blanc"}:
        swapped = (other_way[name].precision, other_way[name].recall, other_way[name].f1)
        assert (one_way[name].recall, one_way[name].precision, one_way[name].f1) == pytest.approx(swapped), name


@given(first=documents(), second=documents())
def test_exchanging_them_does_the_same_to_blanc_where_both_have_links_and_non_links(
    first: CorefDocument, second: CorefDocument
):
    linked_and_alone = ((ChainMention(0, 1), ChainMention(1, 2)), (ChainMention(2, 3),))
    sides = [replace(document, chains=document.chains + linked_and_alone) for document in (first, second)]
    one_way, other_way = scored(*sides).scores["blanc"], scored(*reversed(sides)).scores["blanc"]
    swapped = (other_way.precision, other_way.recall, other_way.f1)
    assert (one_way.recall, one_way.precision, one_way.f1) == pytest.approx(swapped)


def shuffled(document: CorefDocument, random: Random) -> CorefDocument:
    chains = [tuple(random.sample(chain, len(chain))) for chain in document.chains]
    return replace(document, chains=tuple(random.sample(chains, len(chains))))


@matchings
@given(key=documents(optional=True), response=documents(), again=documents(), random=st.randoms())
def test_the_order_of_chains_and_mentions_never_matters(
    matching, key: CorefDocument, response: CorefDocument, again: CorefDocument, random: Random
):
    repeating = replace(response, chains=response.chains + again.chains)
    evaluation = scored(key, repeating, matching=matching)
    assert scored(shuffled(key, random), shuffled(repeating, random), matching=matching) == evaluation


@given(pairs=st.lists(st.tuples(documents(), documents()), min_size=1, max_size=4), random=st.randoms())
def test_the_names_and_the_order_of_documents_never_matter(
    pairs: list[tuple[CorefDocument, CorefDocument]], random: Random
):
    def evaluate(names: list[str]) -> CorefEvaluation:
        keys = [replace(key, name=name) for name, (key, _) in zip(names, pairs, strict=True)]
        responses = [replace(response, name=name) for name, (_, response) in zip(names, pairs, strict=True)]
        return score_documents(random.sample(keys, len(keys)), random.sample(responses, len(responses)))

    assert evaluate([*"abcd"[: len(pairs)]]).scores == evaluate([*"zyxw"[: len(pairs)]]).scores


@matchings
@given(key=documents(optional=True), response=documents())
def test_every_mention_is_in_one_part_of_its_chain(matching, key: CorefDocument, response: CorefDocument):
    differences = scored(key, response, matching=matching).documents[0].differences
    for chains, document, without in (
        (differences.key_chains, key, differences.unmarked),
        (differences.response_chains, response, ()),
    ):
        in_parts = [mention.span for chain in chains for part in chain.parts for mention in part.mentions]
        assert sorted([*in_parts, *(mention.span for mention in without)]) == sorted(
            mention.span for chain in document.chains for mention in chain
        )


@given(key=documents(), response=documents())
def test_no_errors_means_the_same_chains(key: CorefDocument, response: CorefDocument):
    evaluation = scored(key, response)
    as_sets = [{frozenset(chain) for chain in spans_of(document)} for document in (key, response)]
    assert (evaluation.documents[0].differences.errors == 0) == (as_sets[0] == as_sets[1])


def spans_of(document: CorefDocument) -> list[list[tuple[int, int]]]:
    return [[mention.span for mention in chain] for chain in document.chains]
