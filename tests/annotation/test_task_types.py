"""What every task type promises, and the aggregation's own page."""

from __future__ import annotations

import re
from html import unescape
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.markup import to_html
from annotation.simulation.invented_people import crowd
from annotation.stages import is_gold_turn
from annotation.task_types import TASK_TYPES, fixed_types
from annotation.task_types.aggregation.answers import known_phrases
from annotation.task_types.base import InvalidAnswer
from corpus.display import show
from corpus.frozen import FrozenBackground, FrozenInstance, FrozenMention
from corpus.highlights import pieces_html
from tests.corpus.frozen_instances import frozen_instances, make_frozen

TYPES = [TASK_TYPES[name] for name in fixed_types()]


@pytest.mark.parametrize("type_", TYPES, ids=lambda type_: type_.name)
def test_every_type_refuses_an_empty_answer_and_takes_back_the_form_of_its_own(type_):
    item = type_.practice[0].item
    question, reading = type_.question(item), type_.crowd.read_item(item)

    with pytest.raises(InvalidAnswer):
        type_.parse(question, {})
    for number, person in enumerate(crowd(20, seed=1)):
        form = type_.crowd.invent(reading, person, Random(number))
        asked = " ".join(f"{objection.field}:{objection.remark.code}" for objection in type_.checks(question, form))
        answer = type_.parse(question, {**form, "confirmed": asked})
        assert type_.parse(question, {**type_.form(question, answer), "confirmed": asked}) == answer
        assert type_.summary(question, answer)


@pytest.mark.parametrize("type_", TYPES, ids=lambda type_: type_.name)
def test_every_practice_answer_of_every_type_passes_its_own_checks_and_is_a_hit(type_):
    for practice in type_.practice:
        question = type_.question(practice.item)
        for accepted in practice.gold.accepted:
            answer = type_.parse(question, type_.form(question, accepted))
            assert type_.judge(answer, practice.gold, question).is_hit


@pytest.mark.parametrize("type_", TYPES, ids=lambda type_: type_.name)
def test_every_quiz_question_has_one_right_choice_that_is_there(type_):
    assert all(0 <= question.right < len(set(question.choices)) for question in type_.quiz)


@given(frozen_instances())
def test_the_page_shows_every_character_of_the_passage_once_whatever_the_mentions(instance: FrozenInstance):
    html = "".join(f"{pieces_html(pieces)}\n\n" for pieces in show(instance).paragraphs)
    hidden = re.compile(r'<span class="(?:entity__letter|visually-hidden)".*?</span>', re.DOTALL)

    plain = unescape(re.sub(r"<[^>]*>", "", hidden.sub("", html)))

    assert plain.removesuffix("\n\n") == instance.context
    assert html.count("<span") == html.count("</span>")


def test_a_card_is_told_by_its_own_letter_and_background_wherever_the_entity_was_met_before():
    met = make_frozen()
    other = FrozenBackground("Ida Lind", "Ida Lind <b>sang</b>.", "javascript:alert()", "CC0")
    turned = make_frozen(
        entities=("Karl Moe", "Ida Lind"),
        mentions=(FrozenMention(1, 0, 8), FrozenMention(0, 13, 21)),
        backgrounds=(None, met.backgrounds[0]),
    )

    first, second, third = (
        TASK_TYPES["aggregation"].html(instance) for instance in (met, turned, make_frozen(backgrounds=(other, None)))
    )

    assert '<span class="entity__letter">A</span>Ida Lind</span></h2><p class="card__text">Ida Lind (1861' in first
    assert '<span class="entity__letter">B</span>Ida Lind</span></h2><p class="card__text">Ida Lind (1861' in second
    assert "Ida Lind &lt;b&gt;sang&lt;/b&gt;." in third
    assert "botanist." not in third
    assert "javascript" not in third


def test_a_mention_inside_another_is_nested():
    names = ("University of Arden", "Arden")
    instance = make_frozen(
        entities=names, context=names[0], mentions=(FrozenMention(0, 0, 19), FrozenMention(1, 14, 19))
    )

    html = pieces_html(show(instance).paragraphs[0])

    assert re.search(r"entity--a.*University of .*entity--b.*Arden</span></span>$", html)


@given(frozen_instances())
def test_nothing_of_an_instance_gets_into_the_page_as_markup(instance: FrozenInstance):
    html = TASK_TYPES["aggregation"].html(instance)

    assert set(re.findall(r"<(\w+)", html)) <= {"article", "section", "div", "h1", "h2", "p", "span", "a"}


def test_a_hit_does_not_depend_on_case_article_or_number():
    type_ = TASK_TYPES["aggregation"]
    question = type_.question(make_frozen())
    answer = type_.parse(question, {"phrase_1": "The two Botanists."})

    assert type_.judge(answer, known_phrases(["botanists"]), question).is_hit
    assert not type_.judge(answer, known_phrases(["gardeners"]), question).is_hit
    assert not type_.judge(answer, known_phrases([]), question).is_hit


@given(st.integers(1, 50), st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 20))
def test_gold_comes_exactly_once_in_each_stretch(every: int, seed: int, person: int, stretch: int):
    turns = range(stretch * every, (stretch + 1) * every)

    assert sum(is_gold_turn(turn, every=every, seed=seed, person=person) for turn in turns) == 1


def test_instructions_are_escaped_and_their_examples_can_be_heard():
    html = to_html("# A & B\nSome **bold**\nwords\n+ good <one>\nx bad\n- plain")

    assert html == (
        "<h3>A &amp; B</h3><p>Some <strong>bold</strong> words</p>"
        '<ul class="examples">'
        '<li class="examples__good"><span class="visually-hidden">Good: </span>good &lt;one&gt;</li>'
        '<li class="examples__bad"><span class="visually-hidden">Not good: </span>bad</li>'
        '<li class="examples__plain">plain</li></ul>'
    )


def test_a_phrase_that_is_too_long_is_refused_aloud_and_never_cut():
    type_ = TASK_TYPES["aggregation"]
    question = type_.question(make_frozen())

    for form in ({"phrase_1": "b" * 301}, {"impossible": "on", "reason": "r" * 2001}):
        with pytest.raises(InvalidAnswer, match="at most"):
            type_.parse(question, form)
