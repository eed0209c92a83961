"""Which response mention stands for which key mention."""

from __future__ import annotations

import pytest

from annotation.task_types.coreference.scoring.matching import match_mentions
from tests.annotation.coreference.marking import letters, marked, scored


def matched_texts(key: str, response: str, matching="min") -> dict[str, str]:
    """Return text of a key mention → text of the response mention that stands for it."""
    document = marked(key)
    matched = match_mentions(document, marked(response), matching)
    return {
        document.text[slice(*span)]: document.text[slice(*response_span)]
        for span, response_span in matched.response_of.items()
    }


@pytest.mark.parametrize(
    ("key", "response", "right"),
    [
        ("So {1=mill|the old mill by the river} fell.", "So the old {1 mill} by the river fell.", True),
        ("So {1=mill|the old mill by the river} fell.", "So {1 the old mill} by the river fell.", True),
        ("So {1=mill|the old mill by the river} fell.", "So the old mill by {1 the river} fell.", False),
        ("So {1=mill|the old mill by the river} fell.", "{1 So the old mill} by the river fell.", False),
        ("So {1=mill|the old mill by the river} fell.", "So the {1 old} mill by the river fell.", False),
        ("So {1 the mill} fell.", "So the {1 mill} fell.", True),
        ("So the {1 mill} fell.", "So {1 the mill} fell.", True),
        ("{1 An engine} broke.", "An {1 engine} broke.", True),
        ("{1 A  clerk} left.", "A  {1 clerk} left.", True),
        ("So {1=the mill|the mill by the river} fell.", "So the {1 mill} by the river fell.", True),
        ("So {1 this mill} fell.", "So this {1 mill} fell.", False),
        ("{1 Another clerk} left.", "{1 Another} clerk left.", False),
        ("Vitamin {1 A} helps.", "{1 Vitamin A} helps.", False),
        ("She chose {1 the} as a word.", "She chose {1 the} as a word.", True),
        ("😀 {1=mill|the old mill} fell.", "😀 the old {1 mill} fell.", True),
    ],
)
def test_a_response_contains_the_least_and_nothing_beyond_the_key(key: str, response: str, right: bool):
    assert bool(matched_texts(key, response)) is right


def test_the_same_span_comes_before_a_longer_one():
    key = "{1=Lund|Captain {2=Lund|Lund}} sailed."
    assert matched_texts(key, "{1 Captain {2 Lund}} sailed.") == {"Captain Lund": "Captain Lund", "Lund": "Lund"}


def test_of_two_responses_the_longer_stands_for_the_key_and_the_other_is_spurious():
    key, response = "{1=mill|the old mill by the river}", "the {1 old {2 mill}} by the river"
    assert matched_texts(key, response) == {"the old mill by the river": "old mill"}
    spurious = scored(marked(key), marked(response), matching="min").documents[0].differences.spurious
    assert [mention.end - mention.start for mention in spurious] == [4]


def test_of_two_key_mentions_the_shorter_gets_the_response_that_fits_both():
    key = "{1=mill|{2=mill|the old mill} by the river} fell."
    assert matched_texts(key, "the old {1 mill} by the river fell.") == {"the old mill": "mill"}


def test_two_nested_key_mentions_of_the_same_head_get_two_responses():
    key = "{1=mill|{2=mill|the old mill} by the river} fell."
    assert matched_texts(key, "the {1 old {2 mill}} by the river fell.") == {
        "the old mill": "old mill",
        "the old mill by the river": "mill",
    }


def test_with_and_without_the_article_are_one_mention_of_the_key():
    key, response = "{1=mill|the mill by the river} fell.", "{1 the {2 mill}} by the river fell."
    assert matched_texts(key, response) == {"the mill by the river": "the mill"}


def test_a_repeated_mention_stays_in_the_chain_that_begins_first():
    matched = match_mentions(letters("AC BD"), letters("BD AD"), "exact")
    assert [[*map(chr, (65 + mention.start for mention in chain))] for chain in matched.response] == [["A", "D"], ["B"]]
    assert [mention.start for mention in matched.repeated] == [3]


def test_an_optional_mention_is_reported_where_the_response_does_not_mark_it():
    matched = match_mentions(letters("AB? C?D"), letters("ABD"), "exact")
    assert [mention.start for mention in matched.unmarked] == [2]
    assert [*map(len, matched.key)] == [2, 1]
